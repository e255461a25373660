/* A line on stderr that says how far long work has come: on a terminal only, a few times a second, erased at the end.
 */
#ifndef CREDHOOK_UI_PROGRESS_H
#define CREDHOOK_UI_PROGRESS_H

#include "ui/terminal.h"

#include <stdint.h>

struct progress {
	bool on;
	bool shown;
	int64_t next_ns; /* not before */
};

/* Nothing is shown during the first half second, nor where stderr is no terminal or notes are not wanted. */
void progress_init(struct progress *progress, const struct terminal *terminal);
/* Whether it is time for a new line: whoever words it need not before. */
bool progress_due(const struct progress *progress);
void progress_show(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes the line away, before anything else is written to the terminal. */
void progress_erase(struct progress *progress);

#endif
