#include "cmd/probe/probe.h"

#include "base/clock.h"
#include "base/random.h"
#include "deliver/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_exchange(void *context, const struct job *job, const struct probe_check *check)
{
	(void)check;
	test_files_add(context, job);
}

static void on_check_ended(void *context, const struct probe_check *check)
{
	struct test_run *run = context;
	run->ended[run->ended_count++] = check;
	test_files_check(run, check);
	if (run->context->global->json)
		test_json_check(run, check);
}

static void on_group_ended(void *context, const char *group)
{
	struct test_run *run = context;
	if (!run->context->global->json && !report_wishes_stdout(&run->args->reports))
		test_report_group(run, group);
	terminal_flush(run->context->terminal);
	progress_redraw(&run->progress);
}

static int64_t on_progress(void *context, size_t ended, size_t total, int64_t now_ns)
{
	struct test_run *run = context;
	struct buffer words = BUFFER_INIT;
	if (run->progress.due_ns > 0 && run->progress.due_ns <= now_ns) {
		buffer_printf(&words, "%zu of %zu checks", ended, total);
		progress_display(&run->progress, buffer_text(&words), progress_fraction(ended, total), ended, now_ns);
	}
	buffer_release(&words);
	return run->progress.due_ns;
}

static int check_args(const struct test_args *a, struct error *err)
{
	if (report_wishes_check(&a->reports, a->global.json ? "--json" : NULL, err) < 0)
		return -1;
	return make_check_edits(&a->edits, err);
}

static bool is_configured(const struct route *route)
{
	if (route->destination.environment)
		return true;
	for (size_t i = 0; i < route->config.environment_count; i++) {
		struct address address;
		struct error unused;
		if (address_of_url(route->config.environments[i].url, &address, &unused) == 0 &&
		    address_same_place(&address, &route->destination.address))
			return true;
	}
	return false;
}

/* Whether --connect-to or a proxy leads away from this machine, whatever the URL says. */
static bool has_detour(const struct route *route)
{
	for (size_t i = 0; i < route->detours.count; i++)
		if (route->detours.list[i].host.text[0] && !host_is_loopback(&route->detours.list[i].host))
			return true;
	return false;
}

/* The checks make a listener work hard, and leave records behind: nobody's by mistake. */
static int confirm_host(const struct test_run *run, struct error *err)
{
	char reply[16] = "";
	const struct route *route = &run->route;
	bool terminal = isatty(STDIN_FILENO) && run->context->terminal->err_is_tty;
	bool known = host_is_loopback(&route->destination.address.host) || is_configured(route);
	if (run->args->yes || (known && !has_detour(route)))
		return 0;
	if (terminal) {
		terminal_announce(run->context->terminal,
		                  "%s leads to a host that is neither this machine nor in the configuration",
		                  buffer_text(&route->masked_url));
		terminal_announce(run->context->terminal, "test it? It gets hundreds of requests [yes/no]");
		if (fgets(reply, sizeof reply, stdin) && strcmp(reply, "yes\n") == 0)
			return 0;
		return error_set(err, EXIT_CODE_USAGE, "not tested: the reply was not 'yes'");
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' leads to a host that is neither this machine nor in the configuration",
	          buffer_text(&route->masked_url));
	return error_hint(err, "--yes tests it without asking");
}

/* Never to a protected environment, whatever is allowed elsewhere. */
static int plan_delivery(struct test_run *run, struct error *err)
{
	const struct test_args *a = run->args;
	if (route_init(&run->route, &a->route, run->context, err) < 0) {
		if (run->route.is_refused)
			error_hint(err, "test never goes to a protected environment");
		return -1;
	}
	return confirm_host(run, err);
}

static int exit_code(const struct test_run *run, const struct probe_summary *s)
{
	uint64_t failed = s->counts[PROBE_MUST][PROBE_FAIL];
	if (run->args->strict)
		failed += s->counts[PROBE_SHOULD][PROBE_FAIL];
	if (s->stop == PROBE_INTERRUPTED)
		return EXIT_CODE_INTERRUPTED;
	if (s->uncounted)
		return EXIT_CODE_IO;
	return failed > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}

static uint64_t choose_seed(const struct test_args *a)
{
	struct random fresh;
	random_seed_fresh(&fresh);
	return a->seed.given ? a->seed.value : random_next(&fresh);
}

static int play(struct test_run *run, struct error *err)
{
	struct terminal *t = run->context->terminal;
	struct probe_observer observer = { on_exchange, on_check_ended, on_group_ended, on_progress, run };
	struct probe_options options = { .plan = &run->checks,
		                         .http = &run->route.http,
		                         .seed = choose_seed(run->args),
		                         .edits = { &run->defaults, &run->args->edits },
		                         .counter = { run->args->observe ? test_observe : NULL, run },
		                         .own_content_type = run->route.has_content_type,
		                         .signals = run->context->signals };
	struct probe_summary summary;
	run->ended = calloc(run->checks.count, sizeof *run->ended);
	if (!run->ended)
		return error_no_memory(err);
	terminal_note(t, "testing %s, level %s", buffer_text(&run->route.masked_url),
	              test_level_names[run->args->level]);
	progress_start(&run->progress, t, clock_monotonic_ns());
	int result = probe_run(&options, &observer, &summary, err);
	progress_stop(&run->progress);
	if (result < 0)
		return -1;
	if (summary.stop == PROBE_UNREACHABLE || summary.stop == PROBE_LOCKED_OUT)
		return test_refuse(run, &summary, err);
	if (run->context->global->json)
		test_json_summary(run, &summary);
	else if (!report_wishes_stdout(&run->args->reports))
		test_report_end(run, &summary);
	return exit_code(run, &summary);
}

static int run_test(struct context *context, void *args, struct error *err)
{
	const struct test_args *a = args;
	struct test_run *run = calloc(1, sizeof *run);
	struct probe_choice choice = {
		context->operands, &a->skip, &a->expect, (enum probe_depth)a->level, (enum probe_invalid)a->invalid,
		a->observe != NULL
	};
	int code = -1;
	if (!run)
		return error_no_memory(err);
	run->context = context;
	run->args = a;
	if (check_args(a, err) == 0 && probe_plan_init(&run->checks, &choice, err) == 0) {
		if (a->list)
			code = test_list(run);
		else if (plan_delivery(run, err) == 0 &&
		         make_read_defaults(&run->defaults, &run->route.config, err) == 0 &&
		         test_files_open(run, err) == 0)
			code = test_files_finish(
			        run,
			        route_wait(&run->route, run->args->route.wait, context, err) < 0 ? -1 : play(run, err),
			        err);
	}
	test_files_release(run);
	free(run->ended);
	buffer_release(&run->text.out);
	edits_release(&run->defaults);
	route_release(&run->route);
	probe_plan_release(&run->checks);
	free(run);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook test --to :8080/hook", "find out what a listener on this machine gets wrong" },
	{ "credhook test deliver repeat --to sandbox --set details.bureau=abc", "two groups, with a value it knows" },
	{ "credhook test --to :8080/hook --report junit=test.xml", "for CI" },
	{ "credhook test --list", "the checks, with what is sent and expected" },
	{ NULL, NULL },
};

const struct command command_test = {
	.name = "test",
	.group = COMMAND_DELIVER,
	.phrase = "find out what a listener gets wrong",
	.common = (const char *const[]){ "to", "header", "set", "level", "skip", "invalid", "observe", "list", "report",
	                                 "strict", "wait", NULL },
	.operands = "[GROUP|ID]...",
	.complete = COMPLETE_CHECK,
	.summary = "Check how a listener handles valid and invalid events.",
	.uses = test_option_uses,
	.use_count = TEST_OPTION_USES,
	.args_size = sizeof(struct test_args),
	.initials = (const struct option_initial[]){ { "max-time", "10s" }, { NULL, NULL } },
	.run = run_test,
	.examples = examples,
};
