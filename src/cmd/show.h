/* A notification in full, and the difference of two, over their records: those of a session, or of a capture. */
#ifndef CREDHOOK_CMD_SHOW_H
#define CREDHOOK_CMD_SHOW_H

#include "base/buffer.h"
#include "base/error.h"
#include "capture/record.h"
#include "receive/repeats.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends its head, with `seq` as its number, and its body, which is checked anew, with the findings in their places.
 */
int show_append(const struct capture_record *record, const struct repeat *repeat, bool color, int width,
                struct buffer *out, struct error *err);
/* Appends a line for each value that differs, at its JSON Pointer, or an object; counts them. EXIT_CODE_FAILED: a body
 * is not JSON. */
int show_append_difference(const struct capture_record *before, const struct capture_record *after, bool json,
                           bool color, struct buffer *out, size_t *count, struct error *err);

#endif
