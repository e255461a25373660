/* What was found in a payload: for people with the source line and carets, for programs as JSON. */
#ifndef CREDHOOK_REPORT_FINDING_REPORT_H
#define CREDHOOK_REPORT_FINDING_REPORT_H

#include "base/buffer.h"
#include "base/fit.h"
#include "json/pointer.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a payload is: the document, or the line of a file, that holds it. Everything is borrowed. */
struct payload_origin {
	const char *file;
	size_t line; /* of the first byte of `text` in the file */
	const char *text;
	size_t length;
	/* Where the payload is quoted in the text (the body of a capture record): the byte of the text for
	 * a byte of the payload; keep: mostly no smaller one will be asked for. Where nobody could find a byte in the
	 * text (base64), it is the same for all of them, and findings name the byte of the payload as well. NULL: the
	 * payload is the text. */
	size_t (*map)(void *context, size_t offset, bool keep);
	void *map_context;
	size_t column; /* of the first byte of `text` in its line */
};

static inline enum style severity_style(enum severity severity)
{
	return severity == SEVERITY_ERROR ? STYLE_ERROR : STYLE_WARNING;
}

/* What is reported of one payload's findings, pointers included, ends behind the one that reaches this many bytes: a
 * small payload can make a thousand findings that each repeat a long key. The rest is only counted. */
#define FINDING_TEXT_MAX ((size_t)256 << 10)

/* The findings of one verdict, one after another, each with its place. */
struct finding_walk {
	const struct verdict *verdict;
	const struct payload_origin *origin;
	bool errors_first; /* set it before the first; else they go by place */
	struct json_locator locator;
	bool encoded;                  /* nobody could find a byte of the payload in the text */
	size_t at;                     /* how many were handed out */
	const struct finding *finding; /* the current one, and in the text: */
	struct json_place place;
	struct json_place end; /* one past what it marks; a long one is cut to its beginning */
	size_t start, stop;    /* byte offsets of the two */
	struct buffer message; /* one sentence, with where a duplicate key was first */
	struct buffer hint;    /* how to fix it; empty: unknown */
	struct json_pointer_walk pointers;
	struct buffer pointer; /* use finding_walk_pointer() */
	bool pointed;          /* it is the current one's */
	size_t reported;       /* bytes of the findings so far */
};
/* `out`: what is written of the findings; it fails with the texts of the walk. */
void finding_walk_init(struct finding_walk *walk, const struct verdict *verdict, const struct payload_origin *origin,
                       struct buffer *out);
bool finding_walk_next(struct finding_walk *walk);
void finding_walk_release(struct finding_walk *walk);
/* The JSON Pointer inside the payload of what the finding is about, for those who print it; valid until the next. */
const struct buffer *finding_walk_pointer(struct finding_walk *walk);
/* How many findings the walk did not come to, and never will once it has ended. */
size_t finding_walk_unlisted(const struct finding_walk *walk);
/* Appends "and 3 more findings in this payload", where there are some; false: there are none. */
bool finding_walk_append_unlisted(const struct finding_walk *walk, struct buffer *out);

/* Appends the walk's finding with its place, source line, carets and fix. Source lines are cut to `width` columns; with
 * `wraps`, for a terminal, all other lines are broken between words to fit them. */
void finding_report_one(struct finding_walk *walk, bool color, int width, bool wraps, struct buffer *out);
/* How many findings of the verdict were only counted, where some were; behind the last one. */
void finding_report_unlisted(const struct finding_walk *walk, struct buffer *out);
/* "file:line:column: ": where the payload begins. */
void finding_report_place(const struct payload_origin *origin, struct buffer *out);
/* Appends all of that for every finding, or those that are errors, errors first, without breaking lines. */
void finding_report_text(const struct verdict *verdict, const struct payload_origin *origin, bool errors_only,
                         bool color, int width, struct buffer *out);

/* Appends {"file","line","event","valid","findings":[...]} and a newline. */
void finding_report_json(const struct verdict *verdict, const struct payload_origin *origin, struct buffer *out);

/* Appends `"findings":[...]` as a further member of an object that is being written. */
void finding_report_json_findings(const struct verdict *verdict, const struct payload_origin *origin,
                                  struct buffer *out);

#endif
