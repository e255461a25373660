#include "catalog/catalog.h"

#include "base/ascii.h"

#include <string.h>
#include <strings.h>

const char *catalog_type_name(enum catalog_type type)
{
	static const char *const names[] = {
		[CATALOG_STRING] = "string",
		[CATALOG_UUID] = "string (UUID)",
		[CATALOG_BOOLEAN_TEXT] = "string (true or false)",
		[CATALOG_INTEGER_TEXT] = "string (signed integer)",
		[CATALOG_INTEGER] = "integer",
		[CATALOG_CHOICE] = "string (one of a list)",
		[CATALOG_OBJECT] = "object",
	};
	return names[type];
}

const struct catalog_event *catalog_story_at(size_t place)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		size_t before = 0;
		for (size_t j = 0; j < catalog_event_count; j++)
			before += catalog_events[j].story < catalog_events[i].story + (j < i);
		if (before == place)
			return &catalog_events[i];
	}
	return NULL;
}

bool catalog_event_begins(const struct catalog_event *event, const char *field)
{
	for (size_t i = 0; i < sizeof event->begins / sizeof event->begins[0] && event->begins[i]; i++)
		if (strcmp(event->begins[i]->name, field) == 0)
			return true;
	return false;
}

const struct catalog_event *catalog_beginning_of(const char *field)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		if (catalog_event_begins(&catalog_events[i], field))
			return &catalog_events[i];
	return NULL;
}

bool catalog_event_refers(const struct catalog_event *event, const char *field)
{
	return catalog_beginning_of(field) && !catalog_event_begins(event, field);
}

const struct catalog_event *catalog_triggered(const struct catalog_operation *operation,
                                              const struct catalog_event *before)
{
	const struct catalog_event *event = before ? before + 1 : catalog_events;
	for (; event < catalog_events + catalog_event_count; event++)
		if (event->path && strcmp(event->path, operation->path) == 0 &&
		    strcasecmp(event->method, operation->method) == 0)
			return event;
	return NULL;
}

static size_t kinds_of(const struct catalog_event *event)
{
	return event->element_count > 0 ? event->element_count : 1;
}

size_t catalog_kind_count(void)
{
	size_t count = 0;
	for (size_t i = 0; i < catalog_event_count; i++)
		count += kinds_of(&catalog_events[i]);
	return count;
}

struct catalog_kind catalog_kind_at(size_t index)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = &catalog_events[i];
		if (index < kinds_of(event))
			return (struct catalog_kind){ event, event->elements ? &event->elements[index] : NULL };
		index -= kinds_of(event);
	}
	return (struct catalog_kind){ NULL, NULL };
}

struct catalog_kind catalog_kept_at(size_t place)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		if (catalog_events[i].kept > 0 && (size_t)catalog_events[i].kept == place + 1)
			return (struct catalog_kind){ &catalog_events[i], catalog_events[i].usual };
	return (struct catalog_kind){ NULL, NULL };
}

size_t catalog_kind_index(struct catalog_kind kind)
{
	size_t index = 0;
	for (const struct catalog_event *event = catalog_events; event != kind.event; event++)
		index += kinds_of(event);
	return kind.element ? index + (size_t)(kind.element - kind.event->elements) : index;
}

const char *catalog_kind_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE])
{
	/* A test checks that all names fit. */
	char *end = stpcpy(out, kind.event->name);
	if (kind.element) {
		*end++ = '/';
		strcpy(end, kind.element->name);
	}
	return out;
}

const char *catalog_kind_stem(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE])
{
	if (!kind.event)
		return strcpy(out, "unknown");
	for (char *c = strchr(catalog_kind_name(kind, out), '/'); c; c = strchr(c, '/'))
		*c = '-';
	return out;
}

bool catalog_kind_is(struct catalog_kind kind, struct catalog_kind meant)
{
	return kind.event == meant.event && (!meant.element || kind.element == meant.element);
}

const char *catalog_kind_path(struct catalog_kind kind)
{
	return kind.element ? kind.element->path : kind.event->path;
}

/* An element's name, or with NULL an event's; NULL behind the last. */
static const char *name_at(const struct catalog_event *owner, size_t index)
{
	if (owner)
		return index < owner->element_count ? owner->elements[index].name : NULL;
	return index < catalog_event_count ? catalog_events[index].name : NULL;
}

/* A word without what spellings of a name differ in (userCreated, USER_CREATED, "user created"): case and separators.
 * Returns its length; what is longer than any name is cut, and no name begins with it. */
static size_t fold(const char *word, size_t length, char out[CATALOG_KIND_NAME_SIZE])
{
	size_t count = 0;
	for (size_t i = 0; i < length && count < CATALOG_KIND_NAME_SIZE - 1; i++)
		if (!strchr("-_. ", word[i]))
			out[count++] = ascii_lower(word[i]);
	out[count] = '\0';
	return count;
}

/* Finds a word among names: the one it spells, else the only one that begins with it. */
static enum catalog_match find_name(const struct catalog_event *owner, const char *word, size_t length, size_t *found,
                                    const char **nearest)
{
	size_t prefixes = 0, endings = 0;
	char wanted[CATALOG_KIND_NAME_SIZE], folded[CATALOG_KIND_NAME_SIZE];
	size_t wanted_length = fold(word, length, wanted);
	struct nearest near;
	const char *name, *ending = NULL;
	*nearest = NULL;
	for (size_t i = 0; (name = name_at(owner, i)) != NULL; i++) {
		if (strncmp(name, word, length) == 0 && name[length] == '\0') { /* as each record has it */
			*found = i;
			return CATALOG_FOUND;
		}
	}
	nearest_init(&near, word, length);
	for (size_t i = 0; (name = name_at(owner, i)) != NULL; i++) {
		const char *last = strrchr(name, '-');
		fold(name, strlen(name), folded);
		if (wanted_length > 0 && strncmp(folded, wanted, wanted_length) == 0) {
			bool is_whole = folded[wanted_length] == '\0';
			if (is_whole || prefixes++ == 0) {
				*found = i;
				*nearest = name;
			}
			if (is_whole)
				return CATALOG_FOUND;
		}
		nearest_offer(&near, name);
		if (last && strncasecmp(last + 1, word, length) == 0 && last[1 + length] == '\0')
			ending = endings++ == 0 ? name : NULL; /* the only one with this last word: alert */
	}
	if (prefixes > 0)
		return prefixes == 1 ? CATALOG_FOUND : CATALOG_AMBIGUOUS;
	*nearest = nearest_result(&near);
	*nearest = *nearest ? *nearest : ending;
	return CATALOG_UNKNOWN;
}

enum catalog_match catalog_find_kind(const char *name, struct catalog_kind *kind, const char **nearest)
{
	size_t length = strcspn(name, "/"), found = 0;
	const char *unused;
	nearest = nearest ? nearest : &unused;
	*kind = (struct catalog_kind){ NULL, NULL };
	enum catalog_match match = find_name(NULL, name, length, &found, nearest);
	if (match != CATALOG_FOUND)
		return match;
	kind->event = &catalog_events[found];
	if (name[length] == '\0')
		return CATALOG_FOUND;
	const char *element = name + length + 1;
	match = find_name(kind->event, element, strlen(element), &found, nearest);
	if (match == CATALOG_FOUND)
		kind->element = &kind->event->elements[found];
	return match;
}

static bool text_is(struct text text, const char *expected, size_t length)
{
	/* Most rows differ in length or in the first character, which takes no call. */
	return text.length == length && expected[0] == text.text[0] && memcmp(expected, text.text, length) == 0;
}

/* Sets *element to the one whose path it is. */
static bool path_matches(const struct catalog_event *event, struct text path, const struct catalog_element **element)
{
	if (!path.text || !event->path)
		return !path.text && !event->path;
	if (event->element_count == 0)
		return text_is(path, event->path, strlen(event->path));
	for (size_t i = 0; i < event->element_count && !*element; i++)
		if (text_is(path, event->elements[i].path, strlen(event->elements[i].path)))
			*element = &event->elements[i];
	return *element != NULL;
}

const struct catalog_event *catalog_identify(struct text service, struct text event, struct text method,
                                             struct text path, const struct catalog_element **element)
{
	*element = NULL;
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *row = &catalog_events[i];
		if (text_is(service, row->service, row->lengths[0]) && text_is(event, row->event, row->lengths[1]) &&
		    text_is(method, row->method, row->lengths[2]) && path_matches(row, path, element))
			return row;
	}
	return NULL;
}

const struct catalog_member *catalog_member_named(const struct catalog_member *members, size_t count, const char *key,
                                                  size_t key_length)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		if (field->name_length == key_length && memcmp(field->name, key, key_length) == 0)
			return &members[i];
	}
	return NULL;
}

const struct catalog_others *catalog_others_of(const struct catalog_member *member)
{
	for (size_t i = 0; i < catalog_others_count; i++)
		if (catalog_others[i].type == member->type &&
		    (!catalog_others[i].field || catalog_others[i].field == member->field))
			return &catalog_others[i];
	return NULL;
}

const struct catalog_field *catalog_field_owner(const struct catalog_field *field)
{
	for (size_t i = 0; i < catalog_field_count; i++)
		for (size_t m = 0; m < catalog_fields[i]->member_count; m++)
			if (catalog_fields[i]->members[m].field == field)
				return catalog_fields[i];
	return NULL;
}

const struct catalog_field *catalog_field_named(const char *name)
{
	for (size_t i = 0; i < catalog_field_count; i++)
		if (strcmp(catalog_fields[i]->name, name) == 0)
			return catalog_fields[i];
	return NULL;
}
