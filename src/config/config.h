/*
 * The configuration file: client, environments, defaults for payloads.
 *
 *   {"clientId":"...",
 *    "environments":{"sandbox":{"url":"...","headers":{"Name":"value"}},
 *                    "production":{"url":"...","protected":true}},
 *    "defaults":{"details.appKey":"..."}}
 *
 * One file is read: --config, else $CREDHOOK_CONFIG, else $XDG_CONFIG_HOME/credhook/config.json, else
 * ~/.config/credhook/config.json; never a file of the current directory. Of these only the first two must exist.
 * An environment called "production", in any case, is protected whatever the file says.
 */
#ifndef CREDHOOK_CONFIG_CONFIG_H
#define CREDHOOK_CONFIG_CONFIG_H

#include "base/error.h"
#include "config/url_address.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>

struct config_header {
	char *name;
	char *value;
};

struct config_environment {
	char *name;
	char *url;
	struct address address; /* of that URL */
	bool is_protected;
	struct config_header *headers;
	size_t header_count;
};

/* A default, as for `--set`. */
struct config_default {
	char *path;   /* details.appKey, or a JSON Pointer */
	char *value;  /* JSON text */
	bool is_text; /* the value is a string: `text`, to be converted to the type of the field */
	char *text;
	struct json_place place; /* of its key in the file */
};

/* What decides which file is read. */
enum config_origin {
	CONFIG_NOWHERE, /* neither $XDG_CONFIG_HOME nor $HOME is set */
	CONFIG_OPTION,  /* --config */
	CONFIG_VARIABLE,
	CONFIG_XDG,
	CONFIG_HOME,
};

struct config {
	enum config_origin origin;
	char *path;      /* of the file; NULL: no file was read */
	char *absent;    /* the path that was looked for when there is no file; NULL: none */
	char *client_id; /* kept and shown, never sent; NULL: none */
	struct config_environment *environments;
	size_t environment_count;
	struct config_default *defaults;
	size_t default_count;
};

#define CONFIG_INIT                                                                                                    \
	{                                                                                                              \
		.path = NULL                                                                                           \
	}

/* The path of the file to read, whether it exists or not; the caller frees it. NULL: CONFIG_NOWHERE, or out of memory.
 */
char *config_find_path(const char *named, enum config_origin *origin);

void config_release(struct config *config);

/* Reads the file. `named` is the value of --config or NULL; `none` is --no-config. EXIT_CODE_USAGE: a mistake in the
 * file; the message has file, line, column and key. EXIT_CODE_IO: a file that must exist cannot be read. */
int config_load(struct config *config, const char *named, bool none, struct error *err);

/* Checks the file of --config for a command that does not use it: same errors as config_load(). Not for a file that can
 * be read only once (a FIFO): that is left unread. */
int config_check(const char *named, struct error *err);

/* As config_load(), but from memory; `path` is its name in errors. */
int config_read_text(struct config *config, const char *path, const char *text, size_t length, struct error *err);

/* The environment of that name, or NULL. */
const struct config_environment *config_environment_named(const struct config *config, const char *name);

#endif
