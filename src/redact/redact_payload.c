/* A payload, member by member: what the catalogue says of each, and the user. */
#include "base/ascii.h"
#include "base/utf8.h"
#include "json/pointer.h"
#include "payload/form.h"
#include "payload/identify.h"
#include "redact/redact_internal.h"

#include <string.h>

#define PLAIN_INTEGER_MOST   6 /* digits */
#define MODIFIER_LONGEST     40
#define MODIFIER_DIGITS_RUN  4 /* digits in a row, */
#define MODIFIER_DIGITS_MOST 6 /* and in all */

struct treatment {
	enum catalog_privacy privacy;
	const struct catalog_field *field; /* NULL: none */
	unsigned place;
	bool is_kept; /* by the user */
};
static const struct treatment unlisted = { CATALOG_UNLISTED, NULL, REDACT_UNLISTED_VALUE, false };

/* Which row of catalog_fields has this key; catalog_field_count: none. */
static size_t field_of_key(const char *key, size_t length)
{
	size_t i = 0;
	while (i < catalog_field_count &&
	       (catalog_fields[i]->name_length != length || memcmp(catalog_fields[i]->name, key, length) != 0))
		i++;
	return i;
}

static void copy_to(struct redactor *r, size_t at)
{
	buffer_append(r->out, r->doc.text + r->copied, at - r->copied);
	r->copied = at;
}

/* Puts r->fake in the place of a token with this value; as a JSON string where the token is one. */
static void put_fake(struct redactor *r, uint32_t token, struct text value, unsigned place)
{
	const struct json_token *t = &r->doc.tokens[token];
	bool is_number = t->type == JSON_NUMBER;
	if (value.length > 0)
		redact_note(r, value, place, is_number, (struct text){ buffer_text(&r->fake), r->fake.length });
	copy_to(r, t->start);
	if (t->type == JSON_STRING)
		json_append_string(r->out, buffer_text(&r->fake), r->fake.length);
	else
		buffer_append(r->out, buffer_text(&r->fake), r->fake.length);
	r->out->failed |= r->fake.failed;
	r->copied = t->end;
}

/* A string token with its escapes resolved; borrowed until the next call. */
static struct text string_of(struct redactor *r, uint32_t token)
{
	const struct json_token *t = &r->doc.tokens[token];
	if (!(t->flags & JSON_ESCAPED))
		return (struct text){ r->doc.text + t->start + 1, t->end - t->start - 2 };
	buffer_clear(&r->decoded);
	json_string_decode(&r->doc, token, &r->decoded);
	r->out->failed |= r->decoded.failed;
	return (struct text){ buffer_text(&r->decoded), r->decoded.length };
}

static bool is_text(struct text text, const char *value)
{
	return value && strlen(value) == text.length && memcmp(value, text.text, text.length) == 0;
}

/* Whether the catalogue lists the value for the field, or one of the events has it in that field of the envelope. */
static bool is_listed(const struct catalog_field *field, struct text text)
{
	int key = ENVELOPE_SERVICE;
	if (field->type == CATALOG_BOOLEAN_TEXT)
		return form_is_boolean_text(text.text, text.length);
	if (field->type == CATALOG_CHOICE) {
		for (size_t i = 0; i < catalog_dispute_status_count; i++)
			if (is_text(text, catalog_dispute_statuses[i].name))
				return true;
		return form_choice(field, text.text, text.length) != NULL;
	}
	while (key < ENVELOPE_DETAILS && field != catalog_envelope[key])
		key++;
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (is_text(text, identify_expected((enum envelope_key)key, catalog_kind_at(i))))
			return true;
	return false;
}

static bool has_space(struct text value)
{
	for (size_t i = 0; i < value.length; i++)
		if (value.text[i] != '\0' && strchr(" \t\r\n", value.text[i]))
			return true;
	return false;
}

static void redact_string(struct redactor *r, uint32_t token, struct treatment t)
{
	struct text value = string_of(r, token);
	buffer_clear(&r->fake);
	if (value.length == 0)
		return;
	if (t.is_kept || (t.privacy == CATALOG_PLAIN && t.field && is_listed(t.field, value))) {
		redact_note_kept(r, t.place, value.text, value.length);
		return;
	}
	bool is_unlisted = t.privacy == CATALOG_PLAIN || t.privacy == CATALOG_UNLISTED;
	if (t.privacy == CATALOG_NAME)
		fake_name(&r->faker, value.text, value.length, &r->fake);
	else if (t.privacy == CATALOG_CREDIT && form_is_integer_text(value.text, value.length))
		fake_number(&r->faker, value.text, value.length, &r->fake);
	else if (t.privacy == CATALOG_SHORT || (is_unlisted && has_space(value)))
		fake_text(&r->faker, value.text, value.length, &r->fake);
	else
		fake_identifier(&r->faker, value.text, value.length, &r->fake);
	put_fake(r, token, value, t.place);
}

static void redact_number(struct redactor *r, uint32_t token, struct treatment t)
{
	const struct json_token *n = &r->doc.tokens[token];
	struct text text = { r->doc.text + n->start, n->end - n->start };
	bool is_plain = t.privacy == CATALOG_PLAIN && t.field;
	bool is_short = is_plain && t.field->type == CATALOG_INTEGER && text.length <= PLAIN_INTEGER_MOST &&
	                form_is_integer_text(text.text, text.length);
	if (t.is_kept || is_short || (is_plain && is_listed(t.field, text))) {
		redact_note_kept(r, t.place, text.text, text.length);
		return;
	}
	buffer_clear(&r->fake);
	fake_number(&r->faker, text.text, text.length, &r->fake);
	/* Tries again where 202 became 201, which is an event. The fake of a fake still stands for one value only. */
	while (is_plain && is_listed(t.field, (struct text){ buffer_text(&r->fake), r->fake.length })) {
		LOCAL_BUFFER listed = BUFFER_INIT;
		buffer_append(&listed, r->fake.data, r->fake.length);
		buffer_clear(&r->fake);
		fake_number(&r->faker, buffer_text(&listed), listed.length, &r->fake);
	}
	put_fake(r, token, text, t.place);
}

static void redact_value(struct redactor *r, uint32_t token, struct treatment t);

/* Returns what the catalogue says of a member of an object that is treated so. */
static struct treatment treatment_of(struct treatment object, const char *key, size_t length)
{
	if (object.privacy == CATALOG_MEMBERS && !object.field) { /* the payload itself */
		const struct catalog_member *m =
		        catalog_member_named(catalog_envelope_members, catalog_envelope_count, key, length);
		return m ? (struct treatment){ m->field->privacy, m->field, REDACT_ENVELOPE, false } : unlisted;
	}
	if (object.is_kept)
		return object;
	if (object.privacy == CATALOG_CREDIT) /* a modifier; what it has inside is of no field */
		return (struct treatment){ object.privacy, NULL, object.place, false };
	size_t field = object.privacy == CATALOG_MEMBERS ? field_of_key(key, length) : catalog_field_count;
	if (field == catalog_field_count)
		return unlisted;
	const struct catalog_field *found = catalog_fields[field];
	bool is_in_details = object.field == catalog_envelope[ENVELOPE_DETAILS];
	if (catalog_field_owner(found) != (is_in_details ? NULL : object.field))
		return unlisted;
	return (struct treatment){ found->privacy, found, (unsigned)field, false };
}

/* The name of a score modifier: one word, with fewer digits than a date of birth or 123-45-6789 has. */
static bool is_modifier(struct text name)
{
	size_t run = 0, digits = 0;
	for (size_t i = 0; i < name.length; i++) {
		char c = name.text[i];
		bool is_digit = ascii_is_digit(c);
		run = is_digit ? run + 1 : 0;
		digits += is_digit;
		if (run > MODIFIER_DIGITS_RUN || digits > MODIFIER_DIGITS_MOST ||
		    (!ascii_is_alnum(c) && (c == '\0' || !strchr("-_.:", c))))
			return false;
	}
	return name.length <= MODIFIER_LONGEST;
}

static void redact_key(struct redactor *r, uint32_t key, struct treatment object, struct treatment member)
{
	struct text name = string_of(r, key);
	bool may_be_unlisted = member.privacy == CATALOG_UNLISTED || member.privacy == CATALOG_CREDIT;
	bool names_modifier = object.privacy == CATALOG_CREDIT && object.field && object.field->type == CATALOG_OBJECT;
	if (name.length == 0)
		return;
	bool is_common = !may_be_unlisted || field_of_key(name.text, name.length) < catalog_field_count ||
	                 catalog_member_named(catalog_envelope_members, catalog_envelope_count, name.text, name.length);
	if (is_common || member.is_kept || (names_modifier && is_modifier(name))) {
		redact_note_kept(r, is_common ? REDACT_PLACES : member.place, name.text, name.length);
		return;
	}
	buffer_clear(&r->fake);
	fake_identifier(&r->faker, name.text, name.length, &r->fake);
	put_fake(r, key, name, REDACT_UNLISTED_KEY);
}

/* Whether the member or element that r->path leads to is to be kept. */
static bool is_to_keep(struct redactor *r)
{
	for (size_t i = 0; i < r->keep_count; i++) {
		struct redact_keep *keep = &r->keeps[i];
		if (keep->pointer.length != r->path.length ||
		    memcmp(keep->pointer.data, r->path.data, r->path.length) != 0)
			continue;
		keep->was_used = true;
		return true;
	}
	return false;
}

static void redact_container(struct redactor *r, uint32_t container, struct treatment t)
{
	const struct json_token *tokens = r->doc.tokens;
	size_t before = r->path.length, index = 0;
	bool is_object = tokens[container].type == JSON_OBJECT;
	for (uint32_t at = container + 1; at < tokens[container].next; index++) {
		uint32_t value = at + is_object;
		struct treatment child = t;
		struct text name = { NULL, 0 };
		if (is_object) {
			name = string_of(r, at);
			child = treatment_of(t, name.text, name.length);
		}
		if (r->keep_count > 0) {
			if (is_object)
				json_append_pointer_key(&r->path, name.text, name.length);
			else
				buffer_printf(&r->path, "/%zu", index);
			child.is_kept = child.is_kept || is_to_keep(r);
		}
		if (is_object && !r->identifiers_only)
			redact_key(r, at, t, child);
		redact_value(r, value, child);
		buffer_consume_end(&r->path, r->path.length - before);
		at = tokens[value].next;
	}
}

static void redact_value(struct redactor *r, uint32_t token, struct treatment t)
{
	enum json_token_type type = (enum json_token_type)r->doc.tokens[token].type;
	if (t.privacy == CATALOG_MEMBERS && type != JSON_OBJECT && !t.is_kept)
		t = unlisted;
	bool is_other = t.privacy != CATALOG_IDENTIFIER || !t.field || t.field->owner == CATALOG_OF_APPLICATION;
	if (type == JSON_OBJECT || type == JSON_ARRAY)
		redact_container(r, token, t);
	else if (r->identifiers_only && is_other)
		return;
	else if (type == JSON_STRING)
		redact_string(r, token, t);
	else if (type == JSON_NUMBER)
		redact_number(r, token, t);
	else if (type == JSON_TRUE && t.privacy != CATALOG_PLAIN && !t.is_kept) {
		buffer_clear(&r->fake);
		buffer_append_text(&r->fake, "false");
		put_fake(r, token, (struct text){ NULL, 0 }, t.place);
	}
}

int redact_payload(struct redactor *r, const char *text, size_t length, struct buffer *out,
                   enum redact_withheld *withheld, struct error *err)
{
	static const struct treatment root = { CATALOG_MEMBERS, NULL, REDACT_UNLISTED_VALUE, false };
	struct json_fault fault;
	*withheld = REDACT_NOT_WITHHELD;
	if (!json_read(&r->doc, text, length, &fault)) {
		*withheld = utf8_first_invalid(text, length) < length ? REDACT_NOT_UTF8 : REDACT_NOT_JSON;
		return json_fault_is_memory(&fault) ? error_no_memory(err) : 0;
	}
	r->copied = 0;
	r->out = out;
	buffer_clear(&r->path);
	redact_value(r, 0, root);
	copy_to(r, length);
	return out->failed || r->path.failed ? error_no_memory(err) : 0;
}
