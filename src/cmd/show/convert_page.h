/* The page of convert --format html: the notifications of a capture. */
#ifndef CREDHOOK_CMD_SHOW_CONVERT_PAGE_H
#define CREDHOOK_CMD_SHOW_CONVERT_PAGE_H

#include "capture/record.h"
#include "payload/check.h"
#include "receive/notification.h"
#include "report/report_format.h"

#define CONVERT_PAGE_MOST 5000 /* records */

/* Zero-initialise but for the repeats. */
struct convert_page {
	struct page page;
	struct repeats *repeats; /* for free() */
	uint64_t number;         /* of records */
	size_t written;          /* bytes */
};

/* Appends a notification, checked again. EXIT_CODE_USAGE: there are more than CONVERT_PAGE_MOST. */
int convert_page_add(struct convert_page *page, const struct capture_record *record, struct checker *checker,
                     struct buffer *out, struct error *err);
/* `subject`: of which file, or how many. */
void convert_page_end(struct convert_page *page, const char *subject, struct buffer *out);

#endif
