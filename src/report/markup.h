/* What XML and HTML want of names and texts. */
#ifndef CREDHOOK_REPORT_MARKUP_H
#define CREDHOOK_REPORT_MARKUP_H

#include "base/buffer.h"

#include <stddef.h>

/* A file's name as a class name, which is read as packages: fixtures/user.json is fixtures.user. */
void report_append_class(const char *file, struct buffer *out);
/* The file's name as reports have it: ./b is b, which CI systems compare with the names they know. */
void report_append_file(const char *file, struct buffer *out);

/* Lines of text for an element of XML 1.0 or HTML: made safe, and escaped. */
void report_append_markup(struct buffer *out, const char *text, size_t length);
/* The same for an attribute or a cell: a newline in it is shown as \n. */
void report_append_markup_line(struct buffer *out, const char *text);

#endif
