/* Tab: the ordinary commands as in cmd/complete.h, and the session's own words. */
#include "cmd/complete.h"

#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"
#include "ui/choices.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 1024

/* Names of files, after the fixed part of the word ("--file=", "@"). */
static void offer_files(struct choices *choices, const struct completion *to)
{
	const char *typed = to->word + to->fixed;
	const char *slash = strrchr(typed, '/');
	size_t folder_length = slash ? (size_t)(slash - typed) + 1 : 0;
	const char *begin = typed + folder_length;
	char folder[PATH_SIZE];
	if (folder_length >= sizeof folder)
		return;
	memcpy(folder, typed, folder_length);
	folder[folder_length] = '\0';
	DIR *open = opendir(folder_length > 0 ? folder : ".");
	const struct dirent *entry;
	while (open && (entry = readdir(open))) {
		LOCAL_BUFFER path = BUFFER_INIT, word = BUFFER_INIT;
		buffer_printf(&path, "%s%s", folder, entry->d_name);
		struct stat status;
		bool folder_too = stat(buffer_text(&path), &status) == 0 && S_ISDIR(status.st_mode);
		buffer_append(&word, to->word, to->fixed);
		buffer_printf(&word, "%s%s", buffer_text(&path), folder_too ? "/" : "");
		bool hidden = entry->d_name[0] == '.' && begin[0] != '.';
		if (!hidden)
			choices_offer(choices, buffer_text(&word), to->word);
	}
	if (open)
		closedir(open);
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
		struct choices choices = { NULL, 0, 0 };
		complete_words(&to, &words);
		const char *at = buffer_text(&to.lines);
		while (*at) {
			LOCAL_BUFFER candidate = BUFFER_INIT;
			buffer_append(&candidate, at, strcspn(at, "\t\n"));
			choices_offer(&choices, buffer_text(&candidate), to.word);
			at += strcspn(at, "\n");
			at += *at == '\n';
		}
		if (to.files)
			offer_files(&choices, &to);
		choices_complete(&choices, to.word, line.quote, terminal_width(), insert, list);
		choices_release(&choices);
		completion_release(&to);
	}
	line_release(&line);
}
