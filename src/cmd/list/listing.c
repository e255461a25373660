#include "cmd/list/listing.h"

#include "base/mend.h"
#include "base/text.h"
#include "cmd/words/notes.h"

#include <stdlib.h>
#include <string.h>

#define OUTPUT_BLOCK ((size_t)64 << 10)

bool listing_is_line(const struct capture_item *item)
{
	const struct source_item *source = &item->source;
	return item->type == CAPTURE_ITEM_RECORD && !item->format &&
	       capture_begins_as_record(source->text, source->length) && !memchr(source->text, '\n', source->length);
}

/* The line of a record of ours, which is kept as it is; of others none. */
static struct text line_of(const struct capture_item *item)
{
	const struct source_item *source = &item->source;
	return listing_is_line(item) ? (struct text){ source->text, source->length } : (struct text){ NULL, 0 };
}

const struct verdict *listing_check(struct checker *checker, const struct capture_record *record, struct error *err)
{
	const struct text *type = message_header(&record->request, "Content-Type");
	const struct text *coding = message_header(&record->request, "Content-Encoding");
	struct check_options options = { .checks_content_type = true,
		                         .content_type = type ? type->text : NULL,
		                         .content_encoding = coding ? coding->text : NULL };
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

void listing_flush(struct listing *l)
{
	if (l->is_raw)
		terminal_write_lines(l->context->terminal, &l->out);
	else
		terminal_write_buffer(l->context->terminal, &l->out);
	buffer_clear(&l->out);
}

int listing_take_line(struct listing *l, struct text line, struct error *err)
{
	l->line = line;
	l->line.length -= text_ends_with(line.text, line.length, "\n");
	return capture_record_parse(&l->scratch, l->line.text, l->line.length, &l->record, err);
}

int listing_take_kept(struct listing *l, struct spool *spool, uint64_t key, uint64_t number, struct error *err)
{
	struct text line;
	l->number = number;
	return spool_read(spool, key, &line, &l->facts, &l->kept, err) < 0 ? -1 : listing_take_line(l, line, err);
}

static int next_of_session(struct listing *l, struct error *err)
{
	uint64_t next = l->number + 1;
	if (next > spool_count(l->list->spool) || !signals_wait_input(l->context->signals, -1, 0))
		return 0;
	return listing_take_kept(l, l->list->spool, next, next, err) < 0 ? -1 : 1;
}

/* Prints what it has before it waits for a pipe. */
static int next_of_inputs(struct listing *l, struct error *err)
{
	l->inputs.no_wait = true;
	enum inputs_got got = inputs_next(&l->inputs, &l->item, err);
	if (got == INPUTS_LATER) {
		listing_flush(l);
		terminal_flush(l->context->terminal);
		l->inputs.no_wait = false;
		got = inputs_next(&l->inputs, &l->item, err);
	}
	if (got != INPUTS_ITEM)
		return got == INPUTS_FAILED ? -1 : 0;
	l->number = l->inputs.number;
	l->record = l->item.record;
	l->facts = (struct spool_facts){ .repeat = listing_repeat(l->repeats, &l->record, l->number), .error = "" };
	return 1;
}

/* A pipe cannot be read again. */
static int set_show(struct listing *l, const struct text_list *captures, struct error *err)
{
	buffer_append_text(&l->show, l->list ? "show" : "credhook show");
	for (size_t i = 0; i < captures->count; i++)
		mend_append(&l->show, " FILE", &(struct mend_file){ .path = captures->items[i] });
	l->style.show = l->list || source_files_measure(&l->inputs.files) > 0 ? buffer_text(&l->show) : NULL;
	return l->show.failed ? error_no_memory(err) : 0;
}

int listing_init(struct listing *l, struct context *context, const struct text_list *captures,
                 const struct selection_options *options, struct error *err)
{
	const struct terminal *t = context->terminal;
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
	if (!l->checker || selection_init(&l->selection, options, err) < 0)
		return -1;
	checker_set_stop(l->checker, source_stop(context->signals));
	selection_set_stop(&l->selection, context->signals);
	l->next = l->list ? next_of_session : next_of_inputs;
	if (l->list) {
		l->style.forwards = spool_forwards(l->list->spool);
		return set_show(l, captures, err);
	}
	if (inputs_init(&l->inputs, captures, CAPTURE_ACCEPTS_JSON, &l->observer, context->signals, err) < 0 ||
	    inputs_check(&l->inputs, err) < 0)
		return -1;
	input_notes_show(context->terminal, &l->inputs.files);
	return set_show(l, captures, err);
}

void listing_release(struct listing *l)
{
	capture_scratch_release(&l->scratch);
	inputs_release(&l->inputs);
	selection_release(&l->selection);
	checker_free(l->checker);
	free(l->repeats);
	buffer_release(&l->kept);
	buffer_release(&l->out);
	buffer_release(&l->show);
}

/* Whether the one at hand is chosen; then it is completed. */
static enum selection_answer choose(struct listing *l, struct error *err)
{
	uint64_t line = l->list ? l->number : l->item.line;
	enum selection_answer answer = selection_takes(&l->selection, &l->record, line, l->number, NULL, err);
	l->count++;
	if (answer == SELECTION_YES && !l->list) {
		if (listing_complete(l->checker, &l->item, l->number, l->name, &l->record, err) < 0)
			return SELECTION_FAILED;
		l->line = line_of(&l->item);
	}
	if (l->causes && answer >= 0 &&
	    list_causes_see(l->causes, &l->record, l->number, answer == SELECTION_YES, err) < 0)
		return SELECTION_FAILED;
	return answer;
}

enum selection_answer listing_next(struct listing *l, struct error *err)
{
	enum selection_answer answer = SELECTION_NO;
	int got = 1;
	while (answer == SELECTION_NO && !terminal_is_closed(l->context->terminal) && (got = l->next(l, err)) > 0)
		answer = l->selected ? SELECTION_YES : choose(l, err);
	if (got < 0)
		answer = SELECTION_FAILED;
	/* A signal within a record is for those who take it: it ends the list, as one between two does. */
	bool is_stopped = answer == SELECTION_FAILED && err->code == EXIT_CODE_INTERRUPTED;
	return is_stopped ? SELECTION_NO : answer;
}

static int append_line(struct text line, const struct capture_record *record, struct buffer *out, struct error *err)
{
	if (line.text) {
		buffer_append(out, line.text, line.length);
		buffer_append_byte(out, '\n');
	} else {
		capture_record_append(record, out);
	}
	return out->failed ? error_no_memory(err) : 0;
}

int listing_append_item(const struct capture_item *item, const struct capture_record *record, struct buffer *out,
                        struct error *err)
{
	return append_line(line_of(item), record, out, err);
}

int listing_append_record(const struct listing *l, struct buffer *out, struct error *err)
{
	return append_line(l->line, &l->record, out, err);
}

struct arrival listing_arrival_of(const struct capture_record *record, uint64_t number, const struct spool_facts *facts,
                                  const struct verdict *verdict)
{
	struct arrival arrival = arrival_of(record, verdict);
	arrival.seq = number;
	arrival.repeat = facts->repeat;
	arrival.is_forwarded = facts->is_forwarded;
	arrival.latency_ns = facts->latency_ns;
	arrival.error = facts->error;
	return arrival;
}

struct arrival listing_arrival(const struct listing *l, const struct verdict *verdict)
{
	return listing_arrival_of(&l->record, l->number, &l->facts, verdict);
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
		arrival.method.text = NULL; /* its head has it */
	arrival_append(&arrival, &l->style, &l->out);
	if (verdict)
		arrival_append_findings(&l->style, &l->record.request.body, verdict, l->number, &l->out);
	if (l->context->terminal->verbose)
		arrival_append_request(&l->record.request, &l->out);
	if (l->out.length >= OUTPUT_BLOCK)
		listing_flush(l);
	return 0;
}
