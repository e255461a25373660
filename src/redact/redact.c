#include "redact/redact.h"

#include "payload/form.h"
#include "redact/redact_internal.h"
#include "redact/redact_public.h"

#include <stdlib.h>
#include <string.h>

#define CODE_LONGEST     40
#define CODE_DIGITS_RUN  4 /* digits in a row, */
#define CODE_DIGITS_MOST 6 /* and in all: fewer than a date of birth or 123-45-6789 has */

struct redactor *redactor_new(const void *key, size_t key_length, const struct redact_policy *policy, struct error *err)
{
	static const struct redact_policy none = { .rules = NULL };
	struct redactor *r = calloc(1, sizeof *r);
	if (!r) {
		error_no_memory(err);
		return NULL;
	}
	json_doc_init(&r->doc);
	json_doc_init(&r->proof.doc);
	r->policy = policy ? policy : &none;
	r->hmac = hmac_new(key, key_length, err);
	r->faker = (struct faker){ .hmac = r->hmac };
	r->rule_counts = calloc(r->policy->rule_count + 1, sizeof *r->rule_counts);
	r->counts.rules = r->rule_counts;
	for (size_t i = 0; i < catalog_field_count; i++)
		r->name_lengths[i] = strlen(catalog_fields[i]->name);
	if (r->hmac && r->rule_counts)
		return r;
	if (r->hmac)
		error_no_memory(err);
	redactor_free(r);
	return NULL;
}

struct redactor *redactor_new_for_identifiers(const void *key, size_t key_length, struct error *err)
{
	struct redactor *r = redactor_new(key, key_length, NULL, err);
	if (r)
		r->identifiers_only = true;
	return r;
}

void redactor_free(struct redactor *r)
{
	if (!r)
		return;
	hmac_free(r->hmac);
	buffer_release(&r->faker.scratch);
	proof_release(&r->proof);
	json_doc_release(&r->doc);
	buffer_release(&r->path);
	buffer_release(&r->decoded);
	buffer_release(&r->fake);
	buffer_release(&r->body);
	buffer_release(&r->texts);
	buffer_release(&r->segment);
	free(r->headers);
	free(r->rule_counts);
	free(r);
}

const struct redact_counts *redactor_counts(const struct redactor *r)
{
	return &r->counts;
}

void redactor_key_id(struct redactor *r, char out[REDACT_KEY_ID_SIZE])
{
	unsigned char bytes[HMAC_SIZE];
	LOCAL_BUFFER text = BUFFER_INIT;
	fake_bytes(&r->faker, 'k', "", 0, bytes);
	buffer_printf(&text, "%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3]);
	memcpy(out, text.length == 8 ? text.data : "00000000", REDACT_KEY_ID_SIZE);
}

const char *redact_withheld_name(enum redact_withheld why)
{
	static const char *const names[] = { NULL, "not-json", "not-utf8", "not-proven" };
	return names[why];
}

void redact_append_place(unsigned place, struct buffer *out)
{
	static const char *const names[REDACT_PLACES - REDACT_FIELDS] = {
		[REDACT_ENVELOPE - REDACT_FIELDS] = "value of the envelope",
		[REDACT_UNLISTED_KEY - REDACT_FIELDS] = "unknown key",
		[REDACT_UNLISTED_VALUE - REDACT_FIELDS] = "value of an unknown key",
		[REDACT_HEADER_NAME - REDACT_FIELDS] = "header name",
		[REDACT_HEADER_VALUE - REDACT_FIELDS] = "header value",
		[REDACT_HOST - REDACT_FIELDS] = "host",
		[REDACT_PATH - REDACT_FIELDS] = "path",
		[REDACT_QUERY - REDACT_FIELDS] = "query",
		[REDACT_REMOTE - REDACT_FIELDS] = "remote address",
	};
	if (place >= REDACT_FIELDS) {
		buffer_append_text(out, names[place - REDACT_FIELDS]);
		return;
	}
	const struct catalog_field *owner = catalog_field_owner(catalog_fields[place]);
	buffer_printf(out, "details.%s%s%s", owner ? owner->name : "", owner ? "." : "", catalog_fields[place]->name);
}

const char *redact_privacy_phrase(enum catalog_privacy privacy)
{
	static const char *const phrases[] = {
		[CATALOG_PLAIN] = "kept, if it has the format of its field",
		[CATALOG_IDENTIFIER] = "identifier: another of the same shape",
		[CATALOG_NAME] = "name: invented syllables",
		[CATALOG_STATE] = "state: another state",
		[CATALOG_POSTAL_CODE] = "postal-code: other digits and letters",
		[CATALOG_CREDIT] = "credit: other numbers; keys are kept",
		[CATALOG_MEMBERS] = "member by member",
		[CATALOG_UNLISTED] = "unlisted: other keys and values of the same shape",
	};
	return phrases[privacy];
}

/* What the policy keeps in requests is there whatever the values are. */
static bool is_kept_word(const struct redact_words *words, const char *text, size_t length)
{
	for (size_t i = 0; i < words->count; i++)
		if (redact_is_part(words->items[i], text, length))
			return true;
	return false;
}

void redact_note(struct redactor *r, unsigned place, const char *text, size_t length, bool is_number)
{
	r->counts.replaced[place]++;
	if (is_kept_word(&r->policy->path, text, length) || is_kept_word(&r->policy->headers, text, length))
		r->proof.unchecked++;
	else if (!r->identifiers_only)
		proof_add(&r->proof, text, length, place, is_number);
}

bool redact_is_code(const char *text, size_t length)
{
	size_t run = 0, digits = 0;
	for (size_t i = 0; i < length; i++) {
		char c = text[i], lower = (char)(c | 0x20);
		bool is_digit = c >= '0' && c <= '9';
		run = is_digit ? run + 1 : 0;
		digits += is_digit;
		if (run > CODE_DIGITS_RUN || digits > CODE_DIGITS_MOST ||
		    (!is_digit && (lower < 'a' || lower > 'z') && (c == '\0' || !strchr(" -_.:", c))))
			return false;
	}
	return length > 0 && length <= CODE_LONGEST && !form_is_uuid(text, length);
}
