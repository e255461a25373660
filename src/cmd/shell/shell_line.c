#include "base/quoted.h"
#include "base/url.h"
#include "cmd/shell/shell.h"
#include "http/head.h"
#include "http/secrets.h"

#include <stdlib.h>
#include <string.h>

void line_release(struct line *line)
{
	free(line->words);
	buffer_release(&line->text);
	*line = (struct line){ .words = NULL };
}

int line_split(struct line *line, const char *text, size_t length, bool unfinished, struct error *err)
{
	buffer_clear(&line->text);
	line->count = 0;
	line->quote = '\0';
	line->in_word = line->in_comment = false;
	if (memchr(text, '\0', length))
		return error_set(err, EXIT_CODE_USAGE, "the line contains a NUL character");
	for (size_t at = 0; at < length; at++) {
		char c = text[at];
		if (!line->quote && strchr(" \t\r\n", c)) {
			if (line->in_word)
				buffer_append_byte(&line->text, '\0');
			line->in_word = false;
			continue;
		}
		line->in_comment = c == '#' && !line->in_word;
		if (line->in_comment)
			break;
		line->count += !line->in_word;
		line->in_word = true;
		if (c == line->quote) {
			line->quote = '\0';
		} else if (!line->quote && (c == '\'' || c == '"')) {
			line->quote = c;
		} else {
			char next = at + 1 < length ? text[at + 1] : '\0';
			bool escapes = line->quote == '"' ? next == '"' || next == '\\' : !line->quote && next;
			at += c == '\\' && escapes;
			buffer_append_byte(&line->text, text[at]);
		}
	}
	if (line->in_word)
		buffer_append_byte(&line->text, '\0');
	if (line->quote && !unfinished) {
		error_set(err, EXIT_CODE_USAGE, "unclosed quote %c", line->quote);
		return error_hint(err, "for the character itself write \\%c", line->quote);
	}
	/* The words point into the text, which no longer moves. */
	if (!ARRAY_ROOM(line->words, line->capacity, line->count + 1) || line->text.failed)
		return error_no_memory(err);
	char *at = line->text.data;
	for (size_t i = 0; i < line->count; i++) {
		line->words[i] = at;
		at += strlen(at) + 1;
	}
	line->words[line->count] = NULL;
	return 0;
}

struct named_option {
	const char *name;
	char letter;    /* '\0': none */
	bool is_header; /* else a URL, whose scheme may be missing */
};

/* The value of the option if the word is that one: "" where the next word has it, NULL where it is another word. Of
 * letters together the last takes a value: -kH. */
static const char *value_within(const char *word, const struct named_option *option)
{
	size_t length = strlen(option->name);
	if (strncmp(word, option->name, length) == 0 && (word[length] == '\0' || word[length] == '='))
		return word + length + (word[length] == '=');
	bool is_letters = option->letter && word[0] == '-' && word[1] != '-';
	const char *letter = is_letters ? strchr(word, option->letter) : NULL;
	return letter ? letter + 1 : NULL;
}

/* PATH=VALUE of a payload: details.appKey=x is not a secret by its name. */
static bool is_path_value(const char *word)
{
	size_t name = strcspn(word, "=");
	return word[0] != '-' && word[name] && memchr(word, '.', name);
}

static bool word_holds_secret(const char *before, const char *word)
{
	static const struct named_option options[] = { { "--header", 'H', true },
		                                       { "--respond-header", '\0', true },
		                                       { "--to", '\0', false },
		                                       { "--forward-to", '\0', false },
		                                       { "--proxy", 'x', false } };
	bool is_header = false;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		const char *behind = value_within(before, &options[i]), *within = value_within(word, &options[i]);
		const char *value = behind && !*behind ? word : within ? within : "";
		is_header |= options[i].is_header && within;
		struct header h;
		struct error ignored;
		header_read_option(value, strlen(value), &h, &ignored);
		if (options[i].is_header ? *value != '@' && header_is_secret(&h) : url_is_secret(value))
			return true;
	}
	if (is_header || value_within(before, &options[0]) || value_within(before, &options[1]))
		return false;
	return is_path_value(word) ? quoted_hides(word, strlen(word)) : quoted_hides_argument(word, before);
}

bool line_holds_secret(const char *text, size_t length)
{
	struct line line = { .words = NULL };
	struct error ignored;
	bool found = false, after_use = false;
	if (line_split(&line, text, length, true, &ignored) == 0)
		for (size_t i = 0; i < line.count && !found; i++) {
			found = word_holds_secret(i > 0 ? line.words[i - 1] : "", line.words[i]) ||
			        (after_use && url_is_secret(line.words[i]));
			after_use |= strcmp(line.words[i], "use") == 0;
		}
	line_release(&line);
	return found;
}
