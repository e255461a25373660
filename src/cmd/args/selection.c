#include "cmd/args/selection.h"

#include "capture/inputs.h"
#include "json/pointer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int selection_init(struct selection *s, const struct selection_options *options, struct error *err)
{
	*s = (struct selection){ .options = options };
	s->doc = JSON_DOC_INIT;
	s->refused.seen = calloc(1 + options->where.count, sizeof *s->refused.seen);
	if (!s->refused.seen)
		return error_no_memory(err);
	s->checker = checker_new(err);
	if (s->checker && options->distinct && !(s->distinct = distinct_new(err)))
		return -1;
	return s->checker ? kinds_read(&s->events, options->events.items, options->events.count, err) : -1;
}

void selection_set_stop(struct selection *s, const struct signals *signals)
{
	s->doc.stop = source_stop(signals);
	checker_set_stop(s->checker, s->doc.stop);
}

void selection_release(struct selection *s)
{
	buffer_release(&s->scratch);
	for (size_t i = 0; s->refused.seen && i <= s->options->where.count; i++)
		buffer_release(&s->refused.seen[i].shown);
	free(s->refused.seen);
	checker_free(s->checker);
	distinct_free(s->distinct);
	free(s->events.items);
	buffer_release(&s->key_pointer);
	json_doc_release(&s->doc);
}

/* Which event it is: what the record says, or what the payload is. */
static int identify(struct selection *s, const struct capture_record *record, struct error *err)
{
	const char *event = record->event.text;
	if (event && s->named[0] && strcmp(event, s->named) == 0)
		return 0;
	bool is_named = event && catalog_find_kind(event, &s->kind, NULL) == CATALOG_FOUND;
	snprintf(s->named, sizeof s->named, "%s", is_named ? event : "");
	if (is_named)
		return 0;
	const struct verdict *verdict =
	        check_payload(s->checker, record->request.body.text, record->request.body.length, NULL, err);
	s->kind = verdict ? verdict->kind : (struct catalog_kind){ NULL, NULL };
	return verdict ? 0 : -1;
}

void selection_untake(struct selection *s)
{
	distinct_untake(s->distinct);
	s->taken--;
}

/* The record that is asked about. */
struct subject {
	const struct capture_record *record;
	uint64_t line, number;
	struct buffer *key;            /* gets it */
	const struct verdict *verdict; /* checked again; NULL: not yet, or redaction withheld the body */
};

static int check(struct selection *s, struct subject *of, struct error *err)
{
	const struct text *body = &of->record->request.body;
	if (!of->verdict && !capture_record_is_withheld(of->record))
		of->verdict = check_payload(s->checker, body->text, body->length, NULL, err);
	return of->verdict || capture_record_is_withheld(of->record) ? 0 : -1;
}

static int is_of_lines(struct selection *s, struct subject *of, struct error *err)
{
	const struct selection_records *records = &s->options->records;
	(void)err;
	for (size_t i = 0; i < records->count; i++)
		if (of->line >= records->ranges[i].first && of->line <= records->ranges[i].last)
			return 1;
	return records->count == 0;
}

/* One without a time is in no span. */
static int is_in_time(struct selection *s, struct subject *of, struct error *err)
{
	const struct selection_options *o = s->options;
	int64_t us = of->record->received_us;
	(void)err;
	s->without_time += us == 0 && (o->since.given || o->until.given);
	return (!o->since.given || (us != 0 && us >= o->since.us)) &&
	       (!o->until.given || (us != 0 && us < o->until.us));
}

/* What a fault did to the sender has none. */
static int has_status(struct selection *s, struct subject *of, struct error *err)
{
	const struct selection_statuses *statuses = &s->options->statuses;
	(void)err;
	return !statuses->given || (!of->record->fault.text && status_set_contains(&statuses->set, of->record->status));
}

static int is_of_events(struct selection *s, struct subject *of, struct error *err)
{
	if (identify(s, of->record, err) < 0)
		return -1;
	for (size_t i = 0; i < s->events.count; i++)
		if (!s->events.items[i].event || catalog_kind_is(s->kind, s->events.items[i]))
			return 1;
	return s->events.count == 0;
}

/* What is not JSON is an empty document. */
static int has_values(struct selection *s, struct subject *of, struct error *err)
{
	const struct text *body = &of->record->request.body;
	(void)err;
	if (s->options->where.count > 0 || s->key_pointer.length > 0)
		json_read(&s->doc, body->text, body->length, NULL);
	s->is_keyed = s->key_pointer.length > 0 && where_value(&s->doc, buffer_text(&s->key_pointer), of->key);
	return where_matches(&s->options->where, &s->doc, &s->scratch);
}

/* What redaction withheld is not known to be either. */
static int is_as_valid(struct selection *s, struct subject *of, struct error *err)
{
	if (!s->options->invalid)
		return 1;
	if (check(s, of, err) < 0)
		return -1;
	bool is_invalid = of->verdict && !of->verdict->valid;
	s->refused.invalid += is_invalid;
	return is_invalid;
}

static int is_wanted(struct selection *s, struct subject *of, struct error *err)
{
	(void)of;
	return s->wants ? s->wants(s->wants_context, err) : 1;
}

static int is_distinct(struct selection *s, struct subject *of, struct error *err)
{
	if (!s->distinct)
		return 1;
	if (check(s, of, err) < 0)
		return -1;
	return of->verdict ? distinct_takes(s->distinct, of->verdict, of->number, &s->distinct_for, err) : 1;
}

/* Asked in order, until one refuses the record. */
static const struct {
	int (*takes)(struct selection *s, struct subject *of, struct error *err); /* 1, 0, or -1: *err */
	bool notes; /* what the inputs have: as long as nothing was taken, it is asked of what was refused, too */
} predicates[] = {
	{ is_of_lines, false }, { is_in_time, false }, { has_status, false }, { is_of_events, true },
	{ has_values, true },   { is_as_valid, true }, { is_wanted, false },  { is_distinct, false },
};

enum selection_answer selection_takes(struct selection *s, const struct capture_record *record, uint64_t line,
                                      uint64_t number, struct buffer *key, struct error *err)
{
	struct subject of = { record, line, number, key, NULL };
	bool is_enough = s->taken >= s->options->limit, is_chosen = true;
	if (is_enough && !s->counts_all) {
		s->has_more = true;
		return SELECTION_ENOUGH;
	}
	s->distinct_for = (struct distinct_taken){ .value_count = 0 };
	for (size_t i = 0; i < sizeof predicates / sizeof predicates[0]; i++) {
		if (!is_chosen && !(predicates[i].notes && s->taken == 0))
			continue;
		int takes = predicates[i].takes(s, &of, err);
		if (takes < 0)
			return SELECTION_FAILED;
		is_chosen = is_chosen && takes > 0;
	}
	if (is_chosen && is_enough) {
		s->has_more = true;
		is_chosen = false;
		if (of.verdict && s->distinct)
			distinct_untake(s->distinct);
	}
	if (!is_chosen && s->taken == 0)
		selection_note_refused(s, record, line);
	s->taken += is_chosen;
	return is_chosen ? SELECTION_YES : SELECTION_NO;
}
