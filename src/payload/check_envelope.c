/* The envelope: service, event, method, path and details, and whether they make an event. */
#include "payload/check_internal.h"

#include <string.h>
#include <strings.h>

static const struct key_list envelope_keys = { catalog_envelope_members, ENVELOPE_COUNT };

/* Explains a path that is written as in the specification's overview. */
static void hint_path(struct checker *c, struct finding *f, const char *path)
{
	static const char overview[] = CATALOG_OVERVIEW_MONITORING "/";
	const struct catalog_event *event = c->identity.kind.event;
	if (strstr(path, overview) && event->note && strstr(event->note, overview))
		report_hint(c, f, "%s (section 6, note 2)", event->note);
	else if (path[0] == '/' && strncmp(path, "/api/", strlen("/api/")) != 0)
		report_hint(c, f, "begin the path with /api (section 6, note 3)");
}

/* Explains values that differ because of the specification's own inconsistencies. `keys`: a bit per value. */
static void hint_difference(struct checker *c, struct finding *f, unsigned keys)
{
	const struct catalog_event *event = c->identity.kind.event;
	for (int key = 0; f && f->hint == 0 && key < ENVELOPE_KEYED; key++) {
		if (!(keys & 1u << key))
			continue;
		const char *text = report_quoted(c, c->identity.values[key]);
		if (key == ENVELOPE_METHOD && strcasecmp(text, event->method) == 0)
			report_hint(c, f, "write it in lower case: \"%s\"", event->method);
		else if (key == ENVELOPE_EVENT && event->note && strspn(text, "0123456789") == 3 &&
		         strstr(event->note, text))
			report_hint(c, f, "%s", event->note);
		else if (key == ENVELOPE_PATH)
			hint_path(c, f, text);
	}
	if (f && f->hint == 0 && !c->identity.clear && c->identity.values[ENVELOPE_DETAILS] != JSON_NONE)
		report_hint(c, f, "correct the envelope first; the details were not checked");
}

/* Hints at a payload that may be one member of something else: a queue's message, a log's line. */
static void hint_wrapped(struct checker *c, struct finding *f)
{
	static const char details[] = "details";
	const struct json_token *tokens = c->doc.tokens;
	for (uint32_t key = 1; f && f->hint == 0 && key < tokens[0].next; key = tokens[key + 1].next) {
		uint32_t value = key + 1;
		bool is_quoted = check_is_quoted_json(c, value);
		if (!is_quoted && (tokens[value].type != JSON_OBJECT ||
		                   json_member(&c->doc, value, details, strlen(details)) == JSON_NONE))
			continue;
		const char *name = report_quoted(c, key);
		report_hint(c, f, "the payload is in \"%s\": jq -c '.\"%s\"%s' FILE > FILE.ndjson", name, name,
		            is_quoted ? "|fromjson" : "");
	}
}

/* Checks that the key is there, of the right type, and (with --as) of the right value. */
static void check_envelope_value(struct checker *c, enum envelope_key key)
{
	struct catalog_kind kind = c->identity.kind;
	uint32_t value = c->identity.values[key];
	const char *name = catalog_envelope[key]->name, *wanted = identify_expected(key, kind);
	if (value == JSON_NONE) {
		struct finding *f = check_report_missing(c, 0, name, envelope_keys);
		if (key == ENVELOPE_SERVICE && c->identity.values[ENVELOPE_DETAILS] == JSON_NONE)
			hint_wrapped(c, f);
	} else if (c->doc.tokens[value].type != JSON_STRING) {
		struct finding *f = check_report_wrong_type(c, value, &catalog_envelope_members[key]);
		if (c->identity.clear && key != ENVELOPE_PATH && strcmp(report_quoted(c, value), wanted) != 0)
			report_hint(c, f, "write \"%s\" for %s", wanted, kind.event->name);
	} else if (c->identity.expected && !identify_agrees(&c->doc, &c->identity, key, kind)) {
		struct finding *f = report_token(c, FINDING_BAD_VALUE, value);
		report_message(c, f, "%s is \"%s\", expected \"%s\" for %s", name, report_quoted(c, value), wanted,
		               KIND_NAME(kind));
		hint_difference(c, f, 1u << key);
	}
}

static void check_path(struct checker *c)
{
	uint32_t path = c->identity.values[ENVELOPE_PATH];
	/* A payload that is nearest to an alert counts as one, however far it is from it. */
	if (!c->identity.kind.event->path) {
		if (path == JSON_NONE)
			return;
		struct finding *f = report_token(c, FINDING_UNEXPECTED_PATH, path);
		report_message(c, f, "alerts have no path");
		report_hint(c, f, "remove the key \"path\"");
	} else if (path != JSON_NONE || c->identity.clear) {
		/* No path is asked of a payload that is like no event. */
		check_envelope_value(c, ENVELOPE_PATH);
	}
}

/* Reports all that differs from the nearest event, at the place of the first. */
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
	hint_difference(c, f, differs);
}

void check_envelope(struct checker *c)
{
	const struct identity *id = &c->identity;
	if (id->unknown || id->repeated)
		check_repeated_keys(c, 0);
	else
		c->doc.tokens[0].flags |= CHECK_OBJECT_COMPARED;
	if (!id->exact || id->expected) {
		check_envelope_value(c, ENVELOPE_SERVICE);
		check_envelope_value(c, ENVELOPE_EVENT);
		check_envelope_value(c, ENVELOPE_METHOD);
		check_path(c);
	}
	for (uint32_t key = 1; id->unknown && key < c->doc.tokens[0].next; key = c->doc.tokens[key + 1].next)
		if (identify_member(&c->doc, key, catalog_envelope_members, ENVELOPE_COUNT, 0) == ENVELOPE_COUNT)
			check_report_unknown_key(c, key, 0, envelope_keys, "the envelope");
	if (id->differs != 0 && !id->expected)
		report_unknown_event(c);
}
