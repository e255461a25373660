#include "cmd/make.h"

#include "base/random.h"
#include "base/utf8.h"
#include "cmd/ask.h"
#include "cmd/cmd.h"
#include "cmd/files.h"
#include "cmd/kind.h"
#include "payload/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAYLOADS UINT64_C(1000000000)

int make_parse_seed(void *field, const char *value, struct error *err)
{
	struct make_seed *seed = field;
	char *end;
	errno = 0;
	seed->value = strtoull(value, &end, 10);
	seed->given = true;
	if (value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0)
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
	struct buffer text = BUFFER_INIT;
	int result = file_read_whole(value, &text, err);
	if (result == 0)
		result = edits_add_merge(field, value, buffer_text(&text), text.length, err);
	buffer_release(&text);
	return result;
}

static int parse_break(void *field, const char *value, struct error *err)
{
	struct make_options *options = NULL;
	__typeof__(options->broken) *broken = field;
	breakage_release(&broken->breakage);
	broken->given = true;
	return require_utf8("break", value, err) < 0 ? -1 : breakage_parse(&broken->breakage, value, err);
}

#define EDIT_ROWS(at)                                                                                                  \
	{ 0,                                                                                                           \
	  "set",                                                                                                       \
	  "PATH=TEXT",                                                                                                 \
	  "set a field, converted to its type; PATH:=JSON sets any JSON anywhere",                                     \
	  OPTION_CALL,                                                                                                 \
	  COMPLETE_ASSIGNMENT,                                                                                         \
	  .offset = (at),                                                                                              \
	  .parse = parse_set },                                                                                        \
	        { 0,           "unset",        "PATH",         "take a key away",                                      \
		  OPTION_CALL, COMPLETE_FIELD, .offset = (at), .parse = parse_unset },                                 \
	{                                                                                                              \
		0, "merge", "FILE", "apply a JSON Merge Patch (RFC 7396); - is standard input", OPTION_CALL,           \
		        COMPLETE_FILE, .offset = (at), .parse = parse_merge                                            \
	}

#define MAKE(field) offsetof(struct make_options, field)
static const struct option make_rows[] = {
	{ 'i', "interactive", NULL, "ask for each field, with its meaning and a value to take over", OPTION_FLAG,
	  .offset = MAKE(interactive) },
	EDIT_ROWS(MAKE(edits)),
	{ 0, "default", "PATH=TEXT", "like --set, and passed over by events that lack the field", OPTION_CALL,
	  COMPLETE_ASSIGNMENT, .offset = MAKE(defaults), .parse = parse_set },
	{ 0, "break", "FINDING[:PATH]", "make exactly this defect, e.g. missing-key:details.appKey", OPTION_CALL,
	  COMPLETE_BREAKAGE, .offset = MAKE(broken), .parse = parse_break },
	{ 0, "seed", "N", "the same payloads every time; without it identifiers are fresh", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = MAKE(seed), .parse = make_parse_seed },
	{ 0, "count", "N", "so many of each", OPTION_NUMBER, .offset = MAKE(count), .least = 1, .most = MOST_PAYLOADS },
};
const struct option_group make_option_group = OPTION_GROUP("Payload", make_rows, 0);

static const struct option edit_rows[] = { EDIT_ROWS(0) };
const struct option_group make_edit_option_group = OPTION_GROUP("Payload", edit_rows, 0);

void make_options_defaults(struct make_options *options)
{
	options->count = 1;
}

void make_options_release(struct make_options *options)
{
	edits_release(&options->edits);
	edits_release(&options->defaults);
	breakage_release(&options->broken.breakage);
}

static int add_kind(struct maker *maker, size_t *capacity, struct catalog_kind kind, struct error *err)
{
	struct catalog_kind *grown = array_grow(maker->kinds, capacity, maker->kind_count + 1, sizeof kind);
	if (!grown)
		return error_no_memory(err);
	maker->kinds = grown;
	maker->kinds[maker->kind_count++] = kind;
	return 0;
}

static int add_operand(struct maker *maker, size_t *capacity, const char *name, struct error *err)
{
	struct catalog_kind kind;
	int found = kind_find_or_all(name, &kind, err);
	if (found <= 0)
		return found < 0 ? -1 : add_kind(maker, capacity, kind, err);
	for (size_t i = 0; i < catalog_event_count; i++)
		for (size_t e = 0; e == 0 || e < catalog_story[i]->element_count; e++) {
			kind.event = catalog_story[i];
			kind.element = kind.event->elements ? &kind.event->elements[e] : NULL;
			if (add_kind(maker, capacity, kind, err) < 0)
				return -1;
		}
	return 0;
}

int make_check_edits(const struct edits *edits, struct error *err)
{
	struct catalog_kind every[MAKER_KINDS_MAX];
	size_t count = catalog_kind_count() < MAKER_KINDS_MAX ? catalog_kind_count() : MAKER_KINDS_MAX;
	for (size_t i = 0; i < count; i++)
		every[i] = catalog_kind_at(i);
	return edits_check(edits, every, count, err) < 0 ? -1 : edits_check_unsets(edits, every, count, false, err);
}

/* What the configuration fills in: what --set would be given, for the events that list it. */
static int read_defaults(struct maker *maker, const struct config *config, struct error *err)
{
	for (size_t i = 0; i < config->default_count; i++) {
		const struct config_default *d = &config->defaults[i];
		struct buffer assignment = BUFFER_INIT;
		buffer_printf(&assignment, "%s=%s", d->path, d->is_text ? d->text : d->value);
		int result = edits_add_set(&maker->defaults, buffer_text(&assignment), err);
		buffer_release(&assignment);
		if (result == 0) {
			struct edits last = { &maker->defaults.list[i], 1, 1 };
			result = make_check_edits(&last, err);
		}
		if (result == 0)
			continue;
		error_set(err, err->code, "%s:%zu:%zu: defaults: %s", config->path, d->line, d->column, err->message);
		return error_hint(err, "'credhook explain EVENT' shows the fields of an event and their types");
	}
	return 0;
}

/* Leaves out the kinds in which the defect cannot occur, or refuses them where they were asked for by name. */
static int select_breakable(struct maker *maker, bool asked_for_all, struct terminal *terminal, struct error *err)
{
	const struct breakage *breakage = &maker->options->broken.breakage;
	struct buffer left_out = BUFFER_INIT;
	struct break_place place;
	size_t kept = 0;
	for (size_t i = 0; i < maker->kind_count; i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		if (break_find_place(breakage, maker->kinds[i], &place)) {
			maker->kinds[kept++] = maker->kinds[i];
			continue;
		}
		catalog_kind_name(maker->kinds[i], name);
		if (!asked_for_all) {
			buffer_release(&left_out);
			error_set(err, EXIT_CODE_USAGE, "'%s' cannot occur in %s", breakage->source, name);
			return error_hint(err, "'credhook explain %s' tells where it can",
			                  finding_rows[breakage->id].name);
		}
		buffer_printf(&left_out, "%s%s", left_out.length > 0 ? ", " : "", name);
	}
	maker->kind_count = kept;
	if (left_out.length > 0 && kept > 0)
		terminal_note(terminal, "left out, since '%s' cannot occur in them: %s", breakage->source,
		              buffer_text(&left_out));
	buffer_release(&left_out);
	if (kept == 0)
		return error_set(err, EXIT_CODE_USAGE, "'%s' cannot occur in any of the chosen events",
		                 breakage->source);
	return 0;
}

static int replace(struct buffer *text, struct buffer *next, int result)
{
	struct buffer swap = *text;
	*text = *next;
	*next = swap;
	buffer_clear(next);
	return result;
}

/* The payload of maker->kinds[index] as it is before anything is broken. */
static int make_whole(struct maker *maker, size_t index, struct buffer *text, struct error *err)
{
	const struct story story = { maker->seed, maker->round + 1, maker->number };
	struct buffer next = BUFFER_INIT;
	struct catalog_kind kind = maker->kinds[index];
	const struct edits *steps[] = { &maker->defaults, &maker->options->defaults, &maker->options->edits,
		                        maker->answers ? &maker->answers[index] : NULL };
	buffer_clear(text);
	int result = build_payload(kind, &story, text, err);
	for (size_t i = 0; result == 0 && i < sizeof steps / sizeof steps[0]; i++)
		if (steps[i] && steps[i]->count > 0)
			result = replace(text, &next,
			                 edits_apply(steps[i], kind.event, text->data, text->length, &next, err));
	buffer_release(&next);
	return result;
}

/* All questions come before anything is made: nothing has left yet when somebody thinks better of it. */
static int ask_all(struct maker *maker, struct context *context, struct error *err)
{
	struct buffer payload = BUFFER_INIT;
	int result = 0;
	maker->answers = calloc(maker->kind_count + 1, sizeof *maker->answers);
	if (!maker->answers)
		return error_no_memory(err);
	maker->number = 1; /* what is shown is the first one of each */
	for (size_t i = 0; result == 0 && i < maker->kind_count; i++) {
		result = make_whole(maker, i, &payload, err);
		if (result == 0)
			result = ask_fields(maker->kinds[i], &payload, context, &maker->answers[i], err);
	}
	buffer_release(&payload);
	return result;
}

int maker_init(struct maker *maker, const struct make_options *options, struct context *context,
               const struct config *config, struct error *err)
{
	const struct text_list *operands = context->operands;
	struct random fresh;
	size_t capacity = 0;
	bool asked_for_all = false;
	*maker = (struct maker){ .options = options };
	random_seed_fresh(&fresh);
	maker->seed = options->seed.given ? options->seed.value : random_next(&fresh);
	for (size_t i = 0; i < operands->count; i++) {
		asked_for_all = asked_for_all || strcmp(operands->items[i], "all") == 0;
		if (add_operand(maker, &capacity, operands->items[i], err) < 0)
			goto failed;
	}
	if (read_defaults(maker, config, err) < 0 || make_check_edits(&options->defaults, err) < 0)
		goto failed;
	if (maker->kind_count > 0 &&
	    (edits_check(&options->edits, maker->kinds, maker->kind_count, err) < 0 ||
	     edits_check_unsets(&options->edits, maker->kinds, maker->kind_count, true, err) < 0))
		goto failed;
	if (options->broken.given && maker->kind_count > 0 &&
	    select_breakable(maker, asked_for_all, context->terminal, err) < 0)
		goto failed;
	if (options->interactive && ask_all(maker, context, err) < 0)
		goto failed;
	return 0;
failed:
	maker_release(maker);
	return -1;
}

void maker_release(struct maker *maker)
{
	for (size_t i = 0; maker->answers && i < maker->kind_count; i++)
		edits_release(&maker->answers[i]);
	free(maker->answers);
	free(maker->kinds);
	edits_release(&maker->defaults);
	maker->answers = NULL;
	maker->kinds = NULL;
	maker->kind_count = 0;
}

uint64_t maker_total(const struct maker *maker)
{
	return maker->options->count * maker->kind_count;
}

static int make_one(struct maker *maker, bool pretty, size_t index, struct buffer *text, struct error *err)
{
	struct buffer next = BUFFER_INIT;
	const struct make_options *o = maker->options;
	int result = make_whole(maker, index, text, err);
	if (result == 0 && pretty)
		result = replace(text, &next, build_pretty(text->data, text->length, &next, err));
	if (result == 0 && o->broken.given) {
		struct break_place place;
		break_find_place(&o->broken.breakage, maker->kinds[index], &place);
		result = replace(text, &next,
		                 break_payload(o->broken.breakage.id, &place, text->data, text->length, &next, err));
	}
	buffer_release(&next);
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
	size_t index = maker->next_kind++;
	*kind = maker->kinds[index];
	maker->number = ++maker->made[kind->element ? 1 : 0][catalog_kind_index(*kind) % MAKER_KINDS_MAX];
	return make_one(maker, pretty, index, out, err) < 0 ? -1 : 1;
}
