/*
 * What a page says of the whole run, beside its cases: the command's words, how many cases came to what, and for plots
 * the same over time and how long their responses took, in at most PAGE_POINTS steps of one length. When time goes on
 * beyond them, neighbours are merged, so that memory is bounded (600 KB).
 */
#ifndef CREDHOOK_REPORT_PAGE_H
#define CREDHOOK_REPORT_PAGE_H

#include "base/fit.h"

#include <stdint.h>

#define PAGE_POINTS  300 /* a screen shows no more */
#define PAGE_SERIES  GRADES
#define PAGE_FULL    ((size_t)16 << 20) /* bytes, beyond which its cases are without_bodies */
#define PAGE_BUCKETS 452                /* a logarithmic histogram from 1 us to an hour, in steps of 5 % */

/* What a case can come to, and a word behind its number; NULL: nothing. */
struct page_series {
	enum grade grade;
	const char *name;
};

enum page_people { PAGE_REDACTED, PAGE_MADE_UP, PAGE_PEOPLE };

struct page_point {
	uint64_t grades[GRADES];
	uint32_t measured, histogram[PAGE_BUCKETS];
	int64_t max_ns;
};

/* Zero-initialise. */
struct page {
	/* The command's to set at the end. */
	const struct page_series
	        *series;         /* PAGE_SERIES of them in the order in which they are listed; NULL: nothing is said */
	enum page_people people; /* in its payloads */
	struct buffer subject, lines;
	struct buffer members; /* further ones, as JSON that page.html reads */
	int64_t ns;            /* that it took */
	/* What page_add() has seen. */
	struct page_point all, points[PAGE_POINTS];
	int64_t from_ms, step_ms;
	size_t size, merges;
};

void page_release(struct page *page);
/* One that came to `grade` at this time, since 1970 (0: it has none); `ns` below 0: there is nothing to measure. One
 * before the first counts with it. */
void page_add(struct page *page, int64_t at_us, enum grade grade, int64_t ns);
/* Appends the members "series" and "distribution", where anything came at a time. */
void page_append_plots(struct page *page, struct buffer *json);

#endif
