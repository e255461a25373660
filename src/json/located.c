#include "json/located.h"

#include "base/ascii.h"
#include "base/utf8.h"
#include "json/fault.h"
#include "json/scan.h"

#include <stdlib.h>

#define LIKELY(condition)   __builtin_expect((condition), 1)
#define UNLIKELY(condition) __builtin_expect((condition), 0)

/* How much is read between two questions whether to stop. Tokens are counted by the room for them, so that this costs
 * nothing; what has few tokens is long in strings, of which only those with escapes or characters outside ASCII are
 * slow to read. */
#define TOKENS_PER_QUESTION 4096
#define BYTES_PER_QUESTION  ((size_t)64 << 10)

/* One pass over one text. The position is passed from function to function, so that it stays in a register; NULL means
 * a fault, described in *fault. */
struct reader {
	const char *text;
	const char *end;
	struct json_token *tokens;
	size_t room;        /* tokens that fit before make_room() is to be called */
	const char *ask_at; /* where read_special() asks whether to stop */
	uint32_t count;
	uint32_t open; /* the innermost open container, or JSON_NONE; its `next` is the container around it */
	unsigned depth;
	bool in_object;
	struct json_doc *doc;
	struct json_fault *fault;
};

static const char out_of_memory[] = "out of memory", stopped[] = "interrupted";

bool json_fault_is_memory(const struct json_fault *fault)
{
	return fault->reason == out_of_memory;
}

bool json_fault_is_stopped(const struct json_fault *fault)
{
	return fault->reason == stopped;
}

void json_doc_release(struct json_doc *doc)
{
	struct json_stop stop = doc->stop;
	free(doc->tokens);
	*doc = JSON_DOC_INIT;
	doc->stop = stop;
}

__attribute__((cold, noinline)) static const char *fail(struct reader *r, const char *at, const char *reason)
{
	if (r->fault)
		*r->fault = (struct json_fault){ (size_t)(at - r->text), reason };
	return NULL;
}

__attribute__((cold, noinline)) static const char *unexpected(struct reader *r, const char *at,
                                                              enum json_expected expected)
{
	size_t length = (size_t)(r->end - r->text), offset = (size_t)(at - r->text);
	return fail(r, at, json_fault_reason(expected, r->text, length, offset));
}

/* A key with its colon, and a value with the comma or bracket after it, take at least two bytes per token; only an open
 * bracket may take one. That limits the tokens of a text, including the two that the caller needs room for. */
static bool grow(struct reader *r)
{
	size_t most = (size_t)(r->end - r->text) / 2 + JSON_DEPTH_MAX;
	size_t wanted = r->doc->capacity < 32 ? 64 : 2 * r->doc->capacity;
	if (wanted > most)
		wanted = most;
	struct json_token *grown = realloc(r->tokens, wanted * sizeof *grown);
	if (!grown)
		return false;
	r->doc->tokens = r->tokens = grown;
	r->doc->capacity = wanted;
	return true;
}

/* Makes room for two tokens or more, and asks whether to stop. */
__attribute__((cold, noinline)) static const char *make_room(struct reader *r, const char *at)
{
	if (json_is_stopped(r->doc))
		return fail(r, at, stopped);
	if (r->doc->capacity - r->count < 2 && !grow(r))
		return fail(r, at, out_of_memory);
	size_t left = r->doc->capacity - r->count;
	r->room = r->count + (left < TOKENS_PER_QUESTION ? left : TOKENS_PER_QUESTION);
	return at;
}

static inline void put(struct reader *r, const char *start, const char *end, enum json_token_type type, unsigned flags)
{
	uint32_t index = r->count++;
	r->tokens[index] = (struct json_token){
		.start = (uint32_t)(start - r->text),
		.end = (uint32_t)(end - r->text),
		.next = index + 1,
		.type = (uint8_t)type,
		.flags = (uint8_t)flags,
	};
}

/* The four digits of a \u escape at `at`; *fault_at is the first byte that is not a digit, or NULL. */
static uint32_t read_hex(const char *at, const char *end, const char **fault_at)
{
	uint32_t unit = 0;
	*fault_at = NULL;
	for (int i = 0; i < 4; i++, at++) {
		uint32_t digit = at < end ? ascii_hex_value(*at) : 16;
		if (digit == 16) {
			*fault_at = at;
			return 0;
		}
		unit = unit << 4 | digit;
	}
	return unit;
}

/* An escape or a surrogate pair of escapes, from its backslash on. */
static const char *read_escape(struct reader *r, const char *backslash)
{
	static const char escapes[] = "\"\\/bfnrtu";
	const char *at = backslash + 1, *fault_at;
	if (at == r->end || !memchr(escapes, *at, sizeof escapes - 1))
		return unexpected(r, at, JSON_EXPECTED_ESCAPE);
	if (*at++ != 'u')
		return at;
	uint32_t unit = read_hex(at, r->end, &fault_at);
	if (fault_at)
		return unexpected(r, fault_at, JSON_EXPECTED_HEX);
	at += 4;
	if (unit < 0xD800 || unit > 0xDFFF)
		return at;
	if (unit <= 0xDBFF) {
		static const char lead[] = { '\\', 'u' };
		for (int i = 0; i < 2; i++, at++) {
			if (at == r->end)
				return unexpected(r, at, JSON_EXPECTED_STRING);
			if (*at != lead[i])
				return fail(r, backslash, "a lone surrogate");
		}
		unit = read_hex(at, r->end, &fault_at);
		if (fault_at)
			return unexpected(r, fault_at, JSON_EXPECTED_HEX);
		if (unit >= 0xDC00 && unit <= 0xDFFF)
			return at + 4;
	}
	return fail(r, backslash, "a lone surrogate");
}

/* Skips what json_skip_plain() does not: an escape, or a run of characters outside ASCII. */
__attribute__((noinline)) static const char *read_special(struct reader *r, const char *at)
{
	if (UNLIKELY(at >= r->ask_at)) {
		if (json_is_stopped(r->doc))
			return fail(r, at, stopped);
		r->ask_at = (size_t)(r->end - at) > BYTES_PER_QUESTION ? at + BYTES_PER_QUESTION : r->end;
	}
	if (at < r->end && *at == '\\')
		return read_escape(r, at);
	const char *start = at;
	while (at < r->ask_at && (unsigned char)*at >= 0x80) {
		uint32_t code_point;
		size_t size = utf8_decode(at, (size_t)(r->end - at), &code_point);
		if (size == 0)
			break;
		at += size;
	}
	if (at > start && at < r->end && ((unsigned char)*at < 0x80 || at >= r->ask_at))
		return at;
	return unexpected(r, at, JSON_EXPECTED_STRING);
}

/* A string, from its opening quote on. */
static inline const char *read_string(struct reader *r, const char *start, unsigned flags)
{
	for (const char *at = start + 1; at;) {
		at = json_skip_plain(at, r->end);
		if (LIKELY(at < r->end && *at == '"')) {
			put(r, start, at + 1, JSON_STRING, flags);
			return at + 1;
		}
		if (at < r->end && *at == '\\')
			flags |= JSON_ESCAPED;
		at = read_special(r, at);
	}
	return NULL;
}

static inline const char *read_digits(struct reader *r, const char *at)
{
	if (at == r->end || !ascii_is_digit(*at))
		return unexpected(r, at, JSON_EXPECTED_DIGIT);
	do
		at++;
	while (at < r->end && ascii_is_digit(*at));
	return at;
}

static const char *read_number(struct reader *r, const char *start)
{
	const char *digits = *start == '-' ? start + 1 : start;
	const char *at = read_digits(r, digits);
	unsigned flags = 0;
	if (!at)
		return NULL;
	if (*digits == '0' && at - digits > 1)
		return fail(r, digits + 1, "a number cannot begin with 0 (in quotes, if it is text)");
	if (at < r->end && *at == '.') {
		flags |= JSON_FRACTION;
		at = read_digits(r, at + 1);
		if (!at)
			return NULL;
	}
	if (at < r->end && (*at == 'e' || *at == 'E')) {
		flags |= JSON_EXPONENT;
		at++;
		if (at < r->end && (*at == '+' || *at == '-'))
			at++;
		at = read_digits(r, at);
		if (!at)
			return NULL;
	}
	put(r, start, at, JSON_NUMBER, flags);
	return at;
}

static const char *read_literal(struct reader *r, const char *start)
{
	enum json_token_type type = *start == 'n' ? JSON_NULL : *start == 't' ? JSON_TRUE : JSON_FALSE;
	static const char *const words[] = { [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true" };
	const char *at = start;
	for (const char *word = words[type]; *word; word++, at++)
		if (at == r->end || *at != *word)
			return unexpected(r, at, JSON_EXPECTED_LITERAL);
	put(r, start, at, type, 0);
	return at;
}

/* Opens the container whose bracket is at `at`; returns its first byte that is not white space. */
static const char *open_container(struct reader *r, const char *at)
{
	_Static_assert(JSON_DEPTH_MAX == 64, "the message contains the number");
	if (r->depth == JSON_DEPTH_MAX)
		return fail(r, at, "nesting deeper than 64");
	r->depth++;
	r->in_object = *at == '{';
	uint32_t around = r->open;
	r->open = r->count;
	put(r, at, at, r->in_object ? JSON_OBJECT : JSON_ARRAY, 0);
	r->tokens[r->open].next = around;
	return json_skip_space(at + 1, r->end);
}

static void close_container(struct reader *r, const char *end)
{
	struct json_token *container = &r->tokens[r->open];
	r->depth--;
	r->open = container->next;
	container->next = r->count;
	container->end = (uint32_t)(end - r->text);
	r->in_object = r->depth > 0 && r->tokens[r->open].type == JSON_OBJECT;
}

/* A key and its colon, up to the value. */
static inline const char *read_key(struct reader *r, const char *at)
{
	if (UNLIKELY(at == r->end || *at != '"'))
		return unexpected(r, at, JSON_EXPECTED_KEY);
	at = read_string(r, at, JSON_KEY);
	if (UNLIKELY(!at))
		return NULL;
	at = json_skip_space(at, r->end);
	if (UNLIKELY(at == r->end || *at != ':'))
		return unexpected(r, at, JSON_EXPECTED_COLON);
	return json_skip_space(at + 1, r->end);
}

/* A whole scalar, or the opening bracket of a container. */
static inline const char *read_value(struct reader *r, const char *at)
{
	if (UNLIKELY(at == r->end))
		return unexpected(r, at, JSON_EXPECTED_VALUE);
	if (LIKELY(*at == '"'))
		return read_string(r, at, 0);
	if (ascii_is_digit(*at) || *at == '-')
		return read_number(r, at);
	if (*at == '{' || *at == '[')
		return open_container(r, at);
	if (*at == 'n' || *at == 't' || *at == 'f')
		return read_literal(r, at);
	return unexpected(r, at, JSON_EXPECTED_VALUE);
}

/* From the end of a value to the next key or value, closing the containers that end here; or to the end of the root. */
static inline const char *read_separator(struct reader *r, const char *at)
{
	while (r->depth > 0) {
		at = json_skip_space(at, r->end);
		if (LIKELY(at < r->end && *at == ','))
			return json_skip_space(at + 1, r->end);
		if (UNLIKELY(at == r->end || *at != (r->in_object ? '}' : ']')))
			return unexpected(r, at,
			                  r->in_object ? JSON_EXPECTED_COMMA_OR_BRACE : JSON_EXPECTED_COMMA_OR_BRACKET);
		close_container(r, ++at);
	}
	return at;
}

static const char *read_root(struct reader *r, const char *at)
{
	do {
		/* For a key and its value. */
		if (UNLIKELY(r->room - r->count < 2) && !make_room(r, at))
			return NULL;
		if (r->in_object) {
			at = read_key(r, at);
			if (UNLIKELY(!at))
				return NULL;
		}
		unsigned depth = r->depth;
		at = read_value(r, at);
		if (UNLIKELY(!at))
			return NULL;
		bool opened = r->depth > depth;
		if (opened && (at == r->end || *at != (r->in_object ? '}' : ']')))
			continue;
		at = read_separator(r, at);
	} while (at && r->depth > 0);
	return at;
}

/* At a fault, *r stays where it was found. */
static bool read_document(struct reader *r, struct json_doc *doc, const char *text, size_t length,
                          struct json_fault *fault)
{
	if (length == 0)
		text = "";
	*r = (struct reader){
		.text = text,
		.end = text + length,
		.tokens = doc->tokens,
		.room = doc->capacity < TOKENS_PER_QUESTION ? doc->capacity : TOKENS_PER_QUESTION,
		.ask_at = length > BYTES_PER_QUESTION ? text + BYTES_PER_QUESTION : text + length,
		.open = JSON_NONE,
		.doc = doc,
		.fault = fault,
	};
	doc->text = text;
	doc->length = length;
	doc->count = 0;
	if (length > JSON_TEXT_MAX)
		return fail(r, text + JSON_TEXT_MAX, "the text is longer than 1 GiB");
	const char *at = read_root(r, json_skip_space(text, r->end));
	if (!at)
		return false;
	at = json_skip_space(at, r->end);
	return at == r->end || unexpected(r, at, JSON_EXPECTED_END);
}

bool json_read(struct json_doc *doc, const char *text, size_t length, struct json_fault *fault)
{
	struct reader r;
	bool is_read = read_document(&r, doc, text, length, fault);
	doc->count = is_read ? r.count : 0;
	return is_read;
}

bool json_read_beginning(struct json_doc *doc, const char *text, size_t length, struct json_fault *fault)
{
	enum { LONGEST_CHARACTER = 4 };
	struct reader r;
	struct json_fault own;
	fault = fault ? fault : &own;
	fault->reason = NULL;
	bool is_read = read_document(&r, doc, text, length, fault);
	bool is_over = is_read ||
	               (!json_fault_is_memory(fault) && (r.depth == 0 || fault->offset + LONGEST_CHARACTER <= length));
	if (r.count > 0 && r.tokens[r.count - 1].flags & JSON_KEY)
		r.count--;
	while (r.depth > 0)
		close_container(&r, text + fault->offset);
	doc->count = r.count;
	return is_over;
}
