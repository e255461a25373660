#include "payload/seen.h"

#include "base/fit.h"
#include "base/text.h"
#include "payload/codes.h"
#include "payload/places.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Longer than any code. */
#define VALUE_MAX 256
/* What is shown of a key, or a value, that is missing. */
#define NAME_COLUMNS 60

struct code_value {
	char *text; /* owned */
	size_t length;
	atomic_bool is_here; /* a compared payload has it, too */
};

/* The values of one code. */
struct code_values {
	const struct catalog_field *field;
	struct code_value *values;
	size_t count, capacity;
	bool is_data; /* there are too many, or they are too long */
};

struct seen_kind {
	uint64_t payloads;
	bool has_samples;
	bool is_full; /* it has more than SEEN_PLACES_MAX places, and none is kept */
	struct places places;
	_Atomic uint8_t *here; /* by place: the types that compared payloads have */
	atomic_bool has_here;  /* it has those of the keys that the catalogue lists */
	struct code_values codes[CODES_MAX];
};

struct seen {
	struct seen_kind *kinds; /* by catalog_kind_index() */
	struct buffer value;     /* of a code */
};

struct seen *seen_new(struct error *err)
{
	struct seen *seen = calloc(1, sizeof *seen);
	if (seen)
		seen->kinds = calloc(catalog_kind_count(), sizeof *seen->kinds);
	if (seen && seen->kinds)
		return seen;
	seen_free(seen);
	return error_no_memory_null(err);
}

static void release_code(struct code_values *code)
{
	for (size_t i = 0; i < code->count; i++)
		free(code->values[i].text);
	free(code->values);
}

void seen_free(struct seen *seen)
{
	if (!seen)
		return;
	for (size_t i = 0; seen->kinds && i < catalog_kind_count(); i++) {
		struct seen_kind *kind = &seen->kinds[i];
		places_release(&kind->places);
		free(kind->here);
		for (size_t code = 0; code < CODES_MAX; code++)
			release_code(&kind->codes[code]);
	}
	free(seen->kinds);
	buffer_release(&seen->value);
	free(seen);
}

static struct seen_kind *kind_of(const struct seen *seen, struct catalog_kind kind)
{
	return &seen->kinds[catalog_kind_index(kind)];
}

/* Where the code is, or the free place where it belongs. */
static size_t index_of_code(const struct seen_kind *kind, const struct catalog_field *field)
{
	size_t at = 0;
	while (at + 1 < CODES_MAX && kind->codes[at].field && kind->codes[at].field != field)
		at++;
	return at;
}

static struct code_values *code_of(struct seen_kind *kind, const struct catalog_field *field)
{
	struct code_values *code = &kind->codes[index_of_code(kind, field)];
	code->field = field;
	return code;
}

static struct code_value *find_value(const struct code_values *code, struct text value)
{
	for (size_t i = 0; i < code->count; i++)
		if (code->values[i].length == value.length &&
		    memcmp(code->values[i].text, value.text, value.length) == 0)
			return &code->values[i];
	return NULL;
}

static bool add_value(struct code_values *code, struct text value)
{
	code->is_data |= value.length > VALUE_MAX;
	if (code->is_data || find_value(code, value))
		return true;
	struct code_value new = { .text = text_duplicate(value), .length = value.length };
	if (!new.text || !ARRAY_ROOM(code->values, code->capacity, code->count + 1)) {
		free(new.text);
		return false;
	}
	code->values[code->count++] = new;
	code->is_data = code->count >= CODE_VALUES_MAX;
	return true;
}

static void keep_within_bounds(struct seen_kind *kind)
{
	kind->is_full |= kind->places.count > SEEN_PLACES_MAX;
	if (kind->is_full)
		places_release(&kind->places);
}

bool seen_add(struct seen *seen, const struct verdict *verdict, bool is_sample)
{
	struct seen_kind *kind = kind_of(seen, verdict->kind);
	const struct catalog_field *field;
	uint32_t token;
	kind->payloads++;
	kind->has_samples |= is_sample;
	for (size_t at = 0; (token = code_next(verdict, &at, &field)) != JSON_NONE;)
		if (!add_value(code_of(kind, field), json_string_text(verdict->doc, token, &seen->value)))
			return false;
	/* Whatever has no more than the catalogue lists has the same places. */
	bool is_new = !kind->is_full && (verdict->has_unlisted || kind->places.count == 0);
	if (seen->value.failed || (is_new && !places_add(&kind->places, verdict)))
		return false;
	keep_within_bounds(kind);
	return true;
}

bool seen_merge(struct seen *seen, const struct seen *other)
{
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct seen_kind *kind = &seen->kinds[i];
		const struct seen_kind *from = &other->kinds[i];
		kind->payloads += from->payloads;
		kind->has_samples |= from->has_samples;
		kind->is_full |= from->is_full;
		if (!kind->is_full && !places_merge(&kind->places, &from->places))
			return false;
		keep_within_bounds(kind);
		for (size_t c = 0; c < CODES_MAX && from->codes[c].field; c++) {
			struct code_values *code = code_of(kind, from->codes[c].field);
			for (size_t v = 0; v < from->codes[c].count; v++) {
				const struct code_value *value = &from->codes[c].values[v];
				if (!add_value(code, (struct text){ value->text, value->length }))
					return false;
			}
			code->is_data |= from->codes[c].is_data;
		}
	}
	return true;
}

bool seen_seal(struct seen *seen)
{
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct seen_kind *kind = &seen->kinds[i];
		if (kind->places.count == 0)
			continue;
		kind->here = calloc(kind->places.count, sizeof *kind->here);
		if (!kind->here)
			return false;
	}
	return true;
}

uint64_t seen_count(const struct seen *seen)
{
	uint64_t count = 0;
	for (size_t i = 0; i < catalog_kind_count(); i++)
		count += seen->kinds[i].payloads;
	return count;
}

size_t seen_kinds_not_compared(const struct seen *seen)
{
	size_t count = 0;
	for (size_t i = 0; i < catalog_kind_count(); i++)
		count += seen->kinds[i].is_full;
	return count;
}

bool seen_has(const struct seen *seen, struct catalog_kind kind, const char *pointer)
{
	const struct places *places = &kind_of(seen, kind)->places;
	struct json_pointer_part part;
	LOCAL_BUFFER key = BUFFER_INIT;
	uint32_t place = places->count > 0 ? PLACE_ROOT : PLACE_NONE;
	while (place != PLACE_NONE && json_pointer_take_part(&pointer, &part)) {
		buffer_clear(&key);
		json_pointer_decode_part(&part, &key);
		bool is_open = places->items[place].is_open;
		place = places_find(places, place, is_open ? NULL : buffer_text(&key), key.length);
	}
	return place != PLACE_NONE && places->items[place].types != 0;
}

/* A payload that is compared, in the order of its tokens. */
struct comparison {
	const struct seen_kind *kind;
	const struct json_doc *doc;
	void (*report)(void *context, const struct unseen *unseen);
	void *context;
	struct buffer key; /* the one at hand, escapes resolved */
};

static void report_type(const struct comparison *c, uint32_t value, unsigned types, uint32_t object)
{
	c->report(c->context,
	          &(struct unseen){ .what = UNSEEN_TYPE, .token = value, .types = types, .object = object });
}

/* A type that is new is reported once for all members that share a place, and all elements. */
struct sharing {
	uint32_t object; /* JSON_NONE: an array */
	unsigned types;  /* that are known */
	unsigned said;
};

static bool is_known(const struct comparison *c, uint32_t value, struct sharing *sharing)
{
	unsigned bit = places_type(&c->doc->tokens[value]);
	if (!(sharing->types & bit) && !(sharing->said & bit))
		report_type(c, value, sharing->types, sharing->object);
	sharing->said |= bit;
	return sharing->types & bit;
}

/* Types of what is inside a place, under whatever name. */
static unsigned types_inside(const struct places *places, uint32_t place)
{
	unsigned types = 0;
	for (uint32_t at = places->items[place].child; at != PLACE_NONE; at = places->items[at].next)
		types |= places->items[at].types;
	return types;
}

static bool has_many_members(const struct json_doc *doc, uint32_t object)
{
	size_t count = 0;
	for (uint32_t key = object + 1; key < doc->tokens[object].next && count <= PLACES_NAMES_MAX; count++)
		key = doc->tokens[key + 1].next;
	return count > PLACES_NAMES_MAX;
}

static void compare_inside(struct comparison *c, uint32_t container, uint32_t place, bool is_object);

static void compare_value(struct comparison *c, uint32_t value, uint32_t place) /* NOLINT(misc-no-recursion) */
{
	const struct place *at = &c->kind->places.items[place];
	_Atomic uint8_t *here = &c->kind->here[place];
	unsigned bit = places_type(&c->doc->tokens[value]);
	if (!(at->types & bit)) {
		report_type(c, value, at->types, JSON_NONE);
		return;
	}
	/* Written to only once, since all threads read it. */
	if (!(atomic_load_explicit(here, memory_order_relaxed) & bit))
		atomic_fetch_or_explicit(here, (uint8_t)bit, memory_order_relaxed);
	if (json_is(c->doc, value, JSON_OBJECT) || json_is(c->doc, value, JSON_ARRAY))
		compare_inside(c, value, place, json_is(c->doc, value, JSON_OBJECT));
}

/* The members of an object, or the elements of an array. */
static void compare_inside(struct comparison *c, uint32_t container, uint32_t place,
                           bool is_object) /* NOLINT(misc-no-recursion) */
{
	const struct places *places = &c->kind->places;
	bool is_shared = !is_object || places->items[place].is_open;
	/* More keys than are names; those that are known are the only ones to compare with. */
	bool is_many = !is_shared && has_many_members(c->doc, container);
	struct sharing sharing = { .object = is_object ? container : JSON_NONE, .types = types_inside(places, place) };
	uint32_t hint = places->items[place].child;
	for (uint32_t at = container + 1; at < c->doc->tokens[container].next;) {
		uint32_t key = at, value = at + is_object;
		struct text name = { NULL, 0 };
		at = c->doc->tokens[value].next;
		if (is_many) {
			is_known(c, value, &sharing);
			continue;
		}
		if (!is_shared)
			name = json_string_text(c->doc, key, &c->key);
		uint32_t inside = places_find_next(places, place, &hint, name.text, name.length);
		if (inside == PLACE_NONE) {
			c->report(c->context, &(struct unseen){ .what = UNSEEN_KEY, .token = key });
			if (is_shared)
				return;
		} else if (!is_shared || is_known(c, value, &sharing)) {
			compare_value(c, value, inside);
		}
	}
}

/* Else it is not known here which of them compared payloads have. */
static bool compares_values(const struct seen_kind *kind)
{
	return kind->has_samples || kind->payloads >= SEEN_VALUES_LEAST;
}

static void compare_codes(struct comparison *c, const struct verdict *verdict)
{
	const struct catalog_field *field;
	uint32_t token;
	for (size_t at = 0; (token = code_next(verdict, &at, &field)) != JSON_NONE;) {
		const struct code_values *code = &c->kind->codes[index_of_code(c->kind, field)];
		if (code->is_data)
			continue;
		struct code_value *value = find_value(code, json_string_text(c->doc, token, &c->key));
		if (!value)
			c->report(c->context,
			          &(struct unseen){
			                  .what = UNSEEN_VALUE, .token = token, .code = field, .others = code->count });
		else if (!atomic_load_explicit(&value->is_here, memory_order_relaxed))
			atomic_store_explicit(&value->is_here, true, memory_order_relaxed);
	}
}

bool seen_compare(struct seen *seen, const struct verdict *verdict,
                  void (*report)(void *context, const struct unseen *unseen), void *context)
{
	struct seen_kind *kind = kind_of(seen, verdict->kind);
	struct comparison c = { kind, verdict->doc, report, context, BUFFER_INIT };
	if (kind->payloads == 0) {
		const char *name = verdict->kind.element ? "path" : "event";
		uint32_t token = json_member(verdict->doc, 0, name, strlen(name));
		report(context, &(struct unseen){ .what = UNSEEN_KIND, .token = token == JSON_NONE ? 0 : token });
		return true;
	}
	bool is_known = !verdict->has_unlisted && atomic_load_explicit(&kind->has_here, memory_order_relaxed);
	if (!kind->is_full && !is_known) {
		compare_value(&c, 0, PLACE_ROOT);
		atomic_store_explicit(&kind->has_here, true, memory_order_relaxed);
	}
	if (compares_values(kind))
		compare_codes(&c, verdict);
	bool failed = c.key.failed;
	buffer_release(&c.key);
	return !failed;
}

bool seen_has_common_code(const struct seen *seen)
{
	for (size_t i = 0; i < catalog_kind_count(); i++)
		for (size_t c = 0; c < CODES_MAX; c++) {
			const struct code_values *code = &seen->kinds[i].codes[c];
			for (size_t v = 0; v < code->count; v++)
				if (atomic_load_explicit(&code->values[v].is_here, memory_order_relaxed))
					return true;
		}
	return false;
}

/* What is missing, one phrase after another. */
struct missing {
	const struct seen_kind *kind;
	const char *name; /* of the kind */
	struct buffer *out;
	struct buffer path;
	size_t count, most;
};

__attribute__((format(printf, 2, 3))) static void add_missing(struct missing *m, const char *format, ...)
{
	if (m->count++ >= m->most)
		return;
	va_list args;
	va_start(args, format);
	buffer_append_text(m->out, m->count > 1 ? ", " : "");
	buffer_append_text(m->out, m->name);
	buffer_vprintf(m->out, format, args);
	va_end(args);
}

static void add_missing_places(struct missing *m, uint32_t place) /* NOLINT(misc-no-recursion) */
{
	const struct places *places = &m->kind->places;
	for (uint32_t at = places->items[place].child; at != PLACE_NONE; at = places->items[at].next) {
		const struct place *inside = &places->items[at];
		unsigned here = atomic_load_explicit(&m->kind->here[at], memory_order_relaxed);
		size_t length = m->path.length;
		if (inside->types == 0)
			continue;
		buffer_append_text(&m->path, length > 0 ? "." : "");
		if (inside->is_unnamed)
			buffer_append_byte(&m->path, '*');
		else
			fit_append(&m->path, places->names.data + inside->name, inside->name_length, NAME_COLUMNS);
		if (here == 0)
			add_missing(m, " with %s", buffer_text(&m->path));
		for (int type = JSON_NULL; here != 0 && type <= JSON_OBJECT; type++)
			if (inside->types & ~here & 1U << type)
				add_missing(m, " with %s as %s", buffer_text(&m->path),
				            json_type_name((enum json_token_type)type));
		if (here != 0)
			add_missing_places(m, at);
		buffer_consume_end(&m->path, m->path.length - length);
	}
}

static void add_missing_values(struct missing *m)
{
	for (size_t i = 0; i < CODES_MAX && m->kind->codes[i].field; i++) {
		const struct code_values *code = &m->kind->codes[i];
		for (size_t v = 0; !code->is_data && v < code->count; v++) {
			const struct code_value *value = &code->values[v];
			LOCAL_BUFFER shown = BUFFER_FOR(m->out);
			if (atomic_load_explicit(&value->is_here, memory_order_relaxed))
				continue;
			fit_append(&shown, value->text, value->length, NAME_COLUMNS);
			add_missing(m, " with %s \"%s\"", code->field->name, buffer_text(&shown));
		}
	}
}

size_t seen_append_missing(const struct seen *seen, const size_t *payloads, size_t most, struct buffer *out)
{
	struct missing m = { .out = out, .path = BUFFER_FOR(out), .most = most };
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		char name[CATALOG_KIND_NAME_SIZE];
		m.kind = &seen->kinds[i];
		m.name = catalog_kind_name(catalog_kind_at(i), name);
		if (m.kind->payloads > 0 && payloads[i] == 0) {
			add_missing(&m, "%s", "");
			continue;
		}
		if (m.kind->places.count > 0)
			add_missing_places(&m, PLACE_ROOT);
		if (payloads[i] >= SEEN_VALUES_LEAST && compares_values(m.kind))
			add_missing_values(&m);
	}
	buffer_release(&m.path);
	return m.count;
}

size_t seen_append_not_compared(const struct seen *seen, const size_t *payloads, struct buffer *out)
{
	size_t count = 0;
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		const struct seen_kind *kind = &seen->kinds[i];
		for (size_t c = 0; payloads[i] > 0 && compares_values(kind) && c < CODES_MAX; c++)
			if (kind->codes[c].is_data)
				buffer_printf(out, "%s%s of %s", count++ > 0 ? ", " : "", kind->codes[c].field->name,
				              KIND_NAME(catalog_kind_at(i)));
	}
	return count;
}
