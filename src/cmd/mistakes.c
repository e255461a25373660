#include "cmd/mistakes.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/url.h"
#include "capture/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND_TYPED_MAX 256 /* bytes of a name that are looked at: more than an error shows, so that it says so */

static bool is_there(const char *word)
{
	return access(word, F_OK) == 0;
}

static bool is_data(const char *word)
{
	return source_type_of_name(word) != SOURCE_DETECT;
}

static bool is_file(const char *word)
{
	return is_data(word) || is_there(word);
}

/* A URL, localhost, or what ends in a port; a host's name alone is a misspelt event more often. */
static bool is_destination(const char *word)
{
	const char *colon = strrchr(word, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
	bool has_port = digits > 0 && (colon[1 + digits] == '\0' || colon[1 + digits] == '/');
	return has_port || strstr(word, "://") || strncmp(word, "localhost", strlen("localhost")) == 0;
}

static bool is_kinds(const char *word)
{
	struct kind_list list = { .items = NULL };
	struct error unused;
	int result = kinds_read(&list, &word, 1, &unused);
	free(list.items);
	return result == 0;
}

/* Which words are fine, and what is said around another one. */
static const struct {
	bool (*is_one)(const char *word); /* NULL: it is not known */
	const char *before, *behind;
} operand_types[] = {
	[OPERAND_EVENT] = { is_kinds, "", "is not an event" },
	[OPERAND_FILE] = { is_there, "", "is not a file" },
	[OPERAND_CHECK] = { NULL, "", "is not a check" },
	[OPERAND_ADDRESS] = { NULL, "listen takes one address, not ", "too" },
};

/* The first test that holds gives the hint, which the word follows. */
static const struct {
	const char *command;
	bool (*is_one)(const char *word);
	const char *hint;
} rows[] = {
	{ "send", is_file, "write files with --file: --file" },
	{ "send", is_destination, "write the destination with --to: --to" },
	{ "build", is_file, "to check a file: credhook validate" },
	{ "replay", is_destination, "write the destination with --to: --to" },
	{ "test", is_destination, "write the destination with --to: --to" },
	{ "test", is_data, "to send files: credhook send --file" },
	{ "listen", is_destination, "to forward what arrives: --forward-to" },
	{ "listen", is_data, "to keep what arrives: --capture" },
};

/* The option whose value is a list, where that has ended at a blank: --respond 500 200. */
static const struct option_word *list_before(const struct option_words *words, const char *operand)
{
	for (size_t i = 1; words && i < words->count; i++) {
		const struct option_word *before = &words->items[i - 1];
		if (words->items[i].value == operand && !words->items[i].option && before->option && before->value &&
		    before->option->argument && strchr(before->option->argument, ','))
			return before;
	}
	return NULL;
}

int mistake_among(const struct context *context, enum operand_type type, size_t first, struct error *err)
{
	for (size_t i = first; i < context->operands->count; i++) {
		const char *word = context->operands->items[i];
		if (operand_types[type].is_one && operand_types[type].is_one(word))
			continue;
		LOCAL_BUFFER masked = BUFFER_INIT;
		url_append_masked(&masked, word);
		const struct option_word *list = list_before(context->words, word);
		size_t r = 0;
		while (r < sizeof rows / sizeof rows[0] &&
		       (strcmp(rows[r].command, context->command) != 0 || !rows[r].is_one(word)))
			r++;
		if (!list && r == sizeof rows / sizeof rows[0])
			continue;
		error_set(err, EXIT_CODE_USAGE, "%s'%s' %s", operand_types[type].before, buffer_text(&masked),
		          operand_types[type].behind);
		if (list)
			return error_hint(err, "write a list with commas: --%s %s,%s", list->option->name, list->value,
			                  buffer_text(&masked));
		return error_hint(err, "%s %s", rows[r].hint, buffer_text(&masked));
	}
	return 0;
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
		error_set(err, EXIT_CODE_USAGE, "several %ss begin with '%s'", what, word);
		return error_hint(err, "%s is the first of them; credhook events lists all", nearest);
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an %s", word, what);
	for (size_t i = 0; !kind->event && i < catalog_kind_count(); i++)
		if (catalog_kind_at(i).element && strcmp(catalog_kind_at(i).element->name, word) == 0)
			return error_hint(err, "write %s/%s", catalog_kind_at(i).event->name, word);
	return nearest ? error_hint(err, "did you mean %s?", nearest) : error_hint(err, "credhook events lists all");
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
