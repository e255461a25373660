#include "base/ascii.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "payload/form.h"
#include "redact/redact_internal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PERMUTED_MOST 64 /* bits; from there on two texts have the same fake once in 2^64 */
#define SYMBOLS_MOST  32 /* of a text with fewer bits than that */
#define ROUNDS        8
#define EXPONENT_MOST 4 /* digits */

#define CACHE_SLOTS   4096                /* a power of two */
#define CACHE_BYTES   ((size_t)512 << 10) /* of texts and their fakes */
#define CACHE_LONGEST ((size_t)4 << 10)   /* of one text and its fake */

struct fake_cache {
	struct fake_cached {
		fake_maker *maker; /* NULL: empty */
		size_t at;         /* of the text in `texts`; its fake follows */
		size_t length;
		size_t fake_length;
	} slots[CACHE_SLOTS];
	struct buffer texts; /* room for all, so that no append fails */
};

static struct fake_cache *cache_new(void)
{
	struct fake_cache *cache = calloc(1, sizeof *cache);
	if (cache && buffer_reserve(&cache->texts, CACHE_BYTES))
		return cache;
	free(cache);
	return NULL;
}

void faker_release(struct faker *f)
{
	buffer_release(&f->scratch);
	if (f->cache)
		buffer_release(&f->cache->texts);
	free(f->cache);
	f->cache = NULL;
}

void fake_cached(struct faker *f, fake_maker *make, const char *text, size_t length, struct buffer *out)
{
	size_t before = out->length;
	if (!f->cache)
		f->cache = cache_new();
	if (!f->cache) { /* slower, but the same */
		make(f, text, length, out);
		return;
	}
	struct buffer *texts = &f->cache->texts;
	struct fake_cached *slot = &f->cache->slots[hash_bytes(text, length) % CACHE_SLOTS];
	if (slot->maker == make && slot->length == length && memcmp(texts->data + slot->at, text, length) == 0) {
		buffer_append(out, texts->data + slot->at + length, slot->fake_length);
		return;
	}
	make(f, text, length, out);
	size_t made = out->length - before;
	if (out->failed || length + made > CACHE_LONGEST)
		return;
	if (texts->length + length + made > CACHE_BYTES) { /* forgets all: what is common is soon there again */
		memset(f->cache->slots, 0, sizeof f->cache->slots);
		buffer_clear(texts);
	}
	*slot = (struct fake_cached){ make, texts->length, length, made };
	buffer_append(texts, text, length);
	buffer_append(texts, out->data + before, made);
}

void fake_bytes(struct faker *f, enum fake_domain domain, uint32_t number, const char *text, size_t length,
                struct buffer *out, unsigned char bytes[HMAC_SIZE])
{
	buffer_clear(&f->scratch);
	buffer_append_byte(&f->scratch, (char)domain);
	buffer_append(&f->scratch, &number, sizeof number);
	buffer_append(&f->scratch, text, length);
	buffer_fail_if(out, f->scratch.failed || !hmac_of(f->hmac, buffer_text(&f->scratch), f->scratch.length, bytes));
}

/* An endless sequence of numbers that the key and a text decide. */
struct fake_stream {
	struct faker *faker;
	struct buffer *out; /* for its `failed` */
	unsigned char seed[HMAC_SIZE];
	unsigned char block[HMAC_SIZE]; /* HMAC of the text, then of that and a counter */
	uint32_t blocks;
	size_t used; /* bytes of the block */
};

static void fake_stream_begin(struct fake_stream *s, struct faker *f, struct buffer *out, enum fake_domain domain,
                              uint32_t attempt, const char *text, size_t length)
{
	*s = (struct fake_stream){ .faker = f, .out = out };
	fake_bytes(f, domain, attempt, text, length, out, s->seed);
	memcpy(s->block, s->seed, sizeof s->block);
}

/* The next number, below the limit. */
static uint32_t fake_stream_below(struct fake_stream *s, uint32_t limit)
{
	if (s->used + 4 > HMAC_SIZE) {
		fake_bytes(s->faker, DOMAIN_BLOCK, ++s->blocks, (const char *)s->seed, sizeof s->seed, s->out,
		           s->block);
		s->used = 0;
	}
	uint32_t number;
	memcpy(&number, s->block + s->used, sizeof number);
	s->used += sizeof number;
	return number % limit;
}

/* The characters that one may become: `radix` of them from `base` on; radix 0: it stays. */
struct alphabet {
	uint32_t base;
	uint32_t radix;
};
#define BITS_OUTSIDE_ASCII PERMUTED_MOST /* too many alphabets to permute among */

static size_t bytes_of(char lead)
{
	unsigned char c = (unsigned char)lead;
	return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

/* The alphabet of a character by its first byte: Latin letters with marks, Chinese, faces. */
static struct alphabet alphabet_of(char lead, bool is_hex)
{
	static const struct alphabet outside[] = { { 0, 0 }, { 0x100, 0x80 }, { 0x4E00, 0x5000 }, { 0x1F600, 0x40 } };
	if (ascii_is_digit(lead))
		return (struct alphabet){ '0', 10 };
	if (ascii_is_lower(lead))
		return (struct alphabet){ 'a', is_hex ? 6 : 26 };
	if (ascii_is_upper(lead))
		return (struct alphabet){ 'A', is_hex ? 6 : 26 };
	return outside[bytes_of(lead) - 1];
}

/* The bits of one character. The compiler makes constants of the logarithms, which are slow. */
static double bits_of(struct alphabet a)
{
	if (a.base >= 0x80)
		return BITS_OUTSIDE_ASCII;
	switch (a.radix) {
	case 0:
		return 0;
	case 6:
		return log2(6);
	case 9:
		return log2(9);
	case 10:
		return log2(10);
	case 26:
		return log2(26);
	default:
		return log2(a.radix);
	}
}

static void append_character(struct buffer *out, uint32_t c)
{
	char bytes[4];
	buffer_append(out, bytes, utf8_encode(c, bytes));
}

enum shape_type {
	SHAPE_TEXT,
	SHAPE_INTEGER, /* an integer: sign and leading zeros stay, and what is not 0 does not become 0 */
	SHAPE_DECIMAL, /* a JSON number in front of its exponent: zeros stay, so that it stays an integer or a fraction
	                */
};

/* What is known of a text before it gets a fake. */
struct shape {
	enum shape_type type;
	double bits;
	size_t characters;
	size_t symbols; /* of them, those that are replaced */
	size_t leading; /* of an integer: its sign and leading zeros */
	bool is_hex;    /* all letters are hexadecimal, as in a hash without dashes */
	bool is_digits;
	bool has_lower;
};

#define HEX_LEAST 16

static struct alphabet alphabet_at(const struct shape *s, const char *text, size_t at)
{
	if (s->type == SHAPE_TEXT)
		return alphabet_of(text[at], s->is_hex);
	if (!ascii_is_digit(text[at]) || at < s->leading || (s->type == SHAPE_DECIMAL && text[at] == '0'))
		return (struct alphabet){ 0, 0 };
	if (s->type == SHAPE_DECIMAL || at == s->leading)
		return (struct alphabet){ '1', 9 };
	return (struct alphabet){ '0', 10 };
}

static struct shape shape_of(enum shape_type type, const char *text, size_t length)
{
	struct shape s = { .type = type, .is_hex = length >= HEX_LEAST, .is_digits = true };
	for (size_t i = 0; i < length; i++) {
		s.is_hex = s.is_hex && ascii_is_hex(text[i]);
		s.is_digits = s.is_digits && ascii_is_digit(text[i]);
		s.has_lower = s.has_lower || ascii_is_lower(text[i]);
	}
	while (type == SHAPE_INTEGER && s.leading < length && strchr("+-0", text[s.leading]))
		s.leading++;
	for (size_t i = 0; i < length; i += bytes_of(text[i]), s.characters++) {
		struct alphabet a = alphabet_at(&s, text, i);
		s.symbols += a.radix > 0;
		s.bits += bits_of(a);
	}
	return s;
}

/* The symbols of a short text, as numbers below the radix of each. What stays, and the alphabet of each symbol, tell
 * apart what is permuted on its own: they are the message. */
struct symbols {
	struct faker *faker;
	struct buffer *message;
	struct buffer *out; /* for its `failed` */
	uint32_t values[SYMBOLS_MOST];
	struct alphabet alphabets[SYMBOLS_MOST];
	size_t places[SYMBOLS_MOST]; /* in the text */
	size_t count;
};

static void read_symbols(struct symbols *s, const char *text, size_t length, const struct shape *shape)
{
	for (size_t i = 0; i < length; i++) {
		struct alphabet a = alphabet_at(shape, text, i);
		buffer_append_byte(s->message, a.radix > 0 ? (char)a.base : text[i]);
		if (a.radix == 0)
			continue;
		s->alphabets[s->count] = a;
		s->places[s->count] = i;
		s->values[s->count++] = (uint32_t)(unsigned char)text[i] - a.base;
	}
	buffer_append_byte(s->message, '\0');
}

/* Shifts each of one half by what HMAC makes of the other; or back. */
static void shift_half(struct symbols *s, uint32_t round, bool back)
{
	bool is_left = round % 2 == 1;
	size_t middle = s->count / 2, from = is_left ? 0 : middle, to = is_left ? middle : s->count;
	size_t length = s->message->length;
	unsigned char shifts[HMAC_SIZE];
	for (size_t i = 0; i < s->count; i++)
		if (i < from || i >= to)
			buffer_append(s->message, &s->values[i], sizeof s->values[i]);
	fake_bytes(s->faker, DOMAIN_PERMUTED, round, buffer_text(s->message), s->message->length, s->out, shifts);
	buffer_consume_end(s->message, s->message->length - length);
	for (size_t i = from; i < to; i++) {
		uint32_t radix = s->alphabets[i].radix;
		uint32_t shift = (uint32_t)(shifts[2 * (i - from)] << 8 | shifts[2 * (i - from) + 1]) % radix;
		s->values[i] = (s->values[i] + (back ? radix - shift : shift)) % radix;
	}
}

/* Permutes the symbols so that none of the texts stays as it is: what moves a text to another place, a shift of its
 * first symbol that is never 0, between a permutation of all places and its inverse. */
static void append_permuted(struct faker *f, const char *text, size_t length, const struct shape *shape,
                            struct buffer *out)
{
	LOCAL_BUFFER message = BUFFER_FOR(out);
	struct symbols s = { .faker = f, .message = &message, .out = out };
	unsigned char bytes[HMAC_SIZE];
	size_t before = out->length;
	read_symbols(&s, text, length, shape);
	fake_bytes(f, DOMAIN_PERMUTED, ROUNDS, buffer_text(&message), message.length, out, bytes);
	for (uint32_t round = 0; round < ROUNDS; round++)
		shift_half(&s, round, false);
	uint32_t radix = s.alphabets[0].radix;
	s.values[0] = (s.values[0] + 1 + (uint32_t)(bytes[0] << 8 | bytes[1]) % (radix - 1)) % radix;
	for (uint32_t round = ROUNDS; round > 0; round--)
		shift_half(&s, round - 1, true);
	buffer_append(out, text, length);
	for (size_t i = 0; i < s.count && !out->failed; i++)
		out->data[before + s.places[i]] = (char)(s.alphabets[i].base + s.values[i]);
}

static bool is_same(const struct buffer *out, size_t from, const char *text, size_t length)
{
	return out->length - from == length && memcmp(out->data + from, text, length) == 0;
}

static void append_shape(struct faker *f, const char *text, size_t length, const struct shape *shape,
                         struct buffer *out)
{
	size_t before = out->length;
	bool again = shape->symbols > 0 && shape->bits >= PERMUTED_MOST;
	if (!again && shape->symbols > 0)
		append_permuted(f, text, length, shape, out);
	else if (!again)
		buffer_append(out, text, length);
	for (uint32_t attempt = 0; again && !out->failed; attempt++) {
		struct fake_stream s;
		out->length = before;
		fake_stream_begin(&s, f, out, DOMAIN_IDENTIFIER, attempt, text, length);
		for (size_t i = 0; i < length; i += bytes_of(text[i])) {
			struct alphabet a = alphabet_at(shape, text, i);
			if (a.radix == 0)
				buffer_append_byte(out, text[i]);
			else
				append_character(out, a.base + fake_stream_below(&s, a.radix));
		}
		again = !out->failed &&
		        (is_same(out, before, text, length) || form_is_uuid(out->data + before, length));
	}
}

static void make_text(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	struct shape shape = shape_of(SHAPE_TEXT, text, length);
	append_shape(f, text, length, &shape, out);
}

void fake_text(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	fake_cached(f, make_text, text, length, out);
}

static void append_uuid(struct faker *f, const char *text, struct buffer *out)
{
	unsigned char b[HMAC_SIZE];
	char lower[36];
	bool is_upper_case = true;
	for (size_t i = 0; i < sizeof lower; i++) {
		lower[i] = ascii_lower(text[i]);
		is_upper_case = is_upper_case && !ascii_is_lower(text[i]);
	}
	fake_bytes(f, DOMAIN_UUID, 0, lower, sizeof lower, out, b);
	b[6] = (unsigned char)(0x40 | (b[6] & 0x0F));
	b[8] = (unsigned char)(0x80 | (b[8] & 0x3F));
	const char *hex = is_upper_case ? ASCII_HEX_UPPER : ASCII_HEX;
	for (size_t i = 0; i < 16; i++) {
		if (i >= 4 && i <= 10 && i % 2 == 0)
			buffer_append_byte(out, '-');
		buffer_append_byte(out, hex[b[i] >> 4]);
		buffer_append_byte(out, hex[b[i] & 0x0F]);
	}
}

static void make_identifier(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	if (form_is_uuid(text, length)) {
		append_uuid(f, text, out);
		return;
	}
	struct fake_stream s;
	struct shape shape = shape_of(SHAPE_TEXT, text, length);
	append_shape(f, text, length, &shape, out);
	if (shape.symbols == 0 || shape.characters >= FAKE_IDENTIFIER_LEAST)
		return;
	/* The length of a short one would give it away; what is added follows from the whole. */
	size_t least = shape.is_digits ? FAKE_DIGITS_LEAST : FAKE_IDENTIFIER_LEAST;
	char base = shape.is_digits ? '0' : shape.has_lower ? 'a' : 'A';
	fake_stream_begin(&s, f, out, DOMAIN_PADDING, 0, text, length);
	for (size_t i = shape.characters; i < least; i++)
		buffer_append_byte(out, (char)(base + (char)fake_stream_below(&s, shape.is_digits ? 10 : 26)));
}

void fake_identifier(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	fake_cached(f, make_identifier, text, length, out);
}

static void append_syllables(struct fake_stream *s, const char *text, size_t length, struct buffer *out)
{
	static const char consonants[] = "bcdfghjklmnpqrstvwxz", vowels[] = "aeiou";
	bool is_vowel = false, in_word = false;
	for (size_t i = 0; i < length; i += bytes_of(text[i])) {
		struct alphabet a = alphabet_of(text[i], false);
		bool letter = ascii_is_letter(text[i]);
		is_vowel = letter && in_word ? !is_vowel : fake_stream_below(s, 4) == 0;
		in_word = letter;
		if (letter) {
			char c = is_vowel ? vowels[fake_stream_below(s, 5)] : consonants[fake_stream_below(s, 20)];
			buffer_append_byte(out, ascii_is_upper(text[i]) ? (char)(c & ~0x20) : c);
		} else if (a.radix > 0) {
			append_character(out, a.base + fake_stream_below(s, a.radix));
		} else {
			buffer_append_byte(out, text[i]);
		}
	}
}

static void make_name(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	struct shape shape = shape_of(SHAPE_TEXT, text, length);
	LOCAL_BUFFER lower = BUFFER_FOR(out);
	size_t before = out->length;
	bool again = true;
	for (size_t i = 0; i < length; i++)
		buffer_append_byte(&lower, ascii_lower(text[i]));
	for (uint32_t attempt = 0; again && !out->failed; attempt++) {
		struct fake_stream s;
		out->length = before;
		fake_stream_begin(&s, f, out, DOMAIN_NAME, attempt, buffer_text(&lower), lower.length);
		append_syllables(&s, text, length, out);
		again = !out->failed && shape.symbols > 0 && is_same(out, before, text, length);
	}
}

void fake_name(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	fake_cached(f, make_name, text, length, out);
}

static void make_number(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	size_t mantissa = 0, digits;
	while (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E')
		mantissa++;
	bool is_literal = mantissa == length && !memchr(text, '.', length);
	struct shape shape = shape_of(is_literal ? SHAPE_INTEGER : SHAPE_DECIMAL, text, mantissa);
	append_shape(f, text, mantissa, &shape, out);
	if (mantissa == length)
		return;
	/* A short exponent is not worth a fake, and a long one only says whether the number is an integer. */
	buffer_append_byte(out, text[mantissa++]);
	if (!ascii_is_digit(text[mantissa]))
		buffer_append_byte(out, text[mantissa++]);
	while (mantissa + 1 < length && text[mantissa] == '0')
		mantissa++;
	digits = length - mantissa;
	if (digits <= EXPONENT_MOST)
		buffer_append(out, text + mantissa, digits);
	else
		buffer_append_repeat(out, '9', EXPONENT_MOST);
}

void fake_number(struct faker *f, const char *text, size_t length, struct buffer *out)
{
	fake_cached(f, make_number, text, length, out);
}
