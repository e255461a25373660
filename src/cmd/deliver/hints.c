#include "cmd/deliver/hints.h"

#include "base/utf8.h"

#include <string.h>

static const struct {
	int status;
	const char *text;
} by_status[] = {
	{ 400, "the receiver could not read it; -v shows its whole answer" },
	{ 401, "it wants to know who sends: -H 'Authorization: ...', or -H @FILE to keep that secret" },
	{ 403, "it knows who sends and does not let it in: is the address on its list, the token the right one?" },
	{ 404, "nothing is at this path: does the URL of --to lack one, as in http://host/hook?" },
	{ 405, "the path takes no POST: is it the right one?" },
	{ 408, "the receiver waited too long for the request; --retry N sends it again" },
	{ 411, "it wants a Content-Length, and got one: something in between may take it away" },
	{ 413, "the receiver takes no body this long: raise its limit (credhook listen --max-body BYTES)" },
	{ 415, "it takes another Content-Type than application/json: -H 'Content-Type: ...'" },
	{ 422, "the receiver finds the payload wrong; 'credhook validate' tells what may be" },
	{ 429, "too many at once: --rate slows down, --retry N sends again when the receiver says so" },
	{ 500, "the receiver failed: its own log tells why; --retry N sends again" },
	{ 501, "the receiver does not know POST: is it the right address?" },
	{ 502, "a proxy in front of the receiver cannot reach it; --retry N sends again" },
	{ 503, "the receiver cannot take it now; --retry N sends again" },
	{ 504, "a proxy in front of the receiver waited too long for it; --retry N sends again" },
};

static void append_redirect(struct buffer *out, const struct job *job)
{
	const char *place = job->delivery.answer_location;
	buffer_append_text(out, "redirects are not followed");
	if (job->delivery.status == 301 || job->delivery.status == 302 || job->delivery.status == 303)
		buffer_append_text(out, " (the POST would become a GET)");
	if (place[0] == '\0')
		return;
	buffer_append_text(out, "; if that is the right place: --to ");
	utf8_append_safe(out, place, strlen(place));
}

/* Nobody listens: on this machine a listener is one command away. */
static void append_start(struct buffer *out, const struct delivery_plan *plan)
{
	struct address address;
	struct error err;
	buffer_append_text(out, "is the listener running?");
	if (plan->options->unix_socket || plan->options->proxy ||
	    address_of_url(buffer_text(&plan->destination.url), &address, &err) < 0)
		return;
	if (strcmp(address.scheme, "http") == 0 &&
	    (strcmp(address.host, "127.0.0.1") == 0 || strcmp(address.host, "localhost") == 0))
		buffer_printf(out, " credhook listen %u starts one", address.port);
}

void hint_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	if (job->outcome == OUTCOME_ACCEPTED)
		return;
	if (job->outcome == OUTCOME_FAILED && strstr(d->message, "refused"))
		append_start(out, plan);
	else if (d->hint)
		buffer_append_text(out, d->hint);
	else if (job->outcome == OUTCOME_UNKNOWN)
		buffer_append_text(out, "it may have arrived: the receiver knows; nothing is sent twice unless "
		                        "--retry-unknown asks for it");
	else if (d->status >= 300 && d->status < 400)
		append_redirect(out, job);
	for (size_t i = 0; i < sizeof by_status / sizeof by_status[0]; i++)
		if (by_status[i].status == d->status && !d->hint)
			buffer_append_text(out, by_status[i].text);
}
