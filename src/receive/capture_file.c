#include "receive/capture_file.h"

#include "base/clock.h"

#include <stdlib.h>

#define RETRY_FIRST (CLOCK_NS_PER_S / 10)
#define RETRY_MOST  (10 * CLOCK_NS_PER_S)

static void report_opened(const struct capture_file *f, const struct capture_opened *opened)
{
	observer_notice(f->observer, &(struct receive_notice){ .kind = NOTICE_CAPTURE_OPENED, .opened = opened });
}

static void on_retry(void *context)
{
	struct capture_file *f = context;
	f->reopen = true; /* the end of the turn follows, and with it capture_file_change() */
}

int capture_file_open(struct capture_file *f, const struct receive_capture *policy,
                      const struct receive_observer *observer, struct loop *loop, struct error *err)
{
	struct capture_opened *opened = calloc(1, sizeof *opened);
	if (!opened)
		return error_no_memory(err);
	*f = (struct capture_file){ .policy = policy, .observer = observer, .loop = loop };
	f->retry = (struct loop_timer){ .fire = on_retry, .context = f };
	f->writer = capture_writer_open(policy->path, policy->sync, opened, err);
	if (f->writer)
		report_opened(f, opened);
	free(opened);
	return f->writer ? 0 : -1;
}

/* Where the capture is, or was, deleted or replaced. */
static void report_lost(struct capture_file *f, bool is_reopened)
{
	uint64_t before = f->lost_records;
	f->lost_records = capture_writer_lost_records(f->writer);
	if (f->lost_records > before || is_reopened)
		observer_notice(f->observer, &(struct receive_notice){ .kind = NOTICE_CAPTURE_REPLACED,
		                                                       .number = f->lost_records - before,
		                                                       .is_reopened = is_reopened });
	if (is_reopened && capture_writer_found(f->writer)->torn_bytes > 0)
		report_opened(f, capture_writer_found(f->writer));
}

static void retry_later(struct capture_file *f, const struct error *reason)
{
	if (f->retry_wait == 0)
		observer_notice(f->observer, &(struct receive_notice){ .kind = NOTICE_REOPEN_FAILED, .error = reason });
	f->retry_wait = f->retry_wait == 0 ? RETRY_FIRST : 2 * f->retry_wait;
	if (f->retry_wait > RETRY_MOST)
		f->retry_wait = RETRY_MOST;
	loop_timer_set(f->loop, &f->retry, clock_monotonic_ns() + f->retry_wait);
}

static void reopen(struct capture_file *f)
{
	struct error err;
	int result = capture_writer_reopen(f->writer, &err);
	f->reopen = false;
	if (result < 0) {
		retry_later(f, &err);
		return;
	}
	loop_timer_cancel(f->loop, &f->retry);
	f->retry_wait = 0;
	if (result == 0)
		return;
	observer_notice(f->observer, &(struct receive_notice){ .kind = NOTICE_CAPTURE_REOPENED });
	if (capture_writer_found(f->writer)->torn_bytes > 0)
		report_opened(f, capture_writer_found(f->writer));
	report_lost(f, false);
}

void capture_file_change(struct capture_file *f)
{
	if (f->reopen)
		reopen(f);
}

static void remember_failure(struct capture_file *f, const struct error *err)
{
	if (f->failed)
		return;
	f->failed = true;
	observer_notice(f->observer, &(struct receive_notice){ .kind = NOTICE_CAPTURE_FAILED,
	                                                       .status = capture_writer_status(f->writer),
	                                                       .error = err });
}

bool capture_file_begin(struct capture_file *f)
{
	struct error err;
	f->reopen = f->reopen || (f->retry_wait == 0 && capture_writer_is_replaced(f->writer));
	capture_file_change(f);
	int began = capture_writer_begin(f->writer, &err);
	if (began < 0)
		remember_failure(f, &err);
	return began > 0;
}

void capture_file_finish(struct capture_file *f, int sync_errno)
{
	struct error err;
	int result = capture_writer_finish(f->writer, sync_errno, &err);
	if (result < 0)
		remember_failure(f, &err);
	else if (result > 0)
		report_lost(f, true);
}

void capture_file_commit(struct capture_file *f)
{
	struct error err;
	if (f->reopen || f->retry_wait > 0)
		reopen(f);
	if (capture_writer_commit(f->writer, &err) < 0)
		remember_failure(f, &err);
}

void capture_file_close(struct capture_file *f)
{
	struct error err;
	if (!f->writer)
		return;
	loop_timer_cancel(f->loop, &f->retry);
	report_lost(f, false);
	if (capture_writer_close(f->writer, &err) < 0 && !f->failed) {
		f->failed = true;
		observer_notice(f->observer, &(struct receive_notice){ .kind = NOTICE_CAPTURE_FAILED, .error = &err });
	}
	f->writer = NULL;
}
