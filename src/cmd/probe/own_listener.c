/* COMMAND: the listener that test starts itself. */
#include "base/clock.h"
#include "base/quoted.h"
#include "cmd/args/program.h"
#include "cmd/probe/probe.h"
#include "cmd/words/again.h"

#include <string.h>

#define WAIT_NS    (30 * CLOCK_NS_PER_S) /* for it to listen, unless --wait says otherwise */
#define LAST_LINES 10                    /* of one that ended before it listened */

/* Returns where the last `count` lines begin. */
static const char *last_lines(const char *text, size_t length, size_t count)
{
	const char *at = text + length;
	for (size_t newlines = 0; at > text; at--) {
		newlines += at[-1] == '\n' && at != text + length;
		if (newlines == count)
			break;
	}
	return at;
}

void probe_print_lines(const struct probe_command *run, const char *prefix, const struct buffer *text, size_t most)
{
	const char *at = last_lines(buffer_text(text), text->length, most), *end = buffer_text(text) + text->length;
	for (struct text line; text_next_line(&at, end, &line);)
		terminal_announce(run->context->terminal, "%s%.*s", prefix, (int)line.length, line.text);
}

/* It did not come to listen: prints its last lines. */
static int fail_to_start(struct probe_command *run, enum listener_state state, struct error *err)
{
	struct listener *l = &run->listener;
	const char *name = program_name(&run->program), *url = buffer_text(&run->route.masked_url);
	char wait[CLOCK_DURATION_SIZE];
	LOCAL_BUFFER printed = BUFFER_INIT, how = BUFFER_INIT;
	clock_format_duration(l->wait_ns, wait);
	if (state == LISTENER_INTERRUPTED) {
		signals_take(run->context->signals); /* the next one ends it at once */
		probe_announce_end(run);
	}
	listener_stop(l);
	listener_append_printed(l, 0, CHILD_OUTPUT_KEPT, &printed);
	probe_print_lines(run, PROBE_LOG_PREFIX, &printed, LAST_LINES);
	if (state == LISTENER_INTERRUPTED)
		return error_set(err, EXIT_CODE_INTERRUPTED, "interrupted");
	listener_append_end(l, &how);
	if (state == LISTENER_ENDED)
		return error_set(err, EXIT_CODE_UNDELIVERED, "'%s' ended before it listened at '%s': %s", name, url,
		                 buffer_text(&how));
	error_set(err, EXIT_CODE_UNDELIVERED, "'%s' does not listen at '%s' after %s%s%s", name, url, wait,
	          l->refused[0] ? ": " : "", l->refused);
	LOCAL_BUFFER elsewhere = BUFFER_INIT;
	route_append_elsewhere(&run->route, "to", &elsewhere);
	if (elsewhere.length > 0)
		return error_hint(err, "%s", buffer_text(&elsewhere));
	return error_hint(err, "--to is where COMMAND listens; COMMAND finds it in $CREDHOOK_URL; --wait waits longer");
}

void probe_announce_end(struct probe_command *run)
{
	if (run->listener.is_open && child_is_left(&run->listener.child))
		terminal_note(run->context->terminal, "waiting for '%s' to end; a second signal ends it at once",
		              program_name(&run->program));
}

/* "node app.js --db ***": COMMAND, for people. */
static void append_command(struct buffer *out, const struct probe_command *run)
{
	const char *const *words = run->program.words.items;
	for (size_t i = 0; i + 1 < run->program.words.count; i++) {
		buffer_append_text(out, i > 0 ? " " : "");
		again_append_masked(out, &run->secrets, words[i], i > 0 ? words[i - 1] : NULL);
	}
}

/* It may come to listen at --to yet: the wait goes on. */
static void on_elsewhere(void *context, const char *where)
{
	const struct probe_command *run = context;
	const struct address *to = &run->route.destination.address;
	LOCAL_BUFFER host = BUFFER_INIT;
	host_append(&host, &to->host);
	terminal_note(run->context->terminal, "%s, not at %s:%d", where, buffer_text(&host), (int)to->port);
}

static void on_goes_on(void *context, pid_t pid)
{
	const struct probe_command *run = context;
	program_warn_left(run->context->terminal, program_name(&run->program), pid);
}

/* What is masked in a word, which may be a token or what stands behind "Bearer", and may be percent-encoded. */
static void add_secret(void *context, const char *text, size_t length)
{
	struct echoes *secrets = context;
	LOCAL_BUFFER query = BUFFER_FOR(&secrets->spellings);
	const struct header header = { TEXT("Authorization"), { text, length } };
	echoes_add_header(secrets, &header);
	buffer_append_text(&query, "?=");
	buffer_append(&query, text, length);
	echoes_add_url(secrets, buffer_text(&query));
}

void probe_add_commands(struct probe_command *run)
{
	const char *const *words = run->program.words.items;
	if (run->args->observe)
		quoted_each_hidden(run->args->observe, NULL, add_secret, &run->secrets);
	for (size_t i = 0; i + 1 < run->program.words.count; i++)
		quoted_each_hidden(words[i], i > 0 ? words[i - 1] : NULL, add_secret, &run->secrets);
}

int probe_start_listener(struct probe_command *run, struct error *err)
{
	struct terminal *t = run->context->terminal;
	LOCAL_BUFFER words = BUFFER_INIT;
	if (run->program.words.count == 0)
		return 0;
	if (listener_accepts(&run->route.http)) {
		error_set(err, EXIT_CODE_USAGE, "something listens at '%s' already, so '%s' was not started",
		          buffer_text(&run->route.masked_url), program_name(&run->program));
		return error_hint(err, "stop it, or leave out -- COMMAND to test it");
	}
	if (program_set_url(run->route.http.url, err) < 0)
		return -1;
	buffer_append_text(&words, "starting ");
	append_command(&words, run);
	probe_screen_say(run, buffer_text(&words));
	run->listener = (struct listener){ .words = run->program.words.items,
		                           .http = &run->route.http,
		                           .wait_ns = run->args->route.wait > 0 ? run->args->route.wait : WAIT_NS,
		                           .signals = run->context->signals,
		                           .secrets = &run->secrets,
		                           .listens_elsewhere = on_elsewhere,
		                           .goes_on = on_goes_on,
		                           .context = run };
	int64_t began = clock_monotonic_ns();
	enum listener_state state = listener_start(&run->listener, err);
	if (state == LISTENER_FAILED)
		return -1;
	if (state == LISTENER_NOT_RUN)
		return program_cannot_start(program_name(&run->program), run->listener.not_run, err);
	if (state != LISTENER_READY)
		return fail_to_start(run, state, err);
	if (!run->is_screen)
		terminal_note(t, "ready after %s", DURATION_TEXT(clock_monotonic_ns() - began));
	return 0;
}
