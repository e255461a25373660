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

/* What has failed with one verdict. */
struct failed {
	size_t count;
	enum probe_depth deepest;
	bool observes; /* one of them reads what --observe prints */
};

static struct failed count_failed(const struct probe_plan *plan, enum grade verdict)
{
	struct failed failed = { 0, PROBE_QUICK, false };
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_check *check = &plan->checks[i];
		if (!probe_has_failed(check) || check->result.verdict != verdict)
			continue;
		failed.count++;
		failed.deepest = check->depth > failed.deepest ? check->depth : failed.deepest;
		failed.observes |= probe_group_observes(probe_group_of(check));
	}
	return failed;
}

/* Appends what selects what failed with this verdict: the ids, or where they are more than fit the kinds, or the
 * groups. Returns the level at which that selects them: of several checks with one name those of the level are meant.
 */
static enum probe_depth append_failed(struct buffer *out, const struct probe_command *run, enum grade verdict,
                                      enum probe_depth deepest)
{
	enum probe_depth level = (enum probe_depth)run->args->level;
	const struct probe_plan *plan = &run->checks;
	size_t room = strlen(repeat_musts) + strlen("credhook test --to ") + run->route.masked_url.length;
	bool fits = false, are_ids = true;
	for (int what = REPEAT_ID; what <= REPEAT_GROUP && !fits; what++) {
		buffer_clear(out);
		size_t count = append_selectors(out, plan, verdict, (enum repeated)what);
		fits = count <= 1 || (count <= IDS_MOST && room + out->length <= LINE_MOST);
		are_ids = what == REPEAT_ID;
	}
	return are_ids || deepest <= level ? level : deepest;
}

/* Commands are not broken: they are copied. */
void probe_append_repeat_of(struct buffer *out, const struct probe_command *run, const char *before, const char *ids,
                            enum probe_depth level, bool observes)
{
	buffer_append_text(out, before);
	probe_append_again(out, run, ids, level, observes);
	buffer_append_byte(out, '\n');
}

void probe_append_repeat(struct buffer *out, const struct probe_command *run)
{
	LOCAL_BUFFER ids = BUFFER_FOR(out);
	const struct failed shoulds = count_failed(&run->checks, GRADE_WARN),
	                    musts = count_failed(&run->checks, GRADE_FAIL);
	const struct failed *failed = musts.count > 0 ? &musts : &shoulds;
	if (failed->count == 0)
		return;
	enum probe_depth level = append_failed(&ids, run, musts.count > 0 ? GRADE_FAIL : GRADE_WARN, failed->deepest);
	probe_append_repeat_of(out, run, musts.count > 0 && shoulds.count > 0 ? repeat_musts : repeat_all,
	                       buffer_text(&ids), level, failed->observes);
}
