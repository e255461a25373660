/* The facts of a row that depend on the others: what came before it, and whether it is beyond them. */
#include "base/hash.h"
#include "cause/cause_internal.h"

#include <stdio.h>
#include <string.h>

/* Values beside those of identities. */
#define OF_BODIES 0x4000u
#define OF_BEGUN  0x8000u /* and the key */

/* None, and each alone. */
static void list_identities(struct past *past)
{
	past->identity_count = 1;
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		past->identities[past->identity_count++] = (uint16_t)(1u << key);
}

bool past_add_identity(struct rows *rows, uint16_t keys)
{
	struct past *past = &rows->past;
	for (size_t i = 0; i < past->identity_count; i++)
		if (past->identities[i] == keys)
			return true;
	if (past->identity_count == IDENTITIES_MOST)
		return false;
	past->identities[past->identity_count++] = keys;
	for (size_t i = 0; i < rows->count; i++)
		rows->list[i].has_history = false;
	return true;
}

bool fact_is_after(const struct fact *fact)
{
	return fact->kind == FACT_AFTER || fact->kind == FACT_AFTER_PRESENT;
}

bool fact_is_of_past(enum fact_kind kind)
{
	return kind <= FACT_NEW;
}

size_t fact_key(const struct fact *fact)
{
	size_t key = FACT_ENVELOPE;
	while (key + 1 < fact_key_count() && !(fact->keys >> key & 1))
		key++;
	return key;
}

static struct id id_of(const struct row *row, unsigned what, uint64_t value)
{
	uint64_t parts[2] = { (uint64_t)row->life << 16 | what, value };
	struct id id;
	memcpy(id.bytes, parts, sizeof id.bytes);
	return id;
}

/* The row's value of all these keys. */
static uint64_t value_of(const struct row *row, uint16_t keys)
{
	uint64_t value = HASH_FNV1A;
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		if (keys >> key & 1)
			value = hash_fnv1a(value, &row->keys.values[key], sizeof row->keys.values[key]);
	return value;
}

static bool has_all(const struct row *row, uint16_t keys)
{
	for (size_t key = 0; key < fact_key_count(); key++)
		if (keys >> key & 1 && row->keys.values[key] == 0)
			return false;
	return true;
}

/* In which members both envelopes are equal, as bits; of those that both have only. */
static unsigned equal_members(const uint64_t *a, const uint64_t *b, bool present)
{
	unsigned equal = 0;
	for (size_t i = 0; i < FACT_ENVELOPE; i++)
		equal |= (unsigned)(a[i] == b[i] && (a[i] != 0 || !present)) << i;
	return equal;
}

/* Notes that a row with the value was accepted, with its envelope. */
static void add_value(struct rows *rows, const struct row *row, unsigned what, uint64_t value, const uint64_t *envelope)
{
	struct past *past = &rows->past;
	struct id id = id_of(row, what, value);
	if (rows->no_memory)
		return; /* a value may have no place yet */
	uint32_t known = past->values.count, index = id_set_add(&past->values, id.bytes), count = 0;
	if (index == ID_NONE || !ARRAY_ROOM(past->first, past->first_capacity, index + 1u) ||
	    !ARRAY_ROOM(past->seen, past->seen_capacity, past->seen_count + 1)) {
		rows->no_memory = true;
		return;
	}
	if (index == known)
		past->first[index] = 0;
	for (uint32_t at = past->first[index]; at != 0; at = past->seen[at - 1].next, count++) {
		struct seen *seen = &past->seen[at - 1];
		if (memcmp(seen->envelope, envelope, sizeof seen->envelope) != 0)
			continue;
		if (row->finished_ns < seen->finished_ns)
			seen->finished_ns = row->finished_ns;
		return;
	}
	if (count == ENVELOPES_MOST)
		return;
	struct seen *seen = &past->seen[past->seen_count++];
	*seen = (struct seen){ .finished_ns = row->finished_ns, .next = past->first[index] };
	memcpy(seen->envelope, envelope, sizeof seen->envelope);
	past->first[index] = (uint32_t)past->seen_count;
}

static void add_accepted(struct rows *rows, const struct row *row)
{
	static const uint64_t any[FACT_ENVELOPE];
	for (size_t i = 0; i < rows->past.identity_count; i++)
		add_value(rows, row, (unsigned)i, value_of(row, rows->past.identities[i]), row->keys.values);
	for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++)
		if (row->keys.values[key] != 0 && !(row->keys.refer >> key & 1))
			add_value(rows, row, OF_BEGUN | (unsigned)key, row->keys.values[key], any);
	add_value(rows, row, OF_BODIES, row->bytes, any);
}

/* The first with the value, from 1. */
static uint32_t find_value(const struct rows *rows, const struct row *row, unsigned what, uint64_t value)
{
	struct id id = id_of(row, what, value);
	uint32_t index = id_set_find(&rows->past.values, id.bytes);
	return index == ID_NONE ? 0 : rows->past.first[index];
}

/* One that takes no time is not before itself. */
static bool is_before(const struct seen *seen, const struct row *row)
{
	return seen->finished_ns <= row->sent_ns && seen->finished_ns < row->finished_ns;
}

static bool came_before(const struct rows *rows, const struct row *row, unsigned what, uint64_t value)
{
	for (uint32_t at = find_value(rows, row, what, value); at != 0; at = rows->past.seen[at - 1].next)
		if (is_before(&rows->past.seen[at - 1], row))
			return true;
	return false;
}

bool past_has(const struct rows *rows, size_t at, size_t key)
{
	const struct row *row = &rows->list[at];
	return row->keys.values[key] != 0 &&
	       came_before(rows, row, (unsigned)(key - FACT_ENVELOPE + 1), value_of(row, (uint16_t)(1u << key)));
}

size_t rows_beginning(const struct rows *rows, size_t key)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->list[i];
		if (row->side == CAUSE_ACCEPTED && row->keys.values[key] != 0 && !(row->keys.refer >> key & 1) &&
		    row_can_be_asked(row))
			return i;
	}
	return FIT_NONE;
}

static bool is_during(const struct row *row, const struct row *other)
{
	return other != row && other->life == row->life && other->finished_ns > row->sent_ns &&
	       other->sent_ns < row->finished_ns;
}

/* "clientKey and path": identifiers first. */
static void name_keys(uint16_t keys, char *out, size_t size)
{
	size_t used = 0, count = fact_key_count(), left = (size_t)__builtin_popcount(keys);
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

static void set_after(struct rows *rows, size_t at, bool present, size_t identity, unsigned members)
{
	uint16_t *index = &rows->past.facts[present][identity][members];
	uint16_t keys = (uint16_t)(rows->past.identities[identity] | members);
	char names[FACT_KEYS_MOST * 16];
	if (*index == 0) {
		name_keys(keys, names, sizeof names);
		size_t fact = rows_intern(rows, present ? FACT_AFTER_PRESENT : FACT_AFTER, names, "");
		if (fact == FIT_NONE)
			return;
		rows->facts[fact].keys = keys;
		*index = (uint16_t)(fact + 1);
	}
	bits_set(&rows->facts[*index - 1].rows, at, true);
}

static void set_fact(struct rows *rows, size_t at, enum fact_kind kind, const char *subject, uint16_t keys)
{
	size_t fact = rows_intern(rows, kind, subject, "");
	if (fact == FIT_NONE)
		return;
	rows->facts[fact].keys = keys;
	bits_set(&rows->facts[fact].rows, at, true);
}

/* Sets what the row is a repeat of, as far as it has the identity. What was in flight together is neither before nor
 * after: of a failure it may have been, of an accepted one it need not. */
static void note_after(struct rows *rows, size_t at, size_t identity, bool present)
{
	const struct row *row = &rows->list[at];
	uint16_t keys = rows->past.identities[identity];
	uint64_t value = value_of(row, keys);
	unsigned equal = 0; /* a bit for each set of members in which one before, or at the same time, is equal */
	if (present && !has_all(row, keys))
		return;
	for (uint32_t i = find_value(rows, row, (unsigned)identity, value); i != 0; i = rows->past.seen[i - 1].next)
		if (is_before(&rows->past.seen[i - 1], row))
			equal |= 1u << equal_members(rows->past.seen[i - 1].envelope, row->keys.values, present);
	for (size_t i = 0; row->side != CAUSE_ACCEPTED && i < rows->count; i++)
		if (is_during(row, &rows->list[i]) && value_of(&rows->list[i], keys) == value)
			equal |= 1u << equal_members(rows->list[i].keys.values, row->keys.values, present);
	for (unsigned members = keys == 0; members < ENVELOPE_SETS; members++)
		for (unsigned set = 0; set < ENVELOPE_SETS; set++)
			if (equal >> set & 1 && (set & members) == members) {
				set_after(rows, at, present, identity, members);
				break;
			}
}

static bool begins(const struct row *row, size_t key, uint64_t value)
{
	return row->keys.values[key] == value && !(row->keys.refer >> key & 1);
}

/* Whether an accepted one before has begun what the key refers to. Of an accepted row, one in flight may have. */
static bool was_begun(const struct rows *rows, const struct row *row, size_t key)
{
	uint64_t value = row->keys.values[key];
	size_t referred = fact_key_referred(key);
	if (came_before(rows, row, OF_BEGUN | (unsigned)key, value) ||
	    came_before(rows, row, OF_BEGUN | (unsigned)referred, value))
		return true;
	for (size_t i = 0; row->side == CAUSE_ACCEPTED && i < rows->count; i++)
		if (is_during(row, &rows->list[i]) &&
		    (begins(&rows->list[i], key, value) || begins(&rows->list[i], referred, value)))
			return true;
	return false;
}

/* Whether the first accepted one before that has it, and does not refer to it, is of another customer. */
static bool was_taken(const struct rows *rows, const struct row *row, size_t key)
{
	uint64_t value = row->keys.values[key], customer = row->keys.values[FACT_CUSTOMER];
	const struct row *first = NULL;
	for (size_t i = 0; value != 0 && customer != 0 && i < rows->count; i++) {
		const struct row *other = &rows->list[i];
		bool has_it = other->keys.values[key] == value && !(other->keys.refer >> key & 1) &&
		              other->keys.values[FACT_CUSTOMER] != 0;
		if (other->side == CAUSE_ACCEPTED && other->life == row->life && has_it &&
		    other->finished_ns <= row->sent_ns && (!first || other->finished_ns < first->finished_ns))
			first = other;
	}
	return first && first->keys.values[FACT_CUSTOMER] != customer;
}

static bool is_repeat(const struct rows *rows, const struct row *row)
{
	if (came_before(rows, row, OF_BODIES, row->bytes))
		return true;
	for (size_t i = 0; row->side != CAUSE_ACCEPTED && i < rows->count; i++)
		if (is_during(row, &rows->list[i]) && rows->list[i].bytes == row->bytes)
			return true;
	return false;
}

static void note_past(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (!rows->list[i].has_history && rows->list[i].side == CAUSE_ACCEPTED)
			add_accepted(rows, &rows->list[i]);
	for (size_t i = 0; i < rows->count && !rows->no_memory; i++) {
		const struct row *row = &rows->list[i];
		if (row->has_history)
			continue;
		for (size_t identity = 0; identity < rows->past.identity_count; identity++)
			for (int present = 0; present < 2; present++)
				note_after(rows, i, identity, present);
		if (is_repeat(rows, row))
			set_fact(rows, i, FACT_REPEAT, "the same", 0);
		for (size_t key = FACT_ENVELOPE; key < fact_key_count(); key++) {
			uint16_t keys = (uint16_t)(1u << key);
			if (row->keys.refer >> key & 1 && !was_begun(rows, row, key))
				set_fact(rows, i, FACT_NEW, fact_key_pointer(key), keys);
			if (fact_key_is_shared(key) && was_taken(rows, row, key))
				set_fact(rows, i, FACT_TAKEN, fact_key_pointer(key), keys);
		}
	}
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
	if (rows->past.identity_count == 0)
		list_identities(&rows->past);
	note_past(rows);
	for (size_t i = 0; i < rows->count; i++) {
		if (!rows->list[i].has_history && rows->list[i].at_once)
			note_together(rows, i);
		rows->list[i].has_history = true;
	}
	for (size_t i = 0; i < rows->fact_count; i++)
		if (fact_rows[rows->facts[i].kind].is_measure)
			settle_measure(rows, i);
	return rows->no_memory ? error_no_memory(err) : 0;
}
