/* explain: what the specification says of a topic, where, with a sample, and what it leaves open. */
#include "cmd/explain.h"

#include "base/nearest.h"
#include "cmd/cmd.h"
#include "json/json_line.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LABEL_COLUMNS 14
#define NAME_COLUMNS  20

struct explain_args {
	struct global_options global;
};

/* What people call topics who do not know ours: printed beside, or in place of, what the word itself names. */
static const struct {
	const char *word;
	const char *topic;
} words[] = {
	{ "signature", "authentication" }, { "signing", "authentication" },
	{ "hmac", "authentication" },      { "secret", "authentication" },
	{ "auth", "authentication" },      { "allow-list", "authentication" },
	{ "security", "authentication" },  { "retry", "limits" },
	{ "retries", "limits" },           { "timeout", "limits" },
	{ "time-out", "limits" },          { "rate", "limits" },
	{ "rate limit", "limits" },        { "order", "limits" },
	{ "ordering", "limits" },          { "content-type", "delivery" },
	{ "response", "delivery" },        { "webhook", "delivery" },
	{ "listener", "delivery" },        { "payload", "envelope" },
	{ "notification", "envelope" },    { "sandbox", "environments" },
	{ "production", "environments" },  { "environment", "environments" },
	{ "client id", "environments" },   { "clientId", "environments" },
	{ "version", "versions" },         { "v2", "versions" },
	{ "dispute", "disputes" },         { "finding", "findings" },
	{ "outcome", "outcomes" },         { "exit", "exit codes" },
	{ "exit code", "exit codes" },     { "exit-code", "exit codes" },
	{ "exit-codes", "exit codes" },    { "exit status", "exit codes" },
};
#define WORDS (sizeof words / sizeof words[0])

static const struct topic_kind *const kinds[] = {
	&topic_kind_event,     &topic_kind_element, &topic_kind_operation,      &topic_kind_field,
	&topic_kind_finding,   &topic_kind_service, &topic_kind_dispute_status, &topic_kind_passage,
	&topic_kind_status,    &topic_kind_method,  &topic_kind_type,           &topic_kind_envelope,
	&topic_kind_exit_code, &topic_kind_outcome, &topic_kind_format,
};
#define KINDS (sizeof kinds / sizeof kinds[0])

void explain_title(struct explanation *to, const char *name, const char *kind)
{
	style_append(&to->text, to->color, STYLE_BOLD, "%s", name);
	buffer_printf(&to->text, " (%s)\n", kind);
}

void explain_row(struct explanation *to, const char *label, const char *text)
{
	help_append_row(&to->text, label, text, LABEL_COLUMNS, to->width);
}

void explain_source(struct explanation *to, const char *section)
{
	struct buffer text = BUFFER_INIT;
	buffer_printf(&text, "the specification, section %s", section);
	explain_row(to, "source", buffer_text(&text));
	buffer_release(&text);
}

void explain_each(void (*use)(void *context, const struct topic_kind *kind, const struct topic *topic), void *context)
{
	struct topic topic;
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; kinds[k]->at(i, &topic); i++)
			use(context, kinds[k], &topic);
	for (size_t i = 0; i < WORDS; i++) {
		topic = (struct topic){ .name = words[i].word };
		use(context, NULL, &topic);
	}
}

static bool is_name(const char *name, const char *asked)
{
	return name && strcasecmp(name, asked) == 0;
}

static bool answers(const struct topic_kind *kind, const struct topic *topic, const char *asked)
{
	return kind->answers ? kind->answers(topic, asked)
	                     : is_name(topic->name, asked) || is_name(topic->other, asked);
}

/* One text after another; or as an object each. */
static void add_text(struct explanation *to, const char *kind, const char *name, struct explanation *one, bool json)
{
	if (json) {
		json_line_begin(&to->text);
		json_line_text(&to->text, "kind", kind);
		json_line_text(&to->text, "topic", name);
		json_line_bytes(&to->text, "text", buffer_text(&one->text), one->text.length);
		json_line_end(&to->text);
		buffer_append_byte(&to->text, '\n');
	} else {
		buffer_printf(&to->text, "%s%s", to->text.length > 0 ? "\n" : "", buffer_text(&one->text));
	}
	buffer_release(&one->text);
}

static struct explanation part_of(const struct explanation *to, bool json)
{
	return (struct explanation){ BUFFER_INIT, to->color && !json, to->width };
}

static void print_summary(struct explanation *to, const struct topic *topic, int columns)
{
	struct buffer text = BUFFER_INIT;
	buffer_printf(&text, "%s%s%s", topic->qualifier ? topic->qualifier : "", topic->qualifier ? ": " : "",
	              topic->summary);
	help_append_row(&to->text, topic->name, buffer_text(&text), columns, to->width);
	buffer_release(&text);
}

/* Those of a kind, by its plural. */
static void print_kind(struct explanation *to, const struct topic_kind *kind)
{
	struct topic topic;
	char count[24] = "";
	for (size_t i = 0; kind->at(i, &topic); i++)
		snprintf(count, sizeof count, "%zu", i + 1);
	explain_title(to, kind->plural, count);
	for (size_t i = 0; kind->at(i, &topic); i++)
		print_summary(to, &topic, NAME_COLUMNS);
}

static bool explain_kind(struct explanation *to, const struct topic_kind *kind, const char *asked, bool json)
{
	struct topic topic;
	char before[sizeof topic.full] = "";
	bool found = false;
	if (is_name(kind->plural, asked)) {
		struct explanation one = part_of(to, json);
		print_kind(&one, kind);
		add_text(to, kind->name, kind->plural, &one, json);
		return true;
	}
	for (size_t i = 0; kind->at(i, &topic); i++) {
		if (!answers(kind, &topic, asked) || strcmp(topic.name, before) == 0)
			continue;
		struct explanation one = part_of(to, json);
		kind->print(&one, &topic, asked);
		add_text(to, kind->name, topic.name, &one, json);
		found = true;
		snprintf(before, sizeof before, "%s", topic.name);
	}
	return found;
}

/* "2" holds "2.2", and "6" holds "6, note 1"; "1" does not hold "10". */
static bool is_within(const char *section, const char *wanted)
{
	size_t length = strlen(wanted);
	return section && strncmp(section, wanted, length) == 0 && strchr(".,", section[length]);
}

static bool explain_section(struct explanation *to, const char *asked, bool json)
{
	struct explanation one = part_of(to, json);
	struct topic topic;
	bool found = false;
	if (strncasecmp(asked, "section ", 8) != 0 || asked[8] == '\0')
		return false;
	explain_title(&one, asked, "of the specification");
	for (size_t k = 0; k < KINDS; k++) {
		for (size_t i = 0; kinds[k]->plural && kinds[k]->at(i, &topic); i++) {
			if (!is_within(topic.section, asked + 8))
				continue;
			print_summary(&one, &topic, LABEL_COLUMNS);
			found = true;
		}
	}
	if (found)
		add_text(to, "section", asked + 8, &one, json);
	buffer_release(&one.text);
	return found;
}

static bool explain_by_name(struct explanation *to, const char *asked, bool json)
{
	bool found = explain_section(to, asked, json);
	for (size_t k = 0; k < KINDS; k++)
		found |= explain_kind(to, kinds[k], asked, json);
	return found;
}

static bool explain_else(struct explanation *to, const char *kind, const char *asked, bool json,
                         bool (*explain)(struct explanation *, const char *))
{
	struct explanation one = part_of(to, json);
	bool found = explain(&one, asked);
	if (found)
		add_text(to, kind, asked, &one, json);
	buffer_release(&one.text);
	return found;
}

bool explain_topic(struct explanation *to, const char *asked, bool json)
{
	bool found = explain_by_name(to, asked, json);
	for (size_t i = 0; i < WORDS; i++)
		if (strcasecmp(words[i].word, asked) == 0)
			found |= explain_by_name(to, words[i].topic, json);
	return found || explain_else(to, "path", asked, json, explain_overview_path) ||
	       explain_else(to, "event", asked, json, explain_event_beginning);
}

/* The names of each kind, one behind another. */
static void list_topics(struct explanation *to)
{
	style_append(&to->text, to->color, STYLE_BOLD, "Topics:");
	buffer_append_byte(&to->text, '\n');
	for (size_t k = 0; k < KINDS; k++) {
		struct buffer text = BUFFER_INIT;
		struct topic topic;
		const char *before = "";
		for (size_t i = 0; kinds[k]->plural && kinds[k]->at(i, &topic); i++) {
			if (strcmp(topic.name, before) != 0 && answers(kinds[k], &topic, topic.name))
				buffer_printf(&text, "%s%s", text.length > 0 ? ", " : "", topic.name);
			before = topic.name == topic.full ? "" : topic.name;
		}
		if (kinds[k]->plural)
			explain_row(to, kinds[k]->plural, buffer_text(&text));
		buffer_release(&text);
	}
	explain_row(to, "also", "a status (401), a method (put), a type (uuid), a path, envelope, section 2.2");
}

static void append_row_json(void *context, const struct topic_kind *kind, const struct topic *topic)
{
	struct buffer *out = context;
	if (!kind || !kind->plural)
		return;
	json_line_begin(out);
	json_line_text(out, "kind", kind->name);
	json_line_text(out, "topic", topic->name);
	json_line_text(out, "summary", topic->summary);
	json_line_text(out, "section", topic->section);
	if (kind->append_json)
		kind->append_json(out, topic);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

static void offer(void *near, const struct topic_kind *kind, const struct topic *topic)
{
	(void)kind;
	if (topic->name != topic->full) /* which is gone when the nearest is asked for */
		nearest_offer(near, topic->name);
	if (topic->other)
		nearest_offer(near, topic->other);
}

static int unknown_topic(const char *topic, struct error *err)
{
	const char *path = strchr(topic, '/'), *dot = strrchr(topic, '.');
	const char *word = path ? path : dot ? dot + 1 : topic;
	struct nearest near;
	nearest_init(&near, word, strlen(word));
	explain_each(offer, &near);
	error_set(err, EXIT_CODE_USAGE, "no topic '%s'", topic);
	if (path && explain_hint_element(path, err))
		return -1;
	if (nearest_result(&near))
		return error_hint(err, "did you mean '%s'?", nearest_result(&near));
	return error_hint(err, "'credhook explain' alone lists the topics");
}

/* The topic may come as several words: explain PUT /api/report/v2. */
static void join_operands(const struct text_list *operands, struct buffer *topic)
{
	for (size_t i = 0; i < operands->count; i++)
		buffer_printf(topic, "%s%s", i > 0 ? " " : "", operands->items[i]);
}

static int run_explain(struct context *context, void *args, struct error *err)
{
	(void)args;
	struct buffer topic = BUFFER_INIT;
	bool json = context->global->json;
	struct explanation to = { BUFFER_INIT, context->terminal->color_out, json ? 100 : terminal_width() };
	int code = EXIT_CODE_OK;
	join_operands(context->operands, &topic);
	if (topic.length == 0 && json)
		explain_each(append_row_json, &to.text);
	else if (topic.length == 0)
		list_topics(&to);
	else if (!explain_topic(&to, topic.data, json))
		code = unknown_topic(topic.data, err);
	if (code == EXIT_CODE_OK)
		terminal_write(context->terminal, buffer_text(&to.text), to.text.length);
	buffer_release(&to.text);
	buffer_release(&topic);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook explain bureau-alert", "an event with its fields and a sample" },
	{ "credhook explain details.offCycle", "a field" },
	{ "credhook explain PUT /api/report/v2", "an operation and the events it triggers" },
	{ "credhook explain missing-key", "a finding, and who defines it" },
	{ NULL, NULL },
};

const struct command command_explain = {
	.name = "explain",
	.operands = "[TOPIC]",
	.complete = COMPLETE_TOPIC,
	.summary = "Explain an event, field, path, operation or finding.",
	.args_size = sizeof(struct explain_args),
	.run = run_explain,
	.examples = examples,
};
