/* Any record: what a format writes of it is one request when it is read again, and has the same body and target. */
#include "base/file.h"
#include "capture/format.h"
#include "entries.h"

/* Whether the reader would find it: see capture/entries.h. */
static void require_one(const struct format *format, const struct capture_record *record, const struct buffer *text)
{
	struct error err;
	struct capture_item entry;
	int fd = file_make_nameless(NULL);
	require(fd >= 0 && write(fd, text->data, text->length) == (ssize_t)text->length && lseek(fd, 0, SEEK_SET) == 0);
	struct source_options options = { .block = 64 };
	struct source *source = source_open_fd(fd, "input", &options, &err);
	struct entries *entries = entries_new(source, format, SOURCE_PAYLOAD_MAX, &err);
	while (entries_next(entries, &entry, &err) == SOURCE_ITEM) {
		if (entry.type == CAPTURE_ITEM_RECORD) {
			require(same(entry.record.request.body, record->request.body));
			require(record->request.target.length == 0 || record->request.target.text[0] != '/' ||
			        memchr(record->request.target.text, '#', record->request.target.length) ||
			        same(entry.record.request.target, record->request.target));
		}
	}
	require(entries_counts(entries)->entries == 1);
	entries_free(entries);
	source_close(source);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_scratch scratch;
	struct capture_record record;
	struct error err;
	scratch = CAPTURE_SCRATCH_INIT;
	bool is_record = capture_record_parse(&scratch, (const char *)data, size, &record, &err) == 0;
	for (size_t i = 0; is_record && i < capture_format_count; i++) {
		const struct format *format = &capture_formats[i];
		struct format_written written = { 0 };
		struct buffer out = BUFFER_INIT, words = BUFFER_INIT;
		if (!format->writer)
			continue;
		buffer_append_text(&out, format->writer->begin);
		size_t before = out.length;
		format_write(format, &record, &written, &out);
		require(written.records + written.left_out == 1 && (written.records == 1 || out.length == before));
		buffer_append_text(&out, format->writer->end);
		format_append_losses(format, &written, &words);
		if (written.records == 1 && format->reader)
			require_one(format, &record, &out);
		buffer_release(&out);
		buffer_release(&words);
	}
	capture_scratch_release(&scratch);
	return 0;
}
