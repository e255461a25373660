#include "base/text.h"
#include "cmd/show/show.h"
#include "receive/response.h"

#include <string.h>

/* Records that were left out are named up to this many. */
#define WARNINGS_MOST 20

int convert_redaction_begin(struct convert_redaction *r, const struct text_list *keep, const char *key_file,
                            const struct signals *signals, struct error *err)
{
	LOCAL(redaction_key_release) struct buffer key = BUFFER_INIT;
	r->has_random_key = !key_file;
	if (key_file && redaction_key_read(key_file, &key, signals, err) < 0)
		return -1;
	if (!key_file && redaction_key_make(&key, err) < 0)
		return -1;
	r->redactor = redactor_new(buffer_text(&key), key.length, false, err);
	for (size_t i = 0; r->redactor && i < keep->count; i++)
		if (redactor_keep(r->redactor, keep->items[i], err) < 0)
			return -1;
	return r->redactor ? 0 : -1;
}

void convert_redaction_release(struct convert_redaction *r)
{
	redactor_free(r->redactor);
	buffer_release(&r->forms);
}

/* What is not of the request: only what has a form of ours, since the record may come from anywhere. */
static void copy_rest(const struct capture_record *record, struct capture_record *out)
{
	char event[CATALOG_KIND_NAME_SIZE];
	struct catalog_kind kind;
	const char *nearest;
	*out = (struct capture_record){
		.seq = record->seq,
		.received_us = record->received_us,
		.is_https = record->is_https,
		.valid = record->valid,
		.status = record->status,
		.body_token = JSON_NONE,
	};
	if (record->event.text && catalog_find_kind(record->event.text, &kind, &nearest) == CATALOG_FOUND) {
		catalog_kind_name(kind, event);
		if (strcmp(event, record->event.text) == 0)
			out->event = record->event;
	}
	for (int fault = HTTP_FAULT_RESET; record->fault.text && fault <= HTTP_FAULT_HANG; fault++) {
		const char *name = response_fault_name((enum http_fault)fault);
		if (strcmp(record->fault.text, name) == 0)
			out->fault = text_of(name);
	}
}

/* All that a proof has to see: the record, in which texts are least encoded, and how it is written. Returns where that
 * begins. */
static size_t append_forms(const struct convert_redaction *r, const struct capture_record *record,
                           struct format_written *written, struct buffer *out)
{
	buffer_clear(out);
	if (strcmp(r->format->name, FORMAT_RECORD) != 0)
		capture_record_append(record, out);
	size_t at = out->length;
	format_write(r->format, record, written, out);
	return at;
}

/* As redact_prove(). What is also in the forms of this record without its request is a word of theirs. */
static int prove(struct convert_redaction *r, const struct capture_record *redacted, unsigned *place, struct error *err)
{
	LOCAL_BUFFER frame = BUFFER_INIT;
	struct format_written written = { 0 };
	struct capture_record empty;
	int proven = redact_prove(r->redactor, &redacted->request, buffer_text(&r->forms), r->forms.length, place, err);
	if (proven != 0 || *place == REDACT_PLACES)
		return proven;
	/* Without anything of its request. */
	copy_rest(redacted, &empty);
	empty.remote = text_of("");
	empty.request = (struct message){ .method = TEXT("POST"), .target = TEXT("/"), .body = TEXT("") };
	empty.redacted = redacted->redacted;
	append_forms(r, &empty, &written, &frame);
	if (frame.failed)
		return error_no_memory(err);
	redact_note_kept(r->redactor, REDACT_PLACES, buffer_text(&frame), frame.length);
	return redact_prove(r->redactor, &redacted->request, buffer_text(&r->forms), r->forms.length, place, err);
}

/* The redacted record. */
static int redact(struct convert_redaction *r, const struct capture_record *record, struct capture_record *redacted,
                  struct error *err)
{
	enum redact_withheld withheld;
	copy_rest(record, redacted);
	redacted->remote = record->remote;
	redacted->via = record->via;
	if (redact_message(r->redactor, &record->request, &redacted->request, &redacted->remote, &redacted->via,
	                   &withheld, err) < 0)
		return -1;
	redacted->response_type = record->response_type;
	redacted->response_text = record->response_text;
	if (redact_response(r->redactor, CAPTURE_RESPONSE_MOST, &redacted->response_type, &redacted->response_text,
	                    err) < 0)
		return -1;
	redactor_stamp(r->redactor, withheld, r->stamp);
	redacted->redacted = text_of(r->stamp);
	r->withheld += withheld != REDACT_NOT_WITHHELD;
	return 0;
}

int convert_redact(struct convert_redaction *r, const struct capture_record *record, struct capture_record *redacted,
                   struct format_written *written, struct error *err)
{
	struct format_written after = *written;
	if (redact(r, record, redacted, err) < 0)
		return -1;
	size_t at = append_forms(r, redacted, &after, &r->forms);
	if (r->forms.failed)
		return error_no_memory(err);
	int proven = prove(r, redacted, &r->place, err);
	r->redacted += proven > 0;
	r->unproven += proven == 0;
	if (proven > 0) {
		*written = after;
		r->form = (struct text){ buffer_text(&r->forms) + at, r->forms.length - at };
	}
	return proven;
}

void convert_redact_warn(const struct convert_redaction *r, const struct capture_item *item, const char *path,
                         struct terminal *terminal)
{
	LOCAL_BUFFER why = BUFFER_FOR(&terminal->lost);
	if (r->unproven > WARNINGS_MOST)
		return;
	if (r->place == REDACT_PLACES) {
		buffer_append_text(&why, "too many similar values to prove that none is left");
	} else {
		buffer_append_text(&why, "an original value (");
		redact_append_place(r->place, &why);
		buffer_append_text(&why, ") is also in a part that is kept");
	}
	terminal_warn(terminal, item->format ? "%s: entry %zu: left out: %s" : "%s:%zu: left out: %s", input_name(path),
	              item->line, buffer_text(&why));
}

void convert_redaction_report(const struct convert_redaction *r, struct terminal *terminal)
{
	struct redact_counts values = redactor_counts(r->redactor);
	char number[COUNT_SIZE], rest[COUNT_SIZE];
	LOCAL_BUFFER unused = BUFFER_FOR(&terminal->lost), places = BUFFER_FOR(&terminal->lost);
	if (r->has_random_key && r->redacted > 0)
		terminal_note(terminal,
		              "redacted with a random key: these fakes match no other file (see --redact-key)");
	if (r->withheld > 0)
		terminal_announce(terminal, "withheld %s %s not JSON or not UTF-8", count_text(r->withheld, number),
		                  r->withheld == 1 ? "body that is" : "bodies that are");
	if (r->already > 0)
		terminal_note(terminal, "%s already redacted, not changed", count_text(r->already, number));
	if (r->redacted > 0)
		redactor_append_unused(r->redactor, &unused);
	if (unused.length > 0) /* perhaps misspelled */
		terminal_announce(terminal, "--keep %s: no payload has it", buffer_text(&unused));
	if (r->unproven > 0)
		terminal_warn(terminal, "%s record%s left out: cannot prove that no original value is left",
		              count_text(r->unproven, number), r->unproven == 1 ? "" : "s");
	if (r->redacted > 0)
		terminal_note(terminal,
		              "verified: %s original %s, none found in its own record (%s too short or common)",
		              count_text(values.checked, number), values.checked == 1 ? "value" : "values",
		              count_text(values.unchecked, rest));
	redactor_append_also_kept(r->redactor, &places);
	if (values.also_kept > 0)
		terminal_note(terminal, "%s also stand%s where %s kept: %s", count_text(values.also_kept, number),
		              values.also_kept == 1 ? "s" : "", values.also_kept == 1 ? "it is" : "they are",
		              buffer_text(&places));
}
