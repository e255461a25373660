#include "config/config.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define CONFIG_MAX ((size_t)1 << 20) /* bytes */

void config_release(struct config *config)
{
	for (size_t i = 0; i < config->environment_count; i++) {
		struct config_environment *e = &config->environments[i];
		for (size_t h = 0; h < e->header_count; h++) {
			free(e->headers[h].name);
			free(e->headers[h].value);
		}
		free(e->headers);
		free(e->name);
		free(e->url);
	}
	for (size_t i = 0; i < config->default_count; i++) {
		free(config->defaults[i].path);
		free(config->defaults[i].value);
		free(config->defaults[i].text);
	}
	free(config->environments);
	free(config->defaults);
	free(config->client_id);
	free(config->path);
	free(config->absent);
	*config = (struct config)CONFIG_INIT;
}

const struct config_environment *config_environment_named(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->environment_count; i++)
		if (strcmp(config->environments[i].name, name) == 0)
			return &config->environments[i];
	return NULL;
}

struct reader {
	struct config *config;
	struct json_doc doc;
	struct error *err;
};

static struct json_place place_of(const struct reader *r, uint32_t token)
{
	return json_place_of(r->doc.text, r->doc.length, r->doc.tokens[token].start);
}

/* Sets an error at a token: FILE:LINE:COLUMN: WHAT 'KEY'. Any text but names and field paths may be a misplaced
 * secret. */
static int fail_at(struct reader *r, uint32_t token, const char *what, const char *key)
{
	struct json_place place = place_of(r, token);
	if (key[strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./~")] == '\0')
		return error_set(r->err, EXIT_CODE_USAGE, "%s:%zu:%zu: %s '%s'", r->config->path, place.line,
		                 place.column, what, key);
	return error_set(r->err, EXIT_CODE_USAGE, "%s:%zu:%zu: %s (not shown: it may be a secret)", r->config->path,
	                 place.line, place.column, what);
}

/* A copy for the caller to free, or NULL with the error set. */
static char *copy_string(struct reader *r, uint32_t token, const char *what)
{
	struct buffer text = BUFFER_INIT;
	if (r->doc.tokens[token].type != JSON_STRING) {
		fail_at(r, token, "expected a string for", what);
		return NULL;
	}
	json_string_decode(&r->doc, token, &text);
	buffer_append(&text, "", 0);
	if (text.failed)
		error_no_memory(r->err);
	else if (strlen(text.data) != text.length)
		fail_at(r, token, "NUL character in", what);
	else
		return text.data;
	buffer_release(&text);
	return NULL;
}

static int unknown_key(struct reader *r, uint32_t key, const char *const *known)
{
	LOCAL(release_text) char *name = copy_string(r, key, "key");
	if (!name)
		return -1;
	struct nearest near;
	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; known[i]; i++)
		nearest_offer(&near, known[i]);
	fail_at(r, key, "unknown key", name);
	if (nearest_result(&near))
		return error_ask(r->err, "%s", nearest_result(&near));
	return error_hint(r->err, "valid keys are %s, %s%s%s", known[0], known[1], known[2] ? " and " : "",
	                  known[2] ? known[2] : "");
}

static int require_object(struct reader *r, uint32_t token, const char *what)
{
	return r->doc.tokens[token].type == JSON_OBJECT ? 0 : fail_at(r, token, "expected an object for", what);
}

/* Room for the members of an object, and one more. NULL with the error set: it is not one, or there is no memory. */
static void *room_for_members(struct reader *r, uint32_t object, const char *what, size_t size)
{
	size_t count = 1;
	if (require_object(r, object, what) < 0)
		return NULL;
	for (uint32_t key = object + 1; key < r->doc.tokens[object].next; key = r->doc.tokens[key + 1].next)
		count++;
	void *room = calloc(count, size);
	if (!room)
		error_no_memory(r->err);
	return room;
}

/* Refuses a line break, which would start another header. */
static int check_header(struct reader *r, uint32_t token, const struct config_header *header)
{
	const char *texts[] = { header->name, header->value };
	for (size_t t = 0; t < 2; t++)
		for (const unsigned char *c = (const unsigned char *)texts[t]; *c; c++)
			if ((*c < 0x20 && *c != '\t') || *c == 0x7F || (t == 0 && (*c == ':' || *c == ' ')))
				return fail_at(r, token, "invalid character in the header", header->name);
	return header->name[0] ? 0 : fail_at(r, token, "empty header name in", "headers");
}

static int read_headers(struct reader *r, uint32_t object, struct config_environment *environment)
{
	environment->headers = room_for_members(r, object, "headers", sizeof *environment->headers);
	if (!environment->headers)
		return -1;
	for (uint32_t key = object + 1; key < r->doc.tokens[object].next; key = r->doc.tokens[key + 1].next) {
		struct config_header *header = &environment->headers[environment->header_count++];
		header->name = copy_string(r, key, "headers");
		header->value = header->name ? copy_string(r, key + 1, header->name) : NULL;
		if (!header->value || check_header(r, key, header) < 0)
			return -1;
		for (const struct config_header *h = environment->headers; h < header; h++)
			if (strcasecmp(h->name, header->name) == 0) { /* one would be lost silently */
				fail_at(r, key, "duplicate header", header->name);
				return error_hint(r->err, "names of headers are the same in upper and lower case");
			}
	}
	return 0;
}

static int read_url(struct reader *r, uint32_t token, struct config_environment *environment)
{
	free(environment->url);
	environment->url = copy_string(r, token, "url");
	if (!environment->url)
		return -1;
	if (address_of_url(environment->url, &environment->address, r->err) == 0)
		return 0;
	struct json_place place = place_of(r, token);
	return error_set(r->err, r->err->code, "%s:%zu:%zu: %s", r->config->path, place.line, place.column,
	                 r->err->message);
}

static int read_environment(struct reader *r, uint32_t object, struct config_environment *environment)
{
	static const char *const known[] = { "url", "headers", "protected", NULL };
	if (require_object(r, object, environment->name) < 0)
		return -1;
	environment->is_protected = strcasecmp(environment->name, "production") == 0;
	for (uint32_t key = object + 1; key < r->doc.tokens[object].next; key = r->doc.tokens[key + 1].next) {
		uint32_t value = key + 1;
		if (json_string_is(&r->doc, key, "url", 3)) {
			if (read_url(r, value, environment) < 0)
				return -1;
		} else if (json_string_is(&r->doc, key, "headers", 7)) {
			if (read_headers(r, value, environment) < 0)
				return -1;
		} else if (json_string_is(&r->doc, key, "protected", 9)) {
			uint8_t type = r->doc.tokens[value].type;
			if (type != JSON_TRUE && type != JSON_FALSE)
				return fail_at(r, value, "expected true or false for", "protected");
			environment->is_protected = environment->is_protected || type == JSON_TRUE;
		} else {
			return unknown_key(r, key, known);
		}
	}
	return environment->url ? 0 : fail_at(r, object, "missing key 'url' in the environment", environment->name);
}

static int read_environments(struct reader *r, uint32_t object)
{
	r->config->environments = room_for_members(r, object, "environments", sizeof *r->config->environments);
	if (!r->config->environments)
		return -1;
	for (uint32_t key = object + 1; key < r->doc.tokens[object].next; key = r->doc.tokens[key + 1].next) {
		struct config_environment *environment = &r->config->environments[r->config->environment_count++];
		environment->name = copy_string(r, key, "environments");
		if (!environment->name || read_environment(r, key + 1, environment) < 0)
			return -1;
	}
	return 0;
}

static int read_defaults(struct reader *r, uint32_t object)
{
	struct json_locator locator;
	json_locator_init(&locator, r->doc.text, r->doc.length);
	r->config->defaults = room_for_members(r, object, "defaults", sizeof *r->config->defaults);
	if (!r->config->defaults)
		return -1;
	for (uint32_t key = object + 1; key < r->doc.tokens[object].next; key = r->doc.tokens[key + 1].next) {
		struct config_default *entry = &r->config->defaults[r->config->default_count++];
		const struct json_token *value = &r->doc.tokens[key + 1];
		entry->path = copy_string(r, key, "defaults");
		entry->value = strndup(r->doc.text + value->start, value->end - value->start);
		entry->is_text = value->type == JSON_STRING;
		entry->place = json_locator_find(&locator, r->doc.tokens[key].start);
		/* With these characters --set PATH=TEXT would read another path. */
		size_t length = entry->path ? strlen(entry->path) : 0;
		if (entry->path && (length == 0 || strchr(entry->path, '=') || entry->path[length - 1] == ':')) {
			fail_at(r, key, "not a field path:", entry->path);
			return error_hint(r->err,
			                  "write it like details.appKey, or as a JSON Pointer like /details/appKey");
		}
		if (entry->path && entry->is_text)
			entry->text = copy_string(r, key + 1, entry->path);
		if (!entry->path || (entry->is_text && !entry->text))
			return -1;
		if (!entry->value)
			return error_no_memory(r->err);
	}
	return 0;
}

static void note_duplicate(void *context, uint32_t key, uint32_t earlier)
{
	uint32_t *duplicate = context;
	(void)earlier;
	if (*duplicate == JSON_NONE)
		*duplicate = key;
}

static int read_root(struct reader *r)
{
	static const char *const known[] = { "clientId", "environments", "defaults", NULL };
	uint32_t duplicate = JSON_NONE;
	if (require_object(r, 0, "configuration") < 0)
		return -1;
	for (uint32_t token = 0; token < r->doc.count && duplicate == JSON_NONE; token++)
		if (!json_repeated_keys(&r->doc, token, note_duplicate, &duplicate))
			return error_no_memory(r->err);
	if (duplicate != JSON_NONE) { /* one of two environments would be lost silently */
		LOCAL(release_text) char *name = copy_string(r, duplicate, "key");
		return name ? fail_at(r, duplicate, "duplicate key", name) : -1;
	}
	for (uint32_t key = 1; key < r->doc.tokens[0].next; key = r->doc.tokens[key + 1].next) {
		int result;
		if (json_string_is(&r->doc, key, "clientId", 8)) {
			r->config->client_id = copy_string(r, key + 1, "clientId");
			result = r->config->client_id ? 0 : -1;
		} else if (json_string_is(&r->doc, key, "environments", 12)) {
			result = read_environments(r, key + 1);
		} else if (json_string_is(&r->doc, key, "defaults", 8)) {
			result = read_defaults(r, key + 1);
		} else {
			result = unknown_key(r, key, known);
		}
		if (result < 0)
			return -1;
	}
	return 0;
}

/* Whether nothing is there, and nothing need be. Whatever else cannot be opened may hold what the guard protects: a
 * link to a file that is gone, or a $XDG_CONFIG_HOME that is not a directory. $HOME may be /dev/null, as that of
 * services. */
static bool is_absent(const char *path, enum config_origin origin, int errnum)
{
	struct stat link;
	if (origin != CONFIG_XDG && origin != CONFIG_HOME)
		return false;
	return errnum == ENOENT ? lstat(path, &link) < 0 : errnum == ENOTDIR && origin == CONFIG_HOME;
}

/* Reads the whole file. 1: there is none. */
static int read_file(const char *path, enum config_origin origin, struct buffer *text, struct error *err)
{
	LOCAL(file_close)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not wait until a FIFO has a writer */
	if (fd < 0) {
		int saved = errno;
		if (is_absent(path, origin, saved))
			return 1;
		error_set(err, EXIT_CODE_IO, "cannot open configuration '%s': %s", path, strerror(saved));
		return origin == CONFIG_XDG || origin == CONFIG_HOME ? error_hint(err, "--no-config reads none") : -1;
	}
	fcntl(fd, F_SETFL, 0); /* but wait for what the writer of a pipe writes */
	int failed = buffer_read(text, fd, CONFIG_MAX);
	if (failed == ENOMEM)
		return error_no_memory(err);
	if (failed)
		return error_set(err, EXIT_CODE_IO, "cannot read configuration '%s': %s", path, strerror(failed));
	if (text->length > CONFIG_MAX)
		return error_set(err, EXIT_CODE_USAGE, "configuration '%s' is longer than 1 MiB", path);
	return 0;
}

char *config_find_path(const char *named, enum config_origin *origin)
{
	const char *from_environment = getenv("CREDHOOK_CONFIG");
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	struct buffer path = BUFFER_INIT;
	*origin = CONFIG_NOWHERE;
	if (named || (from_environment && *from_environment)) {
		*origin = named ? CONFIG_OPTION : CONFIG_VARIABLE;
		return strdup(named ? named : from_environment);
	}
	if (xdg && xdg[0] == '/') { /* XDG Base Directory Specification: ignore relative paths */
		*origin = CONFIG_XDG;
		buffer_printf(&path, "%s/credhook/config.json", xdg);
	} else if (home && home[0] == '/') {
		*origin = CONFIG_HOME;
		buffer_printf(&path, "%s/.config/credhook/config.json", home);
	}
	return path.data;
}

int config_read_text(struct config *config, const char *path, const char *text, size_t length, struct error *err)
{
	struct reader r = { .config = config, .doc = JSON_DOC_INIT, .err = err };
	struct json_fault fault;
	*config = (struct config)CONFIG_INIT;
	config->path = strdup(path);
	int result;
	if (!config->path) {
		result = error_no_memory(err);
	} else if (json_read(&r.doc, text, length, &fault)) {
		result = read_root(&r);
	} else if (json_fault_is_memory(&fault)) {
		result = error_no_memory(err);
	} else {
		struct json_place place = json_place_of(text, length, fault.offset);
		result = error_set(err, EXIT_CODE_USAGE, "%s:%zu:%zu: the configuration is not JSON: %s", path,
		                   place.line, place.column, fault.reason);
	}
	json_doc_release(&r.doc);
	if (result < 0)
		config_release(config);
	return result;
}

int config_load(struct config *config, const char *named, bool none, struct error *err)
{
	enum config_origin origin;
	LOCAL_BUFFER text = BUFFER_INIT;
	*config = (struct config)CONFIG_INIT;
	LOCAL(release_text) char *path = none ? NULL : config_find_path(named, &origin);
	if (none || origin == CONFIG_NOWHERE)
		return 0;
	int result = path ? read_file(path, origin, &text, err) : error_no_memory(err);
	if (result == 0)
		result = config_read_text(config, path, buffer_text(&text), text.length, err);
	else if (result > 0)
		config->absent = strdup(path);
	config->origin = origin;
	return result < 0 ? -1 : 0;
}

int config_check(const char *named, struct error *err)
{
	struct stat status;
	struct config ignored;
	if (stat(named, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return 0;
	int result = config_load(&ignored, named, false, err);
	config_release(&ignored);
	return result;
}
