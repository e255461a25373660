/*
 * A wake-up: what one thread does to another that waits in poll(2) or in a loop.
 *
 * What there is to do stands somewhere else, under a lock: whoever is woken clears the wake-up first and looks then, so
 * that nothing is missed. Any number of wake-ups before that are one.
 */
#ifndef CREDHOOK_BASE_WAKE_H
#define CREDHOOK_BASE_WAKE_H

#include "base/error.h"

#include <stdbool.h>

/* Zero-initialise: not open. */
struct wake {
	int fd; /* readable from a wake-up until it is cleared; for poll or a loop */
	bool is_open;
	int write_fd; /* private */
};

int wake_open(struct wake *wake, struct error *err);
/* From any thread. Never waits. */
void wake_up(const struct wake *wake);
void wake_clear(const struct wake *wake);
void wake_close(struct wake *wake); /* no effect when it is not open */

#endif
