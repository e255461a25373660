#include "cmd/args/kinds.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/text.h"
#include "ui/options.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define KIND_TYPED_MAX 256 /* bytes of a name that are looked at: more than an error shows, so that it says so */

static int hint_elements(const struct catalog_event *event, struct error *err)
{
	LOCAL_BUFFER names = BUFFER_INIT;
	for (size_t i = 0; i < event->element_count; i++)
		buffer_printf(&names, "%s%s", i > 0 ? ", " : "", event->elements[i].name);
	return error_hint(err, "elements of %s are %s", event->name, buffer_text(&names));
}

/* The first letters of its words, m-e-a; or the number that payloads have, 201. */
static bool is_short_for(const struct catalog_event *event, const char *word, size_t length)
{
	size_t at = 0;
	if (strlen(event->event) == length && memcmp(event->event, word, length) == 0)
		return true;
	for (const char *name = event->name; name; name = strchr(name, '-') ? strchr(name, '-') + 1 : NULL) {
		at += at < length && word[at] == '-';
		if (at == length || ascii_lower(word[at]) != *name)
			return false;
		at++;
	}
	return at == length;
}

#define SHARING_MOST 3 /* events that are named */
#define SHARED_LEAST 4 /* letters of a word that two names share */

/* Whether both have a word, in the singular or the plural: alert.created, bureau-alert. */
static bool shares_word(const char *event, const char *name)
{
	for (const char *at = name; *at; at += strspn(at, "-_.: ")) {
		size_t length = strcspn(at, "-_.: ");
		size_t stem = length > SHARED_LEAST && at[length - 1] == 's' ? length - 1 : length;
		for (const char *word = event; stem >= SHARED_LEAST && word;
		     word = strchr(word, '-') ? strchr(word, '-') + 1 : NULL)
			if (strncasecmp(word, at, stem) == 0 && strchr("-", word[stem]))
				return true;
		at += length;
	}
	return false;
}

/* The events that begin so. */
static void append_matching(struct buffer *out, const char *name, size_t length, const char *between)
{
	for (size_t i = 0; length > 0 && i < catalog_event_count; i++)
		if (strncasecmp(catalog_events[i].name, name, length) == 0)
			buffer_printf(out, "%s%s", out->length > 0 ? between : "", catalog_events[i].name);
}

/* The request that brings it, instead of its name; or a pattern. */
static bool hint_other_name(const char *name, struct error *err)
{
	LOCAL_BUFFER meant = BUFFER_INIT;
	const char *star = strchr(name, '*');
	if (option_is_among("post put get delete", name))
		return error_hint(err, "an event is named, and says its method: credhook events lists all") < 0;
	if (star)
		append_matching(&meant, name, (size_t)(star - name), ",");
	for (size_t i = 0; !star && name[0] == '/' && i < catalog_event_count; i++)
		if (catalog_events[i].path && strcmp(catalog_events[i].path, name) == 0)
			buffer_printf(&meant, "%s%s", meant.length > 0 ? " or " : "", catalog_events[i].name);
	return meant.length > 0 && error_hint(err, "write %s", buffer_text(&meant)) < 0;
}

static int hint_event(const char *name, struct error *err)
{
	const char *slash = strchr(name, '/');
	size_t length = strcspn(name, "/");
	LOCAL_BUFFER meant = BUFFER_INIT, sharing = BUFFER_INIT;
	if (hint_other_name(name, err))
		return -1;
	for (size_t i = 0; length > 1 && i < catalog_event_count; i++)
		if (is_short_for(&catalog_events[i], name, length))
			buffer_printf(&meant, "%s%s%s", meant.length > 0 ? " or " : "", catalog_events[i].name,
			              slash ? slash : "");
	if (strcmp(name, "*") == 0 || strncmp(name, "every", strlen("every")) == 0)
		return error_hint(err, "write all");
	for (size_t i = 0, found = 0; meant.length == 0 && !slash && found < SHARING_MOST && i < catalog_event_count;
	     i++)
		if (shares_word(catalog_events[i].name, name))
			buffer_printf(&sharing, "%s%s", found++ > 0 ? ", " : "", catalog_events[i].name);
	if (sharing.length > 0)
		return error_hint(err, "events like it: %s; credhook events lists all", buffer_text(&sharing));
	if (meant.length > 0)
		return error_ask(err, "%s", buffer_text(&meant));
	for (size_t i = 0; slash && length > 0 && i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		if (kind.element && strcmp(kind.element->name, slash + 1) == 0)
			return error_hint(err, "only %s has elements: %s", kind.event->name, KIND_NAME(kind));
	}
	return error_hint(err, "credhook events lists all");
}

/* An element behind another sign than '/': monitored-element-added.email. */
static bool hint_separator(const char *name, struct error *err)
{
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		size_t event = strlen(kind.event->name);
		if (kind.element && strncasecmp(name, kind.event->name, event) == 0 && strchr(".:", name[event]) &&
		    name[event] && strcmp(name + event + 1, kind.element->name) == 0)
			return error_ask(err, "%s", KIND_NAME(kind)) < 0;
	}
	return false;
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
	if (!kind->event && hint_separator(name, err))
		return -1;
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
			char name[KIND_TYPED_MAX];
			size_t length = strcspn(at, ",");
			if (length == 0 && *texts[i])
				return error_set(err, EXIT_CODE_USAGE, "'%s' is not a list of events", texts[i]);
			if (!ARRAY_ROOM(list->items, list->capacity, list->count + 1))
				return error_no_memory(err);
			snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
			list->items[list->count] = (struct catalog_kind){ NULL, NULL };
			if (kind_find(name, true, &list->items[list->count], err) < 0)
				return -1;
			list->count++;
			at += length;
		}
	}
	return 0;
}
