/*
 * Files of another kind: captures of other tools that credhook cannot read, and files of its own that hold no payloads.
 * They are known by what they begin with, whatever they are called, so that nobody posts a HAR file with all its
 * cookies as one notification.
 *
 * To add one: a row in foreign.c, a file in tests/fuzz/corpus/foreign, and a line in tests/unit/capture/foreign_test.c.
 * A row must never hold for a notification, be it a broken one: an object with a member `service` or `details`, or an
 * array that begins with one, is asked of no row.
 */
#ifndef CREDHOOK_CAPTURE_FOREIGN_H
#define CREDHOOK_CAPTURE_FOREIGN_H

#include "base/error.h"
#include "capture/source.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>

#define FOREIGN_LOOK_MAX ((size_t)64 << 10) /* bytes at the beginning that are looked at, and no more */

struct foreign_format {
	const char *name;
	const char *words; /* after the name of the file: is a HAR file; credhook cannot read it */
	bool is_data; /* what was received, done or written by hand is in it: credhook does not replace it */
	/* One of the two. A document, perhaps only its beginning; the first bytes, `length` of them. */
	bool (*is_document)(const struct json_doc *doc);
	bool (*is_bytes)(const char *bytes, size_t length);
};

extern const struct foreign_format foreign_formats[];
extern const size_t foreign_format_count;

/* What a document is; NULL: none of these. */
const struct foreign_format *foreign_of_document(const struct json_doc *doc);

/* What a file is that begins with these bytes; `whole`: they are all it has. *more: NULL is said for now, and more
 * bytes may tell (never with FOREIGN_LOOK_MAX of them). */
const struct foreign_format *foreign_of_beginning(const char *bytes, size_t length, bool whole, bool *more);

/* Looks at a source of which nothing was handed out yet, and takes nothing from it. SOURCE_ITEM: *found is what it is,
 * or NULL. Else as source_next(): SOURCE_ERROR with *err, SOURCE_LATER, SOURCE_INTERRUPTED. */
enum source_result foreign_look(struct source *source, const struct foreign_format **found, struct error *err);

/* EXIT_CODE_IO: 'x.har' is a HAR file; credhook cannot read it. `path` may be "-". */
int foreign_refuse(const struct foreign_format *format, const char *path, struct error *err);

#endif
