/*
 * Records to disk, and only then answers.
 *
 * Records are added to the writer's batch as they come. While a thread syncs one batch, the loop goes on reading and
 * the next one gathers. A 2xx leaves only behind the fdatasync of its record; after a failure none leaves at all.
 */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "cmd/report_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/*
 * Whoever was just answered mostly sends again at once. How many records a sync should have depends on the disk:
 *
 * - Where a sync takes longer than taking requests in and answering them does, all of them: two alternating halves
 * would each wait for the other's sync. So those who were just answered are given a moment to send again.
 * - Where it takes less, about half of them: while one half is synced the other is worked upon, and nobody waits. A
 *   third is enough to begin with, so that halves which are not quite equal do not wait either; and what there is when
 *   a sync ends, since the answers come first then.
 */
#define GATHER_SHARE 6 /* of the last sync's time, since one came; and three times that in all */
#define GATHER_MOST  (2 * CLOCK_NS_PER_MS)

static void on_synced(void *context, uint32_t events);
static void begin_sync(struct listener *l);

static void on_gathered(void *context)
{
	(void)context; /* listen_commit() follows at the end of the turn */
}

int listen_open_capture(struct listener *l, struct error *err)
{
	l->gather = (struct loop_timer){ .ring = on_gathered, .context = l };
	if (listen_open_writer(l, err) < 0)
		return -1;
	if (l->args->sync == CAPTURE_SYNC_NONE)
		return 0;
	l->syncer = capture_syncer_new(err);
	if (!l->syncer)
		return -1;
	l->syncer_io = (struct loop_io){ capture_syncer_fd(l->syncer), on_synced, l };
	return loop_add(l->loop, &l->syncer_io, EPOLLIN, err);
}

static void remember_failure(struct listener *l, const struct error *err)
{
	if (l->write_failed)
		return;
	l->write_failed = true;
	struct error told = *err;
	if (!told.hint[0])
		error_hint(&told, "nothing is accepted any more: senders get %d", capture_writer_status(l->writer));
	report_error(l->context->terminal, &told);
}

/* 0: it could not be added. */
static uint64_t add_record(struct listener *l, const struct ticket *t, const struct arrival *a)
{
	struct capture_record record;
	char name[CATALOG_KIND_NAME_SIZE];
	if (listen_make_record(t, a, name, &record) < 0)
		return 0;
	const char *fault = response_fault_name(t->answer.fault);
	if (fault)
		record.fault = (struct capture_text){ fault, strlen(fault) };
	else
		record.status = t->answer.status;
	return capture_writer_add(l->writer, &record);
}

void listen_take_in(struct ticket *t, const struct arrival *a)
{
	struct listener *l = t->listener;
	if (l->writer && !l->write_failed) {
		t->seq = add_record(l, t, a);
		if (t->seq == 0)
			t->answer = (struct response){ .status = 503 };
		else
			l->unsynced++;
	}
	listen_ticket_push(&l->waiting, t);
	l->waiting_count++;
	/* Not at the end of the turn: what else it brings is taken in meanwhile. */
	if (l->syncer && !l->syncing && l->unsynced >= l->gather_wanted)
		begin_sync(l);
}

static void count(struct listener *l, const struct ticket *t)
{
	l->received++;
	l->faults += t->answer.fault != HTTP_FAULT_NONE;
	if (!t->judged)
		return;
	if (t->valid)
		l->valid++;
	else
		l->invalid++;
	if (t->kind.event)
		l->by_kind[catalog_kind_index(t->kind)]++;
	listen_count_expected(&l->args->expected, t);
}

/* With the field that only some answers have. */
static size_t answer_fields(const struct listener *l, const struct response *answer, char text[24])
{
	size_t count = l->field_count;
	if (!answer->retry_after.given || answer->status < 300)
		return count;
	int length = snprintf(text, 24, "%llu", (unsigned long long)answer->retry_after.value);
	l->fields[count++] = (struct http_field){ "Retry-After", 11, text, (size_t)length };
	return count;
}

static void respond(struct listener *l, const struct ticket *t, bool failed)
{
	char seconds[24];
	struct http_response response = {
		.status = t->answer.status,
		.fields = l->fields,
		.field_count = answer_fields(l, &t->answer, seconds),
		.fault = t->answer.fault,
		.delay_ns = t->answer.delay_ns,
		.mark = failed ? 0 : t->seq,
		.close = l->args->max_events > 0 && l->received >= l->args->max_events,
	};
	if (t->fields) {
		response.fields = t->fields;
		response.field_count = t->field_count;
	}
	if (t->body_type) {
		response.content_type = t->body_type;
		response.body = buffer_text(&t->body);
		response.body_length = t->body.length;
	} else if (!failed) {
		response.content_type = "application/json";
		response.body = buffer_text(&l->body);
		response.body_length = l->body.length;
	}
	http_exchange_respond(t->exchange, &response);
	if (t->answer.delay_ns > 0) {
		int64_t due = clock_monotonic_ns() + t->answer.delay_ns; /* a moment after it is */
		l->held_until = due > l->held_until ? due : l->held_until;
	}
}

/* failed: nothing is accepted any more. */
static void settle(struct listener *l, struct ticket *t, bool failed)
{
	if (failed) {
		t->answer = (struct response){ .status = capture_writer_status(l->writer) };
		t->body_type = NULL;
		t->fields = NULL;
		if (t->answer.status == 0)
			t->answer.status = 503;
	} else {
		count(l, t);
	}
	if (t->exchange)
		respond(l, t, failed);
	else if (!failed && t->answer.fault == HTTP_FAULT_NONE)
		listen_on_unsent(l, t->seq);
	listen_tell_end(t);
	listen_ticket_free(t);
}

/* Answers everything whose record is on disk; where nothing is captured (any more), everything. */
static void settle_durable(struct listener *l, bool failed)
{
	bool all = !l->writer || failed;
	size_t before = l->waiting_count;
	while (l->waiting.first && (all || l->waiting.first->seq <= capture_writer_durable_seq(l->writer))) {
		l->waiting_count--;
		settle(l, listen_ticket_pop(&l->waiting), failed);
	}
	if (l->waiting_count == before)
		return;
	terminal_flush(l->context->terminal);
	const struct listen_args *a = l->args;
	if (a->max_events > 0 && l->received >= a->max_events)
		l->ending = true;
	if (a->expected.out_of_order ||
	    (a->expected.count > 0 && a->max_events == 0 && listen_expectations_met(&a->expected)))
		l->ending = true;
}

/* Whether those who were just answered are given a moment more. */
static bool is_gathering(struct listener *l)
{
	int64_t now = clock_monotonic_ns();
	/* As long as they are coming. */
	if (l->unsynced > l->gather_seen && now < l->gather_end)
		l->gather_until = now + l->gather_share;
	l->gather_seen = l->unsynced;
	if (l->unsynced >= l->gather_wanted || now >= l->gather_until)
		return false;
	loop_timer_set(l->loop, &l->gather, l->gather_until);
	return true;
}

/* After a sync that took so long, and answers to so many. */
static void plan_gathering(struct listener *l, int64_t sync_ns, size_t answered, int64_t answering_ns)
{
	if (l->args->sync == CAPTURE_SYNC_ALWAYS)
		return; /* one by one, and each at once */
	int64_t share = sync_ns / GATHER_SHARE, now = clock_monotonic_ns();
	size_t everybody = l->waiting_count + answered;
	/* Taking a request in takes about as long as answering it does; and hearing of a sync adds to its time. */
	l->sync_is_short = answered > 0 && 2 * sync_ns < 5 * answering_ns / (int64_t)answered * (int64_t)everybody;
	l->gather_share = share < GATHER_MOST ? share : GATHER_MOST;
	l->gather_until = now + l->gather_share;
	l->gather_end = now + 2 * l->gather_share;
	l->gather_seen = 0;
	l->gather_wanted = l->sync_is_short ? (everybody + 2) / 3 : everybody;
}

/* Writes what has gathered; true: it is written, and can be synced. */
static bool begin(struct listener *l)
{
	struct error err;
	listen_change_file(l);
	int began = capture_writer_begin(l->writer, &err);
	if (began < 0)
		remember_failure(l, &err);
	l->unsynced = l->args->sync == CAPTURE_SYNC_ALWAYS && began > 0 ? l->unsynced - 1 : 0;
	return began > 0;
}

static void begin_sync(struct listener *l)
{
	if (l->write_failed || !begin(l))
		return;
	l->syncing = true;
	l->sync_began = clock_monotonic_ns();
	capture_syncer_start(l->syncer, l->writer);
}

/* The records are on disk, in the file that has the name, or never will be. */
static void finish(struct listener *l, int sync_errno)
{
	struct error err;
	int result = capture_writer_finish(l->writer, sync_errno, &err);
	if (result < 0)
		remember_failure(l, &err);
	else if (result > 0)
		listen_report_lost(l, true);
}

static void on_synced(void *context, uint32_t events)
{
	struct listener *l = context;
	(void)events;
	int sync_errno = capture_syncer_take(l->syncer);
	int64_t ended = clock_monotonic_ns(), took = ended - l->sync_began;
	size_t before = l->waiting_count;
	l->syncing = false;
	finish(l, sync_errno);
	/* Whose records this sync brought to the disk are accepted, whatever becomes of the next one. That begins
	 * before they are answered, which takes its time. */
	bool failed = l->write_failed;
	if (l->unsynced > 0 && (l->sync_is_short || l->unsynced >= l->gather_wanted))
		begin_sync(l);
	settle_durable(l, failed);
	plan_gathering(l, took, before - l->waiting_count, clock_monotonic_ns() - ended);
}

void listen_commit(void *context)
{
	struct listener *l = context;
	if (l->writer && !l->write_failed && !l->syncing) {
		if (!l->syncer) {
			while (begin(l))
				finish(l, 0);
		} else if (l->unsynced == 0) {
			listen_change_file(l);
		} else if (!is_gathering(l)) {
			begin_sync(l);
		}
	}
	if (l->waiting.first)
		settle_durable(l, l->write_failed);
	if (l->ending)
		listen_end(l, false);
}

void listen_close_capture(struct listener *l)
{
	struct error err;
	if (!l->writer)
		return;
	if (l->syncing)
		finish(l, capture_syncer_take(l->syncer));
	capture_syncer_free(l->syncer);
	if (l->reopen || l->retry_wait > 0)
		listen_reopen(l);
	if (capture_writer_commit(l->writer, &err) < 0)
		remember_failure(l, &err);
	settle_durable(l, l->write_failed); /* tells of those whose clients did not wait */
	listen_close_writer(l);
}

void listen_end(struct listener *l, bool is_cut_short)
{
	int64_t from = clock_monotonic_ns();
	l->ending = false;
	/* Where all has come that was waited for, answers are held back for as long as they were to be. */
	if (!is_cut_short && l->held_until > from)
		from = l->held_until;
	if (l->draining && l->drain_until <= from + l->args->drain)
		return;
	l->draining = true;
	l->drain_until = from + l->args->drain;
	http_server_drain(l->server, l->drain_until);
}
