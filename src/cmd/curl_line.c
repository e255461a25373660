#include "cmd/curl_line.h"

#include "base/clock.h"

/* One argument of a command may have 128 KiB on Linux. */
#define ARGUMENT_MAX ((size_t)64 << 10)

static void append_list(struct buffer *out, const char *option, const struct text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		shell_append_option(out, option, list->items[i]);
}

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

static void append_curl_times(struct buffer *out, const struct delivery_options *o)
{
	buffer_printf(out, " --connect-timeout %.3f -m %.3f", (double)o->connect_timeout / (double)CLOCK_NS_PER_S,
	              (double)o->max_time / (double)CLOCK_NS_PER_S);
}

struct curl_headers {
	struct buffer *out;
	size_t given; /* the first lines, which are -H's own and written already, those of files as @FILE */
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

void curl_line_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job,
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
