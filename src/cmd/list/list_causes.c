#include "cmd/list/list_causes.h"

#include "base/fit.h"
#include "base/text.h"
#include "http/head.h"
#include "http/secrets.h"

#include <stdlib.h>
#include <string.h>

struct list_causes {
	struct context *context;
	const struct text_list *captures;
	struct spool *list; /* a shell's */
	struct day *day;
	uint64_t last;         /* number that was seen */
	bool has_unselected;   /* some were not selected */
	struct header *fields; /* of the record at hand, as far as they are facts */
	size_t field_capacity;
	struct buffer sender;
	/* What cannot be read twice: */
	bool is_piped;
	struct spool *kept; /* NULL: nothing yet, or it was too much */
	uint64_t *numbers;
	size_t kept_count, number_capacity;
	size_t kept_bytes;
	struct error not_kept; /* why, where it was not too much */
	const struct day_cause *causes;
	size_t count;
};

struct list_causes *list_causes_new(struct context *context, const struct text_list *captures, struct spool *list,
                                    bool is_piped, struct error *err)
{
	struct list_causes *l = calloc(1, sizeof *l);
	if (!l)
		return error_no_memory_null(err);
	*l = (struct list_causes){ .context = context, .captures = captures, .list = list, .is_piped = is_piped };
	l->day = day_new(err);
	if (l->day)
		return l;
	free(l);
	return NULL;
}

void list_causes_free(struct list_causes *l)
{
	if (!l)
		return;
	day_free(l->day);
	spool_free(l->kept);
	free(l->numbers);
	free(l->fields);
	buffer_release(&l->sender);
	free(l);
}

/* Values that differ from request to request. */
static bool is_of_each(const struct header *h)
{
	static const char *const names[] = { "Content-Length", "Date", "X-Request-Id", "traceparent" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (header_is(h, names[i]))
			return true;
	return false;
}

/* The host without the port, which is another one for each connection. */
static void take_sender(struct buffer *out, struct text remote)
{
	const char *text = remote.text, *colon = remote.length > 0 ? memchr(text, ':', remote.length) : NULL;
	const char *bracket = remote.length > 0 && text[0] == '[' ? memchr(text, ']', remote.length) : NULL;
	bool has_port = colon && !memchr(colon + 1, ':', (size_t)(text + remote.length - colon - 1));
	buffer_clear(out);
	buffer_append(out, text,
	              bracket    ? (size_t)(bracket + 1 - text)
	              : has_port ? (size_t)(colon - text)
	                         : remote.length);
}

/* What the record says of itself; false: no memory. A secret is not a fact; that there is one is. */
static bool fill_request(struct list_causes *l, const struct capture_record *record, uint64_t number,
                         struct day_request *r)
{
	static const struct text mask = TEXT(SECRET_MASK), of_each = TEXT("...");
	size_t count = record->request.header_count;
	if (!ARRAY_ROOM(l->fields, l->field_capacity, count + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		l->fields[i] = record->request.headers[i];
		if (is_of_each(&l->fields[i]))
			l->fields[i].value = of_each;
		else if (header_is_secret(&l->fields[i]))
			l->fields[i].value = mask;
	}
	take_sender(&l->sender, record->remote);
	*r = (struct day_request){
		.what = { .body = record->request.body.text,
		          .length = record->request.body.length,
		          .headers = l->fields,
		          .header_count = count,
		          .sender = l->sender.length > 0 ? buffer_text(&l->sender) : NULL,
		          .is_recorded = true,
		          .target = record->request.target },
		.number = number,
		.received_us = record->received_us,
		.status = record->fault.text ? 0 : record->status,
		.said = record->response_text,
		.event = record->event,
		.is_selected = true,
	};
	return !l->sender.failed;
}

/* Keeps what cannot be read twice. */
static int keep(struct list_causes *l, const struct capture_record *record, uint64_t number, struct error *err)
{
	if (record->status == 0 || l->kept_bytes > LIST_CAUSES_KEPT)
		return 0;
	l->kept_bytes += record->request.body.length + record->request.header_count * 32 + 256;
	if (!ARRAY_ROOM(l->numbers, l->number_capacity, l->kept_count + 1))
		return error_no_memory(err);
	if (!l->kept && l->kept_count == 0)
		l->kept = spool_new(&l->not_kept);
	bool is_kept = l->kept && l->kept_bytes <= LIST_CAUSES_KEPT &&
	               spool_add_record(l->kept, record, (struct text){ NULL, 0 }, &l->not_kept) == 0;
	if (is_kept) {
		l->numbers[l->kept_count++] = number;
		return 0;
	}
	spool_free(l->kept);
	l->kept = NULL;
	l->kept_bytes = LIST_CAUSES_KEPT + 1;
	return 0;
}

int list_causes_see(struct list_causes *l, const struct capture_record *record, uint64_t number, bool is_selected,
                    struct error *err)
{
	struct day_request q = { .number = number,
		                 .received_us = record->received_us,
		                 .status = record->fault.text ? 0 : record->status };
	l->last = number;
	l->has_unselected |= !is_selected;
	if (l->is_piped && keep(l, record, number, err) < 0)
		return -1;
	if (day_is_failure(&q) && is_selected && !capture_record_is_withheld(record) &&
	    !fill_request(l, record, number, &q))
		return error_no_memory(err);
	q.is_selected = is_selected && !capture_record_is_withheld(record);
	return day_add(l->day, &q, err);
}

static int compare(struct list_causes *l, const struct capture_record *record, uint64_t number, struct error *err)
{
	struct day_request q;
	if (record->status == 0 || capture_record_is_withheld(record))
		return 0;
	if (!fill_request(l, record, number, &q))
		return error_no_memory(err);
	return day_compare(l->day, &q, err);
}

/* Reads what was kept, or a shell's list. 1: a signal is waiting. */
static int compare_kept(struct list_causes *l, struct spool *spool, uint64_t count, struct error *err)
{
	struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	LOCAL_BUFFER kept = BUFFER_INIT;
	int result = 0;
	for (uint64_t i = 1; i <= count && result == 0; i++) {
		struct capture_record record;
		struct spool_facts facts;
		struct text line;
		if (!signals_wait_input(l->context->signals, -1, 0))
			result = 1;
		else if (spool_read(spool, i, &line, &facts, &kept, err) < 0 ||
		         capture_record_parse(&scratch, line.text, line.length, &record, err) < 0)
			result = -1;
		else
			result = compare(l, &record, l->list ? i : l->numbers[i - 1], err);
	}
	capture_scratch_release(&scratch);
	return result;
}

static int compare_captures(struct list_causes *l, struct error *err)
{
	LOCAL(inputs_release) struct inputs inputs = { .scratch = CAPTURE_SCRATCH_INIT };
	struct capture_item item;
	enum inputs_got got = INPUTS_NONE;
	if (inputs_init(&inputs, l->captures, CAPTURE_ACCEPTS_JSON, NULL, l->context->signals, err) < 0)
		return -1;
	while (inputs.number < l->last && (got = inputs_next(&inputs, &item, err)) == INPUTS_ITEM &&
	       inputs.number <= l->last)
		if (compare(l, &item.record, inputs.number, err) < 0)
			return -1;
	return got == INPUTS_FAILED ? -1 : inputs.number < l->last;
}

static void say_not_kept(const struct list_causes *l)
{
	struct terminal *t = l->context->terminal;
	if (l->not_kept.message[0])
		terminal_note(t, "no causes: %s", l->not_kept.message);
	else
		terminal_note(t, "no causes: more than 64 MiB %s",
		              l->captures ? "came from a pipe; read the file itself" : "would have to be kept");
}

int list_causes_find(struct list_causes *l, struct error *err)
{
	int result = 0;
	bool is_needed = day_begin(l->day, err);
	if (!is_needed && err->code != EXIT_CODE_OK)
		return -1;
	if (!is_needed)
		return day_find(l->day, &l->causes, &l->count, err);
	if (l->list)
		result = compare_kept(l, l->list, l->last, err);
	else if (!l->is_piped)
		result = compare_captures(l, err);
	else if (l->kept)
		result = compare_kept(l, l->kept, l->kept_count, err);
	else
		say_not_kept(l);
	if (l->is_piped && !l->kept)
		return 0;
	if (result == 0)
		result = day_find(l->day, &l->causes, &l->count, err);
	return result < 0 ? -1 : 0;
}

const struct day_cause *list_causes_found(const struct list_causes *l, size_t *count)
{
	*count = l->count;
	return l->causes;
}

static struct cause_style style_of(const struct list_causes *l)
{
	const struct terminal *t = l->context->terminal;
	return (struct cause_style){
		.color = t->color_out,
		.utf8 = t->utf8,
		.width = terminal_out_width(t),
		.capture = !l->list && !l->is_piped && l->captures->count == 1 ? l->captures->items[0] : NULL,
		.is_session = l->list != NULL,
		.is_part = l->has_unselected,
	};
}

void list_causes_append(const struct list_causes *l, struct buffer *out)
{
	struct cause_style style = style_of(l);
	style.color = false;
	style.utf8 = true;
	style.width = COLUMNS_UNLIMITED;
	why_words_append(l->causes, l->count, &style, out);
}

void list_causes_print(const struct list_causes *l)
{
	struct terminal *t = l->context->terminal;
	struct cause_style style = style_of(l);
	LOCAL_BUFFER out = BUFFER_FOR(&t->lost);
	size_t shown = t->verbose || l->count < WHY_WORDS_MOST ? l->count : WHY_WORDS_MOST;
	if (day_lacks_history(l->day))
		terminal_note(t, "repeats were not looked for: too many notifications");
	if (l->count == 0)
		return;
	if (t->json) {
		for (size_t i = 0; i < l->count; i++)
			why_words_append_json(&l->causes[i], &style, &out);
		terminal_lines(t, &out);
		return;
	}
	buffer_append_byte(&out, '\n');
	why_words_append(l->causes, shown, &style, &out);
	if (shown < l->count)
		buffer_printf(&out, "%zu more; -v shows all\n", l->count - shown);
	terminal_write_buffer(t, &out);
	terminal_flush(t);
}
