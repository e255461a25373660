/* Lines that are typed at the prompt. */
#ifndef CREDHOOK_CMD_SHELL_INTERACTIVE_H
#define CREDHOOK_CMD_SHELL_INTERACTIVE_H

#include "base/error.h"
#include "cmd/shell/session.h"

/* Until the session is left. Returns its exit code; -1: *err. */
int shell_run_interactive(struct shell *shell, struct error *err);

#endif
