#include "cmd/slips.h"

#include "capture/source.h"
#include "catalog/catalog.h"
#include "config/address.h"
#include "config/config.h"

#include <string.h>
#include <unistd.h>

static bool is_file(const char *name)
{
	return source_kind_of_name(name) != SOURCE_DETECT || access(name, F_OK) == 0;
}

/* An environment, or what has a port in it; other words that could be hosts are misspelt events more often. */
static bool is_place(const char *name, const struct global_options *global)
{
	struct config config = CONFIG_INIT;
	struct error unused;
	if (name[strcspn(name, ":")] == ':' || strspn(name, "0123456789") == strlen(name))
		return name[0] != '\0';
	bool found = config_load(&config, global->config, global->no_config, &unused) == 0 &&
	             config_environment_named(&config, name) != NULL;
	config_release(&config);
	return found;
}

int slip_among_events(const struct text_list *operands, const struct global_options *global, struct error *err)
{
	for (size_t i = 0; i < operands->count; i++) {
		const char *name = operands->items[i], *nearest;
		struct catalog_kind kind;
		if (strcmp(name, "all") == 0 || catalog_find_kind(name, &kind, &nearest) != CATALOG_UNKNOWN)
			continue;
		bool file = is_file(name);
		if (!file && !is_place(name, global))
			continue;
		struct buffer masked = BUFFER_INIT;
		address_append_masked(&masked, name);
		error_set(err, EXIT_CODE_USAGE, "'%s' is no event", buffer_text(&masked));
		error_hint(err,
		           file ? "a file is named by --file: --file %s" : "where to send is named by --to: --to %s",
		           buffer_text(&masked));
		buffer_release(&masked);
		return -1;
	}
	return 0;
}

/* What others call what is ours. */
static const struct {
	const char *name;
	const char *ours;
} others[] = {
	{ "version", "--version" }, { "serve", "listen" },   { "server", "listen" },  { "receive", "listen" },
	{ "capture", "listen" },    { "record", "listen" },  { "check", "validate" }, { "lint", "validate" },
	{ "verify", "validate" },   { "generate", "build" }, { "make", "build" },     { "create", "build" },
	{ "post", "send" },         { "deliver", "send" },   { "fire", "send" },      { "trigger", "send" },
	{ "resend", "replay" },     { "repeat", "replay" },  { "list", "events" },    { "ls", "events" },
	{ "describe", "explain" },  { "man", "help" },       { "repl", "shell" },     { "env", "config" },
};

bool slip_hint_command(const char *name, struct error *err)
{
	struct catalog_kind kind;
	const char *nearest;
	if (strcmp(name, "all") == 0 || catalog_find_kind(name, &kind, &nearest) == CATALOG_FOUND) {
		error_hint(err, "to make one: credhook build %s; to send one: credhook send %s --to :8080", name, name);
		return true;
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (strcmp(others[i].name, name) != 0)
			continue;
		error_hint(err, "did you mean 'credhook %s'?", others[i].ours);
		return true;
	}
	return false;
}
