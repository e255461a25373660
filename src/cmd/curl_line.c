#include "cmd/curl_line.h"

#include "base/clock.h"

#include <string.h>

/* One argument of a command may have 128 KiB on Linux. */
#define ARGUMENT_MAX ((size_t)64 << 10)

static void append_list(struct buffer *out, const char *option, const struct text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		shell_append_option(out, option, list->items[i]);
}

/* What credhook and curl call by the same name. */
static void append_transport(struct buffer *out, const struct delivery_plan *plan, struct shell_secrets *secrets)
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
	append_list(out, "--resolve", &detours->resolve);
	if (detours->unix_socket)
		shell_append_option(out, "--unix-socket", detours->unix_socket);
	if (!detours->proxy)
		return;
	buffer_append_text(out, " -x ");
	shell_append_url(out, detours->proxy, "PROXY", secrets);
}

static void append_config(struct buffer *out, const struct delivery_plan *plan)
{
	if (plan->origin.no_config)
		buffer_append_text(out, " --no-config");
	else if (plan->origin.config_file)
		shell_append_option(out, "--config", plan->origin.config_file);
}

/* As clock_parse_duration() reads it, which takes no exponent. */
static void append_seconds(struct buffer *out, const char *option, int64_t ns, int64_t usual)
{
	int decimals = 9;
	int64_t fraction = ns % CLOCK_NS_PER_S;
	if (ns == usual)
		return;
	buffer_printf(out, " %s %lld", option, (long long)(ns / CLOCK_NS_PER_S));
	for (; fraction > 0 && fraction % 10 == 0; fraction /= 10)
		decimals--;
	if (fraction > 0)
		buffer_printf(out, ".%0*lld", decimals, (long long)fraction);
}

/* What decides how it ends, where it is not as usual. */
static void append_terms(struct buffer *out, const struct delivery_options *o)
{
	struct delivery_options usual = { 0 };
	delivery_options_defaults(&usual);
	append_seconds(out, "--connect-timeout", o->connect_timeout, usual.connect_timeout);
	append_seconds(out, "-m", o->max_time, usual.max_time);
	append_seconds(out, "--expect-within", o->expect_within, usual.expect_within);
	if (o->expect_status.text)
		shell_append_option(out, "--expect-status", o->expect_status.text);
	if (o->compare)
		buffer_append_text(out, " --compare");
}

static void append_to(struct buffer *out, const struct delivery_plan *plan)
{
	const struct delivery_options *o = plan->options;
	append_config(out, plan);
	for (size_t i = 0; i < o->headers.count; i++)
		shell_append_header(out, o->headers.items[i], NULL);
	append_transport(out, plan, NULL);
	append_terms(out, o);
	if (o->allow_production)
		buffer_append_text(out, " --allow-production");
	if (!o->to)
		return;
	buffer_append_text(out, " --to ");
	shell_append_url(out, o->to, "CREDHOOK_TO", NULL);
}

void again_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job)
{
	const char *extra = buffer_text(&plan->origin.extra);
	if (job->input) {
		if (strcmp(job->input, "-") == 0)
			return;
		buffer_append_text(out, "credhook replay ");
		shell_append(out, job->input, strlen(job->input));
		buffer_printf(out, " --record %llu%s", (unsigned long long)job->record, extra);
	} else if (job->made <= 1) {
		buffer_printf(out, "credhook send %s --seed %llu%s%s", job->name, (unsigned long long)plan->origin.seed,
		              extra, plan->origin.no_validate ? " --no-validate" : "");
	} else {
		buffer_printf(out, "credhook build %s --seed %llu --count %llu%s", job->name,
		              (unsigned long long)plan->origin.seed, (unsigned long long)job->made, extra);
		append_config(out, plan);
		buffer_append_text(out, " | tail -n 1 | credhook send --no-validate --file -");
	}
	append_to(out, plan);
}

static void append_curl_times(struct buffer *out, const struct delivery_options *o)
{
	buffer_printf(out, " --connect-timeout %.3f -m %.3f", (double)o->connect_timeout / (double)CLOCK_NS_PER_S,
	              (double)o->max_time / (double)CLOCK_NS_PER_S);
}

struct curl_headers {
	struct buffer *out;
	size_t given; /* so many lines are -H's own: they stand there already, those of files as @FILE */
	struct shell_secrets *secrets;
};

static void append_curl_header(void *context, size_t index, const char *line)
{
	struct curl_headers *headers = context;
	if (index >= headers->given)
		shell_append_header(headers->out, line, headers->secrets);
}

static void append_curl_headers(struct buffer *out, const struct delivery_plan *plan, const struct job *job,
                                struct shell_secrets *secrets)
{
	struct curl_headers headers = { out, plan->given_headers, secrets };
	struct delivery delivery = { .headers = { job->headers.items, job->headers.count },
		                     .body_length = job->body.length };
	if (job->content_type.length > 0)
		delivery.content_type = buffer_text(&job->content_type);
	for (size_t i = 0; i < plan->options->headers.count; i++)
		shell_append_header(out, plan->options->headers.items[i], secrets);
	if (deliver_each_header(&plan->http, &delivery, append_curl_header, &headers) < 0)
		out->failed = true;
}

void again_append_curl(struct buffer *out, const struct delivery_plan *plan, const struct job *job,
                       struct shell_secrets *secrets)
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
	append_transport(out, plan, secrets);
	append_curl_times(out, plan->options);
	append_curl_headers(out, plan, job, secrets);
	if (as_argument) {
		buffer_append_text(out, " --data-raw ");
		shell_append_quoted(out, body, job->body.length);
	} else {
		buffer_append_text(out, " --data-binary @-");
	}
	buffer_append_byte(out, ' ');
	shell_append_url(out, buffer_text(job->url.length > 0 ? &job->url : &plan->destination.url), "CREDHOOK_URL",
	                 secrets);
	buffer_append_byte(out, '\n');
}
