/* The envelope: service, event, method, path and details, and whether they make an event. */
#include "payload/check_internal.h"

#include <string.h>

static const struct key_list envelope_keys = { NULL, 0 };

static void report_wrong_type(struct checker *c, enum envelope_key key, uint32_t value, const char *wanted)
{
	struct finding *f = report_token(c, FINDING_WRONG_TYPE, value);
	report_message(c, f, "%s is %s, expected a string", catalog_envelope[key]->name,
	               report_type_of(&c->doc, value));
	const char *number =
	        key == ENVELOPE_EVENT && c->doc.tokens[value].type == JSON_NUMBER ? report_quoted(c, value) : NULL;
	if (number && (!wanted || strcmp(wanted, number) == 0))
		report_hint(c, f, "put it in quotes: \"%s\"", number);
	else if (number)
		report_hint(c, f, "write \"%s\", with the quotes, for %s", wanted, c->identity.kind.event->name);
	else if (wanted && key != ENVELOPE_PATH)
		report_hint(c, f, "write \"%s\" for %s", wanted, c->identity.kind.event->name);
}

/* The envelope's own keys: here, of the right type, and (with --event) of the right value. */
static void check_envelope_value(struct checker *c, enum envelope_key key, const struct check_options *options)
{
	uint32_t value = c->identity.values[key];
	const char *name = catalog_envelope[key]->name;
	if (value == JSON_NONE) {
		check_report_missing(c, 0, name, envelope_keys);
		return;
	}
	if (c->doc.tokens[value].type != JSON_STRING) {
		report_wrong_type(c, key, value, c->identity.clear ? identify_expected(key, c->identity.kind) : NULL);
		return;
	}
	if (options && options->expected.event && !identify_agrees(&c->doc, &c->identity, key, options->expected)) {
		struct finding *f = report_token(c, FINDING_BAD_VALUE, value);
		char kind_name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(options->expected, kind_name);
		report_message(c, f, "%s is \"%s\", expected \"%s\" for %s", name, report_quoted(c, value),
		               identify_expected(key, options->expected), kind_name);
		hint_unknown_event(c, f, 1u << key);
	}
}

static void check_path(struct checker *c, const struct check_options *options)
{
	uint32_t path = c->identity.values[ENVELOPE_PATH];
	/* What is nearer to an alert than to any other event is one, however far it is. */
	if (!c->identity.kind.event->path) {
		if (path == JSON_NONE)
			return;
		struct finding *f = report_token(c, FINDING_UNEXPECTED_PATH, path);
		report_message(c, f, "alerts have no path");
		report_hint(c, f, "remove the key \"path\"");
	} else if (path != JSON_NONE || c->identity.clear) {
		/* Whether a payload that is like no event ought to have a path cannot be said. */
		check_envelope_value(c, ENVELOPE_PATH, options);
	}
}

/* What differs from the nearest event, all of it; the place of the finding is the first. */
static void report_unknown_event(struct checker *c)
{
	unsigned differs = c->identity.differs;
	struct catalog_kind near = c->identity.kind;
	LOCAL_BUFFER words = BUFFER_INIT;
	int first = -1;
	for (int key = 0; key < ENVELOPE_KEYED; key++) {
		if (!(differs & 1u << key))
			continue;
		const char *joint = first < 0 ? "" : differs >> (key + 1) ? ", " : " and ";
		buffer_printf(&words, "%s%s \"%s\"", joint, catalog_envelope[key]->name,
		              identify_expected((enum envelope_key)key, near));
		first = first < 0 ? key : first;
	}
	struct finding *f = report_token(c, FINDING_UNKNOWN_EVENT, c->identity.values[first]);
	report_message(c, f, "no event has this service, event, method and path; the nearest, %s, has %s",
	               near.event->name, buffer_text(&words));
	c->out_of_memory |= words.failed;
	hint_unknown_event(c, f, differs);
}

static void report_unknown_keys(struct checker *c)
{
	for (uint32_t key = 1; key < c->doc.tokens[0].next; key = c->doc.tokens[key + 1].next)
		if (identify_envelope_key(&c->doc, key, 0) == ENVELOPE_COUNT)
			check_report_unknown_key(c, key, 0, envelope_keys, "the envelope");
}

void check_envelope(struct checker *c, const struct check_options *options)
{
	const struct identity *id = &c->identity;
	bool expected = options && options->expected.event;
	if (id->unknown || id->repeated)
		check_repeated_keys(c, 0);
	else
		c->doc.tokens[0].flags |= CHECK_OBJECT_COMPARED;
	if (!id->exact || expected) {
		check_envelope_value(c, ENVELOPE_SERVICE, options);
		check_envelope_value(c, ENVELOPE_EVENT, options);
		check_envelope_value(c, ENVELOPE_METHOD, options);
		check_path(c, options);
	}
	if (id->unknown)
		report_unknown_keys(c);
	if (id->differs != 0 && !expected)
		report_unknown_event(c);
}
