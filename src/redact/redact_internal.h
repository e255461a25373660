/* What the files of redaction share: redact.c walks payloads, redact_message.c has the requests around them. */
#ifndef CREDHOOK_REDACT_REDACT_INTERNAL_H
#define CREDHOOK_REDACT_REDACT_INTERNAL_H

#include "base/hash.h"
#include "json/located.h"
#include "redact/proof.h"
#include "redact/redact.h"

/*
 * Fakes: values that have the shape of the original, and say nothing of it to those who have not the key.
 *
 * The same original becomes the same fake, wherever it stands, as long as the key is the same. All kinds but names
 * keep letters letters (of their case), digits digits, and the rest of ASCII as it is; a character outside ASCII
 * becomes one of as many bytes. Identifiers and whole numbers stay one to one: those with few possible values are
 * permuted among the values of their shape (a Feistel network of HMAC-SHA256), and none of them stays; all others have
 * at least 64 bits.
 *
 * What `payload/check.h` finds in a payload, it finds in the redacted one, so a fake keeps what a finding may ask of a
 * value: its JSON type, empty or not, a UUID, an integer or a fraction, negative, 0 or positive. Whether the catalogue
 * lists the value stays, too (redact_payload.c). A finding that asks for more needs a fake that keeps more: the test
 * findings_stay_where_they_were compares every variant and every defect under several keys.
 *
 * Each function appends to *out, which gets `failed` when out of memory. A text without letters, digits and characters
 * outside ASCII stays as it is.
 */
#define FAKE_IDENTIFIER_LEAST 8 /* characters; of digits alone FAKE_DIGITS_LEAST */
#define FAKE_DIGITS_LEAST     12

struct faker {
	struct hmac *hmac; /* borrowed */
	struct buffer scratch;
	struct fake_cache *cache; /* once needed: fakes that were made, of bounded size; NULL: no memory for it */
};
void faker_release(struct faker *faker);

/* A UUID (in either case, which does not matter, but stays) becomes one of version 4; anything else keeps its shape and
 * is lengthened to FAKE_IDENTIFIER_LEAST. Never a UUID for what is not one. */
void fake_identifier(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* The same shape, of the same length. */
void fake_text(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* Invented syllables of the same length, word by word; two spellings that differ in case stay such. */
void fake_name(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* A number (RFC 8259, or form_is_integer_text()) with the same sign and as many digits, which is 0 only if the original
 * is; what form_is_integer_number() says of it stays. */
void fake_number(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* Appends the fake of a text, which follows from the text and the key alone. */
typedef void fake_maker(struct faker *faker, const char *text, size_t length, struct buffer *out);
/* The same, remembered: most values of a capture come again, and a fake takes up to 17 HMACs. The functions above do
 * so themselves. */
void fake_cached(struct faker *faker, fake_maker *make, const char *text, size_t length, struct buffer *out);

/* The uses of one key. */
enum fake_domain {
	DOMAIN_IDENTIFIER = 'i',
	DOMAIN_UUID = 'u',
	DOMAIN_NAME = 'N',
	DOMAIN_PERMUTED = 'p', /* of a text with few bits */
	DOMAIN_PADDING = 'l',  /* what lengthens an identifier */
	DOMAIN_BLOCK = 'b',    /* of an endless sequence */
	DOMAIN_HOST = 'h',
	DOMAIN_REMOTE = 'r',
	DOMAIN_KEY_MARK = 'k', /* by which a record shows its key */
};

/* Bytes that depend on the text alone; domain and number keep different uses apart. *out only gets `failed`. */
void fake_bytes(struct faker *faker, enum fake_domain domain, uint32_t number, const char *text, size_t length,
                struct buffer *out, unsigned char bytes[HMAC_SIZE]);

struct redactor {
	struct hmac *hmac;
	struct faker faker;
	unsigned char key_mark[HMAC_SIZE];
	bool identifiers_only;
	struct redact_keep {
		struct buffer pointer; /* JSON Pointer */
		bool was_used;
	} * keeps;
	size_t keep_count;
	size_t keep_capacity;
	struct proof proof;
	struct json_doc doc;
	size_t copied;         /* of the payload's bytes, into *out */
	struct buffer *out;    /* of the payload */
	struct buffer path;    /* JSON Pointer of the member under way, if some are to be kept */
	struct buffer decoded; /* a string with escapes */
	struct buffer fake;
	/* For a message: */
	struct buffer body;
	struct buffer texts; /* all others, one after the other, each with a NUL */
	size_t text_start;   /* of the one under way */
	struct header *headers;
	size_t header_capacity;
	struct buffer segment;
	struct buffer response; /* its type and text, each with a NUL */
};

/* For the proof: a value that is replaced, with its fake. */
void redact_note(struct redactor *r, struct text value, unsigned place, bool is_number, struct text fake);

#endif
