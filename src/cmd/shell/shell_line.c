#include "cmd/shell/shell_line.h"

#include "base/url.h"
#include "http/head.h"
#include "http/secrets.h"

#include <stdlib.h>
#include <string.h>

struct splitter {
	struct line *line;
	const char *text;
	size_t length;
	size_t at;
};

void line_release(struct line *line)
{
	free(line->words);
	buffer_release(&line->text);
	*line = (struct line){ .words = NULL };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* One character inside quotes; the closing one ends them. */
static void take_quoted(struct splitter *s)
{
	struct line *line = s->line;
	char c = s->text[s->at++];
	if (c == line->quote) {
		line->quote = '\0';
		return;
	}
	bool escapes = c == '\\' && line->quote == '"' && s->at < s->length &&
	               (s->text[s->at] == '"' || s->text[s->at] == '\\');
	buffer_append_byte(&line->text, escapes ? s->text[s->at++] : c);
}

static void take_plain(struct splitter *s)
{
	char c = s->text[s->at++];
	if (c == '\'' || c == '"') {
		s->line->quote = c;
	} else {
		buffer_append_byte(&s->line->text, c == '\\' && s->at < s->length ? s->text[s->at++] : c);
	}
}

static void take_word(struct splitter *s)
{
	struct line *line = s->line;
	line->count++;
	line->in_word = true;
	while (s->at < s->length && (line->quote || !is_blank(s->text[s->at]))) {
		if (line->quote)
			take_quoted(s);
		else
			take_plain(s);
	}
	if (s->at < s->length)
		line->in_word = false;
	buffer_append_byte(&line->text, '\0');
}

int line_split(struct line *line, const char *text, size_t length, bool unfinished, struct error *err)
{
	struct splitter s = { line, text, length, 0 };
	buffer_clear(&line->text);
	line->count = 0;
	line->quote = '\0';
	line->in_word = line->in_comment = false;
	if (memchr(text, '\0', length))
		return error_set(err, EXIT_CODE_USAGE, "the line contains a NUL character");
	while (s.at < length) {
		if (is_blank(text[s.at])) {
			s.at++;
		} else if (text[s.at] == '#') {
			line->in_comment = true;
			break;
		} else {
			take_word(&s);
		}
	}
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
	char letter; /* '\0': none */
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

/* The value of the option that the word holds; "": none. */
static const char *value_of(const char *before, const char *word, const struct named_option *option)
{
	const char *value = value_within(before, option);
	if (value && *value == '\0')
		return word;
	value = value_within(word, option);
	return value ? value : "";
}

static bool word_holds_secret(const char *before, const char *word)
{
	static const struct named_option headers[] = { { "--header", 'H' }, { "--respond-header", '\0' } };
	static const struct named_option urls[] = { /* their scheme may be missing */
		                                    { "--to", '\0' },
		                                    { "--forward-to", '\0' },
		                                    { "--proxy", 'x' }
	};
	const char *equals = strchr(word, '=');
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		const char *value = value_of(before, word, &headers[i]);
		struct header h;
		struct error ignored;
		header_read_option(value, strlen(value), &h, &ignored);
		if (*value != '@' && header_is_secret(&h))
			return true;
	}
	for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
		if (url_is_secret(value_of(before, word, &urls[i])))
			return true;
	const char *url = word[0] == '-' && equals ? equals + 1 : word;
	return strstr(url, "://") && url_is_secret(url);
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
