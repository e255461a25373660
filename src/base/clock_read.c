/* Times and durations as people type them: read part by part, and put together as a stamp, which clock.c reads. */
#include "base/ascii.h"
#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST_NS     (10000 * 3600e9)
#define US_PER_S       INT64_C(1000000)
#define US_PER_MINUTE  (60 * US_PER_S)
#define US_PER_DAY     (1440 * US_PER_MINUTE)
#define DECIMAL_DIGITS 20

/* A word of letters: `names` has it, or it begins one of them and has its `least` letters. */
struct name {
	const char *name;
	size_t least; /* letters; 0: all of them */
};

static size_t word_length(const char *text)
{
	size_t length = 0;
	while (ascii_is_letter(text[length]))
		length++;
	return length;
}

/* Which one the word is, or -1. */
static int find_name(const struct name *names, size_t count, const char *word, size_t length)
{
	for (size_t i = 0; i < count; i++) {
		size_t whole = strlen(names[i].name), least = names[i].least ? names[i].least : whole;
		if (length >= least && length <= whole && strncasecmp(names[i].name, word, length) == 0)
			return (int)i;
	}
	return -1;
}
#define FIND_NAME(names, word, length) find_name(names, sizeof(names) / sizeof(names)[0], word, length)

/* A number with decimals, without a sign. Where it ends, or NULL. */
static const char *read_decimal(const char *text, double *number)
{
	size_t digits = strspn(text, "0123456789.");
	char *end;
	if (digits == 0 || digits > DECIMAL_DIGITS)
		return NULL;
	*number = strtod(text, &end); /* LC_NUMERIC stays "C", so the point is a point */
	return end == text + digits ? end : NULL;
}

static const char *skip_between(const char *text)
{
	return text + strspn(text, " \t,");
}

bool clock_parse_duration(const char *text, int64_t *nanoseconds)
{
	static const struct name units[] = { { "milliseconds", 5 }, { "ms", 0 },      { "msecs", 4 }, { "seconds", 1 },
		                             { "secs", 0 },         { "minutes", 1 }, { "mins", 0 },  { "hours", 1 },
		                             { "hrs", 2 },          { "days", 1 },    { "weeks", 1 }, { "wks", 2 } };
	static const double unit_ns[] = { 1e6,  1e6,    1e6,    1e9,     1e9,      60e9,
		                          60e9, 3600e9, 3600e9, 86400e9, 604800e9, 604800e9 };
	double total = 0, number;
	const char *end = read_decimal(text, &number);
	if (!end)
		return false;
	if (*end == '\0') {
		total = number * 1e9;
		text = end;
	}
	while (*text) {
		end = read_decimal(text, &number);
		if (!end)
			return false;
		end += strspn(end, " \t");
		size_t length = word_length(end);
		int unit = FIND_NAME(units, end, length);
		if (unit < 0)
			return false;
		total += number * unit_ns[unit];
		const char *next = skip_between(end + length);
		if (*next == '\0' && next != end + length)
			return false; /* a blank or a comma at the end */
		text = next;
	}
	if (total > LONGEST_NS)
		return false;
	*nanoseconds = (int64_t)llround(total);
	return true;
}

/* 10m, "2 hours ago", -1h, "an hour ago": how long ago, in nanoseconds. */
static bool read_ago(const char *text, int64_t *nanoseconds)
{
	static const char ago[] = " ago";
	char duration[64];
	size_t length = strlen(text), behind = sizeof ago - 1;
	bool is_ago = length > behind && strcasecmp(text + length - behind, ago) == 0;
	bool is_negative = text[0] == '-';
	const char *from = text + is_negative, *one = "";
	length -= (size_t)is_negative + (is_ago ? behind : 0);
	if (is_ago && (strncasecmp(from, "a ", 2) == 0 || strncasecmp(from, "an ", 3) == 0 ||
	               strncasecmp(from, "one ", 4) == 0)) {
		size_t article = strcspn(from, " ");
		one = "1";
		from += article;
		length -= article;
	}
	if (length >= sizeof duration - 1 || (is_negative && is_ago))
		return false;
	snprintf(duration, sizeof duration, "%s%.*s", one, (int)length, from);
	return clock_parse_duration(duration, nanoseconds);
}

/* What was read of a time so far. */
struct parts {
	int year, month, day; /* 0: not given */
	bool is_relative;     /* a day by its name: */
	int days_back;
	bool is_weekday; /* which stands beside a date, too */
	bool has_time;
	int hour, minute, second, fraction;
	bool is_hour_alone; /* 5, before pm */
	bool has_offset;
	int offset_minutes;
};

static bool has_whole_date(const struct parts *p)
{
	return p->day > 0 && p->month > 0 && p->year > 0;
}

/* Or a part of one. */
static bool has_date(const struct parts *p)
{
	return p->day > 0 || p->month > 0 || p->year > 0 || p->is_relative || p->is_weekday;
}

/* Digits, `most` at most. */
static bool read_digits(const char **text, size_t least, size_t most, int *number)
{
	size_t digits = strspn(*text, "0123456789");
	if (digits < least || digits > most)
		return false;
	*number = 0;
	for (; digits > 0; digits--)
		*number = *number * 10 + (*(*text)++ - '0');
	return true;
}

/* Behind seconds: .5, of which six digits count. */
static bool read_fraction(const char **text, int *microseconds)
{
	if (**text != '.')
		return true;
	size_t digits = strspn(*text + 1, "0123456789"), at = 0;
	if (digits == 0 || digits > 9)
		return false;
	for ((*text)++, *microseconds = 0; at < 6; at++)
		*microseconds = *microseconds * 10 + (at < digits ? (*text)[at] - '0' : 0);
	*text += digits;
	return true;
}

/* 17:00, 5:30, 17:00:05.5 */
static bool read_clock(const char **text, struct parts *p)
{
	if (p->has_time || !read_digits(text, 1, 2, &p->hour))
		return false;
	p->has_time = true;
	if (**text != ':') {
		p->is_hour_alone = true;
		return true;
	}
	(*text)++;
	if (!read_digits(text, 2, 2, &p->minute))
		return false;
	if (**text != ':')
		return true;
	(*text)++;
	return read_digits(text, 2, 2, &p->second) && read_fraction(text, &p->fraction);
}

/* Behind T: 09, 0930, 093005, or as above. */
static bool read_iso_clock(const char **text, struct parts *p)
{
	size_t digits = strspn(*text, "0123456789");
	if (digits < 4) {
		bool is_read = read_clock(text, p);
		p->is_hour_alone = false;
		return is_read;
	}
	if (p->has_time || (digits != 4 && digits != 6) || !read_digits(text, digits, digits, &p->hour))
		return false;
	p->has_time = true;
	int with_minutes = digits == 6 ? p->hour / 100 : p->hour;
	p->second = digits == 6 ? p->hour % 100 : 0;
	p->hour = with_minutes / 100;
	p->minute = with_minutes % 100;
	return digits == 4 || read_fraction(text, &p->fraction);
}

/* +01:00, +0100, -05 */
static bool read_offset(const char **text, struct parts *p)
{
	int sign = *(*text)++ == '-' ? -1 : 1, hour, minute = 0;
	if (p->has_offset || !read_digits(text, 2, 4, &hour))
		return false;
	if (hour >= 100) {
		minute = hour % 100;
		hour /= 100;
	} else if (**text == ':') {
		(*text)++;
		if (!read_digits(text, 2, 2, &minute))
			return false;
	}
	p->has_offset = true;
	p->offset_minutes = sign * (hour * 60 + minute);
	return hour <= 23 && minute <= 59;
}

/* 2026-11-28, 2026/11/28, 28.11.2026, 28/11/2026 and 11/28/2026 where one cannot be a month; 20261128. False: it is not
 * such a date. */
static bool read_numeric_date(const char **text, struct parts *p)
{
	const char *at = *text;
	int number[3];
	size_t first = strspn(at, "0123456789");
	if (p->day || p->month || p->year)
		return false;
	if (first == 8 && read_digits(&at, 8, 8, &number[0])) {
		p->year = number[0] / 10000;
		p->month = number[0] / 100 % 100;
		p->day = number[0] % 100;
		*text = at;
		return p->year >= 1970 && p->month > 0 && p->day > 0;
	}
	char separator = at[first];
	if (separator == '\0' || !strchr("-/.", separator))
		return false;
	for (size_t i = 0; i < 3; i++) {
		bool is_year = (i == 0 && first == 4) || (i == 2 && first < 4);
		if (!read_digits(&at, is_year ? 4 : 1, is_year ? 4 : 2, &number[i]) || (i < 2 && *at++ != separator))
			return false;
	}
	bool is_year_first = first == 4;
	if (!is_year_first && separator == '-')
		return false;
	p->year = number[is_year_first ? 0 : 2];
	p->month = number[1];
	p->day = number[is_year_first ? 2 : 0];
	if (separator == '/' && !is_year_first) {
		if (number[0] <= 12 && number[1] <= 12)
			return false; /* the fifth of June, or the sixth of May */
		if (number[1] > 12) {
			p->month = number[0];
			p->day = number[1];
		}
	}
	*text = at;
	return p->month > 0 && p->day > 0;
}

/* A number: of a date or of a time. */
static bool read_number(const char **text, struct parts *p, bool behind_t)
{
	size_t digits = strspn(*text, "0123456789");
	const char *behind = *text + digits;
	if (behind_t)
		return read_iso_clock(text, p);
	if (*behind == ':' && digits <= 2)
		return read_clock(text, p);
	if (read_numeric_date(text, p))
		return true;
	const char *word = behind + strspn(behind, " \t");
	size_t length = word_length(word);
	if ((word[0] == 'a' || word[0] == 'A' || word[0] == 'p' || word[0] == 'P') &&
	    (length == 2 || (length == 1 && word[1] == '.')) && digits <= 2)
		return read_clock(text, p);
	if (digits == 4 && p->year == 0)
		return read_digits(text, 4, 4, &p->year) && p->year > 0;
	if (digits > 2 || p->day > 0 || !read_digits(text, 1, 2, &p->day) || p->day == 0)
		return false;
	static const struct name ordinals[] = { { "st", 0 }, { "nd", 0 }, { "rd", 0 }, { "th", 0 } };
	if (FIND_NAME(ordinals, *text, word_length(*text)) >= 0)
		*text += 2;
	*text += text[0][0] == '.' && text[0][1] == ' '; /* 28. November */
	return true;
}

/* 5 pm, 12:30 a.m. */
static bool read_half(const char **text, struct parts *p, size_t length)
{
	bool is_pm = ascii_lower(**text) == 'p';
	if (!p->has_time || p->hour < 1 || p->hour > 12)
		return false;
	p->hour = p->hour % 12 + (is_pm ? 12 : 0);
	p->is_hour_alone = false;
	*text += length == 2 ? 2 : strlen("a.m");
	*text += length == 1 && **text == '.';
	return true;
}

static bool read_word(const char **text, struct parts *p)
{
	static const struct name months[] = { { "january", 3 }, { "february", 3 }, { "march", 3 },
		                              { "april", 3 },   { "may", 3 },      { "june", 3 },
		                              { "july", 3 },    { "august", 3 },   { "september", 3 },
		                              { "october", 3 }, { "november", 3 }, { "december", 3 } };
	/* 1970 began on a Thursday. */
	static const struct name weekdays[] = { { "thursday", 3 }, { "friday", 3 },  { "saturday", 3 }, { "sunday", 3 },
		                                { "monday", 3 },   { "tuesday", 3 }, { "wednesday", 3 } };
	static const struct name days[] = { { "today", 0 }, { "yesterday", 0 }, { "tomorrow", 0 } };
	static const struct name zones[] = { { "z", 0 }, { "utc", 0 }, { "gmt", 0 } };
	static const struct name hours[] = { { "midnight", 0 }, { "noon", 0 } };
	static const struct name noise[] = { { "at", 0 }, { "on", 0 } };
	const char *word = *text;
	size_t length = word_length(word);
	if ((length == 2 && (strncasecmp(word, "am", 2) == 0 || strncasecmp(word, "pm", 2) == 0)) ||
	    (length == 1 && (strncasecmp(word, "a.m", 3) == 0 || strncasecmp(word, "p.m", 3) == 0)))
		return read_half(text, p, length);
	*text += length;
	int found = FIND_NAME(months, word, length);
	if (found >= 0 && p->month == 0) {
		p->month = found + 1;
		*text += **text == '.';
		return true;
	}
	found = FIND_NAME(weekdays, word, length);
	if (found >= 0 && !p->is_weekday && !p->is_relative) {
		p->is_weekday = true;
		p->days_back = found;
		return true;
	}
	found = FIND_NAME(days, word, length);
	if (found >= 0 && !p->is_weekday && !p->is_relative) {
		p->is_relative = true;
		p->days_back = found == 2 ? -1 : found;
		return true;
	}
	if (FIND_NAME(zones, word, length) >= 0 && (p->has_time || has_whole_date(p)) && !p->has_offset) {
		p->has_offset = true;
		return true;
	}
	found = FIND_NAME(hours, word, length);
	if (found >= 0 && !p->has_time) {
		p->has_time = true;
		p->hour = found * 12;
		return true;
	}
	return FIND_NAME(noise, word, length) >= 0;
}

static bool read_all(const char *text, struct parts *p)
{
	while (*text) {
		bool behind_t = has_date(p) && !p->has_time && ascii_lower(*text) == 't' && ascii_is_digit(text[1]);
		text += behind_t;
		if (ascii_is_digit(*text)) {
			if (!read_number(&text, p, behind_t))
				return false;
		} else if (ascii_is_letter(*text)) {
			if (!read_word(&text, p))
				return false;
		} else if ((*text == '+' || *text == '-') && (p->has_time || has_whole_date(p))) {
			if (!read_offset(&text, p))
				return false;
		} else if ((*text == '-' || *text == '/') && has_date(p) && text[1] && !strchr("-/ ", text[1])) {
			text++; /* 28-Nov-2026 */
		} else if (*text == ':' && p->year > 0 && ascii_is_digit(text[1])) {
			text++; /* 28/Nov/2026:10:00:00 */
		} else if (strchr(" \t,_", *text) && text[1]) {
			text++;
		} else {
			return false;
		}
	}
	return !p->is_hour_alone;
}

/* Midnight of the day of these microseconds in UTC, or of the local time. */
static int64_t midnight_of(int64_t now_us, const struct parts *p)
{
	char local[CLOCK_STAMP_SIZE];
	int64_t midnight = 0;
	if (p->has_offset)
		clock_format_stamp(now_us + p->offset_minutes * US_PER_MINUTE, local);
	else
		clock_format_local(now_us, local);
	snprintf(local + CLOCK_DATE_SIZE - 1, sizeof local - CLOCK_DATE_SIZE, "T00:00:00Z");
	return clock_parse_stamp(local, &midnight) ? midnight : 0;
}

/* The day that has a name, or that is none. */
static void set_day(struct parts *p, int64_t now_us)
{
	int64_t day = midnight_of(now_us, p);
	char stamp[CLOCK_STAMP_SIZE];
	if (p->is_weekday && !p->is_relative)
		p->days_back = ((int)(day / US_PER_DAY % 7) - p->days_back + 6) % 7 + 1;
	clock_format_stamp(day - p->days_back * US_PER_DAY, stamp);
	sscanf(stamp, "%4d-%2d-%2d", &p->year, &p->month, &p->day);
}

static bool read_together(const struct parts *p, int64_t *microseconds)
{
	char stamp[64];
	int length = snprintf(stamp, sizeof stamp, "%04d-%02d-%02dT%02d:%02d:%02d.%06d", p->year, p->month, p->day,
	                      p->hour, p->minute, p->second, p->fraction);
	int offset = abs(p->offset_minutes);
	if (p->has_offset)
		snprintf(stamp + length, sizeof stamp - (size_t)length, "%c%02d:%02d",
		         p->offset_minutes < 0 ? '-' : '+', offset / 60, offset % 60);
	return clock_parse_local(stamp, microseconds);
}

bool clock_parse_time(const char *text, int64_t now_us, int64_t *microseconds, bool *has_day)
{
	struct parts p = { .year = 0 };
	int64_t back;
	bool unused;
	has_day = has_day ? has_day : &unused;
	*has_day = true;
	size_t digits = strspn(text, "0123456789");
	if (text[digits] == '\0' && (digits == 10 || digits == 13)) {
		*microseconds = strtoll(text, NULL, 10) * (digits == 10 ? US_PER_S : 1000);
		return true;
	}
	/* Eight digits are a date, or wrong: nobody types 231 days in seconds. */
	if (digits == 8 && text[digits] == '\0')
		return read_all(text, &p) && read_together(&p, microseconds);
	p = (struct parts){ .year = 0 };
	if (read_ago(text, &back)) {
		*microseconds = now_us - back / 1000;
		return true;
	}
	if (strcasecmp(text, "now") == 0) {
		*microseconds = now_us;
		return true;
	}
	if (!read_all(text, &p))
		return false;
	*has_day = has_date(&p);
	if (p.day == 0 && p.month == 0 && p.year == 0 && (p.has_time || *has_day)) {
		set_day(&p, now_us);
		return read_together(&p, microseconds);
	}
	if (p.day == 0 || p.month == 0 || p.is_relative)
		return false;
	if (p.year > 0)
		return read_together(&p, microseconds);
	/* The last such day, if that was in the last years, one of which has a 29 February. */
	p.year = (int)(now_us / US_PER_DAY / 365) + 1970 + 1;
	for (int earliest = p.year - 9; p.year > earliest; p.year--)
		if (read_together(&p, microseconds) && *microseconds <= now_us)
			return true;
	return false;
}

bool clock_continues(const char *text, const char *next)
{
	struct parts date = { .year = 0 }, time = { .year = 0 };
	if (!read_all(text, &date) || date.has_time || !read_all(next, &time))
		return false;
	bool is_date = date.is_relative || date.is_weekday || (date.day > 0 && date.month > 0);
	return is_date && time.has_time && !has_date(&time);
}
