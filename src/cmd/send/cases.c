#include "cmd/make.h"
#include "cmd/report.h"
#include "cmd/send/report.h"

#include <stdlib.h>
#include <string.h>

struct send_cases {
	struct report_files files;
	const struct send_run *run;
	struct inputs_observer observer;
	const struct inputs_observer *next_observer;
};

static void on_problem(void *context, const struct error *problem)
{
	struct send_cases *cases = context;
	cases->next_observer->problem(cases->next_observer->context, problem);
	report_files_case(&cases->files, &(struct report_case){ .group = cases->run->context->command,
	                                                        .name = "readable",
	                                                        .verdict = REPORT_ERROR,
	                                                        .type = "unreadable",
	                                                        .message = problem->message });
}

static void on_opening(void *context, const char *path)
{
	const struct send_cases *cases = context;
	cases->next_observer->opening(cases->next_observer->context, path);
}

static void on_counted(void *context, const char *path, const struct entry_counts *counts)
{
	const struct send_cases *cases = context;
	cases->next_observer->counted(cases->next_observer->context, path, counts);
}

int send_cases_open(struct send_run *run, struct inputs *inputs, struct error *err)
{
	const struct send_options *o = run->options;
	const char *results = o->resume ? o->resume : o->results;
	if (o->reports.count == 0)
		return 0;
	struct send_cases *cases = run->cases = calloc(1, sizeof *cases);
	if (!cases)
		return error_no_memory(err);
	cases->run = run;
	cases->observer = (struct inputs_observer){ on_problem, on_opening, on_counted, cases };
	cases->next_observer = inputs->observer;
	inputs->observer = &cases->observer;
	const struct report_wishes *wishes = &cases->run->options->reports;
	struct source_files given = inputs->files; /* and what nobody may replace */
	given.also_in_use = cases->run->context->in_use;
	return report_files_open(&cases->files, cases->run->context, wishes, &given,
	                         results && strcmp(results, "-") != 0 ? results : NULL, err);
}

void send_cases_free(struct send_cases *cases)
{
	if (!cases)
		return;
	report_files_release(&cases->files);
	free(cases);
}

/* "expected 2xx, got 500": as on the screen, but whole for each. */
static void append_message(struct buffer *out, const struct send_run *run, const struct job *job)
{
	const char *expected = run->options->expect_status.text;
	LOCAL_BUFFER why = BUFFER_INIT;
	if (job->has_expected)
		buffer_printf(out, "expected %d as recorded, ", job->recorded_status);
	else
		buffer_printf(out, "expected %s, ", expected ? expected : SEND_EXPECTED_DEFAULT);
	if (job->delivery.outcome == DELIVER_RESPONDED)
		buffer_printf(out, "got %d", job->delivery.status);
	else
		buffer_append_text(out, job->outcome == OUTCOME_FAILED ? "not sent" : "got no full response");
	send_append_message(&why, run, job);
	if (why.length > 0)
		buffer_printf(out, ": %s", buffer_text(&why));
	out->failed |= why.failed;
}

static int64_t duration_of(const struct job *job)
{
	return job->first_ns > 0 ? job->delivery.finished_ns - job->first_ns : 0;
}

void send_cases_add(struct send_cases *cases, const struct job *job, bool in_flight)
{
	LOCAL_BUFFER group = BUFFER_INIT, name = BUFFER_INIT, message = BUFFER_INIT, details = BUFFER_INIT;
	if (!cases)
		return;
	bool failed = in_flight || job->outcome != OUTCOME_ACCEPTED || job->late;
	/* A file's as in the lines of validate's reports; of several that were made alike, the later ones with their
	 * number. Of cases of one name CI systems keep one. */
	const char *event = job->name[0] ? job->name : "unknown event";
	if (job->input) {
		report_append_file(job->input, &name);
		buffer_printf(&name, ":%llu ", (unsigned long long)job->record);
	}
	buffer_append_text(&name, event);
	if (job->made > 1)
		buffer_printf(&name, " #%llu", (unsigned long long)job->made);
	if (job->input)
		report_append_class(job->input, &group);
	else
		buffer_append_text(&group, cases->run->context->command);
	if (in_flight)
		buffer_append_text(&message, "interrupted in flight: it may have been delivered");
	else if (failed)
		append_message(&message, cases->run, job);
	if (failed && !in_flight)
		send_append_response(&details, job);
	if (job->attempt > 1)
		buffer_printf(&details, "attempt %u\n", job->attempt);
	if (failed && !job->input)
		buffer_printf(&details, "seed %llu makes the same payload\n",
		              (unsigned long long)cases->run->maker->seed);
	report_files_case(&cases->files, &(struct report_case){ .group = buffer_text(&group),
	                                                        .name = buffer_text(&name),
	                                                        .verdict = failed ? REPORT_FAILED : REPORT_PASSED,
	                                                        .type = in_flight   ? outcome_names[OUTCOME_UNKNOWN]
	                                                                : job->late ? "late"
	                                                                            : outcome_names[job->outcome],
	                                                        .message = buffer_text(&message),
	                                                        .details = buffer_text(&details),
	                                                        .ns = in_flight ? 0 : duration_of(job) });
}

void send_cases_refused(struct send_cases *cases, const struct report_payload *payload)
{
	if (cases)
		report_files_payload(&cases->files, payload);
}

int send_cases_finish(struct send_cases *cases, int code, struct error *err)
{
	return cases ? report_files_finish(&cases->files, code, cases->run->context->terminal, err) : code;
}
