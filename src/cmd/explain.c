/* explain: what the specification says of a topic, where, with a sample, and what it leaves open. */
#include "cmd/explain.h"

#include "base/nearest.h"
#include "cmd/cmd.h"

#include <string.h>

struct explain_args {
	struct global_options global;
};

static const struct explainer explainers[] = {
	{ "event", explain_event },         { "element", explain_element },
	{ "operation", explain_operation }, { "path", explain_path },
	{ "field", explain_field },         { "finding", explain_finding },
	{ "service", explain_service },     { "dispute status", explain_dispute_status },
	{ "status", explain_status },       { "type", explain_type },
	{ "envelope", explain_envelope },   { "section", explain_section },
	{ "topic", explain_passages },      { "exit code", explain_exit_code },
	{ "outcome", explain_outcome },
};
static const struct explainer beginning = { "event", explain_event_beginning };

static bool explain_by(struct explanation *to, const struct explainer *explainer, const char *topic, bool json)
{
	struct explanation one = { BUFFER_INIT, to->color && !json, to->width };
	bool found = explainer->explain(&one, topic);
	if (found && json)
		explain_append_json(&to->text, explainer->what, topic, buffer_text(&one.text));
	else if (found)
		buffer_printf(&to->text, "%s%s", to->text.length > 0 ? "\n" : "", buffer_text(&one.text));
	buffer_release(&one.text);
	return found;
}

static bool explain_named(struct explanation *to, const char *topic, bool json)
{
	bool found = false;
	for (size_t i = 0; i < sizeof explainers / sizeof explainers[0]; i++)
		found |= explain_by(to, &explainers[i], topic, json);
	return found;
}

bool explain_topic(struct explanation *to, char *topic, bool json)
{
	const char *other;
	size_t at = 0;
	explain_spell(topic);
	bool found = explain_named(to, topic, json);
	while ((other = explain_other_word(topic, &at)))
		found |= explain_named(to, other, json);
	return found || explain_by(to, &beginning, topic, json);
}

static void offer(void *near, const char *name)
{
	nearest_offer(near, name);
}

static int unknown_topic(const char *topic, struct error *err)
{
	const char *path = strchr(topic, '/'), *dot = strrchr(topic, '.');
	const char *word = path ? path : dot ? dot + 1 : topic;
	struct nearest near;
	nearest_init(&near, word, strlen(word));
	explain_each_name(offer, &near);
	error_set(err, EXIT_CODE_USAGE, "nothing is known about '%s'", topic);
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
		explain_append_topics_json(&to.text);
	else if (topic.length == 0)
		explain_list(&to);
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
	{ "credhook explain missing-key", "a finding, and whose rule it is" },
	{ NULL, NULL },
};

const struct command command_explain = {
	.name = "explain",
	.operands = "[TOPIC]",
	.summary = "Tell what the specification says of a topic: an event, field, path, operation, finding...",
	.args_size = sizeof(struct explain_args),
	.run = run_explain,
	.examples = examples,
};
