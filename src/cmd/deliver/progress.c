#include "cmd/deliver/progress.h"

#include "base/clock.h"

#define DRAW_EVERY  (CLOCK_NS_PER_S / 5)
#define PRINT_EVERY (5 * CLOCK_NS_PER_S)

static void append_line(struct run_progress *p, struct buffer *out, int64_t now)
{
	const struct delivery_counts *c = p->counts;
	char left[CLOCK_DURATION_SIZE];
	uint64_t done = counts_total(c), failures = counts_failures(c);
	double seconds = (double)(now - p->last_ns) / 1e9;
	double rate = seconds > 0 ? (double)(c->attempts - p->last_attempts) / seconds : 0;
	p->last_ns = now;
	p->last_attempts = c->attempts;
	buffer_printf(out, "%llu", (unsigned long long)done);
	if (p->total > 0)
		buffer_printf(out, " of %llu", (unsigned long long)p->total);
	buffer_printf(out, " done, %.0f a second, %zu in flight, %llu failed", rate, p->in_flight(p->context),
	              (unsigned long long)failures);
	if (p->total > done && rate > 0) {
		clock_format_duration((int64_t)((double)(p->total - done) / rate * 1e9), left);
		buffer_printf(out, ", %s left", left);
	}
}

static void on_time(void *context)
{
	struct run_progress *p = context;
	struct error unused;
	int64_t now = clock_monotonic_ns();
	buffer_clear(&p->line);
	append_line(p, &p->line, now);
	if (p->plain)
		terminal_announce(p->terminal, "%s", buffer_text(&p->line));
	else
		terminal_status(p->terminal, buffer_text(&p->line));
	loop_timer_set(p->loop, &p->timer, now + (p->plain ? PRINT_EVERY : DRAW_EVERY), &unused);
}

void run_progress_start(struct run_progress *p, enum progress_choice choice)
{
	struct error unused;
	struct terminal *t = p->terminal;
	p->plain = choice == PROGRESS_PLAIN;
	if (choice == PROGRESS_NONE || (choice == PROGRESS_AUTO && (!t->err_is_tty || t->quiet)))
		return;
	p->timer = (struct loop_timer){ .ring = on_time, .context = p };
	p->last_ns = clock_monotonic_ns();
	loop_timer_set(p->loop, &p->timer, p->last_ns + (p->plain ? PRINT_EVERY : DRAW_EVERY), &unused);
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
