#include "cmd/args/make.h"

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cmd/args/kinds.h"
#include "json/print.h"
#include "payload/build.h"
#include "payload/variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAYLOADS UINT64_C(1000000000)

/* Where a round has several payloads of each kind. A constant, so that a payload does not depend on which kinds there
 * are. */
#define CUSTOMERS_PER_ROUND 64
_Static_assert(VARIANTS_MAX <= CUSTOMERS_PER_ROUND && BREAK_PLACES_MAX <= CUSTOMERS_PER_ROUND, "a customer for each");

static int parse_seed(void *field, const char *value, struct error *err)
{
	struct seed *seed = field;
	seed->given = true;
	if (count_read(value, UINT64_MAX, &seed->value))
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "--seed takes a whole number, not '%s'", value);
}

/* What goes into a payload, which is UTF-8. */
static int require_utf8(const char *option, const char *value, struct error *err)
{
	size_t length = strlen(value), invalid = utf8_first_invalid(value, length);
	if (invalid == length)
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "--%s '%s' is not UTF-8: see its byte %zu", option, value, invalid + 1);
}

static int parse_set(void *field, const char *value, struct error *err)
{
	return require_utf8("set", value, err) < 0 ? -1 : edits_add_set(field, value, err);
}

static int parse_unset(void *field, const char *value, struct error *err)
{
	return require_utf8("unset", value, err) < 0 ? -1 : edits_add_unset(field, value, err);
}

static int parse_merge(void *field, const char *value, struct error *err)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	int result = file_read_whole(value, &text, NULL, err);
	if (result == 0)
		result = edits_add_merge(field, strcmp(value, "-") == 0 ? "standard input" : value, buffer_text(&text),
		                         text.length, err);
	return result;
}

static int parse_break(void *field, const char *value, struct error *err)
{
	struct breakage *broken = field;
	if (broken->source) {
		error_set(err, EXIT_CODE_USAGE, "--break can be given only once: a payload has one defect");
		return error_hint(err, "make the other defect in another run");
	}
	return require_utf8("break", value, err) < 0 ? -1 : breakage_parse(broken, value, err);
}

#define MAKE(field) offsetof(struct make_options, field)
static const struct option make_rows[] = {
	{ 0, "break", "FINDING[:PATH|:all]", "make one defect, at PATH; :all makes it at each place", OPTION_CALL,
	  COMPLETE_FINDINGS, .offset = MAKE(broken), .parse = parse_break, .release = breakage_release,
	  .also = "invalid corrupt mutate missing malformed malform bad-json broken error defect" },
	{ 0, "variants", NULL, "make each payload with other valid values and spellings", OPTION_FLAG,
	  .offset = MAKE(variants), .excludes = "break" },
	{ 0, "seed", "N", "reproducible payloads (default: random)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = MAKE(seed), .parse = parse_seed, .once = true, .also = "random deterministic reproducible" },
	{ 0, "count", "N", "payloads per event", OPTION_NUMBER, .offset = MAKE(count), .least = 1,
	  .most = MOST_PAYLOADS, .initial = "1",
	  .also = "times repeat loop number copies how-many amount size iterations -n -c" },
};
const struct option_group make_option_group = OPTION_GROUP("Payload", make_rows, 0);

static const struct option set_rows[] = {
	{ 0, "set", "PATH=TEXT", "set a field; PATH:=JSON sets any JSON anywhere", OPTION_CALL, COMPLETE_ASSIGNMENT,
	  .alters = true, .parse = parse_set, .release = edits_release,
	  .also = "-d data field add override replace with param var details" },
};
const struct option_group make_set_option_group = OPTION_GROUP("Payload", set_rows, 0);

static const struct option edit_rows[] = {
	{ 0, "unset", "PATH", "remove a key", OPTION_CALL, COMPLETE_FIELD, .parse = parse_unset,
	  .also = "remove delete del without omit drop" },
	{ 0, "merge", "FILE", "apply a JSON Merge Patch (RFC 7396); - is standard input", OPTION_CALL, COMPLETE_FILE,
	  .parse = parse_merge, .also = "patch template" },
};
const struct option_group make_edit_option_group = OPTION_GROUP("Payload", edit_rows, 0);

/* Those that were named; for `all` each of them, in the order of one customer's life. */
static int add_kinds(struct maker *maker, const struct kind_list *named, struct error *err)
{
	for (size_t i = 0; i < named->count; i++) {
		bool is_all = !named->items[i].event;
		size_t added = is_all ? catalog_kind_count() : 1;
		if (!ARRAY_ROOM(maker->kinds, maker->kind_capacity, maker->kind_count + added))
			return error_no_memory(err);
		maker->all |= is_all;
		if (!is_all)
			maker->kinds[maker->kind_count++] = named->items[i];
		for (size_t place = 0; is_all && place < catalog_event_count; place++) {
			const struct catalog_event *event = catalog_story_at(place);
			for (size_t e = 0; e == 0 || e < event->element_count; e++)
				maker->kinds[maker->kind_count++] =
				        (struct catalog_kind){ event, event->elements ? &event->elements[e] : NULL };
		}
	}
	return 0;
}

int make_read_defaults(struct edits *defaults, const struct config *config, struct error *err)
{
	for (size_t i = 0; i < config->default_count; i++) {
		const struct config_default *d = &config->defaults[i];
		LOCAL_BUFFER assignment = BUFFER_INIT;
		buffer_printf(&assignment, "%s=%s", d->path, d->is_text ? d->text : d->value);
		int result = edits_add_set(defaults, buffer_text(&assignment), err);
		if (result == 0) {
			struct edits last = { &defaults->list[defaults->count - 1], 1, 1 };
			result = edits_check(&last, NULL, 0, err);
		}
		if (result == 0)
			continue;
		error_set(err, err->code, "%s:%zu:%zu: defaults: %s", config->path, d->place.line, d->place.column,
		          err->message);
		return error_hint(err, "'credhook explain EVENT' shows the fields of an event and their types");
	}
	return 0;
}

/* Elements differ in their paths alone: the variants of the first of them are enough. */
static bool has_variants(const struct maker *maker, size_t index)
{
	const struct catalog_kind *kind = &maker->kinds[index];
	bool is_further = index > 0 && kind->element && kind->event == kind[-1].event;
	return maker->options->variants && !(maker->all && is_further);
}

/* How many payloads of the kind of that index a round has. */
static size_t count_parts(const struct maker *maker, size_t index)
{
	const struct breakage *breakage = &maker->options->broken;
	const struct catalog_kind kind = maker->kinds[index];
	struct break_place places[BREAK_PLACES_MAX];
	if (has_variants(maker, index))
		return variant_count(kind);
	return breakage->everywhere ? break_places(kind, breakage->id, places) : 1;
}

static bool has_parts(const struct maker *maker)
{
	return maker->options->variants || maker->options->broken.everywhere;
}

/* `name`: of the one event that was asked for, or NULL. */
static int refuse_breakage(const struct maker *maker, const char *name, struct error *err)
{
	const struct breakage *breakage = &maker->options->broken;
	error_set(err, EXIT_CODE_USAGE, "'%s' cannot occur in %s", breakage->source,
	          name ? name : "any of the chosen events");
	if (breakage->pointer)
		return error_hint(err, "'credhook explain %s' lists the fields", name ? name : "EVENT");
	return error_hint(err, "'credhook explain %s' says when it occurs", finding_rows[breakage->id].name);
}

/* Leaves out the kinds in which the defect cannot occur, or refuses them where they were asked for by name. */
static int select_breakable(struct maker *maker, bool may_leave_out, struct terminal *terminal, struct error *err)
{
	const struct breakage *breakage = &maker->options->broken;
	LOCAL_BUFFER left_out = BUFFER_FOR(&terminal->lost);
	struct break_place place;
	size_t kept = 0;
	int result = 0;
	for (size_t i = 0; i < maker->kind_count && result == 0; i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(maker->kinds[i], name);
		if (break_find_place(breakage, maker->kinds[i], 0, &place))
			maker->kinds[kept++] = maker->kinds[i];
		else if (may_leave_out)
			buffer_printf(&left_out, "%s%s", left_out.length > 0 ? ", " : "", name);
		else
			result = refuse_breakage(maker, name, err);
	}
	if (result == 0 && kept == 0)
		result = refuse_breakage(maker, NULL, err);
	maker->kind_count = kept;
	if (result == 0 && left_out.length > 0)
		terminal_announce(terminal, "left out, since '%s' cannot occur in them: %s", breakage->source,
		                  buffer_text(&left_out));
	return result;
}

/* Without a path it depends on the event: each place is named once. */
static void note_places(const struct maker *maker, struct terminal *terminal)
{
	const struct breakage *breakage = &maker->options->broken;
	const char *finding = finding_rows[breakage->id].name;
	LOCAL_BUFFER list = BUFFER_FOR(&terminal->lost);
	for (size_t i = 0; i < maker->kind_count; i++) {
		struct break_place place, before;
		size_t known = 0;
		break_find_place(breakage, maker->kinds[i], 0, &place);
		for (; known < i; known++) {
			break_find_place(breakage, maker->kinds[known], 0, &before);
			if (strcmp(before.pointer, place.pointer) == 0)
				break;
		}
		if (known < i)
			continue;
		buffer_append_text(&list, i > 0 ? ", " : place.pointer[0] ? " at " : "");
		edit_append_path(place.pointer, &list);
	}
	if (breakage->everywhere && maker->per_round > 1)
		terminal_note(terminal, "with one deliberate defect each: %s at %s places", finding,
		              COUNT_TEXT(maker->per_round));
	else
		terminal_note(terminal, "with one deliberate defect: %s%s", finding, buffer_text(&list));
}

static int replace(struct buffer *text, struct buffer *next, int result)
{
	buffer_swap(text, next);
	buffer_clear(next);
	return result;
}

int maker_init(struct maker *maker, const struct make_options *options, struct context *context,
               const struct config *config, struct error *err)
{
	const struct text_list *operands = context->operands;
	struct random fresh;
	*maker = (struct maker){ .options = options };
	random_seed_fresh(&fresh);
	maker->seed = options->seed.given ? options->seed.value : random_next(&fresh) >> 32; /* short enough to type */
	struct kind_list named = { .items = NULL };
	int result = kinds_read(&named, operands->items, operands->count, err);
	result = result == 0 ? add_kinds(maker, &named, err) : -1;
	free(named.items);
	if (result < 0)
		return -1;
	if (make_read_defaults(&maker->defaults, config, err) < 0)
		return -1;
	/* A session's win over the configuration's. The shell has checked them. */
	for (size_t i = 0; context->defaults && i < context->defaults->count; i++)
		if (edits_add_set(&maker->defaults, context->defaults->items[i], err) < 0)
			return -1;
	if (maker->kind_count == 0)
		return 0;
	if (edits_check(&options->edits, maker->kinds, maker->kind_count, err) < 0)
		return -1;
	if (options->broken.source &&
	    select_breakable(maker, maker->all || options->broken.everywhere, context->terminal, err) < 0)
		return -1;
	for (size_t i = 0; i < maker->kind_count; i++)
		maker->per_round += count_parts(maker, i);
	maker->total = options->count * maker->per_round;
	if (options->broken.source)
		note_places(maker, context->terminal);
	return 0;
}

void maker_release(struct maker *maker)
{
	free(maker->kinds);
	edits_release(&maker->defaults);
}

/* The payload of that kind and part, named. */
static int make_part(struct maker *maker, size_t index, size_t part, bool pretty, struct buffer *text,
                     struct error *err)
{
	LOCAL_BUFFER next = BUFFER_INIT;
	const struct make_options *o = maker->options;
	const struct edits *steps[] = { &maker->defaults, &o->edits };
	const uint64_t customers = has_parts(maker) ? CUSTOMERS_PER_ROUND : 1;
	const struct story story = { .seed = maker->seed,
		                     .customer = maker->round * customers + part + 1,
		                     .serial = (maker->number - 1) * customers + part + 1 };
	struct catalog_kind kind = maker->kinds[index];
	struct variant variant = { .style = JSON_COMPACT };
	struct break_place place;
	buffer_clear(text);
	int result = build_payload(kind, &story, text, err);
	for (size_t i = 0; result == 0 && i < sizeof steps / sizeof steps[0]; i++)
		if (steps[i]->count > 0)
			result = replace(text, &next,
			                 edits_apply(steps[i], kind.event, text->data, text->length, &next, err));
	catalog_kind_name(kind, maker->name);
	size_t named = strlen(maker->name);
	if (result == 0 && has_variants(maker, index)) {
		variant_at(kind, part, &variant);
		snprintf(maker->name + named, sizeof maker->name - named, " %s", variant.name);
		result = replace(text, &next, variant_apply(&variant, text->data, text->length, &next, err));
	}
	if (result == 0 && pretty && variant.style == JSON_COMPACT)
		result = replace(text, &next, json_pretty(text->data, text->length, &next) ? 0 : error_no_memory(err));
	if (result == 0 && o->broken.source) {
		break_find_place(&o->broken, kind, part, &place);
		if (has_parts(maker)) {
			LOCAL_BUFFER path = BUFFER_INIT;
			edit_append_path(place.pointer, &path);
			snprintf(maker->name + named, sizeof maker->name - named, " %s%s%s",
			         finding_rows[o->broken.id].name, path.length > 0 ? ":" : "", buffer_text(&path));
		}
		result =
		        replace(text, &next, break_payload(o->broken.id, &place, text->data, text->length, &next, err));
	}
	return result;
}

int maker_next(struct maker *maker, bool pretty, struct catalog_kind *kind, struct buffer *out, struct error *err)
{
	if (maker->next_kind == maker->kind_count) {
		maker->next_kind = 0;
		maker->round++;
	}
	if (maker->kind_count == 0 || maker->round >= maker->options->count)
		return 0;
	size_t index = maker->next_kind, part = maker->next_part;
	*kind = maker->kinds[index];
	if (part == 0)
		maker->number = ++maker->made[kind->element ? 1 : 0][catalog_kind_index(*kind) % MAKER_KINDS_MAX];
	int result = make_part(maker, index, part, pretty, out, err);
	maker->next_part = part + 1 < count_parts(maker, index) ? part + 1 : 0;
	maker->next_kind += maker->next_part == 0;
	return result < 0 ? -1 : 1;
}
