/* What a person may have meant by a time or a duration in another spelling than those that base/clock.h reads. */
#ifndef CREDHOOK_BASE_CLOCK_TYPED_H
#define CREDHOOK_BASE_CLOCK_TYPED_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_TYPED_SIZE 48

/* 1h30m, 2w, 30 seconds, "2 hours ago", -1h: as one unit, 90m. False: something else. */
bool clock_typed_duration(const char *text, char out[CLOCK_TYPED_SIZE]);
/* The same; and today, yesterday 5pm, monday, 5:30pm, 2026/11/28, 28 Nov 2026, 2026-11-28T09, seconds or milliseconds
 * since 1970: as a date, a time, or both (local). Days are counted back from `now_us`. False: something else. */
bool clock_typed_time(const char *text, int64_t now_us, char out[CLOCK_TYPED_SIZE]);

#endif
