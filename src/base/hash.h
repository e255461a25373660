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

#endif
