/*
 * What systems do in ways of their own, for the other files of base: system_linux.c, and for any other one
 * system_portable.c.
 */
#ifndef CREDHOOK_BASE_SYSTEM_H
#define CREDHOOK_BASE_SYSTEM_H

#include <signal.h>
#include <stdbool.h>

/* sigwait(3). is_typed: a terminal sent the signal, to all that share its foreground. */
int system_wait_signal(const sigset_t *set, bool *is_typed);

#endif
