#include "cmd/report_error.h"

#include "json/json_line.h"

static void append_json(struct buffer *out, const struct error *err)
{
	buffer_append_text(out, "{\"error\":");
	json_line_begin(out);
	json_line_number(out, "exit", (int64_t)err->code);
	json_line_text(out, "message", err->message);
	if (err->hint[0])
		json_line_text(out, "hint", err->hint);
	json_line_end(out);
	buffer_append_text(out, "}\n");
}

void report_error(struct terminal *terminal, const struct error *err)
{
	LOCAL_BUFFER json = BUFFER_INIT;
	if (!terminal->json) {
		terminal_error(terminal, err->message, err->hint);
		return;
	}
	append_json(&json, err);
	terminal_lines(terminal, buffer_text(&json));
}
