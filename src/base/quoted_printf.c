#include "base/ascii.h"
#include "base/quoted.h"
#include "base/utf8.h"

#include <limits.h>
#include <string.h>

static void append_short(struct buffer *out, const char *text, size_t length)
{
	LOCAL_BUFFER masked = BUFFER_FOR(out);
	size_t at = 0;
	if (memchr(text, ' ', length)) { /* it may be a command and its arguments */
		LOCAL_BUFFER copy = BUFFER_FOR(out);
		buffer_append(&copy, text, length);
		quoted_append_argument(&masked, buffer_text(&copy), NULL);
	} else {
		quoted_append(&masked, text, length);
	}
	for (int count = 0; count < QUOTED_MAX && at < masked.length; count++) {
		uint32_t code_point;
		size_t size = utf8_decode(masked.data + at, masked.length - at, &code_point);
		at += size > 0 ? size : 1;
	}
	buffer_append(out, buffer_text(&masked), at);
	buffer_append_text(out, at < masked.length ? "..." : "");
}

/* The word, or what stands for it where it hides something. */
static void append_placeholder(struct buffer *out, const char *word, size_t length)
{
	LOCAL_BUFFER copy = BUFFER_FOR(out);
	buffer_append(&copy, word, length);
	if (quoted_is_header(buffer_text(&copy)))
		buffer_append_text(out, "NAME: VALUE");
	else if (quoted_hides(word, length))
		buffer_append_text(out, strpbrk(buffer_text(&copy), "@?#/%") ? "URL" : "VALUE");
	else if (length > QUOTED_MAX || /* nobody types it */
	         (memchr(word, ' ', length) && quoted_hides_argument(buffer_text(&copy), NULL)))
		buffer_append_text(out, "VALUE");
	else
		buffer_append(out, word, length);
}

/* What is typed: no word of it is masked, since that would not be the word; a placeholder stands for it. */
static void append_typed(struct buffer *out, const char *text, size_t length)
{
	LOCAL_BUFFER whole = BUFFER_FOR(out);
	buffer_append(&whole, text, length);
	const char *at = buffer_text(&whole);
	if (quoted_is_header(at)) {
		buffer_append_text(out, "NAME: VALUE");
		return;
	}
	while (*at) {
		const char *word = at + strspn(at, " \"()"), *quote = word[0] == '\'' ? strchr(word + 1, '\'') : NULL;
		while (quote && strncmp(quote, "'\\''", 4) == 0) /* as a shell has it within quotes */
			quote = strchr(quote + 4, '\'');
		word += quote != NULL;
		size_t end = quote ? (size_t)(quote - word) : strcspn(word, " \"()");
		buffer_append(out, at, (size_t)(word - at));
		append_placeholder(out, word, end);
		at = word + end;
		if (quote)
			buffer_append_byte(out, *at++);
	}
}

/* va_list may be an array type, which cannot be passed by pointer; a struct can. */
struct arguments {
	va_list list;
};

/* A whole number of the type that the conversion names: l, ll, z or none. */
static void append_number(struct buffer *out, struct arguments *arguments, size_t longs, char type, bool is_size)
{
	if (type == 'u') {
		buffer_append_number(out, is_size      ? va_arg(arguments->list, size_t)
		                          : longs == 0 ? va_arg(arguments->list, unsigned)
		                          : longs == 1 ? va_arg(arguments->list, unsigned long)
		                                       : va_arg(arguments->list, unsigned long long));
		return;
	}
	long long number = longs == 0   ? va_arg(arguments->list, int)
	                   : longs == 1 ? va_arg(arguments->list, long)
	                                : va_arg(arguments->list, long long);
	buffer_append_text(out, number < 0 ? "-" : "");
	buffer_append_number(out, number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number);
}

void quoted_printf(struct buffer *out, enum quoted_use use, const char *format, va_list args)
{
	struct arguments arguments;
	bool quoted = false;
	va_copy(arguments.list, args);
	for (const char *at = format; *at; at++) {
		if (*at != '%') {
			/* A quote after a letter is an apostrophe and opens nothing. */
			bool behind_letter = out->length > 0 && ascii_is_letter(out->data[out->length - 1]);
			quoted = quoted != (*at == '\'' && (quoted || !behind_letter));
			buffer_append_byte(out, *at);
			continue;
		}
		bool is_cut = at[1] == '.' && at[2] == '*';
		int most = is_cut ? va_arg(arguments.list, int) : INT_MAX;
		at += is_cut ? 3 : 1;
		size_t longs = strspn(at, "l");
		bool is_size = at[longs] == 'z';
		at += longs + is_size;
		if (*at == 's') {
			const char *text = va_arg(arguments.list, const char *);
			text = text ? text : "(null)";
			size_t length = strnlen(text, (size_t)most);
			bool is_whole =
			        quoted && at[1] == '\'' && out->length > 0 && out->data[out->length - 1] == '\'';
			if (use == QUOTED_TO_TYPE && is_whole)
				append_placeholder(out, text, length);
			else if (use == QUOTED_TO_TYPE)
				append_typed(out, text, length);
			else if (quoted || at[1] == ':')
				append_short(out, text, length);
			else if (!memchr(text, ' ', length))
				quoted_append(out, text, length);
			else
				buffer_append(out, text, length);
		} else if (*at == 'd' || *at == 'u') {
			append_number(out, &arguments, longs, *at, is_size);
		} else if (*at == 'g') {
			buffer_printf(out, "%g", va_arg(arguments.list, double));
		} else if (strncmp(at, ".1f", 3) == 0) {
			buffer_printf(out, "%.1f", va_arg(arguments.list, double));
			at += 2;
		} else {
			buffer_append_byte(out, *at == 'c' ? (char)va_arg(arguments.list, int) : *at);
		}
	}
	va_end(arguments.list);
}
