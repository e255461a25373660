/*
 * A 64-bit hash of bytes: fast, without a key, the same on every machine and in every version, so that a file may hold
 * it. It tells contents apart; it protects against nobody who wants two of them to have the same.
 */
#ifndef CREDHOOK_BASE_HASH_H
#define CREDHOOK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Never 0, which can stand for "none". */
uint64_t hash_bytes(const void *bytes, size_t length);

/* FNV-1a, in pieces: begin with HASH_FNV1A. For what people have got already: seeds, fingerprints. */
#define HASH_FNV1A UINT64_C(14695981039346656037)
uint64_t hash_fnv1a(uint64_t hash, const void *bytes, size_t length);

#endif
