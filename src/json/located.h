/*
 * A strict JSON reader (RFC 8259) that keeps the place of every value.
 *
 * One pass writes a flat table of tokens in document order: a container is followed by its contents, a key by its
 * value. The table is reused, so that reading many payloads allocates nothing. It takes 16 bytes per token and at most
 * 8 bytes per byte of text ([1,1,1,...) plus 1 KiB.
 * Also refused: invalid UTF-8, lone surrogates (raw or escaped), raw control characters, a byte order mark, text after
 * the document, nesting deeper than JSON_DEPTH_MAX, and an empty text.
 */
#ifndef CREDHOOK_JSON_LOCATED_H
#define CREDHOOK_JSON_LOCATED_H

#include "base/buffer.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_DEPTH_MAX 64                /* nested containers */
#define JSON_TEXT_MAX  ((size_t)1 << 30) /* bytes; offsets are 32 bits */

enum json_token_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* The name of a type for messages, with an article: "a number", "an object", ... */
const char *json_type_name(enum json_token_type type);

enum json_token_flag {
	JSON_ESCAPED = 1,  /* a string with a backslash */
	JSON_KEY = 2,      /* a string that is the key of the next token */
	JSON_FRACTION = 4, /* a number with a '.' */
	JSON_EXPONENT = 8, /* a number with an 'e' or 'E' */
};

/* start and end are byte offsets into the text, end exclusive; they include the quotes of a string and the brackets of
 * a container. next is the index of the first token after this one and its contents; of a key, the index of its value.
 */
struct json_token {
	uint32_t start;
	uint32_t end;
	uint32_t next;
	uint8_t type;  /* enum json_token_type */
	uint8_t flags; /* enum json_token_flag */
};

/* What a reader asks now and then, of a text that takes long: is_asked true ends the reading. NULL: nobody is asked. It
 * is asked every 64 KiB or so, from the thread that reads. */
struct json_stop {
	bool (*is_asked)(const void *context);
	const void *context;
};

struct json_doc {
	const char *text; /* borrowed from the caller of json_read() */
	size_t length;
	struct json_token *tokens; /* owned; token 0 is the root */
	uint32_t count;
	size_t capacity;
	struct json_stop stop; /* set it before reading; json_doc_release() leaves it */
};

/* Where and why a text is not JSON. The offset is that of the first byte that cannot continue the text, or the length
 * of a text that ends too early. Of a lone surrogate it is the backslash of the escape, of invalid UTF-8 the lead byte
 * of the ill-formed sequence, of a container that is nested too deep its bracket. */
struct json_fault {
	size_t offset;
	const char *reason; /* for messages, lower case, a constant; see also json_fault_is_memory(), _is_stopped() */
};

/* The reason where a comma stands before the end of an object or array. */
extern const char json_trailing_comma[];
/* The reason where a whole document is followed by something else. */
extern const char json_after_document[];

#define JSON_NONE UINT32_MAX /* "no such token" */

#define JSON_DOC_INIT ((struct json_doc){ .text = "" })
void json_doc_release(struct json_doc *doc);
/* Whether there is such a token, of that type. */
static inline bool json_is(const struct json_doc *doc, uint32_t token, enum json_token_type type)
{
	return token < doc->count && doc->tokens[token].type == type;
}

/* Reads `length` bytes of text (at most JSON_TEXT_MAX), which stay borrowed until the next call. False: *fault says
 * where and why (NULL: nobody asks), and the table is empty. */
bool json_read(struct json_doc *doc, const char *text, size_t length, struct json_fault *fault);
/* Reads what there is of an object or array whose text is cut off, or has a fault: what is open there ends there, and a
 * key without its value is left out. True: more text would change nothing. *fault (NULL: nobody asks) says where the
 * text is cut off or has its fault, or that there was no memory for all of it; its reason is NULL where all was read.
 */
bool json_read_beginning(struct json_doc *doc, const char *text, size_t length, struct json_fault *fault);
bool json_fault_is_memory(const struct json_fault *fault);
/* The stop of the document ended the reading: nothing is known of the text from the offset on. */
bool json_fault_is_stopped(const struct json_fault *fault);

/* Asks the stop of a document, for what works on all of it after the reading. */
static inline bool json_is_stopped(const struct json_doc *doc)
{
	return doc->stop.is_asked && doc->stop.is_asked(doc->stop.context);
}

/* In what follows, a token that is JSON_NONE or of the wrong type has no members, no elements, no duplicate keys and no
 * text, and equals nothing; so calls can be chained. */

/* The value of a member by its key, escapes resolved; of duplicate keys the last. JSON_NONE when absent. */
uint32_t json_member(const struct json_doc *doc, uint32_t object, const char *key, size_t key_length);
/* The element of an array by index, or JSON_NONE. */
uint32_t json_element(const struct json_doc *doc, uint32_t array, size_t index);

/* A number token that is an integer from 0 to `most`, without a sign, a fraction or an exponent. False: it is not. */
bool json_unsigned(const struct json_doc *doc, uint32_t token, uint64_t most, uint64_t *number);

/* These compare and decode a string token with its escapes resolved. */
bool json_string_is(const struct json_doc *doc, uint32_t token, const char *text, size_t length);
void json_string_decode(const struct json_doc *doc, uint32_t token, struct buffer *out);
/* Its bytes: those of the document where nothing is escaped, else decoded into the buffer, which is cleared. Valid
 * until either changes. */
struct text json_string_text(const struct json_doc *doc, uint32_t token, struct buffer *decoded);

/* Decodes the escape (or surrogate pair of escapes) at `at`, a backslash in text that json_read() has accepted. Returns
 * what follows it. */
const char *json_unescape_one(const char *at, char out[4], size_t *length);

/* Calls found() for each duplicate key of the object, in document order; `earlier` is the nearest equal key before it.
 * n log n, whatever the keys. False: out of memory. Where the document's stop is asked for, some or all are not found.
 */
bool json_repeated_keys(const struct json_doc *doc, uint32_t object,
                        void (*found)(void *context, uint32_t key, uint32_t earlier), void *context);

/* The members of two objects by key, each key once, of duplicates the last: a key of each, or JSON_NONE. Those of the
 * first in its order, then those that only the second has in its order. n log n; the caller frees them. NULL: out of
 * memory. */
struct json_pair {
	uint32_t keys[2];
};
struct json_pair *json_pair_members(const struct json_doc *const docs[2], const uint32_t objects[2], size_t *count);

/* Line and column of a byte offset (up to the length of the text), counted from 1. Columns count characters; an invalid
 * byte counts as one. Lines end after LF. */
struct json_place {
	size_t line;
	size_t column;
};
struct json_place json_place_of(const char *text, size_t length, size_t offset);

/* The same for many offsets of one text: going forward reads only the bytes since the previous offset, going back
 * restarts. Nothing to release. */
struct json_locator {
	const char *text; /* borrowed */
	size_t length;
	size_t at;
	struct json_place place;
};
void json_locator_init(struct json_locator *locator, const char *text, size_t length);
struct json_place json_locator_find(struct json_locator *locator, size_t offset);

/* Appends text as a JSON string with its quotes: shortest escapes, '/' not escaped, invalid bytes as U+FFFD. */
void json_append_string(struct buffer *out, const char *text, size_t length);
/* Appends a character as \uXXXX, or as a pair of them (RFC 8259, section 7). */
void json_append_escape(struct buffer *out, uint32_t code_point);

#endif
