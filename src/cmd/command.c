/* A command's row: how it is found, and what options it has. */
#include "cmd/cmd.h"

#include <string.h>

static const char *const color_choices[] = { "auto", "always", "never", NULL };

#define GLOBAL(field) offsetof(struct global_options, field)
static const struct option global_options[] = {
	{ 'h', "help", NULL, "common options with -h, all with --help", OPTION_HELP, .offset = GLOBAL(help) },
	{ 'V', "version", NULL, "show the version, libraries and features", OPTION_FLAG, .offset = GLOBAL(version) },
	{ 'q', "quiet", NULL, "errors only", OPTION_FLAG, .offset = GLOBAL(quiet), .also = "silent -s" },
	{ 'v', "verbose", NULL, "more detail", OPTION_FLAG, .offset = GLOBAL(verbose),
	  .also = "debug log-level loglevel trace" },
	{ 0, "json", NULL, "NDJSON on stdout, errors as a JSON object on stderr", OPTION_FLAG, .offset = GLOBAL(json),
	  .also = "json-output print-json output-format" },
	{ 0, "color", "WHEN", "use colours", OPTION_CHOICE, .offset = GLOBAL(color), .choices = color_choices,
	  .also = "colour colors" },
	{ 0, "config", "FILE", "read this configuration file", OPTION_TEXT, COMPLETE_FILE, .offset = GLOBAL(config),
	  .alters = true, .also = "conf" },
	{ 0, "no-config", NULL, "read no configuration file", OPTION_FLAG, .offset = GLOBAL(no_config),
	  .alters = true },
};
static const struct option_way global_ways[] = {
	{ "method request -X", "always POST" },
	{ "data body file -d -f", "credhook send --file FILE sends what is in a file" },
	{ "url to port host -p", "credhook send EVENT --to WHERE sends, credhook listen PORT listens" },
	{ "user token auth -u", "credhook send EVENT -H 'Authorization: Bearer TOKEN' sends a header" },
	{ "timeout", "credhook send EVENT --max-time D, or credhook listen --timeout D" },
	{ "retries retry", "credhook send EVENT --retry N retries" },
	{ "tls ssl", "credhook send EVENT --to https://..., credhook listen --tls-self-signed" },
	{ "output out out-dir -o", "standard output is the result: > FILE" },
	{ "format pretty", "--json is for programs: | jq . formats it" },
	{ "count times -n tail skip", "cut the output: | head, | tail" },
	{ "grep filter", "filter the output: | grep, or --json | jq" },
	{ "progress progress-bar no-progress", "-q leaves it out" },
	{ "watch", "entr(1) runs it again when files change, watch(1) every two seconds" },
	{ "csv table columns", "--json | jq -r makes columns" },
	{ "service method-filter", "filter the output: | grep, or --json | jq" },
	{ "event", "write the event's name alone: credhook explain user-created" },
	{ "yes -y", "nothing asks: leave it out" },
	{ "force", "nothing has to be forced: leave it out" },
	{ "anonymize mask redact", "credhook convert FILE --redact takes people out of a capture" },
	{ "set unset merge", "credhook build EVENT --set PATH=TEXT --unset PATH --merge FILE makes a payload" },
	{ "quick", "credhook test --level quick" },
	{ "status", "credhook show FILE --status LIST selects by it" },
	{ "no-color", "write --color never" },
	{ "from", "name the file alone" },
	{ "list -l", "credhook events lists the events, credhook test --list the checks" },
	{ "loop", "repeat it in the shell: for i in 1 2 3; do ...; done" },
	{ "no-validate", "credhook send --file FILE --validate off sends what is invalid" },
	{ NULL, NULL },
};
const struct option_group global_option_group = OPTION_GROUP_WITH("Global options", global_options, 0, global_ways);

size_t command_groups(const struct command *command, struct option_group groups[COMMAND_GROUPS_MAX])
{
	size_t count = 0;
	for (; count < command->use_count && count < COMMAND_GROUPS_MAX - 1; count++) {
		groups[count] = *command->uses[count].group;
		groups[count].offset += command->uses[count].offset;
	}
	groups[count] = global_option_group;
	return count + 1;
}

const struct command *command_named(const struct command *const *commands, const char *name, struct error *err)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a command", name);
	return NULL;
}
