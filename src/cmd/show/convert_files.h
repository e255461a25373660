/*
 * convert -o DIR/: the bodies as payload files, byte for byte.
 *
 * With --distinct a file is named by the shape of what is in it (payload/shape.h) and the values of its codes, whatever
 * else there is. What files of such names in the folder have is no longer new: of a further notification a file is
 * written only if its shape, or the value of one of its codes, is in none of them. So what is known stays as it is,
 * in whatever order it comes. Otherwise files are numbered for each event, bureau-alert-1.json, and what is there is
 * replaced by the rule of -o (capture/replace.h).
 */
#ifndef CREDHOOK_CMD_SHOW_CONVERT_FILES_H
#define CREDHOOK_CMD_SHOW_CONVERT_FILES_H

#include "capture/replace.h"
#include "cmd/cmd.h"
#include "payload/check.h"

#define CONVERT_FILES_MOST 10000 /* that are numbered */

struct convert_files;

bool convert_files_is_folder(const char *path);
/* `folder` is made by the first file; with `distinct`, what it has is read with the checker. `output` has the rule of
 * -o, but no path. All but `checker`, which is used only here, is borrowed. NULL: *err. */
struct convert_files *convert_files_new(const char *folder, bool distinct, const struct output_file *output,
                                        struct checker *checker, struct error *err);
void convert_files_free(struct convert_files *files); /* NULL is allowed */

/* Writes the body, which was checked, unless it is known. EXIT_CODE_USAGE: a file is there that is not replaced, or
 * there are too many. */
int convert_files_add(struct convert_files *files, struct text body, const struct verdict *verdict, struct error *err);
/* How many files were written, without those that were there. */
uint64_t convert_files_added(const struct convert_files *files);
/* Says how many were written, and how many were there, as a note. */
void convert_files_note(const struct convert_files *files, struct terminal *terminal);

#endif
