#include "base/file.h"
#include "base/state_path.h"
#include "capture/replace.h"
#include "cmd/shell/shell.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TYPED_LINES_MAX 1000
#define LINE_BYTES_MAX  8192

bool history_keeps(const char *line)
{
	size_t length = strlen(line);
	if (length == 0 || length > LINE_BYTES_MAX || line[0] == ' ' || line[0] == '\t')
		return false;
	for (const unsigned char *c = (const unsigned char *)line; *c; c++)
		if (*c < ' ' || *c == 0x7F)
			return false;
	return !line_holds_secret(line, length);
}

int history_read(struct buffer *path, struct buffer *text, struct error *err)
{
	if (!state_path_append(path, "history") || access(buffer_text(path), F_OK) < 0)
		return 0;
	return file_read_whole(buffer_text(path), text, NULL, err);
}

int history_write(const struct buffer *typed, struct error *err)
{
	LOCAL_BUFFER path = BUFFER_INIT, text = BUFFER_INIT;
	if (typed->length == 0)
		return 0;
	if (history_read(&path, &text, err) < 0)
		return -1;
	if (path.length == 0)
		return 0;
	buffer_append(&text, typed->data, typed->length);
	const char *from = buffer_text(&text);
	size_t lines = 0;
	for (size_t i = 0; i < text.length; i++)
		lines += text.data[i] == '\n';
	for (; lines > TYPED_LINES_MAX; lines--)
		from = strchr(from, '\n') + 1;
	mode_t before = umask(077); /* what is typed may hold secrets */
	int result = text.failed ? error_no_memory(err) : file_make_folders_above(buffer_text(&path), err);
	if (result == 0)
		result = replace_check(buffer_text(&path), NULL, err);
	if (result == 0)
		result = file_write_whole(buffer_text(&path), from, strlen(from), NULL, err);
	umask(before);
	return result;
}
