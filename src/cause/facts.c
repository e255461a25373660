#include "cause/facts.h"

#include "base/ascii.h"
#include "base/find.h"
#include "base/hash.h"
#include "catalog/catalog.h"
#include "http/head.h"
#include "json/pointer.h"
#include "payload/form.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTER_SIZE 128
#define VALUE_SIZE   25 /* of a text that is a fact itself */
#define DEPTH_MOST   3  /* of objects that are looked into: the payload, details, one of its objects */

/* What is known of a request while it is read. */
struct reading {
	const struct fact_sink *sink;
	const struct json_doc *doc;
	struct buffer text; /* the value of a string */
	struct fact_keys *keys;
	bool is_recorded;
	bool failed;
};

static void has(const struct reading *r, enum fact_kind kind, const char *subject, const char *value)
{
	r->sink->has(r->sink->context, kind, subject, value);
}

static void measures(const struct reading *r, enum fact_kind kind, const char *subject, double number)
{
	r->sink->measures(r->sink->context, kind, subject, number);
}

/* The envelope's members, then the fields that the catalogue calls identifiers or that an event begins: a test compares
 * them. */
static const char *const key_pointers[] = {
	"/service",
	"/event",
	"/method",
	"/path",
	"/details/appKey",
	"/details/clientKey",
	"/details/userId",
	"/details/authToken",
	"/details/userToken",
	"/details/displayToken",
	"/details/reportKey",
	"/details/monitorId",
	"/details/alertId",
	"/details/enrollmentCode",
};
#define APPLICATION_KEY 4
#define USER_KEY        6
#define CODE_KEY        13

size_t fact_key_count(void)
{
	return sizeof key_pointers / sizeof key_pointers[0];
}

const char *fact_key_pointer(size_t key)
{
	return key_pointers[key];
}

const char *fact_key_name(size_t key)
{
	return strrchr(key_pointers[key], '/') + 1;
}

size_t fact_key_referred(size_t key)
{
	return key == USER_KEY ? FACT_CUSTOMER : key;
}

bool fact_key_is_shared(size_t key)
{
	return key == APPLICATION_KEY || key == CODE_KEY;
}

/* 201 and "201" are two values. */
static void note_key(const struct reading *r, const char *pointer, uint32_t token)
{
	const struct json_token *t = &r->doc->tokens[token];
	bool is_text = t->type == JSON_STRING;
	uint64_t value = is_text ? hash_bytes(buffer_text(&r->text), r->text.length)
	                         : hash_bytes(r->doc->text + t->start, t->end - t->start) ^ 1;
	for (size_t key = 0; key < fact_key_count(); key++)
		if (strcmp(key_pointers[key], pointer) == 0)
			r->keys->values[key] = value;
}

/* What people's code stumbles over, in one text and in any of them. */
static void note_characters(const struct reading *r, const char *pointer)
{
	static const struct {
		char character;
		const char *name;
		bool is_recorded; /* else codes that are made have it */
	} marks[] = { { '\'', "an apostrophe", false }, { ' ', "a space", false }, { '"', "a double quote", false },
		      { '\\', "a backslash", false },   { '-', "a hyphen", true }, { '\0', "a NUL (\\u0000)", false } };
	const char *text = buffer_text(&r->text);
	size_t length = r->text.length;
	bool beyond_ascii = false, beyond_plane = false;
	for (const char *c = text; c < text + length; c++) {
		beyond_ascii |= (unsigned char)*c >= 0x80;
		beyond_plane |= (unsigned char)*c >= 0xF0;
	}
	for (int any = 0; any < 2; any++) {
		const char *subject = any ? "" : pointer;
		if (beyond_ascii)
			has(r, FACT_CHARACTERS, subject, "characters that are not ASCII");
		if (beyond_plane)
			has(r, FACT_CHARACTERS, subject, "characters beyond U+FFFF (emoji)");
		for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
			if (memchr(text, marks[i].character, length) && (r->is_recorded || !marks[i].is_recorded))
				has(r, FACT_CHARACTERS, subject, marks[i].name);
	}
}

/* The form of an identifier is a fact, its value is not. */
static void note_identifier(const struct reading *r, const char *pointer)
{
	bool upper = false, lower = false;
	const char *text = buffer_text(&r->text);
	for (const char *c = text; *c; c++) {
		upper |= ascii_is_upper(*c);
		lower |= ascii_is_lower(*c);
	}
	if (!form_is_uuid(text, r->text.length))
		has(r, FACT_NOT_UUID, pointer, "");
	if (upper && !lower) {
		has(r, FACT_UPPER, pointer, "");
		has(r, FACT_UPPER, "", "");
	}
}

/* An integer, in a text or not: "-12". What it does not fit into is as narrow below 0. */
static void note_integer(const struct reading *r, const char *pointer, const char *text, bool is_text)
{
	if (is_text)
		has(r, *text == '-' ? FACT_MINUS : FACT_NO_MINUS, pointer, "");
	if (is_text && *text == '+')
		has(r, FACT_PLUS, pointer, "");
	if (strtod(text, NULL) == 0)
		has(r, FACT_ZERO, pointer, "");
	measures(r, FACT_OVER, pointer, fabs(strtod(text, NULL)));
}

static void note_string(const struct reading *r, const char *pointer, const struct catalog_field *field)
{
	const char *text = buffer_text(&r->text);
	if (r->text.length == 0)
		has(r, FACT_EMPTY, pointer, "");
	if (field && field->privacy == CATALOG_IDENTIFIER) {
		if (field->type != CATALOG_INTEGER)
			note_identifier(r, pointer);
		return;
	}
	note_characters(r, pointer);
	if (strcmp(pointer, "/event") == 0 && text[strspn(text, "0123456789")])
		has(r, FACT_NOT_DIGITS, pointer, "");
	if (field && field->type == CATALOG_INTEGER_TEXT) {
		note_integer(r, pointer, text, true);
		return;
	}
	if (text[0] == '0' && text[1] && !text[strspn(text, "0123456789-")])
		has(r, FACT_ZERO_FIRST, pointer, "");
	bool is_short = r->text.length < VALUE_SIZE && strlen(text) == r->text.length; /* values are C strings */
	if (strncmp(pointer, "/details/", strlen("/details/")) != 0)
		return; /* of the envelope there are facts of their own */
	if (field &&
	    (field->privacy == CATALOG_PLAIN || field->privacy == CATALOG_CODE || field->privacy == CATALOG_SHORT)) {
		if (is_short)
			has(r, FACT_VALUE, pointer, text);
		if (field->privacy != CATALOG_PLAIN)
			measures(r, FACT_UNDER, pointer, (double)r->text.length);
	}
	measures(r, FACT_LONGER, pointer, (double)r->text.length);
}

static void note_object(const struct reading *r, const char *pointer, uint32_t object)
{
	const struct json_token *tokens = r->doc->tokens;
	size_t count = 0;
	bool other = false;
	for (uint32_t key = object + 1; key < tokens[object].next; key = tokens[key + 1].next, count++) {
		has(r, FACT_HOLDS, pointer, json_type_name((enum json_token_type)tokens[key + 1].type));
		other |= tokens[key + 1].type != JSON_NUMBER;
	}
	has(r, count == 0 ? FACT_EMPTY : FACT_FILLED, pointer, "");
	if (other)
		has(r, FACT_HOLDS_OTHER, pointer, "");
	measures(r, FACT_MORE, pointer, (double)count);
}

/* Whether the key is of the specification, in an object of that pointer. */
static bool is_listed(const char *parent, const char *key, size_t length)
{
	for (size_t i = 0; *parent == '\0' && i < catalog_envelope_count; i++)
		if (catalog_envelope[i]->name_length == length && memcmp(catalog_envelope[i]->name, key, length) == 0)
			return true;
	for (size_t i = 0; *parent != '\0' && i < catalog_field_count; i++) {
		if (catalog_fields[i]->name_length != length || memcmp(catalog_fields[i]->name, key, length) != 0)
			continue;
		const struct catalog_field *owner = catalog_field_owner(catalog_fields[i]);
		if (strcmp(owner ? owner->name : "details", strrchr(parent, '/') + 1) == 0)
			return true;
	}
	return false;
}

/* That it is of another type than the specification says. */
static void note_type(const struct reading *r, const char *pointer, const struct catalog_field *field,
                      enum json_token_type type)
{
	enum json_token_type right = field->type == CATALOG_INTEGER  ? JSON_NUMBER
	                             : field->type == CATALOG_OBJECT ? JSON_OBJECT
	                                                             : JSON_STRING;
	if (type != right)
		has(r, FACT_TYPE, pointer, json_type_name(type));
}

static void read_object(struct reading *r, const char *parent, uint32_t object, int depth);

static void read_member(struct reading *r, const char *pointer, uint32_t value, int depth)
{
	const struct json_token *t = &r->doc->tokens[value];
	const struct catalog_field *field = catalog_field_named(strrchr(pointer, '/') + 1);
	has(r, FACT_PRESENT, pointer, "");
	if (field)
		note_type(r, pointer, field, (enum json_token_type)t->type);
	buffer_clear(&r->text);
	if (t->type == JSON_STRING) {
		json_string_decode(r->doc, value, &r->text);
		note_string(r, pointer, field);
	} else if (t->type == JSON_NUMBER) {
		buffer_append(&r->text, r->doc->text + t->start, t->end - t->start);
		note_integer(r, pointer, buffer_text(&r->text), false);
	} else if (t->type == JSON_OBJECT && field && field->open_members) {
		note_object(r, pointer, value);
	}
	note_key(r, pointer, value);
	r->failed |= r->text.failed;
	if (t->type == JSON_OBJECT && depth < DEPTH_MOST - 1)
		read_object(r, pointer, value, depth + 1);
}

static void read_object(struct reading *r, const char *parent, uint32_t object, int depth)
{
	const struct json_token *tokens = r->doc->tokens;
	LOCAL_BUFFER pointer = BUFFER_INIT, name = BUFFER_INIT;
	if (strcmp(parent, "/details/scoreModifiers") == 0)
		return; /* no key of it is listed */
	for (uint32_t key = object + 1; key < tokens[object].next; key = tokens[key + 1].next) {
		buffer_clear(&name);
		json_string_decode(r->doc, key, &name);
		buffer_clear(&pointer);
		buffer_append_text(&pointer, parent);
		json_append_pointer_key(&pointer, buffer_text(&name), name.length);
		if (pointer.failed || name.failed)
			break;
		if (!is_listed(parent, buffer_text(&name), name.length)) {
			has(r, FACT_UNKNOWN_KEY, *parent ? parent : "/", "");
			if (depth < DEPTH_MOST - 1) /* further members are the rule in alertDetails */
				has(r, FACT_UNKNOWN_KEY, "", "");
		} else if (pointer.length < POINTER_SIZE) {
			read_member(r, buffer_text(&pointer), key + 1, depth);
		}
	}
	r->failed |= pointer.failed || name.failed;
}

/* Whether what was recorded has the object in which a field is. */
static bool has_owner(const struct reading *r, const struct catalog_field *owner)
{
	char pointer[POINTER_SIZE];
	snprintf(pointer, sizeof pointer, "/details/%s", owner->name);
	return r->is_recorded && json_is(r->doc, json_resolve(r->doc, pointer), JSON_OBJECT);
}

/* What a notification of some event has, and this one has not. */
static void note_absent(const struct reading *r)
{
	char pointer[POINTER_SIZE];
	for (size_t i = 0; i < catalog_envelope_count + catalog_field_count; i++) {
		bool outer = i < catalog_envelope_count;
		const struct catalog_field *field =
		        outer ? catalog_envelope[i] : catalog_fields[i - catalog_envelope_count];
		const struct catalog_field *owner = outer ? NULL : catalog_field_owner(field);
		if (owner && !has_owner(r, owner))
			continue;
		snprintf(pointer, sizeof pointer, "%s%s%s/%s", outer ? "" : "/details", owner ? "/" : "",
		         owner ? owner->name : "", field->name);
		if (json_resolve(r->doc, pointer) == JSON_NONE)
			has(r, FACT_ABSENT, pointer, "");
	}
}

/* Appends the value of a member of the envelope that is a string, however it is written. False: it has none. */
static bool append_envelope(const struct json_doc *doc, const char *name, struct buffer *out)
{
	uint32_t token = json_member(doc, 0, name, strlen(name));
	bool is_text = json_is(doc, token, JSON_STRING);
	if (is_text)
		json_string_decode(doc, token, out);
	return is_text;
}

/* By the parts of a path, and their number, listeners choose what to do. */
static void note_path(const struct reading *r, struct text path)
{
	char value[POINTER_SIZE];
	const char *end = path.text + path.length, *part = memchr(path.text, '/', path.length);
	size_t count = 0;
	for (const char *next; part; part = next, count++) {
		next = memchr(part + 1, '/', (size_t)(end - part - 1));
		size_t length = (size_t)((next ? next : end) - part - 1);
		if (length == 0 || length >= VALUE_SIZE)
			continue;
		snprintf(value, sizeof value, next ? "/%.*s/" : "%.*s", (int)length, part + 1);
		has(r, next ? FACT_PART : FACT_SEGMENT, "/path", value);
	}
	measures(r, FACT_DEEPER, "/path", (double)count);
	if (count > 0 && memchr(path.text, '-', path.length))
		has(r, FACT_HYPHEN, "/path", "");
}

static void note_envelope(struct reading *r)
{
	static const enum fact_kind kinds[FACT_ENVELOPE - 1] = { FACT_SERVICE, FACT_EVENT, FACT_METHOD };
	const struct catalog_element *element = NULL;
	LOCAL_BUFFER decoded = BUFFER_INIT;
	struct text texts[FACT_ENVELOPE] = { { NULL, 0 } };
	size_t ends[FACT_ENVELOPE];
	bool has_value[FACT_ENVELOPE];
	for (size_t i = 0; i < FACT_ENVELOPE; i++) {
		has_value[i] = append_envelope(r->doc, catalog_envelope[i]->name, &decoded);
		buffer_append_byte(&decoded, '\0');
		ends[i] = decoded.length - 1;
	}
	r->failed |= decoded.failed;
	for (size_t i = 0; i < FACT_ENVELOPE && !decoded.failed; i++) {
		size_t start = i > 0 ? ends[i - 1] + 1 : 0;
		if (has_value[i])
			texts[i] = (struct text){ decoded.data + start, ends[i] - start };
		if (has_value[i] && i < FACT_ENVELOPE - 1 && texts[i].length < VALUE_SIZE)
			has(r, kinds[i], fact_key_pointer(i), texts[i].text);
	}
	struct text path = texts[FACT_ENVELOPE - 1];
	if (path.text)
		note_path(r, path);
	const struct catalog_event *event = catalog_identify(texts[0], texts[1], texts[2], path, &element);
	if (!event)
		return;
	has(r, FACT_KIND, "", KIND_NAME(((struct catalog_kind){ event, element })));
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		if (r->keys->values[key] != 0 && catalog_event_refers(event, fact_key_name(key)))
			r->keys->refer |= (uint16_t)(1u << key);
}

/* How the text is written: order, white space, escapes. */
static void note_spelling(const struct reading *r)
{
	const struct json_doc *doc = r->doc;
	bool escaped = false, spaced = false, is_raw = false;
	for (uint32_t i = 0; i < doc->count; i++) {
		const struct json_token *t = &doc->tokens[i];
		bool is_text = t->type == JSON_STRING;
		escaped |= is_text && find_text(doc->text + t->start, t->end - t->start, "\\u", 2) != NULL;
		for (size_t at = t->start; is_text && r->is_recorded && !is_raw && at < t->end; at++)
			is_raw = (unsigned char)doc->text[at] >= 0x80;
		spaced |= t->start > 0 && strchr(" \t\r\n", doc->text[t->start - 1]) != NULL;
	}
	if (escaped)
		has(r, FACT_SPELLING, "", "escaped characters (\\u0061)");
	if (spaced)
		has(r, FACT_SPELLING, "", "white space between its tokens");
	if (r->is_recorded && is_raw)
		has(r, FACT_SPELLING, "", "characters that are not ASCII, and not escaped");
	if (json_is(doc, 0, JSON_OBJECT) && doc->count > 1 && !json_string_is(doc, 1, "service", strlen("service")))
		has(r, FACT_SPELLING, "", "its keys in another order");
}

/* Where it was sent to, and which usual headers are missing. Values of a query may be secret. */
static void note_arrival(const struct reading *r, const struct fact_request *request)
{
	static const char *const names[] = { "Content-Type", "User-Agent", "Accept", "Authorization" };
	const struct text *target = &request->target;
	char word[POINTER_SIZE];
	const char *end = target->text + target->length;
	const char *query = target->length > 0 ? memchr(target->text, '?', target->length) : NULL;
	size_t path = query ? (size_t)(query - target->text) : target->length;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t at = 0;
		while (at < request->header_count && !header_is(&request->headers[at], names[i]))
			at++;
		if (at == request->header_count)
			has(r, FACT_NO_HEADER, names[i], "");
	}
	if (path > 0 && path < sizeof word) {
		snprintf(word, sizeof word, "%.*s", (int)path, target->text);
		has(r, FACT_TARGET, "", word);
	}
	for (const char *at = query, *next; at; at = next) {
		next = memchr(at + 1, '&', (size_t)(end - at - 1));
		size_t length = (size_t)((next ? next : end) - at - 1);
		const char *equals = memchr(at + 1, '=', length);
		length = equals ? (size_t)(equals - at - 1) : length;
		snprintf(word, sizeof word, "%.*s", (int)length, at + 1);
		if (length > 0 && length < sizeof word)
			has(r, FACT_QUERY, word, "");
	}
}

static void note_head(const struct reading *r, const struct fact_request *request)
{
	char name[POINTER_SIZE], value[POINTER_SIZE];
	double length = 0;
	for (size_t i = 0; i < request->header_count; i++) {
		struct text field = request->headers[i].name, content = request->headers[i].value;
		/* What is too long to be a fact of its own makes the head a larger one. */
		if (content.length >= sizeof value || field.length >= sizeof name) {
			length += (double)(field.length + content.length);
			continue;
		}
		snprintf(name, sizeof name, "%.*s", (int)field.length, field.text);
		snprintf(value, sizeof value, "%.*s", (int)content.length, content.text ? content.text : "");
		has(r, FACT_HEADER, name, value);
	}
	measures(r, FACT_LARGER_HEAD, "/head", length);
	const char *colon = request->header ? strchr(request->header, ':') : NULL;
	if (colon) {
		snprintf(name, sizeof name, "%.*s", (int)(colon - request->header), request->header);
		has(r, FACT_HEADER, name, colon + 1 + strspn(colon + 1, " "));
	}
	if (request->is_recorded)
		note_arrival(r, request);
	if (request->sender)
		has(r, FACT_SENDER, "", request->sender);
	if (request->way)
		has(r, FACT_WAY, "", request->way);
}

bool facts_of(const struct fact_request *request, const struct fact_sink *sink, struct fact_keys *keys)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault = { 0, NULL };
	struct reading r = {
		.sink = sink, .doc = &doc, .text = BUFFER_INIT, .keys = keys, .is_recorded = request->is_recorded
	};
	*keys = (struct fact_keys){ .refer = 0 };
	measures(&r, FACT_LARGER, "/body", (double)request->length);
	note_head(&r, request);
	if (!json_read(&doc, request->body, request->length, &fault)) {
		has(&r, FACT_TYPE, "/body", "no JSON");
		return !json_fault_is_memory(&fault);
	}
	if (json_is(&doc, 0, JSON_OBJECT)) {
		read_object(&r, "", 0, 0);
		note_absent(&r);
		note_envelope(&r);
		const uint64_t *user = &keys->values[USER_KEY], *customer = &keys->values[FACT_CUSTOMER];
		if (*user != 0 && *customer != 0 && *user != *customer)
			has(&r, FACT_DIFFER, "/details/userId", "");
	} else {
		has(&r, FACT_TYPE, "/body", json_type_name(doc.tokens[0].type));
	}
	note_spelling(&r);
	buffer_release(&r.text);
	return !r.failed;
}
