#include "cmd/probe/probe.h"

#include "base/clock.h"
#include "base/random.h"
#include "cmd/words/misplaced.h"
#include "cmd/words/notes.h"
#include "report/report_format.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const invalid_names[] = { "auto", "reject", "accept", NULL };

#define FIRST_LINE_NS (9 * CLOCK_NS_PER_S) /* until a log says where the run is; after that a line a minute */

#define TEST(field) offsetof(struct probe_args, field)
static const struct option check_rows[] = {
	{ 0, "level", "LEVEL", "how many checks", OPTION_CHOICE, .offset = TEST(level), .choices = probe_depth_names,
	  .initial = "normal", .also = "fast full all" },
	{ 0, "skip", "ID,...", "skip a group or a check (repeatable)", OPTION_LIST, COMPLETE_NOTHING,
	  .offset = TEST(skip), .also = "exclude except without" },
	{ 0, "on-invalid", "HOW", "what the listener does with invalid payloads", OPTION_CHOICE,
	  .offset = TEST(invalid), .choices = invalid_names, .also = "invalid" },
	{ 0, "expect-status", "ID=LIST", "statuses that count as right for a check (repeatable)", OPTION_LIST,
	  COMPLETE_NOTHING, .is_public = true, .offset = TEST(expect), .also = "expect status ignore tolerate allow" },
	{ 0, "failed", NULL, "check what failed in the last run against WHERE", OPTION_FLAG, .offset = TEST(failed),
	  .also = "last-failed lf rerun" },
	{ 0, "observe", "COMMAND", "command that prints what the listener keeps", OPTION_TEXT, COMPLETE_NOTHING,
	  .offset = TEST(observe), .also = "query db" },
	{ 0, "strict", NULL, "fail for a failed 'should' or a web page too", OPTION_FLAG, .offset = TEST(strict) },
	{ 0, "list", NULL, "list the checks; send nothing", OPTION_FLAG, .offset = TEST(list),
	  .also = "dry-run dry show ls -l" },
	{ 0, "yes", NULL, "do not ask before testing another host", OPTION_FLAG, .unsafe = true, .offset = TEST(yes) },
};
static const struct option output_rows[] = {
	{ 0, "report", "FORMAT=FILE", "also write a report: " REPORTS_OF_CASES "; -: stdout", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = TEST(reports), .parse = report_parse_cases, .values = REPORT_VALUES_OF_CASES,
	  .also = "output out format xml -o" },
};
static const struct option_way check_ways[] = {
	{ "file -f", "the checks make their payloads; credhook send --file FILE sends a file" },
	{ "unset remove delete merge", "--set alone changes what the checks send" },
	{ "only include category suite run group check id tags filter grep",
	  "write groups and checks alone: credhook test repeat bad --to WHERE" },
	{ "command cmd exec start", "a command that starts the listener is behind --: credhook test -- COMMAND" },
	{ "count times", "each check is played once: credhook send EVENT --to WHERE --count N sends several" },
	{ "bail fail-fast stop max-failures", "all checks run; a group alone: credhook test deliver --to WHERE" },
	{ "must should severity fail-on", "a failed must exits with 1; with --strict a failed should does, too" },
	{ "force -y", "--yes, for a host that is not in the configuration" },
	{ "allow-production production", "test never goes to a protected environment" },
	{ NULL, NULL },
};
static const struct option_group checks = OPTION_GROUP_WITH("Checks", check_rows, 0, check_ways);
static const struct option_group outputs = OPTION_GROUP("Output", output_rows, 0);
static const struct option_use option_uses[] = {
	{ &checks, 0 },
	{ &route_option_group, TEST(route) },
	{ &make_set_option_group, TEST(edits) },
	{ &outputs, 0 },
};

static void on_group_ended(void *context, const char *group)
{
	struct probe_command *run = context;
	probe_report_group(run, group);
	terminal_flush(run->context->terminal);
	progress_redraw(&run->progress);
}

static void on_causes(void *context, const struct cause *causes, size_t count)
{
	struct probe_command *run = context;
	run->causes = causes;
	run->cause_count = count;
	probe_blocks_make(run);
	probe_report_causes(run);
}

static void on_interrupted(void *context, size_t in_flight)
{
	const struct probe_command *run = context;
	interrupted_note(run->context->terminal, in_flight);
}

/* It may take minutes until this is seen of every event. */
static void on_unended(void *context, const struct probe_check *check)
{
	const struct probe_command *run = context;
	terminal_note(run->context->terminal, "%s: %s", check->id, check->result.reason);
}

/* Behind the first group, once. */
static void say_slowness(struct probe_command *run)
{
	LOCAL_BUFFER slowness = BUFFER_FOR(&run->context->terminal->lost);
	run->has_left_deliver = true;
	probe_append_slowness(&slowness, run);
	if (slowness.length > 0)
		probe_screen_say(run, buffer_text(&slowness));
}

static int64_t on_progress(void *context, size_t ended, size_t total, const struct probe_check *at, int64_t now_ns)
{
	struct probe_command *run = context;
	LOCAL_BUFFER words = BUFFER_INIT;
	bool observes = at && at->row->observes && run->args->observe;
	if (!run->has_left_deliver && at && at->row->expansion != PROBE_KINDS && !at->after)
		say_slowness(run);
	if (run->progress_at != at) {
		run->progress_at = at;
		run->progress_since_ns = now_ns;
	}
	if (run->progress.due_ns > 0 && run->progress.due_ns <= now_ns) {
		buffer_printf(&words, "%zu of %zu checks", ended, total);
		/* They are played together, with waits of their own: none ends for long, and nothing can be foretold.
		 */
		if (observes)
			buffer_printf(&words, ", at %s: waiting for what --observe shows, %lld s", at->row->group,
			              (long long)((now_ns - run->progress_since_ns) / CLOCK_NS_PER_S));
		else if (at && !run->context->terminal->err_is_tty)
			buffer_printf(&words, ", at %s", at->id);
		progress_display(&run->progress, buffer_text(&words),
		                 observes ? PROGRESS_UNKNOWN : progress_fraction(ended, total), ended, now_ns);
	}
	return run->progress.due_ns;
}

/* Whether it leads to this machine or into the configuration. */
static bool is_known(const struct route *route)
{
	const struct address *to = &route->destination.address;
	bool is_configured = false;
	for (size_t i = 0; i < route->config.environment_count && !is_configured; i++)
		is_configured = address_same_place(&route->config.environments[i].address, to);
	/* --connect-to or a proxy may lead away from this machine, whatever the URL says. */
	for (size_t i = 0; i < route->detours.count; i++)
		if (route->detours.list[i].host.text[0] && !host_is_loopback(&route->detours.list[i].host))
			return false;
	return is_configured || host_is_loopback(&to->host);
}

/* The checks make a listener work hard, and leave records behind: nobody's by mistake, and never those of a protected
 * environment, whatever is allowed elsewhere. */
static int plan_delivery(struct probe_command *run, struct error *err)
{
	char reply[16] = "";
	const struct route *route = &run->route;
	struct terminal *t = run->context->terminal;
	if (route_init(&run->route, &run->args->route, run->context, err) < 0)
		return route->is_refused ? error_hint(err, "test never goes to a protected environment") : -1;
	echoes_collect(&route->http, &run->secrets);
	probe_add_commands(run);
	run->route.http.secrets = &run->secrets;
	if (run->args->yes || is_known(route))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' leads to a host that is neither this machine nor in the configuration",
	          buffer_text(&route->masked_url));
	if (isatty(STDIN_FILENO) && t->err_is_tty) {
		terminal_announce(t, "%s", err->message);
		terminal_announce(t, "test it? It gets hundreds of requests [yes/no]");
		if (fgets(reply, sizeof reply, stdin) && strcmp(reply, "yes\n") == 0)
			return 0;
		return error_set(err, EXIT_CODE_USAGE, "not tested: the reply was not 'yes'");
	}
	return error_hint(err, "--yes tests it without asking");
}

static int play(struct probe_command *run, struct error *err)
{
	struct terminal *t = run->context->terminal;
	struct random fresh;
	random_seed_fresh(&fresh);
	struct probe_observer observer = {
		on_causes, probe_check_ended, on_group_ended, on_interrupted, on_unended, on_progress, run
	};
	struct probe_options options = { .plan = &run->checks,
		                         .http = &run->route.http,
		                         .seed = random_next(&fresh),
		                         .edits = { &run->defaults, &run->args->edits },
		                         .store = { run->args->observe ? probe_observe : NULL, run },
		                         .deep = run->args->level == PROBE_DEEP,
		                         .listener = run->listener.is_open ? &run->listener : NULL,
		                         .own_content_type = run->route.has_content_type,
		                         .keeps_messages = run->reports.page != NULL,
		                         .named = run->wanted.count > 0,
		                         .signals = run->context->signals };
	struct probe_summary summary;
	struct error later;
	LOCAL_BUFFER words = BUFFER_FOR(&t->lost);
	buffer_printf(&words, "testing %s, level %s", buffer_text(&run->route.masked_url),
	              probe_depth_names[run->args->level]);
	probe_screen_say(run, buffer_text(&words));
	for (size_t i = 0; i < run->checks.count && run->args->observe; i++)
		run->observes |= run->checks.checks[i].chosen && run->checks.checks[i].row->observes;
	if (run->args->observe && !run->observes)
		terminal_note(t,
		              "--observe is not used: no chosen check reads it; those of 'effect' and 'crash' do, from "
		              "level %s on",
		              probe_depth_names[PROBE_NORMAL]);
	progress_start(&run->progress, t, clock_monotonic_ns());
	int64_t began_ns = clock_monotonic_ns();
	if (run->progress.due_ns > began_ns + FIRST_LINE_NS)
		run->progress.due_ns = began_ns + FIRST_LINE_NS;
	signals_keep_second(
	        run->context->signals); /* what is in flight is given up at it, and what was found is said */
	int result = probe_run(&options, &observer, &summary, err);
	progress_stop(&run->progress);
	if (summary.stop != PROBE_UNREACHABLE && summary.stop != PROBE_LOCKED_OUT &&
	    (result == 0 || summary.stop == PROBE_BROKEN))
		run->is_failed_known = probe_failed_write(run, probe_is_whole(&summary));
	if (result == 0 || summary.stop == PROBE_BROKEN) {
		int code = probe_report_end(run, &summary, probe_depth_names[run->args->level],
		                            clock_monotonic_ns() - began_ns, result == 0 ? err : &later);
		result = result < 0 ? -1 : code;
	}
	probe_summary_release(&summary);
	return result;
}

/* -k with a word behind it and nothing to check: pytest's -k chooses by it. */
static void note_insecure(const struct probe_command *run)
{
	const struct option_words *words = run->context->words;
	for (size_t i = 0; i + 1 < words->count; i++) {
		const struct option *o = words->items[i].option;
		if (o && strcmp(o->name, "insecure") == 0 && !words->items[i + 1].option &&
		    strcmp(run->route.destination.address.scheme, "https") != 0)
			terminal_note(run->context->terminal,
			              "-k is --insecure, and of no use here; '%s' alone chooses the checks",
			              words->items[i + 1].value);
	}
}

/* Starts the listener, or waits for one that is not ours to start. */
static int start(struct probe_command *run, struct error *err)
{
	note_insecure(run);
	if (program_name(&run->program))
		return probe_start_listener(run, err);
	return route_wait(&run->route, run->args->route.wait, run->context, err);
}

/* A check may be called like a program, and so only what is none may be a mistake. */
static int plan_checks(struct probe_command *run, const struct probe_choice *choice, const struct context *own,
                       struct error *err)
{
	struct error mistake;
	if (probe_plan_init(&run->checks, choice, err) == 0)
		return 0;
	if (err->code == EXIT_CODE_USAGE && misplaced_operand(own, OPERAND_CHECK, 0, &mistake) < 0)
		*err = mistake;
	return -1;
}

/* What checks need that is given only where it is typed. */
enum need { NEED_OBSERVE = 1, NEED_COMMAND = 2 };

static unsigned missing_for(const struct probe_command *run, const struct probe_check *check)
{
	bool observes = !check->row->observes || run->args->observe;
	bool starts = !check->row->ends || run->context->words->has_dashes;
	return (observes ? 0 : NEED_OBSERVE) | (starts ? 0 : NEED_COMMAND);
}

/* Refuses (-1) a name of which no check can be played, since all of them need what is not given: a run that skips what
 * it was asked for has shown nothing. */
static int check_needs_of(const struct probe_command *run, const char *name, struct error *err)
{
	static const char *const words[] = { [NEED_OBSERVE] = "--observe",
		                             [NEED_COMMAND] = "-- COMMAND",
		                             [NEED_OBSERVE | NEED_COMMAND] = "--observe and -- COMMAND" };
	static const char observe[] = "--observe COMMAND, which prints what the listener keeps",
	                  start[] = "-- COMMAND at the end, which starts the listener";
	unsigned missing = 0;
	const char *before = probe_group_before(&run->checks, name), *group = NULL;
	for (size_t i = 0; i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		if (!check->chosen || !check->row->make || check->after ||
		    !probe_check_is_named(check, before ? before : name))
			continue;
		unsigned needs = missing_for(run, check);
		if (needs == 0)
			return 0;
		missing = missing & needs ? missing & needs : needs; /* with that some can be played */
		group = check->row->group;
	}
	if (missing == 0)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "the checks of '%s' need %s", group, words[missing]);
	return error_hint(err, "write %s%s%s: man credhook-effects", missing & NEED_OBSERVE ? observe : "",
	                  missing == (NEED_OBSERVE | NEED_COMMAND) ? ", and " : "",
	                  missing & NEED_COMMAND ? start : "");
}

static int check_needs(const struct probe_command *run, struct error *err)
{
	for (size_t i = 0; i < run->wanted.count; i++)
		if (check_needs_of(run, run->wanted.items[i], err) < 0)
			return -1;
	return 0;
}

/* --failed: chooses what failed, at the level of that run unless another one is given. 1: nothing did. */
static int choose_failed(struct probe_command *run, struct probe_args *args, struct probe_choice *choice,
                         struct error *err)
{
	const struct option_words *words = run->context->words;
	bool has_level = false;
	int level;
	if (run->wanted.count > 0) {
		if (misplaced_header_value(words, run->wanted.items[0], err) < 0)
			return -1;
		error_set(err, EXIT_CODE_USAGE, "--failed chooses the checks, and so does '%s'", run->wanted.items[0]);
		return error_hint(err, "leave one of them out");
	}
	if (plan_delivery(run, err) < 0 || probe_failed_read(run, &level, err) < 0)
		return -1;
	for (size_t i = 0; i < words->count; i++)
		has_level |= words->items[i].option && strcmp(words->items[i].option->name, "level") == 0;
	args->level = has_level ? args->level : level;
	choice->level = (enum probe_depth)args->level;
	choice->failed = true;
	run->wanted = run->failed_ids.list;
	if (run->wanted.count > 0)
		return 0;
	terminal_announce(run->context->terminal, "nothing failed in the last run against %s",
	                  buffer_text(&run->route.masked_url));
	return 1;
}

static int run_test(struct context *context, void *args, struct error *err)
{
	struct probe_args *a = args;
	struct probe_command run = { .context = context, .args = a, .wanted = program_operands_before(context) };
	struct context own = *context;
	struct probe_choice choice = { .wanted = &run.wanted,
		                       .skipped = &a->skip,
		                       .expected = &a->expect,
		                       .level = (enum probe_depth)a->level,
		                       .invalid = (enum probe_invalid)a->invalid,
		                       .observes = a->observe != NULL,
		                       .starts = context->words->has_dashes };
	int code = -1, chosen = 0;
	own.operands = &run.wanted;
	a->reports.is_private = context->words->has_dashes; /* what COMMAND prints stands in them */
	run.text.is_hidden = a->global.json || report_requests_stdout(&a->reports);
	run.is_screen = !run.text.is_hidden && !a->list && probe_screen_fits(context->terminal);
	run.text.is_hidden |= run.is_screen;
	if (program_init(&run.program, context, "which starts the listener", err) == 0 &&
	    report_requests_check(&a->reports, a->global.json ? "--json" : NULL, context->in_use, err) == 0 &&
	    edits_check(&a->edits, NULL, 0, err) == 0 &&
	    (!a->failed || (chosen = choose_failed(&run, a, &choice, err)) >= 0) &&
	    (chosen > 0 || plan_checks(&run, &choice, &own, err) == 0)) {
		if (chosen > 0)
			code = EXIT_CODE_OK;
		else if (a->list)
			code = probe_list(&run);
		else if (check_needs(&run, err) == 0 && (a->failed || plan_delivery(&run, err) == 0) &&
		         make_read_defaults(&run.defaults, &run.route.config, err) == 0 &&
		         report_files_open(&run.reports, context, &a->reports, err) == 0)
			code = report_files_finish(&run.reports, start(&run, err) < 0 ? -1 : play(&run, err),
			                           context->terminal, err);
	}
	if (code == EXIT_CODE_INTERRUPTED)
		probe_announce_end(&run);
	listener_close(&run.listener);
	if (code >= 0 && !signals_wait_input(context->signals, -1, 0)) /* one that came while COMMAND was ended */
		code = EXIT_CODE_INTERRUPTED;
	program_release(&run.program);
	report_files_release(&run.reports);
	probe_blocks_release(&run);
	owned_texts_release(&run.failed_ids);
	buffer_release(&run.text.out);
	buffer_release(&run.text.cells);
	buffer_release(&run.text.fix);
	edits_release(&run.defaults);
	echoes_release(&run.secrets);
	route_release(&run.route);
	probe_plan_release(&run.checks);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook test --to :8080/hook", "find out what a listener on this machine gets wrong" },
	{ "credhook test deliver repeat --to sandbox --set details.bureau=abc",
	  "two groups, with a value that the listener accepts" },
	{ "credhook test --to :8080/hook --report junit=test.xml", "for CI" },
	{ "credhook test --list", "the checks, with what is sent and expected" },
	{ NULL, NULL },
};

const struct command command_test = {
	.name = "test",
	.group = COMMAND_DELIVER,
	.also = (const struct command_also[]){ { "probe doctor audit scan fuzz", "--to WHERE" }, { NULL, NULL } },
	.usual = "--to WHERE",
	.phrase = "find out what a listener gets wrong",
	.common = (const char *const[]){ "to", "header", "set", "level", "skip", "on-invalid", "observe", "list",
	                                 "report", "strict", "wait", NULL },
	.operands = "[GROUP|ID]... [OPTION]... [-- COMMAND [ARG]...]",
	.complete = COMPLETE_NOTHING,
	.summary = "Check how a listener handles valid and invalid events; COMMAND starts it.",
	.uses = option_uses,
	.use_count = sizeof option_uses / sizeof option_uses[0],
	.args_size = sizeof(struct probe_args),
	.initials = (const struct option_initial[]){ { "max-time", "10s" }, { NULL, NULL } },
	.run = run_test,
	.examples = examples,
};
