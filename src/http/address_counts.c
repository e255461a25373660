#include "http/address_counts.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 64

static size_t home_of(const struct http_address_counts *c, const unsigned char address[16])
{
	uint64_t high, low;
	memcpy(&high, address, 8);
	memcpy(&low, address + 8, 8);
	uint64_t hash = (high ^ c->key) * 0x9E3779B97F4A7C15u;
	hash = (hash ^ hash >> 29 ^ low) * 0xD6E8FEB86659FD93u;
	return (size_t)(hash ^ hash >> 32) & (c->size - 1);
}

/* The slot of the address, or the free slot for it. */
static struct http_address_count *find(const struct http_address_counts *c, const unsigned char address[16])
{
	size_t at = home_of(c, address);
	while (c->table[at].count > 0 && memcmp(c->table[at].address, address, 16) != 0)
		at = (at + 1) & (c->size - 1);
	return &c->table[at];
}

static bool grow(struct http_address_counts *c)
{
	struct http_address_counts larger = { .size = c->size > 0 ? c->size * 2 : FIRST_SIZE, .key = c->key };
	larger.table = calloc(larger.size, sizeof *larger.table);
	if (!larger.table)
		return false;
	for (size_t i = 0; i < c->size; i++)
		if (c->table[i].count > 0)
			*find(&larger, c->table[i].address) = c->table[i];
	larger.used = c->used;
	free(c->table);
	*c = larger;
	return true;
}

bool http_address_counts_add(struct http_address_counts *c, const unsigned char address[16], size_t most)
{
	if (c->used * 2 >= c->size && !grow(c))
		return false;
	struct http_address_count *entry = find(c, address);
	if (entry->count >= most)
		return false;
	if (entry->count == 0) {
		memcpy(entry->address, address, 16);
		c->used++;
	}
	entry->count++;
	return true;
}

void http_address_counts_remove(struct http_address_counts *c, const unsigned char address[16])
{
	if (c->size == 0)
		return;
	struct http_address_count *entry = find(c, address);
	if (entry->count == 0 || --entry->count > 0)
		return;
	c->used--;
	/* Linear probing: entries after the free slot move up, so that no search for them ends there. */
	size_t free_at = (size_t)(entry - c->table), mask = c->size - 1;
	for (size_t at = (free_at + 1) & mask; c->table[at].count > 0; at = (at + 1) & mask) {
		size_t home = home_of(c, c->table[at].address);
		if (((at - home) & mask) < ((at - free_at) & mask))
			continue;
		c->table[free_at] = c->table[at];
		c->table[at].count = 0;
		free_at = at;
	}
}

void http_address_counts_release(struct http_address_counts *c)
{
	free(c->table);
	*c = (struct http_address_counts){ .key = c->key };
}
