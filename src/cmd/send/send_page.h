/* What the page of --report says of the whole run. */
#ifndef CREDHOOK_CMD_SEND_SEND_PAGE_H
#define CREDHOOK_CMD_SEND_SEND_PAGE_H

#include "cmd/send/send_report.h"
#include "deliver/counts.h"
#include "report/page.h"

void send_page_fill(struct page *page, const struct send_report *report, const struct delivery_counts *counts);

#endif
