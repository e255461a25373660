#include "cmd/delivery_plan.h"

#include "base/clock.h"
#include "base/url.h"
#include "cmd/files.h"
#include "http/raw.h"
#include "redact/redact.h"
#include "ui/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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
	LOCAL_BUFFER text = BUFFER_INIT;
	int result = file_read_whole(path, &text, NULL, err);
	const char *at = buffer_text(&text), *end = at + text.length;
	while (result == 0 && at < end) {
		size_t length = (size_t)(end - at);
		const char *newline = memchr(at, '\n', length);
		length = newline ? (size_t)(newline - at) : length;
		size_t kept = length > 0 && at[length - 1] == '\r' ? length - 1 : length;
		if (memchr(at, '\0', kept))
			result = error_set(err, EXIT_CODE_USAGE, "NUL character in the headers of '%s'", path);
		else if (kept > 0)
			result = add_owned(plan, strndup(at, kept), err);
		at += length + (newline ? 1 : 0);
	}
	return result;
}

/* The value of a header of that name; NULL: it is another one. */
static const char *value_of(const char *line, const char *name)
{
	size_t length = strlen(name);
	bool is_it = strncasecmp(line, name, length) == 0 && (line[length] == ':' || line[length] == ';');
	return is_it ? line + length + 1 : NULL;
}

static bool has_header(const struct text_list *lines, const char *name)
{
	for (size_t i = 0; i < lines->count; i++)
		if (value_of(lines->items[i], name))
			return true;
	return false;
}

/* The command line's come first, and those of the environment that it does not set. */
static int collect_headers(struct delivery_plan *plan, struct error *err)
{
	const struct config_environment *e = plan->destination.environment;
	for (size_t i = 0; i < plan->options->headers.count; i++) {
		const char *given = plan->options->headers.items[i];
		int result = given[0] == '@' ? add_header_file(plan, given + 1, err)
		                             : text_list_add(&plan->headers, given, err);
		if (result < 0)
			return -1;
	}
	plan->given_headers = plan->headers.count;
	for (size_t i = 0; e && i < e->header_count; i++) {
		struct buffer line = BUFFER_INIT;
		if (has_header(&plan->headers, e->headers[i].name))
			continue;
		buffer_printf(&line, "%s: %s", e->headers[i].name, e->headers[i].value);
		if (add_owned(plan, line.data, err) < 0)
			return -1;
	}
	return 0;
}

static int read_detours(struct delivery_plan *plan, struct error *err)
{
	const struct delivery_options *o = plan->options;
	for (size_t i = 0; i < o->connect_to.count; i++)
		if (detours_add_connect_to(&plan->detours, o->connect_to.items[i], err) < 0)
			return -1;
	if (o->proxy && detours_set_proxy(&plan->detours, o->proxy, err) < 0)
		return -1;
	return o->unix_socket ? detours_set_unix_socket(&plan->detours, o->unix_socket, err) : 0;
}

/* Who may send to production may say anything there. */
static int read_host_headers(struct delivery_plan *plan, struct error *err)
{
	if (plan->options->allow_production || !guard_is_set(&plan->config))
		return 0;
	for (size_t i = 0; i < plan->headers.count; i++) {
		const char *host = value_of(plan->headers.items[i], "Host");
		if (host && detours_add_host_header(&plan->detours, host, err) < 0)
			return -1;
	}
	return 0;
}

/* deliver_options' may_connect */
static bool may_connect(const void *config, const struct sockaddr *to)
{
	return guard_allows_address(config, to);
}

static int pass_guard(const struct delivery_plan *plan, struct error *err)
{
	const struct delivery_options *o = plan->options;
	if (guard_check(&plan->config, &plan->destination, &plan->detours, o->allow_production, err) == 0)
		return 0;
	struct error unused;
	bool refused = guard_check(&plan->config, &plan->destination, &plan->detours, true, &unused) == 0;
	if (refused && o->dry_run != DRY_RUN_OFF)
		error_hint(err, "with --allow-production the dry run shows it, and sends nothing");
	return -1;
}

/* Where a record was sent is in its Host, in the target of an absolute URL, or in what a proxy in front has added. */
static bool names_host(const struct header *h)
{
	static const char *const names[] = { "Host", "X-Forwarded-Host", "Forwarded" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (h->name.length == strlen(names[i]) && strncasecmp(h->name.text, names[i], h->name.length) == 0)
			return true;
	return false;
}

int delivery_plan_check_origin(const struct delivery_plan *plan, const struct capture_record *record, struct error *err)
{
	const struct config *config = &plan->config;
	const struct destination *to = &plan->destination;
	const struct config_environment *e = NULL;
	bool is_redacted = record->redacted.text && redact_is_mark(record->redacted.text, record->redacted.length);
	if (plan->options->allow_unredacted || is_redacted || !guard_is_set(config))
		return 0;
	if (record->request.target.length > 0 && record->request.target.text[0] != '/')
		e = guard_of_origin(config, to, record->request.target.text, record->request.target.length);
	for (size_t i = 0; i < record->request.header_count && !e; i++)
		if (names_host(&record->request.headers[i]))
			e = guard_of_origin(config, to, record->request.headers[i].value.text,
			                    record->request.headers[i].value.length);
	if (!e)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "it was sent to the protected environment '%s' and is not redacted", e->name);
	return error_hint(err, "redact the capture with 'convert --redact', or add --allow-unredacted if you mean it");
}

/* Before anything else is said of the file: its folder is not ours to make. */
static int check_results(const struct delivery_options *o, struct error *err)
{
	const char *slash = o->results && o->dry_run == DRY_RUN_OFF ? strrchr(o->results, '/') : NULL;
	LOCAL_BUFFER folder = BUFFER_INIT;
	struct stat status;
	if (!slash || slash == o->results)
		return 0;
	buffer_append(&folder, o->results, (size_t)(slash - o->results));
	if (stat(buffer_text(&folder), &status) == 0 || errno != ENOENT)
		return 0;
	error_set(err, EXIT_CODE_IO, "cannot write '%s': %s", o->results, strerror(ENOENT));
	return error_hint(err, "make the directory first: mkdir -p '%s'", buffer_text(&folder));
}

/* A thread pays from about eight deliveries at once on. */
static unsigned choose_threads(const struct delivery_options *options)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t wanted = options->concurrency / 8;
	if (options->concurrency < 16 || processors < 2)
		return 1;
	return wanted < (uint64_t)processors ? (unsigned)wanted : (unsigned)processors;
}

/* NULL: not set, or empty. libcurl does not read these itself, as OpenSSL's own programs do. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

int delivery_plan_init(struct delivery_plan *plan, const struct delivery_options *options, const char *config_file,
                       bool no_config, struct error *err)
{
	plan->options = options;
	plan->config_file = config_file;
	plan->no_config = no_config;
	if (delivery_options_check(options, err) < 0 || check_results(options, err) < 0 ||
	    config_load(&plan->config, config_file, no_config, err) < 0 ||
	    destination_resolve(&plan->config, options->to, &plan->destination, err) < 0 ||
	    read_detours(plan, err) < 0 || collect_headers(plan, err) < 0 || read_host_headers(plan, err) < 0 ||
	    pass_guard(plan, err) < 0)
		return -1;
	url_append_masked(&plan->masked_url, buffer_text(&plan->destination.url));
	plan->http = (struct deliver_options){
		.url = buffer_text(&plan->destination.url),
		.headers = { plan->headers.items, plan->headers.count },
		.connect_to = { plan->detours.connect_to.items, plan->detours.connect_to.count },
		.cacert = options->cacert ? options->cacert : environment("SSL_CERT_FILE"),
		.capath = options->cacert ? NULL : environment("SSL_CERT_DIR"),
		.cert = options->cert,
		.key = options->key,
		.unix_socket = plan->detours.unix_socket,
		.proxy = plan->detours.proxy,
		.may_connect = options->allow_production ? NULL : may_connect,
		.may_connect_context = &plan->config,
		.insecure = options->insecure,
		.connect_timeout_ns = DELIVERY_CONNECT_TIMEOUT,
		.max_time_ns = options->max_time,
		.concurrency = (unsigned)options->concurrency,
	};
	plan->has_content_type = has_header(&plan->headers, "Content-Type");
	plan->is_unguarded = !guard_is_set(&plan->config) && !host_is_loopback(&plan->destination.address.host);
	plan->threads = choose_threads(options);
	return plan->masked_url.failed ? error_no_memory(err) : 0;
}

void delivery_plan_release(struct delivery_plan *plan)
{
	for (size_t i = 0; i < plan->owned.count; i++)
		free((char *)(uintptr_t)plan->owned.items[i]);
	text_list_release(&plan->owned);
	text_list_release(&plan->headers);
	destination_release(&plan->destination);
	detours_release(&plan->detours);
	config_release(&plan->config);
	buffer_release(&plan->masked_url);
}

void delivery_plan_note(const struct delivery_plan *plan, struct terminal *terminal)
{
	if (plan->is_unguarded && plan->options->dry_run == DRY_RUN_OFF)
		terminal_note(
		        terminal,
		        "no environment is marked as protected, so credhook does not know whether this is production");
}

int delivery_wait(struct context *context, const struct delivery_plan *plan, struct error *err)
{
	struct delivery delivery = { .outcome = DELIVER_PENDING };
	char span[CLOCK_DURATION_SIZE];
	int64_t most = plan->options->wait;
	if (most == 0)
		return 0;
	clock_format_duration(most, span);
	terminal_note(context->terminal, "waiting up to %s for %s", span, buffer_text(&plan->masked_url));
	int reached = raw_wait(&plan->http, most, context->signals, &delivery);
	if (reached > 0)
		return 0;
	if (reached < 0)
		return error_set(err, EXIT_CODE_INTERRUPTED, "interrupted");
	return error_set(err, EXIT_CODE_UNDELIVERED, "no connection to '%s' within %s: %s",
	                 buffer_text(&plan->masked_url), span, delivery.message);
}
