#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST_HOURS 10000

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

/* Padded with zeros on the left. Returns the end of what it wrote. */
static char *append_digits(char *at, unsigned number, unsigned digits)
{
	for (unsigned i = digits; i-- > 0; number /= 10)
		at[i] = (char)('0' + number % 10);
	return at + digits;
}

void clock_format_stamp(int64_t microseconds, char out[CLOCK_STAMP_SIZE])
{
	int64_t seconds = microseconds / 1000000;
	int64_t fraction = microseconds % 1000000;
	if (fraction < 0) {
		seconds--;
		fraction += 1000000;
	}
	time_t when = (time_t)seconds;
	struct tm utc;
	gmtime_r(&when, &utc);
	/* Every record has a stamp, and printf() and strftime() took a good part of the time to write a record. */
	int year = utc.tm_year + 1900;
	char *end = out;
	if (year < 0 || year > 9999)
		end += snprintf(out, CLOCK_STAMP_SIZE - 23, "%04d", year);
	else
		end = append_digits(end, (unsigned)year, 4);
	*end++ = '-';
	end = append_digits(end, (unsigned)utc.tm_mon + 1, 2);
	*end++ = '-';
	end = append_digits(end, (unsigned)utc.tm_mday, 2);
	*end++ = 'T';
	end = append_digits(end, (unsigned)utc.tm_hour, 2);
	*end++ = ':';
	end = append_digits(end, (unsigned)utc.tm_min, 2);
	*end++ = ':';
	end = append_digits(end, (unsigned)utc.tm_sec, 2);
	*end++ = '.';
	end = append_digits(end, (unsigned)fraction, 6);
	*end++ = 'Z';
	*end = '\0';
}

static bool read_digits(const char **text, int count, int *value)
{
	*value = 0;
	for (int i = 0; i < count; i++, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		*value = *value * 10 + (**text - '0');
	}
	return true;
}

static bool read_literal(const char **text, char expected)
{
	if (**text != expected)
		return false;
	(*text)++;
	return true;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t days_since_epoch(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
	return era * 146097 + day_of_era - 719468;
}

static int days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month == 2 && leap ? 29 : days[month - 1];
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
	*minutes = 0;
	char sign = **text;
	(*text)++;
	if (sign == 'Z' || sign == 'z')
		return true;
	int hour, minute;
	if ((sign != '+' && sign != '-') || !read_digits(text, 2, &hour) || !read_literal(text, ':') ||
	    !read_digits(text, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*minutes = (hour * 60 + minute) * (sign == '-' ? -1 : 1);
	return true;
}

bool clock_parse_stamp(const char *text, int64_t *microseconds)
{
	int year, month, day, hour, minute, second, fraction, offset;
	if (!read_digits(&text, 4, &year) || !read_literal(&text, '-') || !read_digits(&text, 2, &month) ||
	    !read_literal(&text, '-') || !read_digits(&text, 2, &day))
		return false;
	if (*text != 'T' && *text != 't' && *text != ' ')
		return false;
	text++;
	if (!read_digits(&text, 2, &hour) || !read_literal(&text, ':') || !read_digits(&text, 2, &minute) ||
	    !read_literal(&text, ':') || !read_digits(&text, 2, &second) || !read_fraction(&text, &fraction))
		return false;
	if (*text == '\0' || !read_offset(&text, &offset) || *text != '\0')
		return false;
	if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59 ||
	    second > 60)
		return false;
	int64_t minutes = (days_since_epoch(year, month, day) * 24 + hour) * 60 + minute - offset;
	*microseconds = (minutes * 60 + second) * 1000000 + fraction;
	return true;
}

bool clock_parse_duration(const char *text, int64_t *nanoseconds)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "ms", 1e6 }, { "s", 1e9 }, { "", 1e9 }, { "m", 60e9 }, { "h", 3600e9 },
	};
	size_t digits = strspn(text, "0123456789.");
	if (digits == 0 || digits > 20)
		return false;
	char *end;
	double number = strtod(text, &end); /* LC_NUMERIC stays "C", so the point is a point */
	if (end != text + digits)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(end, units[i].unit) != 0)
			continue;
		double ns = number * units[i].ns;
		if (ns > LONGEST_HOURS * 3600e9)
			return false;
		*nanoseconds = (int64_t)llround(ns);
		return true;
	}
	return false;
}

/* Not printf(): a listener formats a duration for each repeated notification. */
static char *append_decimal(char *at, uint64_t number)
{
	char digits[20];
	size_t count = 0;
	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count > 0)
		*at++ = digits[--count];
	return at;
}

static char *append_tenths(char *at, uint64_t tenths)
{
	at = append_decimal(at, tenths / 10);
	*at++ = '.';
	*at++ = (char)('0' + tenths % 10);
	return at;
}

void clock_format_duration(int64_t nanoseconds, char out[CLOCK_DURATION_SIZE])
{
	uint64_t ns = nanoseconds > 0 ? (uint64_t)nanoseconds : 0;
	uint64_t us = (ns + 500) / 1000, tenths_of_ms = (ns + 50000) / 100000, ms = (ns + 500000) / 1000000;
	uint64_t tenths_of_s = (ns + 50000000) / 100000000, s = (ns + 500000000) / 1000000000;
	if (us < 1000) {
		strcpy(append_decimal(out, us), " us");
	} else if (tenths_of_ms < 100) {
		strcpy(append_tenths(out, tenths_of_ms), " ms");
	} else if (ms < 1000) {
		strcpy(append_decimal(out, ms), " ms");
	} else if (tenths_of_s < 600) {
		strcpy(append_tenths(out, tenths_of_s), " s");
	} else {
		char *end = append_decimal(out, s / 60);
		*end++ = 'm';
		strcpy(append_digits(end, (unsigned)(s % 60), 2), "s");
	}
}
