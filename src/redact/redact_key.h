/* The key of a redaction: of a file that nobody else can read, or random. */
#ifndef CREDHOOK_REDACT_REDACT_KEY_H
#define CREDHOOK_REDACT_REDACT_KEY_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/signals.h"

/* EXIT_CODE_USAGE: others can read the file, or it is not of 16 to 4096 bytes. EXIT_CODE_IO: it cannot be read. */
int redaction_key_read(const char *path, struct buffer *key, const struct signals *signals, struct error *err);
int redaction_key_make(struct buffer *key, struct error *err);
/* For LOCAL(): a key in memory that is freed could be read from it. */
void redaction_key_release(struct buffer *key);

#endif
