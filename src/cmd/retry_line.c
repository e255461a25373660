#include "cmd/retry_line.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Why a word that was given is not repeated. */
enum {
	ALWAYS = 1,    /* it is about this run's own output */
	RECORDS = 2,   /* the records are named */
	RESULTS = 4,   /* the results name them */
	AS_REPLAY = 8, /* send's own, while replay repeats it */
	CHECKED = 32,  /* a check is named */
	MADE = 16,     /* only the events are repeated, with the seed that they were made with */
};
static const struct {
	const char *name;
	unsigned when;
} left_out[] = {
	{ "results", ALWAYS },
	{ "report", ALWAYS },
	{ "resume", ALWAYS },
	{ "failed-only", ALWAYS },
	{ "json", ALWAYS },
	{ "quiet", ALWAYS },
	{ "verbose", ALWAYS },
	{ "color", ALWAYS },
	{ "events", RECORDS },
	{ "where", RECORDS },
	{ "since", RECORDS },
	{ "until", RECORDS },
	{ "record", RECORDS | CHECKED },
	{ "skip", CHECKED },
	{ "limit", RECORDS },
	{ "shard", RECORDS },
	{ "loop", RECORDS | RESULTS },
	{ "seed", MADE | CHECKED },
	{ "fresh-ids", ALWAYS },
	{ "level", CHECKED },
	{ "list", CHECKED },
	{ "strict", CHECKED },
	{ "file", AS_REPLAY | MADE },
	{ "no-validate", AS_REPLAY },
	{ "count", AS_REPLAY },
	{ "break", AS_REPLAY },
	{ "variants", AS_REPLAY },
};

static bool is_left_out(const struct option *option, unsigned why)
{
	for (size_t i = 0; option && i < sizeof left_out / sizeof left_out[0]; i++)
		if (strcmp(option->name, left_out[i].name) == 0)
			return (left_out[i].when & why) != 0;
	return false;
}

static bool is_sent(const struct context *context)
{
	return strcmp(context->command, "send") == 0;
}

static bool was_given(const struct context *context, const char *name)
{
	for (size_t i = 0; i < context->words->count; i++)
		if (context->words->items[i].option && strcmp(context->words->items[i].option->name, name) == 0)
			return true;
	return false;
}

/* Whether the word names an input: an operand of replay's, a --file of send's. */
static bool is_input(const struct context *context, const struct option_word *word)
{
	return is_sent(context) ? word->option && strcmp(word->option->name, "file") == 0 : !word->option;
}

/* A pipe, and what only this process can open, are read once. */
static bool can_be_read_again(const char *path)
{
	struct stat status;
	return strcmp(path, "-") != 0 && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/dev/", 5) != 0 &&
	       stat(path, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

static bool can_be_repeated(const struct context *context)
{
	for (size_t i = 0; i < context->words->count; i++)
		if (is_input(context, &context->words->items[i]) && !can_be_read_again(context->words->items[i].value))
			return false;
	return true;
}

static void add_kind(struct retry_line *line, const struct job *job)
{
	char name[CATALOG_KIND_NAME_SIZE] = "";
	snprintf(name, sizeof name, "%.*s", (int)strcspn(job->name, " "), job->name);
	for (size_t i = 0; i < line->kind_count; i++)
		if (strcmp(line->kinds[i], name) == 0)
			return;
	if (line->kind_count < MAKER_KINDS_MAX)
		memcpy(line->kinds[line->kind_count++], name, CATALOG_KIND_NAME_SIZE);
}

void retry_line_add(struct retry_line *line, const struct job *job)
{
	if (!job->input) {
		add_kind(line, job);
		return;
	}
	for (size_t i = 0; i < line->record_count && line->input == job->input; i++)
		if (line->records[i] == job->record)
			return;
	if (line->record_count == RETRY_LINE_RECORDS || (line->input && line->input != job->input))
		line->many = true;
	else
		line->records[line->record_count++] = job->record;
	line->input = job->input;
}

static void append_word(struct buffer *out, const struct option_word *word, struct shell_secrets *secrets)
{
	const struct option *o = word->option;
	if (!o) {
		buffer_append_byte(out, ' ');
		shell_append(out, word->value, strlen(word->value));
	} else if (strcmp(o->name, "header") == 0) {
		shell_append_header(out, word->value, secrets);
	} else if (strcmp(o->name, "to") == 0 || strcmp(o->name, "proxy") == 0) {
		buffer_printf(out, " --%s ", o->name);
		shell_append_url(out, word->value, o->name[0] == 't' ? "CREDHOOK_TO" : "PROXY", secrets);
	} else if (word->value) {
		buffer_printf(out, " --%s", o->name);
		buffer_append_byte(out, o->argument_optional ? '=' : ' ');
		shell_append(out, word->value, strlen(word->value));
	} else {
		buffer_printf(out, " --%s", o->name);
	}
}

/* All words but those that the reason leaves out; replay and made events have operands of their own. */
static void append_words(struct buffer *out, const struct context *context, const struct delivery_plan *plan,
                         unsigned why, struct shell_secrets *secrets)
{
	bool own_operands = (why & (RECORDS | MADE | AS_REPLAY | CHECKED)) != 0;
	for (size_t i = 0; i < context->words->count; i++) {
		const struct option_word *word = &context->words->items[i];
		if (!is_left_out(word->option, why) && (word->option || !own_operands))
			append_word(out, word, secrets);
	}
	if (plan->fresh_ids)
		buffer_printf(out, " --fresh-ids=%llu", (unsigned long long)*plan->fresh_ids);
	/* What stood before the command's name holds too. */
	if (plan->no_config && !was_given(context, "no-config"))
		buffer_append_text(out, " --no-config");
	if (plan->config_file && !was_given(context, "config"))
		shell_append_option(out, "--config", plan->config_file);
}

static void append_inputs(struct buffer *out, const struct context *context)
{
	for (size_t i = 0; i < context->words->count; i++)
		if (is_input(context, &context->words->items[i])) {
			buffer_append_byte(out, ' ');
			shell_append(out, context->words->items[i].value, strlen(context->words->items[i].value));
		}
}

static void append_made(struct buffer *out, const struct retry_line *line, const struct context *context,
                        const struct delivery_plan *plan, struct shell_secrets *secrets)
{
	buffer_append_text(out, "credhook send");
	bool is_each = line->kind_count == catalog_kind_count();
	for (size_t i = 0; i < line->kind_count && !is_each; i++)
		buffer_printf(out, " %s", line->kinds[i]);
	if (is_each)
		buffer_append_text(out, " all");
	buffer_printf(out, " --seed %llu", (unsigned long long)plan->maker->seed);
	append_words(out, context, plan, ALWAYS | MADE, secrets);
}

static void append_replay(struct buffer *out, const struct retry_line *line, const struct context *context,
                          const struct delivery_plan *plan, struct shell_secrets *secrets)
{
	const struct delivery_options *o = plan->options;
	const char *results = o->resume ? o->resume : o->results;
	buffer_append_text(out, "credhook replay");
	if (results && strcmp(results, "-") != 0 && !line->is_one) {
		append_inputs(out, context);
		shell_append_option(out, "--failed-only", results);
		shell_append_option(out, "--results",
		                    results); /* run again, it sends only what is still not accepted */
		append_words(out, context, plan, ALWAYS | RESULTS | AS_REPLAY, secrets);
		return;
	}
	buffer_append_byte(out, ' ');
	shell_append(out, line->input, strlen(line->input));
	for (size_t i = 0; i < line->record_count; i++)
		buffer_printf(out, "%s%llu", i == 0 ? " --record " : ",", (unsigned long long)line->records[i]);
	append_words(out, context, plan, ALWAYS | RECORDS | AS_REPLAY, secrets);
}

void retry_line_append_given(struct buffer *out, const struct context *context, const struct delivery_plan *plan,
                             struct shell_secrets *secrets)
{
	append_words(out, context, plan, ALWAYS | CHECKED, secrets);
}

bool retry_line_append(struct buffer *out, const struct retry_line *line, bool is_all, const struct context *context,
                       const struct delivery_plan *plan, struct shell_secrets *secrets)
{
	const struct delivery_options *o = plan->options;
	bool has_results = o->resume || (o->results && strcmp(o->results, "-") != 0);
	if ((line->kind_count == 0 && !line->input) || (line->input && !can_be_repeated(context)))
		return true;
	if (!line->input && !is_all) {
		append_made(out, line, context, plan, secrets);
		return is_all || maker_total(plan->maker) == plan->maker->kind_count;
	} else if (line->input && line->kind_count == 0 && (has_results || !line->many) &&
	           !was_given(context, "no-validate")) {
		append_replay(out, line, context, plan, secrets);
	} else {
		buffer_printf(out, "credhook %s", context->command);
		append_words(out, context, plan, ALWAYS, secrets);
		if (line->kind_count > 0 && !was_given(context, "seed"))
			buffer_printf(out, " --seed %llu", (unsigned long long)plan->maker->seed);
		return is_all;
	}
	return true;
}

void retry_line_append_resume(struct buffer *out, const struct context *context, const struct delivery_plan *plan,
                              const char *results, struct shell_secrets *secrets)
{
	buffer_append_text(out, "credhook replay");
	append_inputs(out, context);
	shell_append_option(out, "--resume", results);
	append_words(out, context, plan, ALWAYS | AS_REPLAY, secrets);
}
