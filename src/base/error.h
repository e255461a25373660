/*
 * What went wrong: filled in by a low room, printed once by main.
 *
 * A function that can fail takes a `struct error *` as its last argument, owned by its caller and never NULL. It fills
 * it with error_set() and returns -1 (or NULL). The message says what failed, in lower case, names in quotes, without a
 * full stop: cannot open 'x': No such file or directory. The hint says what to do.
 */
#ifndef CREDHOOK_BASE_ERROR_H
#define CREDHOOK_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

/* The exit codes of credhook: one row each, read by help, manual and tests. */
enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_IO = 3,
	EXIT_CODE_UNDELIVERED = 4,
	EXIT_CODE_INTERNAL = 5,
	EXIT_CODE_INTERRUPTED = 130,
};

struct exit_code_row {
	enum exit_code code;
	const char *meaning;
};

extern const struct exit_code_row exit_code_rows[];
extern const size_t exit_code_row_count;

/* The code of a run to which both apply: 130 before 5, 2, 3, 4, 1, 0. */
enum exit_code exit_code_worse(enum exit_code a, enum exit_code b);

#define ERROR_MESSAGE_SIZE 1024
#define ERROR_HINT_SIZE    512

struct error {
	enum exit_code code; /* the exit code, unless a caller handles the error */
	char message[ERROR_MESSAGE_SIZE];
	char hint[ERROR_HINT_SIZE]; /* empty: none */
	bool asks;                  /* the hint is the question of error_ask(), which follows on the message's line */
};

/* Fills *err, clears the hint, and returns -1, so that a caller can `return error_set(...)`. Words in quotes ('%s') and
 * names of places (%s:) are masked and shortened as base/quoted.h says, which has the conversions, too. A message that
 * is too long is cut at a character boundary. The arguments may be texts of *err. */
int error_set(struct error *err, enum exit_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sets the hint of an error that error_set() has filled. Returns -1. What is typed stands in it: of a word that would
 * be masked a placeholder. */
int error_hint(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets as the hint the question whether this was meant: did you mean X? Returns -1. */
int error_ask(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An error about a part of a word that was divided at commas: where the word hides something (a password may have a
 * comma), none of its parts is shown, but that 'WORD' is not WHAT. Returns -1. */
int error_of_part(struct error *err, const char *word, const char *what);

/* Writes words about what is not an error in the same way: masked, and cut at the size. */
void error_words(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Out of memory: EXIT_CODE_INTERNAL. They return -1, and NULL. */
int error_no_memory(struct error *err);
void *error_no_memory_null(struct error *err);

#endif
