#include "cmd/shell/line.h"

#include "base/url_mask.h"
#include "http/secrets.h"

#include <stdlib.h>
#include <string.h>

struct splitter {
	struct line *line;
	const char *text;
	size_t length;
	size_t at;
	size_t quote_at;
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
		s->quote_at = s->at;
	} else {
		buffer_append_byte(&s->line->text, c == '\\' && s->at < s->length ? s->text[s->at++] : c);
	}
}

/* >, 2>, <, | and & at the beginning of a word mean something in other shells. */
static bool is_redirection(const struct splitter *s)
{
	size_t at = s->at;
	while (at < s->length && s->text[at] >= '0' && s->text[at] <= '9')
		at++;
	return at < s->length && strchr(at == s->at ? "<>|&" : "<>", s->text[at]) && s->text[at];
}

static int refuse_redirection(const struct splitter *s, struct error *err)
{
	bool to_file = s->text[s->at] == '>' || s->text[s->at + 1] == '>';
	error_set(err, EXIT_CODE_USAGE, "'%c' does not work in this shell", s->text[s->at]);
	if (to_file)
		return error_hint(err, "use 'save N FILE' or --out-dir DIR, or > in another shell");
	return error_hint(err, "use it in another shell: credhook ... | COMMAND");
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

/* The words point into the text, which no longer moves. */
static int point_at_words(struct line *line, struct error *err)
{
	char **grown = array_grow(line->words, &line->capacity, line->count + 1, sizeof *grown);
	if (!grown || line->text.failed)
		return error_no_memory(err);
	line->words = grown;
	char *at = line->text.data;
	for (size_t i = 0; i < line->count; i++) {
		line->words[i] = at;
		at += strlen(at) + 1;
	}
	line->words[line->count] = NULL;
	return 0;
}

int line_split(struct line *line, const char *text, size_t length, bool unfinished, struct error *err)
{
	struct splitter s = { line, text, length, 0, 0 };
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
		} else if (!unfinished && is_redirection(&s)) {
			return refuse_redirection(&s, err);
		} else {
			take_word(&s);
		}
	}
	if (line->quote && !unfinished) {
		error_set(err, EXIT_CODE_USAGE, "unclosed quote %c at column %zu", line->quote, s.quote_at);
		return error_hint(err, "for the character itself write \\%c", line->quote);
	}
	return point_at_words(line, err);
}

/* The value of the header option that the word is: "" where the next word has it, NULL where it is another word. Of
 * letters together the last takes a value: -kH. */
static const char *header_value(const char *word)
{
	static const char name[] = "--header";
	size_t length = strlen(name);
	if (strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '='))
		return word + length + (word[length] == '=');
	const char *letter = word[0] == '-' && word[1] != '-' ? strchr(word, 'H') : NULL;
	return letter ? letter + 1 : NULL;
}

static bool is_proxy_option(const char *word)
{
	return strcmp(word, "-x") == 0 || strcmp(word, "--proxy") == 0;
}

static bool word_holds_secret(const char *before, const char *word)
{
	const char *value = header_value(before), *equals = strchr(word, '=');
	value = value && *value == '\0' ? word : header_value(word);
	if (value && *value != '\0' && *value != '@' && secret_of_header_line(value))
		return true;
	const char *url = word[0] == '-' && equals ? equals + 1 : word;
	return (strstr(url, "://") || is_proxy_option(before)) && url_is_secret(url);
}

bool line_holds_secret(const char *text, size_t length)
{
	struct line line = { .words = NULL };
	struct error ignored;
	bool found = false;
	if (line_split(&line, text, length, true, &ignored) == 0)
		for (size_t i = 0; i < line.count && !found; i++)
			found = word_holds_secret(i > 0 ? line.words[i - 1] : "", line.words[i]);
	line_release(&line);
	return found;
}
