/* The status codes of HTTP: the registry of RFC 9110 and its additions, as far as they have a phrase. */
#ifndef CREDHOOK_HTTP_STATUS_H
#define CREDHOOK_HTTP_STATUS_H

/* The standard phrase: "Not Found"; "Unknown" for a status that has none. */
const char *http_status_phrase(int status);

#endif
