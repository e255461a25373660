/*
 * Where words go: results to stdout, everything else to stderr. The only room that prints is this one.
 *
 * Text from outside is made safe before it is printed to either (utf8_append_safe); colour is used on a terminal only,
 * unless asked for. A closed pipe at stdout is remembered and not an error; any other failure to write stdout, and a
 * text for which there was no memory, are reported once, by terminal_finish().
 *
 * Printing waits for whoever reads. Between terminal_queue() and terminal_unqueue() it does not: see ui/output_queue.h.
 */
#ifndef CREDHOOK_UI_TERMINAL_H
#define CREDHOOK_UI_TERMINAL_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/fit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum color_choice {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

struct output_queue;

struct terminal {
	bool color_out; /* stdout may be coloured */
	bool color_err;
	bool out_is_tty;
	bool err_is_tty;
	bool utf8;  /* by the locale of the environment: arrows and signs can be shown */
	bool quiet; /* notes are dropped */
	bool verbose;
	bool json;                      /* what is written is for programs */
	bool status_shown;              /* terminal_status() has drawn a line */
	size_t err_rows;                /* of stderr's terminal that lines were written to */
	struct buffer lost;             /* empty; failed: out of memory for something to print. For BUFFER_FOR() */
	int write_errno;                /* first failure to write stdout; 0: none */
	struct output_queue *out_queue; /* NULL: not between terminal_queue() and terminal_unqueue() */
	struct output_queue *err_queue; /* the same one where both are the same file, so that the order stays */
};

/* Whether signs such as ✓ can go to stdout: for style_append_sign(). */
static inline bool terminal_has_signs(const struct terminal *t)
{
	return t->out_is_tty && t->utf8;
}

/* First of all: a standard descriptor that is closed is occupied, so that no file gets its number. */
void terminal_init(struct terminal *t);
void terminal_set_color(struct terminal *t, enum color_choice choice);

/* Columns of stderr's terminal, or of stdout's, or $COLUMNS, or 80; 20 at least. */
int terminal_width(void);
/* The same of that stream, to which its lines are fitted; COLUMNS_UNLIMITED where it is not a terminal: what goes into
 * a pipe or a log is whole. */
static inline int terminal_out_width(const struct terminal *t)
{
	return t->out_is_tty ? terminal_width() : COLUMNS_UNLIMITED;
}
static inline int terminal_err_width(const struct terminal *t)
{
	return t->err_is_tty ? terminal_width() : COLUMNS_UNLIMITED;
}

/* Rows of stdout's terminal; 0: it is none, or of no known size. */
int terminal_out_rows(const struct terminal *t);

/* Writes bytes of results as they are. */
void terminal_write(struct terminal *t, const char *bytes, size_t length);
/* A text as it is. Of one that has failed nothing is written, and the command does not end well. So it is with those
 * that follow. */
void terminal_write_buffer(struct terminal *t, const struct buffer *text);
/* Whole lines that hold bytes from outside: as they are, but on a terminal made safe. */
void terminal_write_lines(struct terminal *t, const struct buffer *lines);
/* Whole lines that are dropped, and counted, where too much waits already. */
void terminal_offer(struct terminal *t, const struct buffer *lines);
void terminal_printf(struct terminal *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_flush(struct terminal *t);
/* Whether writing stdout is pointless from now on: its pipe is closed, or it failed. */
bool terminal_is_closed(const struct terminal *t);
/* Looks whether the reader of stdout's pipe is gone, for whoever seldom writes; then it is closed. */
void terminal_look(struct terminal *t);

/* From here on printing never waits, for a command that must not be held up by whoever reads: what terminal_offer() is
 * given, and notes, are dropped where too much waits. No terminal_status() meanwhile. */
int terminal_queue(struct terminal *t, struct error *err);
/* Waits for the readers of stdout and stderr for two seconds each (in a hurry: for a moment), and then gives them up.
 * Returns how many lines of stdout were dropped, of which it warns. Safe where terminal_queue() was not called. */
uint64_t terminal_unqueue(struct terminal *t, bool in_a_hurry);
uint64_t terminal_dropped(const struct terminal *t); /* lines of stdout so far */
int terminal_closed_fd(const struct terminal *t);    /* queued: readable once terminal_is_closed() */
bool terminal_reader_is_gone(const struct terminal *t);

/* Ctrl-C was typed, and the terminal has shown ^C at the beginning of a line: erases it. */
void terminal_erase_echo(struct terminal *t);

/* One line on stderr's terminal that each call replaces, fitted to the terminal's width, and makes way for whatever
 * else is written here; NULL erases it. The caller decides when, and knows that stderr is a terminal. */
void terminal_status(struct terminal *t, const char *text);

enum terminal_words {
	TERMINAL_NOTE,         /* unless quiet; dropped where too much waits: a note, a summary */
	TERMINAL_COMMAND,      /* a note that ends in a command to copy, and so is never broken into lines */
	TERMINAL_ANNOUNCEMENT, /* never dropped, like the next: a ready line, a verdict */
	TERMINAL_WARNING,      /* "credhook: warning: ..." */
};
/* A line of its own on stderr. A newline is added. The text is made safe; a newline in it is shown as \n. */
void terminal_say(struct terminal *t, enum terminal_words words, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
#define terminal_note(t, ...)     terminal_say(t, TERMINAL_NOTE, __VA_ARGS__)
#define terminal_command(t, ...)  terminal_say(t, TERMINAL_COMMAND, __VA_ARGS__)
#define terminal_announce(t, ...) terminal_say(t, TERMINAL_ANNOUNCEMENT, __VA_ARGS__)
#define terminal_warn(t, ...)     terminal_say(t, TERMINAL_WARNING, __VA_ARGS__)
/* For whoever is about to read standard input to its end: where a person types there, a note says so. */
void terminal_note_typing(struct terminal *t);
/* Lines that end with newlines and were made safe where they quote something, as they are. Never dropped. */
void terminal_lines(struct terminal *t, const struct buffer *text);
/* "credhook: MESSAGE", and where there is a hint a line with it; one that asks follows on the same line. Never dropped.
 */
void terminal_error(struct terminal *t, const struct error *err);

/* Flushes stdout. -1: it could not be written, other than for a closed pipe, or there was no memory for what to write.
 */
int terminal_finish(struct terminal *t, struct error *err);

#endif
