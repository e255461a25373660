/* What was probably meant by a word that stands where it cannot: a hint for those who come from other tools. */
#ifndef CREDHOOK_CMD_SLIPS_H
#define CREDHOOK_CMD_SLIPS_H

#include "base/error.h"
#include "base/text_list.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"

/* Among the events of a command ("send", "build"): a place to send to, a file, a PATH=TEXT, which options take; or a
 * name in several words. -1: a usage error that says so; 0: the operands may be events, or nobody knows better what is
 * wrong with them. */
int slip_among_events(const char *command, const struct text_list *operands, const struct global_options *global,
                      struct error *err);
/* The same among the files of a command ("validate", "replay"): what is an event, a place or JSON, and no file, is an
 * input that cannot be read (EXIT_CODE_IO), like every other file that there is not. */
int slip_among_files(const char *command, const struct text_list *operands, struct error *err);

/* Completes the usage error about an event that there is not by those that have the word in their name, as their
 * service or as their path. False: there are none, or too many to name. */
bool slip_hint_event(const char *word, struct error *err);

/* Completes the usage error about a command that there is not, where the name stands for something else: an event, an
 * option, or what others call a command of ours. `before` stands in front of a command: "credhook ", or in a shell
 * nothing, which has neither options nor a command 'shell'. False: it is none of these. */
bool slip_hint_command(const char *name, const char *before, struct error *err);

#endif
