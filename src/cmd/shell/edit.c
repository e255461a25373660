/* edit and resend: a payload in the user's editor, checked afterwards, and sent; notifications sent as they came. */
#include "base/child.h"
#include "capture/record.h"
#include "cmd/files.h"
#include "cmd/shell/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *editor(void)
{
	const char *visual = getenv("VISUAL"), *plain = getenv("EDITOR");
	return visual && *visual ? visual : plain && *plain ? plain : "vi";
}

/* Runs the editor through sh, since $EDITOR may hold options; it gets the signals as they were before us. */
static int run_editor(const struct shell *s, const char *path, struct error *err)
{
	const char *const words[] = { "/bin/sh", "-c", "eval \"$1 \\\"\\$2\\\"\"", "sh", editor(), path, NULL };
	const struct child_policy how = { .words = words, .mask = &s->context->signals->before };
	struct child child;
	int failed = child_start(&child, &how);
	if (failed)
		return error_set(err, EXIT_CODE_IO, "cannot run the editor: %s", strerror(failed));
	child_wait(&child, -1);
	if (child.code == 0)
		return 0;
	error_set(err, EXIT_CODE_FAILED, "the editor '%s' failed", editor());
	return error_hint(err, "set $VISUAL or $EDITOR to another one");
}

/* What to do with an invalid payload: e(dit again), s(end anyway), or anything else. */
static char ask(struct shell *s)
{
	LOCAL_BUFFER answer = BUFFER_INIT;
	char first = 'd';
	if (shell_ask(s, "invalid: (e)dit again, (s)end anyway, or (d)iscard? ", &answer))
		first = answer.length > 0 ? answer.data[0] : 'd';
	return first;
}

static int send_file(struct shell *s, const char *path, bool invalid, const struct text_list *words, struct error *err)
{
	const char *first[] = { "send", "--file", path, invalid ? "--no-validate" : NULL, NULL };
	return shell_run_before(s, first, words->items + 1, words->count - 1, err);
}

static bool is_unchanged(const char *path, const struct capture_record *record)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	struct error ignored;
	return file_read_whole(path, &text, NULL, &ignored) == 0 && text.length == record->request.body.length &&
	       memcmp(buffer_text(&text), record->request.body.text, text.length) == 0;
}

static int edit_and_send(struct shell *s, const char *path, const struct capture_record *record,
                         const struct text_list *words, struct error *err)
{
	char *const validate[] = { (char *)(uintptr_t) "validate", (char *)(uintptr_t) "--single",
		                   (char *)(uintptr_t)path, NULL };
	for (;;) {
		terminal_flush(s->context->terminal);
		if (run_editor(s, path, err) < 0)
			return -1;
		if (is_unchanged(path, record)) {
			terminal_note(s->context->terminal, "unchanged: nothing was sent");
			return EXIT_CODE_OK;
		}
		int code = shell_run_words(s, 3, validate);
		char answer = code == EXIT_CODE_FAILED ? ask(s) : 'v';
		if (answer == 'v' && code != EXIT_CODE_OK)
			return code;
		if (answer == 'v' || answer == 's')
			return send_file(s, path, answer == 's', words, err);
		if (answer != 'e') {
			terminal_note(s->context->terminal, "discarded: nothing was sent");
			return code;
		}
	}
}

int shell_edit(struct context *context, void *args, struct error *err)
{
	struct shell *s = context->session;
	const struct text_list *words = context->operands;
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record;
	LOCAL_BUFFER path = BUFFER_INIT;
	(void)args;
	if (words->count == 0 || words->items[0][0] == '-') {
		error_set(err, EXIT_CODE_USAGE, "edit: missing number of a notification");
		return error_hint(err, "usage: edit N, or edit N --to WHERE");
	}
	const struct history_entry *a = shell_arrival_named(s, words->items[0], err);
	if (!a)
		return -1;
	/* A copy, since newer arrivals may push this one out meanwhile. */
	LOCAL(release_text) char *line = strndup(a->record, a->length);
	if (!line)
		return error_no_memory(err);
	if (capture_record_parse(&scratch, line, a->length, &record, err) < 0 ||
	    file_write_temporary(&path, ".json", 0600, record.request.body.text, record.request.body.length, err) < 0)
		return -1;
	struct signals_file at_end = { .path = path.data };
	signals_remove_file(s->context->signals, &at_end);
	int code = edit_and_send(s, path.data, &record, words, err);
	signals_keep_file(s->context->signals, &at_end);
	unlink(path.data);
	return code;
}

/* The records of the leading words that are numbers, in memory: replay reads them from there. */
static int write_records(const struct shell *s, const struct text_list *words, size_t *used, int fd, struct error *err)
{
	LOCAL_BUFFER all = BUFFER_INIT;
	int result = 0;
	for (*used = 0; *used < words->count && words->items[*used][0] != '-' && result == 0; (*used)++) {
		const struct history_entry *a = shell_arrival_named(s, words->items[*used], err);
		if (!a)
			result = -1;
		else
			buffer_append(&all, a->record, a->length);
	}
	if (result == 0 && all.length == 0) {
		error_set(err, EXIT_CODE_USAGE, "resend: missing number of a notification");
		result = error_hint(err, "usage: resend N, or resend N --to WHERE");
	}
	if (result == 0 && file_write_all(fd, buffer_text(&all), all.length) != 0)
		result = error_set(err, EXIT_CODE_IO, "cannot keep the notifications in memory");
	if (all.failed)
		result = error_no_memory(err);
	return result;
}

int shell_resend(struct context *context, void *args, struct error *err)
{
	const struct text_list *words = context->operands;
	char path[40];
	const char *first[] = { "replay", path, NULL };
	size_t used = 0;
	int code = -1;
	(void)args;
	int fd = memfd_create("notifications", MFD_CLOEXEC);
	if (fd < 0)
		return error_set(err, EXIT_CODE_IO, "cannot keep the notifications in memory");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (write_records(context->session, words, &used, fd, err) == 0)
		code = shell_run_before(context->session, first, words->items + used, words->count - used, err);
	close(fd);
	return code;
}
