#include "probe/play/printed.h"

#include <string.h>

/* Drops what is left of a line that is not whole; a text that is no more than that stays. */
static void drop_first_line(struct buffer *text)
{
	const char *newline = text->length > 0 ? memchr(text->data, '\n', text->length) : NULL;
	size_t length = newline ? (size_t)(newline - text->data) + 1 : 0;
	if (length < text->length)
		buffer_consume(text, length);
}

void printed_append(struct child_output *output, uint64_t from, size_t most, const struct echoes *secrets,
                    struct buffer *out)
{
	LOCAL_BUFFER text = BUFFER_FOR(out);
	unsigned missing = child_output_append(output, from, &text);
	bool is_cut = missing & CHILD_OUTPUT_LOST;
	/* A last line that is not whole goes on, or its writer was killed. */
	echoes_mask(secrets, &text,
	            ECHOES_CUT_BEHIND | (missing & (CHILD_OUTPUT_LOST | CHILD_OUTPUT_AMID) ? ECHOES_CUT_BEFORE : 0));
	if (text.length > most) {
		buffer_consume(&text, text.length - most);
		is_cut = true;
	}
	if (is_cut)
		drop_first_line(&text);
	buffer_append(out, buffer_text(&text), text.length);
}
