#include "base/hash.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void assert_hmac(struct hmac *hmac, const char *message, const char *expected)
{
	unsigned char out[HMAC_SIZE];
	char text[2 * HMAC_SIZE + 1];
	assert_true(hmac_of(hmac, message, strlen(message), out));
	for (size_t i = 0; i < HMAC_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", out[i]);
	assert_string_equal(text, expected);
}

/* RFC 4231, test cases 1 and 2. */
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
	hmac_free(one);
	hmac_free(two);
	hmac_free(NULL);
}
