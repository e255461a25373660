/* What the key of a faker and a text decide: 32 bytes, or numbers without end. A domain, a letter, keeps the uses of
 * one key apart. */
#ifndef CREDHOOK_REDACT_FAKE_STREAM_H
#define CREDHOOK_REDACT_FAKE_STREAM_H

#include "redact/fake.h"

#include <stdint.h>

/* Bytes of a message in parts: begin, append to faker->scratch, end. *out gets `failed` when out of memory. */
void fake_begin(struct faker *faker, char domain, uint32_t number);
void fake_end(struct faker *faker, struct buffer *out, unsigned char result[HMAC_SIZE]);

struct fake_stream {
	struct faker *faker;
	struct buffer *out; /* for its `failed` */
	unsigned char seed[HMAC_SIZE];
	unsigned char block[HMAC_SIZE]; /* HMAC of the text, then of that and a counter */
	uint32_t blocks;
	size_t used; /* bytes of the block */
};

void fake_stream_begin(struct fake_stream *stream, struct faker *faker, struct buffer *out, char domain,
                       uint32_t attempt, const char *text, size_t length);
/* The next number, below the limit. */
uint32_t fake_stream_below(struct fake_stream *stream, uint32_t limit);

#endif
