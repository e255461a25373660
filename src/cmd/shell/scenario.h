/* Lines from a pipe or a file: a scenario, which ends at the first line that fails. */
#ifndef CREDHOOK_CMD_SHELL_SCENARIO_H
#define CREDHOOK_CMD_SHELL_SCENARIO_H

#include "base/error.h"
#include "cmd/shell/session.h"

/* "-": standard input. Returns the exit code of the line that failed; 0: none did; -1: *err. */
int shell_run_scenario(struct shell *shell, const char *path, struct error *err);

#endif
