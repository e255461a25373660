/*
 * --variants: the other valid forms of a payload.
 *
 * Each field takes each of its other values once (the rows of catalog/values.c), and the whole is spelled in other ways
 * that mean the same to a reader of JSON (RFC 8259). What a variant does not touch stays as it was, so whoever asks for
 * variants decides on the payload: build_payload(), edited or not. All variants of a valid payload are valid, without a
 * warning. Integers are text throughout, never a double.
 */
#ifndef CREDHOOK_PAYLOAD_VARIANTS_H
#define CREDHOOK_PAYLOAD_VARIANTS_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "json/print.h"

#define VARIANT_NAME_SIZE    64
#define VARIANT_POINTER_SIZE 96
#define VARIANTS_MAX         64 /* of a kind; tests hold the catalogue to all three */

struct variant {
	char name[VARIANT_NAME_SIZE];        /* unique in its kind: offCycle=true, key-order */
	enum json_style style;               /* of the whole, where it is not about a value */
	const struct catalog_member *member; /* whose value it is; NULL: the whole is spelled in another way */
	const struct catalog_other *other;
	char pointer[VARIANT_POINTER_SIZE];
};

/* How many variants payloads of the kind have (at most VARIANTS_MAX): the same for all elements of an event. */
size_t variant_count(struct catalog_kind kind);
/* One of them, from 0: values in the order of the specification, then forms. The index is below the count. */
void variant_at(struct catalog_kind kind, size_t index, struct variant *variant);

/* Appends the variant of a payload of the kind. A value that edits have made another than a string stays as it is where
 * the variant would be made of it (upper case). */
int variant_apply(const struct variant *variant, const char *text, size_t length, struct buffer *out,
                  struct error *err);

#endif
