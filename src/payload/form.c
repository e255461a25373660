#include "payload/form.h"

#include "base/ascii.h"

#include <stdint.h>
#include <string.h>

#define UUID_LENGTH 36

static inline unsigned not_hex(char c)
{
	unsigned digit = (unsigned char)(c - '0'), letter = (unsigned char)((c | 0x20) - 'a');
	return (unsigned)(digit > 9) & (unsigned)(letter > 5);
}

/* Without a branch per byte, so that the compiler can look at many bytes at once: this is asked of about three strings
 * of every payload. */
static inline unsigned count_not_hex(const char *text, size_t length)
{
	unsigned wrong = 0;
	for (size_t i = 0; i < length; i++)
		wrong += not_hex(text[i]);
	return wrong;
}

bool form_is_uuid(const char *text, size_t length)
{
	if (length != UUID_LENGTH)
		return false;
	/* The hyphens are counted among the wrong bytes, and taken off again. */
	return count_not_hex(text, UUID_LENGTH) == 4 && text[8] == '-' && text[13] == '-' && text[18] == '-' &&
	       text[23] == '-';
}

size_t form_uuid_length(const char *text, size_t length, char out[FORM_UUID_DIGITS + 1])
{
	/* The ninth byte says which of both forms it may be; most words are neither. */
	bool is_hyphened = length >= UUID_LENGTH && text[8] == '-';
	size_t whole = is_hyphened ? UUID_LENGTH : FORM_UUID_DIGITS;
	if (length < whole || (!is_hyphened && not_hex(text[8])) || (length > whole && !not_hex(text[whole])) ||
	    !(is_hyphened ? form_is_uuid(text, whole) : count_not_hex(text, whole) == 0))
		return 0;
	size_t count = 0;
	for (size_t i = 0; i < whole; i++)
		if (text[i] != '-')
			out[count++] = ascii_lower(text[i]);
	out[count] = '\0';
	return whole;
}

bool form_is_boolean_text(const char *text, size_t length)
{
	return (length == 4 && memcmp(text, "true", 4) == 0) || (length == 5 && memcmp(text, "false", 5) == 0);
}

bool form_is_integer_text(const char *text, size_t length)
{
	size_t at = length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
	if (at == length)
		return false;
	for (; at < length; at++)
		if (!ascii_is_digit(text[at]))
			return false;
	return true;
}

const struct catalog_value *form_choice(const struct catalog_field *field, const char *text, size_t length)
{
	for (size_t i = 0; i < field->value_count; i++)
		if (strlen(field->values[i].name) == length && memcmp(field->values[i].name, text, length) == 0)
			return &field->values[i];
	return NULL;
}

bool form_fits(const struct catalog_member *member, const char *text, size_t length)
{
	switch (member->type) {
	case CATALOG_UUID:
		return form_is_uuid(text, length);
	case CATALOG_BOOLEAN_TEXT:
		return form_is_boolean_text(text, length);
	case CATALOG_INTEGER_TEXT:
		return form_is_integer_text(text, length);
	case CATALOG_CHOICE:
		return form_choice(member->field, text, length) != NULL;
	case CATALOG_STRING:
	case CATALOG_INTEGER:
	case CATALOG_OBJECT:
		break;
	}
	return true;
}

static const struct {
	const char *description, *type; /* type NULL: the same */
} words[] = {
	[CATALOG_UUID] = { "a UUID (8-4-4-4-12 hexadecimal digits)", "a string with a UUID" },
	[CATALOG_BOOLEAN_TEXT] = { "\"true\" or \"false\"", NULL },
	[CATALOG_INTEGER_TEXT] = { "a signed integer", "a string with a signed integer" },
	[CATALOG_STRING] = { "a string", NULL },
	[CATALOG_CHOICE] = { "", "a string" },
	[CATALOG_INTEGER] = { "an integer", NULL },
	[CATALOG_OBJECT] = { "an object", NULL },
};

void form_append_description(const struct catalog_member *member, struct buffer *out)
{
	const struct catalog_field *field = member->field;
	buffer_append_text(out, words[member->type].description);
	for (size_t i = 0; member->type == CATALOG_CHOICE && i < field->value_count; i++) {
		const char *joint = i == 0 ? "" : i + 1 == field->value_count ? " or " : ", ";
		buffer_printf(out, "%s\"%s\"", joint, field->values[i].name);
	}
}

const char *form_type(enum catalog_type type)
{
	return words[type].type ? words[type].type : words[type].description;
}

/* The exponent behind an 'e', held within what a text of 1 GiB can shift by. */
static int64_t read_exponent(const char *text, size_t length)
{
	bool negative = length > 0 && text[0] == '-';
	int64_t value = 0;
	for (size_t i = length > 0 && !ascii_is_digit(text[0]) ? 1 : 0; i < length && value < INT32_MAX; i++)
		value = value * 10 + (text[i] - '0');
	return negative ? -value : value;
}

bool form_is_integer_number(const char *text, size_t length)
{
	size_t mantissa = 0;
	while (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E')
		mantissa++;
	const char *point = memchr(text, '.', mantissa);
	/* The value is an integer when its last digit that is not 0 is at or before the ones place. */
	int64_t place = point ? -(int64_t)(mantissa - (size_t)(point - text) - 1) : 0;
	size_t last = mantissa;
	while (last > 0 && (text[last - 1] == '0' || text[last - 1] == '.')) {
		if (text[last - 1] == '0')
			place++;
		last--;
	}
	if (last == 0 || !ascii_is_digit(text[last - 1]))
		return true; /* nothing but zeros */
	int64_t exponent = mantissa < length ? read_exponent(text + mantissa + 1, length - mantissa - 1) : 0;
	return place + exponent >= 0;
}
