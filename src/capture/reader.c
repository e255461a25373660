#include "capture/reader.h"

#include <stdlib.h>
#include <string.h>

struct capture_reader {
	struct source *source;
	struct capture_scratch scratch;
	size_t limit; /* bytes of one payload */
	bool any_item;
	bool holds_records; /* the first document was one: a capture file */
};

static struct capture_reader *reader_new(struct source *source, const struct source_options *options, struct error *err)
{
	if (!source)
		return NULL;
	struct capture_reader *reader = calloc(1, sizeof *reader);
	if (!reader) {
		source_close(source);
		error_no_memory(err);
		return NULL;
	}
	reader->source = source;
	reader->limit = options->limit ? options->limit : SOURCE_PAYLOAD_MAX;
	capture_scratch_init(&reader->scratch);
	return reader;
}

struct capture_reader *capture_reader_open(const char *path, const struct source_options *options, struct error *err)
{
	return reader_new(source_open(path, options, err), options, err);
}

void capture_reader_close(struct capture_reader *reader)
{
	if (!reader)
		return;
	source_close(reader->source);
	capture_scratch_release(&reader->scratch);
	free(reader);
}

static void too_long(const struct capture_reader *reader, struct capture_item *item)
{
	error_set(&item->problem, EXIT_CODE_FAILED, "longer than the %zu bytes that a payload may have", reader->limit);
}

/* A text that is no JSON is a torn record where a record is due, and elsewhere a payload like any other: what is
 * replayed is not judged. */
static void take_text(const struct capture_reader *reader, const struct json_fault *fault, struct capture_item *item)
{
	const struct source_item *source = &item->source;
	if (fault->offset == source->length && source_is_blank(source->text, source->length)) {
		error_set(&item->problem, EXIT_CODE_FAILED, "the input is empty");
		return;
	}
	if (!reader->holds_records && !capture_begins_as_record(source->text, source->length)) {
		item->kind = CAPTURE_ITEM_PAYLOAD;
		item->record.body = (struct capture_text){ source->text, source->length };
		return;
	}
	error_set(&item->problem, EXIT_CODE_FAILED, "%s record: column %zu: %s", source->torn ? "torn" : "bad",
	          json_place_of(source->text, source->length, fault->offset).column, fault->reason);
}

static void take_document(struct capture_reader *reader, struct capture_item *item)
{
	const struct json_doc *doc = &reader->scratch.doc;
	item->is_json = true;
	bool is_good = capture_record_from_doc(doc, &reader->scratch, &item->record, &item->problem) == 0;
	if (is_good || capture_looks_like_record(doc)) {
		if (is_good && item->record.body.length > reader->limit)
			too_long(reader, item);
		else if (is_good)
			item->kind = CAPTURE_ITEM_RECORD;
		if (!reader->any_item)
			reader->holds_records = true;
	} else if (reader->holds_records) {
		error_set(&item->problem, EXIT_CODE_FAILED, "no capture record, in a file of capture records");
	} else {
		item->kind = CAPTURE_ITEM_PAYLOAD;
		item->record.body = (struct capture_text){ item->source.text, item->source.length };
	}
}

enum source_result capture_reader_next(struct capture_reader *reader, struct capture_item *item, struct error *err)
{
	*item = (struct capture_item){ .kind = CAPTURE_ITEM_BAD, .record.body_token = JSON_NONE };
	enum source_result result = source_next(reader->source, &item->source, err);
	if (result != SOURCE_ITEM)
		return result;
	item->line = item->source.line;
	struct json_fault fault;
	if (item->source.too_long) {
		too_long(reader, item);
	} else if (json_read(&reader->scratch.doc, item->source.text, item->source.length, &fault)) {
		take_document(reader, item);
	} else if (json_fault_is_memory(&fault)) {
		error_no_memory(err);
		return SOURCE_ERROR;
	} else {
		take_text(reader, &fault, item);
	}
	reader->any_item = true;
	if (item->kind != CAPTURE_ITEM_BAD)
		return SOURCE_ITEM;
	item->record = (struct capture_record){ .body_token = JSON_NONE };
	if (item->problem.code != EXIT_CODE_INTERNAL)
		return SOURCE_ITEM;
	*err = item->problem;
	return SOURCE_ERROR;
}

void capture_reader_set_wait(struct capture_reader *reader, bool wait)
{
	source_set_wait(reader->source, wait);
}

const struct source *capture_reader_source(const struct capture_reader *reader)
{
	return reader->source;
}
