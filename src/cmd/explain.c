/* explain: what the specification says of a topic, where, with a sample, and what it leaves open. */
#include "cmd/explain.h"

#include "base/nearest.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"

#include <string.h>

struct explain_args {
	struct global_options global;
};

static bool explain_whole_event(struct explanation *to, const char *topic)
{
	struct catalog_kind kind;
	const char *nearest;
	char name[CATALOG_KIND_NAME_SIZE];
	if (catalog_find_kind(topic, &kind, &nearest) != CATALOG_FOUND)
		return false;
	catalog_kind_name(kind, name);
	return strcmp(name, topic) == 0 && explain_event(to, topic);
}

static const struct explainer explainers[] = {
	{ "event", explain_whole_event },   { "element", explain_element },
	{ "operation", explain_operation }, { "path", explain_path },
	{ "field", explain_field },         { "finding", explain_finding },
	{ "service", explain_service },     { "dispute status", explain_dispute_status },
	{ "topic", explain_passages },      { "exit code", explain_exit_code },
	{ "outcome", explain_outcome },
};

/* Of the beginning of a name, where nothing has it as its whole one: `bureau` is the field, and not bureau-alert. */
static const struct explainer last_resort = { "event", explain_event };

static bool ask(const struct explainer *explainer, struct explanation *to, const char *topic, bool json)
{
	struct explanation one = { BUFFER_INIT, to->color && !json, to->width };
	bool known = explainer->explain(&one, topic);
	if (known && json)
		explain_append_json(&to->text, explainer->what, topic, buffer_text(&one.text));
	else if (known)
		buffer_printf(&to->text, "%s%s", to->text.length > 0 ? "\n" : "", buffer_text(&one.text));
	buffer_release(&one.text);
	return known;
}

/* Everything that is known by that name, as one text or as an object per kind. */
static bool explain_one(struct explanation *to, const char *topic, bool json)
{
	bool found = false;
	for (size_t i = 0; i < sizeof explainers / sizeof explainers[0]; i++)
		found = ask(&explainers[i], to, topic, json) || found;
	return found || ask(&last_resort, to, topic, json);
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
