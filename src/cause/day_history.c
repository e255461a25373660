/* What came before: failures behind an accepted notification with the same keys, which no accepted one is. */
#include "base/hash.h"
#include "cause/day_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET_FIRST  1024    /* places */
#define SEEN_MOST  1000000 /* hashes of accepted ones, of all sets of keys together */
#define TABLE_SIZE 65536
#define ROWS_LEAST 16 /* of a class, before it is thought over whether they have a set of keys in common */

/* Which members of the envelope are the same. */
static unsigned same_envelope(const uint64_t *a, const uint64_t *b)
{
	unsigned same = 0;
	for (unsigned i = 0; i < FACT_ENVELOPE; i++)
		same |= (unsigned)(a[i] == b[i]) << i;
	return same;
}

/* Whether a notification may be recognized by the key with that set of the envelope's members: its bytes have them. */
static bool is_told_by(size_t key, unsigned set)
{
	return key == DAY_BODY_KEY ? set == 0 : key != DAY_APPLICATION_KEY && key < fact_key_count();
}

bool day_history_begin(struct day *d)
{
	struct day_history *h = &d->history;
	size_t most = 0;
	for (size_t c = 0; c < d->class_count; c++)
		most += d->classes[c].row_count * DAY_IDENTITIES;
	h->heads = calloc(TABLE_SIZE, sizeof *h->heads);
	h->entries = calloc(most + 1, sizeof *h->entries);
	if (!h->heads || !h->entries)
		return false;
	for (size_t c = 0; c < d->class_count; c++)
		for (size_t i = 0; i < d->classes[c].row_count; i++)
			for (unsigned id = 0; id < DAY_IDENTITIES; id++) {
				uint64_t value = d->classes[c].rows[i].keys[FACT_ENVELOPE + id];
				uint32_t *head = &h->heads[(value ^ id) % TABLE_SIZE];
				if (value == 0 || FACT_ENVELOPE + id == DAY_APPLICATION_KEY)
					continue;
				h->entries[++h->entry_count] =
				        (struct day_entry){ (uint16_t)c, (uint16_t)i, (uint16_t)id, *head };
				*head = (uint32_t)h->entry_count;
			}
	for (unsigned id = 0; id < DAY_IDENTITIES; id++)
		for (unsigned set = 0; set < ENVELOPE_SETS; set++)
			h->sets[id][set].is_open = is_told_by(FACT_ENVELOPE + id, set);
	return true;
}

void day_history_release(struct day_history *h)
{
	for (unsigned id = 0; id < DAY_IDENTITIES; id++)
		for (unsigned set = 0; set < ENVELOPE_SETS; set++)
			free(h->sets[id][set].seen);
	free(h->heads);
	free(h->entries);
}

static void close_set(struct day_history *h, struct day_seen *s)
{
	h->seen -= s->count;
	free(s->seen);
	*s = (struct day_seen){ .is_open = false };
}

static bool grow(struct day_seen *s)
{
	size_t size = s->size > 0 ? 2 * s->size : SET_FIRST;
	uint64_t *larger = calloc(size, sizeof *larger);
	if (!larger)
		return false;
	for (size_t i = 0; i < s->size; i++) {
		size_t at = (size_t)(s->seen[i] % size);
		while (s->seen[i] != 0 && larger[at] != 0)
			at = (at + 1) % size;
		if (s->seen[i] != 0)
			larger[at] = s->seen[i];
	}
	free(s->seen);
	s->seen = larger;
	s->size = size;
	return true;
}

/* Whether an accepted one had it before; if not, it is noted. */
static bool was_seen(struct day *d, struct day_seen *s, uint64_t hash)
{
	if (2 * s->count >= s->size && !grow(s)) {
		d->no_memory = true;
		return false;
	}
	size_t at = (size_t)(hash % s->size);
	for (; s->seen[at] != 0; at = (at + 1) % s->size)
		if (s->seen[at] == hash)
			return true;
	s->seen[at] = hash;
	s->count++;
	d->history.seen++;
	return false;
}

static void close_all(struct day_history *h)
{
	for (unsigned id = 0; id < DAY_IDENTITIES; id++)
		for (unsigned set = 0; set < ENVELOPE_SETS; set++)
			close_set(h, &h->sets[id][set]);
}

void day_history_accept(struct day *d, const struct fact_keys *keys, struct day_moment at)
{
	struct day_history *h = &d->history;
	for (unsigned id = 0; id < DAY_IDENTITIES; id++) {
		uint64_t value = keys->values[FACT_ENVELOPE + id];
		if (value == 0)
			continue;
		for (uint32_t i = h->heads[(value ^ id) % TABLE_SIZE]; i != 0; i = h->entries[i].next) {
			const struct day_entry *e = &h->entries[i];
			struct day_row *row = &d->classes[e->class].rows[e->row];
			if (e->id == id && day_is_before(at, row->at) && row->keys[FACT_ENVELOPE + id] == value)
				row->after[id] |= (uint16_t)(1u << same_envelope(row->keys, keys->values));
		}
		for (unsigned set = 0; set < ENVELOPE_SETS; set++) {
			uint64_t hash = value;
			if (!h->sets[id][set].is_open)
				continue;
			for (unsigned i = 0; i < FACT_ENVELOPE; i++)
				if (set >> i & 1)
					hash = hash_fnv1a(hash, &keys->values[i], sizeof keys->values[i]);
			if (was_seen(d, &h->sets[id][set], hash ? hash : 1))
				close_set(h, &h->sets[id][set]);
		}
	}
	if (h->seen > SEEN_MOST) {
		close_all(h);
		h->is_left_out = true;
	}
}

bool day_history_has(const struct day_row *row, unsigned id, unsigned set)
{
	for (unsigned same = 0; same < ENVELOPE_SETS; same++)
		if (row->after[id] >> same & 1 && (same & set) == set)
			return true;
	return false;
}

/* Whether as many rows as a cause needs have it, and half of those that came. */
static bool is_shared(const struct day_class *c, unsigned id, unsigned set)
{
	size_t count = 0;
	if (c->row_count < DAY_LEAST || c->status == 429)
		return false;
	if (c->cursor < ROWS_LEAST)
		return true;
	for (size_t i = 0; i < c->cursor; i++)
		count += day_history_has(&c->rows[i], id, set);
	return 2 * count >= c->cursor;
}

bool day_history_is_open(struct day *d)
{
	bool any = false;
	for (unsigned id = 0; id < DAY_IDENTITIES; id++)
		for (unsigned set = 0; set < ENVELOPE_SETS; set++) {
			struct day_seen *s = &d->history.sets[id][set];
			bool shared = false;
			for (size_t c = 0; s->is_open && c < d->class_count && !shared; c++)
				shared = is_shared(&d->classes[c], id, set);
			if (s->is_open && !shared)
				close_set(&d->history, s);
			any |= s->is_open;
		}
	return any;
}

void day_history_name(unsigned id, unsigned set, char *out, size_t size)
{
	size_t length = 0;
	for (unsigned i = 0; i < FACT_ENVELOPE; i++)
		if (set >> i & 1)
			length += (size_t)snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "",
			                           fact_key_name(i));
	snprintf(out + length, size - length, "%s%s", length > 0 ? " and " : "", fact_key_name(FACT_ENVELOPE + id));
}
