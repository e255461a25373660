#include "cmd/args/receive_setup.h"

#include "base/file.h"
#include "config/destination.h"
#include "http/head.h"
#include "report/finding_report.h"

#include <stdlib.h>
#include <string.h>

#define FORWARD_CONCURRENCY   256
#define FORWARD_RESPONSE_MOST ((size_t)4 << 20) /* bytes of a target's response that are passed on */

/* "Name: value" as a field, without a control character in it. */
static int read_header(const char *line, struct header *field, struct error *err)
{
	static const char *const ours[] = { "Connection", "Content-Length", "Transfer-Encoding" };
	if (header_read_option(line, strlen(line), field, err) < 0)
		return -1;
	if (field->value.length == 0 && field->value.text)
		return error_set(err, EXIT_CODE_USAGE, "--respond-header needs 'Name: value'");
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
		if (header_is(field, ours[i]))
			return error_set(err, EXIT_CODE_USAGE,
			                 "--respond-header cannot set %s: it is that of the response", ours[i]);
	field->value.text = field->value.text ? field->value.text : "";
	return 0;
}

/* 127.0.0.1 and 127.0.0.2: somebody else may listen at the other address. */
static bool are_two_listeners(const struct address *a, const struct address *b)
{
	static const char any[] = "0.0.0.0";
	return a->host.type == HOST_IPV4 && b->host.type == HOST_IPV4 && strcmp(a->host.text, any) != 0 &&
	       strcmp(b->host.text, any) != 0 && strcmp(a->host.text, b->host.text) != 0;
}

int receive_setup_check_target(const struct receive_setup *s, const char *url, struct error *err)
{
	struct address own, there;
	struct error ignored;
	if (!s->policy.forward || address_of_url(url, &own, &ignored) < 0)
		return 0;
	if (address_of_url(s->policy.forward->url, &there, err) < 0)
		return -1;
	/* The guard takes 80 and 443, and all loopback addresses, for one place; here they are several. */
	if (own.port != there.port || !address_same_place(&own, &there) || are_two_listeners(&own, &there))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is this listener: it would forward every request to itself",
	          buffer_text(&s->target.masked_url));
	return error_hint(err, "give --forward-to another destination");
}

static void append_rejection(const struct verdict *verdict, const char *body, size_t length, struct buffer *out)
{
	struct payload_origin origin = { "body", 1, body, length, NULL, NULL, 1 };
	finding_report_json(verdict, &origin, out);
}

int receive_setup_init(struct receive_setup *s, const struct receive_args *a, const struct context *context,
                       struct error *err)
{
	const char *body = a->body_source ? a->body_source : "";
	s->fields = calloc(a->headers.count + 1, sizeof *s->fields);
	if (!s->fields)
		return error_no_memory(err);
	for (size_t i = 0; i < a->headers.count; i++)
		if (read_header(a->headers.items[i], &s->fields[i], err) < 0)
			return -1;
	if (body[0] != '@')
		buffer_append_text(&s->body, body);
	else if (file_read_whole(body + 1, &s->body, context->signals, err) < 0)
		return -1;
	if (a->forward.to && route_init(&s->target, &a->forward, context, err) < 0)
		return -1;
	s->target.http.concurrency = FORWARD_CONCURRENCY;
	s->target.http.response_keep = FORWARD_RESPONSE_MOST;
	s->target.http.keep_echoes = true; /* it goes on to the client, byte for byte */
	s->policy = a->policy;
	s->policy.server = http_server_defaults;
	s->policy.server.limits.body = a->max_body;
	s->policy.server.allowed = (struct http_networks){ a->allowed.list, a->allowed.count };
	s->policy.server.trusted = (struct http_networks){ a->trusted.list, a->trusted.count };
	s->policy.append_rejection = append_rejection;
	s->policy.fields = s->fields;
	s->policy.field_count = a->headers.count;
	s->policy.body = buffer_text(&s->body);
	s->policy.body_length = s->body.length;
	s->policy.forward = a->forward.to ? &s->target.http : NULL;
	return 0;
}

void receive_setup_release(struct receive_setup *s)
{
	route_release(&s->target);
	buffer_release(&s->body);
	free(s->fields);
}
