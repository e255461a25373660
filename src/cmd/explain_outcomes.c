/* How a delivery can end, in words. */
#include "cmd/deliver/job.h"
#include "cmd/explain.h"

#include <strings.h>

#define LATE OUTCOME_COUNT /* no outcome of its own, and a failure all the same */

static const char *const meanings[] = {
	[OUTCOME_ACCEPTED] = "an answer came, and its status is an expected one: 2xx, or what --expect-status names",
	[OUTCOME_REJECTED] = "an answer came, and its status is not an expected one",
	[OUTCOME_FAILED] = "nothing was sent: no such host, no connection, no TLS; sending it again does no harm",
	[OUTCOME_UNKNOWN] = ("it was sent, at least in part, and no whole response came back: the receiver may have it "
	                     "or not, and sending it again may make it arrive twice"),
	[LATE] = "accepted, but after the time of --expect-within; it counts as a failure",
};
#define MEANINGS (sizeof meanings / sizeof meanings[0])
_Static_assert(MEANINGS == OUTCOME_COUNT + 1, "every outcome is explained");

const char *explain_outcome_at(size_t index, const char **meaning)
{
	if (index >= MEANINGS)
		return NULL;
	*meaning = meanings[index];
	return index == LATE ? "late" : outcome_names[index];
}

/* "outcomes" lists them. */
bool explain_outcome(struct explanation *to, const char *topic)
{
	bool all = strcasecmp(topic, "outcomes") == 0 || strcasecmp(topic, "outcome") == 0, found = false;
	const char *name, *meaning;
	for (size_t i = 0; (name = explain_outcome_at(i, &meaning)); i++) {
		if (!all && strcasecmp(topic, name) != 0)
			continue;
		if (!found)
			explain_title(to, all ? "outcomes" : name,
			              all ? "how a delivery ends" : "outcome of a delivery");
		explain_row(to, all ? name : "meaning", meaning);
		found = true;
	}
	if (found)
		explain_row(to, "whose rule", "credhook's own");
	return found;
}
