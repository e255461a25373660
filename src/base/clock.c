#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define US_PER_MINUTE INT64_C(60000000)
#define US_PER_DAY    (24 * 60 * US_PER_MINUTE)

int64_t clock_monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * CLOCK_NS_PER_S + now.tv_nsec;
}

int64_t clock_realtime_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_realtime_of(int64_t monotonic_ns)
{
	return clock_realtime_us() - (clock_monotonic_ns() - monotonic_ns) / 1000;
}

/* 2026-01-02T03:04:05.123456Z: how many digits each part has, and what may follow it; the first of these is written. */
static const struct {
	unsigned digits;
	const char *then;
} stamp_parts[] = { { 4, "-" }, { 2, "-" }, { 2, "Tt " }, { 2, ":" }, { 2, ":" }, { 2, "." }, { 6, "Z" } };

const char *clock_format_stamp(int64_t microseconds, char out[CLOCK_STAMP_SIZE])
{
	int64_t fraction = microseconds % 1000000;
	time_t when = (time_t)(microseconds / 1000000 - (fraction < 0));
	struct tm utc;
	char *to = out;
	gmtime_r(&when, &utc);
	/* Every record has a stamp, and printf() and strftime() took a good part of the time to write a record. */
	const int parts[] = { utc.tm_year + 1900,
		              utc.tm_mon + 1,
		              utc.tm_mday,
		              utc.tm_hour,
		              utc.tm_min,
		              utc.tm_sec,
		              (int)(fraction < 0 ? fraction + 1000000 : fraction) };
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		unsigned number = (unsigned)parts[i];
		for (unsigned at = stamp_parts[i].digits; at-- > 0; number /= 10)
			to[at] = (char)('0' + number % 10);
		to += stamp_parts[i].digits;
		*to++ = stamp_parts[i].then[0];
	}
	*to = '\0';
	return out;
}

static bool read_digits(const char **text, unsigned count, int *value)
{
	*value = 0;
	for (unsigned i = 0; i < count; i++, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		*value = *value * 10 + (**text - '0');
	}
	return true;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar. Month 13 is the next January. */
static int64_t days_since_epoch(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
	return era * 146097 + day_of_era - 719468;
}

static bool read_fraction(const char **text, int *microseconds)
{
	*microseconds = 0;
	if (**text != '.')
		return true;
	(*text)++;
	int digits = 0;
	for (; digits <= 9 && **text >= '0' && **text <= '9'; (*text)++, digits++)
		if (digits < 6)
			*microseconds = *microseconds * 10 + (**text - '0');
	for (int i = digits; i < 6; i++)
		*microseconds *= 10;
	return digits >= 1 && digits <= 9;
}

static bool read_offset(const char **text, int *minutes)
{
	int hour, minute;
	char sign = *(*text)++;
	*minutes = 0;
	if (sign == 'Z' || sign == 'z')
		return true;
	if ((sign != '+' && sign != '-') || !read_digits(text, 2, &hour) || *(*text)++ != ':' ||
	    !read_digits(text, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*minutes = (hour * 60 + minute) * (sign == '-' ? -1 : 1);
	return true;
}

/* Reads the parts of a stamp. Returns how many there are; 0: the first, or one that had to come, is missing. */
static size_t read_parts(const char **text, int part[6])
{
	for (size_t at = 0;; at++, (*text)++) {
		if (!read_digits(text, stamp_parts[at].digits, &part[at]))
			return 0;
		if (at == 5 || **text == '\0' || !strchr(stamp_parts[at].then, **text))
			return at + 1;
	}
}

/* What these parts are in UTC, in microseconds. False: there is no such time. */
static bool utc_of_parts(const int part[6], int64_t *microseconds)
{
	int year = part[0], month = part[1], day = part[2], hour = part[3], minute = part[4], second = part[5];
	if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60)
		return false;
	int64_t days = days_since_epoch(year, month, day);
	if (days >= days_since_epoch(year, month + 1, 1))
		return false;
	*microseconds = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000000;
	return true;
}

bool clock_parse_stamp(const char *text, int64_t *microseconds)
{
	int part[6], fraction, offset;
	if (read_parts(&text, part) != 6 || !read_fraction(&text, &fraction) || !read_offset(&text, &offset) ||
	    *text != '\0' || !utc_of_parts(part, microseconds))
		return false;
	*microseconds += fraction - offset * US_PER_MINUTE;
	return true;
}

/* How far local time is before UTC then, in microseconds. */
static int64_t local_offset(int64_t microseconds)
{
	time_t second = (time_t)(microseconds / 1000000);
	struct tm local;
	localtime_r(&second, &local);
	return (int64_t)local.tm_gmtoff * 1000000;
}

/* Whose local time reads as `read` does in UTC: of two the first; where clocks skip it, as if they had not been set. */
static int64_t utc_of_local(int64_t read)
{
	int64_t by_old = read - local_offset(read - US_PER_DAY), by_new = read - local_offset(read + US_PER_DAY);
	bool is_past = by_old + local_offset(by_old) != read && by_new + local_offset(by_new) == read;
	return is_past ? by_new : by_old;
}

bool clock_parse_local(const char *text, int64_t *microseconds)
{
	int part[6], fraction, offset;
	if (read_parts(&text, part) != 6 || !read_fraction(&text, &fraction))
		return false;
	bool is_local = *text == '\0';
	if ((!is_local && (!read_offset(&text, &offset) || *text != '\0')) || !utc_of_parts(part, microseconds))
		return false;
	*microseconds = fraction + (is_local ? utc_of_local(*microseconds) : *microseconds - offset * US_PER_MINUTE);
	return true;
}

void clock_format_local(int64_t microseconds, char out[CLOCK_STAMP_SIZE])
{
	clock_format_stamp(microseconds + local_offset(microseconds), out);
	out[CLOCK_DATE_SIZE - 1] = ' ';
	out[CLOCK_DATE_SIZE + sizeof "04:04:05" - 1] = '\0';
}

const char *clock_format_duration(int64_t nanoseconds, char out[CLOCK_DURATION_SIZE])
{
	unsigned long long ns = nanoseconds > 0 ? (unsigned long long)nanoseconds : 0;
	unsigned long long us = (ns + 500) / 1000, tenths_of_ms = (ns + 50000) / 100000, ms = (ns + 500000) / 1000000;
	unsigned long long tenths_of_s = (ns + 50000000) / 100000000, s = (ns + 500000000) / 1000000000;
	if (us < 1000)
		snprintf(out, CLOCK_DURATION_SIZE, "%llu us", us);
	else if (tenths_of_ms < 100)
		snprintf(out, CLOCK_DURATION_SIZE, "%llu.%llu ms", tenths_of_ms / 10, tenths_of_ms % 10);
	else if (ms < 1000)
		snprintf(out, CLOCK_DURATION_SIZE, "%llu ms", ms);
	else if (tenths_of_s < 600)
		snprintf(out, CLOCK_DURATION_SIZE, "%llu.%llu s", tenths_of_s / 10, tenths_of_s % 10);
	else if (s < 3600)
		snprintf(out, CLOCK_DURATION_SIZE, "%llum%02llus", s / 60, s % 60);
	else
		snprintf(out, CLOCK_DURATION_SIZE, "%lluh%02llum", s / 3600, s / 60 % 60);
	return out;
}
