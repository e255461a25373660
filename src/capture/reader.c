#include "capture/reader.h"

#include "capture/foreign.h"

#include <stdlib.h>
#include <string.h>

struct capture_reader {
	struct source *source;
	struct capture_scratch scratch;
	const char *path; /* borrowed */
	enum capture_accepted accepted;
	size_t limit; /* bytes of one payload */
	bool looked;  /* foreign_look() is done */
	bool any_item;
	bool is_capture; /* the first document was a record */
};

struct capture_reader *capture_reader_open(const char *path, const struct source_options *options,
                                           enum capture_accepted accepted, struct error *err)
{
	struct source *source = source_open(path, options, err);
	if (!source)
		return NULL;
	struct capture_reader *reader = calloc(1, sizeof *reader);
	if (!reader) {
		source_close(source);
		error_no_memory(err);
		return NULL;
	}
	reader->source = source;
	reader->path = path;
	reader->accepted = accepted;
	reader->limit = options->limit ? options->limit : SOURCE_PAYLOAD_MAX;
	capture_scratch_init(&reader->scratch);
	return reader;
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
	error_set(&item->problem, EXIT_CODE_FAILED, "the payload is longer than %zu bytes", reader->limit);
}

/* Text that is not JSON: a torn record where a record is expected, else a payload if any text may be one. */
static void take_text(const struct capture_reader *reader, const struct json_fault *fault, struct capture_item *item)
{
	const struct source_item *source = &item->source;
	if (fault->offset == source->length && source_is_blank(source->text, source->length)) {
		error_set(&item->problem, EXIT_CODE_FAILED, "the input is empty");
		return;
	}
	bool is_record = reader->is_capture || capture_begins_as_record(source->text, source->length);
	if (!is_record && reader->accepted != CAPTURE_ACCEPTS_JSON) {
		item->kind = CAPTURE_ITEM_PAYLOAD;
		item->record.body = (struct capture_text){ source->text, source->length };
		return;
	}
	error_set(&item->problem, EXIT_CODE_FAILED, "%s: column %zu: %s",
	          !is_record     ? "not JSON"
	          : source->torn ? "torn record"
	                         : "bad record",
	          json_place_of(source->text, source->length, fault->offset).column, fault->reason);
	if (!is_record && source_kind_found(reader->source) == SOURCE_SINGLE)
		error_hint(&item->problem, "'credhook send --file FILE --no-validate' sends any bytes");
}

static void take_payload(const struct capture_reader *reader, struct capture_item *item)
{
	const struct foreign_format *format = foreign_of_document(&reader->scratch.doc);
	if (format && reader->accepted != CAPTURE_ACCEPTS_BYTES) {
		error_set(&item->problem, EXIT_CODE_IO, "it %s", format->words);
		return;
	}
	item->kind = CAPTURE_ITEM_PAYLOAD;
	item->record.body = (struct capture_text){ item->source.text, item->source.length };
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
			reader->is_capture = true;
	} else if (reader->is_capture) {
		error_set(&item->problem, EXIT_CODE_FAILED, "not a capture record, in a file of capture records");
	} else {
		take_payload(reader, item);
	}
}

/* A line of `listen --json`. SOURCE_ITEM: it is not one of its own lines. SOURCE_END: skip it. */
static enum source_result take_stream_line(struct capture_reader *reader, const struct capture_item *item,
                                           struct error *err)
{
	enum capture_stream_line line = capture_stream_line_of(&reader->scratch.doc);
	if (line == CAPTURE_STREAM_NONE)
		return SOURCE_ITEM;
	reader->any_item = reader->is_capture = true;
	if (line == CAPTURE_STREAM_SKIP)
		return SOURCE_END;
	error_set(err, EXIT_CODE_IO, "%s:%zu: " CAPTURE_BODILESS_MESSAGE, reader->path, item->line);
	error_hint(err, CAPTURE_BODILESS_HINT);
	return SOURCE_ERROR;
}

/* Refuses a foreign file before anything is read from it. */
static enum source_result look(struct capture_reader *reader, struct error *err)
{
	const struct foreign_format *format = NULL;
	if (reader->looked || reader->accepted == CAPTURE_ACCEPTS_BYTES)
		return SOURCE_ITEM;
	enum source_result result = foreign_look(reader->source, &format, err);
	reader->looked = result == SOURCE_ITEM;
	if (!format)
		return result;
	foreign_refuse(format, reader->path, err);
	return SOURCE_ERROR;
}

/* The next item; SOURCE_END with *skipped for a line that is not an item. */
static enum source_result next_item(struct capture_reader *reader, struct capture_item *item, bool *skipped,
                                    struct error *err)
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
		result = take_stream_line(reader, item, err);
		*skipped = result == SOURCE_END;
		if (result != SOURCE_ITEM)
			return result;
		take_document(reader, item);
	} else if (json_fault_is_memory(&fault)) {
		error_no_memory(err);
		return SOURCE_ERROR;
	} else {
		take_text(reader, &fault, item);
	}
	reader->any_item = true;
	return SOURCE_ITEM;
}

enum source_result capture_reader_next(struct capture_reader *reader, struct capture_item *item, struct error *err)
{
	bool skipped = true;
	enum source_result result = look(reader, err);
	if (result != SOURCE_ITEM)
		return result;
	while (skipped) {
		skipped = false;
		result = next_item(reader, item, &skipped, err);
	}
	if (result != SOURCE_ITEM || item->kind != CAPTURE_ITEM_BAD)
		return result;
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
