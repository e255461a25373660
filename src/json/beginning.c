#include "json/beginning.h"

#include "json/located.h"

#include <string.h>

struct beginning {
	char open[JSON_DEPTH_MAX]; /* the closing brackets still due, outermost first */
	size_t depth;
	size_t cut; /* end of the last complete part */
};

/* The offset after the string that begins at `at`, or `length` if it does not end. */
static size_t skip_string(const char *text, size_t length, size_t at)
{
	for (at++; at < length && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at < length ? at + 1 : length;
}

/* False: the bracket does not fit. */
static bool take_bracket(struct beginning *b, char c)
{
	if (c == '{' || c == '[') {
		if (b->depth == JSON_DEPTH_MAX)
			return false;
		b->open[b->depth++] = c == '{' ? '}' : ']';
		return true;
	}
	if (b->depth == 0 || b->open[b->depth - 1] != c)
		return false;
	b->depth--;
	return true;
}

bool json_append_beginning(struct buffer *out, const char *text, size_t length)
{
	struct beginning b = { .depth = 0 };
	if (length == 0 || (text[0] != '{' && text[0] != '['))
		return false;
	for (size_t at = 0; at < length;) {
		char c = text[at];
		if (c == '"') {
			at = skip_string(text, length, at);
			continue;
		}
		if (c == ',')
			b.cut = at;
		if (strchr("{}[]", c) && c != '\0') {
			if (!take_bracket(&b, c))
				break;
			b.cut = at + 1;
		}
		at++;
		if (b.depth == 0)
			break;
	}
	buffer_append(out, text, b.cut);
	for (size_t i = b.depth; i > 0; i--)
		buffer_append_byte(out, b.open[i - 1]);
	return b.depth == 0;
}
