#include "cmd/send/cases.h"

#include "cmd/make.h"
#include "cmd/report.h"
#include "cmd/send/reasons.h"

#include <stdlib.h>
#include <string.h>

struct delivery_cases {
	struct report_files files;
	struct context *context;
	const struct delivery_plan *plan;
	struct inputs_observer observer;
	const struct inputs_observer *next_observer;
};

static void on_problem(void *context, const struct error *problem)
{
	struct delivery_cases *cases = context;
	cases->next_observer->problem(cases->next_observer->context, problem);
	report_files_case(&cases->files, &(struct report_case){ .group = cases->context->command,
	                                                        .name = "readable",
	                                                        .verdict = REPORT_ERROR,
	                                                        .type = "unreadable",
	                                                        .message = problem->message });
}

static void on_opening(void *context, const char *path)
{
	const struct delivery_cases *cases = context;
	cases->next_observer->opening(cases->next_observer->context, path);
}

static void on_counted(void *context, const char *path, const struct entry_counts *counts)
{
	const struct delivery_cases *cases = context;
	cases->next_observer->counted(cases->next_observer->context, path, counts);
}

static int open_files(struct delivery_cases *cases, const struct inputs *inputs, const char *results, struct error *err)
{
	const struct report_wishes *wishes = &cases->plan->options->reports;
	struct source_files given = inputs->files; /* and what nobody may replace */
	given.also_in_use = cases->context->in_use;
	return report_files_open(&cases->files, cases->context, wishes, &given, results, err);
}

int delivery_cases_open(struct delivery_plan *plan, struct context *context, struct inputs *inputs, struct error *err)
{
	const struct delivery_options *o = plan->options;
	const char *results = o->resume ? o->resume : o->results;
	if (o->reports.count == 0)
		return 0;
	struct delivery_cases *cases = plan->cases = calloc(1, sizeof *cases);
	if (!cases)
		return error_no_memory(err);
	cases->context = context;
	cases->plan = plan;
	cases->observer = (struct inputs_observer){ on_problem, on_opening, on_counted, cases };
	cases->next_observer = inputs->observer;
	inputs->observer = &cases->observer;
	return open_files(cases, inputs, results && strcmp(results, "-") != 0 ? results : NULL, err);
}

void delivery_cases_free(struct delivery_cases *cases)
{
	if (!cases)
		return;
	report_files_release(&cases->files);
	free(cases);
}

/* A file's as in the lines of validate's reports; of several that were made alike, the later ones with their number.
 * Of cases of one name CI systems keep one. */
static void append_name(struct buffer *out, const struct job *job)
{
	const char *event = job->name[0] ? job->name : "unknown event";
	if (job->input) {
		report_append_file(job->input, out);
		buffer_printf(out, ":%llu ", (unsigned long long)job->record);
	}
	buffer_append_text(out, event);
	if (job->made > 1)
		buffer_printf(out, " #%llu", (unsigned long long)job->made);
}

/* "expected 2xx, got 500": as on the screen, but whole for each. */
static void append_message(struct buffer *out, const struct delivery_plan *plan, const struct job *job)
{
	const char *expected = plan->options->expect_status.text;
	LOCAL_BUFFER why = BUFFER_INIT;
	if (job->has_expected)
		buffer_printf(out, "expected %d as recorded, ", job->recorded_status);
	else
		buffer_printf(out, "expected %s, ", expected ? expected : DELIVERY_EXPECTED_DEFAULT);
	if (job->delivery.outcome == DELIVER_RESPONDED)
		buffer_printf(out, "got %d", job->delivery.status);
	else
		buffer_append_text(out, job->outcome == OUTCOME_FAILED ? "not sent" : "got no full response");
	delivery_append_message(&why, plan, job);
	if (why.length > 0)
		buffer_printf(out, ": %s", buffer_text(&why));
	out->failed |= why.failed;
}

static int64_t duration_of(const struct job *job)
{
	return job->first_ns > 0 ? job->delivery.finished_ns - job->first_ns : 0;
}

void delivery_cases_add(struct delivery_cases *cases, const struct job *job, bool in_flight)
{
	LOCAL_BUFFER group = BUFFER_INIT, name = BUFFER_INIT, message = BUFFER_INIT, details = BUFFER_INIT;
	if (!cases)
		return;
	bool failed = in_flight || job->outcome != OUTCOME_ACCEPTED || job->late;
	append_name(&name, job);
	if (job->input)
		report_append_class(job->input, &group);
	else
		buffer_append_text(&group, cases->context->command);
	if (in_flight)
		buffer_append_text(&message, "interrupted in flight: it may have been delivered");
	else if (failed)
		append_message(&message, cases->plan, job);
	if (failed && !in_flight)
		delivery_append_response(&details, job);
	if (job->attempt > 1)
		buffer_printf(&details, "attempt %u\n", job->attempt);
	if (failed && !job->input)
		buffer_printf(&details, "seed %llu makes the same payload\n",
		              (unsigned long long)cases->plan->maker->seed);
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

void delivery_cases_refused(struct delivery_cases *cases, const struct report_payload *payload)
{
	if (cases)
		report_files_payload(&cases->files, payload);
}

int delivery_cases_finish(struct delivery_cases *cases, int code, struct error *err)
{
	return cases ? report_files_finish(&cases->files, code, cases->context->terminal, err) : code;
}
