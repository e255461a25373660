/* From options to a policy, and from what a receiver reports to words. */
#include "cmd/receive.h"

#include "base/file.h"
#include "cmd/notes.h"
#include "config/destination.h"
#include "http/head.h"
#include "report/finding_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORWARD_CONCURRENCY   256
#define FORWARD_RESPONSE_MOST ((size_t)4 << 20) /* bytes of a target's response that are passed on */
#define SHOWN_TARGET          100               /* bytes */

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

/* What to do about a 403 that somebody gets who tries --trusted-proxy. */
static const char *advice_for_sender(const char *reason, const struct receive_args *a)
{
	static const char own[] = "127.0.0.1", other[] = "127.0.0.2";
	const struct http_networks trusted = { a->trusted.list, a->trusted.count };
	struct host first, second;
	if (strcmp(reason, HTTP_SENDER_MISSING) == 0)
		return "; send through the proxy, which has to add it";
	host_parse_address(own, sizeof own - 1, &first);
	host_parse_address(other, sizeof other - 1, &second);
	bool has_other = http_networks_contain(&trusted, &first) && !http_networks_contain(&trusted, &second);
	return strcmp(reason, HTTP_SENDER_IS_TRUSTED) == 0 && has_other
	               ? "; to try it on one machine, send from another address: curl --interface 127.0.0.2"
	               : "";
}

void receive_words_of_refusal(struct receive_words *words, const struct refusal *r, const struct receive_args *a)
{
	const char *reason = r->reason ? r->reason : "";
	size_t length = r->target ? strcspn(r->target, "?") : 0;
	words->level = RECEIVE_NOTE;
	/* The user is shown both paths; the sender only learns that there is another. */
	if (r->target)
		error_set(&words->text, EXIT_CODE_OK, "refused %s: %d '%.*s%s' is not the path '%s'", r->remote,
		          r->status, (int)(length < SHOWN_TARGET ? length : SHOWN_TARGET), r->target,
		          length < SHOWN_TARGET ? "" : "...", a->policy.path);
	else if (r->status == 0)
		error_set(&words->text, EXIT_CODE_OK, "refused %s: no TLS: %s", r->remote, reason);
	else
		error_set(&words->text, EXIT_CODE_OK, "refused %s: %d %s%s", r->remote, r->status, reason,
		          advice_for_sender(reason, a));
}

void receive_words_of_notice(struct receive_words *words, const struct receive_notice *n, const struct receive_args *a)
{
	struct error *text = &words->text;
	const char *path = a->policy.capture, *reopened;
	*words = (struct receive_words){ .level = RECEIVE_NOTE };
	switch (n->type) {
	case NOTICE_CAPTURE_OPENED:
		words->level = n->opened->torn_bytes > 0 ? RECEIVE_WARNING : RECEIVE_NOTE;
		if (n->opened->torn_bytes > 0)
			error_set(text, EXIT_CODE_OK,
			          "'%s' ended in %" PRIu64 " bytes that are not a whole record; moved to '%s'", path,
			          n->opened->torn_bytes, n->opened->torn_path);
		else if (n->opened->last_seq > 0)
			error_set(text, EXIT_CODE_OK, "appending to '%s' (last record %" PRIu64 ")", path,
			          n->opened->last_seq);
		break;
	case NOTICE_CAPTURE_REOPENED:
		error_set(text, EXIT_CODE_OK, "reopened '%s'", path);
		break;
	case NOTICE_REOPEN_FAILED:
		words->level = RECEIVE_WARNING;
		error_set(text, EXIT_CODE_OK, "%s; still writing to the old file", n->error->message);
		break;
	case NOTICE_CAPTURE_REPLACED:
		words->level = n->number > 0 ? RECEIVE_WARNING : RECEIVE_NOTE;
		reopened = n->is_reopened ? "; opened it again" : "";
		if (n->number > 0)
			error_set(text, EXIT_CODE_OK,
			          "'%s' was deleted or replaced%s; records lost with the old file: %" PRIu64, path,
			          reopened, n->number);
		else
			error_set(text, EXIT_CODE_OK, "'%s' was deleted or replaced%s", path, reopened);
		break;
	case NOTICE_CAPTURE_FAILED:
		*words = (struct receive_words){ RECEIVE_ERROR, *n->error };
		if (!text->hint[0] && n->status > 0)
			error_hint(text, "senders get %d from now on", n->status);
		break;
	case NOTICE_UNSENT:
		error_set(text, EXIT_CODE_OK, "#%" PRIu64 ": client disconnected before the full response", n->number);
		break;
	case NOTICE_CERTIFICATE_READ:
		error_set(text, EXIT_CODE_OK, "read the certificate '%s' again", a->policy.tls.cert);
		break;
	case NOTICE_CERTIFICATE_FAILED:
		words->level = RECEIVE_WARNING;
		error_set(text, EXIT_CODE_OK, "%s; still using the old certificate", n->error->message);
		break;
	}
}

void receive_print_words(struct terminal *t, const struct receive_words *words)
{
	if (words->level == RECEIVE_ERROR)
		report_error(t, &words->text);
	else if (words->level == RECEIVE_WARNING)
		terminal_warn(t, "%s", words->text.message);
	else if (words->text.message[0])
		terminal_note(t, "%s", words->text.message);
}

void receive_print_ready(struct terminal *t, const struct receiver *r, const struct receive_setup *setup)
{
	const struct receiver_state *state = receiver_state(r);
	const struct response_delay *delay = &setup->policy.response.delay;
	LOCAL_BUFFER target = BUFFER_FOR(&t->lost);
	if (setup->policy.forward)
		buffer_printf(&target, ", forwarding to %s", buffer_text(&setup->target.masked_url));
	terminal_announce(t, "listening on %s%s", state->url, buffer_text(&target));
	if (delay->given && delay->least == delay->most)
		terminal_announce(t, "delay %g s", (double)delay->least / 1e9);
	else if (delay->given)
		terminal_announce(t, "delay %g s to %g s", (double)delay->least / 1e9, (double)delay->most / 1e9);
	if (state->certificate_file) {
		terminal_announce(t, "certificate for this session: SHA-256 %s", state->fingerprint);
		terminal_announce(t, "to trust it: curl --cacert %s %s", state->certificate_file, state->url);
	}
	if (!state->is_local && setup->policy.server.allowed.count == 0)
		terminal_warn(
		        t, "not a loopback address: everybody who can reach it can send; limit that with --allow CIDR");
	else if (!state->is_local)
		terminal_note(t, "not a loopback address; only networks of --allow can connect");
}
