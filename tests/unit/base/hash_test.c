/* The hash is what it was: files hold it. */
#include "base/hash.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

TEST(values_stay)
{
	static const struct {
		const char *text;
		uint64_t hash;
	} rows[] = {
		{ "", UINT64_C(0x0000000000000001) },
		{ "a", UINT64_C(0x1f1b9e58e58f0568) },
		{ "01234567", UINT64_C(0xc0dba73624962d67) },
		{ "{\"n\":1}", UINT64_C(0xde33080312e85017) },
		{ "the quick brown fox jumps over the lazy dog", UINT64_C(0xafaa18055b3a1b36) },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_true(hash_bytes(rows[i].text, strlen(rows[i].text)) == rows[i].hash);
}

TEST(every_bit_and_length_matters)
{
	char text[41], other[41];
	memset(text, 'a', sizeof text);
	for (size_t length = 0; length < sizeof text; length++) {
		uint64_t hash = hash_bytes(text, length);
		assert_true(hash != hash_bytes(text, length + 1));
		for (size_t bit = 0; bit < length * 8; bit++) {
			memcpy(other, text, sizeof text);
			other[bit / 8] = (char)(other[bit / 8] ^ 1 << bit % 8);
			assert_true(hash != hash_bytes(other, length));
		}
	}
}

TEST(fnv1a_is_the_published_one)
{
	assert_true(hash_fnv1a(HASH_FNV1A, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(hash_fnv1a(hash_fnv1a(HASH_FNV1A, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void assert_hmac(struct hmac *hmac, const char *message, const char *expected)
{
	unsigned char out[HMAC_SIZE];
	char text[2 * HMAC_SIZE + 1];
	assert_true(hmac_of(hmac, message, strlen(message), out));
	for (size_t i = 0; i < HMAC_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", out[i]);
	assert_string_equal(text, expected);
}

/* RFC 4231, test cases 1, 2 and 6. */
TEST(gives_what_the_rfc_gives)
{
	struct error err;
	char key[20];
	memset(key, 0x0b, sizeof key);
	struct hmac *one = hmac_new(key, sizeof key, &err), *two = hmac_new("Jefe", 4, &err);
	assert_non_null(one);
	assert_non_null(two);
	assert_hmac(one, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	assert_hmac(two, "what do ya want for nothing?",
	            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	assert_hmac(one, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	char long_key[131];
	memset(long_key, 0xaa, sizeof long_key);
	struct hmac *six = hmac_new(long_key, sizeof long_key, &err);
	assert_non_null(six);
	assert_hmac(six, "Test Using Larger Than Block-Size Key - Hash Key First",
	            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
	hmac_free(six);
	hmac_free(one);
	hmac_free(two);
	hmac_free(NULL);
}
