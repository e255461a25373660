#include "cmd/redaction.h"

#include "base/buffer.h"
#include "base/count.h"
#include "capture/base64.h"
#include "cmd/files.h"
#include "payload/edit.h"
#include "receive/response.h"
#include "redact/redact_key.h"
#include "ui/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_SIZE 64

struct redaction {
	struct redact_policy policy;
	struct redactor *redactor;
	struct redaction_counts counts;
	bool has_random_key;
	char key_id[REDACT_KEY_ID_SIZE];
	char mark[MARK_SIZE];     /* of the record: its member `redacted` */
	struct redact_header *in; /* of the record's headers; as many as `headers` */
	struct capture_header *headers;
	size_t in_capacity;
	size_t capacity;
	struct buffer line; /* as it will be written */
};

int redaction_parse(void *field, const char *value, struct error *err)
{
	struct redaction_args *args = field;
	if (value && !*value)
		return error_set(err, EXIT_CODE_USAGE, "--redact= needs the file of a policy");
	args->given = true;
	args->policy = value;
	return 0;
}

int redaction_args_check(const struct redaction_args *args, struct error *err)
{
	if (args->key_file && !args->given)
		return error_set(err, EXIT_CODE_USAGE, "--redact-key goes with --redact");
	return 0;
}

static int set_up(struct redaction *r, const struct redaction_args *args, const char *kept_path, struct error *err)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	LOCAL(redaction_key_release) struct buffer key = BUFFER_INIT;
	r->has_random_key = !args->key_file;
	if (args->policy && (file_read_whole(args->policy, &text, err) < 0 ||
	                     redact_policy_read(&r->policy, args->policy, buffer_text(&text), text.length, err) < 0))
		return -1;
	if (kept_path && redact_policy_keep_path(&r->policy, kept_path, err) < 0)
		return -1;
	if ((args->key_file ? redaction_key_read(args->key_file, &key, err) : redaction_key_make(&key, err)) < 0)
		return -1;
	r->redactor = redactor_new(buffer_text(&key), key.length, &r->policy, err);
	return r->redactor ? 0 : -1;
}

struct redaction *redaction_open(const struct redaction_args *args, const char *kept_path, struct error *err)
{
	struct redaction *r = calloc(1, sizeof *r);
	if (!r) {
		error_no_memory(err);
		return NULL;
	}
	if (set_up(r, args, kept_path, err) < 0) {
		redaction_close(r);
		return NULL;
	}
	redactor_key_id(r->redactor, r->key_id);
	return r;
}

void redaction_close(struct redaction *r)
{
	if (!r)
		return;
	redactor_free(r->redactor);
	redact_policy_release(&r->policy);
	free(r->in);
	free(r->headers);
	buffer_release(&r->line);
	free(r);
}

static struct redact_text text_of(struct capture_text text)
{
	return (struct redact_text){ text.text, text.length };
}

static struct capture_text text_from(struct redact_text text)
{
	return (struct capture_text){ text.text, text.length };
}

/* Room for the headers of a record, on both sides. */
static bool reserve(struct redaction *r, size_t count)
{
	struct redact_header *in = array_grow(r->in, &r->in_capacity, count + 1, sizeof *in);
	r->in = in ? in : r->in;
	struct capture_header *headers = array_grow(r->headers, &r->capacity, count + 1, sizeof *headers);
	r->headers = headers ? headers : r->headers;
	return in && headers;
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
		out->event = (struct capture_text){ event, record->event.length };
	for (int fault = HTTP_FAULT_RESET; record->fault.text && fault <= HTTP_FAULT_HANG; fault++) {
		const char *name = response_fault_name((enum http_fault)fault);
		if (strcmp(record->fault.text, name) == 0)
			out->fault = (struct capture_text){ name, strlen(name) };
	}
}

static void mark(struct redaction *r, enum redact_withheld withheld, struct capture_record *out)
{
	const char *why = redact_withheld_name(withheld);
	int length = snprintf(r->mark, sizeof r->mark, "{\"key\":\"%s\"%s%s%s}", r->key_id,
	                      why ? ",\"withheld\":\"" : "", why ? why : "", why ? "\"" : "");
	out->redacted = (struct capture_text){ r->mark, (size_t)length };
}

static int redact(struct redaction *r, const struct capture_record *record, struct capture_record *out,
                  struct redact_message *message, struct error *err)
{
	enum redact_withheld withheld;
	if (!reserve(r, record->header_count))
		return error_no_memory(err);
	for (size_t i = 0; i < record->header_count; i++)
		r->in[i] =
		        (struct redact_header){ text_of(record->headers[i].name), text_of(record->headers[i].value) };
	const struct redact_message in = {
		.remote = text_of(record->remote),
		.method = text_of(record->method),
		.target = text_of(record->target),
		.headers = r->in,
		.header_count = record->header_count,
		.body = text_of(record->body),
	};
	if (redact_message(r->redactor, &in, message, &withheld, err) < 0)
		return -1;
	out->remote = text_from(message->remote);
	out->method = text_from(message->method);
	out->target = text_from(message->target);
	out->body = text_from(message->body);
	for (size_t i = 0; i < message->header_count; i++)
		r->headers[i] = (struct capture_header){ text_from(message->headers[i].name),
			                                 text_from(message->headers[i].value) };
	out->headers = r->headers;
	out->header_count = message->header_count;
	r->counts.withheld += withheld != REDACT_NOT_WITHHELD;
	mark(r, withheld, out);
	return 0;
}

/* Without anything of its request. */
static void copy_without_request(const struct capture_record *record, struct capture_record *out)
{
	static const struct capture_text post = { "POST", 4 }, root = { "/", 1 }, none = { "", 0 };
	copy_rest(record, out);
	out->remote = none;
	out->method = post;
	out->target = root;
	out->body = none;
}

static void withhold(struct redaction *r, const struct capture_record *record, struct capture_record *out)
{
	copy_without_request(record, out);
	mark(r, REDACT_NOT_PROVEN, out);
	r->counts.unproven++;
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

/* How a record is written, other than as a record. */
struct form {
	const struct format *format;
	struct format_written *written;
	struct buffer *out;
};

/* All that a proof has to see: the record, in which texts are least encoded, and how it is written. */
static void append_forms(const struct form *form, const struct capture_record *record, struct buffer *line)
{
	size_t from = form ? form->out->length : 0;
	buffer_clear(line);
	if (!form || strcmp(form->format->name, FORMAT_RECORD) != 0)
		capture_record_append(record, line);
	if (!form)
		return;
	format_write(form->format, record, form->written, form->out);
	buffer_append(line, buffer_text(form->out) + from, form->out->length - from);
	line->failed |= form->out->failed;
}

/* In base64, any six letters are found by chance, in some case. The body itself is searched in the record. */
static void remove_base64(struct buffer *line, struct capture_text body)
{
	LOCAL_BUFFER encoded = BUFFER_INIT;
	base64_append(&encoded, body.text, body.length);
	char *at = encoded.length > 0 ? memmem(line->data, line->length, encoded.data, encoded.length) : NULL;
	if (!at)
		return;
	memmove(at, at + encoded.length, line->length - (size_t)(at - line->data) - encoded.length);
	buffer_consume_end(line, encoded.length);
}

/* As redact_prove(). What is also in the forms of this record without its request is a word of theirs. */
static int prove(struct redaction *r, const struct form *form, const struct redact_message *message,
                 const struct capture_record *redacted, unsigned *place, struct error *err)
{
	LOCAL_BUFFER frame = BUFFER_INIT, out = BUFFER_INIT;
	struct format_written written = { 0 };
	const struct form blank = { form ? form->format : NULL, &written, &out };
	struct capture_record empty;
	int proven = redact_prove(r->redactor, message, buffer_text(&r->line), r->line.length, place, err);
	if (proven != 0 || *place == REDACT_PLACES)
		return proven;
	copy_without_request(redacted, &empty);
	empty.redacted = redacted->redacted;
	append_forms(form ? &blank : NULL, &empty, &frame);
	remove_base64(&r->line, redacted->body);
	if (frame.failed)
		return error_no_memory(err);
	redact_set_frame(r->redactor, buffer_text(&frame));
	proven = redact_prove(r->redactor, message, buffer_text(&r->line), r->line.length, place, err);
	redact_set_frame(r->redactor, NULL);
	return proven;
}

bool redaction_passes(struct redaction *r, const struct capture_record *record)
{
	r->counts.already += record->redacted.text != NULL;
	return record->redacted.text != NULL;
}

static int redact_and_prove(struct redaction *r, const struct form *form, const struct capture_record *record,
                            struct capture_record *redacted, struct error *err)
{
	struct redact_message message;
	unsigned place;
	copy_rest(record, redacted);
	if (redact(r, record, redacted, &message, err) < 0)
		return -1;
	r->counts.records++;
	append_forms(form, redacted, &r->line);
	if (r->line.failed)
		return error_no_memory(err);
	int proven = prove(r, form, &message, redacted, &place, err);
	if (proven != 0)
		return proven < 0 ? -1 : 0;
	withhold(r, record, redacted);
	report_unproven(place, err);
	error_hint(err, "replace that part too, with a policy (--redact=POLICY); by chance? take another key");
	return 1;
}

int redaction_record(void *redaction, const struct capture_record *record, struct capture_record *redacted,
                     struct error *err)
{
	if (!redaction_passes(redaction, record))
		return redact_and_prove(redaction, NULL, record, redacted, err);
	*redacted = *record;
	return 0;
}

int redaction_write(struct redaction *r, const struct capture_record *record, const struct format *format,
                    struct format_written *written, struct buffer *out, struct error *err)
{
	const struct form form = { format, written, out };
	struct capture_record redacted;
	size_t from = out->length;
	int result = redact_and_prove(r, &form, record, &redacted, err);
	if (result != 0)
		buffer_consume_end(out, out->length - from);
	return result;
}

const struct redaction_counts *redaction_counts(const struct redaction *r)
{
	return &r->counts;
}

const struct redact_counts *redaction_value_counts(const struct redaction *r)
{
	return redactor_counts(r->redactor);
}

const struct redact_policy *redaction_policy(const struct redaction *r)
{
	return &r->policy;
}

void redaction_note_key(const struct redaction *r, struct terminal *terminal)
{
	if (r->has_random_key)
		terminal_note(terminal,
		              "redacting with a random key: these fakes match no other file (see --redact-key)");
}

/* A rule with a misspelled path keeps, or leaves, what it should not. */
static void note_unused_rules(const struct redaction *r, struct terminal *terminal)
{
	for (size_t i = 0; i < r->policy.rule_count; i++) {
		const struct redact_rule *rule = &redaction_policy(r)->rules[i];
		LOCAL_BUFFER path = BUFFER_INIT;
		if (redaction_value_counts(r)->rules[i] > 0)
			continue;
		edit_append_path(rule->pointer.data, &path);
		terminal_note(terminal, "the policy's rule for '%s' (%s) was not used", buffer_text(&path),
		              redact_rule_name(rule));
	}
}

void redaction_print_summary(const struct redaction *r, struct terminal *terminal)
{
	const struct redact_counts *values = redaction_value_counts(r);
	char number[COUNT_SIZE], rest[COUNT_SIZE];
	if (r->counts.withheld > 0)
		terminal_note(terminal, "withheld %s %s not JSON or not UTF-8", count_text(r->counts.withheld, number),
		              r->counts.withheld == 1 ? "body that is" : "bodies that are");
	if (r->counts.already > 0)
		terminal_note(terminal, "%s already redacted, not changed", count_text(r->counts.already, number));
	if (r->counts.records > 0)
		note_unused_rules(r, terminal);
	if (r->counts.unproven > 0)
		terminal_warn(terminal, "%s without request: an original value would be left",
		              count_text(r->counts.unproven, number));
	if (r->counts.records > 0)
		terminal_note(terminal, "verified: %s original %s, none found in the output (%s too short or common)",
		              count_text(values->checked, number), values->checked == 1 ? "value" : "values",
		              count_text(values->unchecked, rest));
}
