/* What checks send. */
#include "deliver/job.h"
#include "probe/run_unit.h"
#include "test.h"

#include <ctype.h>
#include <strings.h>
#include <zlib.h>

TEST_AROUND_ALL(make_plan, release_plan)

/* Where the listener does not take the check's event, the defect has the same place in another one, be it the first
 * place there. */
TEST(test_a_defect_goes_into_an_event_that_is_accepted)
{
	static const char *const ids[] = { "bad/wrong-type:details", "bad/missing-key:service" };
	for (size_t n = 0; n < sizeof ids / sizeof ids[0]; n++) {
		bool *failed = calloc(catalog_kind_count(), sizeof *failed);
		struct job *job = calloc(1, sizeof *job);
		struct probe_maker m;
		char names[2][JOB_NAME_SIZE];
		assert_true(failed && job);
		probe_maker_init(&m, 7, "http://127.0.0.1:1/hook");
		probe_session_init(&m, 1);
		m.failed = failed;
		m.job = job;
		m.check = fresh(ids[n]);
		for (size_t i = 0; i < 2; i++) {
			struct error err;
			assert_int_equal(make_broken(&m, &err), 0);
			snprintf(names[i], sizeof names[i], "%s", job->name);
			const char *text = buffer_text(&job->body), *details = strstr(text, "\"details\":");
			assert_non_null(details);
			details += strlen("\"details\":");
			assert_true(n == 0 ? details[strspn(details, " \n")] != '{' : !strstr(text, "\"service\""));
			failed[catalog_kind_index(m.check->kind)] = true;
			job_clear(job);
		}
		assert_string_not_equal(names[0], names[1]);
		job_free(job);
		free(failed);
	}
}

/* The request of the check, by a maker of that seed. */
static void make_request(probe_make *make, const char *id, struct job *job, struct probe_maker *m)
{
	bool *failed = calloc(catalog_kind_count(), sizeof *failed);
	struct error err;
	assert_non_null(failed);
	probe_maker_init(m, 7, "http://127.0.0.1:1/hook");
	m->accepted = catalog_kind_at(0);
	m->failed = failed;
	m->check = fresh(id);
	m->job = job;
	job_clear(job);
	assert_int_equal(make(m, &err), 0);
	free(failed);
}

/* A valid payload for the check, and what it sends. */
static void make_both(const char *id, struct buffer *valid, struct job *job, struct probe_maker *m)
{
	make_request(make_valid, id, job, m);
	buffer_append(valid, job->body.data, job->body.length);
	make_request(m->check->row->make, id, job, m);
}

TEST(test_what_is_compressed_is_the_whole_payload)
{
	RELEASED(buffer) valid = BUFFER_INIT;
	struct job *job = calloc(1, sizeof *job);
	struct probe_maker m;
	char text[4096];
	assert_non_null(job);
	make_both("type/gzip", &valid, job, &m);
	z_stream stream = { .next_in = (Bytef *)job->body.data,
		            .avail_in = (uInt)job->body.length,
		            .next_out = (Bytef *)text,
		            .avail_out = sizeof text };
	assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, valid.length);
	assert_memory_equal(text, valid.data, valid.length);
	inflateEnd(&stream);
	job_free(job);
}

/* All of them, and nothing else. */
TEST(test_identifiers_go_out_in_upper_case)
{
	RELEASED(buffer) valid = BUFFER_INIT;
	struct job *job = calloc(1, sizeof *job);
	struct probe_maker m;
	size_t raised = 0;
	assert_non_null(job);
	make_both("form/uuid-case", &valid, job, &m);
	const char *before = buffer_text(&valid), *after = buffer_text(&job->body);
	assert_int_equal(strcasecmp(before, after), 0);
	assert_null(strstr(after, m.run_id));
	for (const char *at = before; (at = strstr(at, m.run_id)) != NULL; at++, raised++)
		for (const char *c = at; isxdigit((unsigned char)*c) || *c == '-'; c++)
			assert_int_equal(after[c - before], toupper((unsigned char)*c));
	assert_true(raised > 1);
	assert_non_null(strstr(after, "\"details\""));
	job_free(job);
}

/* Of a payload that would be taken, so that nothing else is a reason to refuse it. */
TEST(test_what_is_not_json_is_nearly_a_payload)
{
	static const struct {
		const char *id, *before, *behind;
		size_t left_out, of; /* a part of its end: so much of so much */
	} rows[] = {
		{ "json/bom", "\xEF\xBB\xBF", "", 0, 1 },
		{ "json/truncated", "", "", 1, 2 },
		{ "json/trailing-comma", "", ",}", 0, 1 },
	};
	struct job *job = calloc(1, sizeof *job);
	assert_non_null(job);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) valid = BUFFER_INIT, expected = BUFFER_INIT;
		struct probe_maker m;
		make_both(rows[i].id, &valid, job, &m);
		size_t kept = valid.length * (rows[i].of - rows[i].left_out) / rows[i].of;
		buffer_append_text(&expected, rows[i].before);
		buffer_append(&expected, valid.data, kept - (rows[i].behind[0] != '\0'));
		buffer_append_text(&expected, rows[i].behind);
		assert_string_equal(buffer_text(&job->body), buffer_text(&expected));
	}
	job_free(job);
}

/* The same payload, in the spelling that the check is about. */
TEST(test_a_spelling_is_of_its_own_check)
{
	static const struct {
		const char *id, *begin;
	} rows[] = {
		{ "form/key-order", "{\"details\":{\"address\":{\"zip\":" },
		{ "form/whitespace", "{\n  \"service\": \"user\",\n" },
		{ "form/escapes", "{\"\\u0073\\u0065\\u0072\\u0076" },
	};
	struct job *job = calloc(1, sizeof *job);
	assert_non_null(job);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) valid = BUFFER_INIT;
		struct probe_maker m;
		make_both(rows[i].id, &valid, job, &m);
		if (strncmp(buffer_text(&job->body), rows[i].begin, strlen(rows[i].begin)) != 0)
			fail_msg("%s: %s", rows[i].id, buffer_text(&job->body));
	}
	job_free(job);
}

/* Of one customer, in the order of its argument. */
TEST(test_events_of_an_order_come_in_that_order)
{
	static const char *const names[] = { "user-created", "monitored-element-removed", "monitored-element-added" };
	const struct probe_maker m = { .check = fresh("order/removed-before-added") };
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(probe_named_kind(&m, i).event->name, names[i]);
}
