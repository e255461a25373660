/* The commands that only the shell has. */
#include "base/clock.h"
#include "base/url.h"
#include "base/utf8.h"
#include "capture/record.h"
#include "cmd/expectations.h"
#include "cmd/make.h"
#include "cmd/shell/shell.h"
#include "config/address.h"
#include "json/json_line.h"
#include "payload/edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ADDRESS "127.0.0.1:8080"

static void print(struct shell *s, struct buffer *text)
{
	terminal_write(s->context->terminal, buffer_text(text), text->length);
	buffer_release(text);
}

static int stop_listening(struct shell *s, struct error *err)
{
	if (!s->listener)
		return error_set(err, EXIT_CODE_USAGE, "nothing listens in the background");
	int code = shell_listener_stop(s->listener);
	shell_take_arrivals(s);
	terminal_note(s->context->terminal, "no longer listening on %s", shell_listener_url(s->listener));
	shell_listener_free(s->listener);
	s->listener = NULL;
	return code;
}

static int run_listen(struct shell *s, const struct shell_call *call, struct error *err)
{
	const char *address = call->operands->count > 0 ? call->operands->items[0] : DEFAULT_ADDRESS;
	if (strcmp(address, "stop") == 0)
		return stop_listening(s, err);
	if (s->listener) {
		error_set(err, EXIT_CODE_USAGE, "already listening on %s", shell_listener_url(s->listener));
		return error_hint(err, "'listen stop' ends that");
	}
	if (receive_args_check(&call->options->listen, address, err) < 0)
		return -1;
	s->quiet = call->options->quiet;
	s->listener = shell_listener_start(address, &call->options->listen, &s->line, s->context, s->next_number,
	                                   s->wake_fd, err);
	return s->listener ? EXIT_CODE_OK : -1;
}

static int run_received(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct buffer out = BUFFER_INIT, words = BUFFER_INIT;
	const struct history *r = s->received;
	(void)err;
	shell_take_arrivals(s);
	for (size_t i = 0; i < r->count; i++) {
		if (call->options->json)
			shell_append_arrival_json(&r->items[i]->arrival, &out);
		else
			shell_append_arrival(s, &r->items[i]->arrival, s->context->terminal->color_out, &out);
	}
	print(s, &out);
	if (call->options->json)
		return EXIT_CODE_OK;
	uint64_t all = history_counted(&r->arrived);
	buffer_printf(&words, "%" PRIu64 " received: %" PRIu64 " valid, %" PRIu64 " invalid", all, r->arrived.valid,
	              r->arrived.invalid);
	if (r->arrived.unchecked > 0)
		buffer_printf(&words, ", %" PRIu64 " unchecked", r->arrived.unchecked);
	terminal_note(s->context->terminal, "%s%s", buffer_text(&words),
	              r->count < all ? "; only the latest are kept" : "");
	buffer_release(&words);
	return EXIT_CODE_OK;
}

static void append_destination(const char *name, const char *url, bool is_protected, const char *note, bool json,
                               struct buffer *out)
{
	LOCAL_BUFFER line = BUFFER_INIT;
	if (json) {
		json_line_begin_type(out, "destination");
		json_line_text(out, "name", name);
		json_line_text(out, "url", url);
		json_line_bool(out, "protected", is_protected);
		json_line_finish(out);
		return;
	}
	buffer_printf(&line, "%-16s %s%s", name, url, note);
	utf8_append_safe(out, buffer_text(&line), line.length);
	buffer_append_byte(out, '\n');
}

static int run_use(struct shell *s, const struct shell_call *call, struct error *err)
{
	LOCAL(destination_release) struct destination to = { .url = BUFFER_INIT };
	if (call->operands->count == 0) {
		struct buffer out = BUFFER_INIT;
		for (size_t i = 0; i < s->config.environment_count; i++) {
			const struct config_environment *e = &s->config.environments[i];
			LOCAL_BUFFER url = BUFFER_INIT;
			url_append_masked(&url, e->url);
			append_destination(e->name, buffer_text(&url), e->is_protected,
			                   e->is_protected ? " (protected)" : "", call->options->json, &out);
		}
		if (s->listener)
			append_destination("listener", shell_listener_url(s->listener), false, " (this session's own)",
			                   call->options->json, &out);
		if (out.length == 0 && !call->options->json)
			buffer_append_text(&out, "no environments; nothing listens in the background\n");
		print(s, &out);
		return EXIT_CODE_OK;
	}
	const char *name = call->operands->items[0];
	if (strcmp(name, "listener") == 0 && !config_environment_named(&s->config, name)) {
		if (!s->listener) {
			error_set(err, EXIT_CODE_USAGE, "nothing listens in the background");
			return error_hint(err, "'listen 8080' starts it");
		}
	} else if (destination_resolve(&s->config, name, &to, err) < 0) {
		return -1;
	}
	char *copy = strdup(name);
	if (!copy)
		return error_no_memory(err);
	free(s->use);
	s->use = copy;
	return EXIT_CODE_OK;
}

static size_t find_default(const struct shell *s, const char *path, size_t length)
{
	size_t i = 0;
	while (i < s->default_count &&
	       (strlen(s->defaults[i].path) != length || memcmp(s->defaults[i].path, path, length) != 0))
		i++;
	return i;
}

static int set_default(struct shell *s, const char *assignment, struct error *err)
{
	size_t length = strcspn(assignment, "=");
	LOCAL(edits_release) struct edits edits = EDITS_INIT;
	if (edits_add_set(&edits, assignment, err) < 0 || edits_check(&edits, NULL, 0, err) < 0)
		return -1;
	if (length > 0 && assignment[length - 1] == ':')
		length--;
	size_t at = find_default(s, assignment, length);
	struct shell_default made = { strndup(assignment, length), strdup(assignment) };
	bool grown = ARRAY_ROOM(s->defaults, s->default_capacity, s->default_count + 1);
	if (!grown || !made.path || !made.assignment) {
		free(made.path);
		free(made.assignment);
		return error_no_memory(err);
	}
	if (at == s->default_count) {
		s->default_count++;
	} else {
		free(s->defaults[at].path);
		free(s->defaults[at].assignment);
	}
	s->defaults[at] = made;
	return EXIT_CODE_OK;
}

/* {"type":TYPE,KEY:TEXT} */
static void append_named_json(const char *type, const char *key, const char *text, struct buffer *out)
{
	json_line_begin_type(out, type);
	json_line_text(out, key, text);
	json_line_finish(out);
}

static void append_text_line(const char *text, struct buffer *out)
{
	utf8_append_safe(out, text, strlen(text));
	buffer_append_byte(out, '\n');
}

static int run_set(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct buffer out = BUFFER_INIT;
	for (size_t i = 0; i < call->operands->count; i++)
		if (set_default(s, call->operands->items[i], err) < 0)
			return -1;
	if (call->operands->count > 0)
		return EXIT_CODE_OK;
	for (size_t i = 0; i < s->default_count; i++) {
		const char *assignment = s->defaults[i].assignment;
		if (call->options->json)
			append_named_json("default", "assignment", assignment, &out);
		else
			append_text_line(assignment, &out);
	}
	print(s, &out);
	return EXIT_CODE_OK;
}

static int run_unset(struct shell *s, const struct shell_call *call, struct error *err)
{
	for (size_t i = 0; i < call->operands->count; i++) {
		const char *path = call->operands->items[i];
		size_t at = find_default(s, path, strlen(path));
		if (at == s->default_count) {
			error_set(err, EXIT_CODE_USAGE, "'%s' is not set", path);
			return error_hint(err, "'set' lists what is");
		}
		free(s->defaults[at].path);
		free(s->defaults[at].assignment);
		s->defaults[at] = s->defaults[--s->default_count];
	}
	return EXIT_CODE_OK;
}

static int run_history(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct buffer out = BUFFER_INIT;
	(void)err;
	for (size_t i = 0; i < s->history.count; i++) {
		if (call->options->json) {
			append_named_json("line", "text", s->history.lines[i], &out);
			continue;
		}
		buffer_printf(&out, "%5zu  ", i + 1);
		append_text_line(s->history.lines[i], &out);
	}
	print(s, &out);
	return EXIT_CODE_OK;
}

static int run_exit(struct shell *s, const struct shell_call *call, struct error *err)
{
	(void)call;
	(void)err;
	s->leaving = true;
	return EXIT_CODE_OK;
}

/* A command of the command line, and not one of the shell's own. */
static bool is_shared(const struct shell *s, const struct command *command)
{
	return strcmp(command->name, "shell") != 0 && !shell_command_named(s, command->name);
}

static int run_help(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct buffer out = BUFFER_INIT;
	int width = terminal_width();
	(void)err;
	if (call->operands->count > 0) {
		char *const name = (char *)(uintptr_t)call->operands->items[0];
		char *const words[] = { name, (char *)(uintptr_t) "-h", NULL };
		char *const topic[] = { (char *)(uintptr_t) "help", name, NULL };
		struct error ignored;
		bool is_command = shell_command_named(s, name) || command_named(s->context->commands, name, &ignored);
		return is_command ? shell_run_words(s, 2, words) : command_run_words(s->context, 2, topic);
	}
	if (call->options->json) {
		for (const struct shell_command *own = s->commands; own->name; own++)
			shell_append_command_json(own->name, own->operands, own->summary, &out);
		for (const struct command *const *at = s->context->commands; *at; at++)
			if (is_shared(s, *at))
				shell_append_command_json((*at)->name, (*at)->operands, (*at)->summary, &out);
		print(s, &out);
		return EXIT_CODE_OK;
	}
	style_append(&out, s->context->terminal->color_out, STYLE_BOLD, "Commands of the shell:");
	buffer_append_byte(&out, '\n');
	for (const struct shell_command *own = s->commands; own->name; own++)
		help_append_row(&out, own->name, own->summary, 10, width);
	style_append(&out, s->context->terminal->color_out, STYLE_BOLD, "Commands as on the command line:");
	buffer_append_byte(&out, '\n');
	for (const struct command *const *at = s->context->commands; *at; at++)
		if (is_shared(s, *at))
			help_append_row(&out, (*at)->name, (*at)->summary, 10, width);
	buffer_append_text(&out, "\n'help COMMAND' shows its options; Tab completes.\n");
	print(s, &out);
	return EXIT_CODE_OK;
}

#define OPTIONS(field) offsetof(struct shell_options, field)
static const struct option json_rows[] = {
	{ 0, "json", NULL, "results as NDJSON", OPTION_FLAG, .offset = OPTIONS(json) },
};
static const struct option_group json_group = OPTION_GROUP("Output", json_rows, 0);

static const struct option expect_rows[] = {
	{ 0, "within", "DURATION", "how long to wait (default 5s)", OPTION_DURATION, .offset = OPTIONS(within) },
	{ 0, "invalid", NULL, "count invalid payloads, not valid ones", OPTION_FLAG, .offset = OPTIONS(invalid) },
};
static const struct option_group expect_group = OPTION_GROUP("Expectation", expect_rows, 0);

static const struct option quiet_rows[] = {
	{ 'q', "quiet", NULL, "errors only", OPTION_FLAG, .offset = OPTIONS(quiet) },
};
static const struct option_group quiet_group = OPTION_GROUP("Output", quiet_rows, 0);

static const struct option_use listen_uses[] = { RECEIVE_OPTION_USES(OPTIONS(listen)), { &quiet_group, 0 } };
static const struct option_use expect_uses[] = { { &expect_group, 0 } };
static const struct option_use json_uses[] = { { &json_group, 0 } };
#define LISTEN_USES listen_uses, sizeof listen_uses / sizeof listen_uses[0]
#define EXPECT_USES expect_uses, 1
#define JSON_USES   json_uses, 1

const struct shell_command shell_commands[] = {
	{ "listen", "[PORT|stop]", COMPLETE_STOP, COMPLETE_UNSET,
	  "Receive in the background at PORT or ADDRESS:PORT (127.0.0.1:8080), or stop it.", 0, 1, LISTEN_USES, NULL,
	  run_listen },
	{ "received", "", COMPLETE_UNSET, COMPLETE_UNSET, "List the notifications received.", 0, 0, JSON_USES, NULL,
	  run_received },
	{ "show", "N", COMPLETE_ARRIVAL, COMPLETE_UNSET, "Show a notification and its findings.", 1, 1, JSON_USES, NULL,
	  shell_show },
	{ "resend", "N... [OPTION]...", COMPLETE_ARRIVAL, COMPLETE_ARRIVAL, "Send notifications again, unchanged.", 1,
	  SIZE_MAX, NULL, 0, "replay", shell_resend },
	{ "diff", "N N", COMPLETE_ARRIVAL, COMPLETE_ARRIVAL, "Compare two notifications value by value.", 2, 2,
	  JSON_USES, NULL, shell_diff },
	{ "edit", "N [OPTION]...", COMPLETE_ARRIVAL, COMPLETE_ARRIVAL,
	  "Open a payload in $VISUAL or $EDITOR, check it, then send it.", 1, SIZE_MAX, NULL, 0, "send", shell_edit },
	{ "use", "[WHERE]", COMPLETE_ENVIRONMENT, COMPLETE_UNSET,
	  "Set the destination: an environment, an address, or 'listener'.", 0, 1, JSON_USES, NULL, run_use },
	{ "set", "[PATH=TEXT]...", COMPLETE_ASSIGNMENT, COMPLETE_ASSIGNMENT,
	  "Set a field of payloads built from now on, or list these.", 0, SIZE_MAX, JSON_USES, NULL, run_set },
	{ "unset", "PATH...", COMPLETE_DEFAULT, COMPLETE_DEFAULT, "Undo a 'set'.", 1, SIZE_MAX, NULL, 0, NULL,
	  run_unset },
	{ "expect", "EVENT[:N][,PATH=VALUE]...", COMPLETE_EXPECTATION, COMPLETE_UNSET,
	  "Wait for valid notifications that no 'expect' has counted yet.", 1, 1, EXPECT_USES, NULL, shell_expect },
	{ "history", "", COMPLETE_UNSET, COMPLETE_UNSET, "List the lines typed.", 0, 0, JSON_USES, NULL, run_history },
	{ "help", "[COMMAND|TOPIC]", COMPLETE_COMMAND, COMPLETE_UNSET, "List the commands, or show one.", 0, 1,
	  JSON_USES, NULL, run_help },
	{ "exit", "", COMPLETE_UNSET, COMPLETE_UNSET, "End the shell, like Ctrl-D.", 0, 0, NULL, 0, NULL, run_exit },
	{ "quit", "", COMPLETE_UNSET, COMPLETE_UNSET, "End the shell, like exit.", 0, 0, NULL, 0, NULL, run_exit },
	{ .name = NULL },
};

/* expect: it makes a scenario a test. */

#define DEFAULT_WITHIN (5 * CLOCK_NS_PER_S)

static bool holds(const struct history_entry *a, const struct expectation *e)
{
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record;
	struct error ignored;
	return e->where.count == 0 || (capture_record_parse(&scratch, a->record, a->length, &record, &ignored) == 0 &&
	                               expectation_holds(e, record.request.body.text, record.request.body.length));
}

static bool is_wanted(const struct history_entry *a, const struct expectation *e, bool invalid)
{
	return !a->expected && a->arrival.is_checked && a->arrival.is_valid != invalid &&
	       expectation_is_of(e, a->arrival.kind) && holds(a, e);
}

/* How many there are, and with `mark`, counts the first `wanted` of them for good. */
static uint64_t count_wanted(const struct shell *s, const struct expectation *e, bool invalid, bool mark)
{
	uint64_t count = 0;
	for (size_t i = 0; i < s->received->count && count < e->wanted; i++) {
		if (!is_wanted(s->received->items[i], e, invalid))
			continue;
		count++;
		if (mark)
			s->received->items[i]->expected = true;
	}
	return count;
}

static int fail_expectation(const struct shell *s, const struct expectation *e, const struct shell_options *o,
                            int64_t within, struct error *err)
{
	char duration[CLOCK_DURATION_SIZE];
	LOCAL_BUFFER name = BUFFER_INIT;
	expectation_append_name(&name, e);
	clock_format_duration(within, duration);
	error_set(err, EXIT_CODE_FAILED, "expected %llu %s %s, %llu arrived%s%s", (unsigned long long)e->wanted,
	          o->invalid ? "invalid" : "valid", buffer_text(&name),
	          (unsigned long long)count_wanted(s, e, o->invalid, false), s->listener ? " within " : "",
	          s->listener ? duration : "");
	if (!s->listener)
		return error_hint(err, "nothing listens in the background: 'listen 8080' first");
	return error_hint(err, "'received' lists the notifications; each counts for one 'expect' only");
}

static int wait_for(struct shell *s, const struct expectation *e, const struct shell_options *o, int64_t within,
                    int64_t deadline, struct error *err)
{
	bool over = !s->listener;
	for (;;) {
		shell_take_arrivals(s);
		if (count_wanted(s, e, o->invalid, false) >= e->wanted) {
			count_wanted(s, e, o->invalid, true);
			return EXIT_CODE_OK;
		}
		if (over)
			return fail_expectation(s, e, o, within, err);
		unsigned happened = shell_wait(s, -1, true, deadline);
		if (happened & (SHELL_INTERRUPT | SHELL_LEAVE))
			return EXIT_CODE_INTERRUPTED;
		over = happened == 0 || (happened & SHELL_TIME) != 0;
	}
}

int shell_expect(struct shell *s, const struct shell_call *call, struct error *err)
{
	LOCAL(expectations_release) struct expectations expected = { .list = NULL };
	int code = expectations_parse(&expected, call->operands->items[0], err);
	int64_t within = call->options->within > 0 ? call->options->within : DEFAULT_WITHIN;
	int64_t deadline = clock_monotonic_ns() + within;
	for (size_t i = 0; i < expected.count && code == EXIT_CODE_OK; i++)
		code = wait_for(s, &expected.list[i], call->options, within, deadline, err);
	return code;
}
