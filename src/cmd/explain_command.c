/* explain: what the specification says of a topic, where, with a sample, and what it leaves open. */
#include "base/text.h"
#include "cmd/args/kinds.h"
#include "cmd/cmd.h"
#include "cmd/topics/topics.h"
#include "ui/help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NAME_COLUMNS 20

/* The names of each kind; those with a '/' are many or long. */
static void append_names(struct explanation *to)
{
	for (const struct topic_kind *kind = topic_kinds; kind < topic_kinds + topic_kind_count; kind++) {
		LOCAL_BUFFER text = BUFFER_FOR(to->out);
		struct topic topic;
		for (size_t i = 0; topic_at(kind, i, &topic) && !topic.see && !strchr(topic.name, '/'); i++)
			buffer_printf(&text, "%s%s", i > 0 ? ", " : "", topic.name);
		if (text.length == 0 && topic.see)
			buffer_append_text(&text, topic.see);
		else if (text.length == 0)
			buffer_printf(&text, "see 'credhook explain %s'", kind->plural);
		explain_value(to, kind->plural, buffer_text(&text));
	}
}

/* A command, or an option without its dashes in each command that has it: the lines of their help. False: neither. */
static bool append_commands(struct explanation *to, const struct command *const *commands, const char *asked)
{
	size_t before = to->out->length;
	for (size_t c = 0; commands[c]; c++) {
		LOCAL_BUFFER name = BUFFER_FOR(to->out);
		if (strcmp(commands[c]->name, asked) == 0) {
			buffer_printf(&name, "credhook %s -h", asked);
			help_append_row(to->out, buffer_text(&name), commands[c]->summary, NAME_COLUMNS, to->width);
		}
		for (size_t u = 0; u < commands[c]->use_count; u++) {
			const struct option_group *group = commands[c]->uses[u].group;
			const struct option *o = options_find(group, 1, 0, asked, strlen(asked));
			if (!o)
				continue;
			buffer_clear(&name);
			buffer_printf(&name, "%s --%s%s%s", commands[c]->name, o->name, o->argument ? " " : "",
			              o->argument ? o->argument : "");
			help_append_row(to->out, buffer_text(&name), o->help, 2 * NAME_COLUMNS, to->width);
		}
	}
	return to->out->length > before;
}

static int unknown_topic(const char *topic, struct error *err)
{
	const char *path = strchr(topic, '/'), *dot = strrchr(topic, '.');
	const char *word = path ? path : dot ? dot + 1 : topic;
	struct nearest near;
	nearest_init(&near, word, strlen(word));
	char spelled[96] = "";
	for (struct topic t = { .name = NULL }; topic_next(&t);) {
		if (t.name != t.full) /* which is gone when the nearest is asked for */
			nearest_offer(&near, t.name);
		else if (path && nearest_distance(topic, strlen(topic), t.full, strlen(t.full)) <= 2)
			snprintf(spelled, sizeof spelled, "%s", t.full);
		if (t.other)
			nearest_offer(&near, t.other);
	}
	struct catalog_kind kind = { .event = NULL };
	if (catalog_find_kind(topic, &kind, NULL) == CATALOG_AMBIGUOUS)
		return kind_find(topic, false, &kind, err);
	error_set(err, EXIT_CODE_USAGE, "no topic '%s'", topic);
	/* exit code 4, exit-code 4: the number alone follows. */
	const char *number = strrchr(topic, ' ');
	if (number && strncasecmp(topic, "exit", 4) == 0 && strspn(number + 1, "0123456789") == strlen(number + 1))
		return error_ask(err, "exit%s", number);
	/* field appKey, how to retry: the last words may be one. */
	for (const char *at = strchr(topic, ' '); at; at = strchr(at + 1, ' '))
		if (strlen(at + 1) > 2 && topic_find(at + 1, NULL, NULL) > 0)
			return error_ask(err, "%s", at + 1);
	if (spelled[0])
		return error_ask(err, "%s", spelled);
	if (nearest_result(&near))
		return error_ask(err, "%s", nearest_result(&near));
	bool is_operation = path && (path == topic || strchr(topic, ' '));
	return error_hint(err, "'credhook explain%s' lists them", is_operation ? " operations" : path ? " checks" : "");
}

/* A command or an option is not a topic: its object is one of help. */
static int explain_command(struct explanation *to, const struct command *const *commands, const char *asked,
                           struct error *err)
{
	if (!append_commands(to, commands, asked))
		return unknown_topic(asked, err);
	if (!to->json)
		return EXIT_CODE_OK;
	error_set(err, EXIT_CODE_USAGE, "'%s' is a command or an option, which explain prints as text only", asked);
	return error_hint(err, "credhook help --json has them all");
}

static int run_explain(struct context *context, void *args, struct error *err)
{
	(void)args;
	LOCAL_BUFFER topic = BUFFER_INIT;
	LOCAL_BUFFER text = BUFFER_FOR(&topic);
	struct explanation to = explanation_for(context->terminal, &text, NULL);
	int code = EXIT_CODE_OK;
	/* The topic may come as several words: explain PUT /api/report/v2. */
	for (size_t i = 0; i < context->operands->count; i++)
		buffer_printf(&topic, "%s%s", i > 0 ? " " : "", context->operands->items[i]);
	if (topic.failed)
		code = error_no_memory(err);
	else if (topic.length == 0 && !to.json)
		append_names(&to);
	else if (topic.length == 0)
		for (struct topic t = { .name = NULL }; topic_next(&t);)
			explain_append_topic(&to, &t);
	else if (explain_topic(&text, context->terminal, topic.data) == 0)
		code = explain_command(&to, context->commands, topic.data, err);
	if (code == EXIT_CODE_OK)
		terminal_write_buffer(context->terminal, &text);
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
	.also = (const struct command_also[]){ { "describe docs doc info", "TOPIC" }, { NULL, NULL } },
	.usual = "TOPIC",
	.phrase = "explain an event, field, finding or check",
	.common = (const char *const[]){ "json", NULL },
	.operands = "[TOPIC]",
	.complete = COMPLETE_TOPIC,
	.summary = "Explain an event, field, finding or check.",
	.args_size = sizeof(struct global_options),
	.run = run_explain,
	.examples = examples,
};
