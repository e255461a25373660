/* --observe COMMAND: what the listener keeps, as a command prints it. */
#include "base/child.h"
#include "base/clock.h"
#include "base/hash.h"
#include "cmd/args/program.h"
#include "cmd/probe/probe.h"
#include "probe/keep/observation.h"
#include "probe/play/printed.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_NS      (10 * CLOCK_NS_PER_S)
#define END_PATIENCE_MS 100
#define ERRORS_KEPT     ((size_t)16 << 10) /* bytes of its stderr that are printed */

/* What the command prints, until it ends, closes its output, prints too much, or a signal waits. */
static void read_output(const struct child *child, const struct signals *signals, int64_t end, struct buffer *out)
{
	for (;;) {
		char bytes[1 << 14];
		int64_t left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
		struct pollfd ready[] = { { child->pipe_fd, POLLIN, 0 },
			                  { child->fd, POLLIN, 0 },
			                  { signals->fd, POLLIN, 0 } };
		if (out->length > OBSERVATION_MAX || left <= 0 || (poll(ready, 3, (int)left) < 0 && errno != EINTR) ||
		    ready[2].revents)
			return;
		if (ready[0].revents) {
			ssize_t got = read(child->pipe_fd, bytes, sizeof bytes);
			if (got <= 0)
				return;
			observation_append(out, bytes, (size_t)got);
		} else if (ready[1].revents) {
			return; /* what it left behind may hold its output open */
		}
	}
}

/* What it wrote to stderr; what it writes each time is said once. */
static void print_errors(struct probe_command *run, struct child_output *errors)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	printed_append(errors, 0, ERRORS_KEPT, &run->secrets, &text);
	uint64_t hash = hash_bytes(buffer_text(&text), text.length);
	if (hash == run->observe_said)
		return;
	run->observe_said = text.length > 0 ? hash : run->observe_said;
	probe_print_lines(run, "observe> ", &text, SIZE_MAX);
}

/* Runs the command once; `errors` reads its stderr. */
static int observe(struct probe_command *run, struct child_output *errors, struct buffer *out, struct error *err)
{
	struct signals *signals = run->context->signals;
	const struct child_policy how = {
		.words = (const char *const[]){ "/bin/sh", "-c", run->args->observe, NULL },
		.signals = signals,
		.input = CHILD_NULL,
		.output = CHILD_PIPE,
		.errors = run->observe_fails ? CHILD_NULL : CHILD_ERRORS, /* it is tried again and again: said once */
		.own_group = true,
	};
	int64_t end = clock_monotonic_ns() + COMMAND_NS;
	struct child child;
	struct error unread;
	int failed = child_start(&child, &how);
	if (failed)
		return error_set(err, EXIT_CODE_IO, "--observe: %s", strerror(failed));
	if (child.errors_fd >= 0 && child_output_read(errors, child.errors_fd, &unread) < 0)
		child_kill(&child);
	read_output(&child, signals, end, out);
	bool is_long = out->length > OBSERVATION_MAX;
	int64_t left = is_long ? 0 : (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
	bool has_ended = child_wait(&child, left > 0 ? (int)left : 0);
	bool is_interrupted = !signals_wait_input(signals, -1, 0);
	pid_t left_pid = child_end(&child, has_ended ? END_PATIENCE_MS : 0); /* or what it left behind */
	if (left_pid > 0)
		program_warn_left(run->context->terminal, run->args->observe, left_pid);
	child_output_stop(errors);
	close(child.pipe_fd);
	if (child.errors_fd >= 0)
		close(child.errors_fd);
	print_errors(run, errors);
	if (!has_ended && is_interrupted)
		return error_set(err, EXIT_CODE_INTERRUPTED, "interrupted");
	if (is_long)
		return error_set(err, EXIT_CODE_IO, "--observe: the command prints more than 32 MiB; limit the rows");
	if (!has_ended)
		return error_set(err, EXIT_CODE_IO, "--observe: the command did not end within 10 s");
	if (child.code != 0)
		return error_set(err, EXIT_CODE_IO, "--observe: the command failed with exit code %d", child.code);
	if (run->has_observed && out->length > run->observed + OBSERVATION_NEW)
		return error_set(err, EXIT_CODE_IO,
		                 "--observe: the command prints 1 MiB more than the time before; limit the rows");
	if (out->failed)
		return error_no_memory(err);
	run->has_observed = true;
	run->observed = out->length;
	echoes_mask(&run->secrets, out, 0); /* its lines are quoted */
	return out->failed ? error_no_memory(err) : 0;
}

int probe_observe(void *context, struct buffer *out, struct error *err)
{
	struct probe_command *run = context;
	struct child_output errors;
	if (child_output_init(&errors, err) < 0)
		return -1;
	int code = observe(run, &errors, out, err);
	child_output_release(&errors);
	run->observe_fails = code < 0;
	return code;
}
