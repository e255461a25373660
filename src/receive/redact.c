#include "receive/redact.h"

#include <string.h>

/* The verdict must outlast the next payload: where it has findings, the ticket keeps the whole checker. */
static bool keep_verdict(struct checker **checker, struct ticket *t, const struct verdict *verdict)
{
	struct error err;
	if (verdict->finding_count == 0) {
		ticket_keep_verdict(t, verdict);
		return true;
	}
	struct checker *next = t->checker ? t->checker : checker_new(&err);
	if (!next)
		return false;
	t->checker = *checker;
	*checker = next;
	t->notification.verdict = verdict;
	return true;
}

/* NULL: no memory. */
static const struct verdict *check_request(struct checker *checker, const struct http_request *q)
{
	const struct http_field *type = http_request_find(q, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->value : NULL };
	struct error err;
	return check_payload(checker, q->body, q->body_length, &options, &err);
}

const struct verdict *check_ticket(struct checker **checker, struct ticket *t)
{
	const struct verdict *v = check_request(*checker, t->notification.request);
	return v && keep_verdict(checker, t, v) ? v : NULL;
}

/* Where the body was withheld, only event and validity are left of the verdict. */
static bool check_redacted(struct checker **checker, struct ticket *t)
{
	const struct verdict *before = t->notification.verdict;
	if (!before)
		return true;
	const struct verdict *v = check_request(*checker, t->notification.request);
	if (v && v->valid == before->valid && v->kind.event == before->kind.event)
		return keep_verdict(checker, t, v);
	ticket_keep_verdict(t, before);
	return v != NULL;
}

int redact_ticket(const struct receive_redaction *redaction, struct checker **checker, struct record_scratch *scratch,
                  struct ticket *t, struct capture_record *record, struct error *err)
{
	struct capture_record made;
	int result = notification_record(&t->notification, scratch, &made);
	if (result == 0)
		result = redaction->record(redaction->context, &made, record, err);
	if (result >= 0 && ticket_replace_request(t, record) && check_redacted(checker, t))
		return result;
	ticket_drop_request(t);
	return -1;
}

static struct capture_text text_of(const char *text)
{
	return (struct capture_text){ text, text ? strlen(text) : 0 };
}

void redact_refusal(const struct receive_redaction *redaction, struct refusal *refusal)
{
	const struct capture_record record = { .remote = text_of(refusal->remote), .target = text_of(refusal->target) };
	struct capture_record redacted;
	struct error err;
	if (!redaction->record)
		return;
	bool made = redaction->record(redaction->context, &record, &redacted, &err) == 0;
	refusal->remote = made ? redacted.remote.text : "";
	if (refusal->target)
		refusal->target = made ? redacted.target.text : "";
}
