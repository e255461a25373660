/* What goes out where a check frames its request itself. */
#include "base/clock.h"
#include "deliver/job.h"
#include "http/raw.h"
#include "probe/play/probe_check.h"
#include "probe/play/raw_request.h"
#include "probe/run_unit.h"
#include "test.h"

TEST_AROUND_ALL(make_plan, release_plan)

/* The requests of the check to that URL, all with this body. */
static void write_script_to(const char *url, const char *id, struct raw_script *script)
{
	const struct deliver_options http = { .url = url };
	struct job job = { .body = BUFFER_INIT }, *const jobs[] = { &job, &job, &job, &job };
	struct error err;
	buffer_append_text(&job.body, "{\"a\": 1}");
	job.exchange.request.body = text_of(buffer_text(&job.body));
	*script = (struct raw_script){ .text = BUFFER_INIT };
	assert_int_equal(probe_script(fresh(id)->row, &http, jobs, script, &err), 0);
	buffer_release(&job.body);
}

static void write_script(const char *id, struct raw_script *script)
{
	write_script_to("http://127.0.0.1:1/hook", id, script);
}

static size_t count(const char *text, const char *part)
{
	size_t times = 0;
	for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
		times++;
	return times;
}

/* What makes it another request than the usual one is in it once. */
TEST(test_each_framing_goes_out)
{
	static const struct {
		const char *id, *part;
	} rows[] = {
		{ "frame/two-lengths", "\r\nContent-Length: 8\r\nContent-Length: 9\r\n" },
		{ "frame/length-and-chunked", "\r\nTransfer-Encoding: chunked\r\n" },
		{ "frame/length-and-chunked", "\r\n\r\n8\r\n{\"a\": 1}\r\n0\r\n\r\n" },
		{ "frame/space-before-colon", "\r\nX-Test : 1\r\n\r\n" },
		{ "frame/bare-lf", "\nContent-Length: 8\n\n" },
		{ "frame/folded", "\r\nX-Test: 1\r\n 2\r\n\r\n" },
		{ "size/short", "\r\nContent-Length: 13\r\n\r\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct raw_script script;
		write_script(rows[i].id, &script);
		const char *text = buffer_text(&script.text);
		bool is_bare = strcmp(rows[i].id, "frame/bare-lf") == 0;
		if (count(text, rows[i].part) != 1 || count(text, "{\"a\": 1}") != 1 || count(text, "HTTP/1.1") != 1 ||
		    (count(text, "\r") == 0) != is_bare)
			fail_msg("%s: %s", rows[i].id, text);
		buffer_release(&script.text);
	}
}

TEST(test_a_request_of_http_1_0_says_so)
{
	struct raw_script script;
	write_script("http/1.0", &script);
	const char line[] = "POST /hook HTTP/1.0\r\n";
	assert_memory_equal(buffer_text(&script.text), line, strlen(line));
	buffer_release(&script.text);
}

/* The first minute of it goes out byte by byte, a second apart; what comes before the body goes out with its first. */
TEST(test_a_slow_request_goes_out_byte_by_byte)
{
	static const struct {
		const char *id;
		size_t steps;
	} rows[] = { { "slow/head", 60 }, { "slow/body", 8 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct raw_script script;
		write_script(rows[i].id, &script);
		assert_int_equal(script.step_count, rows[i].steps);
		assert_int_equal(script.steps[0].pause_ns, 0);
		for (size_t s = 1; s < script.step_count; s++) {
			assert_int_equal(script.steps[s].end, script.steps[s - 1].end + 1);
			assert_int_equal(script.steps[s].pause_ns, CLOCK_NS_PER_S);
		}
		assert_int_equal(script.max_time_ns, 62 * CLOCK_NS_PER_S);
		buffer_release(&script.text);
	}
}

TEST(test_it_goes_to_the_path_and_the_query)
{
	static const struct {
		const char *url, *line;
	} rows[] = {
		{ "http://127.0.0.1:1/hook", "POST /hook HTTP/1.1\r\n" },
		{ "http://127.0.0.1:1", "POST / HTTP/1.1\r\n" },
		{ "http://127.0.0.1:1?a=1", "POST /?a=1 HTTP/1.1\r\n" },
		{ "http://127.0.0.1:1/hook?a=1#part", "POST /hook?a=1 HTTP/1.1\r\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct raw_script script;
		write_script_to(rows[i].url, "frame/folded", &script);
		assert_memory_equal(buffer_text(&script.text), rows[i].line, strlen(rows[i].line));
		assert_int_equal(count(buffer_text(&script.text), "\r\nHost: 127.0.0.1:1\r\n"), 1);
		buffer_release(&script.text);
	}
}
