#include "cmd/topics/topics.h"

#include "base/find.h"
#include "base/text.h"
#include "json/json_line.h"
#include "json/pointer.h"
#include "json/print.h"
#include "payload/build.h"
#include "ui/help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_COLUMNS 20

static const struct story sample = { 1, 1, 1, .as_specified = true };

bool topic_at(const struct topic_kind *kind, size_t index, struct topic *topic)
{
	if (index >= *kind->count)
		return false;
	const struct catalog_value *value = kind->values ? &kind->values[index] : NULL;
	if (value)
		*topic = (struct topic){ .name = value->name, .summary = value->meaning, .section = value->section };
	else
		kind->fill(index, topic);
	topic->kind = kind;
	topic->index = index;
	return true;
}

bool topic_next(struct topic *topic)
{
	const struct topic_kind *kind = topic->kind ? topic->kind : topic_kinds;
	size_t index = topic->kind ? topic->index + 1 : 0;
	for (; kind < topic_kinds + topic_kind_count; kind++, index = 0)
		if (topic_at(kind, index, topic))
			return true;
	return false;
}

/* The payload that to->sample asks for, the same bytes each time. */
static void append_sample(struct explanation *to)
{
	struct error err;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER payload = BUFFER_FOR(&to->text);
	bool is_read = build_payload(to->sample, &sample, &payload, &err) == 0 &&
	               json_read(&doc, payload.data, payload.length, NULL);
	uint32_t value = is_read ? json_resolve(&doc, to->sample_pointer) : JSON_NONE;
	buffer_fail_if(&to->text, !is_read);
	if (value == JSON_NONE)
		return;
	const char *key = strrchr(to->sample_pointer, '/');
	if (to->json)
		json_line_key(&to->text, "sample");
	else if (key)
		buffer_printf(&to->text, "\n\"%s\": ", key + 1);
	else
		buffer_append_byte(&to->text, '\n');
	json_print(&doc, value, to->json ? JSON_COMPACT : JSON_PRETTY, &to->text);
	buffer_append_text(&to->text, to->json ? "" : "\n");
}

static void append_title(struct explanation *to, const char *name, const char *kind)
{
	if (to->text.length > 0)
		buffer_append_byte(&to->text, '\n');
	style_append(&to->text, to->color, STYLE_BOLD, "%s", name);
	buffer_printf(&to->text, " (%s)\n", kind);
}

void explain_append_topic(struct explanation *to, const struct topic *topic)
{
	char origin[64];
	const struct topic_kind *kind = topic->kind;
	to->sample = (struct catalog_kind){ NULL, NULL };
	to->sample_pointer[0] = '\0';
	snprintf(origin, sizeof origin, topic->section ? "the specification, section %s" : "credhook", topic->section);
	if (to->json) {
		json_line_begin(&to->text);
		json_line_text(&to->text, "kind", kind->name);
		json_line_text(&to->text, "topic", topic->name);
		json_line_text(&to->text, "summary", topic->summary);
		json_line_text(&to->text, "section", topic->section);
	} else {
		append_title(to, topic->full[0] ? topic->full : topic->name, kind->name);
	}
	if (kind->label && !to->json)
		explain_value(to, kind->label, topic->summary);
	if (kind->print)
		kind->print(to, topic);
	explain_value(to, "defined by", topic->origin ? topic->origin : origin);
	if (to->sample.event)
		append_sample(to);
	if (to->json)
		json_line_finish(&to->text);
}

/* One of a list of its kind; `title`: of the list that it begins, or NULL. */
static void append_row(struct explanation *to, const struct topic *topic, const char *title)
{
	LOCAL_BUFFER text = BUFFER_FOR(&to->text);
	if (title)
		append_title(to, title, strcmp(title, topic->kind->plural) == 0 ? "topics" : topic->kind->plural);
	buffer_printf(&text, "%s%s%s", topic->qualifier ? topic->qualifier : "", topic->qualifier ? ": " : "",
	              topic->summary);
	if (topic->reason)
		buffer_printf(&text, "; %s", topic->reason);
	help_append_row(&to->text, topic->name, buffer_text(&text), NAME_COLUMNS, to->width);
}

bool topic_kind_is_prose(const struct topic_kind *kind)
{
	return strcmp(kind->name, "topic") == 0;
}

/* Letter case aside, and with blanks, '-' and '_' for one another or left out: exit-codes, unknown_key, exitcodes. */
static bool is_name(const char *name, const char *asked)
{
	if (!name)
		return false;
	for (; *name && *asked; name++) {
		bool is_sign = strchr(" -", *name) != NULL;
		if (strncasecmp(name, asked, 1) == 0 || (is_sign && strchr(" -_", *asked)))
			asked++;
		else if (!is_sign)
			return false;
	}
	return *name == *asked;
}

/* The singular of a family's name: alert of alerts. */
static bool is_one_of(const char *family, const char *asked)
{
	size_t length = strlen(asked);
	return family && strncasecmp(family, asked, length) == 0 && strcmp(family + length, "s") == 0;
}

/* A part of a check's name: chunked, later. */
static bool is_part(const struct topic *t, const char *asked)
{
	size_t length = strlen(asked);
	const char *at = strcmp(t->kind->name, "check") == 0 && length > 3 ? t->full : "";
	while ((at = find_any_case(at, asked)) != NULL &&
	       !(at > t->full && strchr("/-", at[-1]) && strchr("/-", at[length])))
		at++;
	return at != NULL;
}

enum match {
	MATCH_NAME, /* of a topic, or of its group, or of a kind of topics in the plural */
	MATCH_KIND, /* the same, and the kind's own name: unless `asked` means something by itself */
	MATCH_PART,
};

static bool append_matching(struct explanation *to, const char *asked, enum match match)
{
	bool found = false;
	const char *prose = NULL;
	const struct topic_kind *listing = NULL;
	for (struct topic t = { .name = NULL }; topic_next(&t);) {
		bool in_manual = topic_kind_is_prose(t.kind) && !to->json;
		bool of_group = is_name(t.group, asked) || is_name(t.family, asked) || is_one_of(t.family, asked);
		bool listed =
		        of_group || (is_name(match == MATCH_KIND ? t.kind->name : t.kind->plural, asked) && !in_manual);
		bool named = is_name(t.name, asked) || is_name(t.other, asked) || is_name(t.full, asked);
		if (match == MATCH_PART ? !is_part(&t, asked)
		                        : !listed && !(t.kind->matches ? t.kind->matches(&t, asked) : named))
			continue;
		found = true;
		if (in_manual)
			prose = t.name;
		else if (listed && !to->json)
			append_row(to, &t, listing == t.kind ? NULL : of_group ? asked : t.kind->plural);
		else
			explain_append_topic(to, &t);
		listing = t.kind;
	}
	if (prose)
		buffer_printf(&to->text, "%s: see 'man credhook-events'\n", prose);
	return found;
}

struct explanation explanation_for(const struct terminal *terminal, const char *asked)
{
	return (struct explanation){
		.json = terminal->json, .color = terminal->color_out, .width = terminal_width(), .asked = asked
	};
}

bool explain_topic(struct buffer *out, const struct terminal *terminal, const char *asked)
{
	struct explanation to = explanation_for(terminal, asked);
	to.text.whole = out;
	struct catalog_kind kind;
	bool found = append_matching(&to, asked, MATCH_NAME) || append_matching(&to, asked, MATCH_KIND);
	if (!found && catalog_find_kind(asked, &kind, NULL) == CATALOG_FOUND) /* the beginning of an event */
		found = append_matching(&to, KIND_NAME(kind), MATCH_NAME);
	found = found || append_matching(&to, asked, MATCH_PART);
	buffer_printf(out, "%s%s", out->length > 0 && found && !to.json ? "\n" : "", buffer_text(&to.text));
	buffer_release(&to.text);
	return found;
}
