#include "probe/probe_run.h"

#include "base/find.h"
#include "probe/inquiry.h"
#include "probe/keep/effects.h"
#include "probe/play/death.h"
#include "probe/play/flight.h"
#include "probe/play/one_bug.h"
#include "probe/play/play.h"
#include "probe/play/player.h"
#include "probe/play/recovery.h"
#include "probe/play/still_up.h"
#include "probe/play/verdict.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether all events fail with one and the same status, or none gets a response: it is not about the events. */
static void look_for_lock(struct player *p)
{
	const struct probe_plan *plan = p->options->plan;
	const struct probe_result *first = NULL;
	bool too_long = true, unended = true;
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_result *result = &plan->checks[i].result;
		bool silent = result->verdict == GRADE_SKIP && p->responses == 0; /* too many hangs before it */
		if (!plan->checks[i].chosen || plan->checks[i].row->expansion != PROBE_KINDS || (first && silent))
			continue;
		if (!result->ended || result->verdict != GRADE_FAIL || (first && result->status != first->status))
			return;
		first = first ? first : result;
		too_long &= result->too_long;
		unended &= result->unended || silent;
	}
	if (!first || p->options->named || player_is_over(p))
		return;
	p->summary->stop = PROBE_LOCKED_OUT;
	p->summary->status = first->status;
	p->summary->too_long = too_long;
	p->summary->unended = unended;
	p->summary->hint = first->fix;
	snprintf(p->summary->message, sizeof p->summary->message, "%s", first->reason);
}

/* Follows when all events were delivered, or those that the checks refer to. */
static void end_deliver(struct player *p)
{
	look_for_lock(p);
	/* From here on requests that may be of any event are of one that was accepted. */
	for (size_t i = 0; p->maker.failed[catalog_kind_index(p->maker.accepted)] && i < catalog_kind_count(); i++)
		if (!p->maker.failed[i])
			p->maker.accepted = catalog_kind_at(i);
}

/* Plays the checks; those of the group that share connections are one batch. */
static int play_checks(struct player *p, size_t first, size_t end, struct error *err)
{
	struct probe_check *checks = p->options->plan->checks;
	for (size_t i = first, next; i < end && !player_is_over(p); i = next) {
		next = i + 1;
		if (!checks[i].chosen)
			continue;
		while (next < end && !probe_row_is_alone(checks[i].row) && !probe_row_is_alone(checks[next].row) &&
		       !checks[next].after)
			next++;
		if (checks[i].after && checks[first].row->expansion == PROBE_KINDS)
			end_deliver(p);
		if (player_is_over(p))
			break;
		int code = 0;
		if (checks[i].row->play)
			code = checks[i].row->play(p, i, err);
		else if (checks[i].row->make)
			code = play_batch(p, i, next, err);
		for (size_t w = i; !checks[i].row->make && w < next; w++)
			if (checks[w].chosen)
				checks[w].row->look(&p->watch, &checks[w], p->options->http);
		if (code == 0 && checks[i].after)
			code = still_up_end(p, &checks[i], err);
		if (code < 0)
			return -1;
	}
	return 0;
}

static int play_group(struct player *p, size_t first, size_t end, struct error *err)
{
	struct probe_check *checks = p->options->plan->checks;
	p->hangs = 0;
	still_up_begin(&p->still_up);
	int code = play_checks(p, first, end, err);
	if (code == 0 && p->requests > 0 && !p->presence.reached && !player_is_over(p))
		p->summary->stop = PROBE_UNREACHABLE;
	if (code == 0 && checks[first].row->expansion == PROBE_KINDS) /* nothing may have come behind them */
		end_deliver(p);
	if (code == 0)
		code = death_settle(p, err);
	bool is_its_end = p->summary->stop == PROBE_GONE && (!p->options->listener || p->presence.ends_alone);
	if (is_its_end)
		death_blame_gone(p);
	if ((code < 0 || p->summary->stop == PROBE_INTERRUPTED) && p->presence.unsent)
		probe_reopen(p->presence.unsent, PROBE_NOT_PLAYED);
	return code;
}

/* Whether a check from the index on looks at what the listener keeps. */
static bool looks_later(const struct probe_plan *plan, size_t from)
{
	bool looks = false;
	for (size_t i = from; i < plan->count; i++)
		looks |= plan->checks[i].chosen && plan->checks[i].row->observes;
	return looks;
}

static int play_groups(struct player *p, struct error *err)
{
	struct probe_plan *plan = p->options->plan;
	int code = 0;
	for (size_t first = 0, end; first < plan->count && code == 0 && !player_is_over(p); first = end) {
		const char *group = plan->checks[first].row->group;
		end = first + 1;
		while (end < plan->count && strcmp(probe_group_of(&plan->checks[end]), group) == 0)
			end++;
		code = play_group(p, first, end, err);
		if (code == 0 && p->effects && !player_is_over(p) && !looks_later(plan, end)) {
			code = effects_end(p, err);
			effects_free(p->effects);
			p->effects = NULL;
		}
		if (p->summary->stop != PROBE_UNREACHABLE && p->summary->stop != PROBE_LOCKED_OUT)
			p->graded = end;
	}
	return code;
}

/* Hands the checks over, now that their causes are known. */
static void report_groups(struct player *p)
{
	struct probe_plan *plan = p->options->plan;
	p->observer->causes_found(p->observer->context, p->summary->causes, p->summary->cause_count);
	for (size_t first = 0, end; first < p->graded; first = end) {
		const char *group = plan->checks[first].row->group;
		bool any = false;
		for (end = first; end < p->graded && strcmp(probe_group_of(&plan->checks[end]), group) == 0; end++) {
			struct probe_check *check = &plan->checks[end];
			any |= check->chosen;
			if (!check->chosen || !check->result.ended)
				continue;
			p->summary->counts[check->level][check->result.verdict]++;
			p->summary->unanswered += check->level == PROBE_MUST && check->result.verdict == GRADE_WARN &&
			                          check->result.unanswered > 0;
			p->observer->check_ended(p->observer->context, check);
		}
		if (any)
			p->observer->group_ended(p->observer->context, group);
	}
}

/* Whether something else than a value was found to be why: another fact, or that it comes and goes, a limit, or an end.
 */
static bool is_explained(const struct probe_summary *summary, const struct probe_result *result)
{
	const struct cause *cause = result->cause > 0 ? &summary->causes[result->cause - 1] : NULL;
	if (!cause || cause->fact_count == 0)
		return cause && cause->type != CAUSE_UNKNOWN;
	return cause->facts[0].kind != FACT_VALUE && cause->facts[0].kind != FACT_PRESENT;
}

/* Whether it says which events are taken. */
static bool is_of_event(const struct probe_check *check)
{
	return check->row->expansion == PROBE_KINDS && check->result.ended;
}

static bool is_refused(const struct probe_check *check)
{
	return is_of_event(check) && check->result.verdict == GRADE_FAIL && check->result.status >= 400 &&
	       check->result.status < 500;
}

/* Counts the events that have the field and were refused, or else were not. */
static unsigned count_with(const struct probe_plan *plan, const struct catalog_field *field, bool refused)
{
	unsigned count = 0;
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_check *check = &plan->checks[i];
		const struct catalog_event *event = check->kind.event;
		if (is_of_event(check) && is_refused(check) == refused)
			count += catalog_member_named(event->details, event->detail_count, field->name,
			                              field->name_length) != NULL;
	}
	return count;
}

/* Whether a listener may know only some of its values: an identifier is of one customer or payload. */
static bool is_settable(const struct catalog_field *field)
{
	return field->privacy != CATALOG_IDENTIFIER || field->owner == CATALOG_OF_APPLICATION;
}

/* Finds a field that all refused events have, and no other. Codes come before UUIDs: few listeners know only some of
 * those. */
static const struct catalog_field *find_common_field(const struct probe_plan *plan, unsigned refused)
{
	for (int uuids = 0; uuids < 2; uuids++)
		for (size_t i = 0; i < catalog_field_count; i++) {
			const struct catalog_field *field = catalog_fields[i];
			if ((field->type == CATALOG_UUID) == (uuids == 1) && is_settable(field) &&
			    !catalog_field_owner(field) && count_with(plan, field, true) == refused &&
			    count_with(plan, field, false) == 0)
				return field;
		}
	return NULL;
}

/* Whether the name is a word of the text, in either case. */
static bool is_named(const char *text, const struct catalog_field *field)
{
	for (const char *at = text; (at = find_any_case(at, field->name)) != NULL; at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[field->name_length]))
			return true;
	return false;
}

/* Appends the paths of the values that a refusal may be about: those that the response names, where there is one, or
 * else those that no accepted event has. */
static void append_settable(const struct probe_plan *plan, const char *response, const struct catalog_member *members,
                            size_t count, const char *parent, struct buffer *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		char path[96];
		snprintf(path, sizeof path, "%s.%s", parent, field->name);
		if (!response && count_with(plan, field, false) > 0)
			continue;
		if (field->member_count > 0)
			append_settable(plan, response, field->members, field->member_count, path, out);
		else if (is_settable(field) && (!response || is_named(response, field)))
			buffer_printf(out, "%s%s", out->length > 0 ? ", " : "", path);
	}
}

/* Suggests what the user may set so that the listener takes what it refused. Where it accepts nothing, refusals have
 * nothing of their own: only a response that names a value says that it is about one. */
static void suggest(const struct probe_plan *plan, struct probe_summary *summary)
{
	const struct probe_check *first = NULL;
	const struct catalog_field *common;
	LOCAL_BUFFER paths = BUFFER_INIT;
	unsigned refused = 0;
	bool is_explained_else = false, any_accepted = false;
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_check *check = &plan->checks[i];
		any_accepted |= is_of_event(check) && check->result.verdict == GRADE_OK;
		if (!is_refused(check))
			continue;
		first = refused++ == 0 ? check : first;
		is_explained_else |= is_explained(summary, &check->result);
	}
	if (refused == 0 || is_explained_else)
		return;
	summary->is_only_refused = any_accepted;
	if (refused == 1) {
		const struct catalog_event *event = first->kind.event;
		summary->refused = first->kind;
		append_settable(plan, first->result.reason, event->details, event->detail_count, "details", &paths);
		if (paths.length == 0 && any_accepted)
			append_settable(plan, NULL, event->details, event->detail_count, "details", &paths);
	} else if (any_accepted && (common = find_common_field(plan, refused)) != NULL) {
		buffer_printf(&paths, "details.%s", common->name);
	}
	snprintf(summary->settable, sizeof summary->settable, "%s", buffer_text(&paths));
}

/* Whether all that was to be tested was skipped: that the listener is still up says nothing of it. */
static void look_for_untested(struct player *p)
{
	const struct probe_plan *plan = p->options->plan;
	const struct probe_check *skipped = NULL;
	bool any = p->summary->uncounted || p->summary->stop != PROBE_THROUGH;
	for (const struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++) {
		if (!check->chosen || !check->result.ended || check->after)
			continue;
		any |= check->result.verdict != GRADE_SKIP;
		skipped = skipped ? skipped : check;
	}
	if (any || !skipped)
		return;
	p->summary->untested = true;
	snprintf(p->summary->message, sizeof p->summary->message, "%s", skipped->result.reason);
}

/* Hands over what was found, and fills the summary. */
static void sum_up(struct player *p)
{
	struct probe_summary *summary = p->summary;
	const struct probe_plan *plan = p->options->plan;
	play_drop_aside(p);
	flight_blame(p);
	look_for_untested(p);
	one_bug_join(p->options->plan);
	report_groups(p);
	memcpy(summary->run_id, p->maker.run_id, sizeof summary->run_id);
	memcpy(summary->invalid, p->watch.invalid, sizeof summary->invalid);
	summary->median_ns = probe_watch_median(&p->watch);
	summary->slowest_ns = probe_watch_slowest(&p->watch, &summary->slowest);
	suggest(plan, summary);
	for (size_t i = 0; i < plan->count; i++)
		summary->not_run += plan->checks[i].chosen && !plan->checks[i].result.ended;
}

int player_init(struct player *p, const struct probe_options *options, const struct probe_observer *observer,
                struct probe_summary *summary, struct error *err)
{
	*p = (struct player){ .options = options, .observer = observer, .summary = summary };
	p->watch.signals = options->signals;
	probe_maker_init(&p->maker, options->seed, options->http->url);
	memcpy(p->maker.edits, options->edits, sizeof p->maker.edits);
	p->maker.accepted = catalog_kind_at(0);
	p->maker.plan = options->plan;
	p->maker.world = &options->world;
	for (size_t i = 0; i < options->plan->count; i++)
		p->total += options->plan->checks[i].chosen;
	if (options->listener)
		recovery_begin(p, options->listener->started_ns);
	p->maker.failed = calloc(catalog_kind_count(), sizeof *p->maker.failed);
	if (!p->maker.failed)
		return error_no_memory(err);
	summary->finder = p->finder = cause_finder_new(err);
	return p->finder ? 0 : -1;
}

void player_release(struct player *p)
{
	probe_watch_release(&p->watch);
	effects_free(p->effects);
	free(p->maker.failed);
}

int probe_run(const struct probe_options *options, const struct probe_observer *observer, struct probe_summary *summary,
              struct error *err)
{
	struct player *p = calloc(1, sizeof *p);
	*summary = (struct probe_summary){ .stop = PROBE_THROUGH };
	if (!p)
		return error_no_memory(err);
	int code = player_init(p, options, observer, summary, err);
	if (code == 0)
		code = play_introduction(p, err);
	if (code == 0) {
		end_deliver(p);
		code = play_groups(p, err);
	}
	if (code == 0)
		code = death_look_last(p, err);
	if (code == 0)
		code = inquiry_play(p, err);
	if (code == 0 && p->no_memory)
		code = error_no_memory(err);
	if (code < 0)
		summary->stop = p->graded > 0 ? PROBE_BROKEN : summary->stop;
	/* Whatever has ended it: what was found is handed over. */
	if (code == 0 || p->graded > 0)
		sum_up(p);
	player_release(p);
	free(p);
	return code;
}

void probe_summary_release(struct probe_summary *summary)
{
	cause_finder_free(summary->finder);
	summary->finder = NULL;
}
