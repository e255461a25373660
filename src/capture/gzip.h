/* Compression into gzip, piece by piece. */
#ifndef CREDHOOK_CAPTURE_GZIP_H
#define CREDHOOK_CAPTURE_GZIP_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct gzip;

/* NULL: out of memory. Free it with gzip_free(), which takes NULL. */
struct gzip *gzip_new(struct error *err);
void gzip_free(struct gzip *gzip);
/* Appends to *out what is ready of these bytes (4 GiB at most) and those before, all of it if they are the last ones.
 * EXIT_CODE_INTERNAL. */
int gzip_append(struct gzip *gzip, const char *bytes, size_t length, bool are_last, struct buffer *out,
                struct error *err);

#endif
