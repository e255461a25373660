/* Keys that are missing, repeated or not listed, of any object of a payload; and guessing the mistake behind them,
 * which does not decide whether the payload is valid. */
#include "base/text.h"
#include "payload/check_internal.h"

#include <string.h>

/* Guessing looks at all keys several times: a payload with more findings or more tokens than this is not misspelt,
 * and may be an attack. */
#define GUESSED_FINDINGS 20
#define GUESSED_TOKENS   4096
/* A misspelling shows among the first keys. */
#define KEYS_LOOKED_AT 64
#define OBJECTS_MAX    8

/* An object of the payload and the keys that the event lists for it. */
struct listed {
	uint32_t object;
	struct key_list list;
};

static bool is_worth_guessing(const struct checker *c)
{
	return c->verdict.finding_count <= GUESSED_FINDINGS && c->doc.count <= GUESSED_TOKENS;
}

static bool has_key(const struct checker *c, uint32_t object, const char *name)
{
	return json_member(&c->doc, object, name, strlen(name)) != JSON_NONE;
}

/* The name of the listed key at this index; NULL behind the last. */
static const char *name_at(const struct listed *l, size_t index)
{
	if (l->object == 0)
		return index < catalog_envelope_count ? catalog_envelope[index]->name : NULL;
	return index < l->list.count ? l->list.members[index].field->name : NULL;
}

static bool lists(const struct listed *l, const char *key)
{
	const char *name;
	for (size_t i = 0; (name = name_at(l, i)) != NULL; i++)
		if (strcmp(name, key) == 0)
			return true;
	return false;
}

/* The payload itself, its details and the objects in them. */
static size_t listed_objects(const struct checker *c, struct listed objects[OBJECTS_MAX])
{
	const struct catalog_event *event = c->identity.kind.event;
	uint32_t details = c->identity.values[ENVELOPE_DETAILS];
	size_t count = 0;
	objects[count++] = (struct listed){ 0, { NULL, 0 } };
	if (details == JSON_NONE || c->doc.tokens[details].type != JSON_OBJECT)
		return count;
	objects[count++] = (struct listed){ details, { event->details, event->detail_count } };
	for (size_t i = 0; i < event->detail_count && count < OBJECTS_MAX; i++) {
		const struct catalog_field *field = event->details[i].field;
		uint32_t object = json_member(&c->doc, details, field->name, strlen(field->name));
		if (object != JSON_NONE && field->member_count > 0)
			objects[count++] = (struct listed){ object, { field->members, field->member_count } };
	}
	return count;
}

/* Near enough for an option is not near enough here: "data" is not a misspelt "path". */
static bool is_near(const char *key, const char *name, size_t *distance)
{
	struct nearest n;
	nearest_init(&n, key, strlen(key));
	nearest_offer(&n, name);
	*distance = n.distance;
	return nearest_result(&n) && n.distance * 2 < strlen(name);
}

/* The missing key that the unknown one is a misspelling of, or NULL. */
static const char *near_missing(const struct checker *c, const char *key, const struct listed *l)
{
	size_t best = SIZE_MAX, distance;
	const char *name, *found = NULL;
	for (size_t i = 0; (name = name_at(l, i)) != NULL; i++) {
		if (is_near(key, name, &distance) && distance < best && !has_key(c, l->object, name)) {
			best = distance;
			found = name;
		}
	}
	return found;
}

/* The unknown key that is a misspelling of the missing one, or JSON_NONE. */
static uint32_t near_unknown(struct checker *c, const char *name, const struct listed *l)
{
	size_t best = SIZE_MAX, distance, looked_at = 0;
	uint32_t found = JSON_NONE;
	for (uint32_t key = l->object + 1; key < c->doc.tokens[l->object].next && looked_at < KEYS_LOOKED_AT;
	     key = c->doc.tokens[key + 1].next, looked_at++) {
		const char *text = report_quoted(c, key);
		if (is_near(text, name, &distance) && distance < best && !lists(l, text)) {
			best = distance;
			found = key;
		}
	}
	return found;
}

/* Whether nothing of the envelope is there, and the value of this key looks like a payload. */
static bool wraps_payload(const struct checker *c, uint32_t key)
{
	const struct json_token *value = &c->doc.tokens[key + 1];
	for (int i = 0; i < ENVELOPE_COUNT; i++)
		if (c->identity.values[i] != JSON_NONE)
			return false;
	if (value->type == JSON_OBJECT)
		return has_key(c, key + 1, "service") && has_key(c, key + 1, "details");
	return value->type == JSON_STRING && value->end - value->start > 2 && c->doc.text[value->start + 1] == '{';
}

static void hint_unknown_key(struct checker *c, struct finding *f, uint32_t key, uint32_t object, struct key_list list)
{
	if (!f || !is_worth_guessing(c))
		return;
	struct listed own = { object, list }, objects[OBJECTS_MAX];
	LOCAL_BUFFER name = BUFFER_INIT;
	buffer_append_text(&name, report_quoted(c, key));
	const char *text = buffer_text(&name), *missing = near_missing(c, text, &own);
	size_t count = c->identity.clear ? listed_objects(c, objects) : 0, i = 0;
	while (i < count &&
	       (objects[i].object == object || !lists(&objects[i], text) || has_key(c, objects[i].object, text)))
		i++;
	if (i < count && objects[i].object == 0)
		report_hint(c, f, "move it to the top of the payload");
	else if (i < count)
		report_hint(c, f, "move it into %s", report_quoted(c, objects[i].object - 1));
	else if (missing)
		report_hint(c, f, "rename it to \"%s\", which is missing", missing);
	else if (object == 0 && wraps_payload(c, key))
		report_hint(c, f, "remove what is around \"%s\": the payload seems to be inside it", text);
	c->out_of_memory |= name.failed;
}

static void hint_missing_key(struct checker *c, struct finding *f, const char *name, uint32_t object,
                             struct key_list list)
{
	if (!f || !is_worth_guessing(c))
		return;
	uint32_t key = near_unknown(c, name, &(struct listed){ object, list });
	if (key != JSON_NONE)
		report_hint(c, f, "rename \"%s\", which looks like a misspelling of it", report_quoted(c, key));
}

struct repeated_in {
	struct checker *checker;
	uint32_t object;
};

static void report_repeated_key(void *context, uint32_t key, uint32_t earlier)
{
	const struct repeated_in *in = context;
	struct checker *c = in->checker;
	c->doc.tokens[key].flags |= CHECK_KEY_REPEATED;
	struct finding *f = report_key(c, FINDING_DUPLICATE_KEY, in->object, key);
	if (!f)
		return;
	f->earlier = c->doc.tokens[earlier].start;
	report_message(c, f, "duplicate key \"%s\"", report_quoted(c, key));
	report_hint(c, f, "remove one of them; the last value was checked");
}

void check_repeated_keys(struct checker *c, uint32_t object)
{
	c->doc.tokens[object].flags |= CHECK_OBJECT_COMPARED;
	struct repeated_in in = { c, object };
	if (!json_repeated_keys(&c->doc, object, report_repeated_key, &in))
		c->out_of_memory = true;
}

void check_report_missing(struct checker *c, uint32_t object, const char *name, struct key_list list)
{
	const struct json_token *brace = &c->doc.tokens[object];
	if (report_ignores_missing(c, object, name))
		return;
	struct finding *f = report_add(c, FINDING_MISSING_KEY, object, brace->start, brace->start + 1);
	if (!f)
		return;
	f->missing = name;
	report_message(c, f, "missing key \"%s\"", name);
	hint_missing_key(c, f, name, object, list);
}

void check_report_unknown_key(struct checker *c, uint32_t key, uint32_t object, struct key_list list, const char *where)
{
	if (c->doc.tokens[key].flags & CHECK_KEY_REPEATED)
		return;
	struct finding *f = report_key(c, FINDING_UNKNOWN_KEY, object, key);
	if (!f)
		return;
	report_message(c, f, "unknown key \"%s\" in %s", report_quoted(c, key), where);
	hint_unknown_key(c, f, key, object, list);
}
