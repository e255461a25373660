/* Hints that mend a file: words, ": ", and a line for a shell in which FILE stands for the file that is read. KEY, in
 * both, stands for a key of the document that is read: what came from outside is put in last, and never looked at for
 * a FILE or a ": ". */
#ifndef CREDHOOK_BASE_MEND_H
#define CREDHOOK_BASE_MEND_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

/* The file that a hint is about. */
struct mend_file {
	const char *path; /* "-" is standard input, which has no name to be typed */
	bool is_lines;    /* it holds a document per line: what is made of it is to be read so, too */
	bool is_packed;   /* it is gzip data */
	struct text key;  /* printable ASCII without ' and \, borrowed; empty where the hint has no KEY */
};

/* Appends the hint for this file: its name in place of FILE, quoted for a shell; where the file is packed, what unpacks
 * it before. FILE stays where there is no name to be typed, or where it may contain a secret. */
void mend_append(struct buffer *out, const char *hint, const struct mend_file *file);
/* Sets it as the hint of an error. FILE stays, too, where the name is too long for it. Returns -1. */
int mend_hint(struct error *err, const char *hint, const struct mend_file *file);

#endif
