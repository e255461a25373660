/* config: what the configuration file says, and which file that is. */
#include "base/url.h"
#include "base/utf8.h"
#include "cmd/args/make.h"
#include "cmd/cmd.h"
#include "config/config.h"
#include "http/secrets.h"
#include "json/tree.h"
#include "ui/help.h"

#include <stdarg.h>
#include <string.h>

#define TERM_COLUMNS 11

static const char *const origin_names[] = {
	[CONFIG_NOWHERE] = NULL,           [CONFIG_OPTION] = "--config", [CONFIG_VARIABLE] = "$CREDHOOK_CONFIG",
	[CONFIG_XDG] = "$XDG_CONFIG_HOME", [CONFIG_HOME] = "$HOME",
};

static const char *shown_value(const struct config_header *header)
{
	return header_name_is_secret(header->name, strlen(header->name)) ? SECRET_MASK : header->value;
}

static void show_as_json(const struct config *c, struct buffer *out)
{
	json_object *environments = tree_list(), *defaults = tree_empty();
	for (size_t i = 0; i < c->environment_count; i++) {
		const struct config_environment *e = &c->environments[i];
		LOCAL_BUFFER url = BUFFER_INIT;
		json_object *headers = tree_empty();
		url_append_masked(&url, e->url);
		for (size_t h = 0; h < e->header_count; h++)
			headers = tree_set(headers, e->headers[h].name, tree_text(shown_value(&e->headers[h])));
		json_object *environment =
		        tree_object("name", tree_text(e->name), "url", tree_text_of(&url), "protected",
		                    tree_bool(e->is_protected), "headers", headers, NULL);
		environments = tree_add(environments, environment);
	}
	for (size_t i = 0; i < c->default_count; i++)
		defaults = tree_set(defaults, c->defaults[i].path, tree_spelled(c->defaults[i].value));
	json_object *root =
	        tree_object("file", tree_text(c->path), "chosen_by", tree_text(origin_names[c->origin]), "looked_for",
	                    tree_text(c->path ? c->path : c->absent), "clientId", tree_text(c->client_id),
	                    "environments", environments, "defaults", defaults, NULL);
	tree_append(root, JSON_COMPACT, out);
	buffer_append_byte(out, '\n');
}

__attribute__((format(printf, 4, 5))) static void append_row(struct buffer *out, int width, const char *term,
                                                             const char *format, ...)
{
	LOCAL_BUFFER row = BUFFER_FOR(out), safe = BUFFER_FOR(out);
	va_list args;
	va_start(args, format);
	buffer_vprintf(&row, format, args);
	va_end(args);
	utf8_append_safe(&safe, buffer_text(&row), row.length);
	help_append_row(out, term, buffer_text(&safe), TERM_COLUMNS, width);
}

static void show_as_text(const struct config *c, int width, struct buffer *out)
{
	const char *path = c->path ? c->path : c->absent;
	if (path)
		append_row(out, width, "file", "%s (%s%s)", path, c->path ? "" : "not found; ",
		           origin_names[c->origin]);
	else
		append_row(out, width, "file", "none");
	if (c->client_id)
		append_row(out, width, "clientId", "%s (kept here, never sent)", c->client_id);
	for (size_t i = 0; i < c->environment_count; i++) {
		const struct config_environment *e = &c->environments[i];
		LOCAL_BUFFER url = BUFFER_FOR(out);
		url_append_masked(&url, e->url);
		append_row(out, width, "environment", "%s: %s%s", e->name, buffer_text(&url),
		           e->is_protected                   ? " (protected: needs --allow-production)"
		           : strcmp(e->name, "sandbox") == 0 ? " (the default of --to)"
		                                             : "");
		for (size_t h = 0; h < e->header_count; h++)
			append_row(out, width, "  header", "%s: %s", e->headers[h].name, shown_value(&e->headers[h]));
	}
	for (size_t i = 0; i < c->default_count; i++)
		append_row(out, width, "default", "%s = %s", c->defaults[i].path, c->defaults[i].value);
}

static int run_config(struct context *context, void *args, struct error *err)
{
	const struct global_options *global = args;
	LOCAL(config_release) struct config config = CONFIG_INIT;
	LOCAL(edits_release) struct edits defaults = { 0 };
	LOCAL_BUFFER out = BUFFER_INIT;
	if (config_load(&config, global->config, global->no_config, err) < 0 ||
	    make_read_defaults(&defaults, &config, err) < 0)
		return -1;
	if (global->json)
		show_as_json(&config, &out);
	else
		show_as_text(&config, terminal_out_width(context->terminal), &out);
	terminal_write_buffer(context->terminal, &out);
	return EXIT_CODE_OK;
}

static const struct help_example examples[] = {
	{ "credhook config", "show which file is read, and what is in it" },
	{ "credhook config --json", "the same for a script" },
	{ NULL, NULL },
};

const struct command command_config = {
	.name = "config",
	.group = COMMAND_OTHER,
	.also = (const struct command_also[]){ { "env environments settings login init setup", "" }, { NULL, NULL } },
	.phrase = "show the configuration in effect",
	.common = (const char *const[]){ "json", "config", "no-config", NULL },
	.operands = "",
	.instead = "to change the configuration, edit its file: man 5 credhook-config",
	.summary = "Show the configuration in effect, and which file it comes from.",
	.args_size = sizeof(struct global_options),
	.run = run_config,
	.examples = examples,
};
