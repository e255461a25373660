/* Guessing why a text has not the form of its field. */
#include "payload/form.h"

#include <string.h>
#include <strings.h>

static bool is_between(const char *text, size_t length, const char *open, const char *close)
{
	size_t before = strlen(open), behind = strlen(close);
	return length > before + behind && memcmp(text, open, before) == 0 &&
	       memcmp(text + length - behind, close, behind) == 0;
}

/* What holds for every form: nothing in it, space around it, a template that was not filled in. */
static const char *common_slip(enum catalog_type type, const char *text, size_t length)
{
	if (length == 0)
		return "it is empty";
	size_t from = 0, to = length;
	while (from < to && form_is_space(text[from]))
		from++;
	while (to > from && form_is_space(text[to - 1]))
		to--;
	if (to - from < length && form_fits(type, text + from, to - from))
		return "take the white space around it away";
	if (is_between(text, length, "<", ">") || is_between(text, length, "{{", "}}") ||
	    is_between(text, length, "${", "}"))
		return "it looks like a placeholder that was not filled in";
	return NULL;
}

static const char *uuid_slip(const char *text, size_t length)
{
	size_t digits = 0, dashes = 0, others = 0;
	for (size_t i = 0; i < length; i++) {
		if (form_is_hex(text[i]))
			digits++;
		else if (text[i] == '-')
			dashes++;
		else
			others++;
	}
	if (length == 38 && text[0] == '{' && text[37] == '}')
		return "write the UUID without braces";
	if (length == 45 && strncasecmp(text, "urn:uuid:", 9) == 0)
		return "write the UUID without urn:uuid:";
	if (digits == 32 && others == 0 && dashes == 0)
		return "the dashes are missing: 8-4-4-4-12";
	if (digits == 32 && others == 0)
		return "the dashes stand in the wrong places: 8-4-4-4-12";
	if (others == 0 && dashes == 4)
		return digits < 32 ? "it is too short: a UUID has 32 hexadecimal digits"
		                   : "it is too long: a UUID has 32 hexadecimal digits";
	if (length == 36 && dashes == 4 && others > 0)
		return "only 0-9 and a-f are hexadecimal digits";
	return NULL;
}

static const char *boolean_slip(const char *text, size_t length)
{
	static const struct {
		const char *word;
		const char *slip;
	} words[] = {
		{ "true", "write it in lower case: \"true\"" },
		{ "false", "write it in lower case: \"false\"" },
		{ "yes", "write \"true\"" },
		{ "no", "write \"false\"" },
		{ "y", "write \"true\"" },
		{ "n", "write \"false\"" },
		{ "1", "write \"true\"" },
		{ "0", "write \"false\"" },
		{ "on", "write \"true\"" },
		{ "off", "write \"false\"" },
	};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strlen(words[i].word) == length && strncasecmp(text, words[i].word, length) == 0)
			return words[i].slip;
	return NULL;
}

static const char *integer_slip(const char *text, size_t length)
{
	static const char minus[] = "\xE2\x88\x92", dash[] = "\xE2\x80\x93";
	size_t sign = length > 3 ? 3 : 0;
	if (sign && (memcmp(text, minus, 3) == 0 || memcmp(text, dash, 3) == 0) &&
	    form_is_integer_text(text + sign, length - sign))
		return "its sign is a typographic minus; write the '-' of the keyboard";
	size_t digits = 0, points = 0, others = 0;
	for (size_t i = text[0] == '-' || text[0] == '+' ? 1 : 0; i < length; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			digits++;
		else if (text[i] == '.' || text[i] == ',')
			points++;
		else
			others++;
	}
	if (digits > 0 && points > 0 && others == 0)
		return "digits only: no fraction, no separators";
	return digits > 0 && others > 0 ? "digits only, with at most a sign before them" : NULL;
}

const char *form_slip(enum catalog_type type, const char *text, size_t length)
{
	const char *slip = common_slip(type, text, length);
	if (slip)
		return slip;
	switch (type) {
	case CATALOG_UUID:
		return uuid_slip(text, length);
	case CATALOG_BOOLEAN_TEXT:
		return boolean_slip(text, length);
	case CATALOG_INTEGER_TEXT:
		return integer_slip(text, length);
	case CATALOG_STRING:
	case CATALOG_CHOICE:
	case CATALOG_INTEGER:
	case CATALOG_OBJECT:
		break;
	}
	return NULL;
}
