/*
 * convert -o DIR/: the bodies as payload files, byte for byte.
 *
 * With --distinct a file is named by the shape of what is in it (payload/shape.h), or by its shape and the value of the
 * code that it was taken for. So a shape has the same name tomorrow, and a file that is there already stays as it is.
 * Otherwise files are numbered for each event, bureau-alert-1.json, and what is there is replaced by the rule of -o
 * (capture/replace.h).
 */
#ifndef CREDHOOK_CMD_SHOW_CONVERT_FILES_H
#define CREDHOOK_CMD_SHOW_CONVERT_FILES_H

#include "capture/replace.h"
#include "cmd/cmd.h"
#include "payload/shape.h"

#define CONVERT_FILES_MOST 10000 /* that are numbered */

struct convert_files;

/* The folder of a name that ends with '/', or of one that is there; it is made by the first file. Everything is
 * borrowed; `output` has the rule of -o, but no path. NULL: *err. */
bool convert_files_is_folder(const char *path);
struct convert_files *convert_files_new(const char *folder, bool distinct, const struct output_file *output,
                                        struct error *err);
void convert_files_free(struct convert_files *files); /* NULL is allowed */

/* Writes the body, which was checked. `code` is what it was taken for, beside its shape; NULL: nothing, or not
 * --distinct. EXIT_CODE_USAGE: a file is there that is not replaced, or there are too many. */
int convert_files_add(struct convert_files *files, struct text body, const struct verdict *verdict,
                      const struct catalog_field *code, struct error *err);
/* How many were written, without those that were there. */
uint64_t convert_files_added(const struct convert_files *files);
/* Says how many were written, and how many were there, as a note. */
void convert_files_note(const struct convert_files *files, struct terminal *terminal);

#endif
