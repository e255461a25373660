/* How a field is told: from its row, with the events that have it and a sample. */
#include "base/exit_code.h"
#include "catalog/catalog.h"
#include "cmd/explain.h"
#include "json/located.h"
#include "payload/build.h"
#include "payload/edit.h"
#include "ui/help.h"
#include "ui/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The member that the pointer names, as it stands in the sample of the event. */
static void sample_member(struct explanation *to, const struct catalog_event *event, const char *pointer)
{
	struct error err;
	struct json_doc doc;
	struct json_fault fault;
	struct buffer text = BUFFER_INIT, pretty = BUFFER_INIT;
	json_doc_init(&doc);
	if (explain_sample_payload((struct catalog_kind){ event, NULL }, &text, &err) == 0 &&
	    json_read(&doc, text.data, text.length, &fault)) {
		uint32_t value = json_resolve(&doc, pointer);
		const struct json_token *t = value != JSON_NONE ? &doc.tokens[value] : NULL;
		if (t && build_pretty(doc.text + t->start, t->end - t->start, &pretty, &err) == 0)
			buffer_printf(&to->text, "\n\"%s\": %s\n", strrchr(pointer, '/') + 1, buffer_text(&pretty));
	}
	json_doc_release(&doc);
	buffer_release(&text);
	buffer_release(&pretty);
}

/* The events that have it, and how it stands in the first of them. */
static void used_by(struct explanation *to, const char *pointer)
{
	const struct catalog_event *first = NULL;
	bool in_details = strncmp(pointer, "/details/", strlen("/details/")) == 0; /* the envelope is everybody's */
	for (size_t i = 0; in_details && i < catalog_event_count; i++) {
		const struct catalog_member *member = edit_member(&catalog_events[i], pointer);
		struct buffer text = BUFFER_INIT;
		if (!member)
			continue;
		buffer_printf(&text, "%s (%s)", catalog_events[i].name, catalog_type_name(member->type));
		explain_row(to, first ? "" : "in", buffer_text(&text));
		first = first ? first : &catalog_events[i];
		buffer_release(&text);
	}
	sample_member(to, first ? first : &catalog_events[0], pointer);
}

static void tell_field(struct explanation *to, const char *pointer, const struct catalog_field *field)
{
	explain_title(to, pointer + 1, "field");
	explain_row(to, "type", catalog_type_name(field->type));
	explain_row(to, "meaning", field->meaning);
	for (size_t i = 0; i < field->value_count; i++) {
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "%s: %s", field->values[i].name, field->values[i].meaning);
		explain_row(to, i == 0 ? "values" : "", buffer_text(&text));
		buffer_release(&text);
	}
	for (size_t i = 0; i < field->member_count; i++)
		explain_row(to, i == 0 ? "contains" : "", field->members[i].field->name);
	if (field->open)
		explain_row(to, "not specified", field->open);
	for (size_t i = 0; i < catalog_passage_count; i++)
		if (strcmp(catalog_passages[i].topic, field->name) == 0)
			explain_row(to, "rule", catalog_passages[i].text);
	explain_source(to, field->section);
}

/* details.appKey, /details/appKey, appKey and address.street all name a field. */
static const struct catalog_field *find_field(const char *topic, struct buffer *pointer)
{
	struct error ignored;
	if (edit_pointer(topic, pointer, &ignored) < 0)
		return NULL;
	for (size_t i = 0; i < catalog_envelope_count; i++)
		if (strcmp(pointer->data + 1, catalog_envelope[i]->name) == 0)
			return catalog_envelope[i];
	const char *inside = strncmp(pointer->data, "/details/", 9) == 0 ? pointer->data + 9 : pointer->data + 1;
	for (size_t i = 0; i < catalog_field_count; i++) {
		const struct catalog_field *field = catalog_fields[i];
		size_t length = strlen(field->name);
		bool direct = strcmp(inside, field->name) == 0;
		bool nested = strncmp(inside, field->name, length) == 0 && inside[length] == '/';
		const struct catalog_member *member =
		        nested ? catalog_member_named(field->members, field->member_count, inside + length + 1,
		                                      strlen(inside + length + 1))
		               : NULL;
		if (direct || member) {
			struct buffer full = BUFFER_INIT;
			const struct catalog_field *owner = NULL;
			for (size_t o = 0; direct && o < catalog_field_count; o++)
				if (catalog_member_named(catalog_fields[o]->members, catalog_fields[o]->member_count,
				                         inside, length))
					owner = catalog_fields[o];
			buffer_printf(&full, "/details/%s%s%s", owner ? owner->name : "", owner ? "/" : "", inside);
			buffer_release(pointer);
			*pointer = full;
			return member ? member->field : field;
		}
	}
	return NULL;
}

bool explain_field(struct explanation *to, const char *topic)
{
	struct buffer pointer = BUFFER_INIT;
	const struct catalog_field *field = find_field(topic, &pointer);
	if (field) {
		for (char *c = pointer.data + 1; *c; c++)
			if (*c == '/')
				*c = '.';
		tell_field(to, pointer.data, field);
		for (char *c = pointer.data + 1; *c; c++)
			if (*c == '.')
				*c = '/';
		used_by(to, pointer.data);
	}
	buffer_release(&pointer);
	return field != NULL;
}
