#include "payload/check.h"

#include "base/utf8.h"
#include "payload/check_internal.h"
#include "payload/form.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Set by find_repeated_keys() on a key that stood earlier in its object. */
#define KEY_REPEATED 0x80

#define SMALL_PAYLOAD ((size_t)64 << 10)

#define MEMBERS_MAX 32 /* keys of one object in the catalogue; a test holds the rows to it */

struct checker *checker_new(struct error *err)
{
	struct checker *c = calloc(1, sizeof *c);
	if (!c) {
		error_no_memory(err);
		return NULL;
	}
	json_doc_init(&c->doc);
	c->verdict.doc = &c->doc;
	return c;
}

void checker_free(struct checker *checker)
{
	if (!checker)
		return;
	json_doc_release(&checker->doc);
	free(checker->verdict.findings);
	buffer_release(&checker->verdict.text);
	buffer_release(&checker->scratch);
	free(checker);
}

static void report_repeated_key(void *context, uint32_t key, uint32_t earlier)
{
	struct checker *c = context;
	c->doc.tokens[key].flags |= KEY_REPEATED;
	struct finding *f = report_token(c, FINDING_DUPLICATE_KEY, key);
	if (!f)
		return;
	report_message(c, f, "the key \"%s\" stands twice in this object", report_quoted(c, key));
	/* Counting lines costs a pass over the text: not for each of the many keys of a huge one. */
	if (c->doc.length > SMALL_PAYLOAD) {
		report_hint(c, f, "the last value is the one judged");
		return;
	}
	struct json_place place = json_place_of(c->doc.text, c->doc.length, c->doc.tokens[earlier].start);
	report_hint(c, f, "it stood at line %zu, column %zu before; the last value is the one judged", place.line,
	            place.column);
}

static void find_repeated_keys(struct checker *c)
{
	for (uint32_t token = 0; token < c->doc.count; token++)
		if (c->doc.tokens[token].type == JSON_OBJECT)
			if (!json_repeated_keys(&c->doc, token, report_repeated_key, c))
				c->out_of_memory = true;
}

static void report_missing(struct checker *c, uint32_t object, const char *name, const struct catalog_member *members,
                           size_t count)
{
	const struct json_token *brace = &c->doc.tokens[object];
	struct finding *f = report_add(c, FINDING_MISSING_KEY, object, brace->start, brace->start + 1);
	if (!f)
		return;
	f->lacking = name;
	report_message(c, f, "the key \"%s\" is missing", name);
	hint_missing_key(c, f, name, object, members, count);
}

static void check_string(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	const char *text = c->doc.text + t->start + 1;
	size_t length = t->end - t->start - 2;
	const char *name = member->field->name;
	struct buffer decoded = BUFFER_INIT;
	if (t->flags & JSON_ESCAPED) {
		json_string_decode(&c->doc, value, &decoded);
		c->out_of_memory |= decoded.failed;
		text = buffer_text(&decoded);
		length = decoded.length;
	}
	if (member->type == CATALOG_CHOICE) {
		if (!form_choice(member->field, text, length)) {
			struct finding *f = report_token(c, FINDING_BAD_VALUE, value);
			report_message(c, f, "\"%s\" is no value of %s", report_quoted(c, value), name);
			hint_bad_choice(c, f, member->field, text, length);
		}
	} else if (!form_fits(member->type, text, length)) {
		struct finding *f = report_token(c, FINDING_BAD_FORMAT, value);
		report_message(c, f, "%s is \"%s\", not %s", name, report_quoted(c, value),
		               form_description(member->type));
		hint_bad_format(c, f, member->type, text, length);
	} else if (length == 0) {
		report_message(c, report_token(c, FINDING_EMPTY_STRING, value), "%s is an empty string", name);
	}
	buffer_release(&decoded);
}

static void check_integer(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	if (!(t->flags & (JSON_FRACTION | JSON_EXPONENT)))
		return;
	const char *name = member->field->name;
	if (form_of_number(c->doc.text + t->start, t->end - t->start) == FORM_FRACTION) {
		report_message(c, report_token(c, FINDING_WRONG_TYPE, value),
		               "%s is %s, a fraction; an integer is expected", name, report_quoted(c, value));
		return;
	}
	struct finding *f = report_token(c, FINDING_NOT_INTEGER_LITERAL, value);
	report_message(c, f, "%s is an integer written as %s", name, report_quoted(c, value));
	report_hint(c, f, "write it with digits only; many readers take this for a fraction");
}

static void check_members(struct checker *c, uint32_t object, const struct catalog_member *members, size_t count,
                          bool open);

static void check_value(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	enum json_token_type type = (enum json_token_type)c->doc.tokens[value].type;
	enum json_token_type wanted = member->type == CATALOG_INTEGER  ? JSON_NUMBER
	                              : member->type == CATALOG_OBJECT ? JSON_OBJECT
	                                                               : JSON_STRING;
	if (type != wanted) {
		struct finding *f = report_token(c, FINDING_WRONG_TYPE, value);
		report_message(c, f, "%s is %s; %s is expected", member->field->name, report_type_of(&c->doc, value),
		               form_description(member->type));
		hint_wrong_type(c, f, value, member);
	} else if (wanted == JSON_STRING) {
		check_string(c, value, member);
	} else if (wanted == JSON_NUMBER) {
		check_integer(c, value, member);
	} else {
		check_members(c, value, member->field->members, member->field->member_count,
		              member->field->open_members);
	}
}

static void report_unknown_key(struct checker *c, uint32_t key, uint32_t object, const struct catalog_member *members,
                               size_t count, const char *where)
{
	if (c->doc.tokens[key].flags & KEY_REPEATED)
		return;
	struct finding *f = report_token(c, FINDING_UNKNOWN_KEY, key);
	if (!f)
		return;
	report_message(c, f, "the key \"%s\" is not listed for %s", report_quoted(c, key), where);
	hint_unknown_key(c, f, key, object, members, count);
}

/* The listed member of that key, or count; keys usually come in the catalogue's order, so `expected` is tried first. */
static size_t member_of_key(const struct json_doc *doc, uint32_t key, const struct catalog_member *members,
                            size_t count, size_t expected)
{
	for (size_t tried = 0; tried < count; tried++) {
		size_t i = (expected + tried) % count;
		if (json_string_is(doc, key, members[i].field->name, strlen(members[i].field->name)))
			return i;
	}
	return count;
}

static void check_members(struct checker *c, uint32_t object, const struct catalog_member *members, size_t count,
                          bool open)
{
	uint32_t values[MEMBERS_MAX];
	for (size_t i = 0; i < count; i++)
		values[i] = JSON_NONE;
	size_t expected = 0;
	for (uint32_t key = object + 1; key < c->doc.tokens[object].next; key = c->doc.tokens[key + 1].next) {
		size_t member = member_of_key(&c->doc, key, members, count, expected);
		if (member < count) {
			values[member] = key + 1;
			expected = (member + 1) % count;
		} else if (!open) {
			report_unknown_key(c, key, object, members, count, c->identity.kind.event->name);
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (values[i] == JSON_NONE)
			report_missing(c, object, members[i].field->name, members, count);
		else
			check_value(c, values[i], &members[i]);
	}
}

static void check_details(struct checker *c)
{
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	if (details == JSON_NONE) {
		report_missing(c, 0, "details", NULL, 0);
		return;
	}
	if (c->doc.tokens[details].type != JSON_OBJECT) {
		report_message(c, report_token(c, FINDING_WRONG_TYPE, details), "details is %s; an object is expected",
		               report_type_of(&c->doc, details));
		return;
	}
	const struct catalog_event *event = c->identity.kind.event;
	if (c->identity.clear)
		check_members(c, details, event->details, event->detail_count, false);
}

/* The envelope's own keys: here, of the right type, and (with --event) of the right value. */
static void check_envelope_value(struct checker *c, enum envelope_key key, const struct check_options *options)
{
	uint32_t value = c->identity.values[key];
	const char *name = catalog_envelope[key]->name;
	const char *wanted = c->identity.clear ? identify_expected(key, c->identity.kind) : NULL;
	if (value == JSON_NONE) {
		report_missing(c, 0, name, NULL, 0);
		return;
	}
	if (c->doc.tokens[value].type != JSON_STRING) {
		struct finding *f = report_token(c, FINDING_WRONG_TYPE, value);
		report_message(c, f, "%s is %s; a string is expected", name, report_type_of(&c->doc, value));
		if (key == ENVELOPE_EVENT && c->doc.tokens[value].type == JSON_NUMBER)
			report_hint(c, f, "the status is a string: \"%s\"", report_quoted(c, value));
		else if (wanted && key != ENVELOPE_PATH)
			report_hint(c, f, "for %s it is \"%s\"", c->identity.kind.event->name, wanted);
		return;
	}
	if (options && options->expected.event && !identify_agrees(&c->doc, &c->identity, key, options->expected)) {
		struct finding *f = report_token(c, FINDING_BAD_VALUE, value);
		report_message(c, f, "%s is \"%s\"; for %s it is \"%s\"", name, report_quoted(c, value),
		               options->expected.event->name, identify_expected(key, options->expected));
		hint_unknown_event(c, f, key);
	}
}

static void check_path(struct checker *c, const struct check_options *options)
{
	uint32_t path = c->identity.values[ENVELOPE_PATH];
	if (c->identity.kind.event->path) {
		/* Whether a payload that is like no event ought to have a path cannot be said. */
		if (path != JSON_NONE || c->identity.clear)
			check_envelope_value(c, ENVELOPE_PATH, options);
	} else if (path != JSON_NONE && c->identity.clear) {
		struct finding *f = report_token(c, FINDING_UNEXPECTED_PATH, path);
		report_message(c, f, "an alert has no path");
		report_hint(c, f, "take the key \"path\" away");
	}
}

static void report_unknown_event(struct checker *c)
{
	enum envelope_key key = ENVELOPE_SERVICE;
	while (!(c->identity.differs & 1u << key))
		key++;
	struct finding *f = report_token(c, FINDING_UNKNOWN_EVENT, c->identity.values[key]);
	struct catalog_kind near = c->identity.kind;
	report_message(c, f,
	               "no event has this service, event, method and path together: the nearest, %s, has %s \"%s\"",
	               near.event->name, catalog_envelope[key]->name, identify_expected(key, near));
	hint_unknown_event(c, f, key);
}

static void check_envelope(struct checker *c, const struct check_options *options)
{
	for (uint32_t key = 1; key < c->doc.tokens[0].next; key = c->doc.tokens[key + 1].next) {
		bool known = false;
		for (int i = 0; i < ENVELOPE_COUNT && !known; i++)
			known = c->identity.values[i] == key + 1;
		for (size_t i = 0; i < catalog_envelope_count && !known; i++)
			known = json_string_is(&c->doc, key, catalog_envelope[i]->name,
			                       strlen(catalog_envelope[i]->name));
		if (!known)
			report_unknown_key(c, key, 0, NULL, 0, "the envelope");
	}
	check_envelope_value(c, ENVELOPE_SERVICE, options);
	check_envelope_value(c, ENVELOPE_EVENT, options);
	check_envelope_value(c, ENVELOPE_METHOD, options);
	check_path(c, options);
	if (c->identity.differs != 0 && !(options && options->expected.event))
		report_unknown_event(c);
}

/* --event says what the payload has to be: its details are judged as that event's, whatever the envelope says. */
static void expect_kind(struct checker *c, struct catalog_kind expected)
{
	struct identity *id = &c->identity;
	struct catalog_kind seen = id->kind;
	id->kind = expected;
	if (!expected.element && seen.event == expected.event)
		id->kind.element = seen.element;
	id->clear = id->decided = true;
	id->differs = 0;
}

static void check_document(struct checker *c, const struct check_options *options)
{
	find_repeated_keys(c);
	if (c->doc.tokens[0].type != JSON_OBJECT) {
		struct finding *f = report_token(c, FINDING_WRONG_TYPE, 0);
		report_message(c, f, "the payload is %s; an object is expected", report_type_of(&c->doc, 0));
		hint_root_type(c, f);
		return;
	}
	identify(&c->doc, &c->identity);
	if (options && options->expected.event)
		expect_kind(c, options->expected);
	if (c->identity.decided)
		c->verdict.kind = c->identity.kind;
	check_envelope(c, options);
	check_details(c);
}

static bool is_json_media_type(const char *content_type)
{
	static const char wanted[] = "application/json";
	size_t length = strlen(wanted);
	if (strncasecmp(content_type, wanted, length) != 0)
		return false;
	const char *rest = content_type + length + strspn(content_type + length, " \t");
	return *rest == '\0' || *rest == ';';
}

static void check_content_type(struct checker *c, const struct check_options *options, size_t length)
{
	if (!options || !options->judge_content_type || !options->content_type ||
	    is_json_media_type(options->content_type))
		return;
	struct finding *f = report_add(c, FINDING_CONTENT_TYPE, JSON_NONE, 0, length > 0 ? 1 : 0);
	buffer_clear(&c->scratch);
	utf8_append_safe(&c->scratch, options->content_type, strnlen(options->content_type, 80));
	report_message(c, f, "the Content-Type is \"%s\", not application/json", buffer_text(&c->scratch));
}

static int by_place(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->message != b->message)
		return a->message < b->message ? -1 : 1;
	return 0;
}

static void start_verdict(struct checker *c)
{
	struct verdict *v = &c->verdict;
	v->kind = (struct catalog_kind){ NULL, NULL };
	v->valid = true;
	v->finding_count = v->unlisted = v->warnings = 0;
	buffer_clear(&v->text);
	c->out_of_memory = false;
}

static const struct verdict *finish_verdict(struct checker *c, struct error *err)
{
	struct verdict *v = &c->verdict;
	if (c->out_of_memory) {
		error_no_memory(err);
		return NULL;
	}
	if (v->finding_count > 1)
		qsort(v->findings, v->finding_count, sizeof *v->findings, by_place);
	return v;
}

const struct verdict *check_refused(struct checker *checker, enum finding_id id, const char *message, const char *hint,
                                    struct error *err)
{
	start_verdict(checker);
	checker->doc.count = 0;
	struct finding *f = report_add(checker, id, JSON_NONE, 0, 0);
	report_message(checker, f, "%s", message);
	if (hint[0])
		report_hint(checker, f, "%s", hint);
	return finish_verdict(checker, err);
}

const struct verdict *check_too_long(struct checker *checker, struct error *err)
{
	return check_refused(checker, FINDING_TOO_LONG, "the payload is longer than 64 MiB",
	                     "several payloads go into a .ndjson file, one per line", err);
}

const struct verdict *check_harden(struct checker *checker)
{
	struct verdict *v = &checker->verdict;
	for (size_t i = 0; i < v->finding_count; i++)
		v->findings[i].severity = SEVERITY_ERROR;
	v->valid = v->valid && v->warnings == 0;
	return v;
}

const struct verdict *check_payload(struct checker *checker, const char *text, size_t length,
                                    const struct check_options *options, struct error *err)
{
	struct json_fault fault;
	if (length > CHECK_PAYLOAD_MAX)
		return check_too_long(checker, err);
	start_verdict(checker);
	if (json_read(&checker->doc, text, length, &fault)) {
		check_document(checker, options);
	} else if (json_fault_is_memory(&fault)) {
		checker->out_of_memory = true;
	} else {
		struct finding *f = report_add(checker, FINDING_JSON_SYNTAX, JSON_NONE, fault.offset,
		                               fault.offset < length ? fault.offset + 1 : fault.offset);
		report_message(checker, f, "%s", fault.reason);
	}
	check_content_type(checker, options, length);
	return finish_verdict(checker, err);
}
