/*
 * Fakes: values that have the shape of the original, and say nothing of it to those who have not the key.
 *
 * The same original becomes the same fake, wherever it stands, as long as the key is the same. All kinds but names and
 * states keep letters letters (of their case), digits digits, and the rest of ASCII as it is; a character outside ASCII
 * becomes one of as many bytes. Identifiers and whole numbers stay one to one: those with few possible values are
 * permuted among the values of their shape (a Feistel network of HMAC-SHA256), all others have at least 64 bits.
 *
 * Each function appends to *out, which gets `failed` when out of memory. A text without letters, digits and characters
 * outside ASCII stays as it is.
 */
#ifndef CREDHOOK_REDACT_FAKE_H
#define CREDHOOK_REDACT_FAKE_H

#include "base/buffer.h"
#include "base/hash.h"

#include <stddef.h>

#define FAKE_IDENTIFIER_LEAST 8 /* characters; of digits alone FAKE_DIGITS_LEAST */
#define FAKE_DIGITS_LEAST     12

struct faker {
	struct hmac *hmac; /* borrowed */
	struct buffer scratch;
};

/* A UUID (in either case, which does not matter, but stays) becomes one of version 4; anything else keeps its shape and
 * is lengthened to FAKE_IDENTIFIER_LEAST. Never a UUID for what is not one. */
void fake_identifier(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* The same shape, of the same length. */
void fake_text(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* Invented syllables of the same length, word by word; two spellings that differ in case stay such. */
void fake_name(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* The code of another state for a code of two letters; for anything else a name. */
void fake_state(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* A number (RFC 8259) with the same sign and as many digits; what form_of_number() says of it stays. */
void fake_number(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* Bytes that depend on the text alone; `domain` keeps different uses apart. */
void fake_bytes(struct faker *faker, char domain, const char *text, size_t length, unsigned char out[HMAC_SIZE]);

#endif
