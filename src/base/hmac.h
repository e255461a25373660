/* HMAC-SHA256 (RFC 2104) under one key, for many short messages. One per thread. */
#ifndef CREDHOOK_BASE_HMAC_H
#define CREDHOOK_BASE_HMAC_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define HMAC_SIZE 32 /* bytes of a result */

struct hmac;

/* The key is copied. NULL: out of memory, or OpenSSL has no SHA-256. */
struct hmac *hmac_new(const void *key, size_t length, struct error *err);
void hmac_free(struct hmac *hmac); /* NULL is allowed */

/* False: out of memory; the result is all zeros. */
bool hmac_of(struct hmac *hmac, const void *message, size_t length, unsigned char out[HMAC_SIZE]);

#endif
