#include "ui/choices.h"

#include "base/fit.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 120 /* on the screen */
#define GAP        2

void choices_release(struct choices *choices)
{
	for (size_t i = 0; i < choices->count; i++)
		free(choices->items[i]);
	free(choices->items);
	*choices = (struct choices){ NULL, 0, 0 };
}

void choices_offer(struct choices *choices, const char *text, const char *stem)
{
	if (choices->count >= CHOICES_MAX || strncmp(text, stem, strlen(stem)) != 0)
		return;
	if (!ARRAY_ROOM(choices->items, choices->capacity, choices->count + 1))
		return;
	choices->items[choices->count] = strdup(text);
	if (choices->items[choices->count])
		choices->count++;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What the first and the last of sorted texts share, all share: whole characters only. */
static size_t shared_length(const struct choices *choices)
{
	const char *first = choices->items[0], *last = choices->items[choices->count - 1];
	size_t length = 0;
	while (first[length] != '\0' && first[length] == last[length])
		length++;
	while (length > 0 && ((unsigned char)first[length] & 0xC0) == 0x80)
		length--;
	return length;
}

static void append_quoted(struct buffer *out, const char *text, size_t length, char quote)
{
	const char *special = quote == '"' ? "\"\\" : quote == '\'' ? "" : " \t'\"\\#";
	for (size_t i = 0; i < length; i++) {
		if (strchr(special, text[i]) && text[i] != '\0')
			buffer_append_byte(out, '\\');
		buffer_append_byte(out, text[i]);
	}
}

/* Column by column, as ls does it. */
static void append_list(const struct choices *choices, int width, struct buffer *out)
{
	size_t shown = choices->count < LISTED_MAX ? choices->count : LISTED_MAX;
	int widest = 1;
	for (size_t i = 0; i < shown; i++) {
		int columns = fit_columns(choices->items[i], strlen(choices->items[i]));
		widest = columns > widest ? columns : widest;
	}
	size_t columns = width > widest + GAP ? (size_t)((width - widest) / (widest + GAP)) + 1 : 1;
	size_t rows = (shown + columns - 1) / columns;
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < shown; i += rows) {
			if (i + rows < shown)
				fit_append_column(out, choices->items[i], widest + GAP);
			else
				utf8_append_safe(out, choices->items[i], strlen(choices->items[i]));
		}
		buffer_append_byte(out, '\n');
	}
	if (shown < choices->count)
		buffer_printf(out, "... and %zu more\n", choices->count - shown);
}

void choices_complete(struct choices *choices, const char *stem, char quote, int width, struct buffer *insert,
                      struct buffer *list)
{
	size_t typed = strlen(stem), before = insert->length;
	if (choices->count == 0)
		return;
	qsort(choices->items, choices->count, sizeof *choices->items, compare);
	size_t shared = shared_length(choices);
	if (shared > typed)
		append_quoted(insert, choices->items[0] + typed, shared - typed, quote);
	if (choices->count == 1) {
		const char *only = choices->items[0];
		size_t length = strlen(only);
		if (length > 0 && strchr("=/:.", only[length - 1]))
			return;
		if (quote)
			buffer_append_byte(insert, quote);
		buffer_append_byte(insert, ' ');
	} else if (insert->length == before) {
		append_list(choices, width, list);
	}
}
