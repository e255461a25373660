#include "cmd/delivery_hints.h"

#include "deliver/retry.h"

#include <string.h>

/* Which of them --retry repeats is deliver/retry.h's to say. */
static const struct {
	int status;
	const char *text;
} by_status[] = {
	{ 400, "the listener could not read the request; -v shows request and response" },
	{ 401, "authentication required: -H 'Authorization: ...', or -H @FILE to keep the secret" },
	{ 403, "access denied: check its allow list and the token sent" },
	{ 405, "the path does not accept POST; check it" },
	{ 407, "the proxy requires authentication: -x http://USER:PASSWORD@HOST:PORT" },
	{ 413, "the listener limits the size of a body (credhook listen --max-body BYTES)" },
	{ 415, "the listener does not accept this Content-Type: -H 'Content-Type: ...' sends another" },
	{ 422, "the listener found the payload invalid; credhook validate checks it" },
	{ 429, "too many requests; --rate slows down" },
	{ 502, "a proxy in front of the listener cannot reach it" },
	{ 504, "a proxy in front of the listener timed out" },
};

static bool has_path(const char *url)
{
	const char *path = strchr(strstr(url, "://") + 3, '/');
	return path && path[1] != '\0' && path[1] != '?' && path[1] != '#';
}

static const char *text_of(const struct delivery_plan *plan, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	if (d->status == 400 && memmem(buffer_text(&d->response), d->response.length, "HTTPS", strlen("HTTPS")))
		return "is it HTTPS? use https:// instead of http://";
	for (size_t i = 0; i < sizeof by_status / sizeof by_status[0]; i++)
		if (by_status[i].status == d->status)
			return by_status[i].text;
	if (d->status == 404 && job->url.length == 0 && !has_path(buffer_text(&plan->destination.url)))
		return "nothing at this path; does --to need one, as in http://host/hook?";
	if (d->status == 404)
		return "nothing at this path; check it";
	return d->status >= 500 ? "server error: check the listener's log" : NULL;
}

/* Nobody listens: on this machine a listener is one command away. */
static void append_start(struct buffer *out, const struct delivery_plan *plan)
{
	const struct address *address = &plan->destination.address;
	buffer_append_text(out, "start your listener, or use --wait 30s");
	if (!plan->options->unix_socket && strcmp(address->scheme, "http") == 0 && host_is_loopback(&address->host))
		buffer_printf(out, "; for a try: credhook listen %u", address->port);
}

static bool is_redirect(const struct delivery *d)
{
	return d->status >= 300 && d->status < 400 && (d->response_location[0] || d->status == 301 || d->status == 302);
}

static void append_status(struct buffer *out, const struct delivery_plan *plan, const struct job *job)
{
	const char *text = text_of(plan, job);
	if (text)
		buffer_append_text(out, text);
	if (plan->options->retry == 0 && retry_is_for(job->delivery.status))
		buffer_append_text(out, "; --retry N tries again");
}

void hint_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	if (job->outcome == OUTCOME_ACCEPTED)
		return;
	if (job->outcome == OUTCOME_FAILED && strstr(d->message, "refused") && !plan->options->proxy)
		append_start(out, plan);
	else if (d->hint)
		buffer_append_text(out, d->hint);
	else if (job->outcome == OUTCOME_UNKNOWN)
		buffer_append_text(out, plan->options->retry_unknown
		                                ? "it may have been delivered"
		                                : "it may have been delivered; not retried (see --retry-unknown)");
	else if (is_redirect(d))
		buffer_append_text(out, "redirects are not followed; if the new place is right, use it with --to");
	else
		append_status(out, plan, job);
}
