#include "base/clock.h"
#include "base/url.h"
#include "base/utf8.h"
#include "cmd/send/report.h"
#include "cmd/shell_text.h"
#include "http/secrets.h"
#include "json/json_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One argument of a command may have 128 KiB on Linux. */
#define ARGUMENT_MAX ((size_t)64 << 10)

static const char *url_of(const struct send_run *run, const struct job *job)
{
	return job->url.length > 0 ? buffer_text(&job->url) : buffer_text(&run->route.destination.url);
}

/* The Content-Type that goes out besides the route's headers; NULL: they hold one, which replaces every other. */
static const char *type_of(const struct send_run *run, const struct job *job)
{
	if (run->route.has_content_type)
		return NULL;
	return job->content_type.length > 0 ? buffer_text(&job->content_type) : "application/json";
}

static void append_as_request(const struct send_run *run, const struct job *job, struct buffer *out)
{
	LOCAL_BUFFER url = BUFFER_INIT;
	url_append_masked(&url, url_of(run, job));
	buffer_printf(out, "POST %s\n", buffer_text(&url));
	const char *type = type_of(run, job);
	if (type)
		buffer_printf(out, "Content-Type: %s\n", type);
	buffer_printf(out, "Content-Length: %zu\n", job->body.length);
	for (size_t i = 0; i < run->route.headers.count; i++) {
		const char *line = run->route.headers.items[i], *secret = secret_of_header_line(line);
		buffer_printf(out, "%.*s%s\n", secret ? (int)(secret - line) : (int)strlen(line), line,
		              secret ? SECRET_MASK : "");
	}
	buffer_append_byte(out, '\n');
	buffer_append(out, buffer_text(&job->body), job->body.length);
	buffer_append_text(out, "\n\n");
}

static void append_header_json(struct buffer *out, const char *line)
{
	size_t name = strcspn(line, ":;");
	const char *value = line[name] ? line + name + 1 + strspn(line + name + 1, " \t") : "";
	if (secret_of_header_line(line))
		value = SECRET_MASK;
	json_line_comma(out);
	buffer_append_byte(out, '[');
	json_line_string(out, line, name);
	json_line_element(out, value);
	json_line_array_end(out);
}

static void append_as_json(const struct send_run *run, const struct job *job, struct buffer *out)
{
	LOCAL_BUFFER url = BUFFER_INIT, type = BUFFER_INIT;
	url_append_masked(&url, url_of(run, job));
	json_line_begin_type(out, "request");
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "method", "POST");
	json_line_bytes(out, "url", buffer_text(&url), url.length);
	json_line_array(out, "headers");
	if (type_of(run, job)) {
		buffer_printf(&type, "Content-Type: %s", type_of(run, job));
		append_header_json(out, buffer_text(&type));
	}
	for (size_t i = 0; i < run->route.headers.count; i++)
		append_header_json(out, run->route.headers.items[i]);
	json_line_array_end(out);
	json_line_bytes(out, "body", buffer_text(&job->body), job->body.length);
	json_line_finish(out);
}

/* A header as an -H option. "@FILE" stays so; a secret's value becomes a variable: -H 'X-Token: '"$X_TOKEN". */
static void append_header_option(struct buffer *out, const char *line, bool *has_secrets)
{
	size_t length = strcspn(line, ":;");
	if (line[0] == '@' || !secret_of_header_line(line)) {
		shell_append_option(out, "-H", line);
		return;
	}
	/* A name may hold ` and $ (RFC 9110, 5.6.2), and be a stranger's. */
	LOCAL_BUFFER shown = BUFFER_INIT;
	buffer_printf(&shown, "%.*s: ", (int)length, line);
	buffer_append_text(out, " -H ");
	shell_append(out, buffer_text(&shown), shown.length);
	buffer_printf(out, "\"$%s", isdigit((unsigned char)line[0]) ? "_" : "");
	for (size_t i = 0; i < length; i++)
		buffer_append_byte(out, isalnum((unsigned char)line[i]) ? (char)toupper((unsigned char)line[i]) : '_');
	buffer_append_byte(out, '"');
	*has_secrets = true;
	out->failed |= shown.failed;
}

/* A URL, or "$NAME" where it holds a secret. */
static void append_url_argument(struct buffer *out, const char *url, const char *name, bool *has_secrets)
{
	if (!url_is_secret(url)) {
		shell_append(out, url, strlen(url));
		return;
	}
	buffer_printf(out, "\"$%s\"", name);
	*has_secrets = true;
}

/* How the request goes, and for how long. */
static void append_transport(struct buffer *out, const struct send_run *run, bool *has_secrets)
{
	const struct route_options *o = &run->options->route;
	const struct detours *detours = &run->route.detours;
	const struct {
		const char *option, *value;
	} given[] = { { "--cacert", o->cacert },
		      { "--cert", o->cert },
		      { "--key", o->key },
		      { "--unix-socket", detours->unix_socket } };
	if (!o->proxy)
		buffer_append_text(out, " --noproxy '*'");
	if (o->insecure)
		buffer_append_text(out, " -k");
	for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
		if (given[i].value)
			shell_append_option(out, given[i].option, given[i].value);
	for (size_t i = 0; i < detours->connect_to.count; i++)
		shell_append_option(out, "--connect-to", detours->connect_to.items[i]);
	if (detours->proxy) {
		buffer_append_text(out, " -x ");
		append_url_argument(out, detours->proxy, "PROXY", has_secrets);
	}
	buffer_printf(out, " --connect-timeout %.3f -m %.3f", (double)ROUTE_CONNECT_TIMEOUT / (double)CLOCK_NS_PER_S,
	              (double)o->max_time / (double)CLOCK_NS_PER_S);
}

struct curl_headers {
	struct buffer *out;
	size_t given; /* the first lines, which are -H's own and written already, those of files as @FILE */
	bool *has_secrets;
};

static void append_curl_header(void *context, size_t index, const char *line)
{
	struct curl_headers *headers = context;
	if (index >= headers->given)
		append_header_option(headers->out, line, headers->has_secrets);
}

static void append_as_curl(const struct send_run *run, const struct job *job, bool *has_secrets, struct buffer *out)
{
	const char *body = buffer_text(&job->body);
	bool as_argument = job->body.length < ARGUMENT_MAX && !memchr(body, '\0', job->body.length);
	if (!as_argument) {
		shell_append_printf(out, body, job->body.length);
		buffer_append_text(out, " | ");
	}
	buffer_append_text(out, "curl -q -g -sS --http1.1");
	if (job->url.length > 0)
		buffer_append_text(out, " --path-as-is");
	append_transport(out, run, has_secrets);
	struct curl_headers headers = { out, run->route.given_headers, has_secrets };
	struct delivery delivery = { .url = NULL };
	job_lend(job, &delivery);
	for (size_t i = 0; i < run->options->route.headers.count; i++)
		append_header_option(out, run->options->route.headers.items[i], has_secrets);
	if (deliver_each_header(&run->route.http, &delivery, append_curl_header, &headers) < 0)
		out->failed = true;
	if (as_argument) {
		buffer_append_text(out, " --data-raw ");
		shell_append_quoted(out, body, job->body.length);
	} else {
		buffer_append_text(out, " --data-binary @-");
	}
	buffer_append_byte(out, ' ');
	append_url_argument(out, url_of(run, job), "CREDHOOK_URL", has_secrets);
	buffer_append_byte(out, '\n');
}

int send_dry_run(const struct send_run *run, const struct job_source *source, bool shows, struct error *err)
{
	struct context *context = run->context;
	if (run->options->dry_run == DRY_RUN_CURL && context->global->json) {
		error_set(err, EXIT_CODE_USAGE, "--dry-run=curl writes commands, not JSON");
		return error_hint(err, "leave out --json, or write --dry-run alone for the requests");
	}
	/* Refuses what a run would refuse before its first delivery: a bad header, a certificate that cannot be read.
	 */
	struct loop *loop = loop_new(err);
	struct deliverer *deliverer = loop ? deliverer_new(loop, &run->route.http, err) : NULL;
	bool is_ready = deliverer != NULL;
	deliverer_free(deliverer);
	loop_free(loop);
	if (!is_ready)
		return -1;
	struct job *job = calloc(1, sizeof *job);
	bool has_secrets = false;
	int got = job ? JOB_FILLED : error_no_memory(err);
	while ((got == JOB_FILLED || got == JOB_YIELD) && !terminal_is_closed(context->terminal)) {
		job_clear(job);
		got = source->next(source->context, job, err);
		if (got == JOB_FILLED && shows) {
			/* A file or another program gets the very bytes. */
			struct terminal *terminal = run->context->terminal;
			LOCAL_BUFFER out = BUFFER_INIT;
			if (run->options->dry_run == DRY_RUN_CURL)
				append_as_curl(run, job, &has_secrets, &out);
			else if (run->context->global->json)
				append_as_json(run, job, &out);
			else
				append_as_request(run, job, &out);
			terminal_write_lines(terminal, buffer_text(&out), out.length);
		}
	}
	if (has_secrets)
		terminal_note(context->terminal,
		              "secrets are variables: set each $NAME before running a command that has \"$NAME\"");
	job_free(job);
	return got < 0 ? -1 : EXIT_CODE_OK;
}

void dry_run_summary_add(struct dry_run_summary *s, const struct capture_record *record, struct catalog_kind kind,
                         const struct job *job)
{
	s->count++;
	s->bytes += job->body.length;
	if (record->received_us > s->last_us)
		s->last_us = record->received_us;
	if (record->received_us != 0 && (s->first_us == 0 || record->received_us < s->first_us))
		s->first_us = record->received_us;
	if (job->due_ns > s->pace_ns)
		s->pace_ns = job->due_ns;
	for (size_t i = 0; i < catalog_kind_count() && i < MAKER_KINDS_MAX; i++) {
		struct catalog_kind one = catalog_kind_at(i);
		if (one.event == kind.event && one.element == kind.element) {
			s->kinds[i]++;
			return;
		}
	}
	s->unknown++;
}

static void append_summary_as_json(struct buffer *out, const struct dry_run_summary *s, int64_t estimated,
                                   const char *url, uint64_t bad)
{
	char text[CLOCK_STAMP_SIZE], name[CATALOG_KIND_NAME_SIZE];
	json_line_begin(out);
	json_line_text(out, "type", "dry-run");
	json_line_text(out, "to", url);
	json_line_number(out, "records", (int64_t)s->count);
	json_line_number(out, "bytes", (int64_t)s->bytes);
	json_line_number(out, "malformed", (int64_t)bad);
	json_line_object(out, "events");
	for (size_t i = 0; i < catalog_kind_count() && i < MAKER_KINDS_MAX; i++) {
		catalog_kind_name(catalog_kind_at(i), name);
		if (s->kinds[i] > 0)
			json_line_number(out, name, (int64_t)s->kinds[i]);
	}
	json_line_end(out);
	json_line_number(out, "unknown_events", (int64_t)s->unknown);
	clock_format_stamp(s->first_us, text);
	json_line_text(out, "first", s->first_us ? text : NULL);
	clock_format_stamp(s->last_us, text);
	json_line_text(out, "last", s->last_us ? text : NULL);
	json_line_decimal(out, "span_seconds", (double)(s->last_us - s->first_us) / 1e6);
	if (estimated >= 0)
		json_line_decimal(out, "estimated_seconds", (double)estimated / 1e9);
	else
		json_line_null(out, "estimated_seconds");
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

static void append_summary_as_text(struct buffer *out, const struct dry_run_summary *s, int64_t estimated,
                                   const char *url, uint64_t bad)
{
	char first[CLOCK_STAMP_SIZE], last[CLOCK_STAMP_SIZE], duration[CLOCK_DURATION_SIZE];
	char name[CATALOG_KIND_NAME_SIZE];
	buffer_printf(out, "would send %llu record%s, %llu bytes, to %s\n", (unsigned long long)s->count,
	              s->count == 1 ? "" : "s", (unsigned long long)s->bytes, url);
	for (size_t i = 0; i < catalog_kind_count() && i < MAKER_KINDS_MAX; i++) {
		catalog_kind_name(catalog_kind_at(i), name);
		if (s->kinds[i] > 0)
			buffer_printf(out, "  %10llu  %s\n", (unsigned long long)s->kinds[i], name);
	}
	if (s->unknown > 0)
		buffer_printf(out, "  %10llu  (unknown)\n", (unsigned long long)s->unknown);
	if (bad > 0)
		buffer_printf(out, "malformed, skipped: %llu\n", (unsigned long long)bad);
	if (s->first_us != 0) {
		clock_format_stamp(s->first_us, first);
		clock_format_stamp(s->last_us, last);
		int64_t span_us = s->last_us - s->first_us;
		clock_format_duration(span_us > INT64_MAX / 1000 ? INT64_MAX : span_us * 1000, duration);
		buffer_printf(out, "received from %s to %s: %s\n", first, last, duration);
	}
	if (estimated < 0)
		return;
	clock_format_duration(estimated, duration);
	buffer_printf(out, "estimated time: %s\n", duration);
}

void dry_run_summary_print(struct context *context, const struct dry_run_summary *s, const struct replay_args *args,
                           const char *masked_url, uint64_t bad)
{
	LOCAL_BUFFER out = BUFFER_INIT;
	double interval_ns = args->delivery.rate.interval_ns,
	       by_rate = interval_ns * (double)(s->count - (s->count > 0));
	int64_t estimated = by_rate > (double)s->pace_ns ? (int64_t)by_rate : s->pace_ns;
	if (interval_ns <= 0 && args->speed.factor <= 0)
		estimated = -1; /* as long as the responses take */
	if (context->global->json)
		append_summary_as_json(&out, s, estimated, masked_url, bad);
	else
		append_summary_as_text(&out, s, estimated, masked_url, bad);
	terminal_write(context->terminal, buffer_text(&out), out.length);
}
