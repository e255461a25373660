/* A run's journal: what it says of a run that was killed, was ended, or got through. */
#include "base/random.h"
#include "capture/folder.h"
#include "deliver/journal.h"
#include "test.h"

#include <time.h>

#define RECORDS 4

struct scene {
	char results[128], marks[128];
	struct journal_options options;
	struct journal *journal;
	unsigned in_flight; /* what the notices said */
	uint64_t last_in_flight;
	bool sent_again;
	struct error err;
};

static void on_notice(void *context, const struct journal_notice *notice)
{
	struct scene *s = context;
	if (notice->type == JOURNAL_WAS_IN_FLIGHT) {
		s->in_flight++;
		s->last_in_flight = notice->record;
		assert_string_equal(notice->input, "c.ndjson");
	}
	s->sent_again |= notice->again;
}

static void set(struct scene *s, const char *folder)
{
	*s = (struct scene){ .journal = NULL };
	snprintf(s->results, sizeof s->results, "%s/r", folder);
	snprintf(s->marks, sizeof s->marks, "%s/r.inflight", folder);
	s->options =
	        (struct journal_options){ .results = s->results, .selection = "", .notice = on_notice, .context = s };
}

static int begin(struct scene *s)
{
	int result = journal_open(&s->journal, &s->options, &s->err);
	return result == 0 ? journal_start(s->journal, 4, &s->err) : result;
}

static struct capture_id id_of(uint64_t record)
{
	return (struct capture_id){ .bytes = { (unsigned char)(record * 77), (unsigned char)record } };
}

static bool wants(struct scene *s, uint64_t record)
{
	struct capture_id id = id_of(record);
	return journal_ask(s->journal, &id) == JOURNAL_WANTED;
}

/* A job for the record that has got as far as to its worker. */
static void start(struct scene *s, struct job *job, uint64_t record)
{
	*job = (struct job){ .input = "c.ndjson", .record = record, .id = id_of(record), .has_id = true };
	journal_enter(s->journal, job);
	job->attempt = 1;
	journal_number(s->journal, job);
	journal_begin(job);
}

static void end(struct scene *s, struct job *job, int status)
{
	job->exchange.outcome = DELIVER_RESPONDED;
	job->exchange.status = status;
	job->outcome = status < 300 ? OUTCOME_ACCEPTED : OUTCOME_REJECTED;
	job->final = true;
	journal_add(s->journal, job);
	assert_int_equal(journal_flush(s->journal, &s->err), 0);
	journal_end(job);
}

static void deliver(struct scene *s, uint64_t record, int status)
{
	struct job job;
	start(s, &job, record);
	end(s, &job, status);
}

/* As if the process were gone. */
static void kill_run(struct scene *s)
{
	journal_close(s->journal);
	s->journal = NULL;
	s->in_flight = 0;
}

static void resume(struct scene *s)
{
	kill_run(s);
	s->options.resume = s->results;
	s->options.results = NULL;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

FOLDER_TEST(test_a_run_that_gets_through)
{
	struct folder *folder = *state;
	struct scene s;
	set(&s, folder->path);
	for (int run = 0; run < 2; run++) {
		assert_int_equal(begin(&s), 0);
		assert_true(exists(s.marks));
		for (uint64_t record = 1; record <= RECORDS; record++) {
			assert_true(wants(&s, record));
			deliver(&s, record, 200);
		}
		assert_false(journal_has_rest(s.journal, true));
		assert_int_equal(journal_finish(s.journal, true, &s.err), 0);
		kill_run(&s);
		assert_false(exists(s.marks));
		/* Nor do those of the next take their place. */
		assert_int_equal(begin(&s), -1);
		assert_int_equal(s.err.code, EXIT_CODE_USAGE);
		kill_run(&s);
		unlink(s.results);
	}
}

FOLDER_TEST(test_a_run_that_was_killed)
{
	struct folder *folder = *state;
	for (int again = 0; again < 2; again++) {
		struct scene s;
		struct job in_flight;
		set(&s, folder->path);
		assert_int_equal(begin(&s), 0);
		deliver(&s, 1, 200);
		deliver(&s, 2, 500);
		start(&s, &in_flight, 3);
		kill_run(&s);
		assert_true(exists(s.marks));
		/* A new run does not take its place. */
		assert_int_equal(begin(&s), -1);
		assert_int_equal(s.err.code, EXIT_CODE_USAGE);
		resume(&s);
		s.options.retry_unknown = again == 1;
		assert_int_equal(begin(&s), 0);
		assert_int_equal(s.in_flight, 1);
		assert_int_equal(s.last_in_flight, 3);
		assert_int_equal(s.sent_again, again == 1);
		assert_int_equal(journal_unknown(s.journal), again == 0);
		assert_int_equal(journal_missing(s.journal), 2 + !again);
		assert_false(wants(&s, 1) || wants(&s, 2));
		assert_int_equal(wants(&s, 3), again == 1);
		assert_int_equal(journal_missing(s.journal), 0);
		assert_true(wants(&s, 4));
		assert_int_equal(journal_not_accepted(s.journal), 1);
		kill_run(&s);
		unlink(s.results);
		unlink(s.marks);
	}
}

/* Two deliveries of one record are under way, one of them ends, and the run is killed: the other one stays unknown. */
FOLDER_TEST(test_a_record_twice_in_flight)
{
	struct folder *folder = *state;
	struct scene s;
	struct job one, other;
	set(&s, folder->path);
	assert_int_equal(begin(&s), 0);
	start(&s, &one, 1);
	start(&s, &other, 1);
	end(&s, &one, 200);
	resume(&s);
	assert_int_equal(begin(&s), 0);
	assert_int_equal(s.in_flight, 1);
	assert_false(wants(&s, 1) || wants(&s, 1));
	assert_true(wants(&s, 1));
	/* Reported once: it has a line now. */
	resume(&s);
	assert_int_equal(begin(&s), 0);
	assert_int_equal(s.in_flight, 0);
	assert_false(wants(&s, 1) || wants(&s, 1));
	kill_run(&s);
}

/* The line was written, and the process killed before its mark went. */
FOLDER_TEST(test_a_mark_whose_number_has_a_line)
{
	struct folder *folder = *state;
	struct scene s;
	struct job job;
	set(&s, folder->path);
	assert_int_equal(begin(&s), 0);
	start(&s, &job, 1);
	job.final = true;
	journal_add(s.journal, &job);
	assert_int_equal(journal_flush(s.journal, &s.err), 0);
	resume(&s);
	assert_int_equal(begin(&s), 0);
	assert_int_equal(s.in_flight, 0);
	assert_false(wants(&s, 1));
	kill_run(&s);
}

FOLDER_TEST(test_a_run_that_was_ended)
{
	struct folder *folder = *state;
	struct scene s;
	set(&s, folder->path);
	assert_int_equal(begin(&s), 0);
	deliver(&s, 1, 200);
	assert_true(journal_has_rest(s.journal, false));
	assert_int_equal(journal_finish(s.journal, false, &s.err), 0);
	resume(&s);
	s.options.selection = "--limit 3";
	assert_int_equal(begin(&s), -1);
	assert_non_null(strstr(s.err.message, "another selection"));
	kill_run(&s);
	s.options.selection = "";
	/* As long as its records do not come by it is not over. */
	for (int is_missing = 1; is_missing >= 0; is_missing--) {
		assert_int_equal(begin(&s), 0);
		assert_true(is_missing || !wants(&s, 1));
		assert_int_equal(journal_missing(s.journal), is_missing);
		assert_int_equal(journal_finish(s.journal, true, &s.err), 0);
		kill_run(&s);
		assert_int_equal(exists(s.marks), is_missing);
	}
}

#define MANY 60000

/* Processor time to read the results of a run whose ids are random but for these bytes, which all have in common. */
static double time_to_read(struct scene *s, size_t shared_from, size_t shared)
{
	struct random random;
	random_seed(&random, 1);
	FILE *file = fopen(s->results, "w");
	assert_non_null(file);
	for (unsigned i = 1; i <= MANY; i++) {
		fprintf(file, "{\"number\":%u,\"input\":\"c.ndjson\",\"record\":%u,\"id\":\"", i, i);
		for (size_t byte = 0; byte < sizeof(struct capture_id); byte++) {
			unsigned value = (unsigned)random_below(&random, 256);
			fprintf(file, "%02x", byte - shared_from < shared ? 0x77 : value);
		}
		fprintf(file, "\",\"attempt\":1,\"final\":true,\"outcome\":\"accepted\"%s}\n",
		        i == 1 ? ",\"selection\":\"\",\"seed\":null,\"ended\":true " : "");
	}
	fclose(file);
	clock_t from = clock();
	assert_int_equal(journal_open(&s->journal, &s->options, &s->err), 0);
	assert_int_equal(journal_missing(s->journal), MANY);
	clock_t to = clock();
	kill_run(s);
	return (double)(to - from) / CLOCKS_PER_SEC;
}

/* It took as long as the square of their number where the first four bytes decided: a hundred times as long. */
FOLDER_TEST(test_ids_that_were_made_to_be_alike)
{
	static const size_t rows[][2] = { { 0, 4 }, { 4, 4 }, { 8, 4 }, { 12, 4 }, { 0, 12 }, { 4, 12 } };
	struct folder *folder = *state;
	struct scene s;
	set(&s, folder->path);
	resume(&s);
	double random = time_to_read(&s, 0, 0);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		double seconds = time_to_read(&s, rows[i][0], rows[i][1]);
		if (seconds > 10 * random + 0.2)
			fail_msg("alike from byte %zu: %.3f s, random: %.3f s", rows[i][0], seconds, random);
	}
}
