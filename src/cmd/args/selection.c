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

/* What can be asked before its event is known. */
static bool is_chosen_record(struct selection *s, const struct capture_record *record, uint64_t line)
{
	const struct selection_options *o = s->options;
	int64_t us = record->received_us; /* 0: not known, and so in no span */
	bool is_among = o->records.count == 0;
	for (size_t i = 0; i < o->records.count; i++)
		is_among |= line >= o->records.ranges[i].first && line <= o->records.ranges[i].last;
	s->without_time += is_among && us == 0 && (o->since.given || o->until.given);
	if (!is_among || (o->since.given && (us == 0 || us < o->since.us)) ||
	    (o->until.given && (us == 0 || us >= o->until.us)))
		return false;
	/* What a fault did to the sender has no status. */
	bool has_status = !record->fault.text && status_set_contains(&o->statuses.set, record->status);
	return !o->statuses.given || has_status;
}

void selection_untake(struct selection *s)
{
	distinct_untake(s->distinct);
	s->taken--;
}

enum selection_answer selection_takes(struct selection *s, const struct capture_record *record, uint64_t line,
                                      uint64_t number, struct buffer *key, struct error *err)
{
	const struct selection_options *o = s->options;
	const struct text *body = &record->request.body;
	bool has_key = s->key_pointer.length > 0, is_meant = s->events.count == 0;
	bool is_enough = s->taken >= o->limit;
	if (is_enough && !s->counts_all) {
		s->has_more = true;
		return SELECTION_ENOUGH;
	}
	bool is_chosen = is_chosen_record(s, record, line);
	if (!is_chosen && s->taken > 0)
		return SELECTION_NO;
	if (identify(s, record, err) < 0)
		return SELECTION_FAILED;
	for (size_t i = 0; i < s->events.count && !is_meant; i++)
		is_meant = !s->events.items[i].event || catalog_kind_is(s->kind, s->events.items[i]);
	is_chosen = is_chosen && is_meant;
	if ((is_chosen || s->taken == 0) && (o->where.count > 0 || has_key)) /* no JSON: an empty document */
		json_read(&s->doc, body->text, body->length, NULL);
	is_chosen = is_chosen && where_matches(&o->where, &s->doc, &s->scratch);
	/* Checked again. What redaction withheld is not known to be either. */
	const struct verdict *verdict = NULL;
	bool asks_validity = o->invalid && (is_chosen || s->taken == 0), is_known = !capture_record_is_withheld(record);
	if (is_known && (asks_validity || (is_chosen && s->distinct)) &&
	    !(verdict = check_payload(s->checker, body->text, body->length, NULL, err)))
		return SELECTION_FAILED;
	if (asks_validity) {
		bool is_invalid = verdict && !verdict->valid;
		s->refused.invalid += is_invalid;
		is_chosen = is_chosen && is_invalid;
	}
	s->distinct_for = (struct distinct_taken){ .value_count = 0 };
	if (is_chosen && s->distinct && verdict) {
		int takes = distinct_takes(s->distinct, verdict, number, &s->distinct_for, err);
		if (takes < 0)
			return SELECTION_FAILED;
		is_chosen = takes > 0;
	}
	if (is_chosen && is_enough) {
		s->has_more = true;
		is_chosen = false;
		if (verdict)
			distinct_untake(s->distinct);
	}
	s->is_keyed = is_chosen && has_key && where_value(&s->doc, buffer_text(&s->key_pointer), key);
	if (!is_chosen && s->taken == 0)
		selection_note_refused(s, record, line);
	s->taken += is_chosen;
	return is_chosen ? SELECTION_YES : SELECTION_NO;
}
