#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "capture/record.h"
#include "cmd/args/expectations.h"
#include "cmd/args/make.h"
#include "cmd/shell/shell.h"
#include "config/destination.h"
#include "json/json_line.h"
#include "json/print.h"
#include "payload/edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_ADDRESS "127.0.0.1:8080"
#define RECEIVED_LISTED 20

struct shell_listen_args {
	struct global_options global;
	struct receive_args receive;
};

/* Refuses fewer or more operands. */
static int check_operands(const struct context *context, size_t least, size_t most, struct error *err)
{
	size_t count = context->operands->count;
	if (count >= least && count <= most)
		return 0;
	error_set(err, EXIT_CODE_USAGE, count < least ? "%s: missing argument" : "%s: too many arguments",
	          context->command);
	return error_hint(err, "'%s -h' shows what it takes", context->command);
}

/* What it has received stays; where it was the destination, there is none now. */
static int stop_listening(struct shell *s)
{
	struct terminal *t = s->context->terminal;
	int code = shell_listener_stop(s->listener);
	bool was_used = s->use && strcmp(s->use, SHELL_OWN_LISTENER) == 0;
	shell_take_arrivals(s, false);
	terminal_note(t, "no longer listening on %s%s", shell_listener_url(s->listener),
	              was_used ? "; 'use WHERE' sets another destination" : "");
	shell_listener_free(s->listener);
	s->listener = NULL;
	if (was_used) {
		free(s->use);
		s->use = NULL;
	}
	return code;
}

static int run_listen(struct context *context, void *args, struct error *err)
{
	struct shell *s = context->session;
	struct shell_listen_args *a = args;
	if (check_operands(context, 0, 1, err) < 0)
		return -1;
	const char *address = context->operands->count > 0 ? context->operands->items[0] : DEFAULT_ADDRESS;
	if (strcmp(address, "stop") == 0) {
		if (!s->listener)
			return error_set(err, EXIT_CODE_USAGE, "nothing listens in the background");
		return stop_listening(s);
	}
	if (s->listener) {
		error_set(err, EXIT_CODE_USAGE, "already listening on %s", shell_listener_url(s->listener));
		return error_hint(err, "'listen stop' ends that");
	}
	if (receive_args_check(&a->receive, err) < 0)
		return -1;
	s->quiet = a->global.quiet;
	s->listener = shell_listener_start(address, &a->receive, &s->line, s->context, s->list.spool, &s->wake, err);
	return s->listener ? EXIT_CODE_OK : -1;
}

/* received and diff are 'show' of the session's list. */
static int run_received(struct context *context, void *args, struct error *err)
{
	static const char *const first[] = { "show", NULL };
	struct shell *s = context->session;
	(void)args;
	shell_take_arrivals(s, false);
	s->list.tail = RECEIVED_LISTED;
	int code = shell_run_before(s, first, context->operands->items, context->operands->count, err);
	s->list.tail = 0;
	return code;
}

static int run_diff(struct context *context, void *args, struct error *err)
{
	static const char *const first[] = { "show", "--diff", NULL };
	(void)args;
	return shell_run_before(context->session, first, context->operands->items, context->operands->count, err);
}

static int run_open(struct context *context, void *args, struct error *err)
{
	(void)args;
	if (check_operands(context, 1, SIZE_MAX, err) < 0)
		return -1;
	return session_list_open(&context->session->list, context, context->operands, err);
}

static int run_use(struct context *context, void *args, struct error *err)
{
	struct shell *s = context->session;
	LOCAL(destination_release) struct destination to = { .url = BUFFER_INIT };
	(void)args;
	if (check_operands(context, 1, 1, err) < 0)
		return -1;
	const char *name = context->operands->items[0];
	bool is_own = strcmp(name, SHELL_OWN_LISTENER) == 0;
	if (is_own && !s->listener) {
		error_set(err, EXIT_CODE_USAGE, "nothing listens in the background");
		return error_hint(err, "'listen 8080' starts it");
	}
	if (!is_own && destination_resolve(&s->config, name, &to, err) < 0)
		return -1;
	char *copy = strdup(name);
	if (!copy)
		return error_no_memory(err);
	free(s->use);
	s->use = copy;
	return EXIT_CODE_OK;
}

static int set_default(struct owned_texts *defaults, const char *assignment, struct error *err)
{
	size_t length = strcspn(assignment, "=");
	LOCAL(edits_release) struct edits edits = { 0 };
	if (edits_add_set(&edits, assignment, err) < 0 || edits_check(&edits, NULL, 0, err) < 0)
		return -1;
	if (length > 0 && assignment[length - 1] == ':')
		length--;
	/* Where the field of that path is among the defaults; their number: nowhere. */
	size_t at = 0;
	const struct text_list *list = &defaults->list;
	while (at < list->count &&
	       (strncmp(list->items[at], assignment, length) != 0 || !strchr(":=", list->items[at][length])))
		at++;
	char *copy = strdup(assignment);
	return at < list->count ? owned_texts_replace(defaults, at, copy, err) : owned_texts_add(defaults, copy, err);
}

static int run_set(struct context *context, void *args, struct error *err)
{
	const struct text_list *defaults = &context->session->defaults.list;
	LOCAL_BUFFER out = BUFFER_INIT;
	(void)args;
	for (size_t i = 0; i < context->operands->count; i++)
		if (set_default(&context->session->defaults, context->operands->items[i], err) < 0)
			return -1;
	for (size_t i = 0; context->operands->count == 0 && i < defaults->count; i++) {
		if (context->terminal->json) {
			json_line_begin_type(&out, "default");
			json_line_text(&out, "assignment", defaults->items[i]);
			json_line_finish(&out);
		} else {
			utf8_append_safe(&out, defaults->items[i], strlen(defaults->items[i]));
			buffer_append_byte(&out, '\n');
		}
	}
	terminal_write_buffer(context->terminal, &out);
	return EXIT_CODE_OK;
}

static int run_exit(struct context *context, void *args, struct error *err)
{
	(void)args;
	(void)err;
	context->session->leaving = true;
	return EXIT_CODE_OK;
}

/* expect: it makes a scenario a test. */

struct expect_args {
	struct global_options global;
	int64_t within;
	bool invalid;
};

#define EXPECT(field) offsetof(struct expect_args, field)
static const struct option expect_rows[] = {
	{ 0, "within", "DURATION", "how long to wait", OPTION_DURATION, .offset = EXPECT(within), .initial = "5s" },
	{ 0, "invalid", NULL, "count invalid payloads, not valid ones", OPTION_FLAG, .offset = EXPECT(invalid) },
};
static const struct option_group expect_group = OPTION_GROUP("Expectation", expect_rows, 0);

static bool is_wanted(struct spool *spool, uint64_t number, const struct expectation *e, bool invalid)
{
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	LOCAL_BUFFER kept = BUFFER_INIT;
	struct capture_record record;
	struct spool_entry entry;
	struct spool_facts facts;
	struct text line;
	struct error ignored;
	if (!spool_find(spool, number, &entry) || !entry.has_arrived || entry.is_expected || !entry.is_checked ||
	    entry.is_valid == invalid || !catalog_kind_is(catalog_kind_at(entry.kind), e->kind))
		return false;
	return e->where.count == 0 || (spool_read(spool, number, &line, &facts, &kept, &ignored) == 0 &&
	                               capture_record_parse(&scratch, line.text, line.length, &record, &ignored) == 0 &&
	                               expectation_holds(e, record.request.body.text, record.request.body.length));
}

/* How many there are, and with `consume`, counts the first `wanted` of them for good. */
static uint64_t count_wanted(const struct shell *s, const struct expectation *e, bool invalid, bool consume)
{
	uint64_t count = 0;
	for (uint64_t number = 1; number <= s->shown && count < e->wanted; number++) {
		if (!is_wanted(s->list.spool, number, e, invalid))
			continue;
		count++;
		if (consume)
			spool_expect(s->list.spool, number);
	}
	return count;
}

static int wait_for(struct shell *s, const struct expectation *e, const struct expect_args *a, int64_t deadline,
                    struct error *err)
{
	LOCAL_BUFFER name = BUFFER_INIT, shown = BUFFER_INIT, when = BUFFER_INIT;
	bool over = !s->listener;
	for (;;) {
		shell_take_arrivals(s, false);
		if (count_wanted(s, e, a->invalid, false) >= e->wanted) {
			count_wanted(s, e, a->invalid, true);
			return EXIT_CODE_OK;
		}
		if (over)
			break;
		enum prompt_event event = shell_wait(s, -1, true, deadline);
		if (event == PROMPT_INTERRUPT || event == PROMPT_LEAVE)
			return EXIT_CODE_INTERRUPTED;
		over = event == PROMPT_TIME;
	}
	expectation_append_name(&name, e, false);
	/* A value may be longer than a message: what came of it is what counts. */
	fit_append(&shown, buffer_text(&name), name.length, QUOTED_MAX);
	if (s->listener)
		buffer_printf(&when, " within %s", DURATION_TEXT(a->within));
	error_set(err, EXIT_CODE_FAILED, "expected %s %s %s, %s arrived%s", COUNT_TEXT(e->wanted),
	          a->invalid ? "invalid" : "valid", buffer_text(&shown),
	          COUNT_TEXT(count_wanted(s, e, a->invalid, false)), buffer_text(&when));
	if (!s->listener)
		return error_hint(err, "nothing listens in the background: 'listen 8080' first");
	return error_hint(err, "'received' lists the notifications; each counts for one 'expect' only");
}

static int run_expect(struct context *context, void *args, struct error *err)
{
	const struct expect_args *a = args;
	LOCAL(expectations_release) struct expectations expected = { .list = NULL };
	if (check_operands(context, 1, 1, err) < 0)
		return -1;
	int code = expectations_parse(&expected, context->operands->items[0], err);
	int64_t deadline = clock_monotonic_ns() + a->within;
	for (size_t i = 0; i < expected.count && code == EXIT_CODE_OK; i++)
		code = wait_for(context->session, &expected.list[i], a, deadline, err);
	return code;
}

/* edit and resend: a payload in the user's editor, checked afterwards, and sent; notifications sent as they came. */

/* Runs the editor through sh, since $EDITOR may hold options; it gets the signals as they were before us. */
static int run_editor(const struct shell *s, const char *path, struct error *err)
{
	const char *visual = getenv("VISUAL"), *plain = getenv("EDITOR");
	const char *editor = visual && *visual ? visual : plain && *plain ? plain : "vi";
	const char *const words[] = { "/bin/sh", "-c", "eval \"$1 \\\"\\$2\\\"\"", "sh", editor, path, NULL };
	const struct child_policy how = { .words = words, .signals = s->context->signals };
	struct child child;
	int failed = child_start(&child, &how);
	if (failed)
		return error_set(err, EXIT_CODE_IO, "cannot run the editor: %s", strerror(failed));
	child_wait(&child, -1);
	if (child.code == 0)
		return 0;
	error_set(err, EXIT_CODE_FAILED, "the editor '%s' failed", editor);
	return error_hint(err, "set $VISUAL or $EDITOR to another one");
}

/* Replays records, from a file without a name: so the guard, and the rule on unredacted ones, are those of replay. */
static int send_records(struct shell *s, const struct buffer *records, const struct text_list *words, size_t used,
                        struct error *err)
{
	char path[40];
	const char *first[] = { "replay", path, NULL };
	LOCAL(file_close) int fd = file_make_nameless(NULL);
	int failed = fd < 0 ? errno : file_write_all(fd, buffer_text(records), records->length);
	if (failed)
		return error_set(err, EXIT_CODE_IO, "cannot write a temporary file: %s", strerror(failed));
	if (records->failed)
		return error_no_memory(err);
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	return shell_run_before(s, first, words->items + used, words->count - used, err);
}

/* The records of those that are named before the options, a line each, and how many there are. -1: *err. */
static int named_records(struct context *context, size_t most, struct text_list *named, struct buffer *lines,
                         size_t *count, struct error *err)
{
	const struct selection_options every = { .limit = UINT64_MAX };
	const struct text_list *words = context->operands, none = { 0 };
	struct selected_list selected = { .count = 0 };
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
		result = listing_select(&listing, named, 0, &selected, err);
	enum selection_answer answer = SELECTION_YES;
	while (result == 0 && (answer = listing_next(&listing, err)) == SELECTION_YES)
		result = listing_append_record(&listing, lines, err);
	*count = selected.count;
	listing_release_selected(&selected);
	listing_release(&listing);
	return answer == SELECTION_FAILED ? -1 : result;
}

/* Asks a question at the prompt: true with the reply in *reply; false: no prompt, or Ctrl-C, Ctrl-D. */
static bool ask(struct shell *s, const char *words, struct buffer *reply)
{
	struct error ignored;
	if (!s->prompt)
		return false;
	s->asking = true;
	terminal_flush(s->context->terminal);
	bool answered = prompt_read(s->prompt, words, reply, &ignored) == PROMPT_LINE;
	s->asking = false;
	return answered;
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
		            ask(s, "invalid: (e)dit again, (s)end anyway, or (d)iscard? ", &reply);
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

static int run_edit(struct context *context, void *args, struct error *err)
{
	struct shell *s = context->session;
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	LOCAL(text_list_release) struct text_list named = { 0 };
	struct capture_record record;
	LOCAL_BUFFER path = BUFFER_INIT, pretty = BUFFER_INIT, line = BUFFER_INIT;
	size_t count = 0;
	(void)args;
	int code = named_records(context, 1, &named, &line, &count, err);
	if (code == 0 && count > 1)
		code = error_set(err, EXIT_CODE_USAGE, "edit takes one number, not '%s'", named.items[0]);
	if (code == 0)
		code = capture_record_parse(&scratch, line.data, line.length, &record, err);
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
	return code;
}

static int run_resend(struct context *context, void *args, struct error *err)
{
	LOCAL(text_list_release) struct text_list named = { 0 };
	LOCAL_BUFFER all = BUFFER_INIT;
	size_t count;
	(void)args;
	int code = named_records(context, SIZE_MAX, &named, &all, &count, err);
	return code == 0 ? send_records(context->session, &all, context->operands, named.count, err) : code;
}

/* The rows of all of them. */

static const struct option_use listen_uses[] = { RECEIVE_OPTION_USES(offsetof(struct shell_listen_args, receive)) };
static const struct option_use expect_uses[] = { { &expect_group, 0 } };

static const char *const common[] = { "json", NULL };

#define OWN(function)                                                                                                  \
	.common = common, .group = COMMAND_SESSION, .run = function, .args_size = sizeof(struct global_options)
const struct command shell_commands[] = {
	{ .name = "listen",
	  .group = COMMAND_SESSION,
	  .phrase = "receive in the background, or stop it",
	  .operands = "[PORT|stop]",
	  .complete = COMPLETE_NOTHING,
	  .summary = "Receive in the background at PORT or ADDRESS:PORT (127.0.0.1:8080), or stop it.",
	  .common = (const char *const[]){ "capture", "forward-to", "path", "respond", "delay", "fault", "validate",
	                                   NULL },
	  .uses = listen_uses,
	  .use_count = sizeof listen_uses / sizeof listen_uses[0],
	  .args_size = sizeof(struct shell_listen_args),
	  .run = run_listen },
	{ OWN(run_open), .name = "open", .phrase = "take captures into the list", .operands = "CAPTURE...",
	  .complete = COMPLETE_FILE, .summary = "Take captures into the list of notifications." },
	{ OWN(run_received), .name = "received", .phrase = "list the notifications", .operands = "[OPTION]...",
	  .complete = COMPLETE_FILE, .summary = "List the notifications that arrived or were opened.", .like = "show",
	  .also = (const struct command_also[]){ { "history log logs inbox", "" }, { NULL, NULL } } },
	{ OWN(run_diff), .name = "diff", .phrase = "compare two notifications value by value",
	  .operands = "N N [OPTION]...", .complete = COMPLETE_NOTHING,
	  .summary = "Compare two notifications value by value.", .like = "show" },
	{ OWN(run_resend), .name = "resend", .phrase = "send notifications again, unchanged",
	  .operands = "N... [OPTION]...", .complete = COMPLETE_NOTHING,
	  .summary = "Send notifications again, unchanged.", .like = "replay" },
	{ OWN(run_edit), .name = "edit", .phrase = "edit a payload, then send it", .operands = "N [OPTION]...",
	  .complete = COMPLETE_NOTHING, .summary = "Open a payload in $VISUAL or $EDITOR, check it, then send it.",
	  .like = "send" },
	{ OWN(run_use), .name = "use", .phrase = "set the destination", .operands = "WHERE",
	  .complete = COMPLETE_ENVIRONMENT,
	  .summary = "Set the destination: an environment, an address, or 'listener'." },
	{ OWN(run_set), .name = "set", .phrase = "set a field of payloads built from now on",
	  .operands = "[PATH=TEXT]...", .complete = COMPLETE_ASSIGNMENT,
	  .summary = "Set a field of payloads built from now on, or list these." },
	{ .name = "expect",
	  .group = COMMAND_SESSION,
	  .phrase = "wait for notifications",
	  .operands = "EVENT[:N][,PATH=VALUE]...",
	  .complete = COMPLETE_EVENT,
	  .summary = "Wait for valid notifications that no 'expect' has counted yet.",
	  .common = (const char *const[]){ "within", "invalid", NULL },
	  .uses = expect_uses,
	  .use_count = 1,
	  .args_size = sizeof(struct expect_args),
	  .run = run_expect },
	{ OWN(run_exit), .name = "exit", .phrase = "end the shell, like Ctrl-D", .operands = "",
	  .summary = "End the shell, like Ctrl-D." },
	{ OWN(run_exit), .name = "quit", .phrase = "end the shell, like exit", .operands = "",
	  .summary = "End the shell, like exit." },
	{ .name = NULL },
};
