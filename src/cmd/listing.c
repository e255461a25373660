#include "cmd/listing.h"

#include "base/hash.h"
#include "base/text.h"
#include "cmd/notes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OUTPUT_BLOCK ((size_t)64 << 10)

bool listing_is_line(const struct capture_item *item)
{
	const struct source_item *source = &item->source;
	return item->type == CAPTURE_ITEM_RECORD && !item->format &&
	       capture_begins_as_record(source->text, source->length) && !memchr(source->text, '\n', source->length);
}

const struct verdict *listing_check(struct checker *checker, const struct capture_record *record, struct error *err)
{
	const struct text *type = message_header(&record->request, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->text : NULL };
	return check_payload(checker, record->request.body.text, record->request.body.length, &options, err);
}

struct repeat listing_repeat(struct repeats *repeats, const struct capture_record *record, uint64_t number)
{
	if (capture_record_is_withheld(record))
		return (struct repeat){ .nth = 0 };
	return repeats_note(repeats, &record->request.body, number, record->received_us);
}

int listing_complete(struct checker *checker, const struct capture_item *item, uint64_t seq,
                     char name[CATALOG_KIND_NAME_SIZE], struct capture_record *record, struct error *err)
{
	static const struct header json = { TEXT("Content-Type"), TEXT("application/json") };
	*record = item->record;
	if (item->type == CAPTURE_ITEM_RECORD && !item->format)
		return 0;
	if (item->type == CAPTURE_ITEM_PAYLOAD) {
		record->request.method = (struct text)TEXT("POST");
		record->request.target = (struct text)TEXT("/");
		record->request.headers = &json;
		record->request.header_count = 1;
	}
	const struct verdict *verdict = listing_check(checker, record, err);
	if (!verdict)
		return -1;
	record->valid = verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID;
	record->seq = seq;
	if (verdict->kind.event) {
		catalog_kind_name(verdict->kind, name);
		record->event = text_of(name);
	}
	return 0;
}

static void release_file(struct opened_file *file)
{
	free(file->path);
	free(file->places);
}

void session_list_release(struct session_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		release_file(&list->files[i]);
	free(list->files);
}

/* Notes where the item is. */
static int add_place(struct session_list *list, const struct inputs *inputs, const struct capture_item *item,
                     bool is_new, struct error *err)
{
	if (is_new) {
		char *path = strdup(inputs->reader.path);
		if (!path || !ARRAY_ROOM(list->files, list->capacity, list->count + 1)) {
			free(path);
			return error_no_memory(err);
		}
		list->files[list->count++] = (struct opened_file){ .path = path, .before = list->last };
	}
	struct opened_file *file = &list->files[list->count - 1];
	if (!ARRAY_ROOM(file->places, file->capacity, file->count + 1))
		return error_no_memory(err);
	file->places[file->count++] =
	        (struct opened_place){ item->line, hash_bytes(item->source.text, item->source.length) };
	list->last = file->before + item->line;
	return 0;
}

/* Adds the file, which the list owns then, instead of what it has of that path. There is room. */
static void add_file(struct session_list *list, const struct opened_file *file)
{
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->files[i].path, file->path) == 0)
			release_file(&list->files[i]);
		else
			list->files[kept++] = list->files[i];
	}
	list->files[kept] = *file;
	list->count = kept + 1;
}

int session_list_open(struct session_list *list, struct context *context, const struct text_list *captures,
                      struct error *err)
{
	struct inputs_observer observer = input_notes_observer(context);
	LOCAL(session_list_release) struct session_list opened = { .last = list->last };
	LOCAL(inputs_release) struct inputs inputs = { .scratch = CAPTURE_SCRATCH_INIT };
	struct capture_item item;
	struct stat status;
	size_t at = 0, added = 0;
	enum inputs_got got;
	char count[COUNT_SIZE];
	for (size_t i = 0; i < captures->count; i++) {
		const char *path = captures->items[i];
		if (strcmp(path, "-") == 0 ||
		    (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) {
			error_set(err, EXIT_CODE_USAGE, "'%s' cannot be opened: it can be read only once", path);
			return error_hint(err, "a session reads captures again: write it to a file first");
		}
	}
	if (inputs_init(&inputs, captures, CAPTURE_ACCEPTS_JSON, &observer, context->signals, err) < 0 ||
	    inputs_check(&inputs, err) < 0)
		return -1;
	input_notes_show(context->terminal, &inputs.files);
	for (; (got = inputs_next(&inputs, &item, err)) == INPUTS_ITEM; at = inputs.at, added++)
		if (add_place(&opened, &inputs, &item, at != inputs.at, err) < 0)
			return -1;
	if (signals_take(context->signals) != 0)
		return EXIT_CODE_INTERRUPTED;
	if (got == INPUTS_FAILED)
		return -1;
	if (added == 0) {
		error_set(err, exit_code_worse(EXIT_CODE_FAILED, inputs.code), "no notification in the inputs");
		return error_hint(err, "a file of commands is run with 'credhook shell -f FILE'");
	}
	if (!ARRAY_ROOM(list->files, list->capacity, list->count + opened.count))
		return error_no_memory(err);
	terminal_note(context->terminal, "%s record%s: #%llu to #%llu", count_text(added, count), added == 1 ? "" : "s",
	              (unsigned long long)(opened.files[0].before + opened.files[0].places[0].line),
	              (unsigned long long)opened.last);
	for (size_t i = 0; i < opened.count; i++)
		add_file(list, &opened.files[i]);
	opened.count = 0;
	list->last = opened.last;
	return (int)inputs.code;
}

/* What was wrong with the records was said when their file was opened. */
static void on_problem_again(void *context, const struct error *problem)
{
	if (problem->code != EXIT_CODE_FAILED)
		input_notes_observer(context).problem(context, problem);
}

int listing_init(struct listing *l, struct context *context, const struct text_list *captures,
                 const struct selection_options *options, struct error *err)
{
	const struct terminal *t = context->terminal;
	LOCAL(text_list_release) struct text_list paths = { 0 };
	*l = (struct listing){
		.context = context,
		.list = captures->count == 0 ? context->list : NULL,
		.observer = input_notes_observer(context),
		.inputs.scratch = CAPTURE_SCRATCH_INIT,
		.scratch = CAPTURE_SCRATCH_INIT,
		.style = { .color = t->color_out, .utf8 = t->utf8, .width = terminal_out_width(t) },
		.is_raw = t->json,
		.checker = checker_new(err),
		.repeats = repeats_new(),
	};
	if (l->checker && !l->repeats)
		return error_no_memory(err);
	for (size_t i = 0; l->list && i < l->list->count; i++)
		if (text_list_add(&paths, l->list->files[i].path, err) < 0)
			return -1;
	for (size_t i = 0; l->list && i < l->list->arrived->count; i++)
		l->style.forwards |= l->list->arrived->items[i]->arrival.is_forwarded;
	if (l->list) {
		l->observer.problem = on_problem_again;
		captures = &paths;
	}
	if (!l->checker || selection_init(&l->selection, options, err) < 0 ||
	    inputs_init(&l->inputs, captures, CAPTURE_ACCEPTS_JSON, &l->observer, context->signals, err) < 0 ||
	    (!l->list && inputs_check(&l->inputs, err) < 0))
		return -1;
	l->inputs.is_again = l->list != NULL;
	input_notes_show(context->terminal, &l->inputs.files);
	return 0;
}

void listing_release(struct listing *l)
{
	capture_scratch_release(&l->scratch);
	inputs_release(&l->inputs);
	selection_release(&l->selection);
	checker_free(l->checker);
	free(l->repeats);
	buffer_release(&l->out);
}

void listing_flush(struct listing *l)
{
	if (l->is_raw)
		terminal_write_lines(l->context->terminal, &l->out);
	else
		terminal_write_buffer(l->context->terminal, &l->out);
	buffer_clear(&l->out);
}

static enum inputs_got next_item(struct listing *l, struct error *err)
{
	l->inputs.no_wait = true;
	enum inputs_got got = inputs_next(&l->inputs, &l->item, err);
	if (got != INPUTS_LATER)
		return got;
	listing_flush(l);
	terminal_flush(l->context->terminal);
	l->inputs.no_wait = false;
	return inputs_next(&l->inputs, &l->item, err);
}

/* The number of the item, if it is in the list and still the same; 0: it is not. */
static uint64_t number_listed(struct listing *l)
{
	const struct source_item *text = &l->item.source;
	const struct opened_place *place;
	if (l->file != l->inputs.at) {
		l->file = l->inputs.at;
		l->opened = NULL;
		l->place = 0;
		for (size_t i = 0; i < l->list->count; i++)
			if (strcmp(l->list->files[i].path, l->inputs.reader.path) == 0)
				l->opened = &l->list->files[i];
	}
	while (l->opened && l->place < l->opened->count && l->opened->places[l->place].line < l->item.line)
		l->place++;
	if (!l->opened || l->place == l->opened->count)
		return 0;
	place = &l->opened->places[l->place];
	if (place->line != l->item.line || place->hash != hash_bytes(text->text, text->length))
		return 0;
	l->found++;
	return l->opened->before + l->item.line;
}

/* The next of a session's list: of its files, or what arrived, whichever has the lower number. */
static enum inputs_got next_listed(struct listing *l, struct error *err)
{
	const struct history *arrived = l->list->arrived;
	while (l->held == 0 && !l->is_read) {
		enum inputs_got got = next_item(l, err);
		if (got == INPUTS_ITEM)
			l->held = number_listed(l);
		else if (got == INPUTS_FAILED || !inputs_ended(&l->inputs))
			return got;
		else
			l->is_read = true;
	}
	l->arrived = NULL;
	if (l->arrival < arrived->count && (l->held == 0 || arrived->items[l->arrival]->arrival.seq < l->held)) {
		l->arrived = arrived->items[l->arrival++];
		l->number = l->arrived->arrival.seq;
		l->repeat = l->arrived->arrival.repeat;
		return capture_record_parse(&l->scratch, l->arrived->record, l->arrived->length, &l->record, err) < 0
		               ? INPUTS_FAILED
		               : INPUTS_ITEM;
	}
	if (l->held == 0)
		return INPUTS_NONE;
	l->number = l->held;
	l->held = 0;
	return INPUTS_ITEM;
}

enum selection_answer listing_next(struct listing *l, struct error *err)
{
	if (l->selected) {
		if (l->selected_at == l->selected->count)
			return SELECTION_NO;
		const struct selected_record *next = &l->selected->items[l->selected_at++];
		l->number = next->number;
		l->repeat = next->repeat;
		l->arrived = next->arrived;
		if (capture_record_parse(&l->scratch, next->line.data, next->line.length, &l->record, err) < 0)
			return SELECTION_FAILED;
		l->record.seq = l->number;
		return SELECTION_YES;
	}
	while (!terminal_is_closed(l->context->terminal)) {
		enum inputs_got got = l->list ? next_listed(l, err) : next_item(l, err);
		if (got == INPUTS_FAILED)
			return SELECTION_FAILED;
		if (got != INPUTS_ITEM)
			return SELECTION_NO;
		l->number = l->list ? l->number : l->inputs.number;
		if (!l->arrived)
			l->repeat = listing_repeat(l->repeats, &l->item.record, l->number);
		l->count++;
		enum selection_answer answer = selection_takes(&l->selection, l->arrived ? &l->record : &l->item.record,
		                                               l->list ? l->number : l->item.line, NULL, err);
		if (answer == SELECTION_YES && !l->arrived &&
		    listing_complete(l->checker, &l->item, l->number, l->name, &l->record, err) < 0)
			return SELECTION_FAILED;
		if (answer != SELECTION_NO)
			return answer;
	}
	return SELECTION_NO;
}

int listing_append_record(struct listing *l, struct buffer *out, struct error *err)
{
	if (l->selected) {
		const struct buffer *line = &l->selected->items[l->selected_at - 1].line;
		buffer_append(out, line->data, line->length);
	} else if (l->arrived) {
		buffer_append(out, l->arrived->record, l->arrived->length);
	} else if (listing_is_line(&l->item)) {
		buffer_append(out, l->item.source.text, l->item.source.length);
		buffer_append_byte(out, '\n');
	} else {
		capture_record_append(&l->record, out);
	}
	return out->failed ? error_no_memory(err) : 0;
}

struct arrival listing_arrival(const struct listing *l, const struct verdict *verdict)
{
	struct arrival arrival = arrival_of(&l->record, verdict);
	arrival.seq = l->number;
	arrival.repeat = l->repeat;
	if (l->arrived) {
		arrival.is_forwarded = l->arrived->arrival.is_forwarded;
		arrival.latency_ns = l->arrived->arrival.latency_ns;
		arrival.error = l->arrived->arrival.error;
	}
	return arrival;
}

int listing_append(struct listing *l, struct error *err)
{
	if (l->context->terminal->json)
		return listing_append_record(l, &l->out, err);
	const struct verdict *verdict = NULL;
	if (!capture_record_is_withheld(&l->record) && !(verdict = listing_check(l->checker, &l->record, err)))
		return -1;
	struct arrival arrival = listing_arrival(l, verdict);
	arrival_count(&l->counts, verdict, arrival.status, arrival.fault != NULL);
	if (l->context->terminal->verbose)
		arrival.method = NULL; /* its head has it */
	arrival_append(&arrival, &l->style, &l->out);
	if (verdict)
		arrival_append_findings(&l->style, &l->record.request.body, verdict, l->number, &l->out);
	if (l->context->terminal->verbose)
		arrival_append_request(&l->record.request, &l->out);
	if (l->out.length >= OUTPUT_BLOCK)
		listing_flush(l);
	return 0;
}

enum exit_code listing_code(const struct listing *l)
{
	enum exit_code code = l->inputs.code;
	size_t all = 0;
	for (size_t i = 0; l->list && i < l->list->count; i++)
		all += l->list->files[i].count;
	if (l->list && code == EXIT_CODE_FAILED)
		code = EXIT_CODE_OK;
	if (!l->is_read || l->inputs.at == 0 || l->found == all)
		return code;
	terminal_warn(l->context->terminal, "records that are not where they were: %zu; 'open FILE' reads it again",
	              all - l->found);
	return exit_code_worse(code, EXIT_CODE_FAILED);
}

const struct opened_file *session_list_file(const struct session_list *list, uint64_t number)
{
	for (size_t i = 0; list && i < list->count; i++) {
		const struct opened_file *f = &list->files[i];
		for (size_t k = 0; number > f->before && k < f->count; k++)
			if (f->before + f->places[k].line == number)
				return f;
	}
	return NULL;
}
