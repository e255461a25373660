/* A run's journal: what it says of a run that was killed, was ended, or got through. */
#include "base/clock.h"
#include "base/hash.h"
#include "capture/folder.h"
#include "deliver/journal.h"

static const char *const lines[] = { "{\"n\":1}", "{\"n\":2}", "{\"n\":3}", "{\"n\":4}" };
#define RECORDS 4

struct scene {
	char input[128], results[128], marks[128];
	struct source_file file;
	struct source_files files;
	struct journal_options options;
	struct journal *journal;
	struct journal_input *known;
	unsigned in_flight; /* what the notices said */
	uint64_t last_in_flight;
	bool sent_again;
	struct error err;
};

static void on_notice(void *context, const struct journal_notice *notice)
{
	struct scene *s = context;
	if (notice->kind == JOURNAL_WAS_IN_FLIGHT) {
		s->in_flight++;
		s->last_in_flight = notice->record;
		assert_string_equal(notice->input, s->input);
	}
	s->sent_again |= notice->again;
}

static void set(struct scene *s, const char *folder)
{
	*s = (struct scene){ .known = NULL };
	snprintf(s->input, sizeof s->input, "%s/c.ndjson", folder);
	snprintf(s->results, sizeof s->results, "%s/r", folder);
	snprintf(s->marks, sizeof s->marks, "%s/r.inflight", folder);
	FILE *file = fopen(s->input, "w");
	for (size_t i = 0; i < RECORDS; i++)
		fprintf(file, "%s\n", lines[i]);
	fclose(file);
	s->file.path = s->input;
	s->files = (struct source_files){ .files = &s->file, .count = 1 };
	s->options = (struct journal_options){ .results = s->results, .notice = on_notice, .context = s };
}

static uint64_t hash_of(uint64_t record)
{
	return hash_bytes(lines[record - 1], strlen(lines[record - 1]));
}

/* Opens the journal, and the input with it. */
static int begin(struct scene *s)
{
	int fd = open(s->input, O_RDONLY | O_CLOEXEC);
	int result = journal_open(&s->journal, &s->options, &s->files, &s->err);
	if (result == 0)
		result = journal_start(s->journal, 4, &s->err);
	if (result == 0)
		result = journal_begin_input(s->journal, s->input, fd, hash_of(1), 1, &s->known, &s->err);
	close(fd);
	return result;
}

static bool wants(struct scene *s, uint64_t record)
{
	int wanted = journal_wants(s->journal, s->known, record, hash_of(record), &s->err);
	assert_true(wanted >= 0);
	return wanted > 0;
}

/* A job for the record that has got as far as to its worker. */
static void start(struct scene *s, struct job *job, uint64_t record)
{
	*job = (struct job){ .input = s->input, .record = record, .known = s->known, .hash = hash_of(record) };
	journal_enter(s->journal, job);
	journal_take(s->journal, job);
	job->attempt = 1;
	journal_begin(job);
}

static void end(struct scene *s, struct job *job, int status)
{
	job->delivery.outcome = DELIVER_RESPONDED;
	job->delivery.status = status;
	job->outcome = status < 300 ? OUTCOME_ACCEPTED : OUTCOME_REJECTED;
	job->final = true;
	journal_add(s->journal, job);
	assert_int_equal(journal_flush(s->journal, &s->err), 0);
	journal_end(job);
	journal_let_go(s->journal, job);
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
}

static void resume(struct scene *s)
{
	s->options.resume = s->results;
	s->options.results = NULL;
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static void test_a_run_that_gets_through(void **state)
{
	struct folder *folder = *state;
	struct scene s;
	set(&s, folder->path);
	assert_int_equal(begin(&s), 0);
	assert_true(exists(s.marks));
	for (uint64_t record = 1; record <= RECORDS; record++) {
		assert_true(wants(&s, record));
		deliver(&s, record, 200);
	}
	assert_int_equal(journal_end_inputs(s.journal, &s.err), 0);
	assert_int_equal(journal_rest(s.journal, true), JOURNAL_DONE);
	assert_int_equal(journal_finish(s.journal, true, &s.err), 0);
	journal_close(s.journal);
	assert_false(exists(s.marks));
	/* Results that are done with are replaced by those of the same input. */
	assert_int_equal(begin(&s), 0);
	journal_close(s.journal);
}

static void test_a_run_that_was_killed(void **state)
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
		kill_run(&s);
		resume(&s);
		s.options.retry_unknown = again == 1;
		assert_int_equal(begin(&s), 0);
		assert_int_equal(s.in_flight, 1);
		assert_int_equal(s.last_in_flight, 3);
		assert_int_equal(s.sent_again, again == 1);
		assert_int_equal(journal_unknown(s.journal), again == 0);
		assert_false(wants(&s, 1) || wants(&s, 2));
		assert_int_equal(wants(&s, 3), again == 1);
		assert_true(wants(&s, 4));
		assert_int_equal(journal_not_accepted(s.journal), 1);
		kill_run(&s);
		unlink(s.results);
		unlink(s.marks);
	}
}

static void test_a_run_that_was_ended(void **state)
{
	struct folder *folder = *state;
	struct scene s;
	set(&s, folder->path);
	assert_int_equal(begin(&s), 0);
	deliver(&s, 1, 200);
	assert_int_equal(journal_rest(s.journal, false), JOURNAL_LEFT);
	assert_int_equal(journal_finish(s.journal, false, &s.err), 0);
	kill_run(&s);
	resume(&s);
	assert_int_equal(begin(&s), 0);
	assert_false(wants(&s, 1));
	for (uint64_t record = 2; record <= RECORDS; record++) {
		assert_true(wants(&s, record));
		deliver(&s, record, 200);
	}
	assert_int_equal(journal_end_inputs(s.journal, &s.err), 0);
	assert_int_equal(journal_finish(s.journal, true, &s.err), 0);
	journal_close(s.journal);
	assert_false(exists(s.marks));
}

static void test_only_what_failed(void **state)
{
	struct folder *folder = *state;
	struct scene s;
	set(&s, folder->path);
	assert_int_equal(begin(&s), 0);
	for (uint64_t record = 1; record <= RECORDS; record++)
		deliver(&s, record, record % 2 ? 200 : 503);
	assert_int_equal(journal_end_inputs(s.journal, &s.err), 0);
	assert_int_equal(journal_finish(s.journal, true, &s.err), 0);
	kill_run(&s);
	s.options.failed_only = s.results;
	s.options.results = NULL;
	assert_int_equal(begin(&s), 0);
	for (uint64_t record = 1; record <= RECORDS; record++)
		assert_int_equal(wants(&s, record), record % 2 == 0);
	journal_close(s.journal);
}

static void test_other_inputs(void **state)
{
	struct folder *folder = *state;
	struct scene s;
	set(&s, folder->path);
	assert_int_equal(begin(&s), 0);
	deliver(&s, 1, 200);
	assert_int_equal(journal_finish(s.journal, false, &s.err), 0);
	kill_run(&s);
	FILE *file = fopen(s.input, "w");
	fprintf(file, "{\"n\":9}\n");
	fclose(file);
	resume(&s);
	assert_int_equal(begin(&s), -1);
	assert_int_equal(s.err.code, EXIT_CODE_USAGE);
	kill_run(&s);
	/* Nor is somebody else's file replaced. */
	set(&s, folder->path);
	file = fopen(s.results, "w");
	fprintf(file, "shopping list\n");
	fclose(file);
	assert_int_equal(begin(&s), -1);
	assert_int_equal(s.err.code, EXIT_CODE_USAGE);
	kill_run(&s);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FOLDER(test_a_run_that_gets_through),
		WITH_FOLDER(test_a_run_that_was_killed),
		WITH_FOLDER(test_a_run_that_was_ended),
		WITH_FOLDER(test_only_what_failed),
		WITH_FOLDER(test_other_inputs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
