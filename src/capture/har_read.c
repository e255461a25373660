/* HAR 1.2: entries of a browser, a proxy or a test tool. */
#include "base/clock.h"
#include "capture/entry_draft.h"
#include "capture/format_rows.h"

#include <string.h>

/* {"name":N,"value":V} or [N,V]; names that begin with a colon are HTTP/2's, and not headers. */
static void read_header(struct entry_draft *d, uint32_t header)
{
	bool is_pair = entry_draft_is(d, header, JSON_ARRAY);
	const struct json_doc *doc = &d->scratch->doc;
	uint32_t name_token = is_pair ? json_element(doc, header, 0) : entry_draft_find(d, header, "name");
	uint32_t value_token = is_pair ? json_element(doc, header, 1) : entry_draft_find(d, header, "value");
	struct text name = entry_draft_text(d, name_token);
	if (!name.text || name.text[0] != ':')
		entry_draft_header(d, name, entry_draft_text(d, value_token));
}

static void read_headers(struct entry_draft *d, uint32_t headers)
{
	const struct json_doc *doc = &d->scratch->doc;
	if (!entry_draft_is(d, headers, JSON_ARRAY)) {
		if (headers != JSON_NONE)
			entry_draft_fail(d, "its headers are not an array");
		return;
	}
	for (uint32_t at = headers + 1; at < doc->tokens[headers].next; at = doc->tokens[at].next)
		read_header(d, at);
}

static bool says_base64(struct entry_draft *d, uint32_t object)
{
	return json_string_is(&d->scratch->doc, entry_draft_find(d, object, "encoding"), "base64", 6);
}

/* The body is postData.text, or where that cannot hold it _content.text, of the request or of postData. */
static void read_body(struct entry_draft *d, uint32_t request)
{
	uint32_t post = entry_draft_find(d, request, "postData"), content = entry_draft_find(d, request, "_content");
	uint64_t size;
	if (content == JSON_NONE)
		content = entry_draft_find(d, post, "_content");
	if (entry_draft_number(d, entry_draft_find(d, request, "bodySize"), INT64_MAX, &size))
		d->body_size = (int64_t)size;
	d->type = entry_draft_member(d, post, "mimeType");
	bool has_content = entry_draft_is(d, entry_draft_find(d, content, "text"), JSON_STRING);
	uint32_t from = has_content ? content : post, text = entry_draft_find(d, from, "text");
	if (entry_draft_is(d, text, JSON_STRING) &&
	    d->scratch->doc.tokens[text].end - d->scratch->doc.tokens[text].start > 2)
		entry_draft_body(d, text, says_base64(d, from));
	else if (d->body_size > 0 ||
	         entry_draft_is(d, json_element(&d->scratch->doc, entry_draft_find(d, post, "params"), 0), JSON_OBJECT))
		d->body_is_missing = true;
	else if (d->body_size < 0)
		d->body_is_missing = message_header(&d->entry->record.request, "Content-Length") != NULL;
}

static bool read_time(struct entry_draft *d)
{
	struct text time = entry_draft_member(d, 0, "startedDateTime");
	if (!time.text || d->no_memory)
		return true;
	return (strlen(time.text) == time.length && clock_parse_stamp(time.text, &d->entry->record.received_us)) ||
	       entry_draft_fail(d, "its startedDateTime is not a time");
}

static void read_entry(struct entry_draft *d)
{
	struct capture_record *record = &d->entry->record;
	uint32_t request = entry_draft_find(d, 0, "request");
	uint64_t status;
	if (!entry_draft_is(d, request, JSON_OBJECT)) {
		entry_draft_fail(d, "it has no request");
		return;
	}
	record->request.method = entry_draft_member(d, request, "method");
	read_headers(d, entry_draft_find(d, request, "headers"));
	entry_draft_url(d, entry_draft_member(d, request, "url"));
	if (entry_draft_number(d, entry_draft_find(d, entry_draft_find(d, 0, "response"), "status"), 999, &status) &&
	    status >= 100)
		record->status = (int)status;
	if (read_time(d))
		read_body(d, request);
}

static const char *const path[] = { "log", "entries", NULL };
const struct format_reader format_har_reader = { .path = path, .read = read_entry };
