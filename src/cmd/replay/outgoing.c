#include "cmd/replay/outgoing.h"

#include "config/address.h"

#include <string.h>
#include <strings.h>

int outgoing_init(struct outgoing *o, const struct replay_args *args, const struct delivery_plan *plan,
                  struct error *err)
{
	unsigned char key[32] = { 0 };
	*o = (struct outgoing){ .args = args, .plan = plan };
	if (!args->fresh_ids)
		return 0;
	memcpy(key, plan->seed, sizeof *plan->seed);
	o->fresh = redactor_new_for_identifiers(key, sizeof key, err);
	return o->fresh ? 0 : -1;
}

void outgoing_release(struct outgoing *o)
{
	redactor_free(o->fresh);
	buffer_release(&o->body);
}

/* Where a record was sent is in its Host, in the target of an absolute URL, or in what a proxy in front has added. */
static bool names_host(const struct capture_header *h)
{
	static const char *const names[] = { "Host", "X-Forwarded-Host", "Forwarded" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (h->name.length == strlen(names[i]) && strncasecmp(h->name.text, names[i], h->name.length) == 0)
			return true;
	return false;
}

int outgoing_check_origin(const struct outgoing *o, const struct capture_record *record, struct error *err)
{
	const struct config *config = &o->plan->config;
	const struct destination *to = &o->plan->destination;
	const struct config_environment *e = NULL;
	if (o->args->allow_unredacted || record->redacted.text || !guard_is_set(config))
		return 0;
	if (record->target.length > 0 && record->target.text[0] != '/')
		e = guard_of_origin(config, to, record->target.text, record->target.length);
	for (size_t i = 0; i < record->header_count && !e; i++)
		if (names_host(&record->headers[i]))
			e = guard_of_origin(config, to, record->headers[i].value.text, record->headers[i].value.length);
	if (!e)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "it was sent to the protected environment '%s' and is not redacted", e->name);
	return error_hint(err, "redact the capture with 'convert --redact', or add --allow-unredacted if you mean it");
}

int outgoing_append_body(struct outgoing *o, const struct capture_record *record, const struct catalog_event *event,
                         struct buffer *out, struct error *err)
{
	struct capture_text body = record->body;
	enum redact_withheld withheld = REDACT_NOT_WITHHELD;
	buffer_clear(&o->body);
	if (o->fresh && body.length > 0) {
		if (redact_payload(o->fresh, body.text, body.length, &o->body, &withheld, err) < 0)
			return -1;
		/* What is not JSON has no identifiers that anybody could read. */
		if (withheld == REDACT_NOT_WITHHELD)
			body = (struct capture_text){ buffer_text(&o->body), o->body.length };
	}
	if (o->args->edits.count > 0)
		return edits_apply(&o->args->edits, event, body.text, body.length, out, err);
	buffer_append(out, body.text, body.length);
	return 0;
}
