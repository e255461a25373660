/* The bodies of questions: those of requests that were sent, with little changed. */
#include "base/ascii.h"
#include "catalog/catalog.h"
#include "cause/cause_internal.h"
#include "json/pointer.h"
#include "json/splice.h"

#include <stdlib.h>
#include <string.h>

#define OTHER   1 /* numbers of values */
#define RENEWED 2 /* alone */
#define ANEW    3 /* and above */

/* Whether no request before had this key's value. */
static bool is_first(const struct rows *rows, size_t at, size_t key)
{
	for (size_t i = 0; i < at; i++)
		if (rows->list[i].keys.values[key] == rows->list[at].keys.values[key])
			return false;
	return rows->list[at].keys.values[key] != 0;
}

/* Appends another value of the same form, the same one for the same number; what is shared has none. False: there is
 * none that is surely of it. */
static bool append_other(const struct json_doc *doc, uint32_t token, unsigned number, bool is_shared,
                         struct buffer *out)
{
	const struct json_token *t = &doc->tokens[token];
	size_t length = t->end - t->start, tail = t->type == JSON_STRING ? 7 : 3; /* with the quote */
	const char *text = doc->text + t->start, *end = text + length;
	bool upper = false;
	tail = is_shared && length < 2 * tail ? 1 : tail;
	if ((length < (t->type == JSON_STRING ? 38u : 4u) && !is_shared) ||
	    (t->type != JSON_STRING && t->type != JSON_NUMBER))
		return false;
	for (const char *c = text; c < end; c++)
		upper |= ascii_is_upper(*c);
	buffer_append(out, text, length - tail);
	if (t->type == JSON_STRING)
		buffer_printf(out, upper ? "%06X\"" : "%06x\"", (0xabcdefu ^ number * 0x10001u) & 0xffffff);
	else
		buffer_printf(out, "%03lu", (strtoul(end - 3, NULL, 10) + number) % 1000);
	return true;
}

static bool edit(struct buffer *body, const char *pointer, const char *json)
{
	struct error unused;
	return json_splice_text(body, pointer, json, &unused) == 0;
}

/* Gives one key of the body another value. What is new in all questions about a request is the same, so that they
 * differ in what they ask alone. */
static bool renew(struct cause_finder *f, size_t key, unsigned number)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER value = BUFFER_INIT;
	const char *pointer = fact_key_pointer(key);
	if (!json_read(&doc, buffer_text(&f->body), f->body.length, NULL))
		return false;
	uint32_t token = json_resolve(&doc, pointer);
	return token != JSON_NONE && append_other(&doc, token, number, fact_key_is_shared(key), &value) &&
	       edit(&f->body, pointer, buffer_text(&value));
}

static bool take(struct cause_finder *f, const struct row *row)
{
	buffer_clear(&f->body);
	if (row->body)
		buffer_append(&f->body, row->body, row->length);
	return row->body && !f->body.failed;
}

bool body_again(struct cause_finder *f, size_t at)
{
	return take(f, &f->rows.list[at]);
}

static bool is_kept(const struct cause_finder *f, size_t key)
{
	return f->kept >> key & 1;
}

bool body_fresh(struct cause_finder *f, size_t at, unsigned time)
{
	bool any = false;
	if (!take(f, &f->rows.list[at]))
		return false;
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		any |= !is_kept(f, key) && is_first(&f->rows, at, key) && renew(f, key, ANEW + time);
	return any;
}

/* Appends the value at the pointer of an accepted request without the fact. */
static bool append_accepted(const struct rows *rows, const struct fact *fact, struct buffer *out)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->list[i];
		LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
		if (row->side != CAUSE_ACCEPTED || !row->body || bits_have(&fact->rows, i) ||
		    !json_read(&doc, row->body, row->length, NULL))
			continue;
		uint32_t token = json_resolve(&doc, fact->subject);
		if (token == JSON_NONE)
			continue;
		buffer_append(out, doc.text + doc.tokens[token].start, doc.tokens[token].end - doc.tokens[token].start);
		return true;
	}
	return false;
}

/* Appends the text of an integer with the opposite sign, so that its size is as it was. */
static bool append_opposite(const char *body, size_t length, const struct fact *fact, struct buffer *out)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	if (!fact_rows[fact->kind].is_sign || !json_read(&doc, body, length, NULL))
		return false;
	uint32_t token = json_resolve(&doc, fact->subject);
	if (token == JSON_NONE || doc.tokens[token].end - doc.tokens[token].start < 3)
		return false;
	const char *text = doc.text + doc.tokens[token].start + 1, *end = doc.text + doc.tokens[token].end;
	bool is_signed = *text == '-' || *text == '+';
	buffer_append_text(out, fact->kind == FACT_NO_MINUS ? "\"-" : "\"");
	buffer_append(out, text + is_signed, (size_t)(end - text) - is_signed);
	return true;
}

/* Appends another valid value of the field, by the catalogue. */
static bool append_listed(const struct fact *fact, struct buffer *out)
{
	const struct catalog_field *field = catalog_field_named(strrchr(fact->subject, '/') + 1);
	const struct catalog_member member = { field, field ? field->type : CATALOG_STRING };
	const struct catalog_others *others = field ? catalog_others_of(&member) : NULL;
	for (size_t i = 0; fact->kind == FACT_VALUE && others && i < others->count; i++) {
		if (others->values[i].use != CATALOG_OTHER_TEXT || strcmp(others->values[i].text, fact->value) == 0)
			continue;
		json_append_string(out, others->values[i].text, strlen(others->values[i].text));
		return true;
	}
	return false;
}

/* An accepted request, with spaces in it until it is as long. */
static bool pad(struct cause_finder *f, size_t length)
{
	const struct rows *rows = &f->rows;
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->list[i];
		if (row->side != CAUSE_ACCEPTED || row->is_fixed || row->is_asked || row->length < 2 ||
		    row->body[row->length - 1] != '}' || row->length >= length || !take(f, row))
			continue;
		buffer_consume_end(&f->body, 1);
		buffer_append_repeat(&f->body, ' ', length - row->length);
		buffer_append_byte(&f->body, '}');
		return !f->body.failed;
	}
	return false;
}

/* Finds one of these rows with another value of the member than both rows; the second may be the first. It may have
 * none, unless it `has` to. */
static const struct row *find_other(const struct rows *rows, const struct bits *of, size_t key, const struct row *a,
                                    const struct row *b, bool has)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->list[i];
		uint64_t value = row->keys.values[key];
		if (bits_have(of, i) && row_can_be_asked(row) && (value != 0 || !has) && value != a->keys.values[key] &&
		    value != b->keys.values[key])
			return row;
	}
	return NULL;
}

bool body_with(struct cause_finder *f, size_t at, const struct fact *fact, const struct named *named, bool control)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER value = BUFFER_INIT;
	const struct row *of = &f->rows.list[at], *base, *from;
	size_t key = 0;
	while (key < FACT_ENVELOPE && strcmp(fact_key_pointer(key), fact->subject) != 0)
		key++;
	if (key == FACT_ENVELOPE || (base = find_other(&f->rows, &named->against, key, of, of, false)) == NULL)
		return false;
	from = control ? find_other(&f->rows, &f->rows.accepted, key, of, base, true) : of;
	/* What is named may be about its identifiers. */
	bool fresh = named->count == 0 && body_fresh(f, (size_t)(base - f->rows.list), 0);
	if (!from || (!fresh && !take(f, base)) || !json_read(&doc, from->body, from->length, NULL))
		return false;
	uint32_t token = json_resolve(&doc, fact->subject);
	if (token != JSON_NONE)
		buffer_append(&value, doc.text + doc.tokens[token].start,
		              doc.tokens[token].end - doc.tokens[token].start);
	return edit(&f->body, fact->subject, token != JSON_NONE ? buffer_text(&value) : NULL);
}

/* The row's, or with new identifiers, where it failed so, too. */
static bool take_failing(struct cause_finder *f, size_t at)
{
	return f->rows.list[at].fails_fresh ? body_fresh(f, at, 0) : take(f, &f->rows.list[at]);
}

bool body_renewed(struct cause_finder *f, size_t at, size_t key)
{
	bool any = false;
	if (!take_failing(f, at))
		return false;
	if (key != ALL_KEYS)
		return renew(f, key, RENEWED);
	for (key = FACT_ENVELOPE; key < fact_key_count(); key++)
		any |= !is_kept(f, key) && past_has(&f->rows, at, key) && renew(f, key, OTHER);
	return any;
}

bool body_known(struct cause_finder *f, size_t at, const struct fact *fact, size_t begun)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER value = BUFFER_INIT;
	const struct row *row = &f->rows.list[at], *from = &f->rows.list[begun];
	size_t about = fact_key(fact);
	if (!from->body || !take_failing(f, at) || !json_read(&doc, from->body, from->length, NULL))
		return false;
	uint32_t token = json_resolve(&doc, fact_key_pointer(fact_key_referred(about)));
	if (token == JSON_NONE)
		return false;
	buffer_append(&value, doc.text + doc.tokens[token].start, doc.tokens[token].end - doc.tokens[token].start);
	/* A userId that is the clientKey stays so. */
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		if (row->keys.values[key] == row->keys.values[about] &&
		    !edit(&f->body, fact_key_pointer(key), buffer_text(&value)))
			return false;
	return true;
}

bool body_without(struct cause_finder *f, size_t at, const struct fact *fact)
{
	const struct fact_row *row = &fact_rows[fact->kind];
	const struct row *of = &f->rows.list[at];
	LOCAL_BUFFER value = BUFFER_INIT;
	if (fact->kind == FACT_LARGER)
		return pad(f, of->length);
	if (!take_failing(f, at))
		return false;
	/* Another one each time: it is taken from then on. */
	if (fact->kind == FACT_TAKEN)
		return renew(f, fact_key(fact), ANEW + CAUSE_ROWS_MOST + (unsigned)f->questions);
	if (fact->subject[0] != '/' || fact->kind == FACT_UNKNOWN_KEY)
		return false;
	if (row->without && !row->without[0])
		return edit(&f->body, fact->subject, NULL);
	if (!append_opposite(buffer_text(&f->body), f->body.length, fact, &value) &&
	    !append_accepted(&f->rows, fact, &value) && !append_listed(fact, &value) && row->without)
		buffer_append_text(&value, row->without);
	return value.length > 0 && edit(&f->body, fact->subject, buffer_text(&value));
}
