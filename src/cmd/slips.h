/* What was probably meant by a word that stands where it cannot: a hint for those who come from other tools. */
#ifndef CREDHOOK_CMD_SLIPS_H
#define CREDHOOK_CMD_SLIPS_H

#include "base/error.h"
#include "base/text_list.h"
#include "cmd/cmd.h"

/* Among send's events: a place to send to, or a file, which options take. -1: a usage error that says so; 0: the
 * operands may be events, or nobody knows better what is wrong with them. */
int slip_among_events(const struct text_list *operands, const struct global_options *global, struct error *err);

/* Completes the usage error about a command that there is not, where the name stands for something else: an event, an
 * option, or what others call a command of ours. False: it is none of these. */
bool slip_hint_command(const char *name, struct error *err);

#endif
