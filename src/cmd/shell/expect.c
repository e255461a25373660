/* expect: it makes a scenario a test. */
#include "base/clock.h"
#include "capture/record.h"
#include "cmd/expectations.h"
#include "cmd/shell/shell.h"

#define DEFAULT_WITHIN (5 * CLOCK_NS_PER_S)

static bool holds(const struct history_entry *a, const struct expectation *e)
{
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record;
	struct error ignored;
	return e->where.count == 0 || (capture_record_parse(&scratch, a->record, a->length, &record, &ignored) == 0 &&
	                               expectation_holds(e, record.body.text, record.body.length));
}

static bool is_wanted(const struct history_entry *a, const struct expectation *e, bool invalid)
{
	return !a->expected && a->is_checked && a->valid != invalid && expectation_is_of(e, a->kind) && holds(a, e);
}

/* How many there are, and with `mark`, counts the first `wanted` of them for good. */
static uint64_t count_wanted(const struct shell *s, const struct expectation *e, bool invalid, bool mark)
{
	uint64_t count = 0;
	for (size_t i = 0; i < s->received->count && count < e->wanted; i++) {
		if (!is_wanted(s->received->items[i], e, invalid))
			continue;
		count++;
		if (mark)
			s->received->items[i]->expected = true;
	}
	return count;
}

static int fail_expectation(const struct shell *s, const struct expectation *e, const struct shell_options *o,
                            int64_t within, struct error *err)
{
	char duration[CLOCK_DURATION_SIZE];
	LOCAL_BUFFER name = BUFFER_INIT;
	expectation_append_name(&name, e);
	clock_format_duration(within, duration);
	error_set(err, EXIT_CODE_FAILED, "expected %llu %s %s, %llu arrived%s%s", (unsigned long long)e->wanted,
	          o->invalid ? "invalid" : "valid", buffer_text(&name),
	          (unsigned long long)count_wanted(s, e, o->invalid, false), s->listener ? " within " : "",
	          s->listener ? duration : "");
	if (!s->listener)
		return error_hint(err, "nothing listens in the background: 'listen 8080' first");
	return error_hint(err, "'received' lists the notifications; each counts for one 'expect' only");
}

static int wait_for(struct shell *s, const struct expectation *e, const struct shell_options *o, int64_t within,
                    int64_t deadline, struct error *err)
{
	bool over = !s->listener;
	for (;;) {
		shell_take_arrivals(s);
		if (count_wanted(s, e, o->invalid, false) >= e->wanted) {
			count_wanted(s, e, o->invalid, true);
			return EXIT_CODE_OK;
		}
		if (over)
			return fail_expectation(s, e, o, within, err);
		unsigned happened = shell_wait(s, -1, true, deadline);
		if (happened & (SHELL_INTERRUPT | SHELL_LEAVE))
			return EXIT_CODE_INTERRUPTED;
		over = happened == 0 || (happened & SHELL_TIME) != 0;
	}
}

int shell_expect(struct shell *s, const struct shell_call *call, struct error *err)
{
	LOCAL(expectations_release) struct expectations expected = { .list = NULL };
	int code = expectations_parse(&expected, call->operands->items[0], err);
	int64_t within = call->options->within > 0 ? call->options->within : DEFAULT_WITHIN;
	int64_t deadline = clock_monotonic_ns() + within;
	for (size_t i = 0; i < expected.count && code == EXIT_CODE_OK; i++)
		code = wait_for(s, &expected.list[i], call->options, within, deadline, err);
	return code;
}
