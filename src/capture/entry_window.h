/*
 * Entries that are nearly in the order of time, and requests apart from their responses: the next hundred or so are
 * held back. Private to src/capture.
 */
#ifndef CREDHOOK_CAPTURE_ENTRY_WINDOW_H
#define CREDHOOK_CAPTURE_ENTRY_WINDOW_H

#include "capture/entries.h"

#define ENTRY_WINDOW       128               /* entries */
#define ENTRY_WINDOW_BYTES ((size_t)4 << 20) /* of their texts, unless one is longer */

struct entry_window;

struct entry_window *entry_window_new(struct error *err);
void entry_window_free(struct entry_window *window); /* NULL is allowed */

/* The earliest of the next notifications, with the status of its response; a bad entry as soon as it comes. */
enum source_result entry_window_next(struct entry_window *window, struct entries *entries, struct entry *entry,
                                     struct error *err);

#endif
