/* explain: what the specification says of a topic, where, with a sample, and what it leaves open. */
#include "cmd/explain.h"

#include "base/nearest.h"
#include "catalog/catalog.h"
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
	{ "topic", explain_passages },      { "exit code", explain_exit_code },
	{ "outcome", explain_outcome },
};

/* Everything that is known by that name, as one text or as an object per kind. */
static bool explain_one(struct explanation *to, const char *topic, bool json)
{
	bool found = false;
	for (size_t i = 0; i < sizeof explainers / sizeof explainers[0]; i++) {
		struct explanation one = { BUFFER_INIT, to->color && !json, to->width };
		if (explainers[i].explain(&one, topic)) {
			if (json)
				explain_append_json(&to->text, explainers[i].what, topic, buffer_text(&one.text));
			else
				buffer_printf(&to->text, "%s%s", found ? "\n" : "", buffer_text(&one.text));
			found = true;
		}
		buffer_release(&one.text);
	}
	return found;
}

static void offer_all(struct nearest *near)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		nearest_offer(near, catalog_events[i].name);
	for (size_t i = 0; i < catalog_field_count; i++)
		nearest_offer(near, catalog_fields[i]->name);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		nearest_offer(near, catalog_envelope[i]->name);
	for (size_t i = 0; i < catalog_element_count; i++)
		nearest_offer(near, catalog_elements[i].name);
	for (size_t i = 0; i < catalog_passage_count; i++)
		nearest_offer(near, catalog_passages[i].topic);
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		nearest_offer(near, finding_rows[i].name);
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		nearest_offer(near, catalog_dispute_statuses[i].name);
	for (size_t i = 0; i < catalog_operation_count; i++)
		nearest_offer(near, catalog_operations[i].path);
}

static int unknown_topic(const char *topic, struct error *err)
{
	const char *path = strchr(topic, '/'), *dot = strrchr(topic, '.');
	const char *word = path ? path : dot ? dot + 1 : topic;
	struct nearest near;
	nearest_init(&near, word, strlen(word));
	offer_all(&near);
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
	else if (!explain_one(&to, topic.data, json))
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
