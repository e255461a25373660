/* A batch from its making to its end: its inputs are read and checked, in any thread, with nothing but the batch and
 * the thread's own part. */
#include "base/clock.h"
#include "cmd/validate/validate.h"
#include "payload/seen.h"
#include "payload/shape.h"

#include <stdlib.h>
#include <string.h>

/* A go ends behind the payload with which there are FINDING_GROUPS_MAX, so that none is left out. */
#define BATCH_GROUPS_MAX (FINDING_GROUPS_MAX + CHECK_FINDINGS_MAX)

void batch_empty(struct batch *batch)
{
	buffer_clear(&batch->out);
	for (size_t i = 0; i < REPORTS_MAX; i++)
		buffer_clear(&batch->reports[i]);
	for (size_t i = 0; i < batch->part_count; i++)
		free(batch->parts[i].problem);
	batch->part_count = batch->text_count = 0;
	finding_groups_clear(&batch->groups);
	batch->tally = (struct tally){ 0 };
}

void batch_release(struct batch *batch)
{
	batch_empty(batch);
	capture_reader_close(&batch->reader);
	source_close(batch->block);
	buffer_release(&batch->out);
	for (size_t i = 0; i < REPORTS_MAX; i++)
		buffer_release(&batch->reports[i]);
	finding_groups_release(&batch->groups);
	free(batch->texts);
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
	*part = (struct batch_part){ .file = file, .at = batch->out.length, .texts_at = batch->text_count };
	for (size_t i = 0; i < REPORTS_MAX; i++)
		part->reports_at[i] = batch->reports[i].length;
	return part;
}

int check_thread_init(struct check_thread *thread, const struct validate_args *args, struct error *err)
{
	thread->args = args;
	thread->scratch = CAPTURE_SCRATCH_INIT;
	thread->checker = checker_new(err);
	if (!thread->checker)
		return -1;
	checker_set_stop(thread->checker, source_stop(thread->signals));
	thread->scratch.doc.stop = source_stop(thread->signals);
	checker_set_rules(thread->checker, args->strict, &args->ignored);
	checker_set_seen(thread->checker, args->seen, args->against);
	if (args->collects)
		thread->seen = seen_new(err);
	return args->collects && !thread->seen ? -1 : 0;
}

void check_thread_release(struct check_thread *thread)
{
	checker_free(thread->checker);
	seen_free(thread->seen);
	capture_scratch_release(&thread->scratch);
}

static void add_text(struct batch *batch, size_t group, bool is_value)
{
	if (!ARRAY_ROOM(batch->texts, batch->text_capacity, batch->text_count + 1)) {
		batch->no_memory = true;
		return;
	}
	batch->texts[batch->text_count++] = (struct batch_text){ batch->out.length, group, is_value };
}

/* A batch comes before those behind it, so that what is the fourth of its group in the batch is not printed. */
static void list_finding(const struct check_thread *thread, struct batch *batch, struct finding_walk *walk,
                         const char *file)
{
	struct finding_groups *groups = &batch->groups;
	const struct buffer *pointer = finding_walk_pointer(walk);
	struct finding_group like = { .id = walk->finding->id, .severity = walk->finding->severity };
	struct finding_group *group =
	        finding_groups_get(groups, &like, (struct text){ buffer_text(pointer), pointer->length },
	                           BATCH_GROUPS_MAX, &batch->no_memory);
	if (!group)
		return;
	bool is_shown = group->count++ < FINDING_GROUP_SHOWN || thread->shows_all;
	bool is_value = walk->finding->is_value && walk->finding->severity == SEVERITY_WARNING;
	group->values += is_value;
	finding_group_add_kind(group, walk->verdict->kind);
	finding_group_add_file(group, file, is_shown);
	if (!is_shown)
		return;
	finding_report_one(walk, thread->color, thread->width, thread->wraps, &batch->out);
	add_text(batch, (size_t)(group - groups->items), is_value);
}

static void list_payload(const struct check_thread *thread, struct batch *batch, const struct report_payload *p)
{
	struct finding_walk walk;
	if (!thread->errors_only || !p->verdict->valid) {
		finding_walk_init(&walk, p->verdict, p->origin, &batch->out);
		while (finding_walk_next(&walk))
			if (!thread->errors_only || walk.finding->severity == SEVERITY_ERROR)
				list_finding(thread, batch, &walk, p->origin->file);
		if (finding_walk_unlisted(&walk) > 0) {
			finding_report_unlisted(&walk, &batch->out);
			add_text(batch, BATCH_NO_GROUP, false);
		}
		finding_walk_release(&walk);
	}
	if (!p->unexpected)
		return;
	/* The finding is that there is no error. */
	finding_report_place(p->origin, &batch->out);
	buffer_append_text(&batch->out, "error: the payload is valid, where an invalid one is expected\n");
	add_text(batch, BATCH_NO_GROUP, false);
}

bool batch_append_part(const struct batch *batch, size_t index, struct finding_groups *all, bool shows_all,
                       struct buffer *out, struct buffer *without)
{
	const struct batch_part *part = &batch->parts[index];
	size_t end = index + 1 < batch->part_count ? part[1].texts_at : batch->text_count, at = part->at;
	bool no_memory = false;
	for (size_t i = part->texts_at; i < end; i++) {
		const struct batch_text *text = &batch->texts[i];
		struct finding_group *group = NULL;
		if (text->group != BATCH_NO_GROUP) {
			const struct finding_group *like = &batch->groups.items[text->group];
			group = finding_groups_get(all, like, finding_group_place(like), FINDING_GROUPS_MAX,
			                           &no_memory);
		}
		bool is_shown =
		        shows_all || text->group == BATCH_NO_GROUP || (group && group->shown < FINDING_GROUP_SHOWN);
		if (is_shown)
			buffer_append(out, batch->out.data + at, text->end - at);
		if (is_shown && without && !text->is_value)
			buffer_append(without, batch->out.data + at, text->end - at);
		if (group) {
			group->shown += is_shown;
			group->values_shown += is_shown && text->is_value;
			finding_group_add_file(group, part->file, is_shown);
		}
		at = text->end;
	}
	return !no_memory;
}

static void collect_payload(struct check_thread *thread, struct batch *batch, const struct verdict *verdict,
                            const struct payload_origin *origin)
{
	const char *slash = strrchr(origin->file, '/');
	bool is_sample = shape_is_file_name(slash ? slash + 1 : origin->file);
	if (verdict->valid && verdict->kind.event && !seen_add(thread->seen, verdict, is_sample))
		batch->no_memory = true;
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
	struct batch_part *part = last && last->file == origin->file && !last->problem && !last->is_foreign
	                                  ? last
	                                  : batch_add_part(batch, origin->file);
	if (!part)
		return;
	tally->payloads++;
	tally->invalid += !verdict->valid;
	if (args->collects) {
		collect_payload(thread, batch, verdict, origin);
		return;
	}
	tally->failed += failed;
	if (args->coverage || (args->requirement.kinds | args->requirement.events) || args->reports.count > 0 ||
	    args->seen)
		coverage_add(&tally->coverage, verdict);
	if (verdict->finding_count > 0)
		for (size_t i = 0; i < FINDING_ID_COUNT; i++)
			tally->by_finding[i] += verdict->counts[i];
	if (args->reports.count > 0)
		c.ns = clock_monotonic_ns() - thread->began_ns;
	part->counts.cases++;
	part->counts.failed += failed;
	part->counts.ns += c.ns;
	if (args->global.json)
		finding_report_json(verdict, origin, &batch->out);
	else if (args->is_text && (c.unexpected || (verdict->finding_count > 0 && !args->expect_invalid)))
		list_payload(thread, batch, &c);
	for (size_t i = 0; i < args->reports.count; i++)
		args->reports.list[i].format->payload(&c, &batch->reports[i]);
}

/* A payload that got no verdict, for the thread's problem. */
static void note_unchecked(const struct check_thread *thread, struct batch *batch)
{
	if (thread->problem.code == EXIT_CODE_INTERRUPTED)
		batch->is_stopped = true;
	else
		batch->no_memory = true;
}

/* Checks what was read and is not a payload by itself. */
static void check_read_item(struct check_thread *thread, struct batch *batch, struct payload_origin *origin)
{
	const struct capture_item *item = &thread->item;
	const struct error *problem = &item->problem;
	const struct verdict *verdict = NULL;
	struct body_map map;
	thread->problem.code = EXIT_CODE_OK;
	if (item->type == CAPTURE_ITEM_SKIP)
		return;
	if (item->type == CAPTURE_ITEM_RECORD) {
		const struct message *request = &item->record.request;
		const struct text *type = message_header(request, "Content-Type");
		const struct text *coding = message_header(request, "Content-Encoding");
		struct check_options options = { .expected = thread->args->event,
			                         .checks_content_type = true,
			                         .content_type = type ? type->text : NULL,
			                         .content_encoding = coding ? coding->text : NULL };
		body_map_init(&map, item->doc, &item->record);
		origin->map = body_map_offset;
		origin->map_context = &map;
		verdict = check_payload(thread->checker, request->body.text, request->body.length, &options,
		                        &thread->problem);
	} else if (problem->code != EXIT_CODE_INTERNAL) {
		verdict = check_refused(thread->checker,
		                        item->type == CAPTURE_ITEM_BODILESS ? FINDING_MISSING_KEY
		                        : item->doc                         ? FINDING_WRONG_TYPE
		                                                            : FINDING_JSON_SYNTAX,
		                        problem->message, problem->hint, &thread->problem);
	}
	if (verdict)
		report_payload(thread, batch, verdict, origin);
	else
		note_unchecked(thread, batch);
}

/* Reads a line of which it is known or likely that it is not a payload by itself, and checks what it is. False: it is a
 * payload. */
static bool check_as_line(struct check_thread *thread, struct batch *batch, struct payload_origin *origin)
{
	struct capture_item *item = &thread->item;
	struct json_fault fault = { 0 };
	if (capture_item_read(&thread->scratch, item, &fault) && item->type != CAPTURE_ITEM_PAYLOAD) {
		check_read_item(thread, batch, origin);
		return true;
	}
	if (item->type == CAPTURE_ITEM_BAD && json_fault_is_stopped(&fault)) {
		batch->is_stopped = true;
		return true;
	}
	if (item->source.length >= BATCH_LONG_DOCUMENT)
		json_doc_release(&thread->scratch.doc); /* not two tables of a long payload at a time */
	return false;
}

/* A line that does not begin as credhook writes it is found out after it was checked as a payload: two readings for it,
 * so that all else needs only one. */
static void check_item(struct check_thread *thread, struct batch *batch, const struct mend_file *file)
{
	const struct source_item *item = &thread->item.source;
	struct payload_origin origin = { input_name(file->path), item->line, item->text, item->length,
		                         .column = thread->item.column };
	struct check_options options = { .expected = thread->args->event,
		                         .file = file,
		                         .depth = json_depth_of(file->is_lines, item->line) };
	if (thread->args->reports.count > 0)
		thread->began_ns = clock_monotonic_ns();
	if (thread->item.format) {
		check_read_item(thread, batch, &origin);
		return;
	}
	if (!item->too_long && capture_begins_as_line(item->text, item->length) &&
	    check_as_line(thread, batch, &origin))
		return;
	const struct verdict *verdict =
	        item->too_long ? check_too_long(thread->checker, &thread->problem)
	                       : check_payload(thread->checker, item->text, item->length, &options, &thread->problem);
	if (verdict && (!verdict->has_foreign_keys || capture_line_of(verdict->doc) == CAPTURE_ITEM_PAYLOAD)) {
		report_payload(thread, batch, verdict, &origin);
		return;
	}
	if (item->length >= BATCH_LONG_DOCUMENT)
		checker_trim(thread->checker);
	if (!verdict)
		note_unchecked(thread, batch);
	else if (!check_as_line(thread, batch, &origin))
		batch->no_memory = true;
}

/* Documents up to this size come from small windows, so that a folder of small files costs no big ones. */
#define SMALL_BLOCK ((size_t)32 << 10)

static bool output_full(const struct check_thread *thread, const struct batch *batch)
{
	size_t length = batch->out.length;
	for (size_t i = 0; i < thread->args->reports.count; i++)
		length += batch->reports[i].length;
	return length >= thread->output_max || batch->groups.count >= FINDING_GROUPS_MAX || batch->no_memory ||
	       batch->is_stopped;
}

/* Checks what is next in the file or block. */
static enum source_result check_next(struct check_thread *thread, struct batch *batch, struct capture_reader *reader)
{
	enum source_result got = capture_reader_next(reader, &thread->item, &thread->problem);
	if (got != SOURCE_ITEM)
		return got;
	struct mend_file file = source_mend_file(reader->source, reader->path);
	check_item(thread, batch, &file);
	if (thread->item.source.length >= BATCH_LONG_DOCUMENT) {
		checker_trim(thread->checker);
		capture_scratch_release(&thread->scratch);
	}
	return SOURCE_ITEM;
}

static void check_files(struct check_thread *thread, struct batch *batch)
{
	struct capture_reader *reader = &batch->reader;
	bool is_small = batch->bytes <= SMALL_BLOCK * batch->file_count;
	struct source_options options = { .type = thread->args->lines ? SOURCE_LINES : SOURCE_DETECT,
		                          .block = is_small ? SMALL_BLOCK : 0,
		                          .signals = thread->signals };
	while (batch->file_at < batch->file_count) {
		const struct source_file *file = &batch->files[batch->file_at];
		struct batch_part *part = NULL;
		/* What is known is written before a pipe is read on. */
		if (reader->entries && batch->out.length > 0 && !source_is_ready(reader->source))
			return;
		enum source_result got = SOURCE_ERROR;
		if (reader->source || capture_reader_open(reader, file, &options, &thread->problem) == 0)
			got = check_next(thread, batch, reader);
		if (got == SOURCE_ERROR && (part = batch_add_part(batch, input_name(file->path))) != NULL) {
			part->problem = malloc(sizeof *part->problem);
			if (part->problem)
				*part->problem = thread->problem;
			batch->no_memory |= !part->problem;
		}
		if (got != SOURCE_ITEM) {
			batch->tally.blank_lines += reader->source ? source_blank_lines(reader->source) : 0;
			part = reader->entries ? batch_add_part(batch, input_name(file->path)) : NULL;
			if (part) {
				part->is_foreign = true;
				part->entries = *entries_counts(reader->entries);
			}
			capture_reader_close(reader);
			batch->file_at++;
		}
		if (output_full(thread, batch)) {
			batch->finished = batch->is_stopped;
			return;
		}
	}
	batch->finished = true;
}

void batch_check(struct check_thread *thread, struct batch *batch)
{
	if (batch->files) {
		check_files(thread, batch);
	} else {
		struct capture_reader lines = { .path = batch->file, .source = batch->block, .is_looked_at = true };
		enum source_result got = SOURCE_ITEM;
		while (got == SOURCE_ITEM && !output_full(thread, batch))
			got = check_next(thread, batch, &lines);
		batch->finished = got != SOURCE_ITEM || batch->is_stopped;
		batch->tally.blank_lines += batch->finished ? source_blank_lines(batch->block) : 0;
	}
	batch->no_memory |= batch->out.failed;
	for (size_t i = 0; i < thread->args->reports.count; i++)
		batch->no_memory |= batch->reports[i].failed;
}
