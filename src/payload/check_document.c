/* The objects of a payload: which keys are missing, repeated or not listed, whether each value is what its field asks
 * for, and whether the values of the envelope make an event. */
#include "base/text.h"
#include "json/unwrap.h"
#include "payload/check_internal.h"
#include "payload/form.h"
#include "payload/seen.h"

#include <string.h>
#include <strings.h>

/* Flags of our own in the token table: on a key that stood earlier in its object; on an object whose keys were compared
 * with each other. */
#define KEY_REPEATED    0x80
#define OBJECT_COMPARED 0x40

/* Guessing looks at all keys several times: a payload with more findings or more tokens than this is not misspelt,
 * and may be an attack. */
#define GUESSED_FINDINGS 20
#define GUESSED_TOKENS   4096
/* A misspelling shows among the first keys. */
#define KEYS_LOOKED_AT 64

/* The keys that an object ought to have. */
struct key_list {
	const struct catalog_member *members;
	size_t count;
};

static const struct key_list envelope_keys = { catalog_envelope_members, ENVELOPE_COUNT };

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
		const char *text = quote_token(c, key);
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

static void add_repeated_key(void *context, uint32_t key, uint32_t earlier)
{
	struct checker *c = context;
	c->doc.tokens[key].flags |= KEY_REPEATED;
	struct finding *f = add_token_finding(c, FINDING_DUPLICATE_KEY, key);
	if (!f)
		return;
	f->earlier = c->doc.tokens[earlier].start;
	set_message(c, f, "duplicate key \"%s\"", quote_token(c, key));
	set_hint(c, f, "remove one of them; the last value was checked");
}

/* Compares the object's keys with each other, unless it is known that each is another one. */
static void compare_keys(struct checker *c, uint32_t object, bool may_repeat)
{
	c->doc.tokens[object].flags |= OBJECT_COMPARED;
	if (may_repeat && !json_repeated_keys(&c->doc, object, add_repeated_key, c))
		c->out_of_memory = true;
}

/* For a missing key without a better hint. `value`: what it has to be; NULL: whatever fits. */
static void hint_to_add(struct checker *c, struct finding *f, const struct catalog_member *member, const char *value)
{
	LOCAL_BUFFER wanted = BUFFER_INIT;
	if (!f || f->hint != 0)
		return;
	form_append_description(member, &wanted);
	if (value)
		set_hint(c, f, "add \"%s\": \"%s\"", member->field->name, value);
	else
		set_hint(c, f, "add \"%s\", %s", member->field->name, buffer_text(&wanted));
	c->out_of_memory |= wanted.failed;
}

static struct finding *add_missing(struct checker *c, uint32_t object, const char *name, struct key_list list)
{
	size_t brace = c->doc.tokens[object].start;
	struct finding *f = add_finding(c, (struct finding){ .id = FINDING_MISSING_KEY,
	                                                     .token = object,
	                                                     .missing = name,
	                                                     .start = brace,
	                                                     .end = brace + 1 });
	set_message(c, f, "missing key \"%s\"", name);
	uint32_t key = f ? misspelling_of(c, name, object, list) : JSON_NONE;
	if (key != JSON_NONE)
		set_hint(c, f, "rename \"%s\", which looks like a misspelling of it", quote_token(c, key));
	return f;
}

/* Whether the value is a string with an object in it. */
static bool is_quoted_json(const struct checker *c, uint32_t value)
{
	const struct json_token *t = &c->doc.tokens[value];
	return t->type == JSON_STRING && c->doc.text[t->start + 1] == '{';
}

/* Whether payloads that this one is compared with have the key there. */
static bool is_seen(struct checker *c, uint32_t key)
{
	LOCAL_BUFFER pointer = BUFFER_INIT;
	bool whole = json_pointer_walk_append(&c->walk, key, VERDICT_POINTER_MAX, &pointer);
	c->out_of_memory |= pointer.failed;
	return whole && c->verdict.kind.event && seen_has(c->seen, c->verdict.kind, buffer_text(&pointer));
}

/* Asked for each of what there may be millions of, and which takes long by itself. */
#define ASKED_EVERY 256
static bool is_stopped(struct checker *c, uint32_t done)
{
	c->is_stopped = c->is_stopped || (done % ASKED_EVERY == 0 && done > 0 && json_is_stopped(&c->doc));
	return c->is_stopped;
}

/* `where` names what does not list the keys. */
static void add_unknown_keys(struct checker *c, uint32_t object, struct key_list list, const char *where)
{
	const struct json_token *tokens = c->doc.tokens;
	uint32_t done = 0;
	for (uint32_t key = object + 1; key < tokens[object].next && !is_stopped(c, done);
	     key = tokens[key + 1].next, done++) {
		bool is_said = tokens[key].flags & KEY_REPEATED;
		if (is_said || identify_member(&c->doc, key, list.members, list.count, 0) < list.count ||
		    (c->seen && is_seen(c, key)))
			continue;
		struct finding *f = add_token_finding(c, FINDING_UNKNOWN_KEY, key);
		if (!f)
			continue;
		set_message(c, f, "unknown key \"%s\" in %s", quote_token(c, key), where);
		for (size_t i = 0; i < list.count && f->hint == 0; i++) {
			const char *name = list.members[i].field->name;
			if (misspelling_of(c, name, object, list) == key)
				set_hint(c, f, "rename it to \"%s\", which is missing", name);
		}
	}
}

static void hint_to_unquote(struct checker *c, struct finding *f, const char *text)
{
	const char *digits = text + (text[0] == '-');
	bool is_number = form_is_integer_text(digits, strlen(digits)) && digits[0] != '+' && digits[0] != '-' &&
	                 (digits[0] != '0' || digits[1] == '\0');
	if (is_number)
		set_hint(c, f, "remove the quotes: %s", text);
	else
		set_hint(c, f, "write digits without quotes");
}

/* Where the payload is compared with others, only an invalid one has unknown keys: they are looked at when the rest is.
 */
static void keep_unknown_keys(struct checker *c, uint32_t object, struct key_list list, const char *where)
{
	if (c->seen && c->unknown_count < CHECK_OBJECTS_MAX)
		c->unknown[c->unknown_count++] = (struct unknown_keys){ object, list.members, list.count, where };
	else
		add_unknown_keys(c, object, list, where);
}

static struct finding *add_wrong_type(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	bool is_text = member->type != CATALOG_INTEGER && member->type != CATALOG_OBJECT;
	bool is_bare = t->type == JSON_NUMBER || t->type == JSON_TRUE || t->type == JSON_FALSE;
	struct finding *f = add_token_finding(c, FINDING_WRONG_TYPE, value);
	set_message(c, f, "%s is %s, expected %s", member->field->name, json_type_name(t->type),
	            form_type(member->type));
	if (is_text && is_bare && form_fits(member, c->doc.text + t->start, t->end - t->start))
		set_hint(c, f, "put it in quotes: \"%s\"", quote_token(c, value));
	if (member->type == CATALOG_INTEGER && t->type == JSON_STRING)
		hint_to_unquote(c, f, quote_token(c, value));
	return f;
}

static void check_text(struct checker *c, uint32_t value, const struct catalog_member *member, const char *text,
                       size_t length)
{
	const char *name = member->field->name;
	bool is_choice = member->type == CATALOG_CHOICE;
	if (form_fits(member, text, length)) {
		if (length == 0 && !is_choice)
			set_message(c, add_token_finding(c, FINDING_EMPTY_STRING, value), "%s is an empty string",
			            name);
		return;
	}
	LOCAL_BUFFER wanted = BUFFER_INIT;
	form_append_description(member, &wanted);
	struct finding *f = add_token_finding(c, is_choice ? FINDING_BAD_VALUE : FINDING_BAD_FORMAT, value);
	if (is_choice) {
		set_message(c, f, "\"%s\" is not a valid %s", quote_token(c, value), name);
		set_hint(c, f, "write %s", buffer_text(&wanted));
	} else {
		set_message(c, f, "%s is \"%s\", expected %s", name, quote_token(c, value), buffer_text(&wanted));
	}
	c->out_of_memory |= wanted.failed;
}

static void check_integer(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	if (!(t->flags & (JSON_FRACTION | JSON_EXPONENT)))
		return;
	const char *name = member->field->name;
	if (!form_is_integer_number(c->doc.text + t->start, t->end - t->start)) {
		set_message(c, add_token_finding(c, FINDING_WRONG_TYPE, value), "%s is %s, expected an integer", name,
		            quote_token(c, value));
		return;
	}
	struct finding *f = add_token_finding(c, FINDING_NOT_INTEGER_LITERAL, value);
	set_message(c, f, "%s is an integer written as %s", name, quote_token(c, value));
	set_hint(c, f, "write digits only; many readers take this for a fraction");
}

static void check_members(struct checker *c, uint32_t object, struct key_list list, bool open);

static void check_value(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	const struct catalog_field *field = member->field;
	enum json_token_type wanted = member->type == CATALOG_INTEGER  ? JSON_NUMBER
	                              : member->type == CATALOG_OBJECT ? JSON_OBJECT
	                                                               : JSON_STRING;
	if (t->type != wanted) {
		add_wrong_type(c, value, member);
	} else if (wanted == JSON_OBJECT) {
		check_members(c, value, (struct key_list){ field->members, field->member_count }, field->open_members);
	} else if (wanted == JSON_NUMBER) {
		check_integer(c, value, member);
	} else if (t->flags & JSON_ESCAPED) {
		LOCAL_BUFFER decoded = BUFFER_INIT;
		json_string_decode(&c->doc, value, &decoded);
		c->out_of_memory |= decoded.failed;
		check_text(c, value, member, buffer_text(&decoded), decoded.length);
	} else {
		check_text(c, value, member, c->doc.text + t->start + 1, t->end - t->start - 2);
	}
}

static void check_members(struct checker *c, uint32_t object, struct key_list list, bool open)
{
	uint32_t values[CHECK_MEMBERS_MAX];
	struct key_matches found = identify_keys(&c->doc, object, list.members, list.count, values);
	compare_keys(c, object, found.unknown || found.repeated);
	c->verdict.has_unlisted |= found.unknown;
	for (size_t i = 0; found.listed < list.count && i < list.count; i++)
		if (values[i] == JSON_NONE)
			hint_to_add(c, add_missing(c, object, list.members[i].field->name, list), &list.members[i],
			            NULL);
	if (found.unknown && !open)
		keep_unknown_keys(c, object, list, c->identity.kind.event->name);
	for (size_t i = 0; i < list.count; i++)
		if (values[i] != JSON_NONE)
			check_value(c, values[i], &list.members[i]);
}

/* Explains values that differ because of the specification's own inconsistencies. `keys`: a bit per value. */
static void hint_difference(struct checker *c, struct finding *f, unsigned keys)
{
	static const char overview[] = CATALOG_OVERVIEW_MONITORING "/";
	const struct catalog_event *event = c->identity.kind.event;
	for (int key = 0; f && f->hint == 0 && key < ENVELOPE_KEYED; key++) {
		if (!(keys & 1u << key))
			continue;
		const char *text = quote_token(c, c->identity.values[key]);
		if (key == ENVELOPE_METHOD && strcasecmp(text, event->method) == 0)
			set_hint(c, f, "write it in lower case: \"%s\"", event->method);
		else if (key == ENVELOPE_EVENT && event->note && strspn(text, "0123456789") == 3 &&
		         strstr(event->note, text))
			set_hint(c, f, "%s", event->note);
		else if (key == ENVELOPE_PATH && strstr(text, overview) && event->note && strstr(event->note, overview))
			set_hint(c, f, "%s (section 6, note 2)", event->note);
		else if (key == ENVELOPE_PATH && text[0] == '/' && strncmp(text, "/api/", strlen("/api/")) != 0)
			set_hint(c, f, "begin the path with /api (section 6, note 3)");
	}
	if (f && f->hint == 0 && !c->identity.clear && c->identity.values[ENVELOPE_DETAILS] != JSON_NONE)
		set_hint(c, f, "correct the envelope first; the details were not checked");
}

/* Hints at payloads that are parts of something else: a queue's message, a log's line. */
static void hint_wrapped(struct checker *c, struct finding *f)
{
	const char *const names[] = { catalog_envelope[ENVELOPE_SERVICE]->name,
		                      catalog_envelope[ENVELOPE_DETAILS]->name };
	LOCAL_BUFFER hint = BUFFER_INIT;
	struct mend_file file = c->file ? *c->file : (struct mend_file){ .path = "-" };
	if (!f || f->hint != 0)
		return;
	json_append_unwrap(&c->doc, names, c->depth, &hint, &file.key);
	c->out_of_memory |= hint.failed;
	if (hint.length > 0)
		set_mend_hint(c, f, hint.data, &file);
}

/* Checks that the key is there, of the right type, and (with --as) of the right value. */
static void check_envelope_value(struct checker *c, enum envelope_key key)
{
	struct catalog_kind kind = c->identity.kind;
	uint32_t value = c->identity.values[key];
	const char *name = catalog_envelope[key]->name, *wanted = identify_expected(key, kind);
	if (value == JSON_NONE) {
		struct finding *f = add_missing(c, 0, name, envelope_keys);
		if (key == ENVELOPE_SERVICE && c->identity.values[ENVELOPE_DETAILS] == JSON_NONE)
			hint_wrapped(c, f);
		hint_to_add(c, f, &catalog_envelope_members[key], c->identity.clear ? wanted : NULL);
	} else if (c->doc.tokens[value].type != JSON_STRING) {
		struct finding *f = add_wrong_type(c, value, &catalog_envelope_members[key]);
		if (c->identity.clear && key != ENVELOPE_PATH && strcmp(quote_token(c, value), wanted) != 0)
			set_hint(c, f, "write \"%s\" for %s", wanted, kind.event->name);
	} else if (c->identity.expected && !identify_agrees(&c->doc, &c->identity, key, kind)) {
		struct finding *f = add_token_finding(c, FINDING_BAD_VALUE, value);
		set_message(c, f, "%s is \"%s\", expected \"%s\" for %s", name, quote_token(c, value), wanted,
		            KIND_NAME(kind));
		hint_difference(c, f, 1u << key);
	}
}

/* Reports all that differs from the nearest event, at the place of the first. */
static void add_unknown_event(struct checker *c)
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
	struct finding *f = add_token_finding(c, FINDING_UNKNOWN_EVENT, c->identity.values[first]);
	set_message(c, f, "no event has this service, event, method and path; the nearest, %s, has %s",
	            near.event->name, buffer_text(&words));
	c->out_of_memory |= words.failed;
	hint_difference(c, f, differs);
}

static void check_envelope(struct checker *c)
{
	const struct identity *id = &c->identity;
	uint32_t path = id->values[ENVELOPE_PATH];
	compare_keys(c, 0, id->unknown || id->repeated);
	if (!id->exact || id->expected) {
		check_envelope_value(c, ENVELOPE_SERVICE);
		check_envelope_value(c, ENVELOPE_EVENT);
		check_envelope_value(c, ENVELOPE_METHOD);
		/* No path is asked of a payload that is like no event. */
		if (id->kind.event->path && (path != JSON_NONE || id->clear))
			check_envelope_value(c, ENVELOPE_PATH);
		/* A payload that is nearest to an alert counts as one, however far it is from it. */
		if (!id->kind.event->path && path != JSON_NONE) {
			struct finding *f = add_token_finding(c, FINDING_UNEXPECTED_PATH, path);
			set_message(c, f, "alerts have no path");
			set_hint(c, f, "remove the key \"path\"");
		}
	}
	if (id->unknown)
		keep_unknown_keys(c, 0, envelope_keys, "the envelope");
	if (id->differs != 0 && !id->expected)
		add_unknown_event(c);
}

static void check_details(struct checker *c)
{
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	const struct catalog_event *event = c->identity.kind.event;
	if (details == JSON_NONE) {
		hint_to_add(c, add_missing(c, 0, "details", envelope_keys), &catalog_envelope_members[ENVELOPE_DETAILS],
		            NULL);
	} else if (c->doc.tokens[details].type != JSON_OBJECT) {
		struct finding *f = add_wrong_type(c, details, &catalog_envelope_members[ENVELOPE_DETAILS]);
		if (is_quoted_json(c, details) && c->file)
			set_mend_hint(c, f,
			              c->depth == JSON_WHOLE
			                      ? "send the object itself: jq -c '.details|=fromjson' FILE > FILE.ndjson"
			                      : "send the object itself: jq -c "
			                        "'(select(.details?|strings)|.details|=fromjson) // .' "
			                        "FILE > FILE.ndjson",
			              c->file);
		else if (is_quoted_json(c, details))
			set_hint(c, f, "details was encoded twice: it is a string with the object in it");
	} else if (c->identity.clear) {
		check_members(c, details, (struct key_list){ event->details, event->detail_count }, false);
	}
}

/* Whether a finding is an error by itself, without --strict. */
static bool has_errors(const struct verdict *v)
{
	for (size_t i = 0; v->finding_count > 0 && i < FINDING_ID_COUNT; i++)
		if (finding_rows[i].severity == SEVERITY_ERROR && v->counts[i] > 0)
			return true;
	return false;
}

void check_document(struct checker *c, struct catalog_kind expected)
{
	c->unknown_count = 0;
	struct identity *id = &c->identity;
	identify(&c->doc, id);
	c->verdict.has_foreign_keys = c->verdict.has_unlisted = id->unknown;
	if (c->doc.tokens[0].type != JSON_OBJECT) {
		struct finding *f = add_token_finding(c, FINDING_WRONG_TYPE, 0);
		set_message(c, f, "the payload is %s, expected an object", json_type_name(c->doc.tokens[0].type));
		hint_wrapped(c, f);
	} else {
		if (expected.event) {
			/* --as says what the payload has to be: its details are checked as that event's, whatever the
			 * envelope says. */
			if (!expected.element && id->kind.event == expected.event)
				expected.element = id->kind.element;
			id->kind = expected;
			id->expected = id->clear = id->decided = true;
			id->differs = 0;
		}
		if (id->decided)
			c->verdict.kind = id->kind;
		check_envelope(c);
		check_details(c);
	}
	/* The objects whose keys nobody had to look up: inside scoreModifiers, under unknown keys. */
	uint32_t compared = 0;
	for (uint32_t token = 0; token < c->doc.count && !is_stopped(c, compared); token++)
		if (c->doc.tokens[token].type == JSON_OBJECT && !(c->doc.tokens[token].flags & OBJECT_COMPARED)) {
			compare_keys(c, token, true);
			compared++;
		}
	if (!c->seen || c->is_stopped)
		return;
	c->verdict.is_compared = c->verdict.kind.event && !has_errors(&c->verdict);
	if (c->verdict.is_compared)
		check_unseen(c);
	else
		for (size_t i = 0; i < c->unknown_count; i++)
			add_unknown_keys(c, c->unknown[i].object,
			                 (struct key_list){ c->unknown[i].members, c->unknown[i].count },
			                 c->unknown[i].where);
}
