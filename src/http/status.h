/* The status codes of HTTP: RFC 9110 and later additions. */
#ifndef CREDHOOK_HTTP_STATUS_H
#define CREDHOOK_HTTP_STATUS_H

/* The standard phrase: "Not Found"; "Unknown" for a status without one. */
const char *http_status_phrase(int status);

#endif
