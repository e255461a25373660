/* Checks of what notifications change in the listener's store, seen from outside by a number. */
#include "probe/player.h"

/* Ends a check that nothing can be read for, as skipped. */
static bool skip_unobserved(const struct player *p, struct probe_check *check)
{
	if (p->options->counter.read)
		return false;
	probe_end(check, PROBE_SKIPPED, NULL, "--observe is not given");
	return true;
}

/* Reads the number. False: it cannot be had, and the check is skipped. */
static bool read_number(struct player *p, struct probe_check *check, double *number)
{
	const struct probe_counter *counter = &p->options->counter;
	struct error err;
	if (counter->read(counter->context, number, &err) == 0)
		return true;
	p->summary->uncounted = true;
	probe_excerpt(err.message, strlen(err.message), p->summary->message);
	check->result.ended = false;
	probe_end(check, PROBE_SKIPPED, NULL, "%s", err.message);
	return false;
}

/* Plays requests, and reads the number behind them. 1: both went well; 0: the check has ended. */
static int play_and_read(struct player *p, size_t index, unsigned from, unsigned until, double *number,
                         struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	if (play_batch(p, index, index + 1, from, until, err) < 0)
		return -1;
	return !player_is_over(p) && !probe_has_failed(check) && read_number(p, check, number);
}

/* Reads by how much the number grows for the first payload of each event; the next one, sent twice, has to make it
 * grow by as much. */
int play_once(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	double before, one, two;
	bool moved = false;
	if (skip_unobserved(p, check) || !read_number(p, check, &before))
		return 0;
	p->maker.check = check;
	for (unsigned i = 0; i < check->row->requests / PROBE_WATCHED_REQUESTS; i++, before = two) {
		unsigned first = i * PROBE_WATCHED_REQUESTS;
		struct catalog_kind kind = probe_named_kind(&p->maker, i);
		two = before;
		if (p->maker.failed[catalog_kind_index(kind)])
			continue;
		int code = play_and_read(p, index, first, first + 1, &one, err);
		if (code == 1)
			code = play_and_read(p, index, first + 1, first + PROBE_WATCHED_REQUESTS, &two, err);
		if (code != 1)
			return code;
		moved |= one < before || one > before || two < one || two > one;
		if (two - one <= one - before)
			continue;
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "the number grew by %g for one %s, and by %g for one sent twice", one - before,
		          KIND_NAME(kind), two - one);
		return 0;
	}
	if (!moved)
		probe_end(check, PROBE_FAILED, "give --observe a command that counts what the listener stores",
		          "no notification changes the number: it stays %g", before);
	return 0;
}

int play_none(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	double before, after;
	if (skip_unobserved(p, check) || !read_number(p, check, &before))
		return 0;
	if (play_batch(p, index, index + 1, 0, 0, err) < 0)
		return -1;
	if (!read_number(p, check, &after))
		return 0;
	if (check->result.status >= 200 && check->result.status < 300) {
		check->result.ended = false;
		probe_end(check, PROBE_SKIPPED, NULL, "the listener accepts invalid payloads");
	} else if (after > before) {
		probe_end(check, PROBE_FAILED, check->row->fix, "the number grew by %g for refused payloads",
		          after - before);
	}
	return 0;
}
