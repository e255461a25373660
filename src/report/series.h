/*
 * Deliveries over time, for plots: how many came to what, and how long their responses took, in at most SERIES_POINTS
 * steps of one length. When time goes on beyond them, neighbours are merged, so that memory is bounded (2 MB).
 */
#ifndef CREDHOOK_REPORT_SERIES_H
#define CREDHOOK_REPORT_SERIES_H

#include "base/buffer.h"

#include <stdint.h>

#define SERIES_POINTS 1000
#define SERIES_KINDS  5

struct series;

struct series *series_new(void); /* NULL: no memory */
void series_free(struct series *series);
/* One that ended at this time (milliseconds since 1970) and came to `kind`; `ns` below 0: there is nothing to measure.
 * One before the first counts with it. */
void series_add(struct series *series, int64_t at_ms, unsigned kind, int64_t ns);
/* Each kind has a verdict of the page and a name. Appends the members "series" and "distribution" (report/page.html),
 * where anything was added. */
void series_append(struct series *series, const char *const kinds[SERIES_KINDS][2], struct buffer *json);

#endif
