/* config: what the configuration file says, and which file that is. */
#include "config/config.h"

#include "base/url_mask.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "config/address.h"
#include "http/secrets.h"
#include "json/json_line.h"

#include <stdlib.h>
#include <string.h>

struct config_args {
	struct global_options global;
};

/* What is in force, and who said so. */
struct shown {
	struct config config;
	char *looked_for; /* the file that would be read; NULL: none */
	enum config_origin origin;
};

static const char *const origin_names[] = {
	[CONFIG_NOWHERE] = NULL,           [CONFIG_OPTION] = "--config", [CONFIG_VARIABLE] = "$CREDHOOK_CONFIG",
	[CONFIG_XDG] = "$XDG_CONFIG_HOME", [CONFIG_HOME] = "$HOME",
};

static const char *shown_value(const struct config_header *header)
{
	return secret_is_header(header->name, strlen(header->name)) ? SECRET_MASK : header->value;
}

static void append_environment_json(struct buffer *out, const struct config_environment *e)
{
	struct buffer url = BUFFER_INIT;
	url_append_masked(&url, e->url);
	json_line_comma(out);
	json_line_begin(out);
	json_line_text(out, "name", e->name);
	json_line_bytes(out, "url", buffer_text(&url), url.length);
	json_line_bool(out, "protected", e->is_protected);
	json_line_key(out, "headers");
	json_line_begin(out);
	for (size_t i = 0; i < e->header_count; i++)
		json_line_text(out, e->headers[i].name, shown_value(&e->headers[i]));
	json_line_end(out);
	json_line_end(out);
	buffer_release(&url);
}

static void show_as_json(const struct shown *s, struct buffer *out)
{
	const struct config *c = &s->config;
	json_line_begin(out);
	json_line_text(out, "file", c->path);
	json_line_text(out, "chosen_by", origin_names[s->origin]);
	json_line_text(out, "looked_for", s->looked_for);
	json_line_text(out, "clientId", c->client_id);
	json_line_array(out, "environments");
	for (size_t i = 0; i < c->environment_count; i++)
		append_environment_json(out, &c->environments[i]);
	json_line_array_end(out);
	json_line_key(out, "defaults");
	json_line_begin(out);
	for (size_t i = 0; i < c->default_count; i++) {
		json_line_key(out, c->defaults[i].path);
		buffer_append_text(out, c->defaults[i].value);
	}
	json_line_end(out);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

static void append_safe(struct buffer *out, const char *text)
{
	utf8_append_safe(out, text, strlen(text));
}

static void append_environment(struct buffer *out, const struct config_environment *e)
{
	struct buffer url = BUFFER_INIT;
	url_append_masked(&url, e->url);
	buffer_append_text(out, "environment ");
	append_safe(out, e->name);
	buffer_append_text(out, ": ");
	append_safe(out, buffer_text(&url));
	if (e->is_protected)
		buffer_append_text(out, "  protected: only with --allow-production");
	else if (strcmp(e->name, "sandbox") == 0)
		buffer_append_text(out, "  where things go without --to");
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < e->header_count; i++) {
		buffer_append_text(out, "  header ");
		append_safe(out, e->headers[i].name);
		buffer_append_text(out, ": ");
		append_safe(out, shown_value(&e->headers[i]));
		buffer_append_byte(out, '\n');
	}
	buffer_release(&url);
}

static void append_file(struct buffer *out, const struct shown *s)
{
	if (s->config.path) {
		buffer_append_text(out, "file ");
		append_safe(out, s->config.path);
		buffer_printf(out, "  chosen by %s\n", origin_names[s->origin]);
	} else if (s->looked_for) {
		buffer_append_text(out, "no file: there is no ");
		append_safe(out, s->looked_for);
		buffer_printf(out, " (%s)\n", origin_names[s->origin]);
	} else {
		buffer_append_text(out, "no file\n");
	}
}

static void show_as_text(const struct shown *s, struct buffer *out)
{
	const struct config *c = &s->config;
	append_file(out, s);
	if (c->client_id) {
		buffer_append_text(out, "clientId ");
		append_safe(out, c->client_id);
		buffer_append_text(out, "  kept here, never sent\n");
	}
	for (size_t i = 0; i < c->environment_count; i++)
		append_environment(out, &c->environments[i]);
	for (size_t i = 0; i < c->default_count; i++) {
		buffer_append_text(out, "default ");
		append_safe(out, c->defaults[i].path);
		buffer_append_text(out, " = ");
		append_safe(out, c->defaults[i].value);
		buffer_append_byte(out, '\n');
	}
}

static int run_config(struct context *context, void *args, struct error *err)
{
	const struct config_args *a = args;
	struct shown s = { .config = CONFIG_INIT };
	struct buffer out = BUFFER_INIT;
	if (context->operands->count > 0) {
		error_set(err, EXIT_CODE_USAGE, "config takes no '%s'", context->operands->items[0]);
		return error_hint(err, "'credhook config' shows it; it is a file to edit: man 5 credhook-config");
	}
	if (config_load(&s.config, a->global.config, a->global.no_config, err) < 0)
		return -1;
	if (!a->global.no_config)
		s.looked_for = config_winner(a->global.config, &s.origin);
	if (context->global->json)
		show_as_json(&s, &out);
	else
		show_as_text(&s, &out);
	int result = out.failed ? error_no_memory(err) : EXIT_CODE_OK;
	if (result == EXIT_CODE_OK)
		terminal_write(context->terminal, buffer_text(&out), out.length);
	buffer_release(&out);
	config_release(&s.config);
	free(s.looked_for);
	return result;
}

static const struct help_example examples[] = {
	{ "credhook config", "which file is read, and what it says" },
	{ "credhook config --json", "the same for a script" },
	{ NULL, NULL },
};

const struct command command_config = {
	.name = "config",
	.group = COMMAND_LEARN,
	.phrase = "show the configuration in effect",
	.common = (const char *const[]){ "json", "config", "no-config", NULL },
	.operands = "",
	.summary = "Show the configuration in force, and where it comes from.",
	.args_size = sizeof(struct config_args),
	.run = run_config,
	.examples = examples,
};
