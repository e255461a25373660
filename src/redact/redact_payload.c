/* A payload, member by member: what the catalogue says of each, and the policy. */
#include "base/utf8.h"
#include "payload/form.h"
#include "payload/identify.h"
#include "redact/redact_internal.h"

#include <string.h>

#define PLAIN_INTEGER_MOST 6 /* digits */

/* How a value is to be treated. */
struct treatment {
	enum catalog_privacy privacy;
	const struct catalog_field *field; /* NULL: none */
	unsigned place;
	bool is_kept; /* by the policy, which may have other rules for parts of it */
};
static const struct treatment unlisted = { CATALOG_UNLISTED, NULL, REDACT_UNLISTED_VALUE, false };

/* Which row of catalog_fields has this key; catalog_field_count: none. */
static size_t field_of_key(const struct redactor *r, const char *key, size_t length)
{
	size_t i = 0;
	while (i < catalog_field_count &&
	       (r->name_lengths[i] != length || memcmp(catalog_fields[i]->name, key, length) != 0))
		i++;
	return i;
}

static bool is_public_key(const struct redactor *r, const char *key, size_t length)
{
	return field_of_key(r, key, length) < catalog_field_count ||
	       catalog_member_named(catalog_envelope_members, catalog_envelope_count, key, length);
}

static void copy_to(struct redactor *r, size_t at)
{
	buffer_append(r->out, r->doc.text + r->copied, at - r->copied);
	r->copied = at;
}

/* r->fake in the place of a token; as a JSON string where it is one. */
static void put_fake(struct redactor *r, uint32_t token)
{
	const struct json_token *t = &r->doc.tokens[token];
	copy_to(r, t->start);
	if (t->type == JSON_STRING)
		json_append_string(r->out, buffer_text(&r->fake), r->fake.length);
	else
		buffer_append(r->out, buffer_text(&r->fake), r->fake.length);
	r->out->failed |= r->fake.failed;
	r->copied = t->end;
}

/* A string token with its escapes resolved; borrowed until the next call. */
static struct redact_text text_of(struct redactor *r, uint32_t token)
{
	const struct json_token *t = &r->doc.tokens[token];
	if (!(t->flags & JSON_ESCAPED))
		return (struct redact_text){ r->doc.text + t->start + 1, t->end - t->start - 2 };
	buffer_clear(&r->decoded);
	json_string_decode(&r->doc, token, &r->decoded);
	r->out->failed |= r->decoded.failed;
	return (struct redact_text){ buffer_text(&r->decoded), r->decoded.length };
}

/* Whether the segment is one of the paths of the catalogue. */
static bool is_path_segment(const char *text, size_t length)
{
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		for (const char *at = catalog_kind_path(catalog_kind_at(i)); at && *at; at += strspn(at, "/")) {
			size_t segment = strcspn(at, "/");
			if (segment == length && memcmp(at, text, length) == 0)
				return true;
			at += segment;
		}
	}
	return false;
}

static bool is_path(struct redact_text path)
{
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		const char *known = catalog_kind_path(catalog_kind_at(i));
		if (known && strlen(known) == path.length && memcmp(known, path.text, path.length) == 0)
			return true;
	}
	return false;
}

/* The payload's path, with fakes for the segments that no path of the catalogue has. True: there are some. */
static bool fake_path(struct redactor *r, struct redact_text path)
{
	bool any = false;
	if (is_path(path))
		return false;
	for (size_t at = 0; at < path.length;) {
		const char *slash = memchr(path.text + at, '/', path.length - at);
		size_t length = slash ? (size_t)(slash - path.text) - at : path.length - at;
		bool stays = length == 0 || is_path_segment(path.text + at, length);
		if (stays)
			buffer_append(&r->fake, path.text + at, length);
		else
			fake_identifier(&r->faker, path.text + at, length, &r->fake);
		any = any || !stays;
		at += length;
		if (slash) {
			buffer_append_byte(&r->fake, '/');
			at++;
		}
	}
	return any;
}

static bool is_plain(const struct catalog_field *field, struct redact_text value)
{
	if (field->type == CATALOG_BOOLEAN_TEXT)
		return form_is_boolean_text(value.text, value.length);
	if (field->type != CATALOG_CHOICE)
		return field->type == CATALOG_STRING && redact_is_code(value.text, value.length);
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		if (strlen(catalog_dispute_statuses[i].name) == value.length &&
		    memcmp(catalog_dispute_statuses[i].name, value.text, value.length) == 0)
			return true;
	return form_choice(field, value.text, value.length) != NULL;
}

static bool has_space(struct redact_text value)
{
	for (size_t i = 0; i < value.length; i++)
		if (form_is_space(value.text[i]))
			return true;
	return false;
}

static void fake_string(struct redactor *r, struct redact_text value, enum catalog_privacy privacy)
{
	bool is_credit = privacy == CATALOG_CREDIT && form_is_integer_text(value.text, value.length);
	if (privacy == CATALOG_NAME)
		fake_name(&r->faker, value.text, value.length, &r->fake);
	else if (privacy == CATALOG_STATE)
		fake_state(&r->faker, value.text, value.length, &r->fake);
	else if (privacy == CATALOG_POSTAL_CODE || is_credit || (privacy != CATALOG_IDENTIFIER && has_space(value)))
		fake_text(&r->faker, value.text, value.length, &r->fake);
	else
		fake_identifier(&r->faker, value.text, value.length, &r->fake);
}

static void redact_string(struct redactor *r, uint32_t token, struct treatment t)
{
	struct redact_text value = text_of(r, token);
	buffer_clear(&r->fake);
	if (value.length == 0)
		return;
	if (t.privacy == CATALOG_PLAIN) {
		bool is_path = t.field == catalog_envelope[ENVELOPE_PATH];
		if (is_path ? !fake_path(r, value) : is_plain(t.field, value)) {
			r->counts.kept[t.place]++;
			return;
		}
		if (!is_path)
			fake_string(r, value, CATALOG_UNLISTED);
	} else {
		fake_string(r, value, t.privacy);
	}
	redact_note(r, t.place, value.text, value.length, false);
	put_fake(r, token);
}

static void redact_number(struct redactor *r, uint32_t token, struct treatment t)
{
	const struct json_token *n = &r->doc.tokens[token];
	const char *text = r->doc.text + n->start;
	size_t length = n->end - n->start;
	if (t.privacy == CATALOG_PLAIN && length <= PLAIN_INTEGER_MOST && form_is_integer_text(text, length)) {
		r->counts.kept[t.place]++;
		return;
	}
	buffer_clear(&r->fake);
	fake_number(&r->faker, text, length, &r->fake);
	redact_note(r, t.place, text, length, true);
	put_fake(r, token);
}

static void redact_value(struct redactor *r, uint32_t token, struct treatment t);

/* What the catalogue says of a member of an object that is treated so. */
static struct treatment treatment_of(const struct redactor *r, struct treatment object, const char *key, size_t length)
{
	if (object.privacy == CATALOG_MEMBERS && !object.field) { /* the payload itself */
		const struct catalog_member *m =
		        catalog_member_named(catalog_envelope_members, catalog_envelope_count, key, length);
		return m ? (struct treatment){ m->field->privacy, m->field, REDACT_ENVELOPE, false } : unlisted;
	}
	if (object.privacy == CATALOG_CREDIT || object.is_kept)
		return object;
	size_t field = object.privacy == CATALOG_MEMBERS ? field_of_key(r, key, length) : catalog_field_count;
	if (field == catalog_field_count)
		return unlisted;
	const struct catalog_field *found = catalog_fields[field];
	bool is_in_details = object.field == catalog_envelope[ENVELOPE_DETAILS];
	if (catalog_field_owner(found) != (is_in_details ? NULL : object.field))
		return unlisted;
	return (struct treatment){ found->privacy, found, (unsigned)field, false };
}

static void redact_key(struct redactor *r, uint32_t key, struct treatment object, struct treatment member)
{
	struct redact_text name = text_of(r, key);
	if ((member.privacy != CATALOG_UNLISTED && member.privacy != CATALOG_CREDIT) || member.is_kept)
		return;
	if (name.length == 0 || is_public_key(r, name.text, name.length) ||
	    (object.privacy == CATALOG_CREDIT && redact_is_code(name.text, name.length)))
		return;
	buffer_clear(&r->fake);
	fake_identifier(&r->faker, name.text, name.length, &r->fake);
	redact_note(r, REDACT_UNLISTED_KEY, name.text, name.length, false);
	put_fake(r, key);
}

/* The values of what the policy drops must not be found either. */
static void note_dropped(struct redactor *r, uint32_t value)
{
	for (uint32_t i = value; i < r->doc.tokens[value].next; i++) {
		const struct json_token *t = &r->doc.tokens[i];
		struct redact_text text = { r->doc.text + t->start, t->end - t->start };
		if (t->type == JSON_STRING)
			text = text_of(r, i);
		if (t->type == JSON_STRING || t->type == JSON_NUMBER)
			proof_add(&r->proof, text.text, text.length, REDACT_UNLISTED_VALUE, t->type == JSON_NUMBER);
	}
}

/* The members of an object, or the elements of an array, one after the other. */
struct child {
	uint32_t first; /* token: the key of a member, or the element */
	uint32_t value;
	const struct redact_rule *rule; /* NULL: none */
};

/* Puts the child into r->path, if the policy has rules. */
static struct child enter_child(struct redactor *r, uint32_t token, size_t index, bool is_member)
{
	struct child child = { token, token + is_member, NULL };
	if (r->policy->rule_count == 0)
		return child;
	if (is_member) {
		struct redact_text name = text_of(r, token);
		json_append_pointer_key(&r->path, name.text, name.length);
	} else {
		buffer_printf(&r->path, "/%zu", index);
	}
	child.rule = redact_policy_rule(r->policy, &r->path);
	if (child.rule)
		r->rule_counts[child.rule - r->policy->rules]++;
	return child;
}

static void redact_child(struct redactor *r, const struct child *child, struct treatment container)
{
	struct treatment t = container;
	bool is_member = child->first != child->value;
	if (is_member) {
		struct redact_text name = text_of(r, child->first);
		t = treatment_of(r, container, name.text, name.length);
	}
	if (child->rule) {
		t.privacy = child->rule->privacy;
		t.is_kept = child->rule->action == REDACT_KEEP;
	} else if (is_member && !r->identifiers_only) {
		redact_key(r, child->first, container, t);
	}
	redact_value(r, child->value, t);
}

/* The first child left keeps the white space after the bracket, each other one the comma before it. */
static void redact_container(struct redactor *r, uint32_t container, struct treatment t)
{
	const struct json_token *tokens = r->doc.tokens;
	size_t before = r->path.length, inside = tokens[container].start + 1, behind = inside, index = 0;
	bool any_left = false;
	copy_to(r, inside);
	for (uint32_t at = container + 1; at < tokens[container].next; index++) {
		struct child child = enter_child(r, at, index, tokens[container].type == JSON_OBJECT);
		if (child.rule && child.rule->action == REDACT_DROP) {
			note_dropped(r, child.value);
		} else {
			r->copied = any_left ? behind : inside;
			copy_to(r, any_left ? tokens[at].start : tokens[container + 1].start);
			r->copied = tokens[at].start;
			redact_child(r, &child, t);
			copy_to(r, tokens[child.value].end);
			any_left = true;
		}
		r->copied = behind = tokens[child.value].end;
		buffer_consume_end(&r->path, r->path.length - before);
		at = tokens[child.value].next;
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
	else if (t.is_kept || (r->identifiers_only && is_other))
		return;
	else if (type == JSON_STRING)
		redact_string(r, token, t);
	else if (type == JSON_NUMBER)
		redact_number(r, token, t);
	else if (type == JSON_TRUE && t.privacy != CATALOG_PLAIN) {
		buffer_clear(&r->fake);
		buffer_append_text(&r->fake, "false");
		redact_note(r, t.place, "", 0, false);
		put_fake(r, token);
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
