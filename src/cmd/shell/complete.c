/* Tab: the ordinary commands as in cmd/complete.h, and the session's own words. */
#include "cmd/complete.h"

#include "cmd/shell/line.h"
#include "cmd/shell/shell.h"
#include "ui/choices.h"

#include <dirent.h>
#include <stdio.h>
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
		if (!hidden && (folder_too || to->files == COMPLETION_FILES))
			choices_offer(choices, buffer_text(&word), to->word);
	}
	if (open)
		closedir(open);
}

/* What only the session knows. */
static void offer_of_session(struct completion *to, enum completion_kind kind)
{
	const struct shell *s = to->session;
	if (kind == COMPLETE_ARRIVAL || kind == COMPLETE_CAPTURE) {
		char number[32];
		for (size_t i = 0; i < s->received->count; i++) {
			snprintf(number, sizeof number, "%llu", (unsigned long long)s->received->items[i]->arrival.seq);
			complete_offer(to, number, NULL);
		}
		if (s->list.last > 0)
			complete_offer(to, "last", NULL);
	}
	if (kind == COMPLETE_STOP)
		complete_offer(to, "stop", NULL);
	if (kind == COMPLETE_ENVIRONMENT && s->listener)
		complete_offer(to, SHELL_OWN_LISTENER, NULL);
	for (size_t i = 0; kind == COMPLETE_DEFAULT && i < s->defaults.count; i++) {
		LOCAL_BUFFER path = BUFFER_INIT;
		buffer_append(&path, s->defaults.items[i], strcspn(s->defaults.items[i], ":="));
		complete_offer(to, buffer_text(&path), NULL);
	}
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
		const struct global_options *global = s->context->global;
		struct completion to = { .commands = s->context->commands,
			                 .config = global->config,
			                 .no_config = global->no_config,
			                 .word = line.words[line.count - 1],
			                 .session = s,
			                 .offer_of_session = offer_of_session };
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
		if (to.files != COMPLETION_NO_FILES)
			offer_files(&choices, &to);
		choices_complete(&choices, to.word, line.quote, terminal_width(), insert, list);
		choices_release(&choices);
		completion_release(&to);
	}
	line_release(&line);
}
