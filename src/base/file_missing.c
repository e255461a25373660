#include "base/buffer.h"
#include "base/file.h"
#include "base/quoted.h"
#include "base/text.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MOST 4096 /* of a folder that are looked at */

/* The nearest name, with the folder before it as it was typed. */
static void find_near(const char *path, const char *folder, struct buffer *out)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	DIR *entries = opendir(folder);
	struct dirent *entry;
	LOCAL_BUFFER best = BUFFER_INIT;
	for (int i = 0; entries && i < NAMES_MOST && (entry = readdir(entries)); i++) {
		struct nearest near;
		if (strcmp(entry->d_name, name) == 0) /* a link that leads nowhere */
			continue;
		nearest_init(&near, name, strlen(name));
		if (best.length > 0)
			nearest_offer(&near, buffer_text(&best));
		nearest_offer(&near, entry->d_name);
		if (entry->d_name[0] == '.' || nearest_result(&near) != entry->d_name)
			continue;
		buffer_clear(&best);
		buffer_append_text(&best, entry->d_name);
	}
	if (entries)
		closedir(entries);
	if (best.length > 0)
		buffer_printf(out, "%.*s%s%s", (int)(name - path), path, !slash && best.data[0] == '-' ? "./" : "",
		              buffer_text(&best));
}

int file_missing_hint(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	LOCAL_BUFFER folder = BUFFER_INIT, near = BUFFER_INIT;
	if (path[0] == '\0')
		return error_hint(err, "the name is empty");
	if (strpbrk(path, "*?"))
		return error_hint(err,
		                  "no file has this name: the shell expands a pattern that has no quotes around it");
	buffer_append_text(&folder, slash ? "" : ".");
	buffer_append(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
	if (quoted_hides(path, strlen(path))) /* a URL: a part of it is not a directory */
		return -1;
	if (access(buffer_text(&folder), F_OK) < 0)
		return error_hint(err, "the directory '%.*s' does not exist", (int)(slash - path), path);
	find_near(path, buffer_text(&folder), &near);
	return near.length > 0 ? error_ask(err, "%s", buffer_text(&near)) : -1;
}
