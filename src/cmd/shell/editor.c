/* edit and resend: a payload in the user's editor, checked afterwards, and sent; notifications sent as they came. */
#include "base/child.h"
#include "base/file.h"
#include "capture/record.h"
#include "cmd/shell/shell.h"
#include "json/print.h"

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

/* Replays records, from memory: so the guard, and the rule on unredacted ones, are those of replay. */
static int send_records(struct shell *s, const struct buffer *records, const struct text_list *words, size_t used,
                        struct error *err)
{
	char path[40];
	const char *first[] = { "replay", path, NULL };
	int fd = memfd_create("notifications", MFD_CLOEXEC), code = -1;
	if (fd < 0 || file_write_all(fd, buffer_text(records), records->length) != 0)
		error_set(err, EXIT_CODE_IO, "cannot keep the notifications in memory");
	else if (records->failed)
		error_no_memory(err);
	else {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		code = shell_run_before(s, first, words->items + used, words->count - used, err);
	}
	if (fd >= 0)
		close(fd);
	return code;
}

/* The notifications of the words before the options. -1: *err. */
static int select_records(struct context *context, size_t most, struct text_list *named, struct selected_list *selected,
                          struct error *err)
{
	const struct selection_options every = { .limit = UINT64_MAX };
	const struct text_list *words = context->operands, none = TEXT_LIST_INIT;
	struct listing listing;
	for (size_t i = 0; i < words->count && i < most && words->items[i][0] != '-'; i++)
		if (text_list_add(named, words->items[i], err) < 0)
			return -1;
	if (named->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "%s: missing number of a notification", context->command);
		return error_hint(err, "usage: %s N, or %s N --to WHERE", context->command, context->command);
	}
	int result = listing_init(&listing, context, &none, &every, err);
	if (result == 0)
		result = listing_select(&listing, named, 0, selected, err);
	listing_release(&listing);
	return result;
}

/* Sends the record with what the file has as its body. */
static int edit_and_send(struct shell *s, const char *path, const struct capture_record *record,
                         const struct text_list *words, struct error *err)
{
	char *const validate[] = { (char *)(uintptr_t) "validate", (char *)(uintptr_t)path, NULL };
	struct capture_record edited = *record;
	for (;;) {
		LOCAL_BUFFER text = BUFFER_INIT, line = BUFFER_INIT, reply = BUFFER_INIT;
		terminal_flush(s->context->terminal);
		if (run_editor(s, path, err) < 0 || file_read_whole(path, &text, NULL, err) < 0)
			return -1;
		edited.request.body = (struct text){ buffer_text(&text), text.length };
		if (text.length == record->request.body.length &&
		    memcmp(edited.request.body.text, record->request.body.text, text.length) == 0) {
			terminal_note(s->context->terminal, "unchanged: nothing was sent");
			return EXIT_CODE_OK;
		}
		int code = shell_run_words(s, 2, validate);
		if (code != EXIT_CODE_OK && code != EXIT_CODE_FAILED)
			return code;
		bool asks = code == EXIT_CODE_FAILED &&
		            shell_ask(s, "invalid: (e)dit again, (s)end anyway, or (d)iscard? ", &reply);
		char answer = asks ? buffer_text(&reply)[0] : 'd';
		if (code == EXIT_CODE_OK || answer == 's') {
			capture_record_append(&edited, &line);
			return send_records(s, &line, words, 1, err);
		}
		if (answer != 'e') {
			terminal_note(s->context->terminal, "discarded: nothing was sent");
			return code;
		}
	}
}

int shell_edit(struct context *context, void *args, struct error *err)
{
	struct shell *s = context->session;
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	LOCAL(text_list_release) struct text_list named = TEXT_LIST_INIT;
	struct capture_record record;
	struct selected_list selected = { .count = 0 };
	LOCAL_BUFFER path = BUFFER_INIT, pretty = BUFFER_INIT;
	(void)args;
	int code = select_records(context, 1, &named, &selected, err);
	if (code == 0 && selected.count > 1)
		code = error_set(err, EXIT_CODE_USAGE, "edit takes one number, not '%s'", named.items[0]);
	if (code == 0)
		code = capture_record_parse(&scratch, selected.items->line.data, selected.items->line.length, &record,
		                            err);
	if (code == 0 && json_pretty(record.request.body.text, record.request.body.length, &pretty))
		record.request.body = (struct text){ buffer_text(&pretty), pretty.length };
	if (code == 0)
		code = file_write_temporary(&path, ".json", 0600, record.request.body.text, record.request.body.length,
		                            err);
	if (code == 0) {
		struct signals_file at_end = { .path = path.data };
		signals_remove_file(s->context->signals, &at_end);
		code = edit_and_send(s, path.data, &record, context->operands, err);
		signals_keep_file(s->context->signals, &at_end);
		unlink(path.data);
	}
	listing_release_selected(&selected);
	return code;
}

int shell_resend(struct context *context, void *args, struct error *err)
{
	LOCAL(text_list_release) struct text_list named = TEXT_LIST_INIT;
	LOCAL_BUFFER all = BUFFER_INIT;
	struct selected_list selected = { .count = 0 };
	(void)args;
	int code = select_records(context, SIZE_MAX, &named, &selected, err);
	if (code == 0) {
		for (size_t i = 0; i < selected.count; i++)
			buffer_append(&all, selected.items[i].line.data, selected.items[i].line.length);
		code = send_records(context->session, &all, context->operands, named.count, err);
	}
	listing_release_selected(&selected);
	return code;
}
