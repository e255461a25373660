#include "cmd/mistakes.h"

#include "base/buffer.h"
#include "base/text.h"
#include "base/url.h"
#include "capture/source.h"
#include "catalog/catalog.h"

#include <string.h>
#include <unistd.h>

static bool is_file(const char *word)
{
	return source_type_of_name(word) != SOURCE_DETECT || access(word, F_OK) == 0;
}

/* A URL, localhost, or what ends in a port; a host's name alone is a misspelt event more often. */
static bool is_destination(const char *word)
{
	const char *colon = strrchr(word, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
	bool has_port = digits > 0 && (colon[1 + digits] == '\0' || colon[1 + digits] == '/');
	return has_port || strstr(word, "://") || strncmp(word, "localhost", strlen("localhost")) == 0;
}

/* 5-7, 5,9 */
static bool is_range(const char *word)
{
	return strcspn(word, "0123456789") == 0 && strpbrk(word, ",-") && word[strspn(word, "0123456789,-")] == '\0';
}

/* The first test that holds gives the hint, which the word follows. */
static const struct {
	const char *command;
	bool (*is_one)(const char *word);
	const char *hint;
	enum exit_code code;
} rows[] = {
	{ "send", is_file, "write files with --file: --file", EXIT_CODE_USAGE },
	{ "send", is_destination, "write the destination with --to: --to", EXIT_CODE_USAGE },
	{ "build", is_file, "to check a file: credhook validate", EXIT_CODE_USAGE },
	{ "replay", is_destination, "write the destination with --to: --to", EXIT_CODE_USAGE },
	{ "show", is_range, "to list records by their numbers: --record", EXIT_CODE_IO },
};

int mistake_among(const struct context *context, bool are_files, struct error *err)
{
	struct catalog_kind kind;
	for (size_t i = 0; i < context->operands->count; i++) {
		const char *word = context->operands->items[i];
		if (are_files ? access(word, F_OK) == 0 : kind_find_or_all(word, &kind, err) >= 0)
			continue;
		for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
			if (strcmp(rows[r].command, context->command) != 0 || !rows[r].is_one(word))
				continue;
			LOCAL_BUFFER masked = BUFFER_INIT;
			url_append_masked(&masked, word);
			error_set(err, rows[r].code, "'%s' is not %s", buffer_text(&masked),
			          are_files ? "a file" : "an event");
			return error_hint(err, "%s %s", rows[r].hint, buffer_text(&masked));
		}
	}
	return 0;
}

static int refuse_kind(const char *name, enum catalog_match match, const struct catalog_kind *kind, const char *nearest,
                       struct error *err)
{
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
	return nearest ? error_hint(err, "did you mean %s?", nearest) : error_hint(err, "credhook events lists all");
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
