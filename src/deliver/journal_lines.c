#include "base/file.h"
#include "deliver/journal_internal.h"
#include "json/json_line.h"

#include <errno.h>
#include <unistd.h>

#define CUT_OFF "the run was cut off while this was in flight: it may have been delivered"

static void append_id(struct buffer *out, const struct capture_id *id)
{
	char digits[2 * sizeof id->bytes];
	for (size_t i = 0; i < sizeof digits; i++)
		digits[i] = "0123456789abcdef"[id->bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
	buffer_append_byte(out, '"');
	buffer_append(out, digits, sizeof digits);
	buffer_append_byte(out, '"');
}

/* Up to the id, of a line or a mark; `id` NULL: there is none. */
static void append_begin(struct journal *j, uint64_t number, const char *input, uint64_t record,
                         const struct capture_id *id)
{
	struct buffer *out = &j->out;
	buffer_append_text(out, "{\"number\":");
	buffer_append_number(out, number);
	json_line_text(out, "input", input);
	buffer_append_text(out, ",\"record\":");
	buffer_append_number(out, record);
	buffer_append_text(out, ",\"id\":");
	if (id)
		append_id(out, id);
	else
		buffer_append_text(out, "null");
	j->of_inputs |= id != NULL;
}

/* What only the first line has, and the end. */
static void append_end(struct journal *j)
{
	static const char ended[] = ",\"ended\":";
	struct buffer *out = &j->out;
	if (j->lines + j->added == 0) {
		json_line_text(out, "selection", j->options.selection);
		buffer_append_text(out, ",\"seed\":");
		if (j->options.seed)
			buffer_append_number(out, *j->options.seed);
		else
			buffer_append_text(out, "null");
		j->ended_at = (off_t)(out->length + sizeof ended - 1);
		buffer_append_text(out, ended);
		buffer_append_text(out, "false");
	}
	buffer_append_text(out, "}\n");
	j->added++;
}

void journal_append_open(struct journal *j, const struct journal_cell *cell, bool final)
{
	struct buffer *out = &j->out;
	append_begin(j, cell->number, cell->name[0] ? cell->name : NULL, cell->record, cell->has_id ? &cell->id : NULL);
	json_line_number(out, "attempt", cell->attempt);
	json_line_bool(out, "final", final);
	json_line_text(out, "event", cell->event[0] ? cell->event : NULL);
	json_line_text(out, "outcome", outcome_names[OUTCOME_UNKNOWN]);
	json_line_null(out, "status");
	json_line_null(out, "due");
	json_line_null(out, "sent");
	json_line_decimal(out, "latency_ms", 0);
	json_line_number(out, "bytes", 0);
	json_line_text(out, "error", CUT_OFF);
	append_end(j);
}

/* What follows writes a line without printf(): it is felt at 50,000 lines/s. Keys and names need no escapes. */
static void append_fraction(char *at, int digits, int64_t fraction)
{
	for (int i = digits - 1; i >= 0; i--, fraction /= 10)
		at[i] = (char)('0' + fraction % 10);
}

/* A monotonic time as real time; 0: null. */
static void append_stamp(struct journal *j, const char *key, int64_t ns)
{
	int64_t us = j->epoch_us + ns / 1000;
	buffer_append_text(&j->out, key);
	if (ns == 0) {
		buffer_append_text(&j->out, "null");
		return;
	}
	if (us / 1000000 != j->second_of || j->second[0] == '\0') {
		j->second_of = us / 1000000;
		clock_format_stamp(us, j->second);
	}
	append_fraction(j->second + sizeof "2026-01-02T03:04:05", 6, us % 1000000);
	buffer_append_byte(&j->out, '"');
	buffer_append_text(&j->out, j->second);
	buffer_append_byte(&j->out, '"');
}

/* Empty: null. */
static void append_name(struct buffer *out, const char *name)
{
	if (name[0] == '\0') {
		buffer_append_text(out, "null");
		return;
	}
	buffer_append_byte(out, '"');
	buffer_append_text(out, name);
	buffer_append_byte(out, '"');
}

void journal_add(struct journal *j, const struct job *job)
{
	if (!j || !j->writes)
		return;
	const struct delivery *d = &job->delivery;
	struct buffer *out = &j->out;
	int64_t due_ns = job->due_ns > 0 && job->attempt == 1 ? job->due_ns : d->started_ns;
	char milliseconds[] = ".000";
	append_begin(j, job->number, job->input, job->record, job->has_id ? &job->id : NULL);
	buffer_append_text(out, ",\"attempt\":");
	buffer_append_number(out, job->attempt);
	buffer_append_text(out, job->final ? ",\"final\":true,\"event\":" : ",\"final\":false,\"event\":");
	append_name(out, job->name);
	buffer_append_text(out, ",\"outcome\":");
	append_name(out, outcome_names[job->outcome]);
	buffer_append_text(out, ",\"status\":");
	if (d->status > 0)
		buffer_append_number(out, (uint64_t)d->status);
	else
		buffer_append_text(out, "null");
	if (job->recorded_status > 0)
		json_line_number(out, "recorded_status", job->recorded_status);
	append_stamp(j, ",\"due\":", due_ns);
	append_stamp(j, ",\"sent\":", d->sent_ns);
	buffer_append_text(out, ",\"latency_ms\":");
	buffer_append_number(out, (uint64_t)(d->latency_ns / 1000000));
	append_fraction(milliseconds + 1, 3, d->latency_ns / 1000 % 1000);
	buffer_append_text(out, milliseconds);
	buffer_append_text(out, ",\"bytes\":");
	buffer_append_number(out, d->body.length);
	if (d->message[0])
		json_line_text(out, "error", d->message);
	append_end(j);
}

int journal_flush(struct journal *j, struct error *err)
{
	if (!j || j->out.length == 0)
		return 0;
	if (j->out.failed)
		return error_no_memory(err);
	int number = 0;
	if (j->fd < 0)
		j->options.write(j->options.context, buffer_text(&j->out), j->out.length);
	else
		number = file_write_all(j->fd, j->out.data, j->out.length);
	if (number != 0)
		return file_cannot("write", j->path, number, err);
	buffer_clear(&j->out);
	j->lines += j->added;
	j->added = 0;
	journal_marks_count_lines(&j->marks, j->lines);
	return 0;
}
