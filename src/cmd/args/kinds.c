#include "cmd/args/kinds.h"

#include "base/buffer.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

static int hint_elements(const struct catalog_event *event, struct error *err)
{
	LOCAL_BUFFER names = BUFFER_INIT;
	for (size_t i = 0; i < event->element_count; i++)
		buffer_printf(&names, "%s%s", i > 0 ? ", " : "", event->elements[i].name);
	return error_hint(err, "elements of %s are %s", event->name, buffer_text(&names));
}

/* The events that begin so. */
static void append_matching(struct buffer *out, const char *name, size_t length, const char *between)
{
	for (size_t i = 0; length > 0 && i < catalog_event_count; i++)
		if (strncasecmp(catalog_events[i].name, name, length) == 0)
			buffer_printf(out, "%s%s", out->length > 0 ? between : "", catalog_events[i].name);
}

/* The path of its request, or the number that payloads have, instead of its name: /api/user/v2, 201. */
static int hint_event(const char *name, struct error *err)
{
	const char *slash = strchr(name, '/');
	LOCAL_BUFFER meant = BUFFER_INIT;
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = &catalog_events[i];
		if (strcmp(event->event, name) == 0 || (event->path && strcmp(event->path, name) == 0))
			buffer_printf(&meant, "%s%s", meant.length > 0 ? " or " : "", event->name);
	}
	if (meant.length > 0)
		return error_hint(err, "write %s", buffer_text(&meant));
	for (size_t i = 0; slash && slash > name && i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		if (kind.element && strcmp(kind.element->name, slash + 1) == 0)
			return error_hint(err, "only %s has elements: %s", kind.event->name, KIND_NAME(kind));
	}
	return error_hint(err, "credhook events lists all");
}

int kind_find(const char *name, bool or_all, struct catalog_kind *kind, struct error *err)
{
	const char *nearest = NULL;
	struct nearest near;
	if (or_all && strcmp(name, "all") == 0)
		return 1;
	enum catalog_match match = catalog_find_kind(name, kind, &nearest);
	if (match == CATALOG_FOUND)
		return 0;
	if (or_all && !nearest) {
		nearest_init(&near, name, strlen(name));
		nearest_offer(&near, "all");
		nearest = nearest_result(&near);
	}
	if (kind->event && kind->event->element_count == 0) {
		error_set(err, EXIT_CODE_USAGE, "the event '%s' has no elements", kind->event->name);
		return error_hint(err, "write %s", kind->event->name);
	}
	const char *what = kind->event ? "element" : "event";
	const char *word = kind->event ? strchr(name, '/') + 1 : name;
	if (match == CATALOG_AMBIGUOUS) {
		LOCAL_BUFFER all = BUFFER_INIT;
		error_set(err, EXIT_CODE_USAGE, "several %ss begin with '%s'", what, word);
		append_matching(&all, word, strlen(word), ", ");
		if (!kind->event && all.length > 0)
			return error_hint(err, "write one of %s", buffer_text(&all));
		return error_hint(err, "%s is the first of them; credhook events lists all", nearest);
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an %s", word, what);
	for (size_t i = 0; !kind->event && i < catalog_kind_count(); i++)
		if (catalog_kind_at(i).element && strcmp(catalog_kind_at(i).element->name, word) == 0)
			return error_hint(err, "write %s/%s", catalog_kind_at(i).event->name, word);
	if (nearest)
		return error_ask(err, "%s", nearest);
	return kind->event ? hint_elements(kind->event, err) : hint_event(name, err);
}

int kind_parse(void *kind, const char *name, struct error *err)
{
	return kind_find(name, false, kind, err);
}

int kinds_read(struct kind_list *list, const char *const *texts, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		for (const char *at = texts[i]; at; at = *at == ',' ? at + 1 : NULL) {
			LOCAL_BUFFER name = BUFFER_INIT;
			size_t length = strcspn(at, ",");
			if (length == 0 && *texts[i])
				return error_set(err, EXIT_CODE_USAGE, "'%s' is not a list of events", texts[i]);
			if (!ARRAY_ROOM(list->items, list->capacity, list->count + 1))
				return error_no_memory(err);
			buffer_append(&name, at, length);
			list->items[list->count] = (struct catalog_kind){ NULL, NULL };
			if (kind_find(buffer_text(&name), true, &list->items[list->count], err) < 0)
				return error_of_part(err, texts[i], "a list of events");
			list->count++;
			at += length;
		}
	}
	return 0;
}
