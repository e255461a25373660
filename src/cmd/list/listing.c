#include "cmd/list/listing.h"

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
	if (l->list) {
		l->style.forwards = spool_forwards(l->list->spool);
		return 0;
	}
	if (inputs_init(&l->inputs, captures, CAPTURE_ACCEPTS_JSON, &l->observer, context->signals, err) < 0 ||
	    inputs_check(&l->inputs, err) < 0)
		return -1;
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
	buffer_release(&l->kept);
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

/* Reads an entry of the session's list. */
static int read_listed(struct listing *l, uint64_t number, struct error *err)
{
	l->number = number;
	if (spool_read(l->list->spool, number, &l->line, &l->facts, &l->kept, err) < 0)
		return -1;
	l->repeat = l->facts.repeat;
	return capture_record_parse(&l->scratch, l->line.text, l->line.length, &l->record, err);
}

/* The next of those that were named. */
static enum selection_answer next_selected(struct listing *l, struct error *err)
{
	if (l->selected_at == l->selected->count)
		return SELECTION_NO;
	const struct selected_record *next = &l->selected->items[l->selected_at++];
	if (l->list)
		return read_listed(l, next->number, err) < 0 ? SELECTION_FAILED : SELECTION_YES;
	l->number = next->number;
	l->repeat = next->repeat;
	l->line = (struct text){ buffer_text(&next->line), next->line.length };
	if (capture_record_parse(&l->scratch, l->line.text, l->line.length, &l->record, err) < 0)
		return SELECTION_FAILED;
	l->record.seq = l->number;
	return SELECTION_YES;
}

/* The next of a session's list that is chosen. */
static enum selection_answer next_listed(struct listing *l, struct error *err)
{
	while (l->number < spool_count(l->list->spool) && signals_wait_input(l->context->signals, -1, 0)) {
		if (read_listed(l, l->number + 1, err) < 0)
			return SELECTION_FAILED;
		l->count++;
		enum selection_answer answer =
		        selection_takes(&l->selection, &l->record, l->number, l->number, NULL, err);
		if (l->causes && answer >= 0 &&
		    list_causes_see(l->causes, &l->record, l->number, answer == SELECTION_YES, err) < 0)
			return SELECTION_FAILED;
		if (answer != SELECTION_NO)
			return answer;
	}
	return SELECTION_NO;
}

/* The next of the inputs that is chosen. */
static enum selection_answer next_of_inputs(struct listing *l, struct error *err)
{
	enum inputs_got got;
	while ((got = next_item(l, err)) == INPUTS_ITEM) {
		l->number = l->inputs.number;
		l->repeat = listing_repeat(l->repeats, &l->item.record, l->number);
		l->count++;
		enum selection_answer answer =
		        selection_takes(&l->selection, &l->item.record, l->item.line, l->number, NULL, err);
		if (answer == SELECTION_YES &&
		    listing_complete(l->checker, &l->item, l->number, l->name, &l->record, err) < 0)
			return SELECTION_FAILED;
		const struct capture_record *seen = answer == SELECTION_YES ? &l->record : &l->item.record;
		if (l->causes && answer >= 0 &&
		    list_causes_see(l->causes, seen, l->number, answer == SELECTION_YES, err) < 0)
			return SELECTION_FAILED;
		if (answer != SELECTION_NO || terminal_is_closed(l->context->terminal))
			return answer;
	}
	return got == INPUTS_FAILED ? SELECTION_FAILED : SELECTION_NO;
}

enum selection_answer listing_next(struct listing *l, struct error *err)
{
	if (terminal_is_closed(l->context->terminal))
		return SELECTION_NO;
	enum selection_answer answer = l->selected ? next_selected(l, err)
	                               : l->list   ? next_listed(l, err)
	                                           : next_of_inputs(l, err);
	/* A signal within a record is for those who take it: it ends the list, as one between two does. */
	bool is_stopped = answer == SELECTION_FAILED && err->code == EXIT_CODE_INTERRUPTED;
	return is_stopped ? SELECTION_NO : answer;
}

int listing_append_item(const struct capture_item *item, const struct capture_record *record, struct buffer *out,
                        struct error *err)
{
	if (listing_is_line(item)) {
		buffer_append(out, item->source.text, item->source.length);
		buffer_append_byte(out, '\n');
	} else {
		capture_record_append(record, out);
	}
	return out->failed ? error_no_memory(err) : 0;
}

int listing_append_record(struct listing *l, struct buffer *out, struct error *err)
{
	if (!l->selected && !l->list)
		return listing_append_item(&l->item, &l->record, out, err);
	buffer_append(out, l->line.text, l->line.length);
	return out->failed ? error_no_memory(err) : 0;
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
	const struct spool_facts streamed = { .repeat = l->repeat, .error = "" };
	return listing_arrival_of(&l->record, l->number, l->list ? &l->facts : &streamed, verdict);
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
