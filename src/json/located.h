/*
 * A strict reader of JSON (RFC 8259) that keeps the place of every value.
 *
 * One pass writes a flat table of tokens in document order: a container is followed by everything inside it, a key
 * by its value. The table is reused from one text to the next, so that reading many payloads allocates nothing. It
 * takes 16 bytes a token and never more than 8 bytes a byte of text ([1,1,1,... needs that) and 1 KiB.
 * Refused are also: invalid UTF-8, lone surrogates (raw or escaped), raw control characters, a byte order mark, text
 * after the document, nesting deeper than JSON_DEPTH_MAX, and an empty text.
 */
#ifndef CREDHOOK_JSON_LOCATED_H
#define CREDHOOK_JSON_LOCATED_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_DEPTH_MAX 64                /* containers inside one another */
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

/* How a type is called in messages: "a number", "an object", ... */
const char *json_type_name(enum json_token_type type);

enum json_token_flag {
	JSON_ESCAPED = 1,  /* a string that holds a backslash */
	JSON_KEY = 2,      /* a string that is the key of the token after it */
	JSON_FRACTION = 4, /* a number with a '.' */
	JSON_EXPONENT = 8, /* a number with an 'e' or 'E' */
};

/* start and end are byte offsets into the text, end one past; a string's include its quotes, a container's its
 * brackets. next is the index of the first token behind this one and all that is inside it; for a key it is the index
 * of its value. */
struct json_token {
	uint32_t start;
	uint32_t end;
	uint32_t next;
	uint8_t type;  /* enum json_token_type */
	uint8_t flags; /* enum json_token_flag */
};

struct json_doc {
	const char *text; /* borrowed from the caller of json_read() */
	size_t length;
	struct json_token *tokens; /* owned; token 0 is the document's value */
	uint32_t count;
	size_t capacity;
};

/* Where and why a text is no JSON. The offset is that of the first byte that cannot continue the text, or the text's
 * length where it ends too early. What is wrong as a whole is at its first byte: a lone surrogate at the backslash of
 * its escape, invalid UTF-8 at the lead byte of the ill-formed sequence, a container that is one too deep at its
 * bracket. */
struct json_fault {
	size_t offset;
	const char *reason; /* for a person, lower case; a constant; "out of memory" is json_fault_is_memory() */
};

#define JSON_NONE UINT32_MAX /* "no such token" */

void json_doc_init(struct json_doc *doc);
void json_doc_release(struct json_doc *doc);

/* Reads `length` bytes (at most JSON_TEXT_MAX) of text, which stays borrowed until the next call. True: doc holds the
 * table. False: *fault says where and why, and the table is empty. */
bool json_read(struct json_doc *doc, const char *text, size_t length, struct json_fault *fault);
bool json_fault_is_memory(const struct json_fault *fault);

/* In all that follows, a token that is JSON_NONE, or of another type than is asked for, has no members, no elements, no
 * repeated keys, no text, and equals nothing; so calls can be chained. */

/* The value of an object's member, by its key with escapes resolved: the last one where a key repeats. JSON_NONE when
 * absent or when `object` is no object. */
uint32_t json_member(const struct json_doc *doc, uint32_t object, const char *key, size_t key_length);
/* An array's element by index, or JSON_NONE. */
uint32_t json_element(const struct json_doc *doc, uint32_t array, size_t index);
/* The token that a JSON Pointer (RFC 6901) names, from the root; JSON_NONE when nothing is there. In objects with a
 * repeated key the last one counts. */
uint32_t json_resolve(const struct json_doc *doc, const char *pointer);

/* A string token compared, and decoded, with its escapes resolved. */
bool json_string_is(const struct json_doc *doc, uint32_t token, const char *text, size_t length);
bool json_strings_equal(const struct json_doc *doc, uint32_t a, uint32_t b);
void json_string_decode(const struct json_doc *doc, uint32_t token, struct buffer *out);

/* Decodes the escape (or pair of escapes) whose backslash is at `at`, in text that json_read() has accepted; returns
 * what stands behind it. */
const char *json_unescape_one(const char *at, char out[4], size_t *length);

/* Calls found() once for each key of the object that stood earlier in the same object, in document order; `earlier` is
 * the nearest earlier one. Linear for small objects, n log n for large ones, whatever the keys. False: no memory. */
bool json_repeated_keys(const struct json_doc *doc, uint32_t object,
                        void (*found)(void *context, uint32_t key, uint32_t earlier), void *context);

/* Line and column, counted from 1, of a byte offset (the text's length is allowed). A column is a character; a byte
 * that is no UTF-8 counts as one; a line ends behind LF. */
struct json_place {
	size_t line;
	size_t column;
};
struct json_place json_place_of(const char *text, size_t length, size_t offset);

/* The same for many offsets of one text: going forward, each costs only the bytes since the one before; going back
 * begins anew. Nothing to release. */
struct json_locator {
	const char *text; /* borrowed */
	size_t length;
	size_t at;
	struct json_place place;
};
void json_locator_init(struct json_locator *locator, const char *text, size_t length);
struct json_place json_locator_find(struct json_locator *locator, size_t offset);

/* The JSON Pointers of many tokens of one document: going forward, each costs only the tokens since the one before;
 * going back begins a container anew. Nothing to release. */
struct json_pointer_walk {
	const struct json_doc *doc; /* borrowed */
	unsigned depth;
	/* The way to the last token asked for: each container, the child of it that leads there, and where that is. */
	struct json_pointer_step {
		uint32_t container;
		uint32_t child;
		uint32_t index;
	} steps[JSON_DEPTH_MAX];
};
void json_pointer_walk_init(struct json_pointer_walk *walk, const struct json_doc *doc);
/* Appends the pointer of a token: of a value (or of a key, which gives its value's); "" is the root. At most `most`
 * bytes, cut behind a character. False: the pointer is longer. */
bool json_pointer_walk_append(struct json_pointer_walk *walk, uint32_t token, size_t most, struct buffer *out);
/* Appends one reference token of a JSON Pointer: '/' and the key with ~ and / escaped. */
void json_append_pointer_key(struct buffer *out, const char *key, size_t length);

/* Appends text as a JSON string, quotes included: the shortest escapes, '/' plain, invalid bytes as U+FFFD. */
void json_append_string(struct buffer *out, const char *text, size_t length);

#endif
