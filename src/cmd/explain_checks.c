/* The checks of `test` as topics. */
#include "cmd/explain.h"
#include "probe/plan.h"

#include <stdio.h>

bool topic_check_at(size_t index, struct topic *t)
{
	const struct probe_row *row = &probe_rows[index];
	if (index >= probe_row_count)
		return false;
	*t = (struct topic){ .summary = row->sent, .origin = row->source, .row = row };
	snprintf(t->full, sizeof t->full, "%s/%s", row->group, row->name);
	t->name = t->full;
	t->qualifier = probe_level_names[row->level];
	return true;
}

bool topic_check_matches(const struct topic *t, const char *asked)
{
	return probe_row_makes(t->row, asked);
}

void topic_check_print(struct explanation *to, const struct topic *t)
{
	const struct probe_row *row = t->row;
	char expected[PROBE_EXPECTED_SIZE], try[128];
	explain_value(to, "level", t->qualifier);
	probe_expected_text(row->ok, expected);
	explain_value(to, "expected", expected);
	probe_expected_text(row->warn ? row->warn : "", expected);
	explain_value(to, "warning", row->warn ? expected : NULL);
	explain_value(to, "why", row->why);
	explain_value(to, "fix", row->fix);
	snprintf(try, sizeof try, "credhook test %s --to :8080/hook",
	         row->expansion == PROBE_ONE ? t->name : row->group);
	explain_value(to, "try", try);
}
