/* What checks send. */
#include "deliver/job.h"
#include "probe/run_unit.h"
#include "test.h"

TEST_AROUND_ALL(make_plan, release_plan)

/* Where the listener does not take the check's event, the defect has the same place in another one. */
TEST(test_a_defect_goes_into_an_event_that_is_accepted)
{
	bool *failed = calloc(catalog_kind_count(), sizeof *failed);
	struct job *job = calloc(1, sizeof *job);
	struct probe_maker m;
	char names[2][JOB_NAME_SIZE];
	assert_true(failed && job);
	probe_maker_init(&m, 7, "http://127.0.0.1:1/hook");
	probe_session_init(&m, 1);
	m.failed = failed;
	m.job = job;
	m.check = fresh("bad/wrong-type:details");
	for (size_t i = 0; i < 2; i++) {
		struct error err;
		assert_int_equal(make_broken(&m, &err), 0);
		snprintf(names[i], sizeof names[i], "%s", job->name);
		const char *details = strstr(buffer_text(&job->body), "\"details\":");
		assert_non_null(details);
		details += strlen("\"details\":");
		assert_true(details[strspn(details, " \n")] != '{');
		failed[catalog_kind_index(m.check->kind)] = true;
		job_clear(job);
	}
	assert_string_not_equal(names[0], names[1]);
	job_free(job);
	free(failed);
}
