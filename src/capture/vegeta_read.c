/* JSON targets of vegeta: {"method","url","header":{name:[values]},"body":base64}, a line each, without a time. */
#include "capture/entry_draft.h"
#include "capture/format_rows.h"

static void read_values(struct entry_draft *d, struct capture_text name, uint32_t values)
{
	const struct json_doc *doc = &d->scratch->doc;
	if (!entry_draft_is(d, values, JSON_ARRAY)) {
		entry_draft_fail(d, "its header is not an object of arrays");
		return;
	}
	for (uint32_t at = values + 1; at < doc->tokens[values].next; at = doc->tokens[at].next)
		entry_draft_header(d, name, entry_draft_text(d, at));
}

static void read_target(struct entry_draft *d)
{
	const struct json_doc *doc = &d->scratch->doc;
	uint32_t header = entry_draft_find(d, 0, "header"), body = entry_draft_find(d, 0, "body");
	d->entry->record.method = entry_draft_member(d, 0, "method");
	for (uint32_t at = header + 1; entry_draft_is(d, header, JSON_OBJECT) && at < doc->tokens[header].next;
	     at = doc->tokens[at + 1].next)
		read_values(d, entry_draft_text(d, at), at + 1);
	entry_draft_url(d, entry_draft_member(d, 0, "url"));
	if (body != JSON_NONE && !entry_draft_is(d, body, JSON_NULL))
		entry_draft_body(d, body, true);
}

static const char *const path[] = { NULL };
const struct format_reader format_vegeta_reader = { .path = path, .read = read_target };
