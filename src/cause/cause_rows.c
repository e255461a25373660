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
		free(rows->list[i].body);
		free(rows->list[i].measured);
	}
	for (size_t i = 0; i < rows->fact_count; i++)
		free(rows->facts[i].subject);
	free(rows->list);
	free(rows->facts);
	free(rows->table);
}

struct cause_fact rows_fact(const struct fact *fact)
{
	return (struct cause_fact){ .kind = fact->kind,
		                    .subject = fact->subject,
		                    .value = fact->limit_text[0] ? fact->limit_text : fact->value,
		                    .keys = fact->keys,
		                    .limit = fact->limit };
}

/* Finds the fact, or adds it. FIT_NONE: there is no room for it, or no memory. */
static size_t intern(struct rows *rows, enum fact_kind kind, const char *subject, const char *value)
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
	size_t fact = intern(rows, kind, subject, value);
	if (fact != FIT_NONE)
		bits_set(&rows->facts[fact].rows, rows->count - 1, true);
}

static void on_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	struct rows *rows = context;
	struct row *row = &rows->list[rows->count - 1];
	size_t fact = intern(rows, kind, subject, "");
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
	bool read = row->words && keep_body(rows, row, &request->what) && facts_of(&request->what, &sink, &row->keys);
	return read && !rows->no_memory ? 0 : error_no_memory(err);
}

/* Which keys are equal in both, as bits; of those that both have only. */
static uint16_t equal_keys(const struct row *a, const struct row *b, size_t count, bool present)
{
	unsigned equal = 0;
	for (size_t i = 0; i < count; i++)
		equal |= (unsigned)(a->keys.values[i] == b->keys.values[i] && (a->keys.values[i] != 0 || !present))
		         << i;
	return (uint16_t)equal;
}

/* "clientKey and path": identifiers first. */
static void name_keys(uint16_t keys, size_t count, char *out, size_t size)
{
	size_t used = 0, left = (size_t)__builtin_popcount(keys);
	out[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		size_t key = (i + FACT_ENVELOPE) % count;
		if (!(keys >> key & 1))
			continue;
		left--;
		used += (size_t)snprintf(out + used, size - used, "%s%s", fact_key_name(key),
		                         left > 1    ? ", "
		                         : left == 1 ? " and "
		                                     : "");
	}
}

/* What is known of a row's past: the sets of keys in which an accepted one before, or one at the same time, was equal.
 */
struct past {
	bool same_before, same_during; /* with the same bytes */
	uint16_t before[CAUSE_ROWS_MOST], during[CAUSE_ROWS_MOST];
	size_t before_count, during_count;
};

static void add_set(uint16_t *sets, size_t *count, uint16_t set)
{
	for (size_t i = 0; i < *count; i++)
		if (sets[i] == set)
			return;
	sets[(*count)++] = set;
}

static bool any_holds(const uint16_t *sets, size_t count, uint16_t keys)
{
	for (size_t i = 0; i < count; i++)
		if ((sets[i] & keys) == keys)
			return true;
	return false;
}

static void look_back(const struct rows *rows, const struct row *row, size_t keys, bool present, struct past *past)
{
	past->before_count = past->during_count = 0;
	past->same_before = past->same_during = false;
	for (const struct row *other = rows->list; other < rows->list + rows->count; other++) {
		uint16_t equal = other == row || other->life != row->life ? 0 : equal_keys(row, other, keys, present);
		bool same = other != row && other->life == row->life && other->bytes == row->bytes;
		if (equal == 0 && !same)
			continue;
		if (other->finished_ns <= row->sent_ns && other->side == CAUSE_ACCEPTED) {
			add_set(past->before, &past->before_count, equal);
			past->same_before |= same;
		} else if (other->finished_ns > row->sent_ns && other->sent_ns < row->finished_ns) {
			add_set(past->during, &past->during_count, equal);
			past->same_during |= same;
		}
	}
}

static void set_fact(struct rows *rows, size_t at, enum fact_kind kind, const char *subject, uint16_t keys)
{
	size_t fact = intern(rows, kind, subject, "");
	if (fact == FIT_NONE)
		return;
	rows->facts[fact].keys = keys;
	bits_set(&rows->facts[fact].rows, at, true);
}

/* Whether the row is of an event that begins what has the value. */
static bool begins(const struct row *row, size_t key, uint64_t value)
{
	return row->keys.values[key] == value && !(row->keys.refer >> key & 1);
}

/* Whether an accepted one before has begun what the key refers to. Of an accepted row, one in flight may have. */
static bool was_begun(const struct rows *rows, const struct row *row, size_t key)
{
	uint64_t value = row->keys.values[key];
	for (const struct row *other = rows->list; other < rows->list + rows->count; other++) {
		bool has = begins(other, key, value) || begins(other, fact_key_referred(key), value);
		bool is_before = other->finished_ns <= row->sent_ns && other->side == CAUSE_ACCEPTED;
		bool may = row->side == CAUSE_ACCEPTED && other->finished_ns > row->sent_ns &&
		           other->sent_ns < row->finished_ns;
		if (other != row && other->life == row->life && has && (is_before || may))
			return true;
	}
	return false;
}

/* What was in flight together is neither before nor after: of a failure it may have been, of an accepted one it need
 * not. */
static void note_past(struct rows *rows, size_t at, struct past *past)
{
	size_t count = fact_key_count();
	const struct row *row = &rows->list[at];
	bool may = row->side != CAUSE_ACCEPTED;
	char names[96];
	for (int present = 0; present < 2; present++) {
		look_back(rows, row, count, present == 1, past);
		for (unsigned keys = 1; keys < 1u << count; keys++) {
			if (__builtin_popcount(keys) > FACT_KEYS_TOGETHER)
				continue;
			if (!any_holds(past->before, past->before_count, (uint16_t)keys) &&
			    !(may && any_holds(past->during, past->during_count, (uint16_t)keys)))
				continue;
			name_keys((uint16_t)keys, count, names, sizeof names);
			set_fact(rows, at, present ? FACT_AFTER_PRESENT : FACT_AFTER, names, (uint16_t)keys);
		}
	}
	if (past->same_before || (may && past->same_during))
		set_fact(rows, at, FACT_REPEAT, "the same", 0);
	for (size_t key = FACT_ENVELOPE; key < count; key++)
		if (row->keys.refer >> key & 1 && !was_begun(rows, row, key))
			set_fact(rows, at, FACT_NEW, fact_key_pointer(key), (uint16_t)(1u << key));
}

/* That some of several at the same time are accepted says nothing against it where others are not. */
static void note_together(struct rows *rows, size_t at)
{
	const struct row *row = &rows->list[at];
	bool same = false, all_accepted = true;
	for (const struct row *other = rows->list; other < rows->list + rows->count; other++) {
		if (other->check != row->check || !other->at_once || other == row)
			continue;
		all_accepted &= other->side == CAUSE_ACCEPTED;
		same |= other->bytes == row->bytes;
	}
	if (row->side == CAUSE_ACCEPTED && !all_accepted)
		return;
	set_fact(rows, at, FACT_AT_ONCE, "others", 0);
	if (same)
		set_fact(rows, at, FACT_SAME_AT_ONCE, "the same", 0);
}

/* Sets a measure's fact of the rows that are beyond all accepted ones; none, where none of these has it. */
static void settle_measure(struct rows *rows, size_t index)
{
	struct fact *fact = &rows->facts[index];
	double sign = fact->kind == FACT_UNDER ? -1 : 1, limit = 0;
	bool any = false; /* accepted one has it */
	memset(&fact->rows, 0, sizeof fact->rows);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < rows->count; i++)
			for (size_t m = 0; m < rows->list[i].measured_count; m++) {
				const struct measured *measured = &rows->list[i].measured[m];
				if (measured->fact != index)
					continue;
				double number = sign * measured->number;
				if (round == 0 && rows->list[i].side == CAUSE_ACCEPTED) {
					limit = !any || number > limit ? number : limit;
					any = true;
				} else if (round == 1 && any) {
					bits_set(&fact->rows, i, number > limit);
				}
			}
	if (any) {
		fact->limit = sign * limit;
		snprintf(fact->limit_text, sizeof fact->limit_text, "%.0f", fact->limit);
	}
}

int rows_settle(struct rows *rows, struct error *err)
{
	struct past *past = malloc(sizeof *past);
	if (!past)
		return error_no_memory(err);
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->list[i].has_history)
			continue;
		note_past(rows, i, past);
		if (rows->list[i].at_once)
			note_together(rows, i);
		rows->list[i].has_history = true;
	}
	for (size_t i = 0; i < rows->fact_count; i++)
		if (fact_rows[rows->facts[i].kind].is_measure)
			settle_measure(rows, i);
	free(past);
	return rows->no_memory ? error_no_memory(err) : 0;
}
