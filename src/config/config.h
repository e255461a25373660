/*
 * The configuration file: who we are, where things go, what payloads are filled with.
 *
 *   {"clientId":"...",
 *    "environments":{"sandbox":{"url":"...","headers":{"Name":"value"}},
 *                    "production":{"url":"...","protected":true}},
 *    "defaults":{"details.appKey":"..."}}
 *
 * One file wins: --config, else $CREDHOOK_CONFIG, else $XDG_CONFIG_HOME/credhook/config.json, else
 * ~/.config/credhook/config.json; never a file of the current directory. Only the first two must exist when they are
 * named. An environment called "production", in any letter case, is protected whatever the file
 * says.
 */
#ifndef CREDHOOK_CONFIG_CONFIG_H
#define CREDHOOK_CONFIG_CONFIG_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct config_header {
	char *name;
	char *value;
};

struct config_environment {
	char *name;
	char *url;
	bool is_protected;
	struct config_header *headers;
	size_t header_count;
};

/* A default: what `--set` would be given. */
struct config_default {
	char *path;   /* details.appKey, or a JSON Pointer */
	char *value;  /* JSON text */
	bool is_text; /* the value is a string: `text` is it, to be converted to the field's type */
	char *text;
	size_t line; /* of its key in the file */
	size_t column;
};

struct config {
	char *path;      /* where it was read from; NULL: no file */
	char *absent;    /* without a file: the path where one would be read; NULL: nowhere */
	char *client_id; /* kept and shown, never sent; NULL: none */
	struct config_environment *environments;
	size_t environment_count;
	struct config_default *defaults;
	size_t default_count;
};

#define CONFIG_INIT                                                                                                    \
	{                                                                                                              \
		NULL, NULL, NULL, NULL, 0, NULL, 0                                                                     \
	}

/* Who decided which file is read. */
enum config_origin {
	CONFIG_NOWHERE, /* neither $XDG_CONFIG_HOME nor $HOME is there */
	CONFIG_OPTION,  /* --config */
	CONFIG_VARIABLE,
	CONFIG_XDG,
	CONFIG_HOME,
};
/* The path of the file that wins, whether it exists or not: the caller frees it; NULL: CONFIG_NOWHERE, or no memory. */
char *config_find_path(const char *named, enum config_origin *origin);

void config_release(struct config *config);

/* Reads the file that wins. `named` is --config's, or NULL; `none` is --no-config. An error (EXIT_CODE_USAGE;
 * EXIT_CODE_IO where a named file cannot be read) says file, line, column, key and the nearest name. */
int config_load(struct config *config, const char *named, bool none, struct error *err);

/* For whoever has no use for the configuration that --config names: errors as config_load() has them, so that a mistake
 * does not go unnoticed. What can be read only once (a FIFO) is left for those who need it. */
int config_check(const char *named, struct error *err);

/* The same as config_load() from memory; `path` is what errors call it. */
int config_read_text(struct config *config, const char *path, const char *text, size_t length, struct error *err);

/* The environment of that name, or NULL. */
const struct config_environment *config_environment_named(const struct config *config, const char *name);

#endif
