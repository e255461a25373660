#include "json/elements.h"

#include "json/scan.h"

#include <string.h>

enum state {
	DOCUMENT,    /* a document, or the end */
	FIRST_VALUE, /* of an array, or its end */
	NEXT_VALUE,  /* after a comma or a colon */
	FIRST_KEY,   /* of an object, or its end */
	NEXT_KEY,
	COLON,
	IN_VALUE,
	AFTER_VALUE, /* a comma, or the end of the container */
	OVER,
};

const char JSON_ELEMENTS_CUT[] = "the text ends too early";
const char JSON_ELEMENTS_OTHER[] = "a document of another kind";

void json_elements_remove(struct json_elements *e, size_t length)
{
	e->at -= length;
	e->start -= e->start < length ? e->start : length;
	e->keep -= e->keep < length ? e->keep : length;
}

static bool is_in_object(const struct json_elements *e)
{
	return e->depth > 0 && e->open[e->depth - 1] == '{';
}

/* Whether the container that begins here is on the path, and not a value to be handed out or skipped. */
static bool leads_on(const struct json_elements *e, char bracket)
{
	if (e->depth == 0 && bracket == '[')
		return true;
	if (!e->path[0])
		return false;
	if (!is_in_object(e)) /* a document */
		return e->keys == 0 && bracket == '{';
	if (!e->is_key)
		return false;
	return bracket == (e->path[e->keys] ? '{' : '[');
}

static void begin_value(struct json_elements *e, char first)
{
	bool is_container = first == '{' || first == '[';
	e->start = e->at;
	if (is_container && leads_on(e, first)) {
		if (first == '{' && e->keys == 0)
			e->is_led = false;
		else if (e->is_key && !e->path[e->keys])
			e->is_led = true;
		e->open[e->depth++] = first;
		e->state = first == '{' ? FIRST_KEY : FIRST_VALUE;
		e->is_key = false;
		e->at++;
		return;
	}
	if (e->is_key)
		e->keys--;
	e->is_key = false;
	/* Whether the values here are what the caller looks for: the path is complete, and this is not an object on it.
	 */
	e->is_element = !e->path[e->keys] && (e->depth == 0 || e->open[e->depth - 1] == '[');
	e->is_string = e->is_escaped = e->is_begun = false;
	e->inner = 0;
	e->state = IN_VALUE;
}

/* Takes a key that has ended, which may be the next of the path. Returns what is wrong, or NULL. */
static const char *take_key(struct json_elements *e, const char *window)
{
	const char *wanted = e->path[e->keys], *key = window + e->start + 1;
	size_t length = e->at - e->start;
	if (length < 2 || window[e->at - 1] != '"')
		return "an unterminated string";
	e->is_key = wanted && strlen(wanted) == length - 2 && memcmp(wanted, key, length - 2) == 0;
	e->keys += e->is_key;
	e->state = COLON;
	return NULL;
}

/* Skips to the end of a string whose beginning was read; false: it is not in the window. A string has no line feed, so
 * one that has was not ended. */
static bool pass_string(struct json_elements *e, const char *window, size_t length)
{
	while (e->at < length) {
		if (!e->is_escaped)
			e->at = (size_t)(json_skip_plain(window + e->at, window + length) - window);
		if (e->at == length)
			return false;
		char c = window[e->at];
		if (c == '\n' || (c == '"' && !e->is_escaped)) {
			e->is_string = false;
			e->is_escaped = false;
			e->at += c == '"';
			return true;
		}
		e->is_escaped = c == '\\' && !e->is_escaped;
		e->at++;
	}
	return false;
}

/* True: the value ends at `at`. */
static bool pass_value(struct json_elements *e, const char *window, size_t length, bool whole)
{
	while (e->at < length) {
		char c = window[e->at];
		if (e->is_string) {
			if (!pass_string(e, window, length))
				return false;
			if (e->inner == 0)
				return true;
			continue;
		}
		if (c == '\n' && e->at + 1 == length && !whole)
			return false; /* what follows decides */
		/* A document begins in the next line, while this one is not complete. */
		if (c == '\n' && e->inner > 0 && e->depth == 0 && e->at + 1 < length && window[e->at + 1] == '{')
			return true;
		if (e->inner == 0 && e->is_begun &&
		    (e->depth == 0 ? c == '\n' : c == ',' || c == ']' || c == '}' || json_is_space(c)))
			return true;
		e->is_begun = true;
		e->at++;
		if (c == '"') {
			e->is_string = true;
		} else if (c == '{' || c == '[') {
			e->inner++;
		} else if (c == '}' || c == ']') {
			e->inner -= e->inner > 0;
			if (e->inner == 0)
				return true;
		}
	}
	return whole && e->inner == 0 && !e->is_string && e->is_begun;
}

/* Takes one byte between values. Returns what is wrong, or NULL. */
static const char *take_byte(struct json_elements *e, char c)
{
	bool is_document = e->path[0] && e->keys == 0 && !is_in_object(e); /* on whose path the elements are */
	char closing = is_in_object(e) ? '}' : ']';
	bool may_close = e->depth > 0 && (e->state == FIRST_VALUE || e->state == FIRST_KEY || e->state == AFTER_VALUE);
	if (may_close && c == closing) {
		if (c == '}' && e->keys == 0 && !e->is_led)
			return JSON_ELEMENTS_OTHER;
		/* Each object but a document is the value of a key of the path, and so is the array. */
		e->depth--;
		e->is_key = false;
		if (is_in_object(e))
			e->keys--;
		e->state = e->depth == 0 ? DOCUMENT : AFTER_VALUE;
		e->at++;
	} else if (e->state == AFTER_VALUE) {
		if (c != ',')
			return is_in_object(e) ? "expected ',' or '}'" : "expected ',' or ']'";
		e->state = is_in_object(e) ? NEXT_KEY : NEXT_VALUE;
		e->at++;
	} else if (e->state == COLON) {
		if (c != ':')
			return "expected ':'";
		e->state = NEXT_VALUE;
		e->at++;
	} else if (e->state == FIRST_KEY || e->state == NEXT_KEY) {
		if (c != '"')
			return "expected a key";
		e->start = e->at++;
		e->is_string = true;
		e->is_escaped = false;
	} else if (strchr(",:]}", c) && c != '\0') {
		return "expected a value";
	} else if (is_document && c != '{' && !(c == '[' && e->depth == 0)) {
		return e->found == 0 ? JSON_ELEMENTS_OTHER : "expected '{'";
	} else {
		begin_value(e, c);
	}
	return NULL;
}

static enum json_elements_found fail(struct json_elements *e, const char *reason)
{
	e->state = OVER;
	e->reason = reason;
	return JSON_ELEMENTS_FAULT;
}

enum json_elements_found json_elements_next(struct json_elements *e, const char *window, size_t length, bool whole)
{
	while (e->state != OVER) {
		const char *wrong;
		if (e->state == IN_VALUE) {
			if (!pass_value(e, window, length, whole))
				break;
			e->state = e->depth == 0 ? DOCUMENT : AFTER_VALUE;
			if (!e->is_element)
				continue;
			e->is_element = false;
			e->end = e->at;
			e->found++;
			return JSON_ELEMENTS_ELEMENT;
		}
		if (e->is_string) {
			if (!pass_string(e, window, length))
				break;
			wrong = take_key(e, window);
		} else {
			e->at = (size_t)(json_skip_space(window + e->at, window + length) - window);
			if (e->at == length)
				break;
			wrong = take_byte(e, window[e->at]);
		}
		if (wrong)
			return fail(e, wrong);
	}
	bool is_kept = (e->state == IN_VALUE && e->is_element) || (e->state != IN_VALUE && e->is_string);
	e->keep = is_kept ? e->start : e->at;
	if (!whole && e->state != OVER)
		return JSON_ELEMENTS_MORE;
	if (e->state != DOCUMENT && e->state != OVER)
		return fail(e, JSON_ELEMENTS_CUT);
	e->state = OVER;
	return JSON_ELEMENTS_END;
}
