#include "base/find.h"
#include "http/deliver_bench.h"
#include "http/head.h"
#include "test.h"

static unsigned times(const char *text, const char *part)
{
	unsigned count = 0;
	for (const char *found = text; (found = find_any_case(found, part)); found++)
		count++;
	return count;
}

BENCH_TEST(a_plain_delivery_says_what_it_must)
{
	struct bench *b = *state;
	start(b);
	deliver(b, "ok");
	const char *head = b->server->last_head;
	assert_int_equal(strncmp(head, "POST /hook HTTP/1.1\r\n", 21), 0);
	assert_int_equal(times(head, "\r\nContent-Type: application/json\r\n"), 1);
	assert_int_equal(times(head, "\r\nContent-Length: 4\r\n"), 1);
	assert_int_equal(times(head, "\r\nUser-Agent: credhook/"), 1);
	assert_int_equal(times(head, "\r\nExpect"), 0);
	assert_int_equal(times(head, "\r\n"), 7); /* Host and Accept too, and no other */
	struct exchange *bare = make_delivery(b, "ok");
	bare->request.headers = &(struct header){ TEXT("Content-Type"), { NULL, 0 } };
	bare->request.header_count = 1;
	run(b);
	assert_int_equal(times(head, "\r\nContent-Type"), 0);
}

BENCH_TEST(headers_of_user_record_and_default_have_an_order)
{
	static const struct header user[] = { HEADER("Authorization", "Bearer s3cret"),
		                              HEADER("x-both", "user"),
		                              { TEXT("Accept"), { NULL, 0 } },
		                              HEADER("X-Blank", "") };
	static const struct header recorded[] = {
		HEADER("X-Both", "record"),
		HEADER("X-Other", "kept"),
		HEADER("Host", "elsewhere.invalid"),
		HEADER("Content-Length", "99"),
		HEADER("Connection", "close"),
		HEADER("Transfer-Encoding", "chunked"),
		HEADER("X-Empty", ""),
		HEADER("Content-Type", "application/json; charset=utf-8"),
		HEADER("Expect", "100-continue"),
	};
	struct bench *b = *state;
	b->options.headers = user;
	b->options.header_count = 4;
	start(b);
	struct exchange *exchange = make_delivery(b, "ok");
	exchange->request.headers = recorded;
	exchange->request.header_count = sizeof recorded / sizeof recorded[0];
	exchange->request.method = text_of("PUT");
	run(b);
	const char *head = b->server->last_head;
	assert_int_equal(strncmp(head, "PUT /hook HTTP/1.1\r\n", 20), 0);
	assert_int_equal(times(head, "\r\nAuthorization: Bearer s3cret\r\n"), 1);
	assert_int_equal(times(head, "\r\nx-both:"), 1);
	assert_int_equal(times(head, "\r\nx-both: user\r\n"), 1);
	assert_int_equal(times(head, "\r\nX-Other: kept\r\n"), 1);
	assert_int_equal(times(head, "\r\nX-Empty:\r\n"), 1);
	assert_int_equal(times(head, "\r\nX-Blank:\r\n"), 1);
	assert_int_equal(times(head, "\r\nContent-Type: application/json; charset=utf-8\r\n"), 1);
	assert_int_equal(times(head, "\r\nContent-Type:"), 1);
	assert_int_equal(times(head, "\r\nContent-Length: 4\r\n"), 1);
	assert_int_equal(times(head, "elsewhere") + times(head, "chunked") + times(head, "Connection") +
	                         times(head, "Accept") + times(head, "Expect"),
	                 0);
	deliver(b, "ok"); /* and the next one on the same handle has none of it */
	assert_int_equal(strncmp(head, "POST /hook HTTP/1.1\r\n", 21), 0);
	assert_int_equal(times(head, "X-Other"), 0);
	assert_int_equal(times(head, "\r\nContent-Type: application/json\r\n"), 1);
}

BENCH_TEST(a_content_type_of_the_user_wins)
{
	static const struct header user[] = { HEADER("content-type", "text/plain") };
	struct bench *b = *state;
	b->options.headers = user;
	b->options.header_count = 1;
	start(b);
	struct exchange *exchange = make_delivery(b, "ok");
	exchange->request.headers = &(struct header)HEADER("Content-Type", "application/xml");
	exchange->request.header_count = 1;
	run(b);
	assert_int_equal(times(b->server->last_head, "\r\nContent-Type: text/plain\r\n"), 1);
	assert_int_equal(times(b->server->last_head, "\r\nContent-Type:"), 1);
}

#define BIG (8u * 1024 * 1024)

BENCH_TEST(big_and_empty_bodies_arrive_whole)
{
	struct bench *b = *state;
	char *big = malloc(BIG);
	memset(big, ' ', BIG);
	memcpy(big, "ok 7", 4);
	start(b);
	struct exchange *exchange = make_delivery(b, "");
	exchange->request.body = (struct text){ big, BIG };
	run(b);
	assert_int_equal(exchange->status, 200);
	assert_int_equal(exchange->body_sent, BIG);
	assert_int_equal(b->server->last_length, BIG);
	struct exchange *empty = make_delivery(b, "");
	empty->request.body = (struct text){ NULL, 0 };
	run(b);
	assert_int_equal(empty->status, 200);
	assert_int_equal(times(b->server->last_head, "\r\nContent-Length: 0\r\n"), 1);
	free(big);
}

BENCH_TEST(an_answer_before_the_body_is_read_counts)
{
	static const struct header user[] = { HEADER("X-Early", "1") };
	struct bench *b = *state;
	char *big = calloc(1, BIG);
	b->options.headers = user;
	b->options.header_count = 1;
	start(b);
	struct exchange *exchange = make_delivery(b, "");
	exchange->request.body = (struct text){ big, BIG };
	run(b);
	assert_int_equal(exchange->outcome, DELIVER_RESPONDED);
	assert_int_equal(exchange->status, 413);
	free(big);
}

BENCH_TEST(bad_options_are_refused)
{
	static const struct {
		struct deliver_options options;
		const char *header;
		const char *message;
	} cases[] = {
		{ { .url = "ftp://h/" }, NULL, "not http or https" },
		{ { .url = "file:///etc/passwd" }, NULL, "cannot send to 'file:///etc/passwd'" },
		{ { .url = "h/x" }, NULL, "cannot send to 'h/x'" },
		{ { .url = "http://" }, NULL, "the host is missing" },
		{ { .url = "http://h:99999/" }, NULL, "port is out of range" },
		{ { .url = "http://h/\r\nX: y" }, NULL, "a control character" },
		{ { .url = "gopher://me:pw@h/" }, NULL, "'gopher://me:***@h/'" },
		{ { .concurrency = DELIVER_MAX_CONCURRENCY + 1 }, NULL, "the concurrency 4097 is higher than 4096" },
		{ { .key = "/nonexistent/key.pem" }, NULL, "cannot open '/nonexistent/key.pem'" },
		{ { .cacert = "/nonexistent/ca.pem" }, NULL, "cannot open '/nonexistent/ca.pem'" },
		{ { .url = NULL }, "X: a\r\nY: b", "'X' contains a control character" },
		{ { .url = NULL }, "X: a\nb", "control character" },
		{ { .url = NULL }, "X: \033[31m", "control character" },
		{ { .url = NULL }, "X", "'Name: value'" },
		{ { .url = NULL }, "X Y: z", "'Name: value'" },
		{ { .url = NULL }, ": z", "'Name: value'" },
		{ { .url = NULL }, "Content-length: 3", "cannot set the header" },
		{ { .url = NULL }, "Transfer-Encoding: gzip", "chunked" },
	};
	struct bench *b = *state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct deliver_options o = cases[i].options;
		o.url = o.url ? o.url : "http://h/";
		struct header header;
		const char *line = cases[i].header;
		bool is_read = !line || header_read_option(line, strlen(line), &header, &b->err) == 0;
		o.headers = &header;
		o.header_count = line != NULL;
		struct deliverer *d = is_read ? deliverer_new(b->loop, &o, &b->err) : NULL;
		if (d)
			fail_msg("case %u was accepted", i);
		assert_int_equal(b->err.code, o.key || o.cacert ? EXIT_CODE_IO : EXIT_CODE_USAGE);
		if (!strstr(b->err.message, cases[i].message))
			fail_msg("case %u: %s", i, b->err.message);
	}
}

BENCH_TEST(a_bad_delivery_is_not_taken)
{
	struct bench *b = *state;
	b->options.url = "http://h:81/hook";
	start(b);
	static const struct header two_lines = HEADER("X", "a\r\nY: b"), type = HEADER("Content-Type", "a\r\nX: y"),
	                           nul = HEADER("X", "a\0b"), named = HEADER("X Y", "z");
	struct message bad[] = {
		{ .target = TEXT("ftp://h:81/") },
		{ .target = TEXT("https://h:81/") },
		{ .target = TEXT("http://h/") },
		{ .target = TEXT("http://i:81/") },
		{ .target = TEXT("http://h:81@i/") },
		{ .target = TEXT("http://h:81/a b") },
		{ .target = TEXT("http://h:81/\0b") },
		{ .method = TEXT("PO ST") },
		{ .method = TEXT("") },
		{ .method = TEXT("HEAD") },
		{ .headers = &two_lines, .header_count = 1 },
		{ .headers = &type, .header_count = 1 },
		{ .headers = &nul, .header_count = 1 },
		{ .headers = &named, .header_count = 1 },
	};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct exchange exchange = { .request = bad[i], .done = on_done, .context = b };
		assert_false(deliverer_submit(b->deliverer, &exchange));
		assert_int_equal(exchange.outcome, DELIVER_FAILED);
		assert_true(exchange.message[0] != '\0');
	}
	assert_int_equal(deliverer_room(b->deliverer), 1);
	assert_int_equal(b->done, 0);
}
