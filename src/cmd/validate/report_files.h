/* The files of --report: each grows in a temporary file beside its place, and is put there whole or not at all. */
#ifndef CREDHOOK_CMD_VALIDATE_REPORT_FILES_H
#define CREDHOOK_CMD_VALIDATE_REPORT_FILES_H

#include "cmd/files.h"
#include "cmd/validate/options.h"

struct report_file {
	const struct report_format *format;
	struct file_writer writer;
	struct buffer pending; /* not written yet */
	struct buffer notices;
	size_t room;   /* where patch() writes */
	bool any_text; /* a payload has written something */
};

struct report_files {
	struct report_file list[VALIDATE_REPORTS_MAX];
	size_t count;
};

/* Opens all, making the folders above them. None may be in use (capture/replace.h). On failure nothing is left behind.
 */
int report_files_open(struct report_files *files, const struct validate_report_wishes *wishes,
                      const struct source_files *in_use, struct error *err);
/* Adds what payloads wrote, the first separator taken off. */
int report_files_append(struct report_files *files, size_t index, const struct buffer *text, struct error *err);
int report_files_problem(struct report_files *files, const char *message, struct error *err);
int report_files_coverage(struct report_files *files, const char *event, bool covered, struct error *err);
int report_files_finish(struct report_files *files, struct report_totals totals, struct error *err);
/* Drops what is not finished. */
void report_files_release(struct report_files *files);

#endif
