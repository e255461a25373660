#include "cmd/shell/typed.h"

#include "base/buffer.h"
#include "cmd/files.h"
#include "cmd/shell/line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES_MAX 8192

static void release_lines(char **lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	free(lines);
}

void line_history_release(struct line_history *h)
{
	release_lines(h->lines, h->count);
	release_lines(h->fresh, h->fresh_count);
	*h = (struct line_history){ .lines = NULL };
}

static void append(char ***lines, size_t *count, size_t *capacity, const char *line)
{
	char **grown = array_grow(*lines, capacity, *count + 1, sizeof *grown);
	if (!grown)
		return;
	*lines = grown;
	grown[*count] = strdup(line);
	if (grown[*count])
		(*count)++;
}

static void remove_line(struct line_history *h, size_t index)
{
	free(h->lines[index]);
	h->count--;
	memmove(h->lines + index, h->lines + index + 1, (h->count - index) * sizeof *h->lines);
}

/* A line that was there moves to the end. */
static void add_once(struct line_history *h, const char *line)
{
	for (size_t i = 0; i < h->count; i++) {
		if (strcmp(h->lines[i], line) == 0) {
			remove_line(h, i);
			break;
		}
	}
	if (h->count == TYPED_LINES_MAX)
		remove_line(h, 0);
	append(&h->lines, &h->count, &h->capacity, line);
}

static bool is_kept(const char *line)
{
	size_t length = strlen(line);
	if (length == 0 || length > LINE_BYTES_MAX || line[0] == ' ' || line[0] == '\t')
		return false;
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if (*c < ' ' || *c == 0x7F)
			return false;
	return !line_holds_secret(line, length);
}

void line_history_add(struct line_history *h, const char *line)
{
	if (!is_kept(line))
		return;
	add_once(h, line);
	append(&h->fresh, &h->fresh_count, &h->fresh_capacity, line);
}

/* Where the file is; false: unknown. A relative $XDG_STATE_HOME does not count, as its specification asks. */
static bool append_folder(struct buffer *path)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && state[0] == '/')
		buffer_printf(path, "%s/credhook", state);
	else if (home && home[0] == '/')
		buffer_printf(path, "%s/.local/state/credhook", home);
	return path->length > 0 && !path->failed;
}

int line_history_read(struct line_history *h, struct error *err)
{
	struct buffer path = BUFFER_INIT, text = BUFFER_INIT;
	int result = 0;
	if (append_folder(&path)) {
		buffer_append_text(&path, "/history");
		if (access(buffer_text(&path), F_OK) == 0)
			result = file_read_whole(buffer_text(&path), &text, err);
	}
	for (char *at = text.data; result == 0 && at && *at;) {
		char *end = at + strcspn(at, "\n");
		bool more = *end == '\n';
		*end = '\0';
		if (is_kept(at))
			add_once(h, at);
		at = more ? end + 1 : end;
	}
	buffer_release(&path);
	buffer_release(&text);
	return result;
}

static int write_lines(const struct line_history *h, const char *path, struct error *err)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	for (size_t i = 0; i < h->count; i++)
		buffer_printf(&text, "%s\n", h->lines[i]);
	int result =
	        text.failed ? error_no_memory(err) : file_write_whole(path, buffer_text(&text), text.length, NULL, err);
	return result;
}

int line_history_write(const struct line_history *h, struct error *err)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	struct line_history all = { .lines = NULL };
	int result = 0;
	if (h->fresh_count == 0 || !append_folder(&path))
		return 0;
	mode_t before = umask(077);            /* what is typed may hold secrets */
	result = line_history_read(&all, err); /* another session may have written meanwhile */
	for (size_t i = 0; i < h->fresh_count; i++)
		add_once(&all, h->fresh[i]);
	if (result == 0)
		result = file_make_folders(buffer_text(&path), err);
	buffer_append_text(&path, "/history");
	if (result == 0)
		result = write_lines(&all, buffer_text(&path), err);
	umask(before);
	line_history_release(&all);
	return result;
}
