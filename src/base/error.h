/*
 * What went wrong, told by a low room and printed once by main.
 *
 * A function that can fail takes a `struct error *` as its last argument, owned by its caller and never NULL, and
 * returns -1 (or NULL) after filling it with error_set(). The message says first what failed, in lower case, with
 * the subject in quotes and no full stop: cannot open 'x': No such file or directory. The hint says what to do.
 */
#ifndef CREDHOOK_BASE_ERROR_H
#define CREDHOOK_BASE_ERROR_H

#include "base/exit_code.h"

#define ERROR_MESSAGE_SIZE 1024
#define ERROR_HINT_SIZE    512
#define ERROR_QUOTED_MAX   200 /* characters that are quoted of one argument */

struct error {
	enum exit_code code; /* what the process ends with if nobody handles the error */
	char message[ERROR_MESSAGE_SIZE];
	char hint[ERROR_HINT_SIZE]; /* empty: none */
};

/* Fills *err (the hint becomes empty) and returns -1, so that a caller can `return error_set(...)`. Of a
 * string that is quoted ('%s'), or names a place (%s:), the secrets of a URL are masked (base/url_mask.h), and
 * ERROR_QUOTED_MAX characters are shown, with ... behind them; a text that is too long as a whole is cut at a character
 * boundary. The arguments may be texts of *err: error_set(err, err->code, "line 3: %s", err->message). */
int error_set(struct error *err, enum exit_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sets the hint of an error that error_set() has filled; returns -1. */
int error_hint(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The error for memory that could not be had; returns -1. */
int error_no_memory(struct error *err);

#endif
