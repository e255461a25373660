#include "payload/identify.h"

const char *identify_expected(enum envelope_key key, struct catalog_kind kind)
{
	const char *const values[ENVELOPE_COUNT] = { kind.event->service, kind.event->event, kind.event->method,
		                                     catalog_kind_path(kind) };
	return values[key];
}

static bool value_is(const struct json_doc *doc, uint32_t token, const char *expected)
{
	const struct json_token *value = &doc->tokens[token];
	size_t length = strlen(expected);
	if (value->type == JSON_NUMBER)
		return value->end - value->start == length && memcmp(doc->text + value->start, expected, length) == 0;
	return json_string_is(doc, token, expected, length);
}

/* A value that says nothing about the event: it is absent, or of a type that has a finding of its own. */
static bool says_nothing(const struct json_doc *doc, const struct identity *identity, enum envelope_key key)
{
	uint32_t token = identity->values[key];
	if (token == JSON_NONE)
		return true;
	uint8_t type = doc->tokens[token].type;
	return type != JSON_STRING && !(key == ENVELOPE_EVENT && type == JSON_NUMBER);
}

bool identify_agrees(const struct json_doc *doc, const struct identity *identity, enum envelope_key key,
                     struct catalog_kind kind)
{
	const char *expected = identify_expected(key, kind);
	if (!expected || says_nothing(doc, identity, key))
		return true;
	if (key == ENVELOPE_PATH && !kind.element && kind.event->element_count > 0) {
		for (size_t i = 0; i < kind.event->element_count; i++)
			if (value_is(doc, identity->values[key], kind.event->elements[i].path))
				return true;
		return false;
	}
	return value_is(doc, identity->values[key], expected);
}

/* The usual payload: four strings that are some event's. */
static bool identify_exactly(const struct json_doc *doc, struct identity *identity)
{
	struct text texts[ENVELOPE_KEYED] = { 0 };
	for (int key = 0; key < ENVELOPE_KEYED; key++) {
		uint32_t token = identity->values[key];
		if (token == JSON_NONE && key == ENVELOPE_PATH)
			continue;
		if (token == JSON_NONE || doc->tokens[token].type != JSON_STRING ||
		    doc->tokens[token].flags & JSON_ESCAPED)
			return false;
		texts[key].text = doc->text + doc->tokens[token].start + 1;
		texts[key].length = doc->tokens[token].end - doc->tokens[token].start - 2;
	}
	identity->kind.event = catalog_identify(texts[ENVELOPE_SERVICE], texts[ENVELOPE_EVENT], texts[ENVELOPE_METHOD],
	                                        texts[ENVELOPE_PATH], &identity->kind.element);
	return identity->kind.event != NULL;
}

/* Which fields of the catalogue are keys of the details: a bit per row of catalog_fields. One pass, since a hostile
 * payload may have a million keys. */
static uint64_t fields_present(const struct json_doc *doc, uint32_t details)
{
	_Static_assert(IDENTIFY_FIELDS_MAX <= 64, "a bit for each");
	uint64_t present = 0;
	if (details == JSON_NONE || doc->tokens[details].type != JSON_OBJECT)
		return 0;
	for (uint32_t key = details + 1; key < doc->tokens[details].next; key = doc->tokens[key + 1].next)
		for (size_t i = 0; i < catalog_field_count; i++)
			if (json_string_is(doc, key, catalog_fields[i]->name, catalog_fields[i]->name_length))
				present |= UINT64_C(1) << i;
	return present;
}

/* How well the details' keys fit an event's list: a listed key that is there counts for it, a missing one against. */
static int details_fit(uint64_t present, const struct catalog_event *event)
{
	int fit = 0;
	for (size_t i = 0; i < event->detail_count; i++)
		for (size_t f = 0; f < catalog_field_count; f++)
			if (catalog_fields[f] == event->details[i].field)
				fit += present & UINT64_C(1) << f ? 2 : -1;
	return fit;
}

/* Whether checking as one of two equally near events is right: both list the same details. */
static bool same_details(const struct catalog_event *a, const struct catalog_event *b)
{
	if (a->detail_count != b->detail_count)
		return false;
	for (size_t i = 0; i < a->detail_count; i++)
		if (a->details[i].field != b->details[i].field || a->details[i].type != b->details[i].type)
			return false;
	return true;
}

static void identify_nearest(const struct json_doc *doc, struct identity *identity)
{
	const struct catalog_event *best = catalog_events;
	int fewest = ENVELOPE_COUNT, best_fit = 0;
	uint64_t present = fields_present(doc, identity->values[ENVELOPE_DETAILS]);
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_kind kind = { &catalog_events[i], NULL };
		int fit = details_fit(present, kind.event), wrong = 0;
		unsigned differs = 0;
		for (enum envelope_key key = 0; key < ENVELOPE_KEYED; key++) {
			bool agrees = identify_agrees(doc, identity, key, kind);
			differs |= agrees ? 0 : 1u << key;
			wrong += !agrees;
		}
		if (wrong < fewest || (wrong == fewest && fit > best_fit)) {
			best = kind.event;
			fewest = wrong;
			best_fit = fit;
			identity->differs = differs;
			identity->clear = identity->decided = true;
		} else if (wrong == fewest && fit == best_fit) {
			identity->decided = false;
			identity->clear = identity->clear && same_details(kind.event, best);
		}
	}
	identity->kind.event = best;
	/* One wrong value of four leaves a likely event; more are as likely another document altogether. */
	if (fewest > 1)
		identity->clear = false;
	if (fewest > 0)
		identity->decided = false;
	if (!says_nothing(doc, identity, ENVELOPE_PATH))
		for (size_t i = 0; i < best->element_count; i++)
			if (value_is(doc, identity->values[ENVELOPE_PATH], best->elements[i].path))
				identity->kind.element = &best->elements[i];
	if (best->element_count > 0 && !identity->kind.element)
		identity->decided = false;
}

struct key_matches identify_keys(const struct json_doc *doc, uint32_t object, const struct catalog_member *members,
                                 size_t count, uint32_t *values)
{
	struct key_matches matches = { 0 };
	size_t likely = 0;
	for (size_t i = 0; i < count; i++)
		values[i] = JSON_NONE;
	for (uint32_t key = object + 1; key < doc->tokens[object].next; key = doc->tokens[key + 1].next) {
		size_t member = identify_member(doc, key, members, count, likely);
		if (member == count) {
			matches.unknown = true;
			continue;
		}
		if (values[member] == JSON_NONE)
			matches.listed++;
		else
			matches.repeated = true;
		values[member] = key + 1;
		likely = member + 1 < count ? member + 1 : 0;
	}
	return matches;
}

void identify(const struct json_doc *doc, struct identity *identity)
{
	*identity = (struct identity){ .kind = { NULL, NULL } };
	for (int key = 0; key < ENVELOPE_COUNT; key++)
		identity->values[key] = JSON_NONE;
	if (!json_is(doc, 0, JSON_OBJECT))
		return;
	struct key_matches keys = identify_keys(doc, 0, catalog_envelope_members, ENVELOPE_COUNT, identity->values);
	identity->unknown = keys.unknown;
	identity->repeated = keys.repeated;
	identity->exact = identify_exactly(doc, identity);
	identity->clear = identity->decided = identity->exact;
	if (!identity->exact)
		identify_nearest(doc, identity);
}
