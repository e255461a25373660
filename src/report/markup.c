#include "report/markup.h"

#include "base/utf8.h"

#include <string.h>

void report_append_file(const char *file, struct buffer *out)
{
	size_t from = out->length;
	for (const char *part = file; *part;) {
		size_t length = strcspn(part, "/");
		if (length > 0 && !(length == 1 && *part == '.')) {
			if (out->length > from || *file == '/')
				buffer_append_byte(out, '/');
			buffer_append(out, part, length);
		}
		part += length + (part[length] == '/');
	}
	if (out->length == from)
		buffer_append_byte(out, *file == '/' ? '/' : '.');
}

void report_append_class(const char *path, struct buffer *out)
{
	static const char *const endings[] = { ".gz", ".json", ".ndjson", ".jsonl", ".credhook" };
	LOCAL_BUFFER file = BUFFER_FOR(out);
	report_append_file(path, &file);
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		size_t length = strlen(endings[i]);
		if (file.length > length && memcmp(file.data + file.length - length, endings[i], length) == 0)
			buffer_consume_end(&file, length);
	}
	const char *text = buffer_text(&file);
	text += text[0] == '/';
	for (; *text; text++)
		buffer_append_byte(out, *text == '/' ? '.' : *text == '.' ? '_' : *text);
}

/* After utf8_append_safe() what XML 1.0 forbids is left in two characters only, and markup. */
void report_append_markup(struct buffer *out, const char *text, size_t length)
{
	static const struct {
		const char *text, *as;
	} entities[] = { { "&", "&amp;" },
		         { "<", "&lt;" },
		         { ">", "&gt;" },
		         { "\"", "&quot;" },
		         { "'", "&#39;" },
		         { "\xEF\xBF\xBE", "\\u{FFFE}" },
		         { "\xEF\xBF\xBF", "\\u{FFFF}" } };
	LOCAL_BUFFER safe = BUFFER_FOR(out);
	utf8_append_safe_lines(&safe, text, length);
	for (const char *at = buffer_text(&safe), *end = at + safe.length; at < end;) {
		size_t plain = strcspn(at, "&<>\"'\xEF"), i = 0;
		buffer_append(out, at, plain);
		at += plain;
		while (i < sizeof entities / sizeof entities[0] &&
		       strncmp(at, entities[i].text, strlen(entities[i].text)) != 0)
			i++;
		bool found = i < sizeof entities / sizeof entities[0];
		if (found)
			buffer_append_text(out, entities[i].as);
		else if (at < end)
			buffer_append_byte(out, *at);
		at += found ? strlen(entities[i].text) : at < end;
	}
}

void report_append_markup_line(struct buffer *out, const char *text)
{
	LOCAL_BUFFER line = BUFFER_FOR(out);
	utf8_append_safe(&line, text, strlen(text));
	report_append_markup(out, buffer_text(&line), line.length);
}
