#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

/* Any odd number: multiplying by an odd number loses no information. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static uint64_t stir(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * FACTOR;
	return hash ^ hash >> 32;
}

uint64_t hash_word(const void *bytes)
{
	const unsigned char *b = bytes; /* compilers make one load of these */
	return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
	       (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	unsigned char rest[sizeof(uint64_t)] = { 0 };
	uint64_t hash = stir(0, length);
	for (; length >= sizeof rest; length -= sizeof rest, at += sizeof rest)
		hash = stir(hash, hash_word(at));
	if (length > 0)
		memcpy(rest, at, length);
	hash = stir(stir(hash, hash_word(rest)), 0);
	return hash > 0 ? hash : 1;
}

uint64_t hash_fnv1a(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * UINT64_C(1099511628211);
	return hash;
}

EVP_MD_CTX *hash_sha256_new(struct error *err)
{
	EVP_MD *algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	bool is_ready = algorithm && hash && EVP_DigestInit_ex2(hash, algorithm, NULL) == 1;
	EVP_MD_free(algorithm); /* the context has a reference of its own */
	if (is_ready)
		return hash;
	EVP_MD_CTX_free(hash);
	error_set(err, EXIT_CODE_INTERNAL, "cannot set up SHA-256 of OpenSSL");
	return NULL;
}

void hash_sha256_free(EVP_MD_CTX *hash)
{
	EVP_MD_CTX_free(hash);
}

int hash_sha256_of(EVP_MD_CTX *hash, const void *bytes, size_t length, unsigned char out[HASH_SHA256_SIZE],
                   struct error *err)
{
	/* Without an algorithm it begins again with the one it has: a look-up by name for each would take longer. */
	if (EVP_DigestInit_ex2(hash, NULL, NULL) == 1 && EVP_DigestUpdate(hash, bytes, length) == 1 &&
	    EVP_DigestFinal_ex(hash, out, NULL) == 1)
		return 0;
	return error_set(err, EXIT_CODE_INTERNAL, "SHA-256 of OpenSSL failed");
}

#define HMAC_BLOCK 64

/* SHA-256 behind the first block of each of the two hashes, which the key alone decides: a copy of one takes less than
 * what EVP_MAC does to begin again. */
struct hmac {
	EVP_MD_CTX *inner;
	EVP_MD_CTX *outer;
	EVP_MD_CTX *work; /* the copy */
};

/* The hash behind the key's block, each byte of which is changed by `pad`. NULL: it failed. */
static EVP_MD_CTX *new_padded(const unsigned char key[HMAC_BLOCK], unsigned char pad, struct error *err)
{
	unsigned char block[HMAC_BLOCK];
	EVP_MD_CTX *hash = hash_sha256_new(err);
	for (size_t i = 0; i < HMAC_BLOCK; i++)
		block[i] = key[i] ^ pad;
	bool is_ready = hash && EVP_DigestUpdate(hash, block, sizeof block) == 1;
	OPENSSL_cleanse(block, sizeof block);
	if (is_ready)
		return hash;
	EVP_MD_CTX_free(hash);
	return NULL;
}

static bool set_key(struct hmac *hmac, const void *key, size_t length, struct error *err)
{
	unsigned char padded[HMAC_BLOCK] = { 0 };
	hmac->work = hash_sha256_new(err);
	if (!hmac->work)
		return false;
	if (length <= sizeof padded)
		memcpy(padded, key, length);
	else if (hash_sha256_of(hmac->work, key, length, padded, err) < 0)
		return false;
	hmac->inner = new_padded(padded, 0x36, err);
	hmac->outer = new_padded(padded, 0x5c, err);
	OPENSSL_cleanse(padded, sizeof padded);
	return hmac->inner && hmac->outer;
}

struct hmac *hmac_new(const void *key, size_t length, struct error *err)
{
	struct hmac *hmac = calloc(1, sizeof *hmac);
	if (!hmac) {
		error_no_memory(err);
		return NULL;
	}
	if (set_key(hmac, key, length, err))
		return hmac;
	hmac_free(hmac);
	error_set(err, EXIT_CODE_INTERNAL, "cannot set up HMAC-SHA256 of OpenSSL");
	return NULL;
}

void hmac_free(struct hmac *hmac)
{
	if (!hmac)
		return;
	hash_sha256_free(hmac->inner);
	hash_sha256_free(hmac->outer);
	hash_sha256_free(hmac->work);
	free(hmac);
}

/* The hash of the block and the message. *out may be the message. */
static bool finish(EVP_MD_CTX *work, const EVP_MD_CTX *padded, const void *message, size_t length,
                   unsigned char out[HMAC_SIZE])
{
	return EVP_MD_CTX_copy_ex(work, padded) == 1 && EVP_DigestUpdate(work, message, length) == 1 &&
	       EVP_DigestFinal_ex(work, out, NULL) == 1;
}

bool hmac_of(struct hmac *hmac, const void *message, size_t length, unsigned char out[HMAC_SIZE])
{
	if (finish(hmac->work, hmac->inner, message, length, out) &&
	    finish(hmac->work, hmac->outer, out, HMAC_SIZE, out))
		return true;
	memset(out, 0, HMAC_SIZE);
	return false;
}
