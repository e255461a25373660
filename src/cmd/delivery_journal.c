#include "cmd/delivery_journal.h"

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
	case JOURNAL_IN_DOUBT:
		terminal_warn(
		        t,
		        "'%s' belongs to an unfinished run, and '%s.inflight' %s: what was in flight is not known for "
		        "certain",
		        n->path, n->path, journal_doubt_words[n->doubt]);
		break;
	}
}

int delivery_follow_inputs(struct delivery_input *input, const struct delivery_plan *plan, const struct inputs *inputs,
                           struct error *err)
{
	if (input->opened == inputs->opened)
		return 0;
	input->opened = inputs->opened;
	return journal_begin_input(plan->journal, inputs->name, inputs_fd(inputs), inputs->first_hash,
	                           inputs->first_line, &input->known, err);
}

int delivery_open_outputs(struct delivery_plan *plan, struct context *context, struct inputs *inputs, struct error *err)
{
	const struct delivery_options *o = plan->options;
	const char *results = o->resume ? o->resume : o->results;
	bool results_to_stdout = results && strcmp(results, "-") == 0;
	struct journal_options options = {
		.results = o->results,
		.resume = o->resume,
		.failed_only = o->failed_only,
		.retry_unknown = o->retry_unknown,
		.read_only = o->dry_run != DRY_RUN_OFF,
		.notice = on_notice,
		.write = write_results,
		.context = context,
	};
	if (report_wishes_check(&o->reports,
	                        context->global->json ? "--json"
	                        : results_to_stdout   ? "--results"
	                                              : NULL,
	                        err) < 0 ||
	    journal_open(&plan->journal, &options, &inputs->files, err) < 0)
		return -1;
	return 0;
}
