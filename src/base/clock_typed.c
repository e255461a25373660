#include "base/clock_typed.h"

#include "base/ascii.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define US_PER_DAY    ((int64_t)86400 * 1000000)
#define NUMBER_DIGITS 6 /* of a part */

static const struct {
	const char *letters; /* the unit begins with one of them */
	uint64_t seconds;
} units[] = { { "wW", 7 * 86400 }, { "dD", 86400 }, { "hH", 3600 }, { "mM", 60 }, { "sS", 1 } };
#define UNITS (sizeof units / sizeof units[0])

static bool read_number(const char **text, uint64_t *number)
{
	size_t digits = strspn(*text, "0123456789");
	if (digits == 0 || digits > NUMBER_DIGITS)
		return false;
	*number = strtoull(*text, NULL, 10);
	*text += digits;
	return true;
}

static const char *skip_word(const char *text)
{
	while (ascii_is_letter(*text))
		text++;
	return text;
}

bool clock_typed_duration(const char *text, char out[CLOCK_TYPED_SIZE])
{
	uint64_t total = 0, number;
	size_t unit;
	for (text += *text == '-'; *text && strcasecmp(text, "ago") != 0; text += strspn(text, " ,")) {
		if (!read_number(&text, &number))
			return false;
		text += strspn(text, " ");
		for (unit = 0; unit < UNITS && !(*text && strchr(units[unit].letters, *text)); unit++) {
		}
		if (unit == UNITS || strncasecmp(text, "mo", 2) == 0 || strncasecmp(text, "ms", 2) == 0)
			return false;
		total += number * units[unit].seconds;
		text = skip_word(text);
	}
	/* The largest unit that is read, and of which it is a whole number. */
	for (unit = 1; unit < UNITS && total % units[unit].seconds != 0; unit++) {
	}
	snprintf(out, CLOCK_TYPED_SIZE, "%" PRIu64 "%c", total / units[unit].seconds, units[unit].letters[0]);
	return total > 0;
}

/* 5pm, 5:30 pm, 17:00 and nothing else: as 17:00. */
static bool read_time(const char *text, char out[sizeof " 00:00"])
{
	uint64_t hour, minute = 0;
	if (!read_number(&text, &hour) || (*text == ':' && (text++, !read_number(&text, &minute))))
		return false;
	text += strspn(text, " ");
	bool is_pm = strcasecmp(text, "pm") == 0, is_am = strcasecmp(text, "am") == 0;
	if ((*text && !is_pm && !is_am) || hour > 23 || minute > 59 || ((is_pm || is_am) && hour > 12))
		return false;
	hour = is_pm || is_am ? hour % 12 + (is_pm ? 12 : 0) : hour;
	snprintf(out, sizeof " 00:00", "%02u:%02u", (unsigned)hour, (unsigned)minute);
	return true;
}

/* The days since a day that is named, 7 at most; -1: none is. */
static int days_since(const char *word, size_t length, int64_t now_us)
{
	static const char *const names[] = { "thursday", "friday",  "saturday", "sunday",
		                             "monday",   "tuesday", "wednesday" };
	char local[CLOCK_STAMP_SIZE];
	int64_t midnight;
	clock_format_local(now_us, local);
	local[CLOCK_DATE_SIZE - 1] = 'T';
	snprintf(local + CLOCK_DATE_SIZE, sizeof local - CLOCK_DATE_SIZE, "00:00:00Z");
	if (!clock_parse_stamp(local, &midnight))
		return -1;
	if (length == 5 && strncasecmp(word, "today", length) == 0)
		return 0;
	if (length == 9 && strncasecmp(word, "yesterday", length) == 0)
		return 1;
	/* 1970 began on a Thursday. */
	int today = (int)(midnight / US_PER_DAY % 7);
	for (int day = 0; length >= 3 && day < 7; day++)
		if (strncasecmp(names[day], word, length) == 0)
			return (today - day + 6) % 7 + 1;
	return -1;
}

/* 28 Nov 2026, Nov 28, 2026 */
static bool read_month_name(const char *text, char out[CLOCK_TYPED_SIZE])
{
	static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";
	uint64_t parts[2] = { 0, 0 };
	unsigned month = 0;
	size_t count = 0;
	for (; *text; text += strspn(text, " ,.")) {
		if (ascii_is_letter(*text)) {
			for (unsigned i = 0; i < 12; i++)
				month = strncasecmp(text, months + 3 * i, 3) == 0 ? i + 1 : month;
			text = skip_word(text);
		} else if (count == 2 || !read_number(&text, &parts[count++])) {
			return false;
		}
	}
	if (month == 0 || count != 2 || parts[0] > 31 || parts[1] < 1970 || parts[1] > 9999)
		return false;
	snprintf(out, CLOCK_TYPED_SIZE, "%04u-%02u-%02u", (unsigned)parts[1], month, (unsigned)parts[0]);
	return true;
}

static bool read_separator(const char **text)
{
	bool is_one = **text && strchr("/.-", **text);
	*text += is_one;
	return is_one;
}

/* 2026/11/28, 2026-11-28T09 */
static bool read_date(const char *text, char out[CLOCK_TYPED_SIZE])
{
	uint64_t year, month, day, hour = 0;
	if (strspn(text, "0123456789") != 4 || !read_number(&text, &year) || !read_separator(&text) ||
	    !read_number(&text, &month) || !read_separator(&text) || !read_number(&text, &day))
		return false;
	bool has_hour = (*text == 'T' || *text == ' ') && (text++, read_number(&text, &hour));
	if (*text || month > 12 || day > 31 || hour > 23)
		return false;
	int length = snprintf(out, CLOCK_TYPED_SIZE, "%04u-%02u-%02u", (unsigned)year, (unsigned)month, (unsigned)day);
	if (has_hour)
		snprintf(out + length, CLOCK_TYPED_SIZE - (size_t)length, " %02u:00", (unsigned)hour);
	return true;
}

bool clock_typed_time(const char *text, int64_t now_us, char out[CLOCK_TYPED_SIZE])
{
	char local[CLOCK_STAMP_SIZE], time[sizeof " 00:00"] = "";
	size_t digits = strspn(text, "0123456789"), word = (size_t)(skip_word(text) - text);
	int back = word > 0 ? days_since(text, word, now_us) : -1;
	if (text[digits] == '\0' && (digits == 10 || digits == 13)) {
		clock_format_local(strtoll(text, NULL, 10) * (digits == 10 ? 1000000 : 1000), local);
		snprintf(out, CLOCK_TYPED_SIZE, "%s", local);
		return true;
	}
	if (back >= 0 && (text[word] == '\0' || read_time(text + word + strspn(text + word, " ,"), time))) {
		clock_format_local(now_us - back * US_PER_DAY, local);
		local[CLOCK_DATE_SIZE - 1] = '\0';
		snprintf(out, CLOCK_TYPED_SIZE, "%s%s%s", local, time[0] ? " " : "", time);
		return true;
	}
	if (digits > 0 && read_time(text, time)) {
		snprintf(out, CLOCK_TYPED_SIZE, "%s", time);
		return true;
	}
	return clock_typed_duration(text, out) || read_month_name(text, out) || read_date(text, out);
}
