#include "cmd/shell/shell.h"
#include "cmd/words/complete.h"
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

void shell_complete(void *context, const char *text, size_t length, struct buffer *insert, struct buffer *list)
{
	const struct shell *s = context;
	LOCAL(line_release) struct line line = { .words = NULL };
	struct error ignored;
	if (s->asking || line_split(&line, text, length, true, &ignored) < 0 || line.in_comment)
		return;
	if (!line.in_word) /* after a blank, a new one begins, in the place of the NULL */
		line.words[line.count++] = (char *)(uintptr_t) "";
	size_t skipped = line.count > 1 && strcmp(line.words[0], "credhook") == 0;
	const struct text_list words = { (const char **)(uintptr_t)line.words + skipped, line.count - skipped, 0 };
	LOCAL(completion_release)
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
}
