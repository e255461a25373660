/* The shells that can complete credhook's command lines. */
#ifndef CREDHOOK_CMD_COMPLETION_H
#define CREDHOOK_CMD_COMPLETION_H

#include <stddef.h>

/* The shell of that index, for `credhook completion SHELL`; NULL: no more. */
const char *completion_shell_at(size_t index);

/* The files of completions/, written by CMake. */
extern const char completion_script_credhook_bash[], completion_script_credhook_fish[], completion_script__credhook[];

#endif
