#include "cmd/receive_report.h"

#include "base/buffer.h"
#include "cmd/notes.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN_TARGET 100 /* bytes */

/* The user is shown both paths; the sender only learns that there is another. */
static void word_elsewhere(struct error *text, const struct refusal *r, const struct receive_args *a)
{
	size_t length = strcspn(r->target, "?");
	error_set(text, EXIT_CODE_OK, "refused %s: %d '%.*s%s' is not the path '%s'", r->remote, r->status,
	          (int)(length < SHOWN_TARGET ? length : SHOWN_TARGET), r->target, length < SHOWN_TARGET ? "" : "...",
	          a->path);
}

void receive_words_of_refusal(struct receive_words *words, const struct refusal *r, const struct receive_args *a)
{
	const char *reason = r->reason ? r->reason : "";
	words->level = RECEIVE_NOTE;
	if (r->target)
		word_elsewhere(&words->text, r, a);
	else if (r->status == 0)
		error_set(&words->text, EXIT_CODE_OK, "refused %s: no TLS: %s", r->remote, reason);
	else
		error_set(&words->text, EXIT_CODE_OK, "refused %s: %d %s", r->remote, r->status, reason);
}

static void word_opened(struct receive_words *words, const struct capture_opened *found, const char *path)
{
	words->level = found->torn_bytes > 0 ? RECEIVE_WARNING : RECEIVE_NOTE;
	if (found->torn_bytes > 0)
		error_set(&words->text, EXIT_CODE_OK,
		          "'%s' ended in %" PRIu64 " bytes that are not a whole record; moved to '%s'", path,
		          found->torn_bytes, found->torn_path);
	else if (found->last_seq > 0)
		error_set(&words->text, EXIT_CODE_OK, "appending to '%s' (last record %" PRIu64 ")", path,
		          found->last_seq);
}

static void word_replaced(struct receive_words *words, const struct receive_notice *n, const char *path)
{
	const char *what = n->is_reopened ? "; opened it again" : "";
	words->level = n->number > 0 ? RECEIVE_WARNING : RECEIVE_NOTE;
	if (n->number > 0)
		error_set(&words->text, EXIT_CODE_OK,
		          "'%s' was deleted or replaced%s; records lost with the old file: %" PRIu64, path, what,
		          n->number);
	else
		error_set(&words->text, EXIT_CODE_OK, "'%s' was deleted or replaced%s", path, what);
}

void receive_words_of_notice(struct receive_words *words, const struct receive_notice *n, const struct receive_args *a)
{
	struct error *text = &words->text;
	*words = (struct receive_words){ .level = RECEIVE_NOTE };
	switch (n->kind) {
	case NOTICE_CAPTURE_OPENED:
		word_opened(words, n->opened, a->capture);
		break;
	case NOTICE_CAPTURE_REOPENED:
		error_set(text, EXIT_CODE_OK, "reopened '%s'", a->capture);
		break;
	case NOTICE_REOPEN_FAILED:
		words->level = RECEIVE_WARNING;
		error_set(text, EXIT_CODE_OK, "%s; still writing to the old file", n->error->message);
		break;
	case NOTICE_CAPTURE_REPLACED:
		word_replaced(words, n, a->capture);
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
		error_set(text, EXIT_CODE_OK, "read the certificate '%s' again", a->tls_cert);
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
	const char *url = receiver_url(r), *cacert = receiver_certificate_file(r);
	LOCAL_BUFFER targets = BUFFER_INIT;
	if (setup->policy.forward)
		buffer_printf(&targets, ", forwarding to %s", buffer_text(&setup->target.masked_url));
	bool fits =
	        !t->err_is_tty || strlen("listening on ") + strlen(url) + targets.length <= (size_t)terminal_width();
	terminal_announce(t, "listening on %s%s", url, fits ? buffer_text(&targets) : "");
	if (!fits && targets.length > 0)
		terminal_announce(t, "%s", buffer_text(&targets) + strlen(", "));
	if (cacert) {
		terminal_announce(t, "certificate for this session: SHA-256 %s", receiver_fingerprint(r));
		terminal_announce(t, "to trust it: curl --cacert %s %s", cacert, url);
	}
	if (!receiver_is_local(r) && setup->policy.server.allowed_count == 0)
		terminal_warn(
		        t, "not a loopback address: everybody who can reach it can send; limit that with --allow CIDR");
	else if (!receiver_is_local(r))
		terminal_note(t, "not a loopback address; only networks of --allow can connect");
}
