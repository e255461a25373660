#include "base/clock.h"
#include "capture/record.h"

#include <stdlib.h>
#include <string.h>

/* The keys of a record, in the order in which they are written. */
enum key {
	KEY_V,
	KEY_SEQ,
	KEY_RECEIVED_AT,
	KEY_REMOTE,
	KEY_VIA,
	KEY_SCHEME,
	KEY_METHOD,
	KEY_TARGET,
	KEY_HEADERS,
	KEY_BODY,
	KEY_BODY_BASE64,
	KEY_EVENT,
	KEY_VALID,
	KEY_REDACTED,
	KEY_RESPONSE,
	KEYS,
};

static const char *const key_names[KEYS] = {
	"v",       "seq",  "received_at", "remote", "via",   "scheme",   "method",   "target",
	"headers", "body", "body_base64", "event",  "valid", "redacted", "response",
};

struct record_parse {
	const struct json_doc *doc; /* the scratch's */
	uint32_t values[KEYS];      /* tokens; JSON_NONE: absent */
	struct capture_scratch *scratch;
	struct capture_record *record;
	struct error *err;
};

void capture_scratch_release(struct capture_scratch *scratch)
{
	struct json_stop stop = scratch->doc.stop;
	json_doc_release(&scratch->doc);
	buffer_release(&scratch->bytes);
	free(scratch->headers);
	*scratch = CAPTURE_SCRATCH_INIT;
	scratch->doc.stop = stop;
}

bool capture_scratch_begin(struct capture_scratch *scratch, size_t room)
{
	buffer_clear(&scratch->bytes);
	bool good = buffer_reserve(&scratch->bytes, room);
	scratch->fixed = scratch->bytes.data;
	return good;
}

struct text capture_scratch_since(struct capture_scratch *scratch, size_t start)
{
	struct buffer *bytes = &scratch->bytes;
	size_t length = bytes->length - start;
	buffer_append_byte(bytes, '\0');
	bytes->failed |= bytes->data != scratch->fixed;
	return bytes->failed ? (struct text){ NULL, 0 } : (struct text){ bytes->data + start, length };
}

struct text capture_scratch_text(struct capture_scratch *scratch, uint32_t token)
{
	size_t start = scratch->bytes.length;
	if (!json_is(&scratch->doc, token, JSON_STRING))
		return (struct text){ NULL, 0 };
	json_string_decode(&scratch->doc, token, &scratch->bytes);
	return capture_scratch_since(scratch, start);
}

/* A JSON string may write any character as an escape, also those of base64. */
bool capture_scratch_base64(struct capture_scratch *scratch, uint32_t token, struct text *out)
{
	const struct json_doc *doc = &scratch->doc;
	struct buffer *bytes = &scratch->bytes;
	const struct json_token *t = &doc->tokens[token];
	size_t start = bytes->length;
	LOCAL_BUFFER plain = BUFFER_FOR(bytes);
	if (t->flags & JSON_ESCAPED)
		json_string_decode(doc, token, &plain);
	bool good = t->flags & JSON_ESCAPED
	                    ? buffer_decode_base64(bytes, buffer_text(&plain), plain.length)
	                    : buffer_decode_base64(bytes, doc->text + t->start + 1, t->end - t->start - 2u);
	*out = capture_scratch_since(scratch, start);
	return good;
}

void capture_scratch_header(struct capture_scratch *scratch, struct message *request, struct text name,
                            struct text value)
{
	size_t count = request->header_count;
	if (!ARRAY_ROOM(scratch->headers, scratch->header_capacity, count + 1)) {
		scratch->bytes.failed = true;
		return;
	}
	scratch->headers[count] = (struct header){ name, value };
	request->headers = scratch->headers;
	request->header_count = count + 1;
}

/* Finds the values in one pass: a search for each key took a third of the time to read a record. */
static void find_values(const struct json_doc *doc, uint32_t values[KEYS])
{
	unsigned expected = KEY_V;
	for (unsigned i = 0; i < KEYS; i++)
		values[i] = JSON_NONE;
	if (!json_is(doc, 0, JSON_OBJECT))
		return;
	for (uint32_t at = 1; at < doc->tokens[0].next; at = doc->tokens[at + 1].next) {
		for (unsigned i = 0; i < KEYS; i++) {
			unsigned key = (expected + i) % KEYS; /* usually it is the expected one */
			if (!json_string_is(doc, at, key_names[key], strlen(key_names[key])))
				continue;
			values[key] = at + 1;
			expected = key + 1;
			break;
		}
	}
}

static bool is_null_or_absent(const struct json_doc *doc, uint32_t token)
{
	return token == JSON_NONE || json_is(doc, token, JSON_NULL);
}

static bool are_of_record(const uint32_t values[KEYS])
{
	return values[KEY_V] != JSON_NONE && values[KEY_RECEIVED_AT] != JSON_NONE &&
	       (values[KEY_BODY] != JSON_NONE || values[KEY_BODY_BASE64] != JSON_NONE);
}

bool capture_begins_as_record(const char *text, size_t length)
{
	size_t start = strlen(CAPTURE_RECORD_START);
	return length >= start && memcmp(text, CAPTURE_RECORD_START, start) == 0;
}

static bool has_member(const struct json_doc *doc, const char *key)
{
	return json_member(doc, 0, key, strlen(key)) != JSON_NONE;
}

enum capture_item_type capture_line_of(const struct json_doc *doc)
{
	uint32_t values[KEYS], type = json_member(doc, 0, "type", 4);
	find_values(doc, values);
	if (are_of_record(values))
		return CAPTURE_ITEM_RECORD;
	if (json_string_is(doc, type, "event", 5) && has_member(doc, "seq") && has_member(doc, "received_at"))
		return CAPTURE_ITEM_BODILESS;
	if ((json_string_is(doc, type, "ready", 5) && has_member(doc, "pid")) ||
	    (json_string_is(doc, type, "cause", 5) && has_member(doc, "failed")) ||
	    (json_string_is(doc, type, "summary", 7) && has_member(doc, "received")))
		return CAPTURE_ITEM_SKIP;
	/* A record without its body is none that can be read, but no payload either: its headers may have secrets. */
	bool is_rest =
	        values[KEY_V] != JSON_NONE && values[KEY_RECEIVED_AT] != JSON_NONE && values[KEY_HEADERS] != JSON_NONE;
	return is_rest ? CAPTURE_ITEM_RECORD : CAPTURE_ITEM_PAYLOAD;
}

bool capture_begins_as_line(const char *text, size_t length)
{
	static const char stream[] = "{\"type\":\"";
	return capture_begins_as_record(text, length) ||
	       (length >= strlen(stream) && memcmp(text, stream, strlen(stream)) == 0);
}

static int refuse_value(const struct record_parse *r, const char *key, const char *type)
{
	return error_set(r->err, EXIT_CODE_FAILED, "record key '%s' is not %s", key, type);
}

/* A string, or {"base64":"..."}. */
static int read_text(struct record_parse *r, uint32_t token, const char *key, struct text *out)
{
	if (json_is(r->doc, token, JSON_STRING)) {
		*out = capture_scratch_text(r->scratch, token);
		return 0;
	}
	uint32_t inner = json_member(r->doc, token, "base64", 6);
	if (!json_is(r->doc, inner, JSON_STRING))
		return refuse_value(r, key, "a string");
	return capture_scratch_base64(r->scratch, inner, out) ? 0 : refuse_value(r, key, "base64");
}

static int read_optional_text(struct record_parse *r, enum key key, struct text *out)
{
	uint32_t token = r->values[key];
	return is_null_or_absent(r->doc, token) ? 0 : read_text(r, token, key_names[key], out);
}

static int read_numbers(struct record_parse *r)
{
	uint64_t version;
	if (!json_unsigned(r->doc, r->values[KEY_V], 1, &version) || version != 1)
		return error_set(r->err, EXIT_CODE_FAILED, "record key 'v' is not 1: written by another version");
	uint32_t seq = r->values[KEY_SEQ];
	if (seq != JSON_NONE && !json_unsigned(r->doc, seq, UINT64_MAX, &r->record->seq))
		return refuse_value(r, "seq", "an integer of 0 or more");
	uint32_t received = r->values[KEY_RECEIVED_AT];
	if (!json_is(r->doc, received, JSON_STRING))
		return refuse_value(r, "received_at", "a string");
	struct text stamp = r->record->received_at = capture_scratch_text(r->scratch, received);
	if (!stamp.text || strlen(stamp.text) != stamp.length ||
	    !clock_parse_stamp(stamp.text, &r->record->received_us))
		return refuse_value(r, "received_at", "an RFC 3339 time");
	return 0;
}

static int read_headers(struct record_parse *r)
{
	const struct json_doc *doc = r->doc;
	uint32_t array = r->values[KEY_HEADERS];
	if (is_null_or_absent(doc, array))
		return 0;
	if (!json_is(doc, array, JSON_ARRAY))
		return refuse_value(r, "headers", "an array of [name, value]");
	for (uint32_t pair = array + 1; pair < doc->tokens[array].next; pair = doc->tokens[pair].next) {
		struct text name, value;
		if (!json_is(doc, pair, JSON_ARRAY) || json_element(doc, pair, 1) == JSON_NONE ||
		    json_element(doc, pair, 2) != JSON_NONE)
			return refuse_value(r, "headers", "an array of [name, value]");
		if (read_text(r, json_element(doc, pair, 0), "headers", &name) < 0 ||
		    read_text(r, json_element(doc, pair, 1), "headers", &value) < 0)
			return -1;
		capture_scratch_header(r->scratch, &r->record->request, name, value);
	}
	return 0;
}

static int read_body(struct record_parse *r)
{
	struct capture_record *record = r->record;
	uint32_t plain = r->values[KEY_BODY], encoded = r->values[KEY_BODY_BASE64];
	if (plain != JSON_NONE && encoded != JSON_NONE)
		return error_set(r->err, EXIT_CODE_FAILED, "record has both 'body' and 'body_base64'");
	record->body_base64 = encoded != JSON_NONE;
	record->body_token = record->body_base64 ? encoded : plain;
	if (!json_is(r->doc, record->body_token, JSON_STRING))
		return refuse_value(r, record->body_base64 ? "body_base64" : "body", "a string");
	if (!record->body_base64)
		record->request.body = capture_scratch_text(r->scratch, plain);
	else if (!capture_scratch_base64(r->scratch, encoded, &record->request.body))
		return refuse_value(r, "body_base64", "base64");
	return 0;
}

static int read_valid(struct record_parse *r)
{
	uint32_t token = r->values[KEY_VALID];
	if (is_null_or_absent(r->doc, token))
		return 0;
	bool is_true = json_is(r->doc, token, JSON_TRUE);
	if (!is_true && !json_is(r->doc, token, JSON_FALSE))
		return refuse_value(r, "valid", "a boolean");
	r->record->valid = is_true ? CAPTURE_VALID : CAPTURE_INVALID;
	return 0;
}

/* The beginning of its body, in one of two forms. */
static int read_response_text(struct record_parse *r, uint32_t response)
{
	uint32_t type = json_member(r->doc, response, "type", 4), text = json_member(r->doc, response, "text", 4);
	uint32_t encoded = json_member(r->doc, response, "text_base64", 11);
	struct capture_record *record = r->record;
	if (type != JSON_NONE && read_text(r, type, "response.type", &record->response_type) < 0)
		return -1;
	if (text != JSON_NONE)
		return read_text(r, text, "response.text", &record->response_text);
	if (encoded == JSON_NONE)
		return 0;
	if (!json_is(r->doc, encoded, JSON_STRING) ||
	    !capture_scratch_base64(r->scratch, encoded, &record->response_text))
		return refuse_value(r, "response.text_base64", "base64");
	return 0;
}

static int read_response(struct record_parse *r)
{
	uint32_t token = r->values[KEY_RESPONSE];
	if (is_null_or_absent(r->doc, token))
		return 0;
	if (!json_is(r->doc, token, JSON_OBJECT))
		return refuse_value(r, "response", "an object");
	uint32_t status = json_member(r->doc, token, "status", 6), fault = json_member(r->doc, token, "fault", 5);
	uint64_t value = 0;
	if (status != JSON_NONE && (!json_unsigned(r->doc, status, 999, &value) || value < 100))
		return refuse_value(r, "response.status", "an HTTP status");
	r->record->status = (int)value;
	if (fault != JSON_NONE && read_text(r, fault, "response.fault", &r->record->fault) < 0)
		return -1;
	return read_response_text(r, token);
}

static int read_scheme(struct record_parse *r)
{
	uint32_t token = r->values[KEY_SCHEME];
	if (!is_null_or_absent(r->doc, token) && !json_is(r->doc, token, JSON_STRING))
		return refuse_value(r, "scheme", "a string");
	r->record->is_https = json_string_is(r->doc, token, "https", strlen("https"));
	return 0;
}

/* Keeps the object as it is written, on one line. */
static int read_redacted(struct record_parse *r)
{
	uint32_t token = r->values[KEY_REDACTED];
	if (is_null_or_absent(r->doc, token))
		return 0;
	if (!json_is(r->doc, token, JSON_OBJECT))
		return refuse_value(r, "redacted", "an object");
	struct buffer *bytes = &r->scratch->bytes;
	size_t start = bytes->length;
	for (uint32_t at = r->doc->tokens[token].start; at < r->doc->tokens[token].end; at++)
		buffer_append_byte(bytes, (unsigned char)r->doc->text[at] < ' ' ? ' ' : r->doc->text[at]);
	r->record->redacted = capture_scratch_since(r->scratch, start);
	return 0;
}

int capture_record_from_doc(struct capture_scratch *scratch, struct capture_record *record, struct error *err)
{
	struct record_parse r = { .doc = &scratch->doc, .scratch = scratch, .record = record, .err = err };
	find_values(r.doc, r.values);
	*record = (struct capture_record){ .body_token = JSON_NONE };
	if (r.values[KEY_V] != JSON_NONE && r.values[KEY_RECEIVED_AT] != JSON_NONE && !are_of_record(r.values))
		return error_set(err, EXIT_CODE_FAILED, "a record without its body");
	if (!are_of_record(r.values))
		return error_set(err, EXIT_CODE_FAILED, "not a capture record: missing 'v', 'received_at' or 'body'");
	/* The decoded texts of a record are not longer than its line. */
	if (!capture_scratch_begin(scratch, r.doc->length))
		return error_no_memory(err);
	bool is_bad = read_numbers(&r) < 0 || read_optional_text(&r, KEY_REMOTE, &record->remote) < 0 ||
	              read_optional_text(&r, KEY_VIA, &record->via) < 0 || read_scheme(&r) < 0 ||
	              read_optional_text(&r, KEY_METHOD, &record->request.method) < 0 ||
	              read_optional_text(&r, KEY_TARGET, &record->request.target) < 0 || read_headers(&r) < 0 ||
	              read_body(&r) < 0 || read_optional_text(&r, KEY_EVENT, &record->event) < 0 ||
	              read_valid(&r) < 0 || read_redacted(&r) < 0 || read_response(&r) < 0;
	/* A text for which there was no memory looks like one of a wrong type. */
	if (scratch->bytes.failed)
		return error_no_memory(err);
	return is_bad ? -1 : 0;
}

int capture_record_parse(struct capture_scratch *scratch, const char *line, size_t length,
                         struct capture_record *record, struct error *err)
{
	struct json_fault fault;
	if (json_read(&scratch->doc, line, length, &fault))
		return capture_record_from_doc(scratch, record, err);
	*record = (struct capture_record){ .body_token = JSON_NONE };
	if (json_fault_is_memory(&fault))
		return error_no_memory(err);
	return error_set(err, EXIT_CODE_FAILED, "not JSON at column %zu: %s",
	                 json_place_of(line, length, fault.offset).column, fault.reason);
}

void body_map_init(struct body_map *map, const struct json_doc *doc, const struct capture_record *record)
{
	const struct json_token *token = &doc->tokens[record->body_token];
	*map = (struct body_map){ .text = doc->text + token->start + 1,
		                  .start = token->start + 1,
		                  .end = token->end - 1,
		                  .base64 = record->body_base64 };
}

size_t body_map_offset(void *context, size_t offset, bool keep)
{
	struct body_map *map = context;
	if (map->base64)
		return map->start;
	bool forward = offset >= map->decoded;
	size_t quoted = forward ? map->quoted : 0, decoded = forward ? map->decoded : 0;
	while (decoded < offset && map->start + quoted < map->end) {
		const char *at = map->text + quoted;
		char character[4];
		size_t size = 1;
		size_t taken = *at == '\\' ? (size_t)(json_unescape_one(at, character, &size) - at) : 1;
		if (decoded + size > offset)
			break;
		decoded += size;
		quoted += taken;
	}
	if (keep) {
		map->quoted = quoted;
		map->decoded = decoded;
	}
	return map->start + quoted;
}
