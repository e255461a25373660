/* Time: two clocks, RFC 3339 stamps, and the times and durations of the command line. */
#ifndef CREDHOOK_BASE_CLOCK_H
#define CREDHOOK_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_NS_PER_MS INT64_C(1000000)
#define CLOCK_NS_PER_S  INT64_C(1000000000)

int64_t clock_monotonic_ns(void); /* for measuring intervals */
int64_t clock_realtime_us(void);  /* microseconds since 1970-01-01T00:00:00Z */
/* What that was when clock_monotonic_ns() was this, by the clock as it is set now. */
int64_t clock_realtime_of(int64_t monotonic_ns);

#define CLOCK_STAMP_SIZE 32
/* Writes microseconds since 1970 as RFC 3339 in UTC with six decimals: 2026-01-02T03:04:05.123456Z. Of a
 * year beyond 9999 the last four digits. */
const char *clock_format_stamp(int64_t microseconds, char out[CLOCK_STAMP_SIZE]); /* out */
/* The same, valid until the end of the block: for an argument of a format. */
#define STAMP_TEXT(microseconds) clock_format_stamp((microseconds), (char[CLOCK_STAMP_SIZE]){ 0 })
/* Reads an RFC 3339 stamp with any offset and 0 to 9 decimals. False: not a stamp. */
bool clock_parse_stamp(const char *text, int64_t *microseconds);

/* The same, or without an offset local time: of two the first. */
bool clock_parse_local(const char *text, int64_t *microseconds);
/* Writes the local time as clock_parse_local() reads it: 2026-01-02 04:04:05. The time begins at CLOCK_DATE_SIZE. */
void clock_format_local(int64_t microseconds, char out[CLOCK_STAMP_SIZE]);
#define CLOCK_DATE_SIZE (sizeof "2026-01-02")

/* clock_read.c: what a person types. */

/* Reads a time: a date, a time of day or both, in either order and local unless Z or an offset follows the time, as
 * they are written by people (yesterday 17:00, 28 Nov 2026 5pm, 28.11.2026, monday), by us (2026-11-28 17:00:05), and
 * in logs and headers (Sat, 28 Nov 2026 10:00:00 GMT, 28/Nov/2026:10:00:00 +0000); a date alone is its beginning, one
 * without a year is the last such day. Or a duration, which counts back (10m, "2 hours ago"); or seconds or
 * milliseconds since 1970, in ten or thirteen digits. Days are counted from that of `now_us`. *has_date (may be NULL):
 * false where a time of day stands alone, which is then of that day. False: not a time, or one that can be read in two
 * ways (05/06/2026). */
bool clock_parse_time(const char *text, int64_t now_us, int64_t *microseconds, bool *has_date);
/* Whether two words are one time: a date alone, and a time of day alone. */
bool clock_continues(const char *text, const char *next);

/* Reads 500ms, 5s, 2m, 1h, 1d, 2w, with decimals, units in any spelling (5sec, 2 minutes) or several (1h30m), or a bare
 * number of seconds, into nanoseconds. False: not a duration, negative, or more than 10,000 hours. */
bool clock_parse_duration(const char *text, int64_t *nanoseconds);

#define CLOCK_DURATION_SIZE 24
/* Writes nanoseconds for a person: 840 us, 1.2 ms, 12 ms, 3.2 s, 2m05s, 14h48m. */
const char *clock_format_duration(int64_t nanoseconds, char out[CLOCK_DURATION_SIZE]); /* out */
/* The same, valid until the end of the block. */
#define DURATION_TEXT(nanoseconds) clock_format_duration((nanoseconds), (char[CLOCK_DURATION_SIZE]){ 0 })

#endif
