/* The objects inside a payload: which keys are missing, repeated or not listed, and whether each value is what its
 * field asks for. */
#include "base/text.h"
#include "payload/check_internal.h"
#include "payload/form.h"

#include <string.h>

/* Guessing looks at all keys several times: a payload with more findings or more tokens than this is not misspelt,
 * and may be an attack. */
#define GUESSED_FINDINGS 20
#define GUESSED_TOKENS   4096
/* A misspelling shows among the first keys. */
#define KEYS_LOOKED_AT 64

/* The unknown key that is likely a misspelling of the listed one, which is missing; else JSON_NONE. */
static uint32_t misspelling_of(struct checker *c, const char *name, uint32_t object, struct key_list list)
{
	size_t best = SIZE_MAX, looked_at = 0;
	uint32_t found = JSON_NONE;
	if (c->verdict.finding_count > GUESSED_FINDINGS || c->doc.count > GUESSED_TOKENS ||
	    json_member(&c->doc, object, name, strlen(name)) != JSON_NONE)
		return JSON_NONE;
	for (uint32_t key = object + 1; key < c->doc.tokens[object].next && looked_at < KEYS_LOOKED_AT;
	     key = c->doc.tokens[key + 1].next, looked_at++) {
		const char *text = report_quoted(c, key);
		struct nearest near;
		nearest_init(&near, text, strlen(text));
		nearest_offer(&near, name);
		if (nearest_result(&near) && near.distance < best &&
		    !catalog_member_named(list.members, list.count, text, strlen(text))) {
			best = near.distance;
			found = key;
		}
	}
	return found;
}

static void report_repeated_key(void *context, uint32_t key, uint32_t earlier)
{
	struct checker *c = context;
	c->doc.tokens[key].flags |= CHECK_KEY_REPEATED;
	struct finding *f = report_token(c, FINDING_DUPLICATE_KEY, key);
	if (!f)
		return;
	f->earlier = c->doc.tokens[earlier].start;
	report_message(c, f, "duplicate key \"%s\"", report_quoted(c, key));
	report_hint(c, f, "remove one of them; the last value was checked");
}

void check_repeated_keys(struct checker *c, uint32_t object)
{
	c->doc.tokens[object].flags |= CHECK_OBJECT_COMPARED;
	if (!json_repeated_keys(&c->doc, object, report_repeated_key, c))
		c->out_of_memory = true;
}

struct finding *check_report_missing(struct checker *c, uint32_t object, const char *name, struct key_list list)
{
	struct finding *f = report_missing(c, object, name);
	uint32_t key = f ? misspelling_of(c, name, object, list) : JSON_NONE;
	if (key != JSON_NONE)
		report_hint(c, f, "rename \"%s\", which looks like a misspelling of it", report_quoted(c, key));
	return f;
}

bool check_is_quoted_json(const struct checker *c, uint32_t value)
{
	const struct json_token *t = &c->doc.tokens[value];
	return t->type == JSON_STRING && c->doc.text[t->start + 1] == '{';
}

void check_report_unknown_key(struct checker *c, uint32_t key, uint32_t object, struct key_list list, const char *where)
{
	if (c->doc.tokens[key].flags & CHECK_KEY_REPEATED)
		return;
	struct finding *f = report_token(c, FINDING_UNKNOWN_KEY, key);
	if (!f)
		return;
	report_message(c, f, "unknown key \"%s\" in %s", report_quoted(c, key), where);
	for (size_t i = 0; i < list.count && f->hint == 0; i++) {
		const char *name = list.members[i].field->name;
		if (misspelling_of(c, name, object, list) == key)
			report_hint(c, f, "rename it to \"%s\", which is missing", name);
	}
}

struct finding *check_report_wrong_type(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	bool is_text = member->type != CATALOG_INTEGER && member->type != CATALOG_OBJECT;
	bool is_bare = t->type == JSON_NUMBER || t->type == JSON_TRUE || t->type == JSON_FALSE;
	struct finding *f = report_token(c, FINDING_WRONG_TYPE, value);
	report_message(c, f, "%s is %s, expected %s", member->field->name, report_type_of(&c->doc, value),
	               form_type(member->type));
	if (is_text && is_bare && form_fits(member->type, c->doc.text + t->start, t->end - t->start))
		report_hint(c, f, "put it in quotes: \"%s\"", report_quoted(c, value));
	return f;
}

static void check_text(struct checker *c, uint32_t value, const struct catalog_member *member, const char *text,
                       size_t length)
{
	const char *name = member->field->name;
	if (member->type == CATALOG_CHOICE) {
		if (!form_choice(member->field, text, length)) {
			struct finding *f = report_token(c, FINDING_BAD_VALUE, value);
			LOCAL_BUFFER list = BUFFER_INIT;
			form_append_choices(member->field, &list);
			report_message(c, f, "\"%s\" is not a valid %s", report_quoted(c, value), name);
			report_hint(c, f, "write %s", buffer_text(&list));
			c->out_of_memory |= list.failed;
		}
	} else if (!form_fits(member->type, text, length)) {
		struct finding *f = report_token(c, FINDING_BAD_FORMAT, value);
		report_message(c, f, "%s is \"%s\", expected %s", name, report_quoted(c, value),
		               form_description(member->type));
	} else if (length == 0) {
		report_message(c, report_token(c, FINDING_EMPTY_STRING, value), "%s is an empty string", name);
	}
}

static void check_string(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	if (!(t->flags & JSON_ESCAPED)) {
		check_text(c, value, member, c->doc.text + t->start + 1, t->end - t->start - 2);
		return;
	}
	LOCAL_BUFFER decoded = BUFFER_INIT;
	json_string_decode(&c->doc, value, &decoded);
	c->out_of_memory |= decoded.failed;
	check_text(c, value, member, buffer_text(&decoded), decoded.length);
}

static void check_integer(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	if (!(t->flags & (JSON_FRACTION | JSON_EXPONENT)))
		return;
	const char *name = member->field->name;
	if (!form_is_integer_number(c->doc.text + t->start, t->end - t->start)) {
		report_message(c, report_token(c, FINDING_WRONG_TYPE, value), "%s is %s, expected an integer", name,
		               report_quoted(c, value));
		return;
	}
	struct finding *f = report_token(c, FINDING_NOT_INTEGER_LITERAL, value);
	report_message(c, f, "%s is an integer written as %s", name, report_quoted(c, value));
	report_hint(c, f, "write digits only; many readers take this for a fraction");
}

static void check_members(struct checker *c, uint32_t object, struct key_list list, bool open);

static void check_value(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	enum json_token_type type = (enum json_token_type)c->doc.tokens[value].type;
	enum json_token_type wanted = member->type == CATALOG_INTEGER  ? JSON_NUMBER
	                              : member->type == CATALOG_OBJECT ? JSON_OBJECT
	                                                               : JSON_STRING;
	if (type != wanted) {
		check_report_wrong_type(c, value, member);
	} else if (wanted == JSON_STRING) {
		check_string(c, value, member);
	} else if (wanted == JSON_NUMBER) {
		check_integer(c, value, member);
	} else {
		const struct catalog_field *field = member->field;
		check_members(c, value, (struct key_list){ field->members, field->member_count }, field->open_members);
	}
}

struct matched {
	uint32_t values[CHECK_MEMBERS_MAX]; /* of the listed keys; JSON_NONE: absent */
	size_t present;
	bool unknown;  /* a key is not listed */
	bool repeated; /* a listed key is there more than once */
};

static void match_keys(struct checker *c, uint32_t object, struct key_list list, struct matched *m)
{
	m->present = 0;
	m->unknown = m->repeated = false;
	for (size_t i = 0; i < list.count; i++)
		m->values[i] = JSON_NONE;
	size_t expected = 0;
	uint32_t end = c->doc.tokens[object].next;
	for (uint32_t key = object + 1; key < end; key = c->doc.tokens[key + 1].next) {
		size_t member = identify_member(&c->doc, key, list.members, list.count, expected);
		if (member == list.count) {
			m->unknown = true;
			continue;
		}
		if (m->values[member] == JSON_NONE)
			m->present++;
		else
			m->repeated = true;
		m->values[member] = key + 1;
		expected = member + 1 < list.count ? member + 1 : 0;
	}
}

static void check_members(struct checker *c, uint32_t object, struct key_list list, bool open)
{
	struct matched m;
	match_keys(c, object, list, &m);
	if (m.unknown || m.repeated)
		check_repeated_keys(c, object);
	else
		c->doc.tokens[object].flags |= CHECK_OBJECT_COMPARED;
	for (size_t i = 0; m.present < list.count && i < list.count; i++)
		if (m.values[i] == JSON_NONE)
			check_report_missing(c, object, list.members[i].field->name, list);
	for (uint32_t key = object + 1; m.unknown && !open && key < c->doc.tokens[object].next;
	     key = c->doc.tokens[key + 1].next)
		if (identify_member(&c->doc, key, list.members, list.count, 0) == list.count)
			check_report_unknown_key(c, key, object, list, c->identity.kind.event->name);
	for (size_t i = 0; i < list.count; i++)
		if (m.values[i] != JSON_NONE)
			check_value(c, m.values[i], &list.members[i]);
}

void check_details(struct checker *c)
{
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	const struct catalog_event *event = c->identity.kind.event;
	if (details == JSON_NONE) {
		check_report_missing(c, 0, "details", (struct key_list){ catalog_envelope_members, ENVELOPE_COUNT });
	} else if (c->doc.tokens[details].type != JSON_OBJECT) {
		struct finding *f = check_report_wrong_type(c, details, &catalog_envelope_members[ENVELOPE_DETAILS]);
		if (check_is_quoted_json(c, details))
			report_hint(c, f, "send the object itself: jq -c '.details|=fromjson' FILE > FILE.ndjson");
	} else if (c->identity.clear) {
		check_members(c, details, (struct key_list){ event->details, event->detail_count }, false);
	}
}
