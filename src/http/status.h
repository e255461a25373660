/* The status codes of HTTP: RFC 9110 and later additions. */
#ifndef CREDHOOK_HTTP_STATUS_H
#define CREDHOOK_HTTP_STATUS_H

#include <stddef.h>

/* The standard phrase: "Not Found"; "Unknown" for a status without one. */
const char *http_status_phrase(int status);

/* Exactly three digits, 100 to 599; 0: anything else. */
int http_status_read(const char *text, size_t length);

#endif
