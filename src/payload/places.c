#include "payload/places.h"

#include <stdlib.h>

#define KEPT_PLACES ((size_t)4 << 10) /* and as many bytes of names; more is given back */

static const struct place no_place = { .next = PLACE_NONE, .child = PLACE_NONE, .last = PLACE_NONE };

void places_release(struct places *places)
{
	free(places->items);
	buffer_release(&places->names);
	*places = (struct places){ .items = NULL };
}

void places_clear(struct places *places)
{
	if (places->capacity > KEPT_PLACES || places->names.capacity > KEPT_PLACES)
		places_release(places);
	places->count = 0;
	buffer_clear(&places->names);
}

static bool is_place(const struct places *places, uint32_t at, const char *name, size_t length)
{
	const struct place *place = &places->items[at];
	if (!name || place->is_unnamed)
		return !name && place->is_unnamed;
	return place->name_length == length && memcmp(places->names.data + place->name, name, length) == 0;
}

uint32_t places_find_next(const struct places *places, uint32_t parent, uint32_t *hint, const char *name, size_t length)
{
	uint32_t at = *hint;
	if (at == PLACE_NONE || !is_place(places, at, name, length)) {
		at = places->items[parent].child;
		while (at != PLACE_NONE && !is_place(places, at, name, length))
			at = places->items[at].next;
	}
	*hint = at == PLACE_NONE ? PLACE_NONE : places->items[at].next;
	return at;
}

uint32_t places_find(const struct places *places, uint32_t parent, const char *name, size_t length)
{
	uint32_t hint = PLACE_NONE;
	return parent < places->count ? places_find_next(places, parent, &hint, name, length) : PLACE_NONE;
}

/* A new place inside another; name NULL: without one. PLACE_NONE: out of memory. */
static uint32_t add_place(struct places *places, uint32_t parent, const char *name, size_t length)
{
	size_t at = places->names.length;
	buffer_append(&places->names, name ? name : "", name ? length : 0);
	if (places->names.failed || !ARRAY_ROOM(places->items, places->capacity, places->count + 1))
		return PLACE_NONE;
	struct place *place = &places->items[places->count];
	*place = no_place;
	place->is_unnamed = !name;
	if (name) {
		place->name = at;
		place->name_length = (uint32_t)length;
	}
	if (parent != PLACE_NONE) {
		struct place *of = &places->items[parent];
		*(of->child == PLACE_NONE ? &of->child : &places->items[of->last].next) = places->count;
		of->last = places->count;
		of->names = (uint8_t)(of->names + (name != NULL));
	}
	return places->count++;
}

static uint32_t find_or_add(struct places *places, uint32_t parent, uint32_t *hint, const char *name, size_t length)
{
	uint32_t found = places_find_next(places, parent, hint, name, length);
	return found != PLACE_NONE ? found : add_place(places, parent, name, length);
}

/* The name of a place; text NULL: it has none. */
static struct text name_of(const struct places *places, const struct place *place)
{
	if (place->is_unnamed)
		return (struct text){ NULL, 0 };
	return (struct text){ places->names.data + place->name, place->name_length };
}

static bool merge_place(struct places *into, uint32_t at, const struct places *from,
                        uint32_t place); /* NOLINT(misc-no-recursion) */

/* Makes one of the places inside a place. */
static bool open_place(struct places *places, uint32_t at) /* NOLINT(misc-no-recursion) */
{
	struct place *place = &places->items[at];
	uint32_t inside = place->child, hint = PLACE_NONE;
	place->is_open = true;
	place->child = place->last = PLACE_NONE;
	place->names = 0;
	for (uint32_t next; inside != PLACE_NONE; inside = next) {
		next = places->items[inside].next;
		uint32_t shared = find_or_add(places, at, &hint, NULL, 0);
		if (shared == PLACE_NONE || !merge_place(places, shared, places, inside))
			return false;
	}
	return true;
}

/* Adds what `from` has at and inside a place. They may be one tree, whose items then move. */
static bool merge_place(struct places *into, uint32_t at, const struct places *from,
                        uint32_t place) /* NOLINT(misc-no-recursion) */
{
	size_t names = into->items[at].names;
	uint32_t hint = into->items[at].child;
	into->items[at].types |= from->items[place].types;
	into->items[at].findings |= from->items[place].findings;
	for (uint32_t inside = from->items[place].child; inside != PLACE_NONE; inside = from->items[inside].next) {
		struct text name = name_of(from, &from->items[inside]);
		names += name.text && places_find_next(into, at, &hint, name.text, name.length) == PLACE_NONE;
	}
	bool is_open = from->items[place].is_open || names > PLACES_NAMES_MAX;
	if (is_open && !into->items[at].is_open && !open_place(into, at))
		return false;
	hint = into->items[at].child;
	for (uint32_t inside = from->items[place].child; inside != PLACE_NONE; inside = from->items[inside].next) {
		LOCAL_BUFFER copy = BUFFER_INIT; /* of a name that would move with the others */
		struct text name = name_of(from, &from->items[inside]);
		if (into->items[at].is_open)
			name = (struct text){ NULL, 0 };
		if (name.text && from == into) {
			buffer_append(&copy, name.text, name.length);
			name.text = buffer_text(&copy);
		}
		uint32_t to = copy.failed ? PLACE_NONE : find_or_add(into, at, &hint, name.text, name.length);
		if (to == PLACE_NONE || !merge_place(into, to, from, inside))
			return false;
	}
	return true;
}

/* A payload that is walked in the order of its tokens. */
struct walk {
	struct places *places;
	const struct json_doc *doc;
	const struct finding **findings; /* by their token */
	size_t count, at;
	struct buffer key; /* the one at hand, escapes resolved */
};

/* Whether the names of an object's members, together with those that its place knows, are too many to be names. */
static bool has_many_names(struct walk *w, uint32_t object, uint32_t place)
{
	size_t names = w->places->items[place].names;
	uint32_t hint = w->places->items[place].child;
	for (uint32_t key = object + 1; key < w->doc->tokens[object].next; key = w->doc->tokens[key + 1].next) {
		struct text name = json_string_text(w->doc, key, &w->key);
		names += places_find_next(w->places, place, &hint, name.text, name.length) == PLACE_NONE;
		if (names > PLACES_NAMES_MAX)
			return true;
	}
	return false;
}

/* Sets what is found at a value, or at its key, which stands before it. */
static void note_findings(struct walk *w, uint32_t value, uint32_t place)
{
	for (; w->at < w->count && w->findings[w->at]->token <= value; w->at++)
		w->places->items[place].findings |= UINT32_C(1) << w->findings[w->at]->id;
}

/* As deep as JSON may be nested. */
static bool add_value(struct walk *w, uint32_t value, uint32_t place) /* NOLINT(misc-no-recursion) */
{
	const struct json_token *token = &w->doc->tokens[value];
	bool is_object = token->type == JSON_OBJECT;
	w->places->items[place].types |= (uint8_t)places_type(token);
	note_findings(w, value, place);
	if (!is_object && token->type != JSON_ARRAY)
		return true;
	/* Elements before this one may have made places for names. */
	if (is_object && !w->places->items[place].is_open && has_many_names(w, value, place) &&
	    !open_place(w->places, place))
		return false;
	uint32_t hint = w->places->items[place].child;
	for (uint32_t at = value + 1; at < token->next;) {
		struct text name = { NULL, 0 };
		if (is_object && !w->places->items[place].is_open)
			name = json_string_text(w->doc, at, &w->key);
		uint32_t inside = find_or_add(w->places, place, &hint, name.text, name.length);
		at += is_object;
		if (inside == PLACE_NONE || w->key.failed || !add_value(w, at, inside))
			return false;
		at = w->doc->tokens[at].next;
	}
	return true;
}

static int compare_tokens(const void *a, const void *b)
{
	uint32_t x = (*(const struct finding *const *)a)->token, y = (*(const struct finding *const *)b)->token;
	return (x > y) - (x < y);
}

/* The objects that the catalogue leaves entirely open: their keys are data. */
static bool open_objects(struct places *places, const struct catalog_event *event)
{
	for (size_t i = 0; i < event->detail_count; i++) {
		const struct catalog_field *field = event->details[i].field;
		if (!field->open_members || field->member_count > 0)
			continue;
		uint32_t hint = PLACE_NONE;
		uint32_t details = find_or_add(places, PLACE_ROOT, &hint, "details", strlen("details"));
		hint = PLACE_NONE;
		uint32_t object = details == PLACE_NONE
		                          ? PLACE_NONE
		                          : find_or_add(places, details, &hint, field->name, field->name_length);
		if (object == PLACE_NONE)
			return false;
		places->items[object].is_open = true;
	}
	return true;
}

bool places_add(struct places *places, const struct verdict *verdict)
{
	struct walk w = { .places = places, .doc = verdict->doc, .key = BUFFER_INIT };
	if (verdict->doc->count == 0)
		return true;
	if (places->count == 0 && add_place(places, PLACE_NONE, NULL, 0) == PLACE_NONE)
		return false;
	bool done = !verdict->kind.event || open_objects(places, verdict->kind.event);
	if (done && verdict->finding_count > 0) {
		w.findings = malloc(verdict->finding_count * sizeof(const struct finding *));
		done = w.findings != NULL;
		for (size_t i = 0; done && i < verdict->finding_count; i++)
			w.findings[w.count++] = &verdict->findings[i];
		if (done)
			qsort(w.findings, w.count, sizeof *w.findings, compare_tokens);
	}
	done = done && add_value(&w, 0, PLACE_ROOT);
	if (done) /* those without a token are about the payload */
		note_findings(&w, JSON_NONE, PLACE_ROOT);
	free(w.findings);
	buffer_release(&w.key);
	return done;
}

bool places_merge(struct places *into, const struct places *from)
{
	if (from->count == 0)
		return true;
	if (into->count == 0 && add_place(into, PLACE_NONE, NULL, 0) == PLACE_NONE)
		return false;
	return merge_place(into, PLACE_ROOT, from, PLACE_ROOT);
}
