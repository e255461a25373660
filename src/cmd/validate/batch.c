/* A batch from its making to its end: its inputs are read and checked, in any thread, with nothing but the batch and
 * the thread's own part. */
#include "base/clock.h"
#include "base/file.h"
#include "capture/format.h"
#include "cmd/validate/run.h"

#include <stdlib.h>
#include <string.h>

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

void batch_empty(struct batch *batch)
{
	buffer_clear(&batch->out);
	for (size_t i = 0; i < REPORTS_MAX; i++)
		buffer_clear(&batch->reports[i]);
	for (size_t i = 0; i < batch->part_count; i++) {
		free(batch->parts[i].problem);
		free(batch->parts[i].entries);
	}
	batch->part_count = 0;
	batch->tally = (struct tally){ 0 };
}

static void close_file(struct batch *batch)
{
	entries_free(batch->entries);
	source_close(batch->source);
	batch->entries = NULL;
	batch->source = NULL;
}

void batch_release(struct batch *batch)
{
	batch_empty(batch);
	close_file(batch);
	source_close(batch->block);
	buffer_release(&batch->out);
	for (size_t i = 0; i < REPORTS_MAX; i++)
		buffer_release(&batch->reports[i]);
	free(batch->parts);
}

/* What is written from here on is about this input. NULL: no memory. */
static struct batch_part *batch_add_part(struct batch *batch, const char *file)
{
	if (!ARRAY_ROOM(batch->parts, batch->part_capacity, batch->part_count + 1)) {
		batch->no_memory = true;
		return NULL;
	}
	struct batch_part *part = &batch->parts[batch->part_count++];
	*part = (struct batch_part){ .file = file, .at = batch->out.length };
	for (size_t i = 0; i < REPORTS_MAX; i++)
		part->reports_at[i] = batch->reports[i].length;
	return part;
}

int check_thread_init(struct check_thread *thread, const struct validate_args *args, struct error *err)
{
	thread->args = args;
	capture_scratch_init(&thread->scratch);
	thread->checker = checker_new(err);
	if (!thread->checker)
		return -1;
	checker_set_rules(thread->checker, args->strict, &args->ignored);
	return 0;
}

void check_thread_release(struct check_thread *thread)
{
	checker_free(thread->checker);
	capture_scratch_release(&thread->scratch);
}

static void list_payload(const struct check_thread *thread, struct batch *batch, struct batch_part *part,
                         const struct report_payload *c)
{
	struct finding_walk walk;
	finding_walk_init(&walk, c->verdict, c->origin, &batch->out);
	while ((!thread->limited || part->listed < FILE_FINDINGS_MAX) && finding_walk_next(&walk)) {
		finding_report_one(&walk, thread->color, thread->width, thread->wraps, &batch->out);
		if (thread->limited)
			part->ends[part->listed++] = batch->out.length;
	}
	if (thread->limited)
		part->more += finding_walk_unlisted(&walk);
	else
		finding_report_unlisted(&walk, &batch->out);
	finding_walk_release(&walk);
	if (!c->unexpected)
		return;
	/* The finding is that there is no error. */
	if (thread->limited && part->listed == FILE_FINDINGS_MAX) {
		part->more++;
		return;
	}
	finding_report_place(c->origin, &batch->out);
	buffer_append_text(&batch->out, "error: the payload is valid, where an invalid one is expected\n");
	if (thread->limited)
		part->ends[part->listed++] = batch->out.length;
}

static void report_payload(struct check_thread *thread, struct batch *batch, const struct verdict *verdict,
                           const struct payload_origin *origin)
{
	const struct validate_args *args = thread->args;
	struct tally *tally = &batch->tally;
	bool failed = args->expect_invalid ? verdict->valid : !verdict->valid;
	struct report_payload c = { verdict, origin, failed, args->expect_invalid && verdict->valid, 0 };
	/* The part of the file's payloads. NULL: no memory. */
	struct batch_part *last = batch->part_count > 0 ? &batch->parts[batch->part_count - 1] : NULL;
	struct batch_part *part = last && last->file == origin->file && !last->problem && !last->entries
	                                  ? last
	                                  : batch_add_part(batch, origin->file);
	if (!part)
		return;
	tally->payloads++;
	tally->invalid += !verdict->valid;
	tally->failed += failed;
	if (args->coverage || (args->demand.kinds | args->demand.events) || args->reports.count > 0)
		coverage_add(&tally->coverage, verdict->kind, verdict->valid);
	if (verdict->finding_count > 0)
		for (size_t i = 0; i < FINDING_ID_COUNT; i++)
			tally->by_finding[i] += verdict->counts[i];
	if (args->reports.count > 0)
		c.ns = clock_monotonic_ns() - thread->began_ns;
	part->counts.cases++;
	part->counts.failed += failed;
	part->counts.ns += c.ns;
	if (args->format == VALIDATE_JSON)
		finding_report_json(verdict, origin, &batch->out);
	else if (args->format == VALIDATE_TEXT &&
	         (c.unexpected || (verdict->finding_count > 0 && !args->expect_invalid)))
		list_payload(thread, batch, part, &c);
	for (size_t i = 0; i < args->reports.count; i++)
		args->reports.list[i].format->payload(&c, &batch->reports[i]);
}

/* A verdict, or NULL after noting that there was no memory. */
static const struct verdict *checked(struct batch *batch, const struct verdict *verdict)
{
	batch->no_memory |= verdict == NULL;
	return verdict;
}

/* What `problem` says of something that cannot be checked as a payload. */
static void refuse(struct check_thread *thread, struct batch *batch, const struct payload_origin *origin,
                   enum finding_id id, const struct error *problem)
{
	const struct verdict *verdict =
	        check_refused(thread->checker, id, problem->message, problem->hint, &thread->problem);
	if (checked(batch, verdict))
		report_payload(thread, batch, verdict, origin);
}

/* The body of a record that was read from the document, or where that is NULL stands in the origin's text. */
static void check_body(struct check_thread *thread, struct batch *batch, const struct json_doc *doc,
                       const struct capture_record *record, struct payload_origin *origin)
{
	struct body_map map;
	const struct text *type = message_header(&record->request, "Content-Type");
	struct check_options options = { .expected = thread->args->event,
		                         .checks_content_type = true,
		                         .content_type = type ? type->text : NULL };
	if (doc) {
		body_map_init(&map, doc, record);
		origin->map = body_map_offset;
		origin->map_context = &map;
	}
	const struct verdict *verdict = check_payload(thread->checker, record->request.body.text,
	                                              record->request.body.length, &options, &thread->problem);
	if (checked(batch, verdict))
		report_payload(thread, batch, verdict, origin);
}

static void check_record(struct check_thread *thread, struct batch *batch, struct payload_origin *origin)
{
	const struct json_doc *doc = &thread->scratch.doc;
	struct capture_record record;
	if (capture_record_from_doc(doc, &thread->scratch, &record, &thread->problem) == 0)
		check_body(thread, batch, doc, &record, origin);
	else if (thread->scratch.bytes.failed)
		batch->no_memory = true;
	else
		refuse(thread, batch, origin, FINDING_WRONG_TYPE, &thread->problem);
}

/* Reads the item, of which it is known or likely that it is not a payload by itself, and checks what it is. False: it
 * is a payload. */
static bool check_as_line(struct check_thread *thread, struct batch *batch, struct payload_origin *origin,
                          const struct source_item *item)
{
	struct json_doc *doc = &thread->scratch.doc;
	struct json_fault fault;
	enum capture_line line = CAPTURE_LINE_PAYLOAD;
	if (json_read(doc, item->text, item->length, &fault))
		line = capture_line_of(doc);
	if (line == CAPTURE_LINE_RECORD) {
		check_record(thread, batch, origin);
	} else if (line == CAPTURE_LINE_BODILESS) {
		error_set(&thread->problem, EXIT_CODE_FAILED, CAPTURE_BODILESS_MESSAGE);
		error_hint(&thread->problem, CAPTURE_BODILESS_HINT);
		refuse(thread, batch, origin, FINDING_MISSING_KEY, &thread->problem);
	} else if (line == CAPTURE_LINE_PAYLOAD && item->length >= BATCH_LONG_DOCUMENT) {
		json_doc_release(doc); /* it will be read as a payload: not two tables of a long one at a time */
	}
	return line != CAPTURE_LINE_PAYLOAD;
}

/* A line that does not begin as credhook writes it is found out after it was checked as a payload: two readings for it,
 * so that all else needs only one. */
static void check_item(struct check_thread *thread, struct batch *batch, const char *file,
                       const struct source_item *item, bool alone)
{
	struct payload_origin origin = { file, item->line, item->text, item->length, NULL, NULL, 1 };
	struct check_options options = { .expected = thread->args->event,
		                         .may_be_lines = alone && !thread->args->single };
	if (thread->args->reports.count > 0)
		thread->began_ns = clock_monotonic_ns();
	if (!item->too_long && capture_begins_as_line(item->text, item->length) &&
	    check_as_line(thread, batch, &origin, item))
		return;
	const struct verdict *verdict =
	        item->too_long ? check_too_long(thread->checker, &thread->problem)
	                       : check_payload(thread->checker, item->text, item->length, &options, &thread->problem);
	if (!checked(batch, verdict))
		return;
	if (!verdict->has_foreign_keys || capture_line_of(verdict->doc) == CAPTURE_LINE_PAYLOAD) {
		report_payload(thread, batch, verdict, &origin);
		return;
	}
	if (item->length >= BATCH_LONG_DOCUMENT)
		checker_trim(thread->checker);
	if (!check_as_line(thread, batch, &origin, item))
		batch->no_memory = true;
}

/* Documents up to this size come from small windows, so that a folder of small files costs no big ones. */
#define SMALL_BLOCK ((size_t)32 << 10)

static bool output_full(const struct check_thread *thread, const struct batch *batch)
{
	size_t length = batch->out.length;
	for (size_t i = 0; i < thread->args->reports.count; i++)
		length += batch->reports[i].length;
	return length >= thread->output_max || batch->no_memory;
}

static void trim_memory(struct check_thread *thread, const struct source_item *item)
{
	if (item->length < BATCH_LONG_DOCUMENT)
		return;
	checker_trim(thread->checker);
	capture_scratch_release(&thread->scratch);
	capture_scratch_init(&thread->scratch);
}

static void *copy_of(struct batch *batch, const void *from, size_t size)
{
	void *copy = malloc(size);
	if (copy)
		memcpy(copy, from, size);
	else
		batch->no_memory = true;
	return copy;
}

static void note_problem(const struct check_thread *thread, struct batch *batch, const char *file)
{
	struct batch_part *part = batch_add_part(batch, file);
	if (part)
		part->problem = copy_of(batch, &thread->problem, sizeof thread->problem);
}

/* Opens the next file. False: it cannot be had, or is of another kind. */
static bool open_file(struct check_thread *thread, struct batch *batch)
{
	const struct source_file *file = &batch->files[batch->file_at];
	struct source_options options = { .block = batch->bytes > SMALL_BLOCK * batch->file_count ? 0 : SMALL_BLOCK };
	const struct format *format = NULL;
	struct source *source = NULL;
	if (thread->args->lines || thread->args->single)
		options.kind = thread->args->lines ? SOURCE_LINES : SOURCE_SINGLE;
	if (file->problem)
		file_cannot("open", file->path, file->problem, &thread->problem);
	else
		source = source_open(file->path, &options, &thread->problem);
	if (source && format_look(source, &format, &thread->problem) == SOURCE_ITEM) {
		if (!format || format->reader)
			return batch_read_entries(batch, source, format, &thread->problem);
		format_refuse(format, file->path, &thread->problem);
	}
	source_close(source);
	note_problem(thread, batch, input_name(file->path));
	return false;
}

bool batch_read_entries(struct batch *batch, struct source *source, const struct format *format, struct error *err)
{
	batch->source = source;
	if (format)
		batch->entries = entries_new(source, format, SOURCE_PAYLOAD_MAX, err);
	batch->no_memory |= format && !batch->entries;
	return !batch->no_memory;
}

/* Checks the next payload of the file. */
static enum source_result check_next(struct check_thread *thread, struct batch *batch, const char *path)
{
	struct source_item item;
	struct capture_item entry;
	enum source_result got = batch->entries ? entries_next(batch->entries, &entry, &thread->problem)
	                                        : source_next(batch->source, &item, &thread->problem);
	if (got != SOURCE_ITEM)
		return got;
	if (batch->entries) {
		item = entry.source;
		struct payload_origin origin = { path, item.line, item.text, item.length, NULL, NULL, entry.column };
		if (thread->args->reports.count > 0)
			thread->began_ns = clock_monotonic_ns();
		if (entry.kind == CAPTURE_ITEM_BAD)
			refuse(thread, batch, &origin, entry.doc ? FINDING_WRONG_TYPE : FINDING_JSON_SYNTAX,
			       &entry.problem);
		else
			check_body(thread, batch, entry.doc, &entry.record, &origin);
	} else {
		check_item(thread, batch, path, &item, source_kind_found(batch->source) == SOURCE_SINGLE);
	}
	trim_memory(thread, &item);
	return SOURCE_ITEM;
}

static void check_files(struct check_thread *thread, struct batch *batch)
{
	while (batch->file_at < batch->file_count) {
		const char *path = input_name(batch->files[batch->file_at].path);
		enum source_result got = SOURCE_END;
		/* What is known is written before a pipe is read on. */
		if (batch->entries && batch->out.length > 0 && !source_is_ready(batch->source))
			return;
		if (batch->source || open_file(thread, batch))
			got = check_next(thread, batch, path);
		if (got == SOURCE_ERROR)
			note_problem(thread, batch, path);
		if (got != SOURCE_ITEM) {
			batch->tally.blank_lines += batch->source ? source_blank_lines(batch->source) : 0;
			struct batch_part *part = batch->entries ? batch_add_part(batch, path) : NULL;
			if (part)
				part->entries = copy_of(batch, entries_counts(batch->entries), sizeof *part->entries);
			close_file(batch);
			batch->file_at++;
		}
		if (output_full(thread, batch))
			return;
	}
	batch->finished = true;
}

static void check_block(struct check_thread *thread, struct batch *batch)
{
	struct source_item item;
	while (source_next(batch->block, &item, &thread->problem) == SOURCE_ITEM) {
		check_item(thread, batch, batch->file, &item, source_kind_found(batch->block) == SOURCE_SINGLE);
		trim_memory(thread, &item);
		if (output_full(thread, batch))
			return;
	}
	batch->tally.blank_lines += source_blank_lines(batch->block);
	batch->finished = true;
}

void batch_check(struct check_thread *thread, struct batch *batch)
{
	if (batch->files)
		check_files(thread, batch);
	else
		check_block(thread, batch);
	batch->no_memory |= batch->out.failed;
	for (size_t i = 0; i < thread->args->reports.count; i++)
		batch->no_memory |= batch->reports[i].failed;
}
