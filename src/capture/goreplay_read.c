/*
 * Files of GoReplay (.gor): a line `TYPE ID NANOSECONDS[ LATENCY]`, an HTTP message as it was sent, and the separator.
 * Type 1 is a request, 2 its response, 3 the response to the request when it was replayed.
 *
 * A body may hold the separator, so Content-Length, or the chunks, decide where a message ends if a separator is there.
 * Lines of a head may have lost their CR.
 */
#include "base/hash.h"
#include "capture/entry_draft.h"
#include "capture/format_rows.h"
#include "capture/goreplay.h"
#include "http/chunked.h"
#include "http/syntax.h"

#include <stdlib.h>

#define SEPARATOR_LENGTH (sizeof GOREPLAY_SEPARATOR - 1)

/* Separators of a chunked body that are tried; of more, the first ends it. */
#define SEPARATORS_TRIED 16
#define CHUNKED_AHEAD    ((size_t)1 << 20)  /* bytes that may follow the first of them */
#define CHUNK_EXTRA      ((size_t)64 << 10) /* bytes of chunk extensions and trailers */

struct message {
	const char *text, *end; /* of the HTTP message */
	const char *body;       /* after the empty line; NULL: the head does not end */
	const char *content_length;
	size_t content_length_size;
	bool is_chunked;
};

/* The line at `at`, without CR and LF; *next is what follows it. */
static size_t line_at(const char *at, const char *end, const char **next)
{
	const char *lf = memchr(at, '\n', (size_t)(end - at));
	const char *stop = lf ? lf : end;
	*next = lf ? lf + 1 : end;
	return (size_t)(stop > at && stop[-1] == '\r' ? stop - 1 - at : stop - at);
}

/* Splits name: value; the value without white space around it. False: there is no colon. */
static bool split_header(const char *line, size_t length, struct capture_header *h)
{
	const char *colon = memchr(line, ':', length);
	if (!colon)
		return false;
	const char *value = colon + 1, *end = line + length;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*h = (struct capture_header){ { line, (size_t)(colon - line) }, { value, (size_t)(end - value) } };
	return true;
}

/* Finds the end of the head, and what it says of the body. */
static void look_at_head(struct message *m)
{
	const char *at = m->text, *next;
	bool is_first = true;
	while (at < m->end) {
		struct capture_header h;
		size_t length = line_at(at, m->end, &next);
		if (length == 0 && next > at && next[-1] == '\n') {
			m->body = next;
			return;
		}
		if (!is_first && split_header(at, length, &h)) {
			if (http_is_word(h.name.text, h.name.length, "Content-Length")) {
				m->content_length = h.value.text;
				m->content_length_size = h.value.length;
			}
			if (http_is_word(h.name.text, h.name.length, "Transfer-Encoding"))
				m->is_chunked = http_list_has(h.value.text, h.value.length, "chunked");
		}
		is_first = false;
		at = next;
	}
}

/* The bytes that Content-Length says; false: it says none, or more than there are. */
static bool length_of(const struct message *m, size_t most, size_t *length)
{
	*length = 0;
	for (size_t i = 0; i < m->content_length_size; i++) {
		char c = m->content_length[i];
		if (c < '0' || c > '9' || *length > most)
			return false;
		*length = *length * 10 + (size_t)(c - '0');
	}
	return m->content_length_size > 0 && *length <= most;
}

/* Decodes a chunked body, where `out` is not NULL into it. Returns its end, or NULL: it does not end. */
static const char *decode_chunks(const char *at, const char *end, struct buffer *out)
{
	struct http_chunked chunked;
	http_chunked_init(&chunked, SOURCE_PAYLOAD_MAX, CHUNK_EXTRA, 100);
	for (;;) {
		const char *data;
		size_t used = 0, length = 0;
		enum http_chunk got = http_chunked_feed(&chunked, at, (size_t)(end - at), &used, &data, &length);
		at += used;
		if (got == HTTP_CHUNK_END)
			return at;
		if (got != HTTP_CHUNK_DATA)
			return NULL;
		if (out)
			buffer_append(out, data, length);
	}
}

static const char *find_separator(const char *at, const char *end)
{
	return at < end ? memmem(at, (size_t)(end - at), GOREPLAY_SEPARATOR, SEPARATOR_LENGTH) : NULL;
}

static bool is_separator(const char *at, const char *end)
{
	return (size_t)(end - at) >= SEPARATOR_LENGTH && memcmp(at, GOREPLAY_SEPARATOR, SEPARATOR_LENGTH) == 0;
}

/* Of a message whose first separator is at `first`: the one that ends it. NULL: more of the window is needed. */
static const char *last_separator(const char *start, const char *first, const char *end, bool whole)
{
	const char *message;
	size_t length;
	line_at(start, first, &message);
	struct message m = { .text = message, .end = first };
	look_at_head(&m);
	if (!m.body)
		return first;
	if (length_of(&m, SOURCE_PAYLOAD_MAX, &length) && length > (size_t)(first - m.body)) {
		if ((size_t)(end - m.body) < length + SEPARATOR_LENGTH)
			return whole ? first : NULL;
		return is_separator(m.body + length, end) ? m.body + length : first;
	}
	const char *last = first;
	for (int tried = 0; m.is_chunked && (size_t)(end - first) < CHUNKED_AHEAD && tried < SEPARATORS_TRIED;
	     tried++) {
		if (decode_chunks(m.body, last, NULL) == last)
			return last;
		last = find_separator(last + 1, end);
		if (!last)
			return whole ? first : NULL;
	}
	return first;
}

/* cursor->inner is how far no separator was found. */
static enum json_elements_found find_message(struct json_elements *cursor, const char *window, size_t length,
                                             bool whole)
{
	const char *end = window + length, *start = window + cursor->at;
	cursor->start = cursor->keep = cursor->at;
	if (source_is_blank(start, (size_t)(end - start)))
		return whole ? JSON_ELEMENTS_END : JSON_ELEMENTS_MORE;
	const char *first = find_separator(start + cursor->inner, end);
	const char *last = first ? last_separator(start, first, end, whole) : NULL;
	if (!first)
		cursor->inner = length - cursor->at > SEPARATOR_LENGTH ? length - cursor->at - SEPARATOR_LENGTH : 0;
	if (!last && !whole)
		return JSON_ELEMENTS_MORE;
	cursor->inner = 0;
	cursor->end = last ? (size_t)(last - window) : length;
	cursor->at = last ? cursor->end + SEPARATOR_LENGTH : length;
	return JSON_ELEMENTS_ELEMENT;
}

/* 1 ID NANOSECONDS[ LATENCY]; false: it is not that. */
static bool read_first_line(struct entry_draft *d, const char *line, size_t length, char *type)
{
	struct entry *entry = d->entry;
	const char *end = line + length, *id = line + 2;
	if (length < 4 || line[0] < '1' || line[0] > '3' || line[1] != ' ')
		return false;
	const char *space = memchr(id, ' ', (size_t)(end - id));
	if (!space || space == id)
		return false;
	uint64_t ns = 0;
	const char *at = space + 1, *digits = at;
	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		if (ns > (uint64_t)INT64_MAX / 10 - 1)
			return false;
		ns = ns * 10 + (uint64_t)(*at - '0');
	}
	if (at == digits || (at < end && *at != ' '))
		return false;
	*type = line[0];
	entry->pair = hash_bytes(id, (size_t)(space - id));
	entry->record.received_us = (int64_t)(ns / 1000);
	return true;
}

/* POST /hook HTTP/1.1 */
static bool read_request_line(struct entry_draft *d, const char *line, size_t length)
{
	struct capture_record *record = &d->entry->record;
	const char *end = line + length, *space = memchr(line, ' ', length), *last = memrchr(line, ' ', length);
	if (!space || last == space || (size_t)(end - last) < 6 || memcmp(last + 1, "HTTP/", 5) != 0)
		return entry_draft_fail(d, "it is not a request of HTTP/1");
	record->method = entry_draft_copy(d, line, (size_t)(space - line));
	record->target = entry_draft_copy(d, space + 1, (size_t)(last - space - 1));
	return true;
}

static bool read_headers(struct entry_draft *d, const char *at, const char *end)
{
	for (const char *next; at < end; at = next) {
		struct capture_header h;
		size_t length = line_at(at, end, &next);
		if (length == 0)
			return true;
		if (!split_header(at, length, &h))
			return entry_draft_fail(d, "a line of its head is not a header");
		entry_draft_header(d, entry_draft_copy(d, h.name.text, h.name.length),
		                   entry_draft_copy(d, h.value.text, h.value.length));
	}
	return true;
}

static void read_body(struct entry_draft *d, const struct message *m)
{
	struct entry *entry = d->entry;
	entry->body_at = (size_t)(m->body - entry->text);
	entry->body_is_raw = !m->is_chunked;
	if (!m->is_chunked) {
		entry->record.body = entry_draft_copy(d, m->body, (size_t)(m->end - m->body));
		return;
	}
	size_t start = d->scratch->bytes.length;
	if (decode_chunks(m->body, m->end, &d->scratch->bytes) != m->end)
		entry_draft_fail(d, "its chunked body is not complete");
	else
		entry->record.body = entry_draft_since(d, start);
}

/* HTTP/1.1 200 OK */
static void read_status(struct entry_draft *d, const char *line, size_t length)
{
	struct capture_record *record = &d->entry->record;
	const char *space = memchr(line, ' ', length);
	if (length < 12 || !space || line + length - space < 4 || memcmp(line, "HTTP/", 5) != 0)
		return;
	int status = 0;
	for (int i = 1; i <= 3; i++) {
		if (space[i] < '0' || space[i] > '9')
			return;
		status = status * 10 + (space[i] - '0');
	}
	record->status = status >= 100 ? status : 0;
}

static void read_message(struct entry_draft *d)
{
	struct entry *entry = d->entry;
	const char *end = entry->text + entry->length, *next;
	char type = 0;
	size_t length = line_at(entry->text, end, &next);
	if (!read_first_line(d, entry->text, length, &type)) {
		entry_draft_fail(d, "its first line is not TYPE ID TIME");
		return;
	}
	struct message m = { .text = next, .end = end };
	length = line_at(m.text, end, &next);
	if (type != '1') {
		entry->kind = ENTRY_RESPONSE;
		if (type == '2')
			read_status(d, m.text, length);
		return;
	}
	look_at_head(&m);
	if (!read_request_line(d, m.text, length) || !read_headers(d, next, m.body ? m.body : end))
		return;
	if (m.body)
		read_body(d, &m);
	else
		entry_draft_fail(d, "its head is cut off");
}

const struct format_reader format_goreplay_reader = { .find = find_message,
	                                              .read = read_message,
	                                              .order = ENTRY_ORDER_WINDOW };
