#include "redact/fake_stream.h"

#include <string.h>

#define DOMAIN_BLOCK 'b'

void fake_end(struct faker *f, struct buffer *out, unsigned char result[HMAC_SIZE])
{
	out->failed |= f->scratch.failed || !hmac_of(f->hmac, buffer_text(&f->scratch), f->scratch.length, result);
}

void fake_begin(struct faker *f, char domain, uint32_t number)
{
	buffer_clear(&f->scratch);
	buffer_append_byte(&f->scratch, domain);
	buffer_append(&f->scratch, &number, sizeof number);
}

void fake_bytes(struct faker *f, char domain, const char *text, size_t length, unsigned char out[HMAC_SIZE])
{
	struct buffer ignored = BUFFER_INIT;
	fake_begin(f, domain, 0);
	buffer_append(&f->scratch, text, length);
	fake_end(f, &ignored, out);
}

void fake_stream_begin(struct fake_stream *s, struct faker *f, struct buffer *out, char domain, uint32_t attempt,
                       const char *text, size_t length)
{
	*s = (struct fake_stream){ .faker = f, .out = out };
	fake_begin(f, domain, attempt);
	buffer_append(&f->scratch, text, length);
	fake_end(f, out, s->seed);
	memcpy(s->block, s->seed, sizeof s->block);
}

uint32_t fake_stream_below(struct fake_stream *s, uint32_t limit)
{
	if (s->used + 4 > HMAC_SIZE) {
		fake_begin(s->faker, DOMAIN_BLOCK, ++s->blocks);
		buffer_append(&s->faker->scratch, s->seed, sizeof s->seed);
		fake_end(s->faker, s->out, s->block);
		s->used = 0;
	}
	uint32_t number;
	memcpy(&number, s->block + s->used, sizeof number);
	s->used += sizeof number;
	return number % limit;
}
