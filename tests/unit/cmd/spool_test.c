#include "capture/record.h"
#include "cmd/list/spool.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static struct capture_record record_of(const char *body)
{
	return (struct capture_record){
		.received_us = 1700000000000000,
		.request = { .method = TEXT("POST"), .target = TEXT("/"), .body = text_of(body) },
	};
}

/* What a listener got with that number of its own. */
static struct notification notification_of(const struct message *request, uint64_t seq)
{
	return (struct notification){ .seq = seq, .request = request, .remote = "", .status = 200, .received_us = 1 };
}

static void assert_kept(struct spool *spool, uint64_t number, const char *body, struct spool_facts *facts)
{
	RELEASED(capture_scratch) scratch = CAPTURE_SCRATCH_INIT;
	RELEASED(buffer) kept = BUFFER_INIT;
	struct capture_record record;
	struct text line;
	struct error err;
	assert_int_equal(spool_read(spool, number, &line, facts, &kept, &err), 0);
	assert_int_equal(line.text[line.length - 1], '\n');
	assert_int_equal(capture_record_parse(&scratch, line.text, line.length, &record, &err), 0);
	assert_int_equal(record.request.body.length, strlen(body));
	assert_memory_equal(record.request.body.text, body, strlen(body));
	assert_string_equal(facts->error, "");
}

TEST(test_records_and_arrivals_are_one_list)
{
	struct error err;
	struct spool *spool = spool_new(&err);
	struct spool_entry entry;
	struct spool_facts facts;
	struct capture_record first = record_of("{\"a\":1}"), second = record_of("{\"b\":2}");
	struct message request = first.request;
	struct notification arrived = notification_of(&request, 77);
	assert_non_null(spool);
	assert_int_equal(spool_count(spool), 0);
	assert_false(spool_find(spool, 0, &entry));
	assert_false(spool_find(spool, 1, &entry));
	assert_int_equal(spool_add_record(spool, &first, (struct text){ NULL, 0 }, &err), 0);
	assert_int_equal(spool_add_record(spool, &second, (struct text){ NULL, 0 }, &err), 0);
	assert_int_equal(spool_add_arrival(spool, &arrived, &err), 0);
	assert_int_equal(spool_count(spool), 3);
	assert_kept(spool, 2, "{\"b\":2}", &facts);
	assert_int_equal(facts.repeat.nth, 0);
	/* It repeats what was opened. */
	assert_kept(spool, 3, "{\"a\":1}", &facts);
	assert_int_equal(facts.repeat.nth, 1);
	assert_int_equal(facts.repeat.of, 1);
	assert_kept(spool, 1, "{\"a\":1}", &facts);
	assert_true(spool_find(spool, 2, &entry) && !entry.has_arrived);
	assert_true(spool_find(spool, 3, &entry) && entry.has_arrived && !entry.is_checked && !entry.is_expected);
	spool_expect(spool, 3);
	assert_true(spool_find(spool, 3, &entry) && entry.is_expected);
	assert_false(spool_find(spool, 4, &entry));
	assert_false(spool_forwards(spool));
	spool_free(spool);
	spool_free(NULL);
}

TEST(test_a_line_is_kept_byte_for_byte)
{
	static const char line[] = "{\"v\":1 , \"more\":2}\n";
	struct error err;
	struct spool *spool = spool_new(&err);
	struct capture_record record = record_of("x");
	RELEASED(buffer) kept = BUFFER_INIT;
	struct spool_facts facts;
	struct text read;
	assert_int_equal(spool_add_record(spool, &record, (struct text)TEXT(line), &err), 0);
	assert_int_equal(spool_read(spool, 1, &read, &facts, &kept, &err), 0);
	assert_int_equal(read.length, sizeof line - 1);
	assert_memory_equal(read.text, line, read.length);
	spool_free(spool);
}

/* Beyond the largest file that the system permits. */
TEST(test_what_there_is_no_room_for_changes_nothing)
{
	struct rlimit before, small;
	struct error err;
	struct spool *spool = spool_new(&err);
	struct capture_record first = record_of("{\"a\":1}");
	char *large = malloc(5000);
	memset(large, 'x', 5000);
	large[4999] = '\0';
	struct capture_record second = record_of(large);
	struct spool_facts facts;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(spool_add_record(spool, &first, (struct text){ NULL, 0 }, &err), 0);
	assert_int_equal(spool_add_record(spool, &second, (struct text){ NULL, 0 }, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_int_equal(spool_count(spool), 1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, handler);
	assert_int_equal(spool_add_record(spool, &second, (struct text){ NULL, 0 }, &err), 0);
	assert_kept(spool, 2, large, &facts);
	assert_int_equal(facts.repeat.nth, 0); /* what was not kept is not its first */
	assert_kept(spool, 1, "{\"a\":1}", &facts);
	free(large);
	spool_free(spool);
}

enum { MANY = 2000 };

static void *add_many(void *context)
{
	const struct message request = record_of("{\"a\":1}").request;
	struct error err;
	for (uint64_t i = 0; i < MANY; i++) {
		struct notification arrived = notification_of(&request, i);
		assert_int_equal(spool_add_arrival(context, &arrived, &err), 0);
	}
	return NULL;
}

TEST(test_one_thread_adds_while_another_reads)
{
	pthread_t thread;
	struct error err;
	struct spool_facts facts;
	struct spool *spool = spool_new(&err);
	assert_int_equal(pthread_create(&thread, NULL, add_many, spool), 0);
	for (uint64_t number = 1; number <= MANY;)
		if (number <= spool_count(spool)) {
			assert_kept(spool, number, "{\"a\":1}", &facts);
			assert_int_equal(facts.repeat.nth, number - 1);
			number++;
		}
	pthread_join(thread, NULL);
	spool_free(spool);
}
