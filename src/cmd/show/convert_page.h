/* The page of convert --format html: the notifications of a capture. */
#ifndef CREDHOOK_CMD_SHOW_CONVERT_PAGE_H
#define CREDHOOK_CMD_SHOW_CONVERT_PAGE_H

#include "capture/record.h"
#include "cmd/args/selection.h"
#include "cmd/list/arrival.h"
#include "payload/check.h"
#include "receive/notification.h"
#include "report/report_format.h"

/* All records are counted, and its cases are the first that are invalid or got a status that is not 2xx, and the first
 * and the last of the others. */
#define CONVERT_PAGE_BAD  2000
#define CONVERT_PAGE_WELL 100

/* Zero-initialise but for the repeats. */
struct convert_page {
	struct page page;
	struct repeats *repeats; /* for free() */
	uint64_t number;         /* of the record to be added, as `show` counts, */
	struct repeat repeat;    /* and whether it came before */
	uint64_t bad, well;
	struct arrival_counts counts;
	struct buffer last[CONVERT_PAGE_WELL]; /* cases of those that went well */
	size_t written;                        /* bytes */
};

/* Appends a notification, checked again. */
int convert_page_add(struct convert_page *page, const struct capture_record *record, struct checker *checker,
                     struct buffer *out, struct error *err);
/* NULL: they are redacted, and a file's name may be that of a person. */
void convert_page_set_inputs(struct convert_page *page, const struct text_list *inputs);
/* It has a part of the `read` records. `given`: the options that chose; NULL: their values may be of people, whom the
 * page does not have. */
void convert_page_set_part(struct convert_page *page, const char *given, const struct selection *selection,
                           uint64_t read);
/* `why`: lines that say why some failed. */
void convert_page_end(struct convert_page *page, const struct buffer *why, struct buffer *out);
void convert_page_free(struct convert_page *page); /* NULL is allowed */

#endif
