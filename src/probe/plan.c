#include "probe/plan.h"

#include "base/quoted.h"
#include "payload/variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_MAX  60 /* characters of a value in an advice */
#define INT_DIGITS 9  /* any program reads such an integer */

void probe_append_expected(struct buffer *out, const char *statuses)
{
	const char *last = strrchr(statuses, ',');
	for (const char *c = statuses; *c; c++) {
		if (*c == ',')
			buffer_append_text(out, c == last ? " or " : ", ");
		else
			buffer_append_byte(out, *c);
	}
}

/* Reads statuses, and `closed`; NULL: none. */
static int read_statuses(const char *text, struct status_set *set, bool *closed, struct error *err)
{
	LOCAL_BUFFER rest = BUFFER_INIT;
	bool any = false;
	*closed = false;
	*set = (struct status_set){ { 0 } };
	for (const char *part = text, *next; part; part = next) {
		size_t length = strcspn(part, ",|");
		next = part[length] ? part + length + 1 : NULL;
		if (length == strlen("closed") && strncmp(part, "closed", length) == 0) {
			*closed = true;
			continue;
		}
		buffer_append_text(&rest, any ? "," : "");
		buffer_append(&rest, part, length);
		any = true;
	}
	if (rest.failed)
		return error_no_memory(err);
	return any ? status_set_parse(set, buffer_text(&rest), err) : 0;
}

/* Keeps what is said of them. */
static int expect_text(struct probe_expected *expected, const char *statuses, struct error *err)
{
	buffer_clear(&expected->text);
	probe_append_expected(&expected->text, statuses);
	return expected->text.failed ? error_no_memory(err) : 0;
}

static int expect(struct probe_expected *expected, const char *ok, const char *tolerated, struct error *err)
{
	if (expect_text(expected, ok, err) < 0 || read_statuses(ok, &expected->ok, &expected->closed_ok, err) < 0)
		return -1;
	return read_statuses(tolerated, &expected->tolerated, &expected->closed_tolerated, err);
}

/* Those that are right unless the user says otherwise. */
static const char *usual_statuses(const struct probe_row *row, enum probe_invalid invalid)
{
	if (!row->invalid || invalid == PROBE_INVALID_AUTO)
		return row->ok;
	return invalid == PROBE_INVALID_REJECT ? "4xx" : "2xx";
}

/* Watched rows have words for what is expected. */
static int expect_of_row(struct probe_check *check, enum probe_invalid invalid, struct error *err)
{
	const struct probe_row *row = check->row;
	if (!row->make)
		return expect_text(&check->expected, row->ok, err);
	if (row->expansion == PROBE_BREAKS && invalid != PROBE_INVALID_AUTO)
		snprintf(check->advice, sizeof check->advice, "%s",
		         invalid == PROBE_INVALID_REJECT ? "check the payload before using it, and respond 4xx"
		                                         : "store the payload, respond 2xx and check it later");
	bool is_meant = row->invalid && invalid != PROBE_INVALID_AUTO;
	return expect(&check->expected, usual_statuses(row, invalid), is_meant ? NULL : row->tolerated, err);
}

/* Adds a check of the row, called GROUP/NAME. */
static struct probe_check *add_check(struct probe_plan *plan, const struct probe_row *row, const char *name,
                                     struct error *err)
{
	struct buffer id = BUFFER_INIT;
	bool grown = ARRAY_ROOM(plan->checks, plan->capacity, plan->count + 1);
	buffer_printf(&id, "%s/%s", row->group, name);
	if (!grown || id.failed) {
		buffer_release(&id);
		return error_no_memory_null(err);
	}
	struct probe_check *check = &plan->checks[plan->count++];
	*check = (struct probe_check){ .row = row, .id = id.data, .level = row->level, .depth = row->depth };
	return check;
}

/* Adds a check for each kind, in the order of one customer's life. */
static int add_kinds(struct probe_plan *plan, const struct probe_row *row, struct error *err)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = catalog_story_at(i);
		for (size_t e = 0; e == 0 || e < event->element_count; e++) {
			struct catalog_kind kind = { event, event->elements ? &event->elements[e] : NULL };
			struct probe_check *check = add_check(plan, row, KIND_NAME(kind), err);
			if (!check)
				return -1;
			check->kind = kind;
		}
	}
	return 0;
}

/* Says what is new in the value. */
static void advise_of_value(struct probe_check *check, const struct variant *variant)
{
	const char *type = catalog_type_name(variant->member->type), *field = variant->member->field->name;
	const char *text = variant->other->text, *article = strchr("aeiou", type[0]) ? "an" : "a";
	char *out = check->advice;
	size_t room = sizeof check->advice;
	bool plain = true;
	for (const char *c = text ? text : ""; *c; c++)
		plain &= (unsigned char)*c < 0x80;
	if (!plain)
		snprintf(out, room, "accept any character in %s: JSON is UTF-8, whatever the default of the platform",
		         field);
	else if (text && strlen(text) <= SHOWN_MAX)
		snprintf(out, room, "%s is %s %s, and may be %s", field, article, type, text);
	else
		snprintf(out, room, "%s is %s %s of any length", field, article, type);
}

/* Whether another row sends such a value: form/uuid-case, form/big-integer. Of integers that identify, nothing else is
 * sent: a listener that recognizes repeats by them would drop a real alert 1 later. */
static bool has_own_row(const struct variant *variant)
{
	bool is_integer = variant->member->type == CATALOG_INTEGER;
	return variant->other->use == CATALOG_UPPER_CASE ||
	       (is_integer && variant->member->field->privacy == CATALOG_IDENTIFIER) ||
	       (is_integer && strlen(variant->other->text) > INT_DIGITS);
}

/* Whether the row is for the value: of PROBE_KEPT, which leaves out rare ones, texts are musts: they have accents, an
 * apostrophe, or another script. */
static bool is_for(const struct probe_row *row, const struct variant *variant)
{
	bool is_must = row->level == PROBE_MUST, is_text = variant->member->field->privacy == CATALOG_NAME;
	if (row->expansion == PROBE_KEPT)
		return variant->other->chance != CATALOG_RARE && is_text == is_must;
	return variant->other->chance == row->chance && !has_own_row(variant);
}

/* Adds a check for each value. The nine elements differ in their paths alone. */
static int add_values(struct probe_plan *plan, const struct probe_row *row, struct error *err)
{
	char name[CATALOG_KIND_NAME_SIZE + VARIANT_NAME_SIZE + sizeof "value:"];
	for (size_t e = 0; e < catalog_event_count; e++) {
		struct catalog_kind kind = { catalog_story_at(e), NULL };
		for (size_t i = 0; i < variant_count(kind); i++) {
			struct variant variant;
			struct probe_check *check;
			variant_at(kind, i, &variant);
			if (!variant.member || !is_for(row, &variant) ||
			    (row->expansion == PROBE_KEPT && kind.event->element_count > 0))
				continue;
			snprintf(name, sizeof name, "%s%s:%s", row->expansion == PROBE_KEPT ? "value:" : "",
			         kind.event->name, variant.name);
			if (!(check = add_check(plan, row, name, err)))
				return -1;
			check->kind = kind;
			check->variant = i;
			if (row->expansion == PROBE_VALUES)
				advise_of_value(check, &variant);
		}
	}
	return 0;
}

/* The first check of a finding, and the first of a finding at its place, belong to lower levels than the rest. */
static int add_break(struct probe_plan *plan, const struct probe_row *row, const struct catalog_event *event,
                     enum finding_id finding, const struct break_place *place, struct error *err)
{
	char name[160], path[BREAK_POINTER_SIZE];
	enum probe_depth depth = PROBE_QUICK;
	for (size_t i = 0; i < plan->count && depth < PROBE_DEEP; i++) {
		const struct probe_check *other = &plan->checks[i];
		if (other->row->expansion == PROBE_BREAKS && other->finding == finding)
			depth = strcmp(other->place.pointer, place->pointer) == 0 ? PROBE_DEEP : PROBE_NORMAL;
	}
	snprintf(path, sizeof path, "%s", place->pointer + (place->pointer[0] == '/'));
	for (char *c = path; *c; c++)
		*c = *c == '/' ? '.' : *c;
	snprintf(name, sizeof name, "%s:%s%s%s", finding_rows[finding].name, path, depth == PROBE_DEEP ? ":" : "",
	         depth == PROBE_DEEP ? event->name : "");
	struct probe_check *check = add_check(plan, row, name, err);
	if (!check)
		return -1;
	check->kind = (struct catalog_kind){ event, NULL };
	check->finding = finding;
	check->place = *place;
	check->depth = depth;
	return 0;
}

/* Adds a check for each error at each place of each event; what is not JSON at all has rows of its own. */
static int add_breaks(struct probe_plan *plan, const struct probe_row *row, struct error *err)
{
	struct break_place places[BREAK_PLACES_MAX];
	for (int id = 0; id < FINDING_ID_COUNT; id++) {
		if (id == FINDING_JSON_SYNTAX || id == FINDING_TOO_LONG || finding_rows[id].severity != SEVERITY_ERROR)
			continue;
		for (size_t e = 0; e < catalog_event_count; e++) {
			struct catalog_kind kind = { &catalog_events[e], NULL };
			size_t count = break_places(kind, (enum finding_id)id, places);
			for (size_t i = 0; i < count; i++)
				if (add_break(plan, row, kind.event, (enum finding_id)id, &places[i], err) < 0)
					return -1;
		}
	}
	return 0;
}

static int add_kind(struct probe_plan *plan, const struct probe_row *row, struct catalog_kind kind, struct error *err)
{
	LOCAL_BUFFER name = BUFFER_INIT;
	buffer_printf(&name, "%.*s:%s", (int)strcspn(row->name, ":"), row->name, KIND_NAME(kind));
	struct probe_check *check =
	        name.failed ? error_no_memory_null(err) : add_check(plan, row, buffer_text(&name), err);
	if (!check)
		return -1;
	check->kind = kind;
	return 0;
}

/* Payloads that are alike are about the same where something in them identifies that, and may be two elsewhere: the
 * specification has no id of a notification. */
static int add_once(struct probe_plan *plan, const struct probe_row *row, struct error *err)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = catalog_story_at(i);
		if ((event->identified_by != NULL) != (row->level == PROBE_MUST))
			continue;
		for (size_t e = 0; e == 0 || e < event->element_count; e++)
			if (add_kind(plan, row,
			             (struct catalog_kind){ event, event->elements ? &event->elements[e] : NULL },
			             err) < 0)
				return -1;
	}
	return 0;
}

/* The second one of an event with elements is of another element. */
static int add_distinct(struct probe_plan *plan, const struct probe_row *row, struct error *err)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = catalog_story_at(i);
		if ((event->differs || event->element_count > 0) &&
		    add_kind(plan, row, (struct catalog_kind){ event, event->elements ? &event->elements[0] : NULL },
		             err) < 0)
			return -1;
	}
	return 0;
}

static int add_row(struct probe_plan *plan, const struct probe_row *row, struct error *err)
{
	struct probe_check *check;
	switch (row->expansion) {
	case PROBE_KINDS:
		return add_kinds(plan, row, err);
	case PROBE_VALUES:
	case PROBE_KEPT:
		return add_values(plan, row, err);
	case PROBE_BREAKS:
		return add_breaks(plan, row, err);
	case PROBE_GROUPS:
		return 0; /* behind each group */
	case PROBE_ONCE:
		return add_once(plan, row, err);
	case PROBE_DISTINCT:
		return add_distinct(plan, row, err);
	case PROBE_ONE:
		break;
	}
	if (!(check = add_check(plan, row, row->name, err)))
		return -1;
	if (row->event && catalog_find_kind(row->event, &check->kind, NULL) != CATALOG_FOUND)
		return error_set(err, EXIT_CODE_INTERNAL, "a check has the unknown event '%s'", row->event);
	return 0;
}

static int add_group(struct probe_plan *plan, const char *group, struct error *err)
{
	for (size_t i = 0; i < probe_row_count; i++)
		if (strcmp(probe_rows[i].group, group) == 0 && add_row(plan, &probe_rows[i], err) < 0)
			return -1;
	for (size_t i = 0; probe_group_sends(group) && i < probe_row_count; i++) {
		if (probe_rows[i].expansion != PROBE_GROUPS)
			continue;
		struct probe_check *check = add_check(plan, &probe_rows[i], group, err);
		if (!check)
			return -1;
		check->after = group;
	}
	return 0;
}

bool probe_check_is_named(const struct probe_check *check, const char *name)
{
	size_t length = strlen(name);
	/* strchr() finds the end, too. */
	return length > 0 && strncmp(check->id, name, length) == 0 && strchr("/:=", check->id[length]);
}

/* How much of the id is group and name, where the name of a check without its group was typed: missing-key, chunked. */
static size_t end_of_name(const struct probe_check *check, const char *name)
{
	size_t length = strlen(name);
	const char *own = strchr(check->id, '/');
	bool is_its = length > 0 && own && strncmp(own + 1, name, length) == 0 && strchr("/:=", own[1 + length]);
	return is_its ? (size_t)(own + 1 + length - check->id) : 0;
}

/* `word`: the name, or what it was a part of. */
static int no_such_check(const struct probe_plan *plan, const char *word, const char *name, struct error *err)
{
	struct nearest near;
	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < probe_group_count; i++)
		nearest_offer(&near, probe_groups[i]);
	for (size_t i = 0; i < plan->count; i++)
		nearest_offer(&near, plan->checks[i].id);
	struct text shown = quoted_part(word, name, strlen(name));
	error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a check", (int)shown.length, shown.text);
	struct catalog_kind kind;
	const char *nearest;
	if (strchr(name, ','))
		return error_hint(err, "name one at a time: --expect-status repeat=409 --expect-status bad=422");
	if (catalog_find_kind(name, &kind, &nearest) == CATALOG_FOUND)
		return error_ask(err, "'deliver/%s'", KIND_NAME(kind));
	for (size_t i = 0; i < plan->count; i++)
		if (end_of_name(&plan->checks[i], name) > 0)
			return error_ask(err, "'%.*s'", (int)end_of_name(&plan->checks[i], name), plan->checks[i].id);
	if (nearest_result(&near))
		return error_ask(err, "'%s'", nearest_result(&near));
	return error_hint(err, "'credhook test --list' lists the checks; --to WHERE is the destination");
}

/* Chooses, or leaves out, what the name means: of several checks those of the level, unless all are deeper. */
static int apply_name(struct probe_plan *plan, const char *name, bool choose, enum probe_depth level, struct error *err)
{
	size_t found = 0, within = 0;
	for (size_t i = 0; i < plan->count; i++) {
		bool named = probe_check_is_named(&plan->checks[i], name);
		found += named;
		within += named && (plan->checks[i].depth <= level) && !plan->checks[i].after;
	}
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i];
		bool is_meant = !choose || within == 0 || check->depth <= level || strcmp(check->id, name) == 0;
		if (!probe_check_is_named(check, name) || !is_meant)
			continue;
		check->chosen = choose;
		check->aside = false;
	}
	return found > 0 ? 0 : no_such_check(plan, name, name, err);
}

/* NAME,...: leaves out what each of them means. */
static int skip(struct probe_plan *plan, const char *names, enum probe_depth level, struct error *err)
{
	LOCAL(release_text) char *copy = strdup(names);
	char *rest = copy;
	for (char *name; (name = strsep(&rest, ",")) != NULL;)
		if (apply_name(plan, name, false, level, err) < 0)
			return -1;
	return copy ? 0 : error_no_memory(err);
}

static bool sends(const struct probe_check *check)
{
	return check->row->make && !check->after;
}

static bool any_chosen(const struct probe_plan *plan, const char *group)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct probe_check *check = &plan->checks[i];
		if (check->chosen && !check->aside && sends(check) && (!group || strcmp(check->row->group, group) == 0))
			return true;
	}
	return false;
}

static bool looks_at_responses(const struct probe_check *check)
{
	return check->row->look && !check->row->is_of_server;
}

static bool is_behind_a_group(const struct probe_check *check)
{
	return check->after != NULL;
}

static bool is_asked_for(const struct probe_check *check)
{
	return !check->aside;
}

static bool any_is(const struct probe_plan *plan, bool (*is)(const struct probe_check *check))
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->checks[i].chosen && is(&plan->checks[i]))
			return true;
	return false;
}

/* Where ids are named: what else is sent, so that causes are found as in a run of all. Most of it is sent only where
 * something of what is named fails; but what is recognized by what came before fails only behind that, and who looks at
 * responses has to see them. */
static void take_aside(struct probe_plan *plan, const struct probe_choice *choice)
{
	bool looks = any_is(plan, looks_at_responses);
	for (size_t i = 0; i < choice->wanted->count; i++)
		if (!strchr(choice->wanted->items[i], '/'))
			return;
	for (size_t i = 0; i < plan->count && choice->wanted->count > 0; i++) {
		struct probe_check *check = &plan->checks[i];
		const struct probe_row *row = check->row;
		if (check->aside)
			continue;
		check->aside = !check->chosen && sends(check) && check->depth <= choice->level && !row->costs &&
		               !probe_row_is_alone(row);
		bool is_before = looks || row->expansion == PROBE_KINDS || any_chosen(plan, row->group);
		check->chosen |= check->aside && choice->failed && is_before;
	}
}

const char *probe_group_before(const struct probe_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->checks[i].after && strcmp(plan->checks[i].id, name) == 0)
			return plan->checks[i].after;
	return NULL;
}

static int choose(struct probe_plan *plan, const struct probe_choice *choice, struct error *err)
{
	for (size_t i = 0; i < choice->wanted->count; i++)
		if (apply_name(plan, choice->wanted->items[i], true, choice->level, err) < 0 && !choice->failed)
			return -1;
	/* What is still up behind a group is seen behind that group. */
	for (size_t i = 0; i < choice->wanted->count; i++) {
		const char *group = probe_group_before(plan, choice->wanted->items[i]);
		if (group && !any_chosen(plan, group) && apply_name(plan, group, true, choice->level, err) < 0)
			return -1;
	}
	/* Some need others: to look at what responds to them, or to be seen behind them. */
	bool all = choice->wanted->count == 0, is_behind = any_is(plan, is_behind_a_group);
	bool needs_some = !any_chosen(plan, NULL) && (is_behind || any_is(plan, looks_at_responses));
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i];
		bool useless = (check->row->observes && !choice->observes) || (check->row->ends && !choice->starts);
		bool is_taken = (all || (needs_some && sends(check))) && check->depth <= choice->level && !useless;
		check->aside = is_taken && !all && !is_behind; /* what nobody asked for is only looked at */
		check->chosen |= is_taken || check->after != NULL;
	}
	take_aside(plan, choice);
	for (size_t i = 0; i < choice->skipped->count; i++)
		if (skip(plan, choice->skipped->items[i], choice->level, err) < 0)
			return -1;
	for (size_t i = 0; i < plan->count; i++)
		if (plan->checks[i].after && !any_chosen(plan, plan->checks[i].after))
			plan->checks[i].chosen = false;
	return any_is(plan, is_asked_for) ? 0 : error_set(err, EXIT_CODE_USAGE, "no check is left");
}

/* ID=LIST: an id may hold '=' too. */
static int apply_expectation(struct probe_plan *plan, const char *text, struct error *err)
{
	const char *equals = strrchr(text, '=');
	LOCAL_BUFFER name = BUFFER_INIT;
	bool found = false, is_known = false;
	if (!equals || equals == text) {
		error_set(err, EXIT_CODE_USAGE, "--expect-status needs ID=LIST, not '%s'", text);
		return error_hint(err, "write --expect-status repeat/again=2xx,409, for example");
	}
	buffer_append(&name, text, (size_t)(equals - text));
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i];
		if (!probe_check_is_named(check, buffer_text(&name)))
			continue;
		is_known = true;
		if (!check->row->make)
			continue;
		found = true;
		if (expect(&check->expected, equals + 1, NULL, err) < 0)
			return -1;
	}
	if (found)
		return 0;
	if (!is_known)
		return no_such_check(plan, text, buffer_text(&name), err);
	error_set(err, EXIT_CODE_USAGE, "'%s' sends nothing, so that no status can be expected of it",
	          buffer_text(&name));
	return error_hint(err, "--skip %s leaves it out", buffer_text(&name));
}

/* Whether the check expects none of the usual statuses. */
static int look_for_contrary(struct probe_check *check, enum probe_invalid invalid, struct error *err)
{
	struct probe_expected *expected = &check->expected;
	struct status_set usual;
	bool closed;
	if (!check->row->make)
		return 0;
	if (read_statuses(usual_statuses(check->row, invalid), &usual, &closed, err) < 0)
		return -1;
	expected->is_contrary = !(closed && expected->closed_ok) && !status_set_meets(&usual, &expected->ok);
	return 0;
}

int probe_plan_init(struct probe_plan *plan, const struct probe_choice *choice, struct error *err)
{
	for (size_t i = 0; i < probe_group_count; i++)
		if (add_group(plan, probe_groups[i], err) < 0)
			return -1;
	for (size_t i = 0; i < plan->count; i++)
		if (expect_of_row(&plan->checks[i], choice->invalid, err) < 0)
			return -1;
	for (size_t i = 0; i < choice->expected->count; i++)
		if (apply_expectation(plan, choice->expected->items[i], err) < 0)
			return -1;
	for (size_t i = 0; i < plan->count; i++)
		if (look_for_contrary(&plan->checks[i], choice->invalid, err) < 0)
			return -1;
	return choose(plan, choice, err);
}

void probe_plan_release(struct probe_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_result *r = &plan->checks[i].result;
		free(plan->checks[i].id);
		buffer_release(&plan->checks[i].expected.text);
		buffer_release(&r->log);
		buffer_release(&r->request.head);
		buffer_release(&r->request.body);
		buffer_release(&r->response.head);
		buffer_release(&r->response.body);
	}
	free(plan->checks);
	*plan = (struct probe_plan){ NULL, 0, 0 };
}

bool probe_row_makes(const struct probe_row *row, const char *id)
{
	struct probe_plan plan = { NULL, 0, 0 };
	struct error unused;
	size_t group = strlen(row->group);
	if (strncmp(id, row->group, group) != 0 || id[group] != '/')
		return false;
	bool found = strcmp(id + group + 1, row->name) == 0 ||
	             (row->expansion == PROBE_GROUPS && probe_group_sends(id + group + 1));
	if (!found && add_row(&plan, row, &unused) == 0)
		for (size_t i = 0; i < plan.count; i++)
			found = found || probe_check_is_named(&plan.checks[i], id);
	probe_plan_release(&plan);
	return found;
}
