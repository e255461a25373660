/* replay: deliver captured payloads again, byte for byte, in recorded order. */
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/deliver/run.h"
#include "cmd/inputs.h"
#include "cmd/make.h"
#include "payload/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --speed: 1 keeps the recorded gaps, 2 halves them; 0 is max. */
struct replay_speed {
	double factor;
};

struct replay_args {
	struct global_options global;
	bool keep_target;
	bool keep_headers;
	struct replay_speed speed;
	int64_t max_wait;
	struct text_list events;
	uint64_t skip;
	uint64_t limit;
	struct edits edits;
	struct delivery_options delivery;
};

static int parse_speed(void *field, const char *value, struct error *err)
{
	struct replay_speed *speed = field;
	char *end;
	speed->factor = strcmp(value, "max") == 0 ? 0 : strtod(value, &end);
	if (strcmp(value, "max") == 0)
		return 0;
	if (strspn(value, "0123456789.") == strlen(value) && value[0] && *end == '\0' && speed->factor > 0)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "--speed takes a factor or max, not '%s'", value);
	return error_hint(err, "1 keeps the recorded gaps, 2 halves them, 0.5 doubles them");
}

#define REPLAY(field) offsetof(struct replay_args, field)
static const struct option rows[] = {
	{ 0, "speed", "FACTOR|max", "keep the recorded gaps, so many times faster (default max)", OPTION_CALL,
	  .offset = REPLAY(speed), .parse = parse_speed },
	{ 0, "max-wait", "DURATION", "shorten longer gaps to this", OPTION_DURATION, .offset = REPLAY(max_wait) },
	{ 0, "events", "EVENT,...", "only these events", OPTION_LIST, .offset = REPLAY(events) },
	{ 0, "skip", "N", "leave out the first N", OPTION_NUMBER, .offset = REPLAY(skip), .most = UINT64_MAX },
	{ 0, "limit", "N", "no more than N", OPTION_NUMBER, .offset = REPLAY(limit), .least = 1, .most = UINT64_MAX },
	{ 0, "keep-target", NULL, "send to the recorded path and query", OPTION_FLAG, .offset = REPLAY(keep_target) },
	{ 0, "keep-headers", NULL, "send the recorded headers", OPTION_FLAG, .offset = REPLAY(keep_headers) },
};
static const struct option_group group = OPTION_GROUP("What to replay", rows, 0);
static const struct option_use uses[] = {
	{ &group, 0 },
	{ &delivery_option_group, REPLAY(delivery) },
	{ &make_edit_option_group, REPLAY(edits) },
};

static void defaults(void *args)
{
	struct replay_args *a = args;
	a->limit = UINT64_MAX;
	delivery_options_defaults(&a->delivery);
}

static void release(void *args)
{
	struct replay_args *a = args;
	text_list_release(&a->events);
	edits_release(&a->edits);
	delivery_options_release(&a->delivery);
}

struct replayer {
	struct context *context;
	const struct replay_args *args;
	const struct delivery_plan *plan;
	struct inputs inputs;
	struct checker *checker;
	struct catalog_kind *events; /* --events; event_count 0: all */
	size_t event_count;
	uint64_t seen;
	uint64_t taken;
	int64_t started_ns;
	int64_t last_received_us;
	int64_t offset_ns; /* of the record before, from the start */
};

static int add_event(struct replayer *r, size_t *capacity, const char *name, struct error *err)
{
	struct catalog_kind kind;
	if (command_find_kind(name, &kind, err) < 0)
		return -1;
	struct catalog_kind *grown = array_grow(r->events, capacity, r->event_count + 1, sizeof kind);
	if (!grown)
		return error_no_memory(err);
	r->events = grown;
	r->events[r->event_count++] = kind;
	return 0;
}

static int read_events(struct replayer *r, struct error *err)
{
	size_t capacity = 0;
	int result = 0;
	for (size_t i = 0; result == 0 && i < r->args->events.count; i++) {
		char *list = strdup(r->args->events.items[i]);
		char *rest = list;
		if (!list)
			return error_no_memory(err);
		for (char *name; result == 0 && (name = strsep(&rest, ",")) != NULL;)
			result = add_event(r, &capacity, name, err);
		free(list);
	}
	return result;
}

static bool is_chosen(const struct replayer *r, struct catalog_kind kind)
{
	for (size_t i = 0; i < r->event_count; i++)
		if (kind.event && r->events[i].event == kind.event &&
		    (!r->events[i].element || r->events[i].element == kind.element))
			return true;
	return r->event_count == 0;
}

/* Which event it is: what the record says, or what the payload is. */
static int identify_item(struct replayer *r, const struct capture_item *item, struct catalog_kind *kind,
                         struct error *err)
{
	const struct capture_record *record = &item->record;
	const char *nearest;
	*kind = (struct catalog_kind){ NULL, NULL };
	if (record->event.text && catalog_find_kind(record->event.text, kind, &nearest) == CATALOG_FOUND)
		return 0;
	*kind = (struct catalog_kind){ NULL, NULL };
	const struct verdict *verdict = check_payload(r->checker, record->body.text, record->body.length, NULL, err);
	if (!verdict)
		return -1;
	*kind = verdict->kind;
	return 0;
}

/* When the record is due: the gap to the one before it, scaled and capped, behind that one. */
static void pace(struct replayer *r, const struct capture_record *record, struct job *job)
{
	double speed = r->args->speed.factor;
	if (speed <= 0 || record->received_us == 0)
		return;
	int64_t gap_us = r->last_received_us == 0 ? 0 : record->received_us - r->last_received_us;
	double gap_ns = gap_us > 0 ? (double)gap_us * 1000 / speed : 0;
	double most = r->args->max_wait > 0 ? (double)r->args->max_wait : 1e15;
	r->last_received_us = record->received_us;
	r->offset_ns += (int64_t)fmin(gap_ns, most);
	job->due_ns = r->started_ns + r->offset_ns;
}

/* The recorded path and query at the destination's scheme, host and port. */
static void keep_target(const struct replayer *r, const struct capture_record *record, struct job *job)
{
	const char *url = buffer_text(&r->plan->destination.url);
	const char *authority = strstr(url, "://") + 3;
	const char *target = record->target.text;
	if (!target || target[0] != '/')
		return;
	buffer_append(&job->url, url, (size_t)(authority - url) + strcspn(authority, "/?#"));
	buffer_append(&job->url, target, record->target.length);
}

static int fill_job(struct replayer *r, const struct capture_item *item, struct catalog_kind kind, struct job *job,
                    struct error *err)
{
	const struct capture_record *record = &item->record;
	const struct capture_text *type = capture_record_header(record, "Content-Type");
	job->input = r->inputs.name;
	job->record = item->line;
	if (kind.event)
		catalog_kind_name(kind, job->name);
	if (r->args->edits.count == 0)
		buffer_append(&job->body, record->body.text, record->body.length);
	else if (edits_apply(&r->args->edits, kind.event, record->body.text, record->body.length, &job->body, err) < 0)
		return error_set(err, err->code, "%s:%zu: %s", r->inputs.name, item->line, err->message);
	if (type && type->length > 0)
		buffer_append(&job->content_type, type->text, type->length);
	if (r->args->keep_target)
		keep_target(r, record, job);
	for (size_t i = 0; r->args->keep_headers && i < record->header_count; i++) {
		const struct capture_header *h = &record->headers[i];
		if (!job_add_header(job, h->name.text, h->name.length, h->value.text, h->value.length))
			return error_no_memory(err);
	}
	pace(r, record, job);
	return job->body.failed || job->url.failed || job->content_type.failed ? error_no_memory(err) : 0;
}

static int next_job(void *context, struct job *job, struct error *err)
{
	struct replayer *r = context;
	struct capture_item item;
	struct catalog_kind kind;
	while (r->taken < r->args->limit) {
		int got = inputs_next(&r->inputs, &item, err);
		if (got <= 0)
			return got;
		if (identify_item(r, &item, &kind, err) < 0)
			return -1;
		if (!is_chosen(r, kind) || r->seen++ < r->args->skip)
			continue;
		r->taken++;
		return fill_job(r, &item, kind, job, err) < 0 ? -1 : 1;
	}
	return 0;
}

static int check_args(const struct replay_args *a, const struct text_list *operands, struct error *err)
{
	struct catalog_kind every[64];
	size_t count = 0;
	if (operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "replay lacks a file");
		return error_hint(err, "write 'credhook replay capture.ndjson --to :8080'; - is standard input");
	}
	for (; count < catalog_kind_count() && count < 64; count++)
		every[count] = catalog_kind_at(count);
	return edits_check(&a->edits, every, count, err);
}

static int replay_all(struct replayer *r, struct error *err)
{
	struct job_source source = { next_job, r };
	if (r->args->edits.count > 0)
		terminal_note(r->context->terminal, "the bodies are edited: they are not the recorded bytes any more");
	r->started_ns = clock_monotonic_ns();
	int code = delivery_run(r->context, r->plan, &source, err);
	if (code < 0)
		return -1;
	if (r->taken == 0 && r->inputs.code == EXIT_CODE_OK && code == EXIT_CODE_OK) {
		error_set(err, EXIT_CODE_FAILED, "nothing to replay: the inputs hold no record that was chosen");
		return -1;
	}
	return (int)exit_code_worse((enum exit_code)code, r->inputs.code);
}

static int run_replay(struct context *context, void *args, struct error *err)
{
	struct replay_args *a = args;
	struct delivery_plan plan = { 0 };
	struct replayer r = { .context = context, .args = a, .plan = &plan };
	int code = -1;
	if (check_args(a, context->operands, err) < 0)
		return -1;
	r.checker = checker_new(err);
	if (r.checker && read_events(&r, err) == 0 &&
	    delivery_plan_init(&plan, &a->delivery, a->global.config, a->global.no_config, err) == 0 &&
	    inputs_init(&r.inputs, context, context->operands, err) == 0)
		code = replay_all(&r, err);
	inputs_release(&r.inputs);
	delivery_plan_release(&plan);
	checker_free(r.checker);
	free(r.events);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook replay capture.ndjson --to sandbox", "everything, as fast as it is answered" },
	{ "credhook replay capture.ndjson --to :8080 --speed 1 --max-wait 2s", "with the recorded gaps" },
	{ "credhook replay capture.ndjson --to :8080 --events bureau-alert", "one kind of event" },
	{ NULL, NULL },
};

const struct command command_replay = {
	.name = "replay",
	.operands = "FILE...",
	.summary = "Send captured payloads again, byte for byte, in recorded order.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct replay_args),
	.defaults = defaults,
	.run = run_replay,
	.release = release,
	.examples = examples,
};
