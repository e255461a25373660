#include "cmd/slips.h"

#include "capture/source.h"
#include "config/address.h"
#include "config/config.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#define NAMED_AT_MOST 4 /* events in a hint */
#define WORDS_AT_MOST 6 /* of the longest name */

/* What a word is that stands where an event or a file is to be. */
enum slip {
	SLIP_NONE,
	SLIP_EVENT,
	SLIP_PLACE,
	SLIP_FILE,
	SLIP_SETTING, /* PATH=TEXT */
	SLIP_JSON,
};

static const struct {
	const char *command;
	enum slip slip;
	const char *hint; /* %s: the word */
} rows[] = {
	{ "send", SLIP_PLACE, "where to send is named by --to: --to %s" },
	{ "send", SLIP_FILE, "a file is named by --file: --file %s" },
	{ "send", SLIP_SETTING, "a field is set by --set: --set %s" },
	{ "send", SLIP_JSON, "a payload comes from a file: --file FILE; - is standard input" },
	{ "build", SLIP_PLACE, "build only makes payloads: credhook send EVENT --to %s" },
	{ "build", SLIP_FILE, "to judge a file: credhook validate %s" },
	{ "build", SLIP_SETTING, "a field is set by --set: --set %s" },
	{ "validate", SLIP_EVENT, "to judge one that is made: credhook build %s | credhook validate -" },
	{ "validate", SLIP_PLACE, "to judge what comes from there: curl -s %s | credhook validate -" },
	{ "validate", SLIP_JSON, "a payload comes from a file; - is standard input" },
	{ "replay", SLIP_EVENT, "to send one that is made: credhook send %s --to WHERE" },
	{ "replay", SLIP_PLACE, "where to send is named by --to: --to %s" },
	{ "replay", SLIP_JSON, "a payload comes from a file; - is standard input" },
};

static bool is_file(const char *name)
{
	return source_kind_of_name(name) != SOURCE_DETECT || access(name, F_OK) == 0;
}

/* An environment, or what has a port in it; other words that could be hosts are misspelt events more often. */
static bool is_place(const char *name, const struct global_options *global)
{
	struct config config = CONFIG_INIT;
	struct error unused;
	const char *colon = strchr(name, ':');
	if (colon && (colon[1] == '/' || (colon[1] >= '0' && colon[1] <= '9')))
		return true;
	if (strcmp(name, "localhost") == 0 || strspn(name, "0123456789") == strlen(name))
		return name[0] != '\0';
	bool found = config_load(&config, global->config, global->no_config, &unused) == 0 &&
	             config_environment_named(&config, name) != NULL;
	config_release(&config);
	return found;
}

/* The whole name of an event or element, or "all". */
static bool is_event(const char *name)
{
	char whole[CATALOG_KIND_NAME_SIZE];
	struct catalog_kind kind;
	const char *nearest;
	if (strcmp(name, "all") == 0)
		return true;
	if (catalog_find_kind(name, &kind, &nearest) != CATALOG_FOUND)
		return false;
	catalog_kind_name(kind, whole);
	return strcmp(name, whole) == 0;
}

/* details.firstName=A: dots and letters, and a value. */
static bool is_setting(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ./");
	return length > 0 && (name[length] == '=' || strncmp(name + length, ":=", 2) == 0);
}

/* Of a word where an event is to be. */
static enum slip slip_for_event(const char *name, const struct global_options *global)
{
	if (is_file(name))
		return SLIP_FILE;
	if (name[0] == '{' || name[0] == '[')
		return SLIP_JSON;
	if (is_setting(name))
		return SLIP_SETTING;
	return is_place(name, global) ? SLIP_PLACE : SLIP_NONE;
}

/* Of the name of a file that there is not. Most names may be a file's: a time has colons, a year is a number. */
static enum slip slip_for_file(const char *name)
{
	if (source_kind_of_name(name) != SOURCE_DETECT)
		return SLIP_NONE;
	if (name[0] == '{' || name[0] == '[')
		return SLIP_JSON;
	if (is_event(name))
		return SLIP_EVENT;
	return strstr(name, "://") || name[0] == ':' || strncmp(name, "localhost:", 10) == 0 ? SLIP_PLACE : SLIP_NONE;
}

/* -1: there is a row for it. */
static int refuse_slip(const char *command, const char *what, const char *name, enum slip slip, enum exit_code code,
                       struct error *err)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (rows[i].slip != slip || strcmp(rows[i].command, command) != 0)
			continue;
		struct buffer masked = BUFFER_INIT, hint = BUFFER_INIT;
		const char *gap = strstr(rows[i].hint, "%s");
		address_append_masked(&masked, name);
		buffer_append_text(&hint, rows[i].hint);
		if (gap) {
			buffer_clear(&hint);
			buffer_append(&hint, rows[i].hint, (size_t)(gap - rows[i].hint));
			buffer_append_text(&hint, buffer_text(&masked));
			buffer_append_text(&hint, gap + strlen("%s"));
		}
		error_set(err, code, "'%s' is no %s", buffer_text(&masked), what);
		error_hint(err, "%s", buffer_text(&hint));
		buffer_release(&masked);
		buffer_release(&hint);
		return -1;
	}
	return 0;
}

static bool may_be_event(const char *name)
{
	struct catalog_kind kind;
	const char *nearest;
	return strcmp(name, "all") == 0 || catalog_find_kind(name, &kind, &nearest) == CATALOG_FOUND;
}

/* `bureau alert`: a name in several words, of which one at least is no event by itself. */
static int refuse_words(const struct text_list *operands, size_t first, struct error *err)
{
	struct buffer name = BUFFER_INIT, words = BUFFER_INIT;
	bool are_events = true;
	int result = 0;
	for (size_t i = first; result == 0 && i < operands->count && i < first + WORDS_AT_MOST; i++) {
		are_events = are_events && may_be_event(operands->items[i]);
		buffer_printf(&name, "%s%s", i > first ? "-" : "", operands->items[i]);
		buffer_printf(&words, "%s%s", i > first ? " " : "", operands->items[i]);
		if (i > first && !are_events && is_event(buffer_text(&name))) {
			error_set(err, EXIT_CODE_USAGE, "'%s' is no event", buffer_text(&words));
			result = error_hint(err, "a name is one word: %s", buffer_text(&name));
		}
	}
	buffer_release(&name);
	buffer_release(&words);
	return result;
}

int slip_among_events(const char *command, const struct text_list *operands, const struct global_options *global,
                      struct error *err)
{
	for (size_t i = 0; i < operands->count; i++) {
		const char *name = operands->items[i];
		if (is_event(name))
			continue;
		if (refuse_words(operands, i, err) < 0)
			return -1;
		if (!may_be_event(name) &&
		    refuse_slip(command, "event", name, slip_for_event(name, global), EXIT_CODE_USAGE, err) < 0)
			return -1;
	}
	return 0;
}

int slip_among_files(const char *command, const struct text_list *operands, struct error *err)
{
	for (size_t i = 0; i < operands->count; i++) {
		const char *name = operands->items[i];
		if (access(name, F_OK) != 0 &&
		    refuse_slip(command, "file", name, slip_for_file(name), EXIT_CODE_IO, err) < 0)
			return -1;
	}
	return 0;
}

/* Whether the event's name has a part that begins with the word, or the word is its service or path. */
static bool is_like(const struct catalog_event *event, const char *word, size_t length)
{
	const char *at = event->name;
	while (at && strncasecmp(at, word, length) != 0) {
		at = strchr(at, '-');
		at = at ? at + 1 : NULL;
	}
	return at || strcasecmp(event->service, word) == 0 || (event->path && strcmp(event->path, word) == 0);
}

bool slip_hint_event(const char *word, struct error *err)
{
	struct buffer names = BUFFER_INIT;
	const char *last = NULL;
	size_t count = 0;
	for (size_t i = 0; i < catalog_service_count; i++)
		if (strcmp(catalog_services[i].name, word) == 0)
			error_hint(err, "it is a service: 'credhook explain %s' tells of its events", word);
	for (size_t i = 0; word[0] && i < catalog_event_count; i++) {
		if (!is_like(&catalog_events[i], word, strlen(word)))
			continue;
		if (last)
			buffer_printf(&names, "%s'%s'", names.length > 0 ? ", " : "", last);
		last = catalog_events[i].name;
		count++;
	}
	if (count == 1)
		error_hint(err, "did you mean '%s'?", last);
	else if (count > 1 && count <= NAMED_AT_MOST)
		error_hint(err, "did you mean %s or '%s'?", buffer_text(&names), last);
	buffer_release(&names);
	return err->hint[0] != '\0';
}

/* What others call what is ours. */
static const struct {
	const char *name;
	const char *ours;
} others[] = {
	{ "version", "--version" },   { "serve", "listen" },     { "server", "listen" },     { "start", "listen" },
	{ "receive", "listen" },      { "receiver", "listen" },  { "listener", "listen" },   { "mock", "listen" },
	{ "capture", "listen" },      { "record", "listen" },    { "forward", "listen" },    { "proxy", "listen" },
	{ "check", "validate" },      { "lint", "validate" },    { "verify", "validate" },   { "test", "validate" },
	{ "generate", "build" },      { "make", "build" },       { "create", "build" },      { "sample", "build" },
	{ "fixtures", "build" },      { "post", "send" },        { "deliver", "send" },      { "fire", "send" },
	{ "trigger", "send" },        { "webhook", "send" },     { "hook", "send" },         { "resend", "replay" },
	{ "repeat", "replay" },       { "list", "events" },      { "ls", "events" },         { "describe", "explain" },
	{ "info", "explain" },        { "schema", "explain" },   { "man", "help" },          { "docs", "help" },
	{ "repl", "shell" },          { "console", "shell" },    { "interactive", "shell" }, { "env", "config" },
	{ "environments", "config" }, { "configure", "config" }, { "init", "config" },
};

bool slip_hint_command(const char *name, const char *before, struct error *err)
{
	struct catalog_kind kind;
	const char *nearest;
	if (strcmp(name, "all") == 0 || catalog_find_kind(name, &kind, &nearest) == CATALOG_FOUND) {
		error_hint(err, "to make one: %sbuild %s; to send one: %ssend %s --to :8080", before, name, before,
		           name);
		return true;
	}
	if (strcmp(name, "credhook") == 0) {
		error_hint(err, "leave this 'credhook' away, and write the command");
		return true;
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		bool is_outside = others[i].ours[0] == '-' || strcmp(others[i].ours, "shell") == 0;
		if (strcmp(others[i].name, name) != 0 || (before[0] == '\0' && is_outside))
			continue;
		error_hint(err, "did you mean '%s%s'?", before, others[i].ours);
		return true;
	}
	return false;
}
