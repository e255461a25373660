/* listen: a receiver on this machine that checks and captures notifications. */
#include "cmd/listen/listen.h"

#include "base/clock.h"
#include "base/file.h"
#include "capture/replace.h"
#include "cmd/args/program.h"
#include "cmd/words/misplaced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_ADDRESS "127.0.0.1:8080"

#define END_PATIENCE_MS 1000 /* between SIGTERM and SIGKILL when listen ends at once */

#define LISTEN(field) offsetof(struct listen_args, field)
static const struct option end_rows[] = {
	{ 0, "expect", "EVENT[:N][,PATH=VALUE]...", "exit 0 once N valid EVENTs have arrived (repeatable)", OPTION_CALL,
	  COMPLETE_EVENT, .offset = LISTEN(expected), .parse = expectations_parse, .release = expectations_release,
	  .also = "event events wait-for" },
	{ 0, "limit", "N", "at most N notifications, then end (default: unlimited)", OPTION_NUMBER,
	  .offset = LISTEN(limit), .least = 1, .most = UINT64_MAX,
	  .also = "count max max-events max-requests exit-after stop-after -n once" },
	{ 0, "timeout", "DURATION", "end after this time, with 1 if something is missing", OPTION_DURATION,
	  .offset = LISTEN(timeout), .also = "duration run-for wait" },
	{ 0, "ready-file", "FILE", "write the URL to FILE when ready", OPTION_TEXT, COMPLETE_OUTPUT,
	  .offset = LISTEN(ready_file), .also = "url-file on-ready" },
	{ 0, "report", "FORMAT=FILE", "also write a report: " REPORTS_OF_CASES "; -: stdout", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = LISTEN(reports), .parse = report_parse_cases, .values = REPORT_VALUES_OF_CASES,
	  .needs = "expect limit", .alone = "its cases are what --expect EVENT or --limit N asks for",
	  .also = "output out xml -o" },
};
static const struct option_way end_ways[] = {
	{ "exec run cmd command on-event hook",
	  "a command to run while it listens is behind --: credhook listen 8080 -- COMMAND" },
	{ "daemon background detach", "the shell puts it into the background: credhook listen 8080 &" },
	{ "domain subdomain tunnel public", "a tunnel of yours forwards to it: --trusted-proxy 127.0.0.1 beside it" },
	{ "secret signing-secret", "notifications are not signed: leave it out" },
	{ "ui inspect web", "credhook convert FILE -o FILE.html makes a page of a capture" },
	{ "print show show-headers headers print-body dump", "-v shows heads and bodies" },
	{ "verify auth basic", "a sender is known by --allow CIDR, or by --tls-client-ca FILE" },
	{ "deny block", "--allow CIDR names who may connect" },
	{ "proxy-protocol", "turn it off at the proxy (send-proxy); --trusted-proxy CIDR reads X-Forwarded-For" },
	{ "no-tls plain", "HTTP without TLS is the default: leave it out" },
	{ "pid pid-file", "the shell has its process id: credhook listen 8080 & echo $!" },
	{ "cors", "browsers send no notifications; a header is --respond-header LINE" },
	{ "port -p", "write it alone: credhook listen 8080" },
	{ "host bind address interface", "write the address alone: credhook listen 0.0.0.0:8080" },
	{ "filter grep pretty format", "filter the output: --json -v | jq" },
	{ "rotate-size", "rotate the capture with logrotate, and send SIGHUP" },
	{ "redact anonymize mask",
	  "redact as it comes: credhook listen --json -v | credhook convert - --redact --redact-key KEY" },
	{ "method -X", "only POST is a notification" },
	{ NULL, NULL },
};
static const struct option_group end_group = OPTION_GROUP_WITH("Automation", end_rows, 0, end_ways);
static const struct option_use option_uses[] = {
	RECEIVE_OPTION_USES(LISTEN(receive)),
	{ &end_group, 0 },
};

/* Sends it, and what it started where it has a group of its own, a signal, unless it got it from the terminal. */
static void signal_command(struct listen *l, int number, bool from_terminal)
{
	const struct child *child = &l->command.child;
	/* What the terminal sends, it sends to all that share its foreground. */
	if (child->runs && !(from_terminal && getpgid(child->known.pid) == getpgrp()))
		child_signal(child, number);
}

/* --limit is the receiver's own. */
static bool nothing_is_missing(const struct listen *l)
{
	return expectations_met(l->expected) && receiver_state(l->receiver)->counts.received >= l->args->limit;
}

/* The target of --forward-to refuses connections: it may listen at another address. */
static void look_elsewhere(struct listen *l)
{
	LOCAL_BUFFER elsewhere = BUFFER_INIT;
	l->has_looked = true;
	route_append_elsewhere(&l->setup.target, "forward-to", &elsewhere);
	if (elsewhere.length > 0)
		terminal_note(l->context->terminal, "hint: %s", buffer_text(&elsewhere));
}

static void on_notification(void *context, const struct notification *n)
{
	struct listen *l = context;
	const struct exchange *x = n->forwarded;
	listen_report_notification(l, n);
	if (n->is_refused)
		return;
	if (x && x->failure == DELIVER_REFUSED && !l->has_looked)
		look_elsewhere(l);
	if (x)
		l->forwarded[x->message[0] == '\0' && x->status < ARRIVAL_STATUSES ? x->status : 0]++;
	if (!n->verdict || l->expected->count == 0)
		return;
	/* The last expected one ends it, but never before COMMAND has ended, which may send more. */
	expectations_count(l->expected, n);
	if (l->args->limit == 0 && expectations_met(l->expected) && !l->command.child.runs)
		receiver_finish(l->receiver);
}

static void on_ended(void *context)
{
	struct listen *l = context;
	l->has_ended = true;
	if (!l->command.child.runs)
		loop_stop(l->loop);
}

/* What it has sent may still be under way, unless it failed. */
static void on_command_end(void *context, uint32_t events)
{
	struct listen *l = context;
	(void)events;
	loop_remove(l->loop, &l->command.io);
	child_wait(&l->command.child, -1);
	if (l->command.overtime == OVERTIME_NONE)
		child_release(&l->command.child); /* what it left behind goes on */
	bool ends = l->command.child.code != 0 || l->asked_to_end || l->timed_out;
	if (l->has_ended)
		loop_stop(l->loop);
	else if (ends)
		receiver_end(l->receiver);
	else if (nothing_is_missing(l))
		receiver_finish(l->receiver);
	else if (l->args->timeout == 0)
		loop_timer_set(l->loop, &l->timeout, clock_monotonic_ns() + LISTEN_COMMAND_GRACE);
}

/* Printed in one go, after the receiver's own work of the turn. */
static void at_turn_end(void *context)
{
	struct listen *l = context;
	terminal_flush(l->context->terminal);
}

static void on_signal(void *context, uint32_t events)
{
	struct listen *l = context;
	struct terminal *t = l->context->terminal;
	struct signals *signals = l->context->signals;
	(void)events;
	int number = signals_take(signals);
	if (number == SIGINT)
		terminal_erase_echo(t);
	if (number == SIGHUP) {
		receiver_reload(l->receiver);
	} else if (number != 0 && l->asked_to_end) {
		/* The second one ends it at once, and a third one kills, COMMAND too. */
		l->interrupted = true;
		loop_remove(l->loop, &l->signal_io);
		signals_end_by_next(signals);
		loop_stop(l->loop);
	} else if (number != 0) {
		l->asked_to_end = true;
		if (!l->command.child.runs) {
			receiver_end(l->receiver); /* it may be ending by itself already */
			return;
		}
		/* It listens until then: COMMAND may have more to send. */
		signal_command(l, number, signals->from_terminal);
		terminal_note(t, "waiting for '%s' to end; a second signal ends it at once", l->command.name);
	}
}

static void on_timeout(void *context)
{
	struct listen *l = context;
	l->timed_out = l->timed_out || !receiver_state(l->receiver)->is_ending; /* else it was ending before */
	if (!l->command.child.runs) {
		receiver_end(l->receiver);
		return;
	}
	if (l->command.overtime == OVERTIME_KILL) { /* it may not be signalled */
		loop_stop(l->loop);
		return;
	}
	l->command.overtime++;
	signal_command(l, l->command.overtime == OVERTIME_KILL ? SIGKILL : SIGTERM, false);
	loop_timer_set(l->loop, &l->timeout, clock_monotonic_ns() + LISTEN_COMMAND_GRACE);
}

/* This ends it, unless it does more than print. */
static void on_stdout_closed(void *context, uint32_t events)
{
	struct listen *l = context;
	const struct receive_args *a = &l->args->receive;
	(void)events;
	loop_remove(l->loop, &l->stdout_io);
	if (!terminal_reader_is_gone(l->context->terminal))
		return; /* it cannot be written: main reports that at the end */
	if (a->policy.capture || a->forward.to || l->expected->count > 0 || l->command.name)
		terminal_note(l->context->terminal, "nobody reads stdout any more; still listening");
	else
		receiver_end(l->receiver);
}

/* Whether --ready-file has what a listener has written there: one URL in a line. */
static bool is_announcement(const char *begin)
{
	size_t length = strcspn(begin, "\n");
	bool is_url = strncmp(begin, "http://", 7) == 0 || strncmp(begin, "https://", 8) == 0;
	return is_url && strcspn(begin, " \t") > length && strcmp(begin + length, "\n") == 0;
}

static int check_announcement(const struct listen *l, struct error *err)
{
	return replace_check_own(l->args->ready_file, "the URL of a listener", is_announcement, l->context->in_use,
	                         err);
}

/* A program that waits for --ready-file must not find that of an earlier run. */
static int remove_old_announcement(struct listen *l, struct error *err)
{
	if (!l->args->ready_file)
		return 0;
	return check_announcement(l, err) < 0 ? -1 : file_remove(l->args->ready_file, err);
}

static int start(struct listen *l, const char *address, struct error *err)
{
	const struct receive_observer observer = { l, on_notification, listen_report_refused, listen_report_notice,
		                                   on_ended };
	const struct terminal *t = l->context->terminal;
	l->loop = loop_new(err);
	if (!l->loop || remove_old_announcement(l, err) < 0 ||
	    receive_setup_init(&l->setup, &l->args->receive, l->context, err) < 0)
		return -1;
	l->setup.policy.limit = l->args->limit;
	l->setup.policy.drain = LISTEN_DRAIN;
	l->receiver = receiver_new(l->loop, address, &l->setup.policy, &observer, err);
	if (!l->receiver && err->code == EXIT_CODE_USAGE)
		return misplaced_header_value(l->context->words, address, err) < 0
		               ? -1
		               : misplaced_hint("listen [ADDRESS]", address, err);
	if (!l->receiver || receive_setup_check_target(&l->setup, receiver_state(l->receiver)->url, err) < 0 ||
	    loop_at_turn_end(l->loop, at_turn_end, l, err) < 0)
		return -1;
	signals_keep_second(l->context->signals);
	if (l->args->receive.policy.capture || l->args->receive.policy.tls.cert)
		signals_reload_at_hangup(l->context->signals);
	l->signal_io = (struct loop_io){ .fd = l->context->signals->fd, .ready = on_signal, .context = l };
	l->stdout_io = (struct loop_io){ .fd = terminal_closed_fd(t), .ready = on_stdout_closed, .context = l };
	l->timeout = (struct loop_timer){ .fire = on_timeout, .context = l };
	bool prints = !l->is_silent && (!t->quiet || l->context->global->json);
	if (loop_add(l->loop, &l->signal_io, LOOP_READ, err) < 0 ||
	    (prints && loop_add(l->loop, &l->stdout_io, LOOP_READ, err) < 0))
		return -1;
	if (l->args->timeout > 0)
		loop_timer_set(l->loop, &l->timeout, clock_monotonic_ns() + l->args->timeout);
	return 0;
}

static int announce(struct listen *l, struct error *err)
{
	const char *path = l->args->ready_file;
	LOCAL_BUFFER line = BUFFER_INIT;
	buffer_printf(&line, "%s\n", receiver_state(l->receiver)->url);
	if (path && (check_announcement(l, err) < 0 ||
	             file_write_whole(path, buffer_text(&line), line.length, l->context->signals, err) < 0))
		return -1;
	l->announced = path != NULL;
	listen_print_ready(l);
	return 0;
}

/* A script that waits for the file must not find the URL of a listener that has ended. Another one may have taken the
 * file over: what it wrote stays. */
static void take_back_announcement(struct listen *l)
{
	struct error err;
	struct stat status;
	LOCAL_BUFFER text = BUFFER_INIT, line = BUFFER_INIT;
	const char *path = l->args->ready_file;
	if (!l->announced || stat(path, &status) < 0 || !S_ISREG(status.st_mode) ||
	    file_read_whole(path, &text, NULL, &err) < 0)
		return;
	buffer_printf(&line, "%s\n", receiver_state(l->receiver)->url);
	if (strcmp(buffer_text(&text), buffer_text(&line)) == 0 && file_remove(path, &err) < 0)
		terminal_warn(l->context->terminal, "%s", err.message);
}

/* Starts COMMAND, if there is one; *err has the exit code of a shell if it cannot be run. */
static int start_command(struct listen *l, struct error *err)
{
	struct listen_command *c = &l->command;
	const char *url = receiver_state(l->receiver)->url, *path = l->args->receive.policy.path;
	LOCAL_BUFFER accepted_at = BUFFER_INIT;
	if (!c->name)
		return 0;
	buffer_append_text(&accepted_at, url);
	if (path && strcmp(path, "/") != 0 && strstr(url, "://"))
		buffer_append_text(&accepted_at, path);
	if (accepted_at.failed)
		return error_no_memory(err);
	if (program_set_url(buffer_text(&accepted_at), err) < 0)
		return -1;
	/* At a terminal it stays in our group, so that it can read there and Ctrl-Z stops both. */
	const struct child_policy how = {
		.words = c->program->words.items,
		.signals = l->context->signals,
		.files = &c->files,
		/* NDJSON and a report have stdout for themselves. */
		.output = l->context->global->json || l->is_silent ? CHILD_STDERR : CHILD_OURS,
		.own_group = !isatty(STDIN_FILENO),
	};
	int failed = child_start(&c->child, &how);
	if (failed)
		return program_cannot_start(c->name, failed, err);
	c->io = (struct loop_io){ .fd = c->child.fd, .ready = on_command_end, .context = l };
	if (c->io.fd < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot watch '%s': %s", c->name, strerror(errno));
	return loop_add(l->loop, &c->io, LOOP_READ, err);
}

static void end_command(struct listen *l)
{
	pid_t left = child_end(&l->command.child, END_PATIENCE_MS);
	l->command.is_left = left > 0;
	if (left > 0)
		program_warn_left(l->context->terminal, l->command.name, left);
}

/* Printing never waits meanwhile. */
static int listen_queued(struct listen *l, const char *address, struct error *err)
{
	int code = -1;
	bool ended = start(l, address, err) == 0 && announce(l, err) == 0 && start_command(l, err) == 0 &&
	             loop_run(l->loop, err) == 0;
	if (l->command.child.runs || l->command.overtime != OVERTIME_NONE) /* or what is left of it */
		end_command(l);
	take_back_announcement(l);
	if (l->receiver)
		receiver_close(l->receiver);
	if (ended) {
		/* 0: every expected one has arrived, and every record is on disk. */
		const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
		code = nothing_is_missing(l) && !l->command.is_left ? EXIT_CODE_OK : EXIT_CODE_FAILED;
		if (counts->capture_failed || counts->lost_records > 0)
			code = EXIT_CODE_IO;
		if (l->interrupted)
			code = EXIT_CODE_INTERRUPTED;
		listen_print_summary(l);
		listen_report_cases(l);
	}
	receiver_free(l->receiver);
	receive_setup_release(&l->setup);
	free(l->masked);
	buffer_release(&l->out);
	loop_free(l->loop);
	return code;
}

/* The exit code is COMMAND's, or listen's own. */
static int listen_at(struct listen *l, const char *address, struct error *err)
{
	struct context *context = l->context;
	if (terminal_queue(context->terminal, err) < 0)
		return -1;
	getrlimit(RLIMIT_NOFILE, &l->command.files);
	arrival_note_time(&l->style, clock_realtime_us());
	int code = listen_queued(l, address, err);
	if (terminal_unqueue(context->terminal, l->interrupted) > 0 && context->global->json && code >= 0)
		code = (int)exit_code_worse((enum exit_code)code, EXIT_CODE_IO);
	if (code >= 0 && !l->interrupted && l->command.child.code != 0)
		code = l->command.child.code;
	/* A first signal since the loop ended asks for what is done already. */
	while (!l->asked_to_end && signals_take(context->signals) != 0)
		continue;
	return code;
}

/* The command line's words have the capture already, and all that is read. */
static int open_reports(struct listen *l, struct error *err)
{
	const struct listen_args *a = l->args;
	LOCAL(source_files_release) struct source_files in_use = { .also_in_use = l->context->in_use };
	if (a->ready_file && source_files_add_path(&in_use, a->ready_file, err) < 0)
		return -1;
	if (report_requests_check(&a->reports, a->global.json ? "--json" : NULL, &in_use, err) < 0)
		return -1;
	l->is_silent = report_requests_stdout(&a->reports) != NULL;
	return report_files_open(&l->reports, l->context, &a->reports, err);
}

static int run_listen(struct context *context, void *args, struct error *err)
{
	struct listen_args *a = args;
	LOCAL(program_release) struct program program = { .words = { 0 } };
	struct listen l = { .args = a, .context = context, .expected = &a->expected, .command.program = &program };
	const struct text_list *operands = context->operands;
	size_t addresses = program_operands_before(context).count;
	if (!context->words->has_dashes && misplaced_operand(context, OPERAND_ADDRESS, 1, err) < 0)
		return -1;
	if (addresses > 1) {
		if (misplaced_header_value(context->words, operands->items[1], err) < 0)
			return -1;
		error_set(err, EXIT_CODE_USAGE, "listen takes one address, not '%s' too", operands->items[1]);
		return error_hint(err, "to run a command while it listens, write -- before it");
	}
	if (a->receive.policy.validate == RECEIVE_OFF && a->expected.count > 0)
		return error_set(err, EXIT_CODE_USAGE, "--expect counts valid events, so it excludes --validate off");
	if (program_init(&program, context, "to run it while listening", err) < 0 ||
	    receive_args_check(&a->receive, err) < 0)
		return -1;
	l.command.name = program_name(&program);
	int code = open_reports(&l, err);
	if (code == 0)
		code = report_files_finish(&l.reports,
		                           listen_at(&l, addresses > 0 ? operands->items[0] : DEFAULT_ADDRESS, err),
		                           context->terminal, err);
	report_files_release(&l.reports);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook listen 8080 --capture capture.ndjson", "capture every notification" },
	{ "credhook listen 8080 --validate reject", "respond to invalid payloads with 422 and the findings" },
	{ "credhook listen 8080 --forward-to localhost:3000 --capture capture.ndjson", "capture what is forwarded" },
	{ "credhook listen 8443 --tls-self-signed", "use TLS with a new certificate" },
	{ "credhook listen 0.0.0.0:8080 --allow 10.0.0.0/8", "accept connections from one network" },
	{ "credhook listen 8080 --expect user-created -- credhook send all --to :8080",
	  "run a command, and wait for its notification" },
	{ "credhook listen 8080 --expect user-created --timeout 1m --report junit=ci.xml", "for CI" },
	{ "credhook listen 8080 --respond 500,500,200", "see if a sender retries" },
	{ "credhook listen 8080 --rule event=bureau-alert,status=503,times=2", "fail the first two alerts" },
	{ "credhook listen 8080 --fault reset:10% --delay 50ms..2s", "simulate a bad listener" },
	{ NULL, NULL },
};

const struct command command_listen = {
	.name = "listen",
	.group = COMMAND_RECEIVE,
	.also =
	        (const struct command_also[]){
	                { "http server serve start receive run watch capture monitor record mock "
	                  "webhook hook endpoint subscribe intercept sniff",
	                  "8080" },
	                { "forward proxy relay", "8080 --forward-to WHERE" },
	                { "tunnel", "8080 --trusted-proxy 127.0.0.1" },
	                { NULL, NULL } },
	.usual = "8080",
	.phrase = "receive, check and capture notifications",
	.common = (const char *const[]){ "capture", "forward-to", "path", "respond", "delay", "fault", "validate",
	                                 "expect", "timeout", "ready-file", NULL },
	.operands = "[[ADDRESS:]PORT] [OPTION]... [-- COMMAND [ARG]...]",
	.complete = COMPLETE_FILE,
	.summary =
	        "Receive, check and capture notifications; by default at 127.0.0.1:8080. COMMAND runs meanwhile, with "
	        "the URL in $CREDHOOK_URL.",
	.runs_command = true,
	.uses = option_uses,
	.use_count = sizeof option_uses / sizeof option_uses[0],
	.args_size = sizeof(struct listen_args),
	.run = run_listen,
	.examples = examples,
};
