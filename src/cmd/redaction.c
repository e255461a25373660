#include "cmd/redaction.h"

#include "base/buffer.h"
#include "base/text.h"
#include "payload/edit.h"
#include "receive/response.h"
#include "redact/redact.h"
#include "ui/terminal.h"

#include <stdlib.h>
#include <string.h>

struct redaction {
	const struct redaction_args *args;
	struct redactor *redactor;
	struct redaction_counts counts;
	char mark[REDACT_MARK_SIZE]; /* of the record: its member `redacted` */
	struct buffer line;          /* as it will be written */
};

static int set_up(struct redaction *r, const struct redaction_args *args, const struct signals *signals,
                  struct error *err)
{
	LOCAL(redaction_key_release) struct buffer key = BUFFER_INIT;
	r->args = args;
	if ((args->key_file ? redaction_key_read(args->key_file, &key, signals, err) : redaction_key_make(&key, err)) <
	    0)
		return -1;
	r->redactor = redactor_new(buffer_text(&key), key.length, err);
	for (size_t i = 0; r->redactor && i < args->keep.count; i++)
		if (redactor_keep(r->redactor, args->keep.items[i], err) < 0)
			return -1;
	return r->redactor ? 0 : -1;
}

struct redaction *redaction_open(const struct redaction_args *args, const struct signals *signals, struct error *err)
{
	struct redaction *r = calloc(1, sizeof *r);
	if (!r) {
		error_no_memory(err);
		return NULL;
	}
	if (set_up(r, args, signals, err) == 0)
		return r;
	redaction_close(r);
	return NULL;
}

void redaction_close(struct redaction *r)
{
	if (!r)
		return;
	redactor_free(r->redactor);
	buffer_release(&r->line);
	free(r);
}

/* The text, if it is the name of an event or of one of its elements. */
static const char *event_named(const char *text)
{
	const char *element = text ? strchr(text, '/') : NULL;
	size_t length = element ? (size_t)(element - text) : text ? strlen(text) : 0;
	for (size_t i = 0; text && i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		if (strlen(e->name) != length || memcmp(e->name, text, length) != 0)
			continue;
		for (size_t k = 0; element && k < e->element_count; k++)
			if (strcmp(e->elements[k].name, element + 1) == 0)
				return text;
		return element ? NULL : text;
	}
	return NULL;
}

/* What is not of the request: only what has a form of ours, since the record may come from anywhere. */
static void copy_rest(const struct capture_record *record, struct capture_record *out)
{
	const char *event = event_named(record->event.text);
	*out = (struct capture_record){
		.seq = record->seq,
		.received_us = record->received_us,
		.valid = record->valid,
		.status = record->status,
		.body_token = JSON_NONE,
	};
	if (event)
		out->event = (struct text){ event, record->event.length };
	for (int fault = HTTP_FAULT_RESET; record->fault.text && fault <= HTTP_FAULT_HANG; fault++) {
		const char *name = response_fault_name((enum http_fault)fault);
		if (strcmp(record->fault.text, name) == 0)
			out->fault = text_of(name);
	}
}

static int redact(struct redaction *r, const struct capture_record *record, struct capture_record *out,
                  struct error *err)
{
	enum redact_withheld withheld;
	out->remote = record->remote;
	if (redact_message(r->redactor, &record->request, &out->request, &out->remote, &withheld, err) < 0)
		return -1;
	r->counts.withheld += withheld != REDACT_NOT_WITHHELD;
	redactor_mark(r->redactor, withheld, r->mark);
	out->redacted = text_of(r->mark);
	return 0;
}

/* Without anything of its request. */
static void copy_without_request(const struct capture_record *record, struct capture_record *out)
{
	copy_rest(record, out);
	out->remote = text_of("");
	out->request = (struct message){ .method = TEXT("POST"), .target = TEXT("/"), .body = TEXT("") };
}

static void report_unproven(unsigned place, struct error *err)
{
	LOCAL_BUFFER name = BUFFER_INIT;
	if (place == REDACT_PLACES) {
		error_set(err, EXIT_CODE_FAILED, "too many similar values to prove that none is left");
		return;
	}
	redact_append_place(place, &name);
	error_set(err, EXIT_CODE_FAILED, "an original value (%s) is also in a part that is kept", buffer_text(&name));
}

/* What a record becomes. */
struct form {
	const struct format *format;
	struct format_written *written;
	struct buffer *out;
};

/* All that a proof has to see: the record, in which texts are least encoded, and how it is written. */
static void append_forms(const struct form *form, const struct capture_record *record, struct buffer *line)
{
	size_t from = form->out->length;
	buffer_clear(line);
	if (strcmp(form->format->name, FORMAT_RECORD) != 0)
		capture_record_append(record, line);
	format_write(form->format, record, form->written, form->out);
	buffer_append(line, buffer_text(form->out) + from, form->out->length - from);
	line->failed |= form->out->failed;
}

/* As redact_prove(). What is also in the forms of this record without its request is a word of theirs. */
static int prove(struct redaction *r, const struct format *format, const struct capture_record *redacted,
                 unsigned *place, struct error *err)
{
	LOCAL_BUFFER frame = BUFFER_INIT, out = BUFFER_INIT;
	struct format_written written = { 0 };
	struct capture_record empty;
	int proven = redact_prove(r->redactor, &redacted->request, buffer_text(&r->line), r->line.length, place, err);
	if (proven != 0 || *place == REDACT_PLACES)
		return proven;
	copy_without_request(redacted, &empty);
	empty.redacted = redacted->redacted;
	append_forms(&(struct form){ format, &written, &out }, &empty, &frame);
	if (frame.failed)
		return error_no_memory(err);
	redact_keep_frame(r->redactor, buffer_text(&frame), frame.length);
	return redact_prove(r->redactor, &redacted->request, buffer_text(&r->line), r->line.length, place, err);
}

bool redaction_passes(struct redaction *r, const struct capture_record *record)
{
	bool passes = record->redacted.text && redact_is_mark(record->redacted.text, record->redacted.length);
	r->counts.already += passes;
	return passes;
}

int redaction_write(struct redaction *r, const struct capture_record *record, const struct format *format,
                    struct format_written *written, struct buffer *out, struct error *err)
{
	const struct form form = { format, written, out };
	struct format_written before = *written;
	struct capture_record redacted;
	size_t from = out->length;
	unsigned place;
	copy_rest(record, &redacted);
	if (redact(r, record, &redacted, err) < 0)
		return -1;
	append_forms(&form, &redacted, &r->line);
	if (r->line.failed)
		return error_no_memory(err);
	int proven = prove(r, format, &redacted, &place, err);
	r->counts.records += proven > 0;
	if (proven != 0)
		return proven < 0 ? -1 : 0;
	buffer_consume_end(out, out->length - from);
	*written = before;
	r->counts.unproven++;
	report_unproven(place, err);
	return 1;
}

const struct redaction_counts *redaction_counts(const struct redaction *r)
{
	return &r->counts;
}

void redaction_print_summary(const struct redaction *r, struct terminal *terminal)
{
	const struct redact_counts *values = redactor_counts(r->redactor);
	char number[COUNT_SIZE], rest[COUNT_SIZE];
	LOCAL_BUFFER unused = BUFFER_INIT;
	if (!r->args->key_file)
		terminal_note(terminal,
		              "redacted with a random key: these fakes match no other file (see --redact-key)");
	if (r->counts.withheld > 0)
		terminal_note(terminal, "withheld %s %s not JSON or not UTF-8", count_text(r->counts.withheld, number),
		              r->counts.withheld == 1 ? "body that is" : "bodies that are");
	if (r->counts.already > 0)
		terminal_note(terminal, "%s already redacted, not changed", count_text(r->counts.already, number));
	if (r->counts.records > 0)
		redactor_append_unused(r->redactor, &unused);
	if (unused.length > 0) /* perhaps misspelled */
		terminal_note(terminal, "--keep %s: no payload has it", buffer_text(&unused));
	if (r->counts.unproven > 0)
		terminal_warn(terminal, "%s record%s left out: an original value would be left",
		              count_text(r->counts.unproven, number), r->counts.unproven == 1 ? "" : "s");
	if (r->counts.records > 0)
		terminal_note(terminal, "verified: %s original %s, none found in the output (%s too short or common)",
		              count_text(values->checked, number), values->checked == 1 ? "value" : "values",
		              count_text(values->unchecked, rest));
}
