#include "redact/redact.h"

#include "base/ascii.h"
#include "base/file.h"
#include "base/mend.h"
#include "base/system.h"
#include "payload/edit.h"
#include "redact/redact_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define KEY_DIGITS 8
#define KEY_MADE   ((size_t)32) /* bytes */
#define KEY_LEAST  ((size_t)16)
#define KEY_MOST   ((size_t)4096) /* of a file */

struct redactor *redactor_new(const void *key, size_t key_length, bool identifiers_only, struct error *err)
{
	struct redactor *r = calloc(1, sizeof *r);
	if (!r)
		return error_no_memory_null(err);
	r->doc = r->proof.doc = JSON_DOC_INIT;
	r->hmac = hmac_new(key, key_length, err);
	r->faker = (struct faker){ .hmac = r->hmac };
	r->identifiers_only = identifiers_only;
	struct buffer nothing = BUFFER_INIT; /* but that it fails */
	if (r->hmac)
		fake_bytes(&r->faker, DOMAIN_KEY_MARK, 0, "", 0, &nothing, r->key_mark);
	if (nothing.failed)
		error_no_memory(err);
	if (r->hmac && !nothing.failed)
		return r;
	redactor_free(r);
	return NULL;
}

void redactor_free(struct redactor *r)
{
	if (!r)
		return;
	hmac_free(r->hmac);
	faker_release(&r->faker);
	proof_release(&r->proof);
	json_doc_release(&r->doc);
	buffer_release(&r->path);
	buffer_release(&r->decoded);
	buffer_release(&r->fake);
	buffer_release(&r->body);
	buffer_release(&r->texts);
	buffer_release(&r->segment);
	buffer_release(&r->response);
	for (size_t i = 0; i < r->keep_count; i++)
		buffer_release(&r->keeps[i].pointer);
	free(r->keeps);
	free(r->headers);
	free(r);
}

int redactor_keep(struct redactor *r, const char *paths, struct error *err)
{
	for (const char *at = paths; at;) {
		size_t length = strcspn(at, ",");
		LOCAL(release_text) char *path = strndup(at, length);
		if (!path || !ARRAY_ROOM(r->keeps, r->keep_capacity, r->keep_count + 1))
			return error_no_memory(err);
		r->keeps[r->keep_count] = (struct redact_keep){ BUFFER_INIT, false };
		if (edit_place(path, &r->keeps[r->keep_count++].pointer, err) < 0)
			return -1;
		at = at[length] ? at + length + 1 : NULL;
	}
	return 0;
}

void redactor_append_unused(const struct redactor *r, struct buffer *out)
{
	for (size_t i = 0; i < r->keep_count; i++) {
		if (r->keeps[i].was_used)
			continue;
		buffer_append_text(out, out->length > 0 ? "," : "");
		edit_append_path(r->keeps[i].pointer.data, out);
	}
}

struct redact_counts redactor_counts(const struct redactor *r)
{
	return (struct redact_counts){ r->proof.checked, r->proof.unchecked, r->proof.also_kept };
}

void redactor_append_also_kept(const struct redactor *r, struct buffer *out)
{
	_Static_assert((int)REDACT_PLACES <= PROOF_PLACES, "each place has its own");
	for (unsigned place = 0; place < REDACT_PLACES; place++) {
		if (!r->proof.also_kept_at[place])
			continue;
		buffer_append_text(out, out->length > 0 ? ", " : "");
		redact_append_place(place, out);
	}
}

void redactor_stamp(const struct redactor *r, enum redact_withheld why, char out[REDACT_STAMP_SIZE])
{
	static const char *const names[] = { [REDACT_NOT_JSON] = "not-json", [REDACT_NOT_UTF8] = "not-utf8" };
	const unsigned char *b = r->key_mark;
	snprintf(out, REDACT_STAMP_SIZE, "{\"key\":\"%02x%02x%02x%02x\"%s%s%s}", b[0], b[1], b[2], b[3],
	         why ? ",\"withheld\":\"" : "", why ? names[why] : "", why ? "\"" : "");
}

static bool is_key_digits(const struct json_doc *doc, uint32_t token)
{
	const struct json_token *t = &doc->tokens[token];
	return t->type == JSON_STRING && t->end - t->start == KEY_DIGITS + 2 &&
	       strspn(doc->text + t->start + 1, ASCII_HEX) == KEY_DIGITS;
}

bool redact_is_stamp(const char *text, size_t length)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	bool has_key = false;
	if (!json_read(&doc, text, length, NULL) || doc.tokens[0].type != JSON_OBJECT)
		return false;
	for (uint32_t at = 1; at < doc.tokens[0].next; at = doc.tokens[at + 1].next) {
		bool is_key = json_string_is(&doc, at, "key", 3);
		bool is_withheld = json_string_is(&doc, at, "withheld", 8) && doc.tokens[at + 1].type == JSON_STRING;
		if (is_key ? has_key || !is_key_digits(&doc, at + 1) : !is_withheld)
			return false;
		has_key = has_key || is_key;
	}
	return has_key;
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
		[REDACT_RESPONSE - REDACT_FIELDS] = "response",
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
		[CATALOG_PLAIN] = "kept, if it is a value of the specification or a short number",
		[CATALOG_CODE] = "code: another of the same shape",
		[CATALOG_IDENTIFIER] = "identifier: another of the same shape",
		[CATALOG_NAME] = "name: invented syllables",
		[CATALOG_SHORT] = "short: other letters and digits",
		[CATALOG_CREDIT] = "credit: other numbers; modifiers of one word keep their key",
		[CATALOG_MEMBERS] = "member by member",
		[CATALOG_UNLISTED] = "unlisted: other keys and values of the same shape",
	};
	return phrases[privacy];
}

void redact_note(struct redactor *r, struct text value, unsigned place, bool is_number, struct text fake)
{
	if (!r->identifiers_only)
		proof_add(&r->proof, value, place, is_number, fake);
}

void redact_note_kept(struct redactor *r, unsigned place, const char *text, size_t length)
{
	if (!r->identifiers_only)
		proof_keep(&r->proof, place == REDACT_PLACES ? PROOF_COMMON : place, text, length);
}

int redact_prove(struct redactor *r, const struct message *redacted, const char *written, size_t length,
                 unsigned *place, struct error *err)
{
	enum proof_result result = proof_search(&r->proof, written, length, redacted->body.text, redacted->body.length);
	*place = result == PROOF_FOUND ? r->proof.place : REDACT_PLACES;
	if (result == PROOF_FAILED)
		return error_no_memory(err);
	return result == PROOF_NONE;
}

/* Not over what is there: it may be the key of other captures. */
static int hint_key(const char *file, struct error *err)
{
	return mend_hint(err, "make one: (umask 077; head -c 32 /dev/urandom > FILE)",
	                 &(struct mend_file){ .path = file });
}

/* A key that others can read, or that can be guessed, would undo every fake made with it. */
int redaction_key_read(const char *path, struct buffer *key, const struct signals *signals, struct error *err)
{
	struct stat status;
	LOCAL(file_close) int fd = file_open(path, O_RDONLY, signals);
	if (fd < 0) {
		bool is_missing = errno == ENOENT;
		file_cannot("open", path, errno, err);
		return is_missing ? hint_key(path, err) : -1;
	}
	int failed = fstat(fd, &status) < 0 ? errno : 0;
	bool is_private = !failed && (status.st_mode & 077) == 0;
	if (is_private)
		failed = buffer_read(key, fd, KEY_MOST);
	if (failed)
		return file_cannot("read", path, failed, err);
	if (!is_private) {
		error_set(err, EXIT_CODE_USAGE, "key file '%s' can be read by others: its mode must be 0600", path);
		return mend_hint(err, "make it private: chmod 600 FILE", &(struct mend_file){ .path = path });
	}
	if (key->length >= KEY_LEAST && key->length <= KEY_MOST)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "key file '%s' is %s", path,
	          key->length < KEY_LEAST ? "shorter than 16 bytes" : "longer than 4096 bytes");
	return hint_key("KEY", err);
}

int redaction_key_make(struct buffer *key, struct error *err)
{
	if (!buffer_reserve(key, KEY_MADE))
		return error_no_memory(err);
	if (!system_random(key->data + key->length, KEY_MADE))
		return error_set(err, EXIT_CODE_INTERNAL, "cannot get random bytes: %s", strerror(errno));
	key->length += KEY_MADE;
	key->data[key->length] = '\0';
	return 0;
}

void redaction_key_release(struct buffer *key)
{
	buffer_wipe(key);
	buffer_release(key);
}
