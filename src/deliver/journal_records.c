#include "deliver/journal_records.h"

#include <stdlib.h>

#define PAGE 128

/* Of a record: how often it has ended (what does not fit is in `more`), how it ended last, and some bits of its hash.
 */
#define COUNT_BITS   2
#define COUNT_MASK   0x03
#define NOT_ACCEPTED 0x04
#define HASH_MASK    0xf8

/* PAGE records of one input, a byte each. */
struct journal_page {
	uint64_t input;
	uint64_t number;
	uint32_t *more; /* the counts' upper bits; NULL: all are 0 */
	uint8_t states[PAGE];
};

/* The page's place in the table, or where it would be put. */
static struct journal_page **place_of(const struct journal_records *r, uint64_t input, uint64_t number)
{
	uint64_t hash = (input ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 32) & (r->places - 1);
	while (r->pages[at] && (r->pages[at]->input != input || r->pages[at]->number != number))
		at = (at + 1) & (r->places - 1);
	return &r->pages[at];
}

static bool grow(struct journal_records *r)
{
	struct journal_records larger = { .places = r->places > 0 ? r->places * 2 : 64 };
	larger.pages = calloc(larger.places, sizeof *larger.pages);
	if (!larger.pages)
		return false;
	for (size_t i = 0; i < r->places; i++)
		if (r->pages[i])
			*place_of(&larger, r->pages[i]->input, r->pages[i]->number) = r->pages[i];
	free(r->pages);
	r->pages = larger.pages;
	r->places = larger.places;
	return true;
}

static struct journal_page *find(struct journal_records *r, uint64_t input, uint64_t number)
{
	if (r->last && r->last->input == input && r->last->number == number)
		return r->last;
	struct journal_page *page = r->places > 0 ? *place_of(r, input, number) : NULL;
	r->last = page ? page : r->last;
	return page;
}

static struct journal_page *find_or_make(struct journal_records *r, uint64_t input, uint64_t number)
{
	struct journal_page *page = find(r, input, number);
	if (page || (r->count * 2 >= r->places && !grow(r)))
		return page;
	page = calloc(1, sizeof *page);
	if (!page)
		return NULL;
	page->input = input;
	page->number = number;
	*place_of(r, input, number) = r->last = page;
	r->count++;
	return page;
}

static uint64_t count_of(const struct journal_page *page, size_t at)
{
	uint64_t more = page->more ? page->more[at] : 0;
	return more << COUNT_BITS | (page->states[at] & COUNT_MASK);
}

static bool set_count(struct journal_page *page, size_t at, uint64_t count)
{
	if (count > COUNT_MASK && !page->more && !(page->more = calloc(PAGE, sizeof *page->more)))
		return false;
	if (page->more)
		page->more[at] = (uint32_t)(count >> COUNT_BITS);
	page->states[at] = (uint8_t)((page->states[at] & ~(unsigned)COUNT_MASK) | (unsigned)(count & COUNT_MASK));
	return true;
}

bool journal_records_add(struct journal_records *r, uint64_t input, uint64_t record, uint64_t hash, bool accepted)
{
	struct journal_page *page = find_or_make(r, input, record / PAGE);
	size_t at = record % PAGE;
	if (!page || !set_count(page, at, count_of(page, at) + 1))
		return false;
	page->states[at] =
	        (uint8_t)((page->states[at] & COUNT_MASK) | (accepted ? 0 : NOT_ACCEPTED) | (hash & HASH_MASK));
	return true;
}

struct journal_ends journal_records_ends(struct journal_records *r, uint64_t input, uint64_t record, uint64_t hash)
{
	const struct journal_page *page = find(r, input, record / PAGE);
	uint8_t state = page ? page->states[record % PAGE] : 0;
	struct journal_ends ends = { .count = page ? count_of(page, record % PAGE) : 0 };
	ends.accepted = ends.count > 0 && !(state & NOT_ACCEPTED);
	ends.changed = ends.count > 0 && (state & HASH_MASK) != (hash & HASH_MASK);
	return ends;
}

void journal_records_use(struct journal_records *r, uint64_t input, uint64_t record, bool all)
{
	struct journal_page *page = find(r, input, record / PAGE);
	uint64_t count = page ? count_of(page, record % PAGE) : 0;
	if (count > 0)
		set_count(page, record % PAGE, all ? 0 : count - 1);
}

void journal_records_release(struct journal_records *r)
{
	for (size_t i = 0; i < r->places; i++) {
		if (r->pages[i])
			free(r->pages[i]->more);
		free(r->pages[i]);
	}
	free(r->pages);
	*r = (struct journal_records){ 0 };
}
