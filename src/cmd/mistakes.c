#include "cmd/mistakes.h"

#include "base/buffer.h"
#include "base/url_mask.h"
#include "capture/source.h"
#include "catalog/catalog.h"
#include "ui/options.h"

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
	{ "send", is_file, "write files with --file: --file FILE" },
	{ "send", is_json, "write the payload to a file: --file FILE, or --file - for standard input" },
	{ "send", is_destination, "write the destination with --to: --to WHERE" },
	{ "send", is_assignment, "write fields with --set: --set PATH=TEXT" },
	{ "build", is_file, "to check a file: credhook validate FILE" },
	{ "build", is_destination, "build sends nothing; to send an event: credhook send EVENT --to WHERE" },
	{ "build", is_assignment, "write fields with --set: --set PATH=TEXT" },
	{ "validate", is_event, "to check a payload of that event: credhook build EVENT | credhook validate -" },
	{ "validate", is_json, "write the payload to a file, or to standard input: credhook validate -" },
	{ "validate", is_destination, "to check what a server returns: curl -s URL | credhook validate -" },
	{ "replay", is_event, "to send an event: credhook send EVENT --to WHERE" },
	{ "replay", is_json, "write the payload to a file, or to standard input: credhook replay -" },
	{ "replay", is_destination, "write the destination with --to: --to WHERE" },
	{ "convert", is_event, "to make a payload of an event: credhook build EVENT" },
	{ "convert", is_destination, "to send captures to it: credhook replay FILE --to WHERE" },
};

static int refuse_word(const char *command, const char *word, const char *what, enum exit_code code, struct error *err)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(rows[i].command, command) != 0 || !rows[i].is_one(word))
			continue;
		LOCAL_BUFFER masked = BUFFER_INIT;
		url_append_masked(&masked, word);
		error_set(err, code, "'%s' is not %s", buffer_text(&masked), what);
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
	const char *names[NAMED_AT_MOST + 1] = { NULL };
	char singular[CATALOG_KIND_NAME_SIZE];
	size_t count = 0, length = strlen(word);
	if (length > 2 && length < sizeof singular && word[length - 1] == 's') {
		memcpy(singular, word, length - 1);
		singular[length - 1] = '\0';
		word = singular;
	}
	for (size_t i = 0; word[0] && i < catalog_event_count; i++) {
		const struct catalog_event *event = &catalog_events[i];
		if (!strcasestr(event->name, word) && !(event->path && strstr(event->path, word)))
			continue;
		if (count == NAMED_AT_MOST)
			return false;
		names[count++] = event->name;
	}
	LOCAL_BUFFER list = BUFFER_INIT;
	options_append_choices(&list, names);
	if (count > 0)
		error_hint(err, "did you mean %s?", buffer_text(&list));
	return count > 0;
}

/* What other tools call what is ours. */
static const struct {
	const char *name;
	const char *ours;
} others[] = {
	{ "serve", "listen" },    { "server", "listen" },  { "receive", "listen" }, { "mock", "listen" },
	{ "capture", "listen" },  { "record", "listen" },  { "check", "validate" }, { "lint", "validate" },
	{ "verify", "validate" }, { "generate", "build" }, { "create", "build" },   { "make", "build" },
	{ "post", "send" },       { "trigger", "send" },   { "list", "events" },    { "init", "config" },
	{ "export", "convert" },  { "import", "convert" }, { "filter", "convert" },
};

/* The shell's own commands. */
static const char *const of_shell[] = { "received", "show",  "resend", "diff", "save",    "edit", "use",
	                                "set",      "unset", "expect", "wait", "history", "exit", "quit" };

bool mistake_hint_command(const char *name, struct error *err)
{
	struct catalog_kind kind;
	for (size_t i = 0; i < sizeof of_shell / sizeof of_shell[0]; i++) {
		if (strcmp(of_shell[i], name) == 0) {
			error_hint(err, "%s is a command of credhook shell", name);
			return true;
		}
	}
	if (names_event(name, &kind)) {
		error_hint(err, "to send it: credhook send %s --to :8080; to see it: credhook build %s", name, name);
		return true;
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (strcmp(others[i].name, name) == 0) {
			error_hint(err, "did you mean %s?", others[i].ours);
			return true;
		}
	}
	return false;
}
