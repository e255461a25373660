/* Bodies that are not JSON, or JSON that parsers differ about. */
#include "deliver/job.h"
#include "probe/make.h"
#include "probe/plan.h"
#include "probe/sample.h"

#include <stdio.h>
#include <string.h>

static void truncated(const struct buffer *text, struct buffer *out)
{
	buffer_append(out, text->data, text->length / 2);
}

static void trailing_comma(const struct buffer *text, struct buffer *out)
{
	buffer_append(out, text->data, text->length - 1);
	buffer_append_text(out, ",}");
}

static void two_documents(const struct buffer *text, struct buffer *out)
{
	buffer_append(out, text->data, text->length);
	buffer_append_byte(out, '\n');
	buffer_append(out, text->data, text->length);
}

static void single_quotes(const struct buffer *text, struct buffer *out)
{
	for (size_t i = 0; i < text->length; i++)
		buffer_append_byte(out, text->data[i] == '"' ? '\'' : text->data[i]);
}

static void byte_order_mark(const struct buffer *text, struct buffer *out)
{
	buffer_append_text(out, "\xEF\xBB\xBF");
	buffer_append(out, text->data, text->length);
}

/* A text of the payload is changed as a whole, or bytes that no editor would write take the place of a value. */
static const struct {
	const char *name;
	void (*change)(const struct buffer *text, struct buffer *out);
	const char *member; /* of an open object; NULL: an integer */
	const char *bytes;  /* NULL: nested arrays, or digits */
	size_t nested;
	size_t digits;
} defects[] = {
	{ "truncated", truncated, NULL, NULL, 0, 0 },
	{ "trailing-comma", trailing_comma, NULL, NULL, 0, 0 },
	{ "two-documents", two_documents, NULL, NULL, 0, 0 },
	{ "single-quotes", single_quotes, NULL, NULL, 0, 0 },
	{ "bom", byte_order_mark, NULL, NULL, 0, 0 },
	{ "invalid-utf8", NULL, "sampleMember", "\"\xFF\xFE\"", 0, 0 },
	{ "nan", NULL, NULL, "NaN", 0, 0 },
	{ "duplicate-key", NULL, "sampleMember", "1,\"sampleMember\":2", 0, 0 },
	{ "proto-key", NULL, "__proto__", "{\"sampleMember\":true}", 0, 0 },
	{ "huge-number", NULL, NULL, NULL, 0, 400 },
	{ "depth-1000", NULL, "sampleMember", NULL, 1000, 0 },
	{ "depth-100000", NULL, "sampleMember", NULL, 100000, 0 },
};

/* The place is held by a text that occurs nowhere else. */
static int put_bytes(size_t row, const char *field, struct buffer *payload, struct buffer *out, struct error *err)
{
	static const char held[] = "\"@held@\"";
	const char *member = defects[row].member;
	char pointer[96];
	snprintf(pointer, sizeof pointer, "/details/%s%s%s", field, member ? "/" : "", member ? member : "");
	if (probe_put(payload, pointer, held, err) < 0)
		return -1;
	const char *at = strstr(buffer_text(payload), held);
	size_t before = (size_t)(at - payload->data);
	buffer_append(out, payload->data, before);
	if (defects[row].bytes)
		buffer_append_text(out, defects[row].bytes);
	buffer_append_repeat(out, '[', defects[row].nested);
	buffer_append_repeat(out, ']', defects[row].nested);
	buffer_append_repeat(out, '7', defects[row].digits);
	buffer_append_text(out, at + sizeof held - 1);
	return 0;
}

int make_json(struct probe_maker *maker, const struct probe_check *check, unsigned number, struct job *job,
              struct error *err)
{
	static const char *const objects[] = { "alertDetails", "scoreModifiers" }, *const integers[] = { "alertId",
		                                                                                         "monitorId" };
	struct buffer changed = BUFFER_INIT;
	const char *field = NULL;
	size_t row = 0;
	while (row + 1 < sizeof defects / sizeof defects[0] && strcmp(defects[row].name, check->row->name) != 0)
		row++;
	int result = defects[row].change ? make_valid(maker, check, number, job, err)
	                                 : probe_make_with(maker, check, number,
	                                                   defects[row].member ? objects : integers, job, &field, err);
	if (result < 0)
		return -1;
	if (defects[row].change)
		defects[row].change(&job->body, &changed);
	else
		result = put_bytes(row, field, &job->body, &changed, err);
	if (result == 0 && changed.failed)
		result = error_no_memory(err);
	if (result == 0) {
		struct buffer swap = job->body;
		job->body = changed;
		changed = swap;
	}
	buffer_release(&changed);
	return result;
}
