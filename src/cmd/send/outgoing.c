#include "cmd/send/outgoing.h"

#include <string.h>

int outgoing_init(struct outgoing *o, const struct replay_args *args, const struct delivery_plan *plan,
                  struct error *err)
{
	unsigned char key[32] = { 0 };
	*o = (struct outgoing){ .args = args, .plan = plan };
	if (!args->fresh_ids.given)
		return 0;
	memcpy(key, plan->fresh_ids, sizeof *plan->fresh_ids);
	o->fresh = redactor_new_for_identifiers(key, sizeof key, err);
	return o->fresh ? 0 : -1;
}

void outgoing_release(struct outgoing *o)
{
	redactor_free(o->fresh);
	buffer_release(&o->body);
}

int outgoing_append_body(struct outgoing *o, const struct capture_record *record, const struct catalog_event *event,
                         struct buffer *out, struct error *err)
{
	struct text body = record->request.body;
	enum redact_withheld withheld = REDACT_NOT_WITHHELD;
	buffer_clear(&o->body);
	if (o->fresh && body.length > 0) {
		if (redact_payload(o->fresh, body.text, body.length, &o->body, &withheld, err) < 0)
			return -1;
		/* What is not JSON has no identifiers that anybody could read. */
		if (withheld == REDACT_NOT_WITHHELD)
			body = (struct text){ buffer_text(&o->body), o->body.length };
	}
	if (o->args->edits.count > 0)
		return edits_apply(&o->args->edits, event, body.text, body.length, out, err);
	buffer_append(out, body.text, body.length);
	return 0;
}
