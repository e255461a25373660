#include "cmd/delivery_progress.h"

#include "base/clock.h"
#include "cmd/share.h"

#define DRAW_EVERY  (CLOCK_NS_PER_S / 5)
#define PRINT_EVERY (5 * CLOCK_NS_PER_S)

static void append_line(struct run_progress *p, struct buffer *out, int64_t now)
{
	const struct delivery_counts *c = p->counts;
	uint64_t done = counts_total(c), failures = counts_failures(c);
	size_t in_flight = p->in_flight(p->context);
	double share = p->share(p->context);
	int64_t most = p->duration > 0 ? c->started_ns + p->duration - now : SHARE_NO_END;
	double seconds = (double)(now - p->last_ns) / 1e9;
	double rate = seconds > 0 ? (double)(c->attempts - p->last_attempts) / seconds : 0;
	p->last_ns = now;
	p->last_attempts = c->attempts;
	if (done == 0 && in_flight == 0)
		p->began_ns = now;
	buffer_printf(out, "%llu", (unsigned long long)done);
	if (p->total > 0)
		buffer_printf(out, " of %llu", (unsigned long long)p->total);
	buffer_append_text(out, " done");
	if (p->total == 0 && share >= 0) {
		buffer_append_text(out, " (");
		share_append(out, share);
		buffer_append_byte(out, ')');
	}
	buffer_printf(out, ", %.0f a second, %zu in flight, %llu not accepted", rate, in_flight,
	              (unsigned long long)failures);
	share_append_left(out, share_time_left(share, now - p->began_ns, most));
}

static void on_time(void *context)
{
	struct run_progress *p = context;
	int64_t now = clock_monotonic_ns();
	buffer_clear(&p->line);
	append_line(p, &p->line, now);
	if (p->plain)
		terminal_announce(p->terminal, "%s", buffer_text(&p->line));
	else
		terminal_status(p->terminal, buffer_text(&p->line));
	loop_timer_set(p->loop, &p->timer, now + (p->plain ? PRINT_EVERY : DRAW_EVERY));
}

void run_progress_start(struct run_progress *p, enum progress_choice choice)
{
	struct terminal *t = p->terminal;
	p->plain = choice == PROGRESS_PLAIN;
	if (choice == PROGRESS_NONE || (choice == PROGRESS_AUTO && (!t->err_is_tty || t->quiet)))
		return;
	p->timer = (struct loop_timer){ .ring = on_time, .context = p };
	p->began_ns = p->last_ns = clock_monotonic_ns();
	loop_timer_set(p->loop, &p->timer, p->last_ns + (p->plain ? PRINT_EVERY : DRAW_EVERY));
}

void run_progress_stop(struct run_progress *p)
{
	if (!p->loop)
		return;
	loop_timer_cancel(p->loop, &p->timer);
	if (!p->plain)
		terminal_status(p->terminal, NULL);
	buffer_release(&p->line);
}

void run_progress_again(struct run_progress *p)
{
	if (p->line.length > 0 && !p->plain && p->terminal->out_is_tty && !p->terminal->status_shown)
		terminal_status(p->terminal, buffer_text(&p->line));
}
