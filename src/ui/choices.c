#include "ui/choices.h"

#include "base/fit.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 120 /* on the screen */
#define GAP        2

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
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
static void append_list(const char *const *choices, size_t count, int width, struct buffer *out)
{
	size_t shown = count < LISTED_MAX ? count : LISTED_MAX;
	int widest = 1;
	for (size_t i = 0; i < shown; i++) {
		int columns = fit_columns(choices[i], strlen(choices[i]));
		widest = columns > widest ? columns : widest;
	}
	size_t columns = width > widest + GAP ? (size_t)((width - widest) / (widest + GAP)) + 1 : 1;
	size_t rows = (shown + columns - 1) / columns;
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < shown; i += rows) {
			if (i + rows < shown)
				fit_append_column(out, choices[i], widest + GAP);
			else
				utf8_append_safe(out, choices[i], strlen(choices[i]));
		}
		buffer_append_byte(out, '\n');
	}
	if (shown < count)
		buffer_printf(out, "... and %zu more\n", count - shown);
}

void choices_complete(const struct buffer *offered, const char *stem, char quote, int width, struct buffer *insert,
                      struct buffer *list)
{
	const char *choices[CHOICES_MAX], *at = buffer_text(offered), *end = at + offered->length;
	size_t count = 0, typed = strlen(stem), before = insert->length, shared = 0;
	for (; at < end && count < CHOICES_MAX; at += strlen(at) + 1)
		if (strncmp(at, stem, typed) == 0)
			choices[count++] = at;
	if (count == 0)
		return;
	/* What the first and the last of sorted texts share, all share: whole characters only. */
	qsort(choices, count, sizeof *choices, compare);
	const char *first = choices[0], *last = choices[count - 1];
	while (first[shared] != '\0' && first[shared] == last[shared])
		shared++;
	while (shared > 0 && ((unsigned char)first[shared] & 0xC0) == 0x80)
		shared--;
	if (shared > typed)
		append_quoted(insert, first + typed, shared - typed, quote);
	if (count > 1) {
		if (insert->length == before)
			append_list(choices, count, width, list);
	} else if (shared == 0 || !strchr("=/:.", first[shared - 1])) {
		if (quote)
			buffer_append_byte(insert, quote);
		buffer_append_byte(insert, ' ');
	}
}
