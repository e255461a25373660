#include "ui/progress.h"

#include "base/clock.h"
#include "base/text.h"

#include <math.h>

#define DRAW_EVERY    (CLOCK_NS_PER_S / 5)
#define SAY_EVERY     (60 * CLOCK_NS_PER_S) /* where there is no terminal */
#define RATE_COUNT    5                     /* pieces that a rate is made of, once there are as many */
#define ELAPSED_LEAST CLOCK_NS_PER_S
#define LEFT_MAX      (1000 * 3600 * CLOCK_NS_PER_S)

double progress_fraction(uint64_t done, uint64_t whole)
{
	if (whole == 0)
		return PROGRESS_UNKNOWN;
	return done < whole ? (double)done / (double)whole : 1;
}

void progress_append_rate(struct buffer *out, double rate, int digits)
{
	char count[COUNT_SIZE];
	if (rate >= 1000)
		buffer_printf(out, "%s/s", count_text((uint64_t)(rate + 0.5), count));
	else if (rate > 2.0 / 3) /* 1/s, rounded */
		buffer_printf(out, "%.*f/s", digits, rate);
	else if (rate > 0)
		buffer_printf(out, "one every %.0f s", 1 / rate);
}

void progress_append(struct buffer *out, double fraction, double rate, int64_t elapsed_ns)
{
	double left = fraction > 0 ? (double)elapsed_ns * (1 - fraction) / fraction : HUGE_VAL;
	if (fraction >= 0) /* 29/100 of 100 is a little less than 29 */
		buffer_printf(out, "; %d %%", (int)(fraction * 100 + 1e-9));
	if (rate > 0)
		buffer_append_text(out, fraction >= 0 ? ", " : "; ");
	progress_append_rate(out, rate, 0);
	if (elapsed_ns < ELAPSED_LEAST || left > (double)LEFT_MAX)
		return;
	long long seconds = ((long long)left + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S;
	if (seconds < 60) /* no tenths of an estimate */
		buffer_printf(out, ", %lld s left", seconds);
	else
		buffer_printf(out, ", %s left", DURATION_TEXT(seconds * CLOCK_NS_PER_S));
}

void progress_start(struct progress *p, struct terminal *t, int64_t now_ns)
{
	*p = (struct progress){ .terminal = t };
	progress_restart(p, now_ns);
	if (!t->quiet)
		p->due_ns = now_ns + (t->err_is_tty ? DRAW_EVERY : SAY_EVERY);
}

void progress_restart(struct progress *p, int64_t now_ns)
{
	p->began_ns = p->before.ns = p->last.ns = now_ns;
}

void progress_display(struct progress *p, const char *words, double fraction, uint64_t count, int64_t now_ns)
{
	double seconds = (double)(now_ns - p->before.ns) / 1e9;
	double rate = seconds > 0 ? (double)(count - p->before.count) / seconds : 0;
	bool draws = p->terminal->err_is_tty;
	if (count - p->last.count >= RATE_COUNT) {
		p->before = p->last;
		p->last = (struct progress_point){ now_ns, count };
	}
	p->due_ns = now_ns + (draws ? DRAW_EVERY : SAY_EVERY);
	buffer_clear(&p->line);
	buffer_append_text(&p->line, words);
	progress_append(&p->line, fraction, rate, now_ns - p->began_ns);
	if (draws) {
		terminal_status(p->terminal, buffer_text(&p->line));
		return;
	}
	terminal_note(p->terminal, "%s", buffer_text(&p->line));
	buffer_clear(&p->line);
}

void progress_redraw(struct progress *p)
{
	if (p->line.length > 0 && p->terminal->out_is_tty && !p->terminal->status_shown)
		terminal_status(p->terminal, buffer_text(&p->line));
}

void progress_stop(struct progress *p)
{
	if (p->due_ns > 0)
		terminal_status(p->terminal, NULL);
	p->due_ns = 0;
	buffer_release(&p->line);
}
