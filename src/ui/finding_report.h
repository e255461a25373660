/* Telling what was found in a payload: for a person with the source line and a caret, for a program as JSON. */
#ifndef CREDHOOK_UI_FINDING_REPORT_H
#define CREDHOOK_UI_FINDING_REPORT_H

#include "base/buffer.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a payload stands: the document, or the line of a file, that holds it. Everything is borrowed. */
struct payload_origin {
	const char *file;
	size_t line; /* of the first byte of `text` in the file */
	const char *text;
	size_t length;
	/* Where the payload is quoted in the text (the body of a capture record): the byte of the text that stands for
	 * a byte of the payload; keep: no smaller one will be asked for. NULL: the payload is the text. */
	size_t (*map)(void *context, size_t offset, bool keep);
	void *map_context;
};

/* Appends every finding with its place, source line, caret and hint; lines fit `width` columns where they can. */
void finding_report_text(const struct verdict *verdict, const struct payload_origin *origin, bool color, int width,
                         struct buffer *out);

/* Appends {"file","line","event","valid","findings":[...]} and a newline. */
void finding_report_json(const struct verdict *verdict, const struct payload_origin *origin, struct buffer *out);

/* Appends `"findings":[...]` as a further member of an object that is being written. */
void finding_report_json_findings(const struct verdict *verdict, const struct payload_origin *origin,
                                  struct buffer *out);

#endif
