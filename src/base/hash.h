/*
 * A fast 64-bit hash of bytes, the same on every machine and in every version, so that it can be stored in a file. It
 * has no key and does not withstand somebody who constructs collisions.
 */
#ifndef CREDHOOK_BASE_HASH_H
#define CREDHOOK_BASE_HASH_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Never 0, so 0 can mean "none". */
uint64_t hash_bytes(const void *bytes, size_t length);

/* Eight bytes as a number, on every machine the same: the first is the lowest. */
uint64_t hash_word(const void *bytes);

/* FNV-1a, in pieces, starting from HASH_FNV1A. For values that earlier versions have given out: seeds, fingerprints. */
#define HASH_FNV1A UINT64_C(14695981039346656037)
uint64_t hash_fnv1a(uint64_t hash, const void *bytes, size_t length);

/* HMAC-SHA256 (RFC 2104) under one key, for many short messages. One per thread. */
#define HMAC_SIZE 32 /* bytes of a result */

struct hmac;

/* The key is not kept. NULL: out of memory, or OpenSSL has no SHA-256. */
struct hmac *hmac_new(const void *key, size_t length, struct error *err);
void hmac_free(struct hmac *hmac); /* NULL is allowed */

/* False: out of memory; the result is all zeros. */
bool hmac_of(struct hmac *hmac, const void *message, size_t length, unsigned char out[HMAC_SIZE]);

/* SHA-256, by an EVP_MD_CTX of OpenSSL. One per thread. NULL: out of memory, or OpenSSL has none. */
struct evp_md_ctx_st;
struct evp_md_ctx_st *hash_sha256_new(struct error *err);
void hash_sha256_free(struct evp_md_ctx_st *hash); /* NULL is allowed */
#define HASH_SHA256_SIZE 32
int hash_sha256_of(struct evp_md_ctx_st *hash, const void *bytes, size_t length, unsigned char out[HASH_SHA256_SIZE],
                   struct error *err);

#endif
