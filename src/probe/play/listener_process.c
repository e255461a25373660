#include "probe/play/listener_process.h"

#include "base/clock.h"
#include "base/processes.h"
#include "probe/play/printed.h"
#include "probe/play/world.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_NS       (20 * CLOCK_NS_PER_MS)  /* between two looks at whether it listens */
#define START_PAUSE_NS (200 * CLOCK_NS_PER_MS) /* between two starts */
#define ELSEWHERE_NS   CLOCK_NS_PER_S          /* between two looks at where else it listens */

/* What a listener prints of a request comes about when it responds. */
#define PRINTED_QUIET_MS 20
#define PRINTED_MOST_MS  1000

bool listener_accepts(const struct deliver_options *http)
{
	return world_look(NULL, http, NULL, NULL, 0) == WORLD_ACCEPTS;
}

static bool runs(struct listener *l)
{
	return l->control ? l->control->runs(l->control->context) : child_is_left(&l->child);
}

/* Says where else it listens, when that has changed. */
static void look_elsewhere(struct listener *l, struct buffer *said)
{
	LOCAL_BUFFER now = BUFFER_INIT;
	if (!l->listens_elsewhere)
		return;
	if (!l->control)
		processes_append_listening(l->child.known.pid, &now);
	else if (l->control->append_listening)
		l->control->append_listening(l->control->context, &now);
	if (now.length == 0 || strcmp(buffer_text(&now), buffer_text(said)) == 0)
		return;
	/* It may have begun meanwhile to listen where it is expected. */
	if (world_look(l->world, l->http, l->signals, l->refused, sizeof l->refused) != WORLD_REFUSES)
		return;
	l->listens_elsewhere(l->context, buffer_text(&now));
	buffer_clear(said);
	buffer_append(said, now.data, now.length);
}

/* Waits until it accepts a connection, or has ended. */
static enum listener_state wait_for(struct listener *l, int64_t end)
{
	LOCAL_BUFFER said = BUFFER_INIT;
	int64_t look = world_now(l->world) + ELSEWHERE_NS;
	for (;;) {
		enum world_look found = world_look(l->world, l->http, l->signals, l->refused, sizeof l->refused);
		if (found == WORLD_ACCEPTS) {
			/* It may have ended while another one that listens there was found. */
			l->is_detached = !runs(l);
			return LISTENER_READY;
		}
		if (!runs(l))
			return LISTENER_ENDED;
		if (world_now(l->world) >= end)
			return LISTENER_DEAF;
		if (found == WORLD_REFUSES && world_now(l->world) >= look) {
			look_elsewhere(l, &said);
			look = world_now(l->world) + ELSEWHERE_NS;
		}
		if (!world_wait(l->world, l->signals, PAUSE_NS))
			return LISTENER_INTERRUPTED;
	}
}

static int start_process(struct listener *l)
{
	const struct child_policy how = {
		.words = l->words,
		.signals = l->signals,
		.input = CHILD_NULL,
		.output = CHILD_PIPE,
		.errors = CHILD_PIPE,
		.own_group = true,
	};
	return l->control ? l->control->start(l->control->context) : child_start(&l->child, &how);
}

static enum listener_state start_by(struct listener *l, int64_t end, struct error *err)
{
	if (!l->control && !l->is_open && child_output_init(&l->output, err) < 0)
		return LISTENER_FAILED;
	if (l->is_open)
		listener_stop(l); /* what is left of the one before may listen */
	else
		l->had_others = !l->control && signals_find_adopted(l->signals, 0) > 0;
	l->is_open = true;
	l->is_detached = false;
	l->started_ns = world_now(l->world);
	l->not_run = start_process(l);
	if (l->not_run)
		return LISTENER_NOT_RUN;
	if (!l->control && child_output_read(&l->output, l->child.pipe_fd, err) < 0) {
		listener_kill(l);
		return LISTENER_FAILED;
	}
	return wait_for(l, end);
}

enum listener_state listener_start(struct listener *l, struct error *err)
{
	return start_by(l, world_now(l->world) + l->wait_ns, err);
}

enum listener_state listener_restart(struct listener *l, struct error *err)
{
	int64_t end = world_now(l->world) + l->wait_ns;
	for (;;) {
		enum listener_state state = start_by(l, end, err);
		if (state != LISTENER_ENDED || world_now(l->world) >= end)
			return state;
		if (!world_wait(l->world, l->signals, START_PAUSE_NS))
			return LISTENER_INTERRUPTED;
	}
}

void listener_signal(struct listener *l, int number)
{
	if (l->control)
		l->control->signal(l->control->context, number);
	else if (number == SIGKILL)
		child_kill(&l->child);
	else
		child_signal(&l->child, number);
}

/* What has left its group is looked for at the end of the run only. */
static void end_within(struct listener *l, int patience_ms, bool is_last)
{
	if (l->control) {
		l->control->signal(l->control->context, patience_ms > 0 ? SIGTERM : SIGKILL);
		return;
	}
	pid_t group = l->child.known.pid, left = child_end(&l->child, patience_ms);
	if (left == 0 && is_last && !l->had_others)
		left = signals_find_adopted(l->signals, group);
	if (left > 0 && l->goes_on)
		l->goes_on(l->context, left);
	child_output_stop(&l->output);
	if (l->child.pipe_fd >= 0)
		close(l->child.pipe_fd);
	l->child.pipe_fd = -1;
}

void listener_stop(struct listener *l)
{
	end_within(l, LISTENER_END_MS, false);
}

void listener_kill(struct listener *l)
{
	listener_signal(l, SIGKILL);
	end_within(l, 0, false);
}

void listener_close(struct listener *l)
{
	if (!l->is_open)
		return;
	end_within(l, LISTENER_END_MS, true);
	child_output_release(&l->output);
	l->is_open = false;
}

bool listener_is_gone(struct listener *l)
{
	if (l->is_detached || !(l->control ? !runs(l) : child_wait(&l->child, 0)))
		return false;
	/* It may have left another one: which may be busy, too. */
	enum world_look found = world_look(l->world, l->http, NULL, NULL, 0);
	if (found == WORLD_ACCEPTS)
		l->is_detached = !runs(l);
	return found == WORLD_REFUSES || (found == WORLD_SILENT && !runs(l));
}

void listener_settle_printed(struct listener *l)
{
	if (!l->control)
		child_output_settle(&l->output, PRINTED_QUIET_MS, PRINTED_MOST_MS, l->signals);
}

void listener_append_printed(struct listener *l, uint64_t from, size_t most, struct buffer *out)
{
	printed_append(&l->output, from, most, l->secrets, out);
}

void listener_append_end(const struct listener *l, struct buffer *out)
{
	if (l->child.signal)
		buffer_printf(out, "signal %d (%s)", l->child.signal, strsignal(l->child.signal));
	else
		buffer_printf(out, "exit code %d", l->child.code);
}
