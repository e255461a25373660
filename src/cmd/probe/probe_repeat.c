/* The lines to type that play what failed again. */
#include "base/shell_text.h"
#include "cmd/probe/probe.h"

#include <string.h>

#define IDS_MOST  10  /* that the last line repeats */
#define LINE_MOST 160 /* bytes of that line: two lines of a terminal */

static const char repeat_all[] = "repeat what failed: ", repeat_musts[] = "repeat the failed musts: ";

/* How much of a check's id is repeated: each one selects what begins with it. */
enum repeated {
	REPEAT_ID,
	REPEAT_KIND, /* deliver/monitored-element-added, bad/missing-key */
	REPEAT_GROUP,
};

static size_t repeated_length(const struct probe_check *check, enum repeated what)
{
	const char *group = probe_group_of(check), *slash = strchr(check->id, '/');
	if (what == REPEAT_ID || !slash)
		return strlen(check->id);
	return what == REPEAT_GROUP ? strlen(group) : (size_t)(slash + 1 - check->id) + strcspn(slash + 1, "/:=");
}

/* Appends what selects the checks that failed with this verdict, each once. Returns how many names that are. */
static size_t append_selectors(struct buffer *out, const struct probe_plan *plan, enum grade verdict,
                               enum repeated what)
{
	size_t count = 0, length_before = 0;
	const char *before = NULL;
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_check *check = &plan->checks[i];
		const char *name = what == REPEAT_GROUP ? probe_group_of(check) : check->id;
		size_t length = repeated_length(check, what);
		if (!probe_has_failed(check) || check->result.verdict != verdict ||
		    (before && length == length_before && strncmp(before, name, length) == 0))
			continue;
		buffer_append_text(out, count++ > 0 ? " " : "");
		shell_append(out, name, length);
		before = name;
		length_before = length;
	}
	return count;
}

/* How many checks have failed with this verdict; *observes: whether one of them reads what --observe prints. */
static size_t count_failed(const struct probe_plan *plan, enum grade verdict, bool *observes)
{
	size_t count = 0;
	*observes = false;
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_check *check = &plan->checks[i];
		bool counts = probe_has_failed(check) && check->result.verdict == verdict;
		count += counts;
		*observes |= counts && probe_group_observes(probe_group_of(check));
	}
	return count;
}

/* Appends what selects what failed with this verdict: the ids, or where they are more than fit the kinds, or the
 * groups. */
static void append_failed(struct buffer *out, const struct probe_command *run, enum grade verdict)
{
	const struct probe_plan *plan = &run->checks;
	size_t room = strlen(repeat_musts) + strlen("credhook test --to ") + run->route.masked_url.length;
	bool fits = false;
	for (int what = REPEAT_ID; what <= REPEAT_GROUP && !fits; what++) {
		buffer_clear(out);
		size_t count = append_selectors(out, plan, verdict, (enum repeated)what);
		fits = count <= 1 || (count <= IDS_MOST && room + out->length <= LINE_MOST);
	}
}

/* Commands are not broken: they are copied. */
void probe_append_repeat_of(struct buffer *out, const struct probe_command *run, const char *before, const char *ids,
                            bool observes)
{
	buffer_append_text(out, before);
	probe_append_again(out, run, ids, observes);
	buffer_append_byte(out, '\n');
}

void probe_append_repeat(struct buffer *out, const struct probe_command *run)
{
	LOCAL_BUFFER failed = BUFFER_FOR(out);
	bool observes, musts_observe;
	size_t shoulds = count_failed(&run->checks, GRADE_WARN, &observes),
	       musts = count_failed(&run->checks, GRADE_FAIL, &musts_observe);
	if (musts + shoulds == 0)
		return;
	append_failed(&failed, run, musts > 0 ? GRADE_FAIL : GRADE_WARN);
	probe_append_repeat_of(out, run, musts > 0 && shoulds > 0 ? repeat_musts : repeat_all, buffer_text(&failed),
	                       musts > 0 ? musts_observe : observes);
}
