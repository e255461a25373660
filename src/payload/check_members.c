/* The objects inside a payload: which keys are there, and whether each value is what its field asks for. */
#include "payload/check_internal.h"
#include "payload/form.h"

#include <string.h>

static void check_text(struct checker *c, uint32_t value, const struct catalog_member *member, const char *text,
                       size_t length)
{
	const char *name = member->field->name;
	if (member->type == CATALOG_CHOICE) {
		if (!form_choice(member->field, text, length)) {
			struct finding *f = report_token(c, FINDING_BAD_VALUE, value);
			report_message(c, f, "\"%s\" is not a valid %s", report_quoted(c, value), name);
			hint_bad_choice(c, f, member->field, text, length);
		}
	} else if (!form_fits(member->type, text, length)) {
		struct finding *f = report_token(c, FINDING_BAD_FORMAT, value);
		report_message(c, f, "%s is \"%s\", expected %s", name, report_quoted(c, value),
		               form_description(member->type));
		hint_bad_format(c, f, member->type, text, length);
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
	if (form_of_number(c->doc.text + t->start, t->end - t->start) == FORM_FRACTION) {
		report_message(c, report_token(c, FINDING_WRONG_TYPE, value), "%s is %s, expected an integer", name,
		               report_quoted(c, value));
		return;
	}
	struct finding *f = report_token(c, FINDING_NOT_INTEGER_LITERAL, value);
	report_message(c, f, "%s is an integer written as %s", name, report_quoted(c, value));
	report_hint(c, f, "write digits only; many readers take this for a fraction");
}

static void check_members(struct checker *c, uint32_t object, struct key_list list, const uint8_t *lengths, bool open);

static void check_object(struct checker *c, uint32_t object, const struct catalog_field *field)
{
	uint8_t lengths[CHECK_MEMBERS_MAX];
	struct key_list list = { field->members, field->member_count };
	for (size_t i = 0; i < list.count; i++)
		lengths[i] = (uint8_t)strlen(list.members[i].field->name);
	check_members(c, object, list, lengths, field->open_members);
}

static void check_value(struct checker *c, uint32_t value, const struct catalog_member *member)
{
	enum json_token_type type = (enum json_token_type)c->doc.tokens[value].type;
	enum json_token_type wanted = member->type == CATALOG_INTEGER  ? JSON_NUMBER
	                              : member->type == CATALOG_OBJECT ? JSON_OBJECT
	                                                               : JSON_STRING;
	if (type != wanted) {
		struct finding *f = report_token(c, FINDING_WRONG_TYPE, value);
		report_message(c, f, "%s is %s, expected %s", member->field->name, report_type_of(&c->doc, value),
		               form_type(member->type));
		hint_wrong_type(c, f, value, member);
	} else if (wanted == JSON_STRING) {
		check_string(c, value, member);
	} else if (wanted == JSON_NUMBER) {
		check_integer(c, value, member);
	} else {
		check_object(c, value, member->field);
	}
}

/* The listed member of that key, or list.count; keys usually come in the catalogue's order, so `expected` is tried
 * first. */
static size_t member_of_key(const struct json_doc *doc, uint32_t key, struct key_list list, const uint8_t *lengths,
                            size_t expected)
{
	const struct json_token *t = &doc->tokens[key];
	const char *text = doc->text + t->start + 1;
	size_t length = t->end - t->start - 2;
	for (size_t tried = 0, i = expected; tried < list.count; tried++, i = i + 1 < list.count ? i + 1 : 0) {
		const char *name = list.members[i].field->name;
		if (t->flags & JSON_ESCAPED ? json_string_is(doc, key, name, lengths[i])
		                            : length == lengths[i] && memcmp(text, name, length) == 0)
			return i;
	}
	return list.count;
}

struct matched {
	uint32_t values[CHECK_MEMBERS_MAX]; /* of the listed keys; JSON_NONE: absent */
	size_t present;
	bool unknown;  /* a key is not listed */
	bool repeated; /* a listed key is there more than once */
};

static void match_keys(struct checker *c, uint32_t object, struct key_list list, const uint8_t *lengths,
                       struct matched *m)
{
	m->present = 0;
	m->unknown = m->repeated = false;
	for (size_t i = 0; i < list.count; i++)
		m->values[i] = JSON_NONE;
	size_t expected = 0;
	uint32_t end = c->doc.tokens[object].next;
	for (uint32_t key = object + 1; key < end; key = c->doc.tokens[key + 1].next) {
		size_t member = member_of_key(&c->doc, key, list, lengths, expected);
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

static void report_unlisted(struct checker *c, uint32_t object, struct key_list list, const uint8_t *lengths)
{
	for (uint32_t key = object + 1; key < c->doc.tokens[object].next; key = c->doc.tokens[key + 1].next)
		if (member_of_key(&c->doc, key, list, lengths, 0) == list.count)
			check_report_unknown_key(c, key, object, list, c->identity.kind.event->name);
}

static void check_members(struct checker *c, uint32_t object, struct key_list list, const uint8_t *lengths, bool open)
{
	struct matched m;
	match_keys(c, object, list, lengths, &m);
	if (m.unknown || m.repeated)
		check_repeated_keys(c, object);
	else
		c->doc.tokens[object].flags |= CHECK_OBJECT_COMPARED;
	for (size_t i = 0; m.present < list.count && i < list.count; i++)
		if (m.values[i] == JSON_NONE)
			check_report_missing(c, object, list.members[i].field->name, list);
	if (m.unknown && !open)
		report_unlisted(c, object, list, lengths);
	for (size_t i = 0; i < list.count; i++)
		if (m.values[i] != JSON_NONE)
			check_value(c, m.values[i], &list.members[i]);
}

void check_details(struct checker *c)
{
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	if (details == JSON_NONE) {
		check_report_missing(c, 0, "details", (struct key_list){ NULL, 0 });
		return;
	}
	if (c->doc.tokens[details].type != JSON_OBJECT) {
		struct finding *f = report_token(c, FINDING_WRONG_TYPE, details);
		report_message(c, f, "details is %s, expected an object", report_type_of(&c->doc, details));
		hint_quoted_json(c, f, details);
		return;
	}
	const struct catalog_event *event = c->identity.kind.event;
	if (c->identity.clear)
		check_members(c, details, (struct key_list){ event->details, event->detail_count },
		              c->detail_lengths[event - catalog_events], false);
}
