/* explain: what the specification says of a topic, where, with a sample, and what it leaves open. */
#include "cmd/explain.h"

#include "base/nearest.h"
#include "cmd/cmd.h"
#include "json/json_line.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_COLUMNS 20
#define JSON_COLUMNS 100

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

/* clang-format off */
static const struct topic_kind kinds[] = {
	/* name, plural, what, at, answers, print, append_json */
	{ "event", "events", NULL, topic_event_at, NULL, topic_event_print, NULL },
	{ "element", "elements", "monitored element", topic_element_at, NULL, topic_element_print, NULL },
	{ "operation", "operations", "operation", topic_operation_at, topic_operation_answers, topic_operation_print, NULL },
	{ "field", "fields", NULL, topic_field_at, topic_field_answers, topic_field_print, topic_field_json },
	{ "finding", "findings", "finding", topic_finding_at, NULL, topic_finding_print, topic_finding_json },
	{ "service", "services", "service", topic_service_at, NULL, topic_service_print, NULL },
	{ "dispute status", "dispute statuses", "dispute status", topic_dispute_status_at, NULL, topic_dispute_status_print, NULL },
	{ "topic", "topics", "topic", topic_passage_at, topic_passage_answers, topic_passage_print, topic_passage_json },
	{ "status", NULL, NULL, topic_status_at, NULL, topic_value_print, NULL },
	{ "method", NULL, NULL, topic_method_at, NULL, topic_value_print, NULL },
	{ "type", NULL, "type of fields", topic_type_at, NULL, topic_type_print, NULL },
	{ "envelope", NULL, "what every notification is", topic_envelope_at, NULL, topic_envelope_print, NULL },
	{ "exit code", "exit codes", "exit code", topic_exit_code_at, NULL, topic_meaning_print, topic_exit_code_json },
	{ "outcome", "outcomes", "outcome of a delivery", topic_outcome_at, NULL, topic_meaning_print, NULL },
	{ "format", "formats", "format", topic_format_at, NULL, topic_format_print, NULL },
};
/* clang-format on */
#define KINDS (sizeof kinds / sizeof kinds[0])

void explain_each(void (*use)(void *context, const struct topic_kind *kind, const struct topic *topic), void *context)
{
	struct topic topic;
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; kinds[k].at(i, &topic); i++)
			use(context, &kinds[k], &topic);
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

static int width_of(const struct terminal *terminal)
{
	return terminal->json ? JSON_COLUMNS : terminal_width();
}

static struct explanation explanation_for(const struct terminal *terminal, const char *asked)
{
	bool color = terminal->color_out && !terminal->json;
	return (struct explanation){ .color = color, .width = width_of(terminal), .asked = asked };
}

/* Adds one text after another, or with --json as an object each. */
static void add_text(struct buffer *out, const struct terminal *terminal, const char *kind, const char *name,
                     struct explanation *one)
{
	if (terminal->json) {
		json_line_begin(out);
		json_line_text(out, "kind", kind);
		json_line_text(out, "topic", name);
		json_line_bytes(out, "text", buffer_text(&one->text), one->text.length);
		json_line_end(out);
		buffer_append_byte(out, '\n');
	} else {
		buffer_printf(out, "%s%s", out->length > 0 ? "\n" : "", buffer_text(&one->text));
	}
	buffer_release(&one->text);
}

static void print_summary(struct explanation *to, const struct topic *topic, int columns)
{
	struct buffer text = BUFFER_INIT;
	buffer_printf(&text, "%s%s%s", topic->qualifier ? topic->qualifier : "", topic->qualifier ? ": " : "",
	              topic->summary);
	help_append_row(&to->text, topic->name, buffer_text(&text), columns, to->width);
	buffer_release(&text);
}

/* The topics of a kind, by its plural. */
static void print_kind(struct explanation *to, const struct topic_kind *kind)
{
	struct topic topic;
	size_t count = 0;
	while (kind->at(count, &topic))
		count++;
	explain_title(to, kind->plural, "%zu", count);
	for (size_t i = 0; kind->at(i, &topic); i++)
		print_summary(to, &topic, NAME_COLUMNS);
}

static bool explain_kind(struct buffer *out, const struct terminal *terminal, const struct topic_kind *kind,
                         const char *asked)
{
	struct topic topic;
	char before[sizeof topic.full] = "";
	bool found = is_name(kind->plural, asked);
	struct explanation one = explanation_for(terminal, asked);
	if (found) {
		print_kind(&one, kind);
		add_text(out, terminal, kind->name, kind->plural, &one);
		return true;
	}
	for (size_t i = 0; kind->at(i, &topic); i++) {
		if (!answers(kind, &topic, asked) || strcmp(topic.name, before) == 0)
			continue;
		one = explanation_for(terminal, asked);
		if (kind->what)
			explain_title(&one, topic.name, "%s", kind->what);
		kind->print(&one, &topic);
		add_text(out, terminal, kind->name, topic.name, &one);
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

static bool explain_section(struct explanation *to, const char *asked)
{
	struct topic topic;
	bool found = false;
	if (strncasecmp(asked, "section ", 8) != 0 || asked[8] == '\0')
		return false;
	explain_title(to, asked, "of the specification");
	for (size_t k = 0; k < KINDS; k++) {
		for (size_t i = 0; kinds[k].plural && kinds[k].at(i, &topic); i++) {
			if (!is_within(topic.section, asked + 8))
				continue;
			print_summary(to, &topic, EXPLAIN_LABEL_COLUMNS);
			found = true;
		}
	}
	return found;
}

static bool explain_by_name(struct buffer *out, const struct terminal *terminal, const char *asked)
{
	bool found = false;
	for (size_t k = 0; k < KINDS; k++)
		found |= explain_kind(out, terminal, &kinds[k], asked);
	return found;
}

/* What is not a name of a topic. */
static bool explain_else(struct buffer *out, const struct terminal *terminal, const char *asked)
{
	static const struct {
		const char *kind;
		bool (*explain)(struct explanation *, const char *);
	} ways[] = { { "section", explain_section }, { "path", explain_overview_path }, { "event", explain_event } };
	bool found = false;
	for (size_t i = 0; i < sizeof ways / sizeof ways[0] && !found; i++) {
		struct explanation one = explanation_for(terminal, asked);
		found = ways[i].explain(&one, asked);
		if (found)
			add_text(out, terminal, ways[i].kind, asked, &one);
		buffer_release(&one.text);
	}
	return found;
}

bool explain_topic(struct buffer *out, const struct terminal *terminal, const char *asked)
{
	bool found = explain_by_name(out, terminal, asked);
	for (size_t i = 0; i < WORDS; i++)
		if (strcasecmp(words[i].word, asked) == 0)
			found |= explain_by_name(out, terminal, words[i].topic);
	return found || explain_else(out, terminal, asked);
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
		for (size_t i = 0; kinds[k].plural && kinds[k].at(i, &topic); i++) {
			if (strcmp(topic.name, before) != 0 && answers(&kinds[k], &topic, topic.name))
				buffer_printf(&text, "%s%s", text.length > 0 ? ", " : "", topic.name);
			before = topic.name == topic.full ? "" : topic.name;
		}
		if (kinds[k].plural)
			explain_row(to, kinds[k].plural, "%s", buffer_text(&text));
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
	struct explanation to = explanation_for(context->terminal, NULL);
	int code = EXIT_CODE_OK;
	join_operands(context->operands, &topic);
	if (topic.length == 0 && context->terminal->json)
		explain_each(append_row_json, &to.text);
	else if (topic.length == 0)
		list_topics(&to);
	else if (!explain_topic(&to.text, context->terminal, topic.data))
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
	.group = COMMAND_LEARN,
	.phrase = "explain an event, field, finding or status",
	.common = (const char *const[]){ "json", NULL },
	.operands = "[TOPIC]",
	.complete = COMPLETE_TOPIC,
	.summary = "Explain an event, field, path, operation or finding.",
	.args_size = sizeof(struct global_options),
	.run = run_explain,
	.examples = examples,
};
