/*
 * What a page says of the whole run, beside its cases: the command's words, how many cases came to what, by event and
 * status, and for plots the same over time and how long their responses took, in at most PAGE_POINTS steps of one
 * length. When time goes on beyond them, neighbours are merged, so that memory is bounded (1 MB).
 */
#ifndef CREDHOOK_REPORT_PAGE_H
#define CREDHOOK_REPORT_PAGE_H

#include "base/fit.h"

#include <stdint.h>

#define PAGE_POINTS  300 /* a screen shows no more */
#define PAGE_SERIES  GRADES
#define PAGE_FULL    ((size_t)16 << 20) /* bytes, beyond which its cases are without_sides */
#define PAGE_BUCKETS 452                /* a logarithmic histogram from 1 us to an hour, in steps of 5 % */

#define PAGE_NAMES    64 /* of events: more than the catalogue has */
#define PAGE_STATUSES 27 /* the first 16 as they are, further ones by their first digit, or as "other" */

/* What a case can come to, and a word behind its number; NULL: nothing. */
struct page_series {
	enum grade grade;
	const char *name;
};

enum page_people { PAGE_REDACTED, PAGE_MADE_UP, PAGE_WITHOUT_PAYLOADS, PAGE_PEOPLE };

extern const char *const page_payload_names[GRADES]; /* valid, unchecked, warning, invalid */

/* A case to be counted. */
struct page_item {
	int64_t at_us; /* since 1970; 0: it has no time, or none that matters */
	int64_t ns;    /* that its response took; below 0: there is nothing to measure */
	enum grade grade;
	enum grade payload; /* of a notification: one of page_payload_names */
	const char *event;  /* NULL: it is not counted by event and status */
	const char *status; /* "200", or what there is instead; NULL: nothing */
};

/* What cases are counted by over time: a grade, or the first digit of a status, 1 to 5, and 0 for any other or none. */
enum page_stack { PAGE_BY_GRADE, PAGE_BY_PAYLOAD, PAGE_BY_CLASS, PAGE_STACKS };
#define PAGE_CLASSES 6

struct page_point {
	uint64_t counts[PAGE_STACKS][PAGE_CLASSES];
	uint32_t measured, histogram[PAGE_BUCKETS];
	int64_t max_ns;
};

/* Zero-initialise. */
struct page {
	/* The command's to set. */
	const struct page_series
	        *series;         /* PAGE_SERIES of them in the order in which they are listed; NULL: nothing is said */
	enum page_people people; /* in its payloads */
	struct buffer subject;   /* what it is about: a destination, inputs */
	struct buffer part;      /* which part of its inputs it has, if not all */
	struct buffer lines;     /* the first one is what matters most */
	struct buffer more;      /* which cases are listed, if not all */
	struct buffer members;   /* further ones, as JSON that page.html reads */
	int64_t ns;              /* that it took */
	/* What page_add() has seen. */
	struct page_point all, points[PAGE_POINTS];
	uint64_t cells[PAGE_NAMES][GRADES][GRADES][PAGE_STATUSES]; /* by event, grade, payload and status */
	struct page_names {
		char names[PAGE_NAMES][64];
		size_t count;
	} events, statuses;
	int64_t first_us, last_us; /* the earliest and the latest time */
	int64_t from_ms, step_ms;
	size_t size, merges;
};

void page_release(struct page *page);
/* One before the first counts, over time, with it. */
void page_add(struct page *page, const struct page_item *item);
/* Appends the members "cells", "first" and "last", where cases are counted by event, and "series" and "distribution",
 * where anything came at a time. */
void page_append_counts(struct page *page, struct buffer *json);

#endif
