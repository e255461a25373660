/* What notifications change in the listener's store, seen from outside by a number. */
#include "probe/player.h"

#include <string.h>

/* False: it cannot be had, and the check is skipped. */
static bool read_number(struct player *p, struct probe_check *check, double *number)
{
	const struct probe_counter *counter = &p->options->counter;
	struct error err;
	if (counter->read(counter->context, number, &err) == 0)
		return true;
	p->summary->uncounted = true;
	check->result.ended = false;
	probe_end(check, PROBE_SKIP, NULL, "%s", err.message);
	return false;
}

/* One payload shows by how much the number grows; the next one, sent twice, has to make it grow by as much. */
static int play_once(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	double before, after_one, after_two;
	if (!read_number(p, check, &before))
		return 0;
	if (play_requests(p, index, 0, 1, err) < 0)
		return -1;
	if (!read_number(p, check, &after_one))
		return 0;
	if (play_requests(p, index, 1, 3, err) < 0)
		return -1;
	if (!read_number(p, check, &after_two))
		return 0;
	if (after_one <= before && after_two <= after_one) {
		check->result.ended = false;
		probe_end(check, PROBE_SKIP, NULL, "the number does not grow with a notification");
	} else if (after_two - after_one > after_one - before) {
		probe_end(check, PROBE_FAIL, check->row->fix,
		          "the number grew by %g for one notification, and by %g for one sent twice",
		          after_one - before, after_two - after_one);
	}
	return 0;
}

static int play_none(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	double before, after;
	if (!read_number(p, check, &before))
		return 0;
	if (play_requests(p, index, 0, 3, err) < 0)
		return -1;
	if (!read_number(p, check, &after))
		return 0;
	if (check->result.status >= 200 && check->result.status < 300) {
		check->result.ended = false;
		probe_end(check, PROBE_SKIP, NULL, "the listener accepts invalid payloads");
	} else if (after > before) {
		probe_end(check, PROBE_FAIL, check->row->fix, "the number grew by %g for refused payloads",
		          after - before);
	}
	return 0;
}

int play_effect(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	if (!p->options->counter.read) {
		probe_end(check, PROBE_SKIP, NULL, "--observe is not given");
		return 0;
	}
	return strcmp(check->row->name, "once") == 0 ? play_once(p, index, err) : play_none(p, index, err);
}
