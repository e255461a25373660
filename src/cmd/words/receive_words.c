#include "cmd/words/receive_words.h"

#include "base/shell_text.h"
#include "cmd/words/notes.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN_TARGET 100 /* bytes */

#define SAY(words, ...) error_words((words)->text, sizeof(words)->text, __VA_ARGS__)

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
	               ? "; to try it on one machine, send from another address: curl --interface 127.0.0.2 --json "
	                 "@FILE "
	                 "URL"
	               : "";
}

void receive_words_of_refusal(struct receive_words *words, const struct refusal *r, const struct receive_args *a)
{
	const char *reason = r->reason ? r->reason : "";
	size_t length = r->target ? strcspn(r->target, "?") : 0;
	*words = (struct receive_words){ .level = RECEIVE_NOTE };
	/* The user is shown both paths; the sender only learns that there is another. */
	if (r->target)
		SAY(words, "refused %s: %d '%.*s%s' is not the path '%s'", r->remote, r->status,
		    (int)(length < SHOWN_TARGET ? length : SHOWN_TARGET), r->target, length < SHOWN_TARGET ? "" : "...",
		    a->policy.path);
	else if (r->status == 0)
		SAY(words, "refused %s: no TLS: %s", r->remote, reason);
	else
		SAY(words, "refused %s: %d %s%s", r->remote, r->status, reason, advice_for_sender(reason, a));
}

void receive_words_of_notice(struct receive_words *words, const struct receive_notice *n, const struct receive_args *a)
{
	const char *path = a->policy.capture, *reopened;
	*words = (struct receive_words){ .level = RECEIVE_NOTE };
	switch (n->type) {
	case NOTICE_CAPTURE_OPENED:
		words->level = n->opened->torn_bytes > 0 ? RECEIVE_WARNING : RECEIVE_NOTE;
		if (n->opened->torn_bytes > 0)
			SAY(words, "'%s' ended in %" PRIu64 " bytes that are not a whole record; moved to '%s'", path,
			    n->opened->torn_bytes, n->opened->torn_path);
		else if (n->opened->last_seq > 0)
			SAY(words, "appending to '%s' (last record %" PRIu64 ")", path, n->opened->last_seq);
		break;
	case NOTICE_CAPTURE_REOPENED:
		SAY(words, "reopened '%s'", path);
		break;
	case NOTICE_REOPEN_FAILED:
		words->level = RECEIVE_WARNING;
		SAY(words, "%s; still writing to the old file", n->error->message);
		break;
	case NOTICE_CAPTURE_REPLACED:
		words->level = n->number > 0 ? RECEIVE_WARNING : RECEIVE_NOTE;
		reopened = n->is_reopened ? "; opened it again" : "";
		if (n->number > 0)
			SAY(words, "'%s' was deleted or replaced%s; records lost with the old file: %" PRIu64, path,
			    reopened, n->number);
		else
			SAY(words, "'%s' was deleted or replaced%s", path, reopened);
		break;
	case NOTICE_CAPTURE_FAILED:
		words->level = RECEIVE_ERROR;
		words->error = *n->error;
		if (!words->error.hint[0] && n->status > 0)
			error_hint(&words->error, "senders get %d from now on", n->status);
		break;
	case NOTICE_UNSENT:
		SAY(words, "#%" PRIu64 ": client disconnected before the full response", n->number);
		break;
	case NOTICE_CERTIFICATE_READ:
		SAY(words, "read the certificate '%s' again", a->policy.tls.cert);
		break;
	case NOTICE_CERTIFICATE_FAILED:
		words->level = RECEIVE_WARNING;
		SAY(words, "%s; still using the old certificate", n->error->message);
		break;
	}
}

void receive_print_words(struct terminal *t, const struct receive_words *words)
{
	if (words->level == RECEIVE_ERROR)
		print_error(t, &words->error);
	else if (words->level == RECEIVE_WARNING)
		terminal_warn(t, "%s", words->text);
	else if (words->text[0])
		terminal_note(t, "%s", words->text);
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
		LOCAL_BUFFER name = BUFFER_INIT;
		shell_append_file(&name, state->certificate_file);
		terminal_announce(t, "to trust it: curl --cacert %s %s", buffer_text(&name), state->url);
	}
	if (!state->is_local && setup->policy.server.allowed.count == 0)
		terminal_warn(
		        t, "not a loopback address: everybody who can reach it can send; limit that with --allow CIDR");
	else if (!state->is_local)
		terminal_note(t, "not a loopback address; only networks of --allow can connect");
}
