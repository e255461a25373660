/* Guessing the slip behind a key that is lacking or unknown. Nothing here decides whether a payload is valid. */
#include "base/nearest.h"
#include "payload/check_internal.h"

#include <string.h>

/* Guessing costs a look at all keys: a payload with more findings than this is no slip of the pen. */
#define GUESSED_FINDINGS 20
/* A slip shows among the first keys. */
#define KEYS_LOOKED_AT 64
/* An object of more keys is no slip either: each guess asks for several keys, which is a look at all of them. */
#define KEYS_GUESSED 1000

static bool is_guessable(const struct checker *c, uint32_t object)
{
	size_t keys = 0;
	for (uint32_t key = object + 1; key < c->doc.tokens[object].next && keys <= KEYS_GUESSED;
	     key = c->doc.tokens[key + 1].next)
		keys++;
	return keys <= KEYS_GUESSED;
}

/* Whether to guess at all about a key of the object: it is looked for in the others as well. */
static bool is_worth_guessing(const struct checker *c, uint32_t object)
{
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	bool has_details = details != JSON_NONE && c->doc.tokens[details].type == JSON_OBJECT;
	return c->verdict.finding_count <= GUESSED_FINDINGS && is_guessable(c, object) && is_guessable(c, 0) &&
	       (!has_details || is_guessable(c, details));
}

static bool has_key(const struct checker *c, uint32_t object, const char *name)
{
	return json_member(&c->doc, object, name, strlen(name)) != JSON_NONE;
}

static bool is_envelope_name(const char *name)
{
	for (size_t i = 0; i < catalog_envelope_count; i++)
		if (strcmp(catalog_envelope[i]->name, name) == 0)
			return true;
	return false;
}

static const struct catalog_member *listed(struct key_list list, const char *name)
{
	return catalog_member_named(list.members, list.count, name, strlen(name));
}

static struct key_list details_of(const struct catalog_event *event)
{
	return (struct key_list){ event->details, event->detail_count };
}

static struct key_list members_of(const struct catalog_field *field)
{
	return (struct key_list){ field->members, field->member_count };
}

/* Whether the object's keys are exactly the list's, as far as they matter. */
static bool fits_exactly(const struct checker *c, uint32_t object, struct key_list list)
{
	size_t keys = 0;
	for (uint32_t key = object + 1; key < c->doc.tokens[object].next && keys <= list.count;
	     key = c->doc.tokens[key + 1].next)
		keys++;
	if (keys != list.count)
		return false;
	for (size_t i = 0; i < list.count; i++)
		if (!has_key(c, object, list.members[i].field->name))
			return false;
	return true;
}

/* How much of the envelope two events share. */
static int kinship(const struct catalog_event *a, const struct catalog_event *b)
{
	return (strcmp(a->service, b->service) == 0) + (strcmp(a->method, b->method) == 0) +
	       (a->path && b->path && strcmp(a->path, b->path) == 0);
}

/* The event whose details these are; of several the one that is most like the payload's own. */
static const struct catalog_event *event_of_details(const struct checker *c, uint32_t object)
{
	const struct catalog_event *own = c->identity.kind.event, *found = NULL;
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = &catalog_events[i];
		if (fits_exactly(c, object, details_of(event)) && (!found || kinship(event, own) > kinship(found, own)))
			found = event;
	}
	return found;
}

/* A key at the top whose object, or whose text, looks like a payload. */
static uint32_t wrapping_key(const struct checker *c)
{
	size_t looked_at = 0;
	for (uint32_t key = 1; key < c->doc.tokens[0].next && looked_at < KEYS_LOOKED_AT;
	     key = c->doc.tokens[key + 1].next, looked_at++) {
		const struct json_token *value = &c->doc.tokens[key + 1];
		if (value->type == JSON_OBJECT && has_key(c, key + 1, "service") && has_key(c, key + 1, "details"))
			return key;
		if (value->type == JSON_STRING && value->end - value->start > 2 && c->doc.text[value->start + 1] == '{')
			return key;
	}
	return JSON_NONE;
}

/* The slip behind the payload's lacking and unknown keys. */
static const struct slip *slip_behind(struct checker *c)
{
	struct slip *slip = &c->slip;
	const uint32_t *values = c->identity.values;
	if (slip->looked)
		return slip;
	*slip = (struct slip){ .looked = true, .wrapped = JSON_NONE };
	bool no_envelope = true;
	for (int key = 0; key < ENVELOPE_COUNT; key++)
		no_envelope = no_envelope && values[key] == JSON_NONE;
	if (no_envelope) {
		slip->wrapped = wrapping_key(c);
		slip->details_of = event_of_details(c, 0);
		slip->bare_details = slip->details_of != NULL;
	} else if (c->identity.clear && values[ENVELOPE_DETAILS] != JSON_NONE &&
	           c->doc.tokens[values[ENVELOPE_DETAILS]].type == JSON_OBJECT) {
		slip->details_of = event_of_details(c, values[ENVELOPE_DETAILS]);
	}
	return slip;
}

/* Whether one slip explains all that is wrong with the object's keys; the first finding it explains gets the hint. */
static bool hint_whole(struct checker *c, struct finding *f, uint32_t object)
{
	const struct slip *slip = slip_behind(c);
	bool in_details = object != 0 && object == c->identity.values[ENVELOPE_DETAILS];
	bool explained =
	        object == 0 ? slip->wrapped != JSON_NONE || slip->bare_details : in_details && slip->details_of != NULL;
	if (!explained || slip->told)
		return explained;
	c->slip.told = true;
	if (in_details)
		report_hint(c, f, "the keys here are those of %s", slip->details_of->name);
	else if (slip->bare_details)
		report_hint(c, f, "these are the details of %s; the envelope around them is missing",
		            slip->details_of->name);
	else
		report_hint(c, f, "the payload seems to stand inside \"%s\"", report_quoted(c, slip->wrapped));
	return true;
}

/* The listed key that is absent and most like the unknown one. Near enough for an option is not near enough here:
 * "data" is no slip of "path". */
static const char *missing_twin(struct checker *c, const char *key, uint32_t object, struct key_list list)
{
	struct nearest n;
	nearest_init(&n, key, strlen(key));
	for (size_t i = 0; i < list.count; i++)
		if (!has_key(c, object, list.members[i].field->name))
			nearest_offer(&n, list.members[i].field->name);
	for (size_t i = 0; object == 0 && i < catalog_envelope_count; i++)
		if (!has_key(c, object, catalog_envelope[i]->name))
			nearest_offer(&n, catalog_envelope[i]->name);
	const char *best = nearest_result(&n);
	return best && n.distance * 2 < strlen(best) ? best : NULL;
}

static const struct catalog_event *event_that_lists(const char *key)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		if (listed(details_of(&catalog_events[i]), key))
			return &catalog_events[i];
	return NULL;
}

/* The object where the event lists a key of this name and lacks it: 0 the payload, else a token; JSON_NONE. */
static uint32_t right_object(const struct checker *c, const char *key)
{
	const struct catalog_event *event = c->identity.kind.event;
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	if (is_envelope_name(key))
		return has_key(c, 0, key) ? JSON_NONE : 0;
	if (details == JSON_NONE || c->doc.tokens[details].type != JSON_OBJECT)
		return JSON_NONE;
	if (listed(details_of(event), key))
		return has_key(c, details, key) ? JSON_NONE : details;
	for (size_t i = 0; i < event->detail_count; i++) {
		const struct catalog_field *field = event->details[i].field;
		uint32_t object = json_member(&c->doc, details, field->name, strlen(field->name));
		if (listed(members_of(field), key) && object != JSON_NONE && is_guessable(c, object) &&
		    !has_key(c, object, key))
			return object;
	}
	return JSON_NONE;
}

void hint_unknown_key(struct checker *c, struct finding *f, uint32_t key, uint32_t object, struct key_list list)
{
	if (!f || !is_worth_guessing(c, object) || hint_whole(c, f, object))
		return;
	struct buffer name = BUFFER_INIT;
	buffer_append_text(&name, report_quoted(c, key));
	const char *text = buffer_text(&name);
	const char *twin = missing_twin(c, text, object, list);
	uint32_t right = c->identity.clear ? right_object(c, text) : JSON_NONE;
	const struct catalog_event *other = event_that_lists(text);
	if (right == 0 && object != 0)
		report_hint(c, f, "it belongs at the top of the payload");
	else if (right != JSON_NONE && right != object)
		report_hint(c, f, "it belongs into %s", report_quoted(c, right - 1));
	else if (twin)
		report_hint(c, f, "did you mean \"%s\", which is missing here?", twin);
	else if (other && other != c->identity.kind.event)
		report_hint(c, f, "it is a key of %s", other->name);
	c->out_of_memory |= name.failed;
	buffer_release(&name);
}

/* Where the key stands though it is not listed there: 0 the payload, else a token; JSON_NONE. */
static uint32_t misplaced(const struct checker *c, const char *name, uint32_t object)
{
	const struct catalog_event *event = c->identity.kind.event;
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	if (object != 0 && !is_envelope_name(name) && has_key(c, 0, name))
		return 0;
	if (details == JSON_NONE || c->doc.tokens[details].type != JSON_OBJECT)
		return JSON_NONE;
	if (details != object && !listed(details_of(event), name) && has_key(c, details, name))
		return details;
	for (size_t i = 0; i < event->detail_count; i++) {
		const struct catalog_field *field = event->details[i].field;
		if (field->type != CATALOG_OBJECT || field->open_members || listed(members_of(field), name))
			continue;
		uint32_t inner = json_member(&c->doc, details, field->name, strlen(field->name));
		if (inner != object && inner != JSON_NONE && is_guessable(c, inner) && has_key(c, inner, name))
			return inner;
	}
	return JSON_NONE;
}

/* The unlisted key of the object that is most like the one that is lacking. */
static uint32_t unknown_twin(struct checker *c, const char *name, uint32_t object, struct key_list list)
{
	size_t best = SIZE_MAX, looked_at = 0;
	uint32_t found = JSON_NONE;
	for (uint32_t key = object + 1; key < c->doc.tokens[object].next && looked_at < KEYS_LOOKED_AT;
	     key = c->doc.tokens[key + 1].next, looked_at++) {
		const char *text = report_quoted(c, key);
		struct nearest n;
		if (listed(list, text) || (object == 0 && is_envelope_name(text)))
			continue;
		nearest_init(&n, text, strlen(text));
		nearest_offer(&n, name);
		if (nearest_result(&n) && n.distance * 2 < strlen(name) && n.distance < best) {
			best = n.distance;
			found = key;
		}
	}
	return found;
}

void hint_missing_key(struct checker *c, struct finding *f, const char *name, uint32_t object, struct key_list list)
{
	if (!f || !is_worth_guessing(c, object))
		return;
	uint32_t place = c->identity.clear ? misplaced(c, name, object) : JSON_NONE;
	uint32_t twin = unknown_twin(c, name, object, list);
	if (place == 0)
		report_hint(c, f, "it stands at the top of the payload");
	else if (place != JSON_NONE)
		report_hint(c, f, "it stands in %s", report_quoted(c, place - 1));
	else if (twin != JSON_NONE)
		report_hint(c, f, "\"%s\" may be meant for it", report_quoted(c, twin));
	else
		hint_whole(c, f, object);
}
