/* What a text must look like: the formats of section 2.2. Pure functions over length-counted bytes. */
#ifndef CREDHOOK_PAYLOAD_FORM_H
#define CREDHOOK_PAYLOAD_FORM_H

#include "base/buffer.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>

bool form_is_uuid(const char *text, size_t length);         /* 8-4-4-4-12 hexadecimal digits, either case */
bool form_is_boolean_text(const char *text, size_t length); /* true or false */
bool form_is_integer_text(const char *text, size_t length); /* [+-]?[0-9]+ */

/* Whether a string has the form of the type; true for types that ask no form of it. A choice is not looked at. */
bool form_fits(enum catalog_type type, const char *text, size_t length);
/* The value of a choice with exactly this text, or NULL. */
const struct catalog_value *form_choice(const struct catalog_field *field, const char *text, size_t length);
/* Appends a choice's values for a person: "Submission" or "Completion", in quotes. */
void form_append_choices(const struct catalog_field *field, struct buffer *out);
/* What form_fits() asks for, for a person: "a UUID (8-4-4-4-12 hexadecimal digits)"; and as a type that a value of
 * another type is not: "a string with a UUID". */
const char *form_description(enum catalog_type type);
const char *form_type(enum catalog_type type);

/* Whether a JSON number (RFC 8259 grammar) has an integer's value: 15, 15.0 and 1e3 have. */
bool form_is_integer_number(const char *text, size_t length);

#endif
