/* The lines to type that play what failed again. */
#include "base/shell_text.h"
#include "cmd/probe/probe.h"

#include <string.h>

#define IDS_MOST  10  /* that the last line repeats */
#define LINE_MOST 160 /* bytes of that line: two lines of a terminal */

#define REPEAT "repeat what failed: "

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

/* Appends what selects what failed: the ids, or where they are more than fit the kinds, or the groups; of the musts, or
 * where none did of the shoulds. Whether one of them reads what --observe prints. */
static bool append_failed(struct buffer *out, const struct probe_command *run)
{
	const struct probe_plan *plan = &run->checks;
	size_t room = strlen(REPEAT "credhook test --to ") + run->route.masked_url.length;
	enum grade worst = GRADE_OK;
	bool observes = false, fits = false;
	for (size_t i = 0; i < plan->count; i++)
		if (probe_has_failed(&plan->checks[i]) && plan->checks[i].result.verdict > worst)
			worst = plan->checks[i].result.verdict;
	for (size_t i = 0; i < plan->count; i++)
		observes |= probe_has_failed(&plan->checks[i]) && plan->checks[i].result.verdict == worst &&
		            plan->checks[i].row->observes;
	for (int what = REPEAT_ID; what <= REPEAT_GROUP && !fits; what++) {
		buffer_clear(out);
		size_t count = append_selectors(out, plan, worst, (enum repeated)what);
		fits = count <= 1 || (count <= IDS_MOST && room + out->length <= LINE_MOST);
	}
	return observes;
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
	bool observes = append_failed(&failed, run);
	if (failed.length > 0)
		probe_append_repeat_of(out, run, REPEAT, buffer_text(&failed), observes);
}
