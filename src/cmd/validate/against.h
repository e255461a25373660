/* The other side of --against: what its valid payloads have, and what of it no compared payload had. */
#ifndef CREDHOOK_CMD_VALIDATE_AGAINST_H
#define CREDHOOK_CMD_VALIDATE_AGAINST_H

#include "capture/source_files.h"
#include "cmd/cmd.h"
#include "cmd/validate/finding_groups.h"
#include "cmd/validate/validate.h"
#include "payload/seen.h"

/* Zero-initialise. */
struct against {
	struct source_files files;
	struct seen *seen; /* NULL: not asked for */
};

/* Adds its files, before anything is read. EXIT_CODE_USAGE: they and the inputs are both standard input. */
int against_init(struct against *against, const struct context *context, const struct validate_args *args,
                 struct error *err);
void against_release(struct against *against);

/* Reads them as the run would, with as many threads, and says what of them is not compared. Returns 0; the exit code of
 * a run that ends here, EXIT_CODE_INTERRUPTED; -1: *err: not all of it could be read, or none of it is valid. */
int against_read(struct against *against, struct context *context, const struct validate_args *args, struct error *err);

/* Notes of the codes that were not compared, and of what no payload of the run had; with -v of all of it. */
void against_note(const struct against *against, struct terminal *terminal, const struct coverage *coverage);

/* The same of codes of which none is known: which they are, and what may be the reason. */
void against_note_codes(const char *name, struct terminal *terminal, const struct finding_groups *groups);

#endif
