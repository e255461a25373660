#include "cmd/deliver/options.h"

#include "base/clock.h"
#include "cmd/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CONCURRENCY DELIVER_MAX_CONCURRENCY

static int parse_status(void *field, const char *value, struct error *err)
{
	struct delivery_options *options = NULL;
	__typeof__(options->expect_status) *expected = field;
	expected->given = true;
	return status_set_parse(&expected->set, value, err);
}

/* N, N/s, N/m or N/h; N may have decimals. */
static int parse_rate(void *field, const char *value, struct error *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 }, { "/s", 1e9 }, { "/m", 60e9 }, { "/h", 3600e9 } };
	struct delivery_rate *rate = field;
	size_t digits = strspn(value, "0123456789.");
	char *end;
	double number = strtod(value, &end);
	for (size_t i = 0; digits > 0 && end == value + digits && i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(end, units[i].unit) != 0 || number <= 0 || number > 1e9)
			continue;
		rate->interval_ns = (int64_t)(units[i].ns / number);
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "--rate takes N, N/s, N/m or N/h, not '%s'", value);
	return error_hint(err, "100/s sends a hundred a second");
}

static int parse_dry_run(void *field, const char *value, struct error *err)
{
	int *dry_run = field;
	if (value && strcmp(value, "curl") != 0) {
		error_set(err, EXIT_CODE_USAGE, "--dry-run knows no '%s'", value);
		return error_hint(err, "write --dry-run or --dry-run=curl");
	}
	*dry_run = value ? DRY_RUN_CURL : DRY_RUN_REQUEST;
	return 0;
}

#define AT(field) offsetof(struct delivery_options, field)
static const struct option rows[] = {
	{ 0, "to", "WHERE", "a URL, localhost:3000/hook, :3000, or a configured environment (default: sandbox)",
	  OPTION_TEXT, .offset = AT(to) },
	{ 0, "allow-production", NULL, "go to a protected environment all the same", OPTION_FLAG,
	  .offset = AT(allow_production) },
	{ 'H', "header", "LINE|@FILE", "add a header; @FILE keeps secrets out of the process list", OPTION_LIST,
	  .offset = AT(headers) },
	{ 'k', "insecure", NULL, "do not check the server's certificate", OPTION_FLAG, .offset = AT(insecure) },
	{ 0, "cacert", "FILE", "trust these authorities (PEM)", OPTION_TEXT, .offset = AT(cacert) },
	{ 0, "cert", "FILE", "the client's certificate (PEM)", OPTION_TEXT, .offset = AT(cert) },
	{ 0, "key", "FILE", "its key (PEM)", OPTION_TEXT, .offset = AT(key) },
	{ 0, "connect-to", "HOST1:PORT1:HOST2:PORT2", "connect to the second instead of the first", OPTION_LIST,
	  .offset = AT(connect_to) },
	{ 0, "resolve", "HOST:PORT:ADDRESS", "use this address for the host", OPTION_LIST, .offset = AT(resolve) },
	{ 0, "unix-socket", "FILE", "connect through a unix socket", OPTION_TEXT, .offset = AT(unix_socket) },
	{ 'x', "proxy", "URL", "go through a proxy (never taken from the environment)", OPTION_TEXT,
	  .offset = AT(proxy) },
	{ 0, "connect-timeout", "DURATION", "time to look up, connect and agree on TLS", OPTION_DURATION,
	  .offset = AT(connect_timeout) },
	{ 'm', "max-time", "DURATION", "time for one delivery as a whole", OPTION_DURATION, .offset = AT(max_time) },
	{ 0, "concurrency", "N", "so many at once (default 1, in order)", OPTION_NUMBER, .offset = AT(concurrency),
	  .least = 1, .most = MOST_CONCURRENCY },
	{ 0, "rate", "N[/s|m|h]", "start no more than this", OPTION_CALL, .offset = AT(rate), .parse = parse_rate },
	{ 0, "expect-status", "LIST", "which answers count as accepted, e.g. 2xx,409 (default 2xx)", OPTION_CALL,
	  .offset = AT(expect_status), .parse = parse_status },
	{ 0, "expect-within", "DURATION", "a later answer is a failure", OPTION_DURATION, .offset = AT(expect_within) },
	{ 0, "dry-run", "curl", "show what would go out, and send nothing", OPTION_CALL, .offset = AT(dry_run),
	  .parse = parse_dry_run, .argument_optional = true },
};
const struct option_group delivery_option_group = OPTION_GROUP("Delivery", rows, 0);

void delivery_options_defaults(struct delivery_options *options)
{
	struct error unused;
	options->concurrency = 1;
	options->connect_timeout = 10 * CLOCK_NS_PER_S;
	options->max_time = 30 * CLOCK_NS_PER_S;
	status_set_parse(&options->expect_status.set, "2xx", &unused);
}

void delivery_options_release(struct delivery_options *options)
{
	text_list_release(&options->headers);
	text_list_release(&options->connect_to);
	text_list_release(&options->resolve);
}

/* A line of our own making: the plan frees it. */
static int add_owned(struct delivery_plan *plan, char *line, struct error *err)
{
	if (!line)
		return error_no_memory(err);
	if (text_list_add(&plan->owned, line, err) < 0) {
		free(line);
		return -1;
	}
	return text_list_add(&plan->headers, line, err);
}

/* Every line of the file that is not empty is a header. */
static int add_header_file(struct delivery_plan *plan, const char *path, struct error *err)
{
	struct buffer text = BUFFER_INIT;
	int result = file_read_whole(path, &text, err);
	const char *at = buffer_text(&text), *end = at + text.length;
	while (result == 0 && at < end) {
		size_t length = (size_t)(end - at);
		const char *newline = memchr(at, '\n', length);
		length = newline ? (size_t)(newline - at) : length;
		size_t kept = length > 0 && at[length - 1] == '\r' ? length - 1 : length;
		if (memchr(at, '\0', kept))
			result = error_set(err, EXIT_CODE_USAGE, "a NUL character stands in the headers of '%s'", path);
		else if (kept > 0)
			result = add_owned(plan, strndup(at, kept), err);
		at += length + (newline ? 1 : 0);
	}
	buffer_release(&text);
	return result;
}

static int collect_headers(struct delivery_plan *plan, struct error *err)
{
	const struct config_environment *e = plan->destination.environment;
	for (size_t i = 0; e && i < e->header_count; i++) {
		struct buffer line = BUFFER_INIT;
		buffer_printf(&line, "%s: %s", e->headers[i].name, e->headers[i].value);
		if (add_owned(plan, line.data, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < plan->options->headers.count; i++) {
		const char *given = plan->options->headers.items[i];
		int result = given[0] == '@' ? add_header_file(plan, given + 1, err)
		                             : text_list_add(&plan->headers, given, err);
		if (result < 0)
			return -1;
	}
	return 0;
}

static int pass_guard(const struct delivery_plan *plan, struct error *err)
{
	const struct delivery_options *o = plan->options;
	struct detours detours = { o->connect_to.items, o->connect_to.count, o->resolve.items, o->resolve.count,
		                   o->proxy };
	return guard_check(&plan->config, &plan->destination, &detours, o->allow_production, err);
}

int delivery_plan_init(struct delivery_plan *plan, const struct delivery_options *options, const char *config_file,
                       bool no_config, struct error *err)
{
	plan->options = options;
	if (config_load(&plan->config, config_file, no_config, err) < 0 ||
	    destination_resolve(&plan->config, options->to, &plan->destination, err) < 0 || pass_guard(plan, err) < 0 ||
	    collect_headers(plan, err) < 0)
		return -1;
	address_append_masked(&plan->masked_url, buffer_text(&plan->destination.url));
	plan->http = (struct deliver_options){
		.url = buffer_text(&plan->destination.url),
		.headers = { plan->headers.items, plan->headers.count },
		.connect_to = { options->connect_to.items, options->connect_to.count },
		.resolve = { options->resolve.items, options->resolve.count },
		.cacert = options->cacert,
		.cert = options->cert,
		.key = options->key,
		.unix_socket = options->unix_socket,
		.proxy = options->proxy,
		.insecure = options->insecure,
		.connect_timeout_ns = options->connect_timeout,
		.max_time_ns = options->max_time,
		.concurrency = (unsigned)options->concurrency,
	};
	return plan->masked_url.failed ? error_no_memory(err) : 0;
}

void delivery_plan_release(struct delivery_plan *plan)
{
	for (size_t i = 0; i < plan->owned.count; i++)
		free((char *)(uintptr_t)plan->owned.items[i]);
	text_list_release(&plan->owned);
	text_list_release(&plan->headers);
	destination_release(&plan->destination);
	config_release(&plan->config);
	buffer_release(&plan->masked_url);
}
