#include "cmd/delivery_journal.h"

#include "cmd/shell_text.h"
#include "deliver/journal.h"

#include <string.h>

static void write_results(void *context, const char *text, size_t length)
{
	struct context *c = context;
	terminal_write(c->terminal, text, length);
}

static void on_notice(void *context, const struct journal_notice *n)
{
	const struct context *c = context;
	struct terminal *t = c->terminal;
	switch (n->kind) {
	case JOURNAL_TORN_LINE:
		terminal_warn(t, "the last line of '%s' is torn: it has only %llu bytes", n->path,
		              (unsigned long long)n->count);
		break;
	case JOURNAL_BAD_LINES:
		terminal_warn(t, "%llu lines of '%s' are not results, the first at line %llu",
		              (unsigned long long)n->count, n->path, (unsigned long long)n->record);
		break;
	case JOURNAL_WAS_IN_FLIGHT:
		terminal_announce(t, "in flight when the run was cut off, so its outcome is unknown: %s:%llu",
		                  n->input ? n->input : "(made)", (unsigned long long)n->record);
		break;
	case JOURNAL_IN_FLIGHT_COUNT:
		terminal_announce(t, "%llu may have been delivered; %s", (unsigned long long)n->count,
		                  n->again ? "sent again" : "not sent again (see --retry-unknown)");
		break;
	case JOURNAL_NOT_TRUSTED:
		terminal_warn(
		        t, "'%s' belongs to an unfinished run, and '%s.inflight' %s: what was in flight is not certain",
		        n->path, n->path, n->doubt);
		break;
	}
}

int delivery_open_outputs(struct delivery_plan *plan, struct context *context, const char *selection, uint64_t *seed,
                          struct error *err)
{
	const struct delivery_options *o = plan->options;
	const char *results = o->resume ? o->resume : o->results;
	bool results_to_stdout = results && strcmp(results, "-") == 0;
	struct journal_options options = {
		.results = o->results,
		.resume = o->resume,
		.failed_only = o->failed_only,
		.selection = selection,
		.seed = seed,
		.retry_unknown = o->retry_unknown,
		.read_only = o->dry_run != DRY_RUN_OFF,
		.signals = context->signals,
		.notice = on_notice,
		.write = write_results,
		.context = context,
	};
	if (report_wishes_check(&o->reports,
	                        context->global->json ? "--json"
	                        : results_to_stdout   ? "--results"
	                                              : NULL,
	                        err) < 0 ||
	    journal_open(&plan->journal, &options, err) < 0)
		return -1;
	return 0;
}

/* --failed-only: what was accepted, and what has no end. */
static void report_not_failed(struct terminal *terminal, const struct delivery_plan *plan, uint64_t skipped)
{
	const char *results = plan->options->failed_only;
	uint64_t unsent = journal_without_line(plan->journal);
	LOCAL_BUFFER file = BUFFER_INIT;
	if (skipped > unsent)
		terminal_note(terminal, "skipped %llu accepted according to '%s'",
		              (unsigned long long)(skipped - unsent), results);
	shell_append(&file, results, strlen(results));
	if (unsent > 0)
		terminal_announce(terminal,
		                  "skipped %llu that have not finished according to '%s'; --resume %s instead of "
		                  "--failed-only sends %s",
		                  (unsigned long long)unsent, results, buffer_text(&file),
		                  unsent == 1 ? "that one" : "those");
}

/* --resume: what had ended otherwise than accepted makes the whole no success. */
static int report_finished(struct terminal *terminal, const struct delivery_plan *plan, uint64_t skipped, int code)
{
	const char *results = plan->options->resume;
	uint64_t failed = journal_not_accepted(plan->journal);
	LOCAL_BUFFER file = BUFFER_INIT;
	if (failed == 0) {
		terminal_note(terminal, "skipped %llu already finished according to '%s'", (unsigned long long)skipped,
		              results);
		return code;
	}
	shell_append(&file, results, strlen(results));
	terminal_announce(terminal,
	                  "skipped %llu already finished according to '%s', which has %llu not accepted; "
	                  "--failed-only %s instead of --resume sends %s again",
	                  (unsigned long long)skipped, results, (unsigned long long)failed, buffer_text(&file),
	                  failed == 1 ? "that one" : "those");
	return plan->options->dry_run == DRY_RUN_OFF ? (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED)
	                                             : code;
}

int delivery_report_past(struct context *context, const struct delivery_plan *plan, uint64_t skipped, bool needs_all,
                         int code)
{
	const struct delivery_options *o = plan->options;
	uint64_t missing = needs_all ? journal_missing(plan->journal) : 0;
	if (skipped > 0 && o->failed_only)
		report_not_failed(context->terminal, plan, skipped);
	else if (skipped > 0)
		code = report_finished(context->terminal, plan, skipped, code);
	if (missing == 0)
		return code;
	/* What else their files hold was not sent either. */
	terminal_announce(context->terminal, "%llu of the records of '%s' are not in the inputs",
	                  (unsigned long long)missing, o->failed_only ? o->failed_only : o->resume);
	terminal_announce(context->terminal, "hint: name the files that have them too, by the names they have now");
	return (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED);
}
