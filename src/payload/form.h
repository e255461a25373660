/* What a text must look like: the formats of section 2.2. Pure functions over length-counted bytes. */
#ifndef CREDHOOK_PAYLOAD_FORM_H
#define CREDHOOK_PAYLOAD_FORM_H

#include "base/buffer.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>

#define FORM_UUID_DIGITS 32
bool form_is_uuid(const char *text, size_t length);         /* 8-4-4-4-12 hexadecimal digits, either case */
bool form_is_boolean_text(const char *text, size_t length); /* true or false */
bool form_is_integer_text(const char *text, size_t length); /* [+-]?[0-9]+ */

/* The length of a UUID at the beginning of the text, as others print it: with hyphens or without, and no hexadecimal
 * digit behind it; 0: there is none. Its digits go to *out, in lower case. */
size_t form_uuid_length(const char *text, size_t length, char out[FORM_UUID_DIGITS + 1]);

/* The value of a choice with exactly this text, or NULL. */
const struct catalog_value *form_choice(const struct catalog_field *field, const char *text, size_t length);
/* Whether a string is what the member asks for; true for types that ask nothing of it. */
bool form_fits(const struct catalog_member *member, const char *text, size_t length);
/* Appends what form_fits() asks for, for a person: a UUID (8-4-4-4-12 hexadecimal digits); "Submission" or
 * "Completion". */
void form_append_description(const struct catalog_member *member, struct buffer *out);
/* The same as a type that a value of another type is not: "a string with a UUID". */
const char *form_type(enum catalog_type type);

/* Whether a JSON number (RFC 8259 grammar) has an integer's value: 15, 15.0 and 1e3 have. */
bool form_is_integer_number(const char *text, size_t length);

#endif
