/* listen: a receiver on this machine that captures notifications and judges them. */
#include "cmd/listen/listen.h"

#include "base/clock.h"
#include "cmd/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define DEFAULT_ADDRESS "127.0.0.1:8080"

static const char *const sync_names[] = { "batch", "always", "none", NULL };
static const char *const validate_names[] = { "report", "reject", "off", NULL };

#define LISTEN(field) offsetof(struct listen_args, field)
static const struct option capture_rows[] = {
	{ 0, "capture", "FILE", "append a record per notification; 2xx is answered once it is on disk", OPTION_TEXT,
	  .offset = LISTEN(capture) },
	{ 0, "sync", "HOW", "one sync per batch, per record, or none", OPTION_CHOICE, .offset = LISTEN(sync),
	  .choices = sync_names },
	{ 0, "validate", "HOW", "report findings, reject invalid payloads with 422, or judge nothing", OPTION_CHOICE,
	  .offset = LISTEN(validate), .choices = validate_names },
};
static const struct option answer_rows[] = {
	{ 0, "status", "N", "answer with this status", OPTION_NUMBER, .offset = LISTEN(status), .least = 200,
	  .most = 599 },
	{ 0, "header", "LINE", "add this header to every answer", OPTION_LIST, .offset = LISTEN(headers) },
	{ 0, "body", "TEXT|@FILE", "answer with this body", OPTION_TEXT, .offset = LISTEN(body_source) },
};
static const struct option door_rows[] = {
	{ 0, "path", "/PATH", "take notifications at this path only (else 404)", OPTION_TEXT, .offset = LISTEN(path) },
	{ 0, "max-body", "BYTES", "refuse longer bodies with 413", OPTION_NUMBER, .offset = LISTEN(max_body),
	  .least = 1, .most = (uint64_t)64 << 20 },
	{ 0, "max-connections", "N", "close further connections at once", OPTION_NUMBER,
	  .offset = LISTEN(max_connections), .least = 1, .most = 1000000 },
	{ 0, "head-timeout", "DURATION", "time for a whole request head", OPTION_DURATION,
	  .offset = LISTEN(head_timeout) },
	{ 0, "body-timeout", "DURATION", "time for a whole body", OPTION_DURATION, .offset = LISTEN(body_timeout) },
};
static const struct option end_rows[] = {
	{ 0, "expect", "EVENT[:N]", "end well once so many valid ones have come", OPTION_CALL,
	  .offset = LISTEN(expected), .parse = listen_parse_expectation },
	{ 0, "max-events", "N", "end after so many notifications", OPTION_NUMBER, .offset = LISTEN(max_events),
	  .least = 1, .most = UINT64_MAX },
	{ 0, "once", NULL, "end after one notification", OPTION_FLAG, .offset = LISTEN(once) },
	{ 0, "timeout", "DURATION", "end after this time", OPTION_DURATION, .offset = LISTEN(timeout) },
	{ 0, "drain", "DURATION", "time at the end for what has begun", OPTION_DURATION, .offset = LISTEN(drain) },
	{ 0, "ready-file", "FILE", "write the URL there once it listens", OPTION_TEXT, .offset = LISTEN(ready_file) },
};
static const struct option_group capture_group = OPTION_GROUP("Capture", capture_rows, 0);
static const struct option_group answer_group = OPTION_GROUP("Answers", answer_rows, 0);
static const struct option_group door_group = OPTION_GROUP("Doors", door_rows, 0);
static const struct option_group end_group = OPTION_GROUP("For scripts", end_rows, 0);
static const struct option_use uses[] = {
	{ &capture_group, 0 },
	{ &answer_group, 0 },
	{ &door_group, 0 },
	{ &end_group, 0 },
};

static void defaults(void *args)
{
	struct listen_args *a = args;
	a->status = 200;
	a->max_body = http_server_defaults.limits.body;
	a->max_connections = http_server_defaults.max_connections;
	a->head_timeout = http_server_defaults.head_timeout;
	a->body_timeout = http_server_defaults.body_timeout;
	a->drain = 5 * CLOCK_NS_PER_S;
}

static void release(void *args)
{
	struct listen_args *a = args;
	text_list_release(&a->headers);
	free(a->expected.list);
}

static int check_args(struct listen_args *a, const struct text_list *operands, struct error *err)
{
	if (operands->count > 1)
		return error_set(err, EXIT_CODE_USAGE, "listen takes one address, not '%s' too", operands->items[1]);
	if (a->path && a->path[0] != '/') {
		error_set(err, EXIT_CODE_USAGE, "--path begins with '/', unlike '%s'", a->path);
		return error_hint(err, "write --path /%s", a->path);
	}
	if (a->once)
		a->max_events = 1;
	if (a->validate == LISTEN_OFF && a->expected.count > 0)
		return error_set(err, EXIT_CODE_USAGE, "--expect counts valid events: --validate off judges none");
	return 0;
}

/* "Name: value" as a field, without a control character in it. */
static int read_header(const char *line, struct http_field *field, struct error *err)
{
	size_t name = strcspn(line, ":");
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if ((*c < 0x20 && *c != '\t') || *c == 0x7F)
			return error_set(err, EXIT_CODE_USAGE, "a control character stands in the header '%.*s'",
			                 (int)name, line);
	if (name == 0 || line[name] != ':') {
		error_set(err, EXIT_CODE_USAGE, "'%s' is no header", line);
		return error_hint(err, "write --header 'Name: value'");
	}
	const char *value = line + name + 1 + strspn(line + name + 1, " \t");
	*field = (struct http_field){ line, name, value, strlen(value) };
	return 0;
}

static int prepare_answers(struct listener *l, struct error *err)
{
	const struct listen_args *a = l->args;
	l->fields = calloc(a->headers.count + 1, sizeof *l->fields);
	if (!l->fields)
		return error_no_memory(err);
	for (; l->field_count < a->headers.count; l->field_count++)
		if (read_header(a->headers.items[l->field_count], &l->fields[l->field_count], err) < 0)
			return -1;
	if (a->body_source && a->body_source[0] == '@')
		return file_read_whole(a->body_source + 1, &l->body, err);
	if (a->body_source)
		buffer_append_text(&l->body, a->body_source);
	return 0;
}

static int open_capture(struct listener *l, struct error *err)
{
	struct capture_opened *found = calloc(1, sizeof *found);
	if (!found)
		return error_no_memory(err);
	l->writer = capture_writer_open(l->args->capture, (enum capture_sync)l->args->sync, found, err);
	if (l->writer && found->torn_bytes > 0)
		terminal_warn(l->context->terminal,
		              "'%s' ended in %llu bytes that are no whole record; they were moved to '%s'",
		              l->args->capture, (unsigned long long)found->torn_bytes, found->torn_path);
	else if (l->writer && found->last_seq > 0)
		terminal_note(l->context->terminal, "going on after record %llu of '%s'",
		              (unsigned long long)found->last_seq, l->args->capture);
	free(found);
	return l->writer ? 0 : -1;
}

static void on_signal(void *context, uint32_t events)
{
	struct listener *l = context;
	(void)events;
	int number = signals_take(l->context->signals, false);
	if (number == SIGINT || number == SIGTERM)
		listen_end(l);
}

static void on_timeout(void *context)
{
	struct listener *l = context;
	l->timed_out = true;
	listen_end(l);
}

static void on_drained(void *context)
{
	struct listener *l = context;
	loop_stop(l->loop);
}

static int open_server(struct listener *l, const char *address, struct error *err)
{
	struct http_server_options options = http_server_defaults;
	struct http_server_handler handler = {
		.context = l,
		.on_head = listen_on_head,
		.on_request = listen_on_request,
		.on_abandoned = listen_on_abandoned,
		.on_refused = listen_on_refused,
		.on_drained = on_drained,
	};
	options.limits.body = l->args->max_body;
	options.max_connections = l->args->max_connections;
	options.head_timeout = l->args->head_timeout;
	options.body_timeout = l->args->body_timeout;
	l->server = http_server_new(l->loop, &options, &handler, err);
	return l->server ? http_server_listen(l->server, address, err) : -1;
}

static int set_up(struct listener *l, const char *address, struct error *err)
{
	if (prepare_answers(l, err) < 0 || !(l->checker = checker_new(err)) || !(l->loop = loop_new(err)))
		return -1;
	if (l->args->capture && open_capture(l, err) < 0)
		return -1;
	if (open_server(l, address, err) < 0 || loop_at_turn_end(l->loop, listen_commit, l, err) < 0)
		return -1;
	l->signal_io = (struct loop_io){ l->context->signals->fd, on_signal, l };
	l->timeout = (struct loop_timer){ .ring = on_timeout, .context = l };
	if (loop_add(l->loop, &l->signal_io, EPOLLIN, err) < 0)
		return -1;
	if (l->args->timeout > 0)
		return loop_timer_set(l->loop, &l->timeout, clock_monotonic_ns() + l->args->timeout, err);
	return 0;
}

static int announce(struct listener *l, struct error *err)
{
	const char *url = http_server_url(l->server);
	struct buffer line = BUFFER_INIT;
	int result = 0;
	buffer_printf(&line, "%s\n", url);
	if (l->args->ready_file)
		result = file_write_whole(l->args->ready_file, buffer_text(&line), line.length, err);
	buffer_release(&line);
	if (result == 0)
		listen_tell_ready(l);
	return result;
}

static void tear_down(struct listener *l)
{
	struct error err;
	http_server_free(l->server);
	if (l->writer && capture_writer_close(l->writer, &err) < 0 && !l->write_failed) {
		l->write_failed = true;
		l->failure = err;
		terminal_error(l->context->terminal, &err);
	}
	loop_free(l->loop);
	checker_free(l->checker);
	free(l->fields);
	free(l->waiting);
	free(l->answering);
	buffer_release(&l->body);
	buffer_release(&l->out);
}

/* How it ended: all that was expected came, and every record is on disk. */
static int verdict_of(const struct listener *l)
{
	enum exit_code code = EXIT_CODE_OK;
	if (!listen_expectations_met(&l->args->expected))
		code = EXIT_CODE_FAILED;
	if (l->timed_out && l->received < l->args->max_events)
		code = EXIT_CODE_FAILED;
	if (l->write_failed)
		code = exit_code_worse(code, EXIT_CODE_IO);
	return (int)code;
}

static int run_listen(struct context *context, void *args, struct error *err)
{
	struct listen_args *a = args;
	struct listener l = { .args = a, .context = context };
	const char *address = context->operands->count > 0 ? context->operands->items[0] : DEFAULT_ADDRESS;
	int code = -1;
	if (check_args(a, context->operands, err) < 0)
		return -1;
	if (set_up(&l, address, err) == 0 && announce(&l, err) == 0 && loop_run(l.loop, err) == 0)
		code = EXIT_CODE_OK;
	tear_down(&l);
	if (code == EXIT_CODE_OK) {
		listen_tell_summary(&l);
		buffer_release(&l.out);
		code = verdict_of(&l);
	}
	return code;
}

static const struct help_example examples[] = {
	{ "credhook listen 8080 --capture capture.ndjson", "keep everything that comes" },
	{ "credhook listen 8080 --validate reject", "answer 422 with the findings to what is invalid" },
	{ "credhook listen 0 --expect user-created --timeout 30s --ready-file url", "wait for an event in CI" },
	{ NULL, NULL },
};

const struct command command_listen = {
	.name = "listen",
	.operands = "[[ADDRESS:]PORT]",
	.summary = "Receive notifications on this machine (127.0.0.1:8080), judge and capture them.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct listen_args),
	.defaults = defaults,
	.run = run_listen,
	.release = release,
	.examples = examples,
};
