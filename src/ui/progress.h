/* How far work has come, while it runs, unless quiet: on a terminal one line that is redrawn, elsewhere a line a
 * minute.
 */
#ifndef CREDHOOK_UI_PROGRESS_H
#define CREDHOOK_UI_PROGRESS_H

#include "ui/terminal.h"

/* Zero-initialise; the members are progress.c's but for due_ns. */
struct progress {
	struct terminal *terminal;
	int64_t due_ns; /* monotonic: when it is to be displayed; 0: it is not shown */
	int64_t began_ns;
	struct progress_point {
		int64_t ns;
		uint64_t count;
	} before, last; /* for the rate, which stands for the time from the first on */
	struct buffer line;
};

#define PROGRESS_UNKNOWN (-1.0)

void progress_start(struct progress *progress, struct terminal *terminal, int64_t now_ns);
/* The time that says nothing of how long the rest takes is over only now. */
void progress_restart(struct progress *progress, int64_t now_ns);
/* Shows "WORDS; 37 %, 120/s, 12 s left": `fraction` of the work is done (or PROGRESS_UNKNOWN), and `count`
 * pieces of it. */
void progress_display(struct progress *progress, const char *words, double fraction, uint64_t count, int64_t now_ns);
/* After results were written to the same terminal: the line is there again, below them. */
void progress_redraw(struct progress *progress);
/* Removes the line. May be called again, and where nothing was started. */
void progress_stop(struct progress *progress);

/* `done` of `whole`, 1 at most; PROGRESS_UNKNOWN where the whole is 0. */
double progress_fraction(uint64_t done, uint64_t whole);
/* "120/s", or "one every 2 s", with `digits` decimals; nothing where the rate is 0. */
void progress_append_rate(struct buffer *out, double rate, int digits);
/* "; 37 %, 120/s, 12 s left". Percent are rounded down; the rate stands for the time up to now, and what a moment says
 * of it is no more than noise: no estimate before a second is over. */
void progress_append(struct buffer *out, double fraction, double rate, int64_t elapsed_ns);

#endif
