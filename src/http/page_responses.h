/* Whether what accepts deliveries is a web page: a sign-in page of a proxy, or the front end of an application,
 * responds 200 to whatever is sent to it. */
#ifndef CREDHOOK_HTTP_PAGE_RESPONSES_H
#define CREDHOOK_HTTP_PAGE_RESPONSES_H

#include "http/deliver.h"

#define PAGE_TITLE_MAX 80 /* bytes of a title that are kept */

/* What the 2xx of a run are. Plain data; zero-initialise. */
struct page_responses {
	uint64_t pages;
	uint64_t others;
	char title[PAGE_TITLE_MAX + sizeof "..."]; /* of the first page; hostile bytes, but for the request's secrets */
};

/* Counts the response, if it is a 2xx: a page begins as HTML does, or says that it is HTML and has a title, a head, a
 * body or a form. Text that is merely called text/html, as frameworks do by default, is none. */
void page_responses_add(struct page_responses *seen, const struct exchange *exchange);
/* Whether all 2xx were pages, and there was one. */
bool page_responses_are_all(const struct page_responses *seen);
/* Appends "the responses are a page ("TITLE"): is this your listener?", safe to print. Nothing, unless they are all. */
void page_responses_append(struct buffer *out, const struct page_responses *seen);

#endif
