/* completion: the script that makes a shell complete credhook's command lines. */
#include "cmd/cmd.h"
#include "cmd/completion_scripts.h"

#include <string.h>

static const struct {
	const char *shell;
	const char *script;
} scripts[] = {
	{ "bash", completion_script_credhook_bash },
	{ "fish", completion_script_credhook_fish },
	{ "zsh", completion_script__credhook },
};

static int run_completion(struct context *context, void *args, struct error *err)
{
	const struct text_list *names = context->operands;
	(void)args;
	for (size_t i = 0; names->count == 1 && i < sizeof scripts / sizeof scripts[0]; i++) {
		if (strcmp(scripts[i].shell, names->items[0]) != 0)
			continue;
		terminal_write(context->terminal, scripts[i].script, strlen(scripts[i].script));
		return EXIT_CODE_OK;
	}
	if (names->count == 1)
		error_set(err, EXIT_CODE_USAGE, "no completion for '%s'", names->items[0]);
	else
		error_set(err, EXIT_CODE_USAGE, names->count == 0 ? "missing SHELL" : "completion takes one SHELL");
	return error_hint(err, "write bash, fish or zsh");
}

static const struct help_example examples[] = {
	{ "credhook completion bash >credhook.bash", "then in ~/.bashrc: . /path/to/credhook.bash" },
	{ "credhook completion zsh >_credhook", "in a folder of $fpath" },
	{ "credhook completion fish >credhook.fish", "in ~/.config/fish/completions" },
	{ NULL, NULL },
};

const struct command command_completion = {
	.name = "completion",
	.group = COMMAND_OTHER,
	.phrase = "print the completion script of a shell",
	.operands = "SHELL",
	.complete = COMPLETE_NOTHING,
	.summary = "Print the script that completes credhook's commands, options and events in bash, fish or zsh.",
	.args_size = sizeof(struct global_options),
	.run = run_completion,
	.examples = examples,
};
