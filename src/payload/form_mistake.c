/* Guessing why a text has the wrong format. */
#include "payload/form.h"

#include <string.h>
#include <strings.h>

/* White space around it, or the braces that some print a UUID in. */
static bool is_wrapped(enum catalog_type type, const char *text, size_t length)
{
	while (length > 0 && (form_is_space(text[0]) || text[0] == '{'))
		text++, length--;
	while (length > 0 && (form_is_space(text[length - 1]) || text[length - 1] == '}'))
		length--;
	return form_fits(type, text, length);
}

/* <X>, {{X}} or ${X} */
static bool is_placeholder(enum catalog_type type, const char *text, size_t length)
{
	(void)type;
	return length > 2 && (text[0] == '<' ? text[length - 1] == '>'
	                                     : (text[0] == '{' || text[0] == '$') && text[length - 1] == '}');
}

static bool is_uuid_without_dashes(enum catalog_type type, const char *text, size_t length)
{
	size_t digits = 0;
	while (digits < length && form_is_hex(text[digits]))
		digits++;
	return type == CATALOG_UUID && digits == 32 && length == 32;
}

static bool is_in_upper_case(enum catalog_type type, const char *text, size_t length)
{
	return type == CATALOG_BOOLEAN_TEXT && ((length == 4 && strncasecmp(text, "true", 4) == 0) ||
	                                        (length == 5 && strncasecmp(text, "false", 5) == 0));
}

const char *form_mistake(enum catalog_type type, const char *text, size_t length)
{
	static const struct {
		bool (*is_one)(enum catalog_type type, const char *text, size_t length);
		const char *hint;
	} rows[] = {
		{ is_wrapped, "remove the spaces or braces around it" },
		{ is_placeholder, "fill in the placeholder" },
		{ is_uuid_without_dashes, "add the dashes: 8-4-4-4-12" },
		{ is_in_upper_case, "write it in lower case" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].is_one(type, text, length))
			return rows[i].hint;
	return NULL;
}
