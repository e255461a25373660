#include "probe/keep/masking.h"

#include "base/ascii.h"
#include "payload/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_NOW_S 172800 /* of a number that is a time: from two days before to two days after */

static bool is_hex(char c)
{
	return ascii_hex_value(c) < 16;
}

/* Whether the character is a part of a word, which a number or an identifier does not begin or end within. */
static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_';
}

size_t mask_digits_length(const char *text, size_t length)
{
	size_t digits = 0;
	while (digits < length && ascii_is_digit(text[digits]))
		digits++;
	return digits;
}

/* Whether the text begins like the pattern, in which 9 stands for any digit. */
static bool is_like(const char *text, size_t length, const char *pattern)
{
	for (size_t i = 0; pattern[i]; i++)
		if (i >= length || (pattern[i] == '9' ? !ascii_is_digit(text[i]) : text[i] != pattern[i]))
			return false;
	return true;
}

/* "12:00", "12:00:01", "12:00:01.5", "12:00:01,500". Behind a comma are thousandths, or thousandths of them, as logs
 * write them: other digits are the next column. */
static size_t clock_length(const char *text, size_t length)
{
	if (!is_like(text, length, "99:99"))
		return 0;
	if (!is_like(text, length, "99:99:99"))
		return 5;
	size_t digits = length > 8 ? mask_digits_length(text + 9, length - 9) : 0;
	bool is_fraction = digits > 0 && (text[8] == '.' || (text[8] == ',' && digits % 3 == 0));
	return is_fraction ? 9 + digits : 8;
}

/* The length of a date, a time of day, or both with their offset; 0: there is none. */
static size_t time_length(const char *text, size_t length)
{
	size_t date = is_like(text, length, "9999-99-99") || is_like(text, length, "9999/99/99") ? 10 : 0;
	size_t used = date;
	if (date > 0 && used + 1 < length && (text[used] == 'T' || text[used] == ' ') &&
	    clock_length(text + used + 1, length - used - 1) > 0)
		used++;
	size_t clock = date > 0 && used == date ? 0 : clock_length(text + used, length - used);
	used += clock;
	if (clock > 0 && used < length && text[used] == 'Z')
		used++;
	else if (clock > 0 && used < length && strchr("+-", text[used]) &&
	         is_like(text + used + 1, length - used - 1, "99"))
		used += is_like(text + used + 1, length - used - 1, "99:99")  ? 6
		        : is_like(text + used + 1, length - used - 1, "9999") ? 5
		                                                              : 3;
	return used;
}

/* Whether digits are a time in seconds since 1970, or in thousandths, millionths or billionths of them. */
static bool is_time(const char *digits, size_t count, int64_t now_s)
{
	int64_t seconds = 0;
	if (count != 10 && count != 13 && count != 16 && count != 19)
		return false;
	for (size_t i = 0; i < 10; i++)
		seconds = seconds * 10 + (digits[i] - '0');
	return seconds > now_s - NEAR_NOW_S && seconds < now_s + NEAR_NOW_S;
}

/* Where the identifier stands in the list, which is in their order, or is to be. */
static size_t place_of(const struct roles *roles, const char *identifier, size_t length)
{
	size_t from = 0, to = roles->count;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (strncmp(roles->list[middle].identifier, identifier, length) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static const char *role_of(const struct roles *roles, const char *identifier, size_t length)
{
	size_t place = place_of(roles, identifier, length);
	const struct role *role = place < roles->count ? &roles->list[place] : NULL;
	bool is_it = role && strncmp(role->identifier, identifier, length) == 0 && !role->identifier[length];
	return is_it ? role->name : NULL;
}

int roles_add(struct roles *roles, const char *identifier, const char *name, struct error *err)
{
	struct role role;
	size_t length = strlen(identifier);
	if (form_uuid_length(identifier, length, role.identifier) != length) {
		if (length >= sizeof role.identifier)
			return 0;
		memcpy(role.identifier, identifier, length + 1);
	}
	length = strlen(role.identifier);
	if (role_of(roles, role.identifier, length))
		return 0;
	snprintf(role.name, sizeof role.name, "%s", name);
	if (!ARRAY_ROOM(roles->list, roles->capacity, roles->count + 1))
		return error_no_memory(err);
	struct role *place = &roles->list[place_of(roles, role.identifier, length)];
	memmove(place + 1, place, (size_t)(roles->list + roles->count++ - place) * sizeof *place);
	*place = role;
	return 0;
}

void roles_release(struct roles *roles)
{
	free(roles->list);
	*roles = (struct roles){ NULL, 0, 0 };
}

static void append_both(struct masking *m, const char *text, size_t length)
{
	buffer_append(&m->masked, text, length);
	buffer_append(&m->numbers, text, length);
}

static void append_mark(struct masking *m, const char *name)
{
	const char *owner = m->is_plain ? strstr(name, " of A") : NULL;
	size_t length = strlen(name);
	append_both(m, "<", 1);
	buffer_append(&m->masked, name, length);
	buffer_append(&m->numbers, name, owner ? (size_t)(owner - name) : length);
	append_both(m, ">", 1);
}

/* Appends what begins with a digit. Returns how much it takes. */
static size_t mask_number(struct masking *m, const char *text, size_t length)
{
	size_t used = time_length(text, length), digits = mask_digits_length(text, length);
	const char *role = digits < sizeof m->roles->list->identifier ? role_of(m->roles, text, digits) : NULL;
	if (role) {
		append_mark(m, role);
		return digits;
	}
	if (used == 0 && is_time(text, digits, m->now_s))
		used = digits;
	bool is_moment = used > 0;
	used = is_moment ? used : digits;
	if (used == digits && used + 1 < length && text[used] == '.' && ascii_is_digit(text[used + 1]))
		used += 1 + mask_digits_length(text + used + 1, length - used - 1);
	if (is_moment) {
		append_mark(m, "time");
	} else {
		buffer_append_byte(&m->masked, '#');
		buffer_append(&m->numbers, text, used);
	}
	return used;
}

/* How much at the beginning of the text, whose first character is not masked, is as it is: up to what may be. */
static size_t plain_length(const char *text, size_t length)
{
	size_t plain = 1;
	while (plain < length && !is_hex(text[plain]) && !mask_is_separator(text[plain]))
		plain++;
	return plain;
}

void mask_line(struct masking *m, const char *text, size_t length)
{
	char digits[FORM_UUID_DIGITS + 1];
	buffer_clear(&m->masked);
	buffer_clear(&m->numbers);
	for (size_t i = 0, used; i < length; i += used) {
		bool begins = i == 0 || !is_word(text[i - 1]);
		bool may_be_uuid = is_hex(text[i]) && (begins || !is_hex(text[i - 1]));
		size_t uuid = may_be_uuid ? form_uuid_length(text + i, length - i, digits) : 0;
		used = 1;
		if (uuid > 0) {
			const char *role = role_of(m->roles, digits, FORM_UUID_DIGITS);
			append_mark(m, role ? role : "uuid");
			used = uuid;
		} else if (ascii_is_digit(text[i])) {
			used = mask_number(m, text + i, length - i);
		} else if (mask_is_separator(text[i])) {
			while (i + used < length && mask_is_separator(text[i + used]))
				used++;
			if (i > 0 && i + used < length)
				buffer_append_byte(&m->masked, ' ');
			if (m->is_plain)
				buffer_append(&m->numbers, text + i, used);
			else if (i > 0 && i + used < length)
				buffer_append_byte(&m->numbers, ' ');
		} else {
			used = plain_length(text + i, length - i);
			append_both(m, text + i, used);
		}
	}
	/* "(1 row)" stands where "(2 rows)" does. */
	if (m->masked.length > 0 && strcmp(m->masked.data, "(# row)") == 0) {
		buffer_clear(&m->masked);
		buffer_append_text(&m->masked, "(# rows)");
	}
}
