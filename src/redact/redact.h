/*
 * Redaction: payloads and the requests around them without the people they are about.
 *
 * An allow-list. Kept are the values that the catalogue lists, short numbers of plain fields, true and false of plain
 * fields, names of score modifiers, and what the user has named; all else becomes a fake (redact/fake.c), also what the
 * catalogue does not know: keys, members of open objects, header values, paths, queries, addresses. A payload is edited
 * in place: every byte that is not replaced stays, and so does what a checker says of it, but for the names of keys
 * that were replaced, and the place of unknown-event.
 *
 * A redactor has one key: what was equal stays equal in all that it redacts. One per thread.
 */
#ifndef CREDHOOK_REDACT_REDACT_H
#define CREDHOOK_REDACT_REDACT_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/signals.h"
#include "catalog/catalog.h"
#include "http/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a value was. Below REDACT_FIELDS an index into catalog_fields. */
enum redact_place {
	REDACT_FIELDS = 64, /* a test holds the rows to it */
	REDACT_ENVELOPE = REDACT_FIELDS,
	REDACT_UNLISTED_KEY,
	REDACT_UNLISTED_VALUE,
	REDACT_HEADER_NAME,
	REDACT_HEADER_VALUE,
	REDACT_HOST,
	REDACT_PATH,
	REDACT_QUERY,
	REDACT_REMOTE,
	REDACT_RESPONSE,
	REDACT_PLACES,
};
/* "details.firstName", "header value" */
void redact_append_place(unsigned place, struct buffer *out);

/* What becomes of such a field: "name: invented syllables". */
const char *redact_privacy_phrase(enum catalog_privacy privacy);

struct redact_counts {
	uint64_t checked;   /* original values that were looked for, and not found */
	uint64_t unchecked; /* too short or too common for that */
	uint64_t also_kept; /* that also stand where they are kept */
};

/* The key: of a file that nobody else can read, or random. EXIT_CODE_USAGE: others can read the file, or it is not of
 * 16 to 4096 bytes. EXIT_CODE_IO: it cannot be read. */
int redaction_key_read(const char *path, struct buffer *key, const struct signals *signals, struct error *err);
int redaction_key_make(struct buffer *key, struct error *err);
/* For LOCAL(): a key in memory that is freed could be read from it. */
void redaction_key_release(struct buffer *key);

struct redactor;

/* identifiers_only: it replaces those of customers, sessions, reports and alerts, and nothing else. NULL: out of
 * memory.
 */
struct redactor *redactor_new(const void *key, size_t key_length, bool identifiers_only, struct error *err);
void redactor_free(struct redactor *redactor); /* NULL is allowed */
/* From here on keeps the members of payloads at these paths ("details.bureau,/details/x"), and all that is in them.
 * EXIT_CODE_USAGE: one is not a path. */
int redactor_keep(struct redactor *redactor, const char *paths, struct error *err);
/* Appends those of the paths that no payload had, with a comma between two. */
void redactor_append_unused(const struct redactor *redactor, struct buffer *out);
struct redact_counts redactor_counts(const struct redactor *redactor);
/* Appends where those are kept that also stand there: "details.scoreModifiers, header value". */
void redactor_append_also_kept(const struct redactor *redactor, struct buffer *out);
/* Why a body has no redacted form. */
enum redact_withheld {
	REDACT_NOT_WITHHELD,
	REDACT_NOT_JSON,
	REDACT_NOT_UTF8,
};

/* What a redacted record says of itself: {"key":"1f0a22c4"}, or {"key":...,"withheld":"not-json"}. The digits are the
 * key's: records with the same were redacted with the same key. */
#define REDACT_STAMP_SIZE 64
void redactor_stamp(const struct redactor *redactor, enum redact_withheld withheld, char out[REDACT_STAMP_SIZE]);
/* Whether the text is such a stamp, of any key. */
bool redact_is_stamp(const char *text, size_t length);

/* Appends the redacted payload; nothing where it is withheld. -1: out of memory. */
int redact_payload(struct redactor *redactor, const char *text, size_t length, struct buffer *out,
                   enum redact_withheld *withheld, struct error *err);

/* The redacted request, and in *remote and *via the redacted addresses of its sender and of the proxy, valid until the
 * next call; absent ones stay absent. A body that is withheld is empty. -1: out of memory. */
int redact_message(struct redactor *redactor, const struct message *message, struct message *redacted,
                   struct text *remote, struct text *via, enum redact_withheld *withheld, struct error *err);

/* For the message that was redacted last: the redacted Content-Type and beginning of the body of its response, valid
 * until the next message; absent ones stay absent. The text is one value, whatever it is: no key, number or title of it
 * is kept. `most`: one of as many bytes, or nearly, was cut. -1: out of memory. */
int redact_response(struct redactor *redactor, size_t most, struct text *type, struct text *text, struct error *err);

/* For the message that was redacted last: a text that is written whatever its values are (the words of a format, what
 * is kept), so that finding a value of it says nothing. `place`: where it is kept; REDACT_PLACES: all records have it.
 */
void redact_note_kept(struct redactor *redactor, unsigned place, const char *text, size_t length);

/* Whether the bytes that are to be written hold none of the values of the last message, but in what is kept; `redacted`
 * is what was made of it. Counts them once. 1: they hold none; 0: *place is what one of them was, REDACT_PLACES: that
 * cannot be said. -1: out of memory. */
int redact_prove(struct redactor *redactor, const struct message *redacted, const char *written, size_t length,
                 unsigned *place, struct error *err);

#endif
