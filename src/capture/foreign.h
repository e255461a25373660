/*
 * Foreign files: captures of other tools that credhook cannot read, and files of its own that contain no payloads. They
 * are recognised by their first bytes, not by name, so that nobody sends a HAR file with all its cookies as one
 * notification.
 *
 * To add one: a row in foreign.c, a file in tests/fuzz/corpus/foreign, and a line in tests/unit/capture/foreign_test.c.
 * A row must not match a notification, not even a broken one; that is why an object with a member `service` or
 * `details`, or an array that begins with one, is compared with no row.
 */
#ifndef CREDHOOK_CAPTURE_FOREIGN_H
#define CREDHOOK_CAPTURE_FOREIGN_H

#include "base/error.h"
#include "capture/source.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>

#define FOREIGN_LOOK_MAX ((size_t)64 << 10) /* bytes examined at the beginning of a file */

struct foreign_format {
	const char *name;
	const char *words; /* to follow the name of the file: is a HAR file; credhook cannot read it */
	bool is_data; /* contains data that a user may not want to lose, so credhook does not replace it */
	/* One of the two. The document may be only the beginning of the file's. */
	bool (*is_document)(const struct json_doc *doc);
	bool (*is_bytes)(const char *bytes, size_t length);
};

extern const struct foreign_format foreign_formats[];
extern const size_t foreign_format_count;

/* The format of a document, or NULL. */
const struct foreign_format *foreign_of_document(const struct json_doc *doc);

/* The format of a file that begins with these bytes, or NULL; `whole`: they are the whole file. *more: undecided, call
 * again with more bytes (never with FOREIGN_LOOK_MAX of them). */
const struct foreign_format *foreign_of_beginning(const char *bytes, size_t length, bool whole, bool *more);

/* Examines a source from which nothing was read yet, and takes nothing from it. SOURCE_ITEM: *found is the format or
 * NULL. Else as source_next(): SOURCE_ERROR with *err, SOURCE_LATER, SOURCE_INTERRUPTED. */
enum source_result foreign_look(struct source *source, const struct foreign_format **found, struct error *err);

/* EXIT_CODE_IO: 'x.har' is a HAR file, which credhook cannot read. `path` may be "-". */
int foreign_refuse(const struct foreign_format *format, const char *path, struct error *err);

#endif
