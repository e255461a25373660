#include "cmd/mistakes.h"

#include "base/buffer.h"
#include "base/url_mask.h"
#include "capture/source.h"
#include "catalog/catalog.h"
#include "config/address.h"

#include <string.h>
#include <unistd.h>

#define NAMED_AT_MOST 4 /* events in a hint */

static bool is_file(const char *word)
{
	return source_kind_of_name(word) != SOURCE_DETECT || access(word, F_OK) == 0;
}

static bool is_json(const char *word)
{
	return word[0] == '{' || strncmp(word, "[{", 2) == 0;
}

/* A URL, localhost, or what ends in a port; a host's name alone is a misspelt event more often. */
static bool is_destination(const char *word)
{
	const char *colon = strrchr(word, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
	bool has_port = digits > 0 && (colon[1 + digits] == '\0' || colon[1 + digits] == '/');
	return has_port || strstr(word, "://") || strncmp(word, "localhost", strlen("localhost")) == 0;
}

/* PATH=TEXT */
static bool is_assignment(const char *word)
{
	return strchr(word, '=') != NULL;
}

/* An event or element, possibly shortened, or "all". */
static bool names_event(const char *word, struct catalog_kind *kind)
{
	const char *nearest;
	*kind = (struct catalog_kind){ NULL, NULL };
	return strcmp(word, "all") == 0 || catalog_find_kind(word, kind, &nearest) == CATALOG_FOUND;
}

/* With its whole name: a shorter one is a file's as often. */
static bool is_event(const char *word)
{
	char whole[CATALOG_KIND_NAME_SIZE] = "all";
	struct catalog_kind kind;
	if (!names_event(word, &kind))
		return false;
	if (kind.event)
		catalog_kind_name(kind, whole);
	return strcmp(word, whole) == 0;
}

/* The first test that holds gives the hint. */
static const struct {
	const char *command;
	bool (*is_one)(const char *word);
	const char *hint;
} rows[] = {
	{ "send", is_file, "--file takes files: --file FILE" },
	{ "send", is_json, "--file takes payloads: --file FILE; - is standard input" },
	{ "send", is_destination, "--to takes the destination: --to WHERE" },
	{ "send", is_assignment, "--set sets a field: --set PATH=TEXT" },
	{ "build", is_file, "to check a file: credhook validate FILE" },
	{ "build", is_destination, "build only makes payloads; to send one: credhook send EVENT --to WHERE" },
	{ "build", is_assignment, "--set sets a field: --set PATH=TEXT" },
	{ "validate", is_event, "to check one that is made: credhook build EVENT | credhook validate -" },
	{ "validate", is_json, "payloads are read from files; - is standard input" },
	{ "validate", is_destination, "to check what is there: curl -s URL | credhook validate -" },
	{ "replay", is_event, "to send one that is made: credhook send EVENT --to WHERE" },
	{ "replay", is_json, "payloads are read from files; - is standard input" },
	{ "replay", is_destination, "--to takes the destination: --to WHERE" },
};

static int refuse_word(const char *command, const char *word, const char *what, enum exit_code code, struct error *err)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(rows[i].command, command) != 0 || !rows[i].is_one(word))
			continue;
		struct buffer masked = BUFFER_INIT;
		url_append_masked(&masked, word);
		error_set(err, code, "'%s' is not %s", buffer_text(&masked), what);
		buffer_release(&masked);
		return error_hint(err, "%s", rows[i].hint);
	}
	return 0;
}

int mistake_among_events(const char *command, const struct text_list *operands, struct error *err)
{
	struct catalog_kind kind;
	for (size_t i = 0; i < operands->count; i++)
		if (!names_event(operands->items[i], &kind) &&
		    refuse_word(command, operands->items[i], "an event", EXIT_CODE_USAGE, err) < 0)
			return -1;
	return 0;
}

int mistake_among_files(const char *command, const struct text_list *operands, struct error *err)
{
	for (size_t i = 0; i < operands->count; i++)
		if (access(operands->items[i], F_OK) != 0 &&
		    refuse_word(command, operands->items[i], "a file", EXIT_CODE_IO, err) < 0)
			return -1;
	return 0;
}

bool mistake_hint_event(const char *word, struct error *err)
{
	struct buffer names = BUFFER_INIT;
	size_t count = 0;
	for (size_t i = 0; word[0] && i < catalog_event_count; i++) {
		const struct catalog_event *event = &catalog_events[i];
		if (strcasestr(event->name, word) || (event->path && strstr(event->path, word)))
			buffer_printf(&names, "%s'%s'", count++ > 0 ? ", " : "", event->name);
	}
	bool helps = count > 0 && count <= NAMED_AT_MOST;
	if (helps)
		error_hint(err, "did you mean %s%s?", count > 1 ? "one of " : "", buffer_text(&names));
	buffer_release(&names);
	return helps;
}

/* What other tools call what is ours. */
static const struct {
	const char *name;
	const char *ours;
} others[] = {
	{ "version", "credhook --version" },
	{ "serve", "listen" },
	{ "server", "listen" },
	{ "receive", "listen" },
	{ "mock", "listen" },
	{ "capture", "listen" },
	{ "record", "listen" },
	{ "check", "validate" },
	{ "lint", "validate" },
	{ "verify", "validate" },
	{ "generate", "build" },
	{ "create", "build" },
	{ "post", "send" },
	{ "trigger", "send" },
	{ "resend", "replay" },
	{ "list", "events" },
	{ "init", "config" },
};

bool mistake_hint_command(const char *name, struct error *err)
{
	struct catalog_kind kind;
	if (names_event(name, &kind)) {
		error_hint(err, "'build %s' makes one, 'send %s --to :8080' sends it", name, name);
		return true;
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (strcmp(others[i].name, name) == 0) {
			error_hint(err, "did you mean '%s'?", others[i].ours);
			return true;
		}
	}
	return false;
}
