#include "base/text.h"

#include "base/ascii.h"
#include "base/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST     63
#define LEAST_TYPED 4 /* shorter words are too near to too many others */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance, keeping three rows of the table. */
size_t nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][LONGEST + 1];
	a_length = smaller(a_length, LONGEST);
	b_length = smaller(b_length, LONGEST);
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			size_t differs = ascii_lower(a[i - 1]) != ascii_lower(b[j - 1]);
			row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + differs);
			if (i > 1 && j > 1 && ascii_lower(a[i - 1]) == ascii_lower(b[j - 2]) &&
			    ascii_lower(a[i - 2]) == ascii_lower(b[j - 1]))
				row[j] = smaller(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

void nearest_init(struct nearest *n, const char *word, size_t length)
{
	*n = (struct nearest){ .word = word, .length = length, .best = NULL, .distance = SIZE_MAX };
}

/* What the longer has in the middle, where that is all that differs: valid and invalid, expect-valid and -invalid. */
static bool is_opposite(const char *a, size_t a_length, const char *b, size_t b_length)
{
	static const char *const negations[] = { "in", "un", "no-", "non-", "not-", "dis" };
	if (a_length > b_length)
		return is_opposite(b, b_length, a, a_length);
	for (size_t i = 0; i < sizeof negations / sizeof negations[0]; i++) {
		size_t more = strlen(negations[i]);
		if (b_length - a_length != more)
			continue;
		for (size_t at = 0; at <= a_length; at++)
			if ((at == 0 || b[at - 1] == '-') && strncasecmp(a, b, at) == 0 &&
			    strncasecmp(b + at, negations[i], more) == 0 &&
			    strncasecmp(a + at, b + at + more, a_length - at) == 0)
				return true;
	}
	return false;
}

bool nearest_offer(struct nearest *n, const char *candidate)
{
	size_t length = strlen(candidate);
	if (is_opposite(n->word, n->length, candidate, length))
		return false;
	size_t distance = nearest_distance(n->word, n->length, candidate, length);
	if (distance < n->distance) {
		n->distance = distance;
		n->best = candidate;
	}
	if (n->length > 1 && strncasecmp(candidate, n->word, n->length) == 0 &&
	    (!n->longer || strcmp(n->longer, candidate) != 0)) {
		n->longer = candidate;
		n->longer_count++;
	}
	return length == n->length && memcmp(candidate, n->word, length) == 0;
}

const char *nearest_result(const struct nearest *n)
{
	if (!n->best || n->length > LONGEST)
		return NULL;
	if (n->longer_count == 1)
		return n->longer;
	if (n->length < LEAST_TYPED)
		return NULL;
	size_t longer = n->length > strlen(n->best) ? n->length : strlen(n->best);
	/* Two edits turn a short word into an unrelated one. */
	size_t allowed = longer <= 5 ? 1 : longer <= 8 ? 2 : longer / 3;
	if (n->distance > 1 && ascii_lower(n->word[0]) != ascii_lower(n->best[0]))
		return NULL;
	return n->distance <= allowed && n->distance < longer ? n->best : NULL;
}

const char *count_text(uint64_t count, char out[COUNT_SIZE])
{
	char *at = out + COUNT_SIZE - 1;
	*at = '\0';
	int digits = 0;
	do {
		if (digits > 0 && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + count % 10);
		digits++;
	} while ((count /= 10) > 0);
	return memmove(out, at, strlen(at) + 1);
}

bool count_read(const char *text, uint64_t most, uint64_t *count)
{
	char *end;
	errno = 0;
	*count = strtoull(text, &end, 10);
	return ascii_is_digit(text[0]) && *end == '\0' && errno == 0 && *count <= most;
}

/* 1000 or 1,000. Where it ends, or NULL. */
static const char *read_whole(const char *text, uint64_t most, uint64_t *count)
{
	size_t first = strspn(text, "0123456789");
	char separator = text[first];
	bool is_grouped = separator && strchr(",_' ", separator) && strspn(text + first + 1, "0123456789") == 3;
	if (first == 0 || (is_grouped && first > 3))
		return NULL;
	for (*count = 0;; text++) {
		bool skips = is_grouped && *text == separator && strspn(text + 1, "0123456789") == 3;
		if (!ascii_is_digit(*text) && !skips)
			return text;
		uint64_t digit = (uint64_t)(*text - '0');
		if (!skips && (*count > (most - digit % 10) / 10 || *count * 10 + digit > most))
			return NULL;
		*count = skips ? *count : *count * 10 + digit;
	}
}

const char *count_parse(const char *text, uint64_t thousand, uint64_t most, uint64_t *count)
{
	static const char units[] = "kmgt";
	uint64_t tenths = 0, parts = 1, factor = 1;
	const char *at = read_whole(text, most, count);
	if (at && *at == '.' && ascii_is_digit(at[1]))
		for (at++; ascii_is_digit(*at) && parts < 1000; at++, parts *= 10)
			tenths = tenths * 10 + (uint64_t)(*at - '0');
	if (!at || (parts == 1000 && ascii_is_digit(*at)))
		return NULL;
	const char *unit = at + (thousand == 1024 ? strspn(at, " ") : 0);
	const char *step = *unit ? strchr(units, ascii_lower(*unit)) : NULL;
	for (const char *u = units; step && u <= step; u++)
		factor *= thousand;
	at = step ? unit + 1 : at;
	if (thousand == 1024) {
		at += step && ascii_lower(at[0]) == 'i' && ascii_lower(at[1]) == 'b';
		unit = at + (step ? 0 : strspn(at, " "));
		at = ascii_lower(*unit) == 'b' ? unit + 1 : at;
	}
	uint64_t fraction = tenths * factor / parts;
	if (*count > (most - fraction) / factor || fraction > most || tenths * factor % parts != 0)
		return NULL;
	*count = *count * factor + fraction;
	return at;
}

size_t range_sign_length(const char *text, size_t length)
{
	size_t dots = 0;
	while (dots < length && text[dots] == '.')
		dots++;
	return dots == 2 || dots == 3 ? dots : length > 0 && (*text == '-' || *text == ':');
}

struct text text_copy(struct text text, struct buffer *bytes)
{
	const char *at = bytes->data + bytes->length;
	buffer_append(bytes, text.text, text.length);
	buffer_append_byte(bytes, '\0');
	return (struct text){ at, text.length };
}

char *text_duplicate(struct text text)
{
	char *copy = malloc(text.length + 1);
	if (!copy)
		return NULL;
	if (text.length > 0)
		memcpy(copy, text.text, text.length);
	copy[text.length] = '\0';
	return copy;
}

static bool is_of_word(char c)
{
	return ascii_is_alnum(c) || c == '_';
}

void text_append_alike(struct buffer *out, const char *text, size_t length)
{
	for (const char *at = text, *end = text + length, *from = at; at < end; from = at) {
		bool has_digit = false;
		for (; at < end && is_of_word(*at); at++)
			has_digit |= ascii_is_digit(*at);
		if (at == from)
			at++;
		if (has_digit)
			buffer_append_text(out, "...");
		else
			buffer_append(out, from, (size_t)(at - from));
	}
}

bool text_next_line(const char **at, const char *end, struct text *line)
{
	if (*at >= end)
		return false;
	const char *newline = memchr(*at, '\n', (size_t)(end - *at));
	*line = (struct text){ *at, (size_t)((newline ? newline : end) - *at) };
	*at = newline ? newline + 1 : end;
	return true;
}

size_t text_count_lines(const char *text, size_t length)
{
	size_t count = 0;
	const char *end = text + length;
	for (const char *lf; (lf = memchr(text, '\n', (size_t)(end - text))) != NULL; text = lf + 1)
		count++;
	return count;
}

bool text_ends_with(const char *text, size_t length, const char *end)
{
	size_t end_length = strlen(end);
	return length >= end_length && strncasecmp(text + length - end_length, end, end_length) == 0;
}

int text_list_add(struct text_list *list, const char *text, struct error *err)
{
	if (!ARRAY_ROOM(list->items, list->capacity, list->count + 1))
		return error_no_memory(err);
	list->items[list->count++] = text;
	return 0;
}

int text_list_add_all(struct text_list *list, const char *const *texts, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (text_list_add(list, texts[i], err) < 0)
			return -1;
	return 0;
}

void text_list_release(struct text_list *list)
{
	free(list->items);
	*list = (struct text_list){ 0 };
}

int owned_texts_add(struct owned_texts *texts, char *text, struct error *err)
{
	if (text && text_list_add(&texts->list, text, err) == 0)
		return 0;
	free(text);
	return error_no_memory(err);
}

/* They were given as char *. */
static void free_text(const char *text)
{
	free((char *)(uintptr_t)text);
}

int owned_texts_replace(struct owned_texts *texts, size_t at, char *text, struct error *err)
{
	if (!text)
		return error_no_memory(err);
	free_text(texts->list.items[at]);
	texts->list.items[at] = text;
	return 0;
}

void owned_texts_release(struct owned_texts *texts)
{
	for (size_t i = 0; i < texts->list.count; i++)
		free_text(texts->list.items[i]);
	text_list_release(&texts->list);
}
