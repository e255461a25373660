/* The commands that only the shell has. */
#include "base/clock.h"
#include "base/url_mask.h"
#include "base/utf8.h"
#include "cmd/make.h"
#include "cmd/receive_parse.h"
#include "cmd/shell/shell.h"
#include "config/address.h"
#include "http/address.h"
#include "json/json_line.h"
#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ADDRESS "127.0.0.1:8080"

static const char *const validate_names[] = { "report", "reject", NULL };

static void print(struct shell *s, struct buffer *text)
{
	terminal_write(s->context->terminal, buffer_text(text), text->length);
	buffer_release(text);
}

static int stop_listening(struct shell *s, struct error *err)
{
	if (!s->listener)
		return error_set(err, EXIT_CODE_USAGE, "nothing listens in the background");
	shell_listener_stop(s->listener);
	shell_take_arrivals(s);
	terminal_note(s->context->terminal, "no longer listening on %s", shell_listener_url(s->listener));
	shell_listener_free(s->listener);
	s->listener = NULL;
	return EXIT_CODE_OK;
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
	if (http_address_has_scheme(address, "https")) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is about TLS, and the shell's own listener has none", address);
		return error_hint(err, "in another terminal: credhook listen '%s' --tls-self-signed", address);
	}
	if (receive_args_check(&call->options->listen, address, err) < 0)
		return -1;
	s->listener = shell_listener_start(address, &call->options->listen, s->context->global, s->next_number,
	                                   s->wake_fd, err);
	call->options->listen = (struct receive_args){ .capture = NULL };
	if (!s->listener)
		return -1;
	terminal_announce(s->context->terminal, "listening on %s", shell_listener_url(s->listener));
	return EXIT_CODE_OK;
}

static int run_received(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct buffer out = BUFFER_INIT;
	const struct history *r = s->received;
	(void)err;
	shell_take_arrivals(s);
	for (size_t i = 0; i < r->count; i++) {
		if (call->options->json)
			shell_append_arrival_json(r->items[i], &out);
		else
			shell_append_arrival(r->items[i], s->context->terminal->color_out, &out);
	}
	print(s, &out);
	if (!call->options->json)
		terminal_note(s->context->terminal, "%zu kept: %llu valid and %llu invalid have arrived", r->count,
		              (unsigned long long)r->valid, (unsigned long long)r->invalid);
	return EXIT_CODE_OK;
}

static void end_json_line(struct buffer *out)
{
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

/* A place to send to. */
static void append_destination_json(const char *name, const char *url, bool is_protected, struct buffer *out)
{
	json_line_begin(out);
	json_line_text(out, "type", "destination");
	json_line_text(out, "name", name);
	json_line_text(out, "url", url);
	json_line_bool(out, "protected", is_protected);
	end_json_line(out);
}

static void append_environments_json(const struct shell *s, struct buffer *out)
{
	for (size_t i = 0; i < s->config.environment_count; i++) {
		const struct config_environment *e = &s->config.environments[i];
		struct buffer url = BUFFER_INIT;
		url_append_masked(&url, e->url);
		append_destination_json(e->name, buffer_text(&url), e->is_protected, out);
		buffer_release(&url);
	}
	if (s->listener)
		append_destination_json("listener", shell_listener_url(s->listener), false, out);
}

static void append_environments(const struct shell *s, struct buffer *out)
{
	for (size_t i = 0; i < s->config.environment_count; i++) {
		const struct config_environment *e = &s->config.environments[i];
		struct buffer url = BUFFER_INIT, line = BUFFER_INIT;
		url_append_masked(&url, e->url);
		buffer_printf(&line, "%-16s %s%s", e->name, buffer_text(&url), e->is_protected ? " (protected)" : "");
		utf8_append_safe(out, buffer_text(&line), line.length);
		buffer_append_byte(out, '\n');
		buffer_release(&url);
		buffer_release(&line);
	}
	if (s->listener)
		buffer_printf(out, "%-16s %s (this session's own)\n", "listener", shell_listener_url(s->listener));
}

static int run_use(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct destination to = { .url = BUFFER_INIT };
	if (call->operands->count == 0) {
		struct buffer out = BUFFER_INIT;
		if (call->options->json)
			append_environments_json(s, &out);
		else
			append_environments(s, &out);
		if (out.length == 0 && !call->options->json)
			buffer_append_text(&out, "no environment is configured, and nothing listens here\n");
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
		destination_release(&to);
		return -1;
	}
	destination_release(&to);
	char *copy = strdup(name);
	if (!copy)
		return error_no_memory(err);
	free(s->use);
	s->use = copy;
	return EXIT_CODE_OK;
}

static int check_default(const char *assignment, struct error *err)
{
	struct edits edits = EDITS_INIT;
	int result = edits_add_set(&edits, assignment, err);
	if (result == 0)
		result = make_check_edits(&edits, err);
	edits_release(&edits);
	return result;
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
	if (check_default(assignment, err) < 0)
		return -1;
	if (length > 0 && assignment[length - 1] == ':')
		length--;
	size_t at = find_default(s, assignment, length);
	struct shell_default made = { strndup(assignment, length), strdup(assignment) };
	struct shell_default *grown =
	        array_grow(s->defaults, &s->default_capacity, s->default_count + 1, sizeof *grown);
	if (grown)
		s->defaults = grown;
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
	json_line_begin(out);
	json_line_text(out, "type", type);
	json_line_text(out, key, text);
	end_json_line(out);
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

/* What the shell has of the command line: all but itself, and what it has of its own. */
static bool is_shared(const struct command *command)
{
	return strcmp(command->name, "shell") != 0 && !shell_command_named(command->name);
}

static void append_help_json(const struct shell *s, struct buffer *out)
{
	for (size_t i = 0; i < shell_command_count; i++)
		shell_append_command_json(shell_commands[i].name, shell_commands[i].operands, shell_commands[i].summary,
		                          out);
	for (const struct command *const *at = s->context->commands; *at; at++)
		if (is_shared(*at))
			shell_append_command_json((*at)->name, (*at)->operands, (*at)->summary, out);
}

static int run_help(struct shell *s, const struct shell_call *call, struct error *err)
{
	struct buffer out = BUFFER_INIT;
	int width = terminal_width();
	(void)err;
	if (call->operands->count > 0) {
		const char *name = call->operands->items[0];
		char *const words[] = { (char *)(uintptr_t)name, (char *)(uintptr_t) "-h", NULL };
		return shell_run_words(s, 2, words);
	}
	if (call->options->json) {
		append_help_json(s, &out);
		print(s, &out);
		return EXIT_CODE_OK;
	}
	style_append(&out, s->context->terminal->color_out, STYLE_BOLD, "In this shell:");
	buffer_append_byte(&out, '\n');
	for (size_t i = 0; i < shell_command_count; i++)
		help_append_row(&out, shell_commands[i].name, shell_commands[i].summary, 10, width);
	style_append(&out, s->context->terminal->color_out, STYLE_BOLD, "As on the command line:");
	buffer_append_byte(&out, '\n');
	for (const struct command *const *at = s->context->commands; *at; at++)
		if (is_shared(*at))
			help_append_row(&out, (*at)->name, (*at)->summary, 10, width);
	buffer_append_text(&out, "\n'help COMMAND' shows its options; Tab completes.\n");
	print(s, &out);
	return EXIT_CODE_OK;
}

#define OPTIONS(field) offsetof(struct shell_options, field)
static const struct option common_rows[] = {
	{ 'h', "help", NULL, "show this help", OPTION_FLAG, .offset = OPTIONS(help) },
	{ 0, "json", NULL, "results as NDJSON", OPTION_FLAG, .offset = OPTIONS(json) },
};
const struct option_group shell_common_options = OPTION_GROUP("Everywhere", common_rows, 0);

static const struct option listen_rows[] = {
	{ 0, "respond", "N,N...", "answer with these statuses in turn, then with the last", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = OPTIONS(listen.response.respond), .parse = receive_parse_respond },
	{ 0, "delay", "D|D..D", "hold every answer back", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = OPTIONS(listen.response.delay), .parse = receive_parse_delay },
	{ 0, "fault", "KIND[:P]", "spoil answers: reset, empty, truncate, drip or hang, with a probability",
	  OPTION_CALL, COMPLETE_FAULT, .offset = OPTIONS(listen.response.fault), .parse = receive_parse_fault },
	{ 0, "rule", "RULE", "as for 'credhook listen': event=NAME,valid=no -> status=500", OPTION_CALL, COMPLETE_RULE,
	  .offset = OPTIONS(listen.response.rules), .parse = receive_parse_rule },
	{ 0, "validate", "HOW", "report findings, or reject invalid payloads with 422", OPTION_CHOICE,
	  .offset = OPTIONS(listen.validate), .choices = validate_names },
	{ 0, "path", "/PATH", "take notifications at this path only (else 404)", OPTION_TEXT, COMPLETE_NOTHING,
	  .offset = OPTIONS(listen.path) },
};
static const struct option_group listen_options = OPTION_GROUP("Listening", listen_rows, 0);

static const struct option expect_rows[] = {
	{ 0, "within", "DURATION", "how long to wait for it (default 5s)", OPTION_DURATION, .offset = OPTIONS(within) },
	{ 0, "invalid", NULL, "count invalid payloads instead of valid ones", OPTION_FLAG, .offset = OPTIONS(invalid) },
};
static const struct option_group expect_options = OPTION_GROUP("Expecting", expect_rows, 0);

const struct shell_command shell_commands[] = {
	{ "listen",
	  "[PORT|stop]",
	  { COMPLETE_STOP },
	  "Receive in the background at PORT or ADDRESS:PORT (127.0.0.1:8080), or end that.",
	  0,
	  1,
	  &listen_options,
	  NULL,
	  run_listen },
	{ "received", "", { COMPLETE_UNSET }, "List what has arrived.", 0, 0, NULL, NULL, run_received },
	{ "show",
	  "N",
	  { COMPLETE_ARRIVAL },
	  "Show a notification, with what was found beside the lines.",
	  1,
	  1,
	  NULL,
	  NULL,
	  shell_show },
	{ "resend",
	  "N... [OPTION]...",
	  { COMPLETE_ARRIVAL, COMPLETE_ARRIVAL },
	  "Send notifications on as they came.",
	  1,
	  SIZE_MAX,
	  NULL,
	  "replay",
	  shell_resend },
	{ "diff",
	  "N N",
	  { COMPLETE_ARRIVAL, COMPLETE_ARRIVAL },
	  "Compare two notifications value by value.",
	  2,
	  2,
	  NULL,
	  NULL,
	  shell_diff },
	{ "save",
	  "N|all FILE",
	  { COMPLETE_ARRIVAL_OR_ALL, COMPLETE_FILE },
	  "Write a payload to a file; to .ndjson as a capture record, or all of them.",
	  2,
	  2,
	  NULL,
	  NULL,
	  shell_save },
	{ "edit",
	  "N [OPTION]...",
	  { COMPLETE_ARRIVAL, COMPLETE_ARRIVAL },
	  "Open a payload in $VISUAL or $EDITOR, judge it, then send it.",
	  1,
	  SIZE_MAX,
	  NULL,
	  "send",
	  shell_edit },
	{ "use",
	  "[WHERE]",
	  { COMPLETE_ENVIRONMENT },
	  "Send there from now on: an environment, an address, or 'listener'.",
	  0,
	  1,
	  NULL,
	  NULL,
	  run_use },
	{ "set",
	  "[PATH=TEXT]...",
	  { COMPLETE_ASSIGNMENT, COMPLETE_ASSIGNMENT },
	  "Fill a field of what is built from now on, or list these.",
	  0,
	  SIZE_MAX,
	  NULL,
	  NULL,
	  run_set },
	{ "unset",
	  "DEFAULT...",
	  { COMPLETE_DEFAULT, COMPLETE_DEFAULT },
	  "Take a 'set' back.",
	  1,
	  SIZE_MAX,
	  NULL,
	  NULL,
	  run_unset },
	{ "expect",
	  "EVENT[:N],...|all",
	  { COMPLETE_EVENT_LIST },
	  "Wait for valid notifications that no 'expect' has counted yet.",
	  1,
	  1,
	  &expect_options,
	  NULL,
	  shell_expect },
	{ "wait", "DURATION", { COMPLETE_NOTHING }, "Let time pass: 500ms, 5s.", 1, 1, NULL, NULL, shell_pause },
	{ "history", "", { COMPLETE_UNSET }, "List the lines that were typed.", 0, 0, NULL, NULL, run_history },
	{ "help", "[COMMAND]", { COMPLETE_COMMAND }, "Show what there is.", 0, 1, NULL, NULL, run_help },
	{ "exit", "", { COMPLETE_UNSET }, "Leave; so does Ctrl-D.", 0, 0, NULL, NULL, run_exit },
	{ "quit", "", { COMPLETE_UNSET }, "Leave, like exit.", 0, 0, NULL, NULL, run_exit },
};
const size_t shell_command_count = sizeof shell_commands / sizeof shell_commands[0];
