/* The codes of a payload: strings of a few values that the specification does not list (bureau, productCode, ...). */
#ifndef CREDHOOK_PAYLOAD_CODES_H
#define CREDHOOK_PAYLOAD_CODES_H

#include "payload/check.h"

/* Codes of one event; a test holds the catalogue to it. */
#define CODES_MAX 4
/* Values of one code of one kind that are told apart; with as many its values count as data. */
#define CODE_VALUES_MAX 50

/* The next code that the payload of a known event has as a string: the token of its value, and its field. *at is 0 at
 * first. JSON_NONE: there is no further one. */
uint32_t code_next(const struct verdict *verdict, size_t *at, const struct catalog_field **field);

#endif
