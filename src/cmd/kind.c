#include "cmd/kind.h"

#include "base/nearest.h"
#include "cmd/mistakes.h"

#include <string.h>

/* The event that has an element of that name; NULL: there is none. */
static const char *event_of_element(const char *name)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		for (size_t j = 0; j < catalog_events[i].element_count; j++)
			if (strcmp(catalog_events[i].elements[j].name, name) == 0)
				return catalog_events[i].name;
	return NULL;
}

static int refuse_kind(const char *name, enum catalog_match match, const struct catalog_kind *kind, const char *nearest,
                       struct error *err)
{
	const char *element = strchr(name, '/');
	if (kind->event && kind->event->element_count == 0) {
		error_set(err, EXIT_CODE_USAGE, "the event '%s' has no elements", kind->event->name);
		return error_hint(err, "write %s", kind->event->name);
	}
	const char *what = kind->event ? "element" : "event";
	const char *word = kind->event ? element + 1 : name;
	const char *owner = kind->event ? NULL : event_of_element(name);
	if (match == CATALOG_AMBIGUOUS)
		error_set(err, EXIT_CODE_USAGE, "several %ss begin with '%s'", what, word);
	else
		error_set(err, EXIT_CODE_USAGE, "'%s' is not an %s", word, what);
	if (owner)
		return error_hint(err, "did you mean %s/%s?", owner, name);
	if (nearest && match != CATALOG_AMBIGUOUS)
		return error_hint(err, "did you mean %s?", nearest);
	if (!kind->event && mistake_hint_event(word, err))
		return -1;
	if (match == CATALOG_AMBIGUOUS)
		return error_hint(err, "%s is the first of them; credhook events lists all", nearest);
	return error_hint(err, "credhook events lists all");
}

int kind_find(const char *name, struct catalog_kind *kind, struct error *err)
{
	const char *nearest = NULL;
	enum catalog_match match = catalog_find_kind(name, kind, &nearest);
	return match == CATALOG_FOUND ? 0 : refuse_kind(name, match, kind, nearest, err);
}

int kind_find_or_all(const char *name, struct catalog_kind *kind, struct error *err)
{
	const char *nearest = NULL;
	struct nearest near;
	if (strcmp(name, "all") == 0)
		return 1;
	enum catalog_match match = catalog_find_kind(name, kind, &nearest);
	if (match == CATALOG_FOUND)
		return 0;
	if (!nearest) {
		nearest_init(&near, name, strlen(name));
		nearest_offer(&near, "all");
		nearest = nearest_result(&near);
	}
	return refuse_kind(name, match, kind, nearest, err);
}
