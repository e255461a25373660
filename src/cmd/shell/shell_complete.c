/* Tab: the ordinary commands as in cmd/complete.h, and the session's own words. */
#include "cmd/complete.h"
#include "cmd/shell/shell.h"
#include "cmd/shell/shell_line.h"
#include "ui/choices.h"

#include <glob.h>
#include <string.h>

/* Names of files and folders, after the fixed part of the word ("--file=", "@"). */
static void offer_files(struct buffer *offered, const struct completion *to)
{
	LOCAL_BUFFER pattern = BUFFER_INIT;
	glob_t found = { 0 };
	for (const char *c = to->word + to->fixed; *c; c++)
		buffer_printf(&pattern, strchr("*?[\\", *c) ? "\\%c" : "%c", *c);
	buffer_append_byte(&pattern, '*');
	glob(buffer_text(&pattern), GLOB_MARK, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		buffer_append(offered, to->word, to->fixed);
		buffer_append(offered, found.gl_pathv[i], strlen(found.gl_pathv[i]) + 1);
	}
	globfree(&found);
}

/* After a blank, a new and empty word begins. */
static int split_for_completion(struct line *line, const char *text, size_t length)
{
	struct error ignored;
	LOCAL_BUFFER with_word = BUFFER_INIT;
	int result = line_split(line, text, length, true, &ignored);
	if (result == 0 && !line->in_word && !line->in_comment) {
		buffer_append(&with_word, text, length);
		buffer_append_text(&with_word, "''");
		result = line_split(line, buffer_text(&with_word), with_word.length, true, &ignored);
	}
	return result;
}

void shell_complete(void *context, const char *text, size_t length, struct buffer *insert, struct buffer *list)
{
	const struct shell *s = context;
	struct line line = { .words = NULL };
	if (!s->asking && split_for_completion(&line, text, length) == 0 && line.count > 0 && !line.in_comment) {
		size_t skipped = line.count > 1 && strcmp(line.words[0], "credhook") == 0;
		const struct text_list words = { (const char **)(uintptr_t)line.words + skipped, line.count - skipped,
			                         0 };
		struct completion to = { .commands = s->context->commands,
			                 .config = s->context->global->config,
			                 .no_config = s->context->global->no_config };
		LOCAL_BUFFER offered = BUFFER_INIT;
		complete_words(&to, &words);
		for (const char *at = buffer_text(&to.lines); *at; at += *at == '\n') {
			buffer_append(&offered, at, strcspn(at, "\t\n"));
			buffer_append_byte(&offered, '\0');
			at += strcspn(at, "\n");
		}
		if (to.files)
			offer_files(&offered, &to);
		choices_complete(&offered, to.word, line.quote, terminal_width(), insert, list);
		completion_release(&to);
	}
	line_release(&line);
}
