/* Splitting lines: words hold no more than the line did, quoting each of them again gives the same words, and what is
 * no error stays none when it is half typed. */
#include "../fuzz.h"
#include "cmd/shell/shell.h"

/* Every word as '...', with '\'' for the quotes in it. */
static void append_quoted(struct buffer *out, const char *word)
{
	buffer_append_byte(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buffer_append_text(out, "'\\''");
		else
			buffer_append_byte(out, *word);
	}
	buffer_append_text(out, "' ");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct line line = { .words = NULL }, again = { .words = NULL };
	struct buffer quoted = BUFFER_INIT;
	struct error err;
	const char *text = (const char *)data;
	static const char nothing[1];
	if (size == 0)
		text = nothing;
	int result = line_split(&line, text, size, false, &err);
	if (result == 0) {
		size_t bytes = 0;
		for (size_t i = 0; i < line.count; i++) {
			bytes += strlen(line.words[i]);
			append_quoted(&quoted, line.words[i]);
		}
		require(bytes <= size && line.quote == '\0' && !line.words[line.count]);
		require(line_split(&again, buffer_text(&quoted), quoted.length, false, &err) == 0);
		require(again.count == line.count);
		for (size_t i = 0; i < line.count; i++)
			require(strcmp(again.words[i], line.words[i]) == 0);
		require(line_split(&again, text, size, true, &err) == 0 && again.count == line.count);
	} else {
		require(err.message[0] != '\0' && (memchr(text, '\0', size) || line.quote != '\0'));
	}
	line_release(&line);
	line_release(&again);
	buffer_release(&quoted);
	return 0;
}
