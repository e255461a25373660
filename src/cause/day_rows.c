#include "base/ascii.h"
#include "base/hash.h"
#include "cause/day_internal.h"
#include "http/words.h"
#include "json/located.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_SIZE  (2 * DAY_FACTS_MOST)
#define WORDS_MOST  160
#define TOKENS_MOST 512 /* of a body whose values are looked for in the words */
#define VALUE_LEAST 3   /* bytes of a value that words may repeat */
#define ELLIPSIS    "..."

struct day *day_new(struct error *err)
{
	struct day *d = calloc(1, sizeof *d);
	if (d)
		d->table = calloc(TABLE_SIZE, sizeof *d->table);
	if (!d || !d->table) {
		free(d);
		return error_no_memory_null(err);
	}
	d->kinds[d->kind_count++] = DAY_NONE; /* of what is not known */
	return d;
}

static void release_class(struct day_class *c)
{
	for (size_t i = 0; i < c->row_count; i++)
		free(c->rows[i].measured);
	for (size_t i = 0; i < c->same_count; i++)
		free(c->same[i].value);
	free(c->rows);
	free(c->said);
	free(c->common);
	free(c->same_kinds);
	free(c->candidates);
	free(c->any_kind);
}

void day_free(struct day *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->class_count; i++)
		release_class(&d->classes[i]);
	for (size_t i = 0; i < d->fact_count; i++)
		free(d->facts[i].subject);
	free(d->facts);
	free(d->table);
	free(d->shares);
	free(d->together);
	day_history_release(&d->history);
	free(d->causes);
	buffer_release(&d->measured);
	buffer_release(&d->listed);
	free(d);
}

uint16_t day_intern(struct day *d, enum fact_kind kind, const char *subject, const char *value, bool adds)
{
	size_t subject_size = strlen(subject) + 1, value_size = strlen(value) + 1;
	uint64_t hash = hash_bytes(subject, subject_size) * 31 + hash_bytes(value, value_size) + (uint64_t)kind;
	uint16_t *cell = &d->table[hash % TABLE_SIZE];
	for (; *cell; cell = cell + 1 < d->table + TABLE_SIZE ? cell + 1 : d->table) {
		const struct day_fact *fact = &d->facts[*cell - 1];
		if (fact->kind == kind && strcmp(fact->subject, subject) == 0 && strcmp(fact->value, value) == 0)
			return (uint16_t)(*cell - 1);
	}
	if (!adds || d->fact_count == DAY_FACTS_MOST)
		return DAY_NONE;
	char *text = malloc(subject_size + value_size);
	if (!text || !ARRAY_ROOM(d->facts, d->fact_capacity, d->fact_count + 1)) {
		free(text);
		d->no_memory = true;
		return DAY_NONE;
	}
	memcpy(text, subject, subject_size);
	memcpy(text + subject_size, value, value_size);
	d->facts[d->fact_count] =
	        (struct day_fact){ .kind = kind, .subject = text, .value = text + subject_size, .picked = DAY_NONE };
	*cell = (uint16_t)++d->fact_count;
	return (uint16_t)(d->fact_count - 1);
}

uint16_t day_kind_of(struct day *d, uint16_t fact)
{
	for (uint16_t i = 0; i < d->kind_count; i++)
		if (d->kinds[i] == fact)
			return i;
	if (d->kind_count == DAY_KINDS_MOST)
		return 0;
	struct catalog_kind kind;
	const char *nearest;
	bool is_found = catalog_find_kind(d->facts[fact].value, &kind, &nearest) == CATALOG_FOUND;
	d->events[d->kind_count] = is_found ? kind.event : NULL;
	d->kinds[d->kind_count] = fact;
	return (uint16_t)d->kind_count++;
}

bool day_is_idle(const struct day *d, uint16_t fact, size_t kind)
{
	const struct catalog_event *event = d->events[kind];
	const struct day_fact *f = &d->facts[fact];
	bool is_member = f->kind == FACT_ABSENT && strncmp(f->subject, "/details/", strlen("/details/")) == 0;
	if (!is_member || !event)
		return false;
	const char *name = f->subject + strlen("/details/");
	size_t length = strcspn(name, "/"); /* of the object, where it is a member of one */
	for (size_t i = 0; i < event->detail_count; i++)
		if (event->details[i].field->name_length == length &&
		    memcmp(event->details[i].field->name, name, length) == 0)
			return false;
	return true;
}

/* How many bytes at the beginning of the text are a value of the request. */
static size_t repeated(const struct json_doc *doc, const char *text, size_t length, struct buffer *value)
{
	size_t longest = 0;
	for (uint32_t i = 1; i < doc->count; i++) {
		const struct json_token *t = &doc->tokens[i];
		if (t->type != JSON_STRING || t->end - t->start > WORDS_MOST)
			continue;
		buffer_clear(value);
		json_string_decode(doc, i, value);
		bool is_it = value->length >= VALUE_LEAST && value->length <= length && value->length > longest &&
		             memcmp(text, buffer_text(value), value->length) == 0 &&
		             !(value->length < length && ascii_is_alnum(text[value->length]));
		longest = is_it ? value->length : longest;
	}
	return longest;
}

/* Appends the words without what differs from request to request: words with a digit in them, and what the request
 * itself has. */
static void append_common(const struct json_doc *doc, const struct buffer *words, struct buffer *out)
{
	LOCAL_BUFFER value = BUFFER_FOR(out);
	const char *at = buffer_text(words), *end = at + words->length;
	while (at < end) {
		size_t length = 0;
		bool is_left_out = false;
		bool begins = at == buffer_text(words) || !ascii_is_alnum(at[-1]);
		if (begins && doc)
			length = repeated(doc, at, (size_t)(end - at), &value);
		is_left_out = length > 0;
		while (!is_left_out && at + length < end &&
		       (ascii_is_alnum(at[length]) || (at[length] == '-' && length > 0)))
			length++;
		for (size_t i = 0; i < length; i++)
			is_left_out |= ascii_is_digit(at[i]);
		length += length == 0;
		if (is_left_out)
			buffer_append_text(out, ELLIPSIS);
		else
			buffer_append(out, at, length);
		at += length;
	}
}

struct day_class *day_class_of(struct day *d, const struct day_request *r, bool adds)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER words = BUFFER_INIT, common = BUFFER_INIT;
	size_t of_status = 0;
	struct day_class *rest = NULL;
	if (r->said.length > 0)
		words_append_line(&words, r->said.text, r->said.length, WORDS_MOST);
	bool is_json =
	        words.length > 0 && json_read(&doc, r->what.body, r->what.length, NULL) && doc.count <= TOKENS_MOST;
	append_common(is_json ? &doc : NULL, &words, &common);
	d->no_memory |= words.failed || common.failed;
	uint64_t key = hash_bytes(buffer_text(&common), common.length) * 31 + (uint64_t)r->status;
	for (struct day_class *c = d->classes; c < d->classes + d->class_count; c++) {
		of_status += c->status == r->status;
		if (c->is_of_rest && c->status == r->status)
			rest = c;
		/* "no such user" is said of a user, too, where "user" is the request's own word. */
		bool is_same = c->status == r->status && strcmp(c->said, buffer_text(&words)) == 0;
		if (c->is_of_rest || (c->key != key && !is_same))
			continue;
		c->varies |= adds && !is_same;
		return c;
	}
	if (rest || !adds)
		return rest;
	if (d->class_count == CAUSE_CLASSES_MOST)
		return NULL;
	struct day_class *c = &d->classes[d->class_count];
	*c = (struct day_class){ .key = key, .status = r->status, .is_of_rest = of_status == DAY_WORDS_MOST };
	c->varies = c->is_of_rest;
	c->said = text_duplicate((struct text){ buffer_text(&words), words.length });
	c->common = text_duplicate(c->is_of_rest ? (struct text)TEXT(ELLIPSIS)
	                                         : (struct text){ buffer_text(&common), common.length });
	d->class_count++;
	d->no_memory |= !c->said || !c->common;
	return d->no_memory ? NULL : c;
}

/* The row under way. */
struct adding {
	struct day *day;
	uint16_t kind;
};

static void on_fact(void *context, enum fact_kind kind, const char *subject, const char *value)
{
	struct adding *a = context;
	uint16_t fact = day_intern(a->day, kind, subject, value, true);
	if (fact == DAY_NONE)
		return;
	buffer_append(&a->day->listed, (const char *)&fact, sizeof fact);
	if (kind == FACT_KIND)
		a->kind = day_kind_of(a->day, fact);
}

static void on_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	struct adding *a = context;
	struct day_measured measured;
	memset(&measured, 0, sizeof measured);
	measured.fact = day_intern(a->day, kind, subject, "", true);
	measured.number = number;
	if (measured.fact != DAY_NONE)
		buffer_append(&a->day->measured, (const char *)&measured, sizeof measured);
}

static int by_number(const void *a, const void *b)
{
	uint16_t one = *(const uint16_t *)a, other = *(const uint16_t *)b;
	return (one > other) - (one < other);
}

/* Each fact once, that says something: one of several texts may be said several times. */
static size_t unique(const struct day *d, uint16_t kind, uint16_t *facts, size_t count)
{
	size_t kept = 0;
	qsort(facts, count, sizeof *facts, by_number);
	for (size_t i = 0; i < count; i++)
		if ((kept == 0 || facts[kept - 1] != facts[i]) && !day_is_idle(d, facts[i], kind))
			facts[kept++] = facts[i];
	return kept;
}

bool day_facts_of(const struct day_request *r, const struct fact_sink *sink, struct fact_keys *keys)
{
	bool done = facts_of(&r->what, sink, keys);
	keys->values[DAY_BODY_KEY] = hash_bytes(r->what.body, r->what.length) | 1;
	return done;
}

static bool add_row(struct day *d, struct day_class *c, const struct day_request *r)
{
	struct adding adding = { .day = d };
	const struct fact_sink sink = { on_fact, on_measure, &adding };
	struct fact_keys keys;
	buffer_clear(&d->listed);
	buffer_clear(&d->measured);
	if (!day_facts_of(r, &sink, &keys) || d->listed.failed || d->measured.failed ||
	    !ARRAY_ROOM(c->rows, c->capacity, c->row_count + 1))
		return false;
	char *room = malloc(d->measured.length + d->listed.length + 1);
	if (!room)
		return false;
	if (d->measured.length > 0)
		memcpy(room, d->measured.data, d->measured.length);
	if (d->listed.length > 0)
		memcpy(room + d->measured.length, d->listed.data, d->listed.length);
	struct day_row *row = &c->rows[c->row_count++];
	*row = (struct day_row){ .at = day_moment_of(r),
		                 .measured = (struct day_measured *)(void *)room,
		                 .measured_count = (uint16_t)(d->measured.length / sizeof(struct day_measured)),
		                 .facts = (uint16_t *)(void *)(room + d->measured.length),
		                 .kind = adding.kind };
	row->fact_count = (uint16_t)unique(d, row->kind, row->facts, d->listed.length / sizeof *row->facts);
	memcpy(row->keys, keys.values, sizeof row->keys);
	c->kinds |= UINT64_C(1) << row->kind;
	return true;
}

void day_note_time(struct day *d, struct day_moment at)
{
	if (day_is_before(d->latest, at))
		d->latest = at;
	else if (d->latest.us - at.us > d->disorder_us)
		d->disorder_us = d->latest.us - at.us;
}

int day_add(struct day *d, const struct day_request *r, struct error *err)
{
	if (r->status != 0)
		day_note_time(d, day_moment_of(r));
	if (!day_is_failure(r)) {
		d->accepted += r->status != 0;
		return 0;
	}
	if (!r->is_selected)
		return 0;
	struct day_class *c = day_class_of(d, r, true);
	if (!c && !d->no_memory) {
		d->beyond_classes++;
		return 0;
	}
	if (c && (c->count++ == 0 || day_is_before(c->last, day_moment_of(r))))
		c->last = day_moment_of(r);
	bool added = c && (c->row_count == DAY_ROWS_MOST || add_row(d, c, r));
	return added && !d->no_memory ? 0 : error_no_memory(err);
}

static int by_time(const void *a, const void *b)
{
	const struct day_row *one = a, *other = b;
	return day_is_before(other->at, one->at) - day_is_before(one->at, other->at);
}

void day_sort_rows(struct day *d)
{
	for (struct day_class *c = d->classes; c < d->classes + d->class_count; c++) {
		for (size_t i = 0; i < c->row_count; i++)
			c->last_kept = c->rows[i].at.number > c->last_kept ? c->rows[i].at.number : c->last_kept;
		if (c->row_count > 0)
			qsort(c->rows, c->row_count, sizeof *c->rows, by_time);
	}
}

/* Moves the failures of one class to the other, which has room. */
static void fold(struct day *d, struct day_class *c, struct day_class *rest)
{
	memcpy(rest->rows + rest->row_count, c->rows, c->row_count * sizeof *c->rows);
	rest->row_count += c->row_count;
	rest->count += c->count;
	rest->kinds |= c->kinds;
	c->row_count = 0;
	release_class(c);
	d->class_count--;
	memmove(c, c + 1, (size_t)(d->classes + d->class_count - c) * sizeof *c);
}

void day_fold_words(struct day *d)
{
	for (size_t i = 0; i < d->class_count;) {
		struct day_class *c = &d->classes[i], *rest = d->classes;
		while (rest < d->classes + d->class_count && !(rest->is_of_rest && rest->status == c->status))
			rest++;
		bool folds = rest < d->classes + d->class_count && rest != c && c->row_count < DAY_LEAST &&
		             rest->row_count + c->row_count <= DAY_ROWS_MOST;
		bool has_room = !folds || ARRAY_ROOM(rest->rows, rest->capacity, rest->row_count + c->row_count);
		d->no_memory |= !has_room;
		if (folds && has_room)
			fold(d, c, rest);
		else
			i++;
	}
}
