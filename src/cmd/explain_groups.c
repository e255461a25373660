/* Topics that are several rows of the catalogue: a status, a type, a section, the envelope. */
#include "catalog/catalog.h"
#include "cmd/explain.h"

#include <string.h>
#include <strings.h>

/* 401, or push: the events that carry it. */
bool explain_status(struct explanation *to, const char *topic)
{
	bool found = false;
	for (size_t i = 0; i < catalog_event_count; i++) {
		if (strcasecmp(catalog_events[i].event, topic) != 0)
			continue;
		if (!found)
			explain_title(to, catalog_events[i].event, "value of the field event");
		explain_row(to, found ? "" : "events", catalog_events[i].name);
		found = true;
	}
	if (found)
		explain_row(to, "source", "the specification, section 6");
	return found;
}

static const struct {
	const char *name;
	const char *form;
	enum catalog_type type;
} types[] = {
	{ "uuid", "a string of 8-4-4-4-12 hexadecimal digits, in either case", CATALOG_UUID },
	{ "boolean", "a string that holds true or false; no JSON boolean", CATALOG_BOOLEAN_TEXT },
	{ "integer", "a JSON number without a fraction, of any size", CATALOG_INTEGER },
	{ "integer", "a string that holds one, with or without a sign", CATALOG_INTEGER_TEXT },
};

/* The fields of that type, and those that have it in one event only. */
static void list_fields(struct explanation *to, enum catalog_type type)
{
	const char *label = "fields";
	for (size_t i = 0; i < catalog_field_count; i++) {
		if (catalog_fields[i]->type != type)
			continue;
		explain_row(to, label, catalog_fields[i]->name);
		label = "";
	}
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		for (size_t m = 0; m < e->detail_count; m++) {
			struct buffer text = BUFFER_INIT;
			if (e->details[m].type != type || e->details[m].field->type == type)
				continue;
			buffer_printf(&text, "%s, in %s only", e->details[m].field->name, e->name);
			explain_row(to, label, buffer_text(&text));
			buffer_release(&text);
			label = "";
		}
	}
}

bool explain_type(struct explanation *to, const char *topic)
{
	bool found = false;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (strcasecmp(types[i].name, topic) != 0)
			continue;
		if (!found)
			explain_title(to, types[i].name, "type of fields");
		explain_row(to, "form", types[i].form);
		list_fields(to, types[i].type);
		found = true;
	}
	if (found)
		explain_row(to, "source", "the specification, section 2.2");
	return found;
}

bool explain_envelope(struct explanation *to, const char *topic)
{
	if (strcasecmp(topic, "envelope") != 0)
		return false;
	explain_title(to, "envelope", "what every notification is");
	for (size_t i = 0; i < catalog_envelope_count; i++) {
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "%s: %s", catalog_type_name(catalog_envelope[i]->type),
		              catalog_envelope[i]->meaning);
		explain_row(to, catalog_envelope[i]->name, buffer_text(&text));
		buffer_release(&text);
	}
	explain_row(to, "source", "the specification, section 2.1");
	return true;
}

/* "2" holds "2.2", and "6" holds "6, note 1"; "1" does not hold "10". */
static bool is_within(const char *section, const char *wanted)
{
	size_t length = strlen(wanted);
	return strncmp(section, wanted, length) == 0 && strchr(".,", section[length]);
}

static void add(struct explanation *to, bool *found, const char *wanted, const char *section, const char *label,
                const char *text)
{
	if (!is_within(section, wanted))
		return;
	if (!*found) {
		struct buffer name = BUFFER_INIT;
		buffer_printf(&name, "section %s", wanted);
		explain_title(to, buffer_text(&name), "of the specification");
		buffer_release(&name);
	}
	explain_row(to, label, text);
	*found = true;
}

static void add_fields(struct explanation *to, bool *found, const char *wanted)
{
	for (size_t i = 0; i < catalog_envelope_count; i++)
		add(to, found, wanted, catalog_envelope[i]->section, catalog_envelope[i]->name,
		    catalog_envelope[i]->meaning);
	for (size_t i = 0; i < catalog_field_count; i++)
		add(to, found, wanted, catalog_fields[i]->section, catalog_fields[i]->name, catalog_fields[i]->meaning);
}

bool explain_section(struct explanation *to, const char *topic)
{
	const char *wanted = strncasecmp(topic, "section ", 8) == 0 ? topic + 8 : topic;
	bool found = false;
	if (wanted == topic || *wanted == '\0')
		return false;
	for (size_t i = 0; i < catalog_service_count; i++)
		add(to, &found, wanted, catalog_services[i].section, catalog_services[i].name,
		    catalog_services[i].meaning);
	add_fields(to, &found, wanted);
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		add(to, &found, wanted, catalog_dispute_statuses[i].section, catalog_dispute_statuses[i].name,
		    catalog_dispute_statuses[i].meaning);
	for (size_t i = 0; i < catalog_operation_count; i++)
		add(to, &found, wanted, "4.2", catalog_operations[i].method, catalog_operations[i].path);
	for (size_t i = 0; i < catalog_event_count; i++)
		add(to, &found, wanted, "6", catalog_events[i].name, catalog_events[i].trigger);
	for (size_t i = 0; i < catalog_element_count; i++)
		add(to, &found, wanted, "6", catalog_elements[i].name, catalog_elements[i].path);
	for (size_t i = 0; i < catalog_passage_count; i++)
		add(to, &found, wanted, catalog_passages[i].section, catalog_passages[i].topic,
		    catalog_passages[i].text);
	return found;
}
