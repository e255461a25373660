/* The capture's file: opened, opened again by its name, rotated, and what is said of it. */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "cmd/report_error.h"

#include <inttypes.h>
#include <stdlib.h>

#define RETRY_FIRST (CLOCK_NS_PER_S / 10)
#define RETRY_MOST  (10 * CLOCK_NS_PER_S)

static void report_opened(const struct listener *l, const struct capture_opened *found)
{
	struct terminal *t = l->context->terminal;
	if (found->torn_bytes > 0)
		terminal_warn(t, "'%s' ended in %" PRIu64 " bytes that are no whole record; they were moved to '%s'",
		              l->args->capture, found->torn_bytes, found->torn_path);
	else if (found->last_seq > 0)
		terminal_note(t, "appending to '%s' (last record %" PRIu64 ")", l->args->capture, found->last_seq);
}

static void on_retry(void *context)
{
	struct listener *l = context;
	l->reopen = true; /* listen_commit() follows at the end of the turn */
}

int listen_open_writer(struct listener *l, struct error *err)
{
	struct capture_opened *found = calloc(1, sizeof *found);
	if (!found)
		return error_no_memory(err);
	l->retry = (struct loop_timer){ .ring = on_retry, .context = l };
	l->writer = capture_writer_open(l->args->capture, (enum capture_sync)l->args->sync, found, err);
	if (l->writer)
		report_opened(l, found);
	free(found);
	return l->writer ? 0 : -1;
}

/* Where the capture is, or was, deleted or replaced. */
void listen_report_lost(struct listener *l, bool is_reopened)
{
	struct terminal *t = l->context->terminal;
	const char *what = is_reopened ? "; opened it again" : "";
	uint64_t before = l->lost_records;
	l->lost_records = capture_writer_lost_records(l->writer);
	if (l->lost_records > before)
		terminal_warn(t, "'%s' was deleted or replaced%s; records lost with the old file: %" PRIu64,
		              l->args->capture, what, l->lost_records - before);
	else if (is_reopened)
		terminal_note(t, "'%s' was deleted or replaced%s", l->args->capture, what);
	if (is_reopened && capture_writer_found(l->writer)->torn_bytes > 0)
		report_opened(l, capture_writer_found(l->writer));
}

static void retry_later(struct listener *l, const struct error *reason)
{
	if (l->retry_wait == 0)
		terminal_warn(l->context->terminal, "%s; still writing to the old file", reason->message);
	l->retry_wait = l->retry_wait == 0 ? RETRY_FIRST : 2 * l->retry_wait;
	if (l->retry_wait > RETRY_MOST)
		l->retry_wait = RETRY_MOST;
	loop_timer_set(l->loop, &l->retry, clock_monotonic_ns() + l->retry_wait);
}

void listen_reopen(struct listener *l)
{
	struct error err;
	int result = capture_writer_reopen(l->writer, &err);
	l->reopen = false;
	if (result < 0) {
		retry_later(l, &err);
		return;
	}
	loop_timer_cancel(l->loop, &l->retry);
	l->retry_wait = 0;
	if (result == 0)
		return;
	terminal_note(l->context->terminal, "reopened '%s'", l->args->capture);
	if (capture_writer_found(l->writer)->torn_bytes > 0)
		report_opened(l, capture_writer_found(l->writer));
	listen_report_lost(l, false);
}

static void rotate(struct listener *l)
{
	struct error err;
	uint64_t size = capture_writer_size(l->writer), wanted = l->args->rotate_size;
	if (wanted == 0 || size < wanted || size < l->rotate_at)
		return;
	l->rotate_at = 0;
	if (capture_writer_rotate(l->writer, l->args->rotate_keep, &err) < 0) {
		l->rotate_at = size > UINT64_MAX - wanted ? UINT64_MAX : size + wanted;
		terminal_warn(l->context->terminal,
		              "%s; it goes on growing, and the next try is %" PRIu64 " bytes later", err.message,
		              wanted);
	}
}

void listen_change_file(struct listener *l)
{
	if (l->reopen)
		listen_reopen(l);
	rotate(l);
}

void listen_close_writer(struct listener *l)
{
	struct error err;
	listen_report_lost(l, false);
	if (capture_writer_close(l->writer, &err) == 0 || l->write_failed)
		return;
	l->write_failed = true;
	report_error(l->context->terminal, &err);
}
