/* The files of completions/ as C strings, written by CMake. */
#ifndef CREDHOOK_CMD_COMPLETION_SCRIPTS_H
#define CREDHOOK_CMD_COMPLETION_SCRIPTS_H

extern const char completion_script_credhook_bash[], completion_script_credhook_fish[], completion_script__credhook[];

#endif
