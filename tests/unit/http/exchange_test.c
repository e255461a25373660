/* What is kept of a response, and the headers of a request as it goes out. */
#include "http/deliver_internal.h"
#include "http/head.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define SHOWN 512
#define KEPT  8192

static char long_value[2 * KEPT];

static void keep(struct exchange *x, const char *name, size_t length)
{
	memset(long_value, 'v', sizeof long_value);
	exchange_keep_field(x, &(struct header){ text_of(name), { long_value, length } });
}

TEST(a_value_is_cut_to_what_is_shown_unless_all_are_kept)
{
	for (size_t length = SHOWN - 1; length <= SHOWN + 1; length++) {
		struct exchange x = { .keep_head = false }, whole = { .keep_head = true };
		keep(&x, "X-Other", 3);
		keep(&x, "location", length);
		keep(&x, "Retry-After", 0);
		exchange_set_response(&x);
		assert_int_equal(x.response.header_count, 2);
		assert_int_equal(strlen(exchange_field(&x, "Location")), length < SHOWN ? length : SHOWN);
		assert_string_equal(exchange_field(&x, "retry-after"), "");
		assert_string_equal(exchange_field(&x, "Content-Type"), "");
		keep(&whole, "X-Other", length);
		exchange_set_response(&whole);
		assert_int_equal(strlen(exchange_field(&whole, "x-other")), length);
		assert_int_equal(whole.response.body.length, 0);
		exchange_release(&x);
		exchange_release(&whole);
	}
}

TEST(a_hostile_head_is_kept_to_a_bound)
{
	const size_t around = strlen("Location:\n");
	for (size_t length = KEPT - 1; length <= KEPT + 1; length++) {
		struct exchange x = { .keep_head = false };
		keep(&x, "Location", length - around);
		keep(&x, "Content-Type", 1);
		exchange_set_response(&x);
		assert_int_equal(x.response.header_count, length < KEPT ? 2 : 1);
		exchange_release(&x);
	}
}

TEST(what_goes_out_is_the_options_then_the_request_then_what_is_added)
{
	static const struct header given[] = { HEADER("X-Both", "given"), { TEXT("User-Agent"), { NULL, 0 } } };
	static const struct header own[] = { HEADER("x-both", "own"), HEADER("X-Own", ""), HEADER("Host", "elsewhere"),
		                             HEADER("User-Agent", "own") };
	const struct deliver_options options = { .url = "http://h/hook", .headers = given, .header_count = 2 };
	const struct message request = { .headers = own, .header_count = 4, .body.length = EXPECT_ABOVE + 1 };
	struct header *headers;
	struct message out;
	LOCAL_BUFFER text = BUFFER_INIT;
	assert_int_equal(deliver_request(&options, &request, &headers, &out), 0);
	assert_string_equal(out.target.text, "http://h/hook");
	assert_true(message_method_is(&out, "POST"));
	for (size_t i = 0; i < out.header_count; i++) {
		header_append_option(&out.headers[i], &text);
		buffer_append_byte(&text, '\n');
	}
	assert_string_equal(buffer_text(&text),
	                    "X-Both: given\nUser-Agent:\nExpect:\nX-Own;\nContent-Type: application/json\n");
	free(headers);
	const struct message plain = { .body.length = EXPECT_ABOVE,
		                       .method = TEXT("PUT"),
		                       .target = TEXT("http://h/x") };
	assert_int_equal(deliver_request(&(struct deliver_options){ .url = "http://h/" }, &plain, &headers, &out), 0);
	assert_int_equal(out.header_count, 2); /* Content-Type and User-Agent */
	assert_string_equal(out.target.text, "http://h/x");
	assert_true(message_method_is(&out, "PUT"));
	free(headers);
}
