#include "capture/reader.h"

#include "capture/entries.h"
#include "capture/format.h"

#include <stdlib.h>
#include <string.h>

struct capture_reader {
	struct source *source;
	struct capture_scratch scratch;
	const char *path; /* borrowed */
	enum capture_accepted accepted;
	size_t limit; /* bytes of one payload */
	bool looked;  /* look() is done */
	bool any_item;
	bool is_capture;             /* the first document was a record */
	const struct format *forced; /* NULL: none */
	const struct format *format; /* another tool's capture; NULL: it is not one */
	struct entries *entries;     /* of it */
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
	entries_free(reader->entries);
	source_close(reader->source);
	capture_scratch_release(&reader->scratch);
	free(reader);
}

void capture_reader_force(struct capture_reader *reader, const struct format *format)
{
	reader->forced = format;
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
		item->record.request.body = (struct text){ source->text, source->length };
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
	const struct format *format = format_of_document(&reader->scratch.doc);
	if (format && reader->accepted != CAPTURE_ACCEPTS_BYTES) {
		error_set(&item->problem, EXIT_CODE_IO, "it %s", format->words);
		if (format->reader)
			error_hint(&item->problem, "'credhook convert FILE --from %s' reads it", format->name);
		return;
	}
	item->kind = CAPTURE_ITEM_PAYLOAD;
	item->record.request.body = (struct text){ item->source.text, item->source.length };
}

/* A document by its kind. SOURCE_END: skip it. */
static enum source_result take_document(struct capture_reader *reader, struct capture_item *item, struct error *err)
{
	const struct json_doc *doc = &reader->scratch.doc;
	enum capture_line line = capture_line_of(doc);
	item->is_json = true;
	if (line != CAPTURE_LINE_PAYLOAD && (line != CAPTURE_LINE_RECORD || !reader->any_item))
		reader->is_capture = true;
	switch (line) {
	case CAPTURE_LINE_SKIP:
		reader->any_item = true;
		return SOURCE_END;
	case CAPTURE_LINE_BODILESS:
		error_set(err, EXIT_CODE_IO, "%s:%zu: " CAPTURE_BODILESS_MESSAGE, reader->path, item->line);
		error_hint(err, CAPTURE_BODILESS_HINT);
		return SOURCE_ERROR;
	case CAPTURE_LINE_RECORD:
		if (capture_record_from_doc(doc, &reader->scratch, &item->record, &item->problem) < 0)
			break;
		if (item->record.request.body.length > reader->limit)
			too_long(reader, item);
		else
			item->kind = CAPTURE_ITEM_RECORD;
		break;
	case CAPTURE_LINE_PAYLOAD:
		if (reader->is_capture)
			error_set(&item->problem, EXIT_CODE_FAILED,
			          "not a capture record, in a file of capture records");
		else
			take_payload(reader, item);
	}
	return SOURCE_ITEM;
}

/* Looks what the input is before anything is read from it, and refuses what cannot be read. */
static enum source_result look(struct capture_reader *reader, struct error *err)
{
	const struct format *format = reader->forced;
	if (reader->looked || (!format && reader->accepted == CAPTURE_ACCEPTS_BYTES))
		return SOURCE_ITEM;
	enum source_result result = format ? SOURCE_ITEM : format_look(reader->source, &format, err);
	if (result == SOURCE_ITEM && format && format->reader) {
		reader->format = format;
		reader->entries = entries_new(reader->source, format, reader->limit, err);
		result = reader->entries ? SOURCE_ITEM : SOURCE_ERROR;
	} else if (format && !reader->forced) {
		format_refuse(format, reader->path, err);
		result = SOURCE_ERROR;
	}
	reader->looked = result == SOURCE_ITEM;
	return result;
}

/* The next notification, or bad entry, of another tool's capture. */
static enum source_result next_entry(struct capture_reader *reader, struct capture_item *item, struct error *err)
{
	struct entry entry;
	enum source_result result;
	do
		result = entries_next(reader->entries, &entry, err);
	while (result == SOURCE_ITEM && entry.kind == ENTRY_OTHER);
	if (result != SOURCE_ITEM)
		return result;
	*item = (struct capture_item){ .kind = CAPTURE_ITEM_BAD,
		                       .line = (size_t)entry.number,
		                       .format = reader->format,
		                       .source = { .text = entry.text, .length = entry.length, .line = entry.line },
		                       .record = { .body_token = JSON_NONE } };
	if (entry.kind == ENTRY_BAD && entry.line > 0) {
		error_set(&item->problem, entry.problem.code, "line %zu, column %zu: %s", entry.line, entry.column,
		          entry.problem.message);
	} else if (entry.kind == ENTRY_BAD) {
		item->problem = entry.problem;
	} else {
		item->kind = CAPTURE_ITEM_RECORD;
		item->record = entry.record;
	}
	return SOURCE_ITEM;
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
		result = take_document(reader, item, err);
		*skipped = result == SOURCE_END;
		if (result != SOURCE_ITEM)
			return result;
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
	if (reader->entries)
		return next_entry(reader, item, err);
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

uint64_t capture_reader_position(const struct capture_reader *reader)
{
	return source_position(reader->source);
}

const struct entry_counts *capture_reader_counts(const struct capture_reader *reader)
{
	return reader->entries ? entries_counts(reader->entries) : NULL;
}
