#include "base/clock.h"
#include "base/fit.h"
#include "base/quoted.h"
#include "base/text.h"
#include "base/url.h"
#include "base/utf8.h"
#include "cmd/list/arrival.h"
#include "cmd/shell/shell.h"
#include "cmd/words/notes.h"
#include "json/json_line.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum prompt_event shell_wait(struct shell *s, int prompt, bool arrivals, int64_t deadline)
{
	struct pollfd wait[] = { { prompt < 0 ? -1 : STDIN_FILENO, POLLIN, 0 },
		                 { prompt, POLLIN, 0 },
		                 { arrivals ? s->wake.fd : -1, POLLIN, 0 },
		                 { s->context->signals->fd, POLLIN, 0 } };
	bool interrupted = false;
	int number, count, timeout = -1;
	do {
		int64_t left = (deadline - clock_monotonic_ns()) / CLOCK_NS_PER_MS + 1;
		if (deadline > 0)
			timeout = left < 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
		count = poll(wait, sizeof wait / sizeof wait[0], timeout);
	} while ((count < 0 && errno == EINTR) || (count == 0 && clock_monotonic_ns() < deadline));
	if (count == 0)
		return PROMPT_TIME;
	while (count > 0 && wait[3].revents && (number = signals_take(s->context->signals)) != 0) {
		interrupted |= number == SIGINT;
		s->terminated |= number != SIGINT;
	}
	if (wait[3].revents)
		signals_keep_second(s->context->signals); /* the next one is a first one again */
	s->leaving |= s->terminated;
	if (count < 0 || s->terminated)
		return PROMPT_LEAVE;
	if (interrupted)
		return PROMPT_INTERRUPT;
	/* Keys first, so that a sequence stays whole. */
	return wait[0].revents || wait[1].revents ? PROMPT_INPUT : PROMPT_SHOW;
}

/* What the listener reports besides notifications: at the prompt among their lines, which are printed above it. */
static void take_words(struct shell *s)
{
	static const char *const levels[] = {
		[RECEIVE_NOTE] = "", [RECEIVE_WARNING] = "warning: ", [RECEIVE_ERROR] = "error: "
	};
	struct terminal *t = s->context->terminal;
	struct receive_words words;
	while (s->listener && shell_listener_next_words(s->listener, &words)) {
		if (s->quiet && words.level == RECEIVE_NOTE)
			continue;
		if (!s->prompt) {
			receive_print_words(t, &words);
			continue;
		}
		LOCAL_BUFFER text = BUFFER_INIT, safe = BUFFER_INIT;
		buffer_printf(&text, "%s%s", levels[words.level], words.text);
		if (words.level == RECEIVE_ERROR)
			buffer_printf(&text, "%s%s%s", words.error.message, words.error.hint[0] ? "; " : "",
			              words.error.hint);
		utf8_append_safe(&safe, buffer_text(&text), text.length);
		fit_append_wrapped(&s->lines, buffer_text(&safe), 0, 2, terminal_width());
		buffer_append_byte(&s->lines, '\n');
	}
}

/* The line of one that arrived, and what is wrong with it, which is checked again: no findings are kept. */
static int append_arrival(struct shell *s, const struct spool_entry *entry, uint64_t number, struct error *err)
{
	LOCAL(capture_scratch_release) struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	LOCAL_BUFFER kept = BUFFER_INIT;
	struct spool_facts facts;
	struct capture_record record;
	struct text line;
	const struct verdict *verdict = NULL;
	if (spool_read(s->list.spool, number, &line, &facts, &kept, err) < 0)
		return -1;
	if (s->context->terminal->json) {
		json_line_members(&s->lines, line.text, line.length);
		return 0;
	}
	if (capture_record_parse(&scratch, line.text, line.length, &record, err) < 0 ||
	    (entry->is_checked && !(verdict = listing_check(s->checker, &record, err))))
		return -1;
	struct arrival arrival = listing_arrival_of(&record, number, &facts, verdict);
	arrival_append(&arrival, &s->style, &s->lines);
	if (verdict)
		arrival_append_findings(&s->style, &record.request.body, verdict, number, &s->lines);
	return 0;
}

/* The lines of those that have arrived since the last call. */
static void append_arrivals(struct shell *s)
{
	struct spool_entry entry;
	struct error err;
	bool is_silent = s->quiet && !s->context->terminal->json;
	while (spool_find(s->list.spool, s->shown + 1, &entry)) {
		struct verdict_counts *v = &s->arrived;
		s->shown++;
		if (!entry.has_arrived)
			continue;
		*(!entry.is_checked ? &v->unchecked : entry.is_valid ? &v->valid : &v->invalid) += 1;
		if (!is_silent && append_arrival(s, &entry, s->shown, &err) < 0)
			terminal_warn(s->context->terminal, "%s", err.message);
	}
}

void shell_take_arrivals(struct shell *s, bool at_prompt)
{
	struct terminal *t = s->context->terminal;
	LOCAL_BUFFER words = BUFFER_INIT;
	s->style.color = s->prompt && t->color_out;
	s->style.utf8 = t->utf8;
	s->style.forwards = s->listener && shell_listener_forwards(s->listener);
	s->style.width = terminal_out_width(t);
	s->style.show = "show";
	wake_clear(&s->wake);
	append_arrivals(s);
	take_words(s);
	if (s->lines.length == 0)
		return;
	if (at_prompt) {
		shell_append_words(s, &words);
		prompt_show_above(s->prompt, buffer_text(&s->lines), s->lines.length,
		                  s->asking ? NULL : buffer_text(&words));
	} else if (s->prompt || t->json) {
		terminal_write_buffer(t, &s->lines);
		terminal_flush(t);
	} else if (!t->quiet) {
		/* In a script as notes beside its results. */
		terminal_flush(t);
		terminal_lines(t, &s->lines);
	}
	buffer_clear(&s->lines);
}

int shell_end_listening(struct shell *s, int code)
{
	int stopped = s->listener ? shell_listener_stop(s->listener) : EXIT_CODE_OK;
	shell_take_arrivals(s, false);
	return code < 0 ? code : (int)exit_code_worse((enum exit_code)code, (enum exit_code)stopped);
}

/* Where a line without --to sends: an environment, "listener", an address; "" for none. */
static const char *target(const struct shell *s)
{
	if (s->use)
		return s->use;
	if (config_environment_named(&s->config, "sandbox"))
		return "sandbox";
	return s->listener ? SHELL_OWN_LISTENER : "";
}

void shell_append_words(const struct shell *s, struct buffer *out)
{
	LOCAL_BUFFER label = BUFFER_FOR(out);
	url_append_masked(&label, target(s));
	buffer_append_text(out, label.length > 0 ? "credhook " : "credhook");
	utf8_append_safe(out, buffer_text(&label), label.length);
	if (s->listener || verdict_counts_sum(&s->arrived) > 0) {
		buffer_append_text(out, " [");
		arrival_append_verdicts(&s->arrived, out);
		buffer_append_byte(out, ']');
	}
	buffer_append_text(out, "> ");
}

/* A line may come from another shell. */
static bool is_own_name(const char *word)
{
	return strcmp(word, "credhook") == 0;
}

int shell_run_words(struct shell *s, int argc, char *const *argv)
{
	static char *const help[] = { (char *)(uintptr_t) "help", NULL };
	if (is_own_name(argv[0])) {
		argc--;
		argv++;
	}
	if (argc == 0 || strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "--help") == 0) {
		argc = 1;
		argv = help;
	}
	/* The --to of a line without one. */
	bool is_own = strcmp(target(s), SHELL_OWN_LISTENER) == 0;
	s->context->to = is_own && s->listener ? shell_listener_url(s->listener) : s->use;
	int code = command_run_words(s->context, argc, argv);
	shell_take_arrivals(s, false);
	return code;
}

int shell_run_before(struct shell *s, const char *const *first, const char *const *more, size_t more_count,
                     struct error *err)
{
	LOCAL(text_list_release) struct text_list words = { 0 };
	size_t count = 0;
	while (first[count])
		count++;
	if (text_list_add_all(&words, first, count, err) < 0 || text_list_add_all(&words, more, more_count, err) < 0)
		return -1;
	return shell_run_words(s, (int)words.count, (char *const *)(uintptr_t)words.items);
}

/* What another shell would obey. */
static int refuse_operators(const struct line *line, struct error *err)
{
	const char *first = line->count > 0 ? line->words[is_own_name(line->words[0]) && line->count > 1] : "";
	first = quoted_hides(first, strlen(first)) ? "COMMAND" : first;
	for (size_t i = 0; i < line->count; i++) {
		const char *word = line->words[i];
		if (!word[0] || word[strspn(word, "|<>&;")])
			continue;
		bool shows = strcmp(first, "show") == 0 || strcmp(first, "received") == 0;
		error_set(err, EXIT_CODE_USAGE, "'%s': there are no pipes and no redirections here", word);
		return error_hint(err, "outside the shell: credhook %s%s %s ...", shows ? "show" : first,
		                  shows ? " FILE N --json" : " ...", word);
	}
	return 0;
}

int shell_run_line(struct shell *s, const char *text, size_t length)
{
	struct error err;
	int code = EXIT_CODE_OK;
	if (line_split(&s->line, text, length, false, &err) < 0 || refuse_operators(&s->line, &err) < 0) {
		print_error(s->context->terminal, &err);
		code = (int)err.code;
	} else if (s->line.count > 0) {
		code = shell_run_words(s, (int)s->line.count, s->line.words);
	}
	line_release(&s->line);
	return code;
}
