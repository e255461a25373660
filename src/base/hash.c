#include "base/hash.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
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

EVP_MAC_CTX *hmac_new(const void *key, size_t length, struct error *err)
{
	char digest[] = "SHA256";
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		                OSSL_PARAM_construct_end() };
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *hmac = mac ? EVP_MAC_CTX_new(mac) : NULL;
	EVP_MAC_free(mac); /* the context has a reference of its own */
	if (hmac && EVP_MAC_init(hmac, key, length, params) == 1)
		return hmac;
	EVP_MAC_CTX_free(hmac);
	error_set(err, EXIT_CODE_INTERNAL, "cannot set up HMAC-SHA256 of OpenSSL");
	return NULL;
}

void hmac_free(EVP_MAC_CTX *hmac)
{
	EVP_MAC_CTX_free(hmac);
}

bool hmac_of(EVP_MAC_CTX *hmac, const void *message, size_t length, unsigned char out[HMAC_SIZE])
{
	size_t written = 0;
	/* Without a key it begins again with the one it has. */
	if (EVP_MAC_init(hmac, NULL, 0, NULL) == 1 && EVP_MAC_update(hmac, message, length) == 1 &&
	    EVP_MAC_final(hmac, out, &written, HMAC_SIZE) == 1 && written == HMAC_SIZE)
		return true;
	memset(out, 0, HMAC_SIZE);
	return false;
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
