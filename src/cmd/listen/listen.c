/* listen: a receiver on this machine that captures notifications and judges them. */
#include "cmd/listen/listen.h"

#include "base/clock.h"
#include "cmd/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#define DEFAULT_ADDRESS "127.0.0.1:8080"
#define NO_LIMIT        (INT64_MAX / 4) /* can be added to a time */

/* "Name: value" as a field, without a control character in it. */
static int read_header(const char *line, struct http_field *field, struct error *err)
{
	size_t name = strcspn(line, ":");
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if ((*c < 0x20 && *c != '\t') || *c == 0x7F)
			return line[name] == ':'
			               ? error_set(err, EXIT_CODE_USAGE, "the header '%.*s' holds a control character",
			                           (int)name, line)
			               : error_set(err, EXIT_CODE_USAGE, "a header holds a control character");
	if (name == 0 || line[name] != ':') {
		error_set(err, EXIT_CODE_USAGE, "a header is not written 'Name: value'");
		return error_hint(err,
		                  "write --header 'Name: value'; the header is not shown, since it may be a secret");
	}
	const char *value = line + name + 1 + strspn(line + name + 1, " \t");
	*field = (struct http_field){ line, name, value, strlen(value) };
	return 0;
}

static int prepare_answers(struct listener *l, struct error *err)
{
	const struct listen_args *a = l->args;
	l->fields = calloc(a->headers.count + 2, sizeof *l->fields);
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

static void on_signal(void *context, uint32_t events)
{
	struct listener *l = context;
	(void)events;
	int number = signals_take(l->context->signals);
	if (number == SIGHUP) {
		l->reopen = l->writer != NULL;
		listen_secure_again(l);
	} else if (number != 0 && !l->asked_to_end) {
		l->asked_to_end = true;
		listen_end(l, true); /* which it may have begun by itself just before */
	} else if (number != 0) {
		/* The second one: nothing is waited for any more, and a third one kills. */
		l->interrupted = true;
		loop_remove(l->loop, &l->signal_io);
		signals_close(l->context->signals);
		loop_stop(l->loop);
	}
}

static void on_timeout(void *context)
{
	struct listener *l = context;
	l->timed_out = !l->draining; /* else it ended before, and waits for what has begun */
	listen_end(l, true);
}

static void on_drained(void *context)
{
	struct listener *l = context;
	loop_stop(l->loop);
}

/* Where stdout is all that somebody wanted, that ends it; other work goes on. */
static void on_stdout_closed(void *context, uint32_t events)
{
	struct listener *l = context;
	const struct listen_args *a = l->args;
	(void)events;
	loop_remove(l->loop, &l->stdout_io);
	if (!terminal_reader_is_gone(l->context->terminal))
		return; /* it cannot be written, which main reports at the end */
	if (a->capture || a->forward_to || a->routes.count > 0 || a->expected.count > 0)
		terminal_note(l->context->terminal, "nobody reads stdout any more; still listening");
	else
		listen_end(l, true);
}

static int watch_stdout(struct listener *l, struct error *err)
{
	const struct terminal *t = l->context->terminal;
	if (t->quiet && !l->context->global->json)
		return 0; /* nothing is printed there */
	l->stdout_io = (struct loop_io){ terminal_closed_fd(t), on_stdout_closed, l };
	return loop_add(l->loop, &l->stdout_io, EPOLLIN, err);
}

/* 0 stands for none. */
static int64_t limit_of(int64_t timeout)
{
	return timeout > 0 ? timeout : NO_LIMIT;
}

static int open_server(struct listener *l, const char *address, struct error *err)
{
	struct http_server_options options = http_server_defaults;
	struct http_server_handler handler = {
		.context = l,
		.on_head = listen_on_head,
		.on_request = listen_on_request,
		.on_abandoned = listen_on_abandoned,
		.on_unsent = listen_on_unsent,
		.on_refused = listen_on_refused,
		.on_drained = on_drained,
	};
	options.limits.body = l->args->max_body;
	options.max_connections = l->args->max_connections;
	options.max_per_address = l->args->max_per_address;
	options.allowed = l->args->allowed.list;
	options.allowed_count = l->args->allowed.count;
	options.head_timeout = limit_of(l->args->head_timeout);
	options.body_timeout = limit_of(l->args->body_timeout);
	options.send_timeout = limit_of(l->args->answer_timeout);
	options.idle_timeout = limit_of(l->args->idle_timeout);
	l->server = http_server_new(l->loop, &options, &handler, err);
	if (!l->server || listen_secure(l, address, err) < 0)
		return -1;
	return http_server_listen(l->server, address, err);
}

/* Whoever waits for the file of --ready-file must not find that of an earlier run. */
static int remove_old_announcement(struct listener *l, struct error *err)
{
	const struct listen_args *a = l->args;
	bool body_is_file = a->body_source && a->body_source[0] == '@';
	const char *used[] = { a->capture,       body_is_file ? a->body_source + 1 : NULL,
		               a->tls_cert,      a->tls_key,
		               a->tls_client_ca, a->global.config };
	if (!a->ready_file)
		return 0;
	for (size_t i = 0; i < sizeof used / sizeof used[0]; i++)
		if (used[i] && source_files_add(&l->in_use, used[i], err) < 0)
			return -1;
	return file_remove(a->ready_file, &l->in_use, err);
}

static int set_up(struct listener *l, const char *address, struct error *err)
{
	if (remove_old_announcement(l, err) < 0) /* first of all */
		return -1;
	responder_init(&l->answers, &l->args->answers);
	l->repeats = repeats_new();
	if (!l->repeats)
		return error_no_memory(err);
	if (prepare_answers(l, err) < 0 || !(l->checker = checker_new(err)) || !(l->loop = loop_new(err)))
		return -1;
	if (l->args->capture && listen_open_capture(l, err) < 0)
		return -1;
	/* Before it listens: a target that the guard refuses is a usage error. */
	if (listen_forward_open(l, err) < 0 || open_server(l, address, err) < 0 || listen_forward_check(l, err) < 0 ||
	    loop_at_turn_end(l->loop, listen_commit, l, err) < 0)
		return -1;
	signals_keep_second(l->context->signals, true);
	l->signal_io = (struct loop_io){ l->context->signals->fd, on_signal, l };
	l->timeout = (struct loop_timer){ .ring = on_timeout, .context = l };
	if (loop_add(l->loop, &l->signal_io, EPOLLIN, err) < 0 || watch_stdout(l, err) < 0)
		return -1;
	if (l->args->timeout > 0)
		loop_timer_set(l->loop, &l->timeout, clock_monotonic_ns() + l->args->timeout);
	return 0;
}

static int announce(struct listener *l, struct error *err)
{
	const char *url = http_server_url(l->server);
	struct buffer line = BUFFER_INIT;
	int result = 0;
	buffer_printf(&line, "%s\n", url);
	if (l->args->ready_file)
		result = file_write_whole(l->args->ready_file, buffer_text(&line), line.length, &l->in_use, err);
	l->announced = l->args->ready_file && result == 0;
	buffer_release(&line);
	if (result == 0)
		listen_tell_ready(l);
	return result;
}

/* Nobody listens at the URL any more, unless another one took the file over. */
static void take_back_announcement(struct listener *l)
{
	struct error err;
	struct buffer text = BUFFER_INIT;
	struct stat status;
	const char *path = l->args->ready_file;
	if (l->announced && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	    file_read_whole(path, &text, &err) == 0) {
		const char *url = http_server_url(l->server);
		bool is_ours = strncmp(buffer_text(&text), url, strlen(url)) == 0 && text.data[strlen(url)] == '\n';
		if (is_ours && file_remove(path, NULL, &err) < 0)
			terminal_warn(l->context->terminal, "%s", err.message);
	}
	buffer_release(&text);
}

static void tear_down(struct listener *l)
{
	take_back_announcement(l);
	if (l->server)
		l->at_end = *http_server_counts(l->server);
	http_server_free(l->server);
	listen_forward_close(l);
	listen_secure_end(l);
	listen_close_capture(l);
	listen_tickets_release(l);
	loop_free(l->loop);
	checker_free(l->checker);
	repeats_free(l->repeats);
	free(l->fields);
	free(l->headers);
	source_files_release(&l->in_use);
	buffer_release(&l->body);
}

/* How it ended: all that was expected came, and every record is on disk. */
static int verdict_of(const struct listener *l)
{
	enum exit_code code = EXIT_CODE_OK;
	if (!listen_expectations_met(&l->args->expected))
		code = EXIT_CODE_FAILED;
	if (l->args->expected.out_of_order)
		code = EXIT_CODE_FAILED;
	if (l->received < l->args->max_events)
		code = EXIT_CODE_FAILED;
	if (l->write_failed || l->lost_records > 0)
		code = exit_code_worse(code, EXIT_CODE_IO);
	if (l->interrupted)
		code = EXIT_CODE_INTERRUPTED;
	return (int)code;
}

/* What is printed meanwhile holds nothing up. */
static int listen_queued(struct listener *l, const char *address, struct error *err)
{
	int code = -1;
	if (set_up(l, address, err) == 0 && announce(l, err) == 0 && loop_run(l->loop, err) == 0)
		code = EXIT_CODE_OK;
	tear_down(l);
	if (code == EXIT_CODE_OK) {
		listen_tell_summary(l);
		code = verdict_of(l);
	}
	return code;
}

static int run_listen(struct context *context, void *args, struct error *err)
{
	struct listen_args *a = args;
	struct listener l = { .args = a, .context = context };
	const char *address = context->operands->count > 0 ? context->operands->items[0] : DEFAULT_ADDRESS;
	if (listen_check_args(a, context->operands, err) < 0 || terminal_queue(context->terminal, err) < 0)
		return -1;
	int code = listen_queued(&l, address, err);
	if (terminal_unqueue(context->terminal, l.interrupted) > 0 && context->global->json && code >= 0)
		code = (int)exit_code_worse((enum exit_code)code, EXIT_CODE_IO);
	/* A first signal that came since the loop ended asks for what is done. */
	while (!l.asked_to_end && signals_take(context->signals) != 0)
		continue;
	buffer_release(&l.out);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook listen 8080 --capture capture.ndjson", "keep everything that comes" },
	{ "credhook listen 8080 --validate reject", "answer 422 with the findings to what is invalid" },
	{ "credhook listen 8080 --forward-to localhost:3000 --capture capture.ndjson", "keep what passes through" },
	{ "credhook listen 8443 --tls-self-signed", "speak TLS, and say how to trust it" },
	{ "credhook listen 0.0.0.0:8080 --allow 10.0.0.0/8 --max-per-address 50", "take requests from one network" },
	{ "credhook listen 0 --expect user-created --timeout 30s --ready-file url", "wait for an event in CI" },
	{ "credhook listen 8080 --respond 500,500,200", "see whether a sender tries again" },
	{ "credhook listen 8080 --rule event=bureau-alert,status=503,times=2", "fail the first two of one kind" },
	{ "credhook listen 8080 --fault reset:10% --delay 50ms..2s --seed 7", "be a bad receiver, the same each time" },
	{ NULL, NULL },
};

const struct command command_listen = {
	.name = "listen",
	.operands = "[[ADDRESS:]PORT]",
	.complete = COMPLETE_NOTHING,
	.summary = "Receive, judge and capture notifications; by default at 127.0.0.1:8080.",
	.uses = listen_option_uses,
	.use_count = sizeof listen_option_uses / sizeof listen_option_uses[0],
	.args_size = sizeof(struct listen_args),
	.defaults = listen_default_args,
	.run = run_listen,
	.release = listen_release_args,
	.examples = examples,
};
