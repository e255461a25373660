#include "cmd/listing.h"

#include "base/text.h"
#include "cmd/notes.h"
#include "report/finding_report.h"

#include <stdlib.h>
#include <string.h>

#define OUTPUT_BLOCK ((size_t)64 << 10)

bool listing_is_line(const struct capture_item *item)
{
	const struct source_item *source = &item->source;
	return item->kind == CAPTURE_ITEM_RECORD && !item->format &&
	       capture_begins_as_record(source->text, source->length) && !memchr(source->text, '\n', source->length);
}

/* NULL: *err. */
static const struct verdict *check(struct checker *checker, const struct capture_record *record, struct error *err)
{
	const struct text *type = message_header(&record->request, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->text : NULL };
	return check_payload(checker, record->request.body.text, record->request.body.length, &options, err);
}

int listing_complete(struct checker *checker, const struct capture_item *item, uint64_t seq,
                     char name[CATALOG_KIND_NAME_SIZE], struct capture_record *record, struct error *err)
{
	static const struct header json = { TEXT("Content-Type"), TEXT("application/json") };
	*record = item->record;
	if (item->kind == CAPTURE_ITEM_RECORD && !item->format)
		return 0;
	if (item->kind == CAPTURE_ITEM_PAYLOAD) {
		record->request.method = (struct text)TEXT("POST");
		record->request.target = (struct text)TEXT("/");
		record->request.headers = &json;
		record->request.header_count = 1;
	}
	const struct verdict *verdict = check(checker, record, err);
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
		.observer = input_notes_observer(context),
		.style = { .color = t->color_out,
		           .utf8 = t->utf8,
		           .dated = true,
		           .width = t->out_is_tty ? terminal_width() : 0 },
		.is_raw = t->json,
		.checker = checker_new(err),
		.repeats = repeats_new(),
	};
	if (l->checker && !l->repeats)
		return error_no_memory(err);
	if (!l->checker || selection_init(&l->selection, options, err) < 0 ||
	    inputs_init(&l->inputs, captures, CAPTURE_ACCEPTS_JSON, &l->observer, context->signals, err) < 0)
		return -1;
	input_notes_show(context->terminal, &l->inputs.files);
	return 0;
}

void listing_release(struct listing *l)
{
	inputs_release(&l->inputs);
	selection_release(&l->selection);
	checker_free(l->checker);
	repeats_free(l->repeats);
	buffer_release(&l->key);
	buffer_release(&l->pointer);
	buffer_release(&l->out);
}

void listing_flush(struct listing *l)
{
	if (l->is_raw)
		terminal_write_lines(l->context->terminal, buffer_text(&l->out), l->out.length);
	else
		terminal_write(l->context->terminal, buffer_text(&l->out), l->out.length);
	buffer_clear(&l->out);
}

static enum inputs_got next_item(struct listing *l, struct error *err)
{
	inputs_wait(&l->inputs, false);
	enum inputs_got got = inputs_next(&l->inputs, &l->item, err);
	if (got != INPUTS_LATER)
		return got;
	listing_flush(l);
	terminal_flush(l->context->terminal);
	inputs_wait(&l->inputs, true);
	return inputs_next(&l->inputs, &l->item, err);
}

/* Its number, and whether its body came before. */
static void number(struct listing *l)
{
	const struct capture_record *record = &l->item.record;
	if (l->file != l->inputs.at) {
		l->file = l->inputs.at;
		l->before = l->number;
	}
	l->number = l->before + l->item.line;
	l->count++;
	l->repeat = (struct repeat){ .nth = 0 };
	if (!capture_record_is_withheld(record))
		l->repeat = repeats_note(l->repeats, &record->request.body, l->number, record->received_us);
	if (l->repeat.after_us < 0 || l->repeat.after_us > INT64_MAX / 1000)
		l->repeat.after_us = 0;
}

enum selection_answer listing_next(struct listing *l, struct error *err)
{
	struct selected selected;
	while (!terminal_is_closed(l->context->terminal)) {
		enum inputs_got got = next_item(l, err);
		if (got == INPUTS_FAILED)
			return SELECTION_FAILED;
		if (got != INPUTS_ITEM)
			return SELECTION_NO;
		number(l);
		buffer_clear(&l->key);
		enum selection_answer answer =
		        selection_takes(&l->selection, &l->item.record, l->item.line, &selected, &l->key, err);
		if (answer == SELECTION_YES &&
		    listing_complete(l->checker, &l->item, l->number, l->name, &l->record, err) < 0)
			return SELECTION_FAILED;
		if (answer != SELECTION_NO)
			return answer;
	}
	return SELECTION_NO;
}

int listing_append_record(struct listing *l, struct buffer *out, struct error *err)
{
	if (listing_is_line(&l->item)) {
		buffer_append(out, l->item.source.text, l->item.source.length);
		buffer_append_byte(out, '\n');
	} else {
		capture_record_append(&l->record, out);
	}
	return out->failed ? error_no_memory(err) : 0;
}

/* Where the first finding is. */
static void point(struct listing *l, const struct verdict *verdict)
{
	const struct text *body = &l->record.request.body;
	struct payload_origin origin = { "", 1, body->text, body->length, NULL, NULL, 1 };
	struct finding_walk walk;
	buffer_clear(&l->pointer);
	finding_walk_init(&walk, verdict, &origin);
	if (finding_walk_next(&walk)) {
		const struct buffer *pointer = finding_walk_pointer(&walk);
		buffer_append(&l->pointer, buffer_text(pointer), pointer->length);
	}
	finding_walk_release(&walk);
}

int listing_append(struct listing *l, struct error *err)
{
	if (l->context->terminal->json)
		return listing_append_record(l, &l->out, err);
	const struct verdict *verdict = NULL;
	if (!capture_record_is_withheld(&l->record) && !(verdict = check(l->checker, &l->record, err)))
		return -1;
	struct arrival arrival = arrival_of(&l->record, verdict);
	arrival.seq = l->number;
	arrival.repeat = l->repeat;
	if (arrival.message) {
		point(l, verdict);
		arrival.pointer = buffer_text(&l->pointer);
	}
	arrival_append_short(&arrival, &l->style, &l->out);
	if (l->out.failed)
		return error_no_memory(err);
	if (l->out.length >= OUTPUT_BLOCK)
		listing_flush(l);
	return 0;
}

bool listing_is_number(const char *word)
{
	const char *digits = word[0] == '#' ? word + 1 : word;
	return strcmp(word, "last") == 0 || (digits[0] && digits[strspn(digits, "0123456789")] == '\0');
}

void listing_drop(struct picked *picked, size_t count)
{
	for (size_t i = 0; picked && i < count; i++)
		buffer_release(&picked[i].line);
	free(picked);
}

/* Takes the notification at hand where it is asked for. *missing is how many were not found yet. */
static int take(struct listing *l, struct picked *picked, size_t count, size_t *missing, struct error *err)
{
	*missing = 0;
	for (size_t i = 0; i < count; i++) {
		struct picked *p = &picked[i];
		if (p->is_last || (p->number == l->number && p->line.length == 0)) {
			buffer_clear(&p->line);
			p->number = l->number;
			p->repeat = l->repeat;
			if (listing_append_record(l, &p->line, err) < 0)
				return -1;
		}
		*missing += p->is_last || p->line.length == 0;
	}
	return 0;
}

int listing_pick(struct listing *l, const struct text_list *words, struct picked **result, struct error *err)
{
	size_t missing = words->count;
	enum selection_answer answer = SELECTION_YES;
	struct picked *picked = *result = calloc(words->count + 1, sizeof *picked);
	if (!picked)
		return error_no_memory(err);
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->items[i];
		picked[i].is_last = strcmp(word, "last") == 0;
		if (!picked[i].is_last && !count_read(word + (word[0] == '#'), UINT64_MAX, &picked[i].number))
			return error_set(err, EXIT_CODE_USAGE, "'%s' is not the number of a notification", word);
	}
	while (missing > 0 && (answer = listing_next(l, err)) == SELECTION_YES)
		if (take(l, picked, words->count, &missing, err) < 0)
			return -1;
	if (answer == SELECTION_FAILED)
		return -1;
	for (size_t i = 0; i < words->count; i++) {
		if (picked[i].line.length > 0)
			continue;
		error_set(err, EXIT_CODE_USAGE, "there is no notification '%s'", words->items[i]);
		return error_hint(err, "the last is #%llu; a list of them has their numbers",
		                  (unsigned long long)l->number);
	}
	return 0;
}
