/* explain: what the specification says of a topic, where, with a sample, and what it leaves open. */
#include "cmd/explain.h"

#include "base/text.h"
#include "cmd/cmd.h"
#include "json/json_line.h"
#include "ui/help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_COLUMNS 20

static void each(void (*use)(void *context, const struct topic_kind *kind, const struct topic *topic), void *context)
{
	struct topic topic;
	for (size_t k = 0; k < topic_kind_count; k++)
		for (size_t i = 0; topic_kinds[k].at(i, &topic); i++)
			use(context, &topic_kinds[k], &topic);
}

/* The topics of a kind as rows. */
static void print_kind(struct explanation *to, const struct topic_kind *kind)
{
	struct topic topic;
	if (!to->json)
		topic_append_title(to, kind->plural, "topics");
	for (size_t i = 0; kind->at(i, &topic); i++) {
		LOCAL_BUFFER text = BUFFER_INIT;
		if (to->json) {
			topic_print(to, kind, &topic, false);
			continue;
		}
		buffer_printf(&text, "%s%s%s", topic.qualifier ? topic.qualifier : "", topic.qualifier ? ": " : "",
		              topic.summary);
		help_append_row(&to->text, topic.name, buffer_text(&text), NAME_COLUMNS, to->width);
	}
}

/* What is in sentences only stands in the manual; --json has them, since the manual is made of it. */
static bool is_prose(const struct topic_kind *kind)
{
	return strcmp(kind->name, "topic") == 0;
}

/* Letter case aside, and with '-' for a blank: exit-codes. */
static bool is_name(const char *name, const char *asked)
{
	if (!name)
		return false;
	for (; *name && *asked; name++, asked++)
		if (strncasecmp(name, asked, 1) != 0 && !(*name == ' ' && *asked == '-'))
			return false;
	return *name == *asked;
}

static bool print_matching(struct explanation *to, const struct topic_kind *kind, const char *asked)
{
	struct topic topic;
	char before[sizeof topic.full] = "";
	bool found = is_name(kind->plural, asked) && (to->json || !is_prose(kind));
	if (found)
		print_kind(to, kind);
	for (size_t i = 0; kind->at(i, &topic); i++) {
		bool matches = is_name(topic.name, asked) || is_name(topic.other, asked) || is_name(topic.full, asked);
		if (kind->matches ? !kind->matches(&topic, asked) : !matches)
			continue;
		if (is_prose(kind) && !to->json) {
			buffer_printf(&to->text, "%s: see 'man credhook-events'\n", topic.name);
			return true;
		}
		topic_print(to, kind, &topic, strcmp(topic.name, before) == 0);
		snprintf(before, sizeof before, "%s", topic.name);
		found = true;
	}
	return found;
}

static struct explanation explanation_for(const struct terminal *terminal, const char *asked)
{
	return (struct explanation){
		.json = terminal->json, .color = terminal->color_out, .width = terminal_width(), .asked = asked
	};
}

bool explain_topic(struct buffer *out, const struct terminal *terminal, const char *asked)
{
	struct explanation to = explanation_for(terminal, asked);
	char name[CATALOG_KIND_NAME_SIZE];
	const char *nearest;
	struct catalog_kind kind;
	bool found = false;
	for (size_t k = 0; k < topic_kind_count; k++)
		found |= print_matching(&to, &topic_kinds[k], asked);
	if (!found && catalog_find_kind(asked, &kind, &nearest) == CATALOG_FOUND) { /* the beginning of an event */
		catalog_kind_name(kind, name);
		for (size_t k = 0; k < topic_kind_count; k++)
			found |= print_matching(&to, &topic_kinds[k], name);
	}
	buffer_printf(out, "%s%s", out->length > 0 && found && !to.json ? "\n" : "", buffer_text(&to.text));
	buffer_release(&to.text);
	return found;
}

static bool is_listed_apart(const struct topic_kind *kind)
{
	struct topic topic;
	for (size_t i = 0; kind->at(i, &topic); i++)
		if (strpbrk(topic.name, " /"))
			return true;
	return false;
}

/* The names of a kind, one after another. Names of several words would be hard to tell apart; checks are many. */
static void list_names(struct explanation *to, const struct topic_kind *kind)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	struct topic topic;
	const char *before = "";
	bool only_named = is_listed_apart(kind);
	if (only_named)
		buffer_printf(&text, "see 'credhook explain %s'", kind->plural);
	for (size_t i = 0; !only_named && kind->at(i, &topic); i++) {
		bool is_field_rule = kind->matches && !kind->matches(&topic, topic.name);
		if (strcmp(topic.name, before) != 0 && !is_field_rule)
			buffer_printf(&text, "%s%s", text.length > 0 ? ", " : "", topic.name);
		before = topic.name;
	}
	explain_value(to, kind->plural, buffer_text(&text));
}

static void print_row(void *context, const struct topic_kind *kind, const struct topic *topic)
{
	topic_print(context, kind, topic, false);
}

static void offer(void *context, const struct topic_kind *kind, const struct topic *topic)
{
	(void)kind;
	if (topic->name != topic->full) /* which is gone when the nearest is asked for */
		nearest_offer(context, topic->name);
	if (topic->other)
		nearest_offer(context, topic->other);
}

static int unknown_topic(const char *topic, struct error *err)
{
	const char *path = strchr(topic, '/'), *dot = strrchr(topic, '.');
	const char *word = path ? path : dot ? dot + 1 : topic;
	struct nearest near;
	nearest_init(&near, word, strlen(word));
	each(offer, &near);
	error_set(err, EXIT_CODE_USAGE, "no topic '%s'", topic);
	if (nearest_result(&near))
		return error_hint(err, "did you mean %s?", nearest_result(&near));
	return error_hint(err, "'credhook explain%s' lists them", path ? " operations" : "");
}

static int run_explain(struct context *context, void *args, struct error *err)
{
	(void)args;
	LOCAL_BUFFER topic = BUFFER_INIT;
	struct explanation to = explanation_for(context->terminal, NULL);
	int code = EXIT_CODE_OK;
	/* The topic may come as several words: explain PUT /api/report/v2. */
	for (size_t i = 0; i < context->operands->count; i++)
		buffer_printf(&topic, "%s%s", i > 0 ? " " : "", context->operands->items[i]);
	if (topic.length == 0 && to.json)
		each(print_row, &to);
	else if (topic.length == 0)
		for (size_t k = 0; k < topic_kind_count; k++) {
			if (!is_prose(&topic_kinds[k]))
				list_names(&to, &topic_kinds[k]);
		}
	else if (!explain_topic(&to.text, context->terminal, topic.data))
		code = unknown_topic(topic.data, err);
	if (code == EXIT_CODE_OK)
		terminal_write(context->terminal, buffer_text(&to.text), to.text.length);
	buffer_release(&to.text);
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
	.phrase = "explain an event, field, finding or check",
	.common = (const char *const[]){ "json", NULL },
	.operands = "[TOPIC]",
	.complete = COMPLETE_TOPIC,
	.summary = "Explain an event, field, finding or check.",
	.args_size = sizeof(struct global_options),
	.run = run_explain,
	.examples = examples,
};
