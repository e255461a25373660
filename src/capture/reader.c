#include "capture/reader.h"

#include "base/file.h"
#include "capture/format.h"

int capture_reader_open(struct capture_reader *reader, const struct source_file *file,
                        const struct source_options *options, struct error *err)
{
	*reader = (struct capture_reader){ .path = file->path,
		                           .limit = options->limit ? options->limit : SOURCE_PAYLOAD_MAX };
	if (file->problem)
		return file_cannot("open", file->path, file->problem, err);
	reader->source = source_open(file->path, options, err);
	return reader->source ? 0 : -1;
}

void capture_reader_close(struct capture_reader *reader)
{
	entries_free(reader->entries);
	source_close(reader->source);
	*reader = (struct capture_reader){ 0 };
}

enum source_result capture_reader_look(struct capture_reader *reader, struct error *err)
{
	const struct format *format = reader->forced;
	if (reader->is_looked_at)
		return SOURCE_ITEM;
	enum source_result got = format ? SOURCE_ITEM : format_look(reader->source, &format, err);
	if (got == SOURCE_ITEM && format && format->reader) {
		reader->entries = entries_new(reader->source, format, reader->limit, err);
		got = reader->entries ? SOURCE_ITEM : SOURCE_ERROR;
	} else if (got == SOURCE_ITEM && format && !reader->forced) {
		format_refuse(format, reader->path, err);
		got = SOURCE_ERROR;
	}
	reader->is_looked_at = got == SOURCE_ITEM;
	return got;
}

enum source_result capture_reader_next(struct capture_reader *reader, struct capture_item *item, struct error *err)
{
	enum source_result got = capture_reader_look(reader, err);
	if (got != SOURCE_ITEM)
		return got;
	if (reader->entries)
		return entries_next(reader->entries, item, err);
	got = source_next(reader->source, &item->source, err);
	item->type = CAPTURE_ITEM_BAD;
	item->line = item->source.line;
	item->column = 1;
	item->format = NULL;
	item->doc = NULL;
	return got;
}

void capture_item_as_payload(struct capture_item *item)
{
	item->type = CAPTURE_ITEM_PAYLOAD;
	item->record = (struct capture_record){ .request.body = { item->source.text, item->source.length },
		                                .body_token = JSON_NONE };
}

bool capture_item_read(struct capture_scratch *scratch, struct capture_item *item, struct json_fault *fault)
{
	item->type = CAPTURE_ITEM_BAD;
	if (!json_read(&scratch->doc, item->source.text, item->source.length, fault)) {
		if (json_fault_is_memory(fault))
			error_no_memory(&item->problem);
		return json_fault_is_memory(fault);
	}
	item->doc = &scratch->doc;
	item->type = capture_line_of(item->doc);
	if (item->type == CAPTURE_ITEM_PAYLOAD) {
		capture_item_as_payload(item);
	} else if (item->type == CAPTURE_ITEM_BODILESS) {
		error_set(&item->problem, EXIT_CODE_FAILED, "an event of 'listen --json' without its body");
		error_hint(&item->problem, "use 'listen --json -v', which prints whole records");
	} else if (item->type == CAPTURE_ITEM_RECORD &&
	           capture_record_from_doc(scratch, &item->record, &item->problem) < 0) {
		item->type = CAPTURE_ITEM_BAD;
	}
	return true;
}
