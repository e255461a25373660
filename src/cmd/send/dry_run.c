/* --dry-run: what would go out, as requests or as curl commands, with variables for secrets. */
#include "base/clock.h"
#include "base/url.h"
#include "base/utf8.h"
#include "cmd/send/run.h"
#include "cmd/shell_text.h"
#include "http/secrets.h"
#include "json/json_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One argument of a command may have 128 KiB on Linux. */
#define ARGUMENT_MAX ((size_t)64 << 10)

/* A header line for printing: the value of a secret one is masked. */
static void append_masked_header(struct buffer *out, const char *line)
{
	const char *secret = secret_of_header_line(line);
	if (secret)
		buffer_printf(out, "%.*s%s", (int)(secret - line), line, SECRET_MASK);
	else
		buffer_append_text(out, line);
}

static const char *url_of(const struct delivery_plan *plan, const struct job *job)
{
	return job->url.length > 0 ? buffer_text(&job->url) : buffer_text(&plan->destination.url);
}

/* The Content-Type that goes out besides the plan's headers; NULL: they hold one, which replaces every other. */
static const char *type_of(const struct delivery_plan *plan, const struct job *job)
{
	if (plan->has_content_type)
		return NULL;
	return job->content_type.length > 0 ? buffer_text(&job->content_type) : "application/json";
}

static void append_as_request(const struct delivery_plan *plan, const struct job *job, struct buffer *out)
{
	LOCAL_BUFFER url = BUFFER_INIT;
	url_append_masked(&url, url_of(plan, job));
	buffer_printf(out, "POST %s\n", buffer_text(&url));
	const char *type = type_of(plan, job);
	if (type)
		buffer_printf(out, "Content-Type: %s\n", type);
	buffer_printf(out, "Content-Length: %zu\n", job->body.length);
	for (size_t i = 0; i < plan->headers.count; i++) {
		append_masked_header(out, plan->headers.items[i]);
		buffer_append_byte(out, '\n');
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

static void append_as_json(const struct delivery_plan *plan, const struct job *job, struct buffer *out)
{
	LOCAL_BUFFER url = BUFFER_INIT, type = BUFFER_INIT;
	url_append_masked(&url, url_of(plan, job));
	json_line_begin_type(out, "request");
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "method", "POST");
	json_line_bytes(out, "url", buffer_text(&url), url.length);
	json_line_array(out, "headers");
	if (type_of(plan, job)) {
		buffer_printf(&type, "Content-Type: %s", type_of(plan, job));
		append_header_json(out, buffer_text(&type));
	}
	for (size_t i = 0; i < plan->headers.count; i++)
		append_header_json(out, plan->headers.items[i]);
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

static void append_list(struct buffer *out, const char *option, const struct text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		shell_append_option(out, option, list->items[i]);
}

static void append_transport(struct buffer *out, const struct delivery_plan *plan, bool *has_secrets)
{
	const struct delivery_options *o = plan->options;
	const struct detours *detours = &plan->detours;
	if (o->insecure)
		buffer_append_text(out, " -k");
	if (o->cacert)
		shell_append_option(out, "--cacert", o->cacert);
	if (o->cert)
		shell_append_option(out, "--cert", o->cert);
	if (o->key)
		shell_append_option(out, "--key", o->key);
	append_list(out, "--connect-to", &detours->connect_to);
	if (detours->unix_socket)
		shell_append_option(out, "--unix-socket", detours->unix_socket);
	if (!detours->proxy)
		return;
	buffer_append_text(out, " -x ");
	append_url_argument(out, detours->proxy, "PROXY", has_secrets);
}

static void append_curl_times(struct buffer *out, const struct delivery_options *o)
{
	buffer_printf(out, " --connect-timeout %.3f -m %.3f", (double)DELIVERY_CONNECT_TIMEOUT / (double)CLOCK_NS_PER_S,
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

static void append_curl_headers(struct buffer *out, const struct delivery_plan *plan, const struct job *job,
                                bool *has_secrets)
{
	struct curl_headers headers = { out, plan->given_headers, has_secrets };
	struct delivery delivery = { .headers = { job->headers.items, job->headers.count },
		                     .body_length = job->body.length };
	if (job->content_type.length > 0)
		delivery.content_type = buffer_text(&job->content_type);
	for (size_t i = 0; i < plan->options->headers.count; i++)
		append_header_option(out, plan->options->headers.items[i], has_secrets);
	if (deliver_each_header(&plan->http, &delivery, append_curl_header, &headers) < 0)
		out->failed = true;
}

static void append_as_curl(const struct delivery_plan *plan, const struct job *job, bool *has_secrets,
                           struct buffer *out)
{
	const char *body = buffer_text(&job->body);
	bool as_argument = job->body.length < ARGUMENT_MAX && shell_is_shown(body, job->body.length);
	if (!as_argument) {
		shell_append_printf(out, body, job->body.length);
		buffer_append_text(out, " | ");
	}
	buffer_append_text(out, "curl -q -g -sS --http1.1");
	if (job->url.length > 0)
		buffer_append_text(out, " --path-as-is");
	if (!plan->options->proxy)
		buffer_append_text(out, " --noproxy '*'");
	append_transport(out, plan, has_secrets);
	append_curl_times(out, plan->options);
	append_curl_headers(out, plan, job, has_secrets);
	if (as_argument) {
		buffer_append_text(out, " --data-raw ");
		shell_append_quoted(out, body, job->body.length);
	} else {
		buffer_append_text(out, " --data-binary @-");
	}
	buffer_append_byte(out, ' ');
	append_url_argument(out, url_of(plan, job), "CREDHOOK_URL", has_secrets);
	buffer_append_byte(out, '\n');
}

static void show_job(struct context *context, const struct delivery_plan *plan, const struct job *job,
                     bool *has_secrets)
{
	LOCAL_BUFFER out = BUFFER_INIT, request = BUFFER_INIT;
	if (plan->options->dry_run == DRY_RUN_CURL) {
		append_as_curl(plan, job, has_secrets, &out);
	} else if (context->global->json) {
		append_as_json(plan, job, &out);
	} else {
		bool safe = context->terminal->out_is_tty; /* a file or another program gets the very bytes */
		append_as_request(plan, job, safe ? &request : &out);
		utf8_append_safe_lines(&out, buffer_text(&request), request.length);
		out.failed |= request.failed;
	}
	terminal_write(context->terminal, buffer_text(&out), out.length);
}

/* Refuses what a run would refuse before its first delivery: a bad header, a certificate that cannot be read. */
static int check_plan(const struct delivery_plan *plan, struct error *err)
{
	struct loop *loop = loop_new(err);
	struct deliverer *deliverer = loop ? deliverer_new(loop, &plan->http, err) : NULL;
	int result = deliverer ? 0 : -1;
	deliverer_free(deliverer);
	loop_free(loop);
	return result;
}

int delivery_dry_run(struct context *context, const struct delivery_plan *plan, const struct job_source *source,
                     struct error *err)
{
	if (plan->options->dry_run == DRY_RUN_CURL && context->global->json) {
		error_set(err, EXIT_CODE_USAGE, "--dry-run=curl writes commands, not JSON");
		return error_hint(err, "leave out --json, or write --dry-run alone for the requests");
	}
	if (check_plan(plan, err) < 0)
		return -1;
	struct job *job = calloc(1, sizeof *job);
	bool has_secrets = false;
	int got = job ? JOB_FILLED : error_no_memory(err);
	while ((got == JOB_FILLED || got == JOB_YIELD) && !terminal_is_closed(context->terminal)) {
		job_clear(job);
		got = source->next(source->context, job, err);
		if (got == JOB_FILLED)
			show_job(context, plan, job, &has_secrets);
	}
	if (has_secrets)
		terminal_note(context->terminal,
		              "secrets are variables: set each $NAME before running a command that has \"$NAME\"");
	job_free(job);
	return got < 0 ? -1 : EXIT_CODE_OK;
}
