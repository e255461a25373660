/* Base64: the vectors of RFC 4648, any bytes there and back, and everything that is not base64 refused. */
#include "base/buffer.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

TEST(rfc_4648_vectors)
{
	static const char *const vectors[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xfb\xff\xfe", "+//+" },
	};
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
		RELEASED(buffer) text = BUFFER_INIT, bytes = BUFFER_INIT;
		buffer_append_base64(&text, vectors[i][0], strlen(vectors[i][0]));
		assert_string_equal(buffer_text(&text), vectors[i][1]);
		assert_true(buffer_decode_base64(&bytes, vectors[i][1], strlen(vectors[i][1])));
		assert_string_equal(buffer_text(&bytes), vectors[i][0]);
	}
}

TEST(any_bytes_come_back)
{
	unsigned char in[257];
	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (unsigned char)(i * 7 + i / 3);
	for (size_t length = 0; length <= sizeof in; length++) {
		RELEASED(buffer) text = BUFFER_INIT, bytes = BUFFER_INIT;
		buffer_append_base64(&text, in, length);
		assert_int_equal(text.length, (length + 2) / 3 * 4);
		assert_true(buffer_decode_base64(&bytes, buffer_text(&text), text.length));
		assert_int_equal(bytes.length, length);
		assert_memory_equal(buffer_text(&bytes), in, length);
	}
}

TEST(what_is_no_base64_is_refused_and_leaves_nothing)
{
	static const char *const wrong[] = {
		"Z",      "Zg",   "Zg=",  "=",     "====",     "Zg==Zg==", "Zh==", "Zm9=", "Z===",
		"Zm9v\n", "Zm-_", "Zm 9", "Zm9vZ", "Zm9vZ===", "Zm9v====", "Z=g=", "=g==", "Zg=v",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		RELEASED(buffer) bytes = BUFFER_INIT;
		buffer_append_text(&bytes, "before");
		if (buffer_decode_base64(&bytes, wrong[i], strlen(wrong[i])))
			fail_msg("accepted: %s", wrong[i]);
		assert_string_equal(buffer_text(&bytes), "before");
	}
	RELEASED(buffer) bytes = BUFFER_INIT;
	assert_false(buffer_decode_base64(&bytes, "Zm\0v", 4));
}
