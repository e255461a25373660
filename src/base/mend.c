#include "base/mend.h"

#include "base/quoted.h"
#include "base/shell_text.h"

#include <string.h>

#define FILE_WORD "FILE"
#define KEY_WORD  "KEY"
#define JSON_END  ".json"

/* The name as a shell takes it for that of a file. A shell cuts line ends off the end of what a command prints. Where
 * memory runs out `out` fails: quoted_hides() would say that a secret hides in it. */
static void append_name(struct buffer *out, const char *path)
{
	size_t length = strlen(path);
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	quoted_append(&shown, path, length);
	bool hides = shown.length != length || strcmp(buffer_text(&shown), path) != 0;
	if (strcmp(path, "-") == 0 || hides || text_ends_with(path, length, "\n"))
		buffer_append_text(out, FILE_WORD);
	else
		shell_append_file(out, path);
}

/* Appends words, or a part of them, with the key in place of KEY. */
static void append_words(struct buffer *out, const char *words, size_t length, const struct mend_file *file)
{
	const char *end = words + length;
	for (const char *at; file->key.length > 0 && (at = strstr(words, KEY_WORD)) != NULL && at < end;) {
		buffer_append(out, words, (size_t)(at - words));
		buffer_append(out, file->key.text, file->key.length);
		words = at + strlen(KEY_WORD);
	}
	buffer_append(out, words, (size_t)(end - words));
}

/* Appends a part of the line with the name in place of FILE. */
static void append_line(struct buffer *out, const char *line, size_t length, const struct mend_file *file,
                        const char *more)
{
	const char *end = line + length;
	for (const char *at; (at = strstr(line, FILE_WORD)) != NULL && at < end;) {
		append_words(out, line, (size_t)(at - line), file);
		append_name(out, file->path);
		buffer_append_text(out, more);
		line = at + strlen(FILE_WORD);
		if (file->is_lines && strncmp(line, JSON_END, strlen(JSON_END)) == 0 && line[strlen(JSON_END)] != 'l') {
			buffer_append_text(out, ".ndjson");
			line += strlen(JSON_END);
		}
	}
	append_words(out, line, (size_t)(end - line), file);
}

/* Whether the line reads FILE as a filter does, so that it may read a pipe: "jq . FILE > ...", "... < FILE > ...".
 * *input is the part to leave out, `length` bytes. */
static bool is_filter(const char *line, const char **input, size_t *length)
{
	static const char from[] = " < " FILE_WORD, name[] = " " FILE_WORD;
	const char *at = strstr(line, from);
	*length = at ? strlen(from) : strlen(name);
	*input = at ? at : strstr(line, name);
	return *input && (strncmp(*input + *length, " >", 2) == 0 || strncmp(*input + *length, " |", 2) == 0);
}

/* sed -i writes into the file, where a packed one would be lost. */
static void append_in_place(struct buffer *out, const char *line, const struct mend_file *file)
{
	static const char name[] = " " FILE_WORD;
	size_t length = strlen(line) - strlen(name);
	buffer_append_text(out, "sed ");
	buffer_append(out, line, length);
	append_line(out, " > " FILE_WORD JSON_END, strlen(" > " FILE_WORD JSON_END), file, "");
}

void mend_append(struct buffer *out, const char *hint, const struct mend_file *file)
{
	static const char in_place[] = "sed -i ";
	const char *line = strstr(hint, ": "), *input;
	size_t length;
	line = line ? line + 2 : hint;
	bool unpacks_itself = strncmp(line, "credhook ", strlen("credhook ")) == 0;
	if (!file->is_packed || unpacks_itself || !strstr(line, FILE_WORD)) {
		append_line(out, hint, strlen(hint), file, "");
		return;
	}
	append_words(out, hint, (size_t)(line - hint), file);
	buffer_append_text(out, "gzip -dc < ");
	append_name(out, file->path);
	if (strncmp(line, in_place, strlen(in_place)) == 0) {
		buffer_append_text(out, " | ");
		append_in_place(out, line + strlen(in_place), file);
	} else if (is_filter(line, &input, &length)) {
		buffer_append_text(out, " | ");
		append_words(out, line, (size_t)(input - line), file);
		append_line(out, input + length, strlen(input + length), file, "");
	} else {
		buffer_append_text(out, " > ");
		append_name(out, file->path);
		buffer_append_text(out, ".raw && ");
		append_line(out, line, strlen(line), file, ".raw");
	}
}

int mend_hint(struct error *err, const char *hint, const struct mend_file *file)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	struct mend_file unnamed = *file;
	mend_append(&text, hint, file);
	if (text.length >= sizeof err->hint) {
		unnamed.path = "-";
		buffer_clear(&text);
		mend_append(&text, hint, &unnamed);
	}
	return error_hint(err, "%s", text.failed ? hint : buffer_text(&text));
}
