#include "base/ascii.h"
#include "base/hash.h"
#include "cause/cause_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_SIZE    (2 * CAUSE_FACTS_MOST)
#define BODY_MOST     ((size_t)64 << 10) /* of a row that failed */
#define ACCEPTED_MOST ((size_t)4 << 10)  /* of others: what is asked is made of them */
#define KEPT_MOST     ((size_t)8 << 20)  /* of all rows */

bool bits_hold(const struct bits *b, const struct bits *some)
{
	for (size_t i = 0; i < BITS_WORDS; i++)
		if (some->words[i] & ~b->words[i])
			return false;
	return true;
}

bool bits_meet(const struct bits *a, const struct bits *b)
{
	for (size_t i = 0; i < BITS_WORDS; i++)
		if (a->words[i] & b->words[i])
			return true;
	return false;
}

size_t bits_count(const struct bits *b)
{
	size_t count = 0;
	for (size_t i = 0; i < BITS_WORDS; i++)
		count += (size_t)__builtin_popcountll(b->words[i]);
	return count;
}

void bits_remove(struct bits *b, const struct bits *some)
{
	for (size_t i = 0; i < BITS_WORDS; i++)
		b->words[i] &= ~some->words[i];
}

struct bits bits_and(const struct bits *a, const struct bits *b)
{
	struct bits both;
	for (size_t i = 0; i < BITS_WORDS; i++)
		both.words[i] = a->words[i] & b->words[i];
	return both;
}

int rows_init(struct rows *rows, struct error *err)
{
	*rows = (struct rows){ .table = calloc(TABLE_SIZE, sizeof *rows->table) };
	return rows->table ? 0 : error_no_memory(err);
}

void rows_release(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->list[i].words);
		free(rows->list[i].log);
		free(rows->list[i].body);
		free(rows->list[i].measured);
	}
	for (size_t i = 0; i < rows->fact_count; i++)
		free(rows->facts[i].subject);
	free(rows->list);
	free(rows->facts);
	free(rows->table);
	id_set_release(&rows->past.values);
	free(rows->past.first);
	free(rows->past.seen);
}

struct cause_fact rows_fact(const struct fact *fact)
{
	return (struct cause_fact){ .kind = fact->kind,
		                    .subject = fact->subject,
		                    .value = fact->limit_text[0] ? fact->limit_text : fact->value,
		                    .keys = fact->keys,
		                    .limit = fact->limit };
}

size_t rows_intern(struct rows *rows, enum fact_kind kind, const char *subject, const char *value)
{
	size_t subject_size = strlen(subject) + 1, value_size = strlen(value) + 1;
	uint64_t hash = hash_fnv1a(hash_fnv1a(hash_fnv1a(HASH_FNV1A, &kind, sizeof kind), subject, subject_size), value,
	                           value_size);
	uint16_t *cell = &rows->table[hash % TABLE_SIZE];
	for (; *cell; cell = cell + 1 < rows->table + TABLE_SIZE ? cell + 1 : rows->table) {
		const struct fact *fact = &rows->facts[*cell - 1];
		if (fact->kind == kind && strcmp(fact->subject, subject) == 0 && strcmp(fact->value, value) == 0)
			return *cell - 1u;
	}
	if (rows->fact_count == CAUSE_FACTS_MOST)
		return FIT_NONE;
	char *text = malloc(subject_size + value_size);
	if (!text || !ARRAY_ROOM(rows->facts, rows->fact_capacity, rows->fact_count + 1)) {
		free(text);
		rows->no_memory = true;
		return FIT_NONE;
	}
	memcpy(text, subject, subject_size);
	memcpy(text + subject_size, value, value_size);
	rows->facts[rows->fact_count] = (struct fact){ .kind = kind, .subject = text, .value = text + subject_size };
	*cell = (uint16_t)++rows->fact_count;
	return rows->fact_count - 1;
}

/* The sink: of the last row. */
static void on_fact(void *context, enum fact_kind kind, const char *subject, const char *value)
{
	struct rows *rows = context;
	size_t fact = rows_intern(rows, kind, subject, value);
	if (fact != FIT_NONE)
		bits_set(&rows->facts[fact].rows, rows->count - 1, true);
}

static void on_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	struct rows *rows = context;
	struct row *row = &rows->list[rows->count - 1];
	size_t fact = rows_intern(rows, kind, subject, "");
	if (fact == FIT_NONE)
		return;
	if (!ARRAY_ROOM(row->measured, row->measured_capacity, row->measured_count + 1))
		rows->no_memory = true;
	else
		row->measured[row->measured_count++] = (struct measured){ fact, number };
}

/* Responses are the same whatever the digits in their words: counters, identifiers, times. */
static uint64_t hash_words(uint64_t hash, const char *words, size_t length)
{
	for (const char *at = words, *end; length > 0 && at < words + length; at = end) {
		bool has_digit = false;
		for (end = at; end < words + length && (ascii_is_alnum(*end) || (*end == '-' && end > at)); end++)
			has_digit |= ascii_is_digit(*end);
		end += end == at;
		hash = has_digit ? hash_fnv1a(hash, "0", 1) : hash_fnv1a(hash, at, (size_t)(end - at));
	}
	return hash;
}

/* Copies the body where there is room for it. */
static bool keep_body(struct rows *rows, struct row *row, const struct fact_request *what)
{
	size_t most = row->side == CAUSE_FAILED ? BODY_MOST : ACCEPTED_MOST;
	if (what->length > most || rows->kept + what->length > KEPT_MOST)
		return true;
	row->body = malloc(what->length + 1);
	if (!row->body)
		return false;
	memcpy(row->body, what->body, what->length);
	row->body[what->length] = '\0';
	row->length = what->length;
	rows->kept += what->length;
	return true;
}

int rows_add(struct rows *rows, const struct cause_request *request, bool is_asked, bool *added, struct error *err)
{
	const struct fact_sink sink = { on_fact, on_measure, rows };
	*added = rows->count < CAUSE_ROWS_MOST;
	if (!*added)
		return 0;
	if (!ARRAY_ROOM(rows->list, rows->capacity, rows->count + 1))
		return error_no_memory(err);
	struct row *row = &rows->list[rows->count];
	*row = (struct row){ .side = request->side,
		             .status = request->status,
		             .words = strdup(request->words),
		             .check = request->check,
		             .bytes = hash_bytes(request->what.body, request->what.length),
		             .at_once = request->at_once,
		             .is_fixed = request->is_fixed,
		             .is_asked = is_asked,
		             .sent_ns = request->sent_ns,
		             .finished_ns = request->finished_ns,
		             .life = rows->life };
	row->response = hash_words(hash_fnv1a(HASH_FNV1A, &row->status, sizeof row->status), request->words,
	                           strlen(request->words));
	row->class_key = hash_words(row->response, request->log.text, request->log.length);
	rows->count++;
	bits_set(&rows->accepted, rows->count - 1, row->side == CAUSE_ACCEPTED);
	if (request->log.length > 0)
		row->log = strndup(request->log.text, request->log.length);
	bool is_said = row->words && (row->log || request->log.length == 0);
	bool read = is_said && keep_body(rows, row, &request->what) && facts_of(&request->what, &sink, &row->keys);
	return read && !rows->no_memory ? 0 : error_no_memory(err);
}

bool row_can_be_asked(const struct row *row)
{
	return !row->is_fixed && !row->is_asked && row->body;
}
