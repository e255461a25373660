#include "cmd/shell/shell.h"

#include <string.h>

/* ui/prompt.h calls this where it reads a line. */
static enum prompt_event wait_at_prompt(void *context, int signals, bool input_only)
{
	enum prompt_event event = shell_wait(context, signals, !input_only, 0);
	if (event == PROMPT_SHOW)
		shell_take_arrivals(context, true);
	return event;
}

static int run_prompt(struct shell *s, struct error *err)
{
	struct terminal *t = s->context->terminal;
	LOCAL_BUFFER words = BUFFER_INIT, line = BUFFER_INIT;
	enum prompt_result result = PROMPT_LINE;
	terminal_note(t, "credhook %s: 'help' lists the commands, Tab completes, Ctrl-D ends", CREDHOOK_VERSION);
	while (!s->leaving && !terminal_is_closed(t) && result != PROMPT_END && result != PROMPT_FAILED) {
		shell_take_arrivals(s, false);
		buffer_clear(&words);
		shell_append_words(s, &words);
		terminal_flush(t);
		result = prompt_read(s->prompt, buffer_text(&words), &line, err);
		if (result != PROMPT_LINE || line.length == 0)
			continue;
		while (line.length > 0 && line.data[line.length - 1] == ' ')
			buffer_consume_end(&line, 1);
		if (history_keeps(buffer_text(&line)))
			buffer_printf(&s->typed, "%s\n", buffer_text(&line));
		if (line.length > 0)
			prompt_remember(s->prompt, buffer_text(&line));
		if (shell_run_line(s, buffer_text(&line), line.length) == EXIT_CODE_INTERRUPTED)
			terminal_erase_echo(t);
	}
	if (result == PROMPT_END)
		terminal_printf(t, "\n");
	if (result == PROMPT_FAILED)
		return -1;
	return s->terminated ? EXIT_CODE_INTERRUPTED : EXIT_CODE_OK;
}

int shell_run_interactive(struct shell *s, struct error *err)
{
	const struct prompt_handler handler = { s, wait_at_prompt, shell_complete };
	LOCAL_BUFFER path = BUFFER_INIT, former = BUFFER_INIT;
	struct error problem;
	s->prompt = prompt_new(&handler, err);
	if (!s->prompt)
		return -1;
	if (history_read(&path, &former, &problem) < 0) {
		terminal_warn(s->context->terminal, "%s", problem.message);
		buffer_release(&former);
	}
	char *rest = former.data;
	for (const char *typed; (typed = strsep(&rest, "\n")) != NULL;)
		if (history_keeps(typed))
			prompt_remember(s->prompt, typed);
	int code = run_prompt(s, err);
	if (history_write(&s->typed, &problem) < 0)
		terminal_warn(s->context->terminal, "cannot keep the history: %s", problem.message);
	prompt_free(s->prompt);
	s->prompt = NULL;
	return shell_end_listening(s, code);
}
