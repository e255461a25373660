/* Heads: fields, and the small grammars of HTTP (RFC 9110, RFC 9112, RFC 3986). The texts need no NUL. */
#ifndef CREDHOOK_HTTP_HEAD_H
#define CREDHOOK_HTTP_HEAD_H

#include "base/buffer.h"
#include "base/error.h"
#include "http/message.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads "Name: value", a line without its end; trims the value. False: there is no name and colon. */
bool header_read(const char *line, size_t length, struct header *field);
/* Reads a line as curl's -H takes it: "Name;" has an empty value; "Name:" an absent one, so that the header is not
 * sent, even if libcurl would add it. EXIT_CODE_USAGE: as header_check(), or it is another line, which then is the
 * value of a header without a name. */
int header_read_option(const char *line, size_t length, struct header *header, struct error *err);
void header_append_option(const struct header *header, struct buffer *out); /* the opposite */
/* EXIT_CODE_USAGE: its name is not a token, or it contains a control character. The error never shows a value, which
 * may be secret. */
int header_check(const struct header *header, struct error *err);
/* The next line of a head between *at and `end` that is a field, whether its lines end with LF or CRLF, and moves *at
 * behind it. False: no more. */
bool http_head_next(const char **at, const char *end, struct header *field);
bool header_is(const struct header *field, const char *name); /* in any case */

/* How many bytes of a token the text begins with. */
size_t http_token_length(const char *text, size_t length);
bool http_is_token(const char *text, size_t length);
/* The value of a field: bytes that are visible, space, tab, or above 0x7F. */
bool http_is_value(const char *text, size_t length);
/* Host: uri-host [":" port], without percent-encoding; may be empty. */
bool http_is_host(const char *text, size_t length);
/* The length of "http://" or "https://" in front of a target in absolute-form; 0: neither is. */
size_t http_scheme_length(const char *target, size_t length);
/* A request target: origin-form, absolute-form with http or https, or * for OPTIONS. */
bool http_is_target(const char *method, size_t method_length, const char *text, size_t length);

/* Whether a connection that begins with these bytes begins with a header of the PROXY protocol, version 1 or 2, which
 * HAProxy's specification defines; and what is said then. */
bool http_is_proxy_protocol(const char *bytes, size_t length);
#define HTTP_PROXY_PROTOCOL "a proxy sends the PROXY protocol; turn that off there (send-proxy)"

/* Whether a field of that name belongs to one connection (RFC 9110, 7.6.1), and so is not passed on. */
bool http_is_hop_by_hop(const char *name, size_t length);
/* Where the path begins in a target in origin-form or absolute-form, or in a URL; without a path at the query, or the
 * end. */
const char *http_target_path(const char *target);

/* Leaves out the blanks around a text, and the end of its line. */
void http_trim(const char **from, const char **to);
/* Whether the text is `word` (in any case). */
bool http_is_word(const char *text, size_t length, const char *word);
/* Whether `word` (in any case) is an element of the comma-separated list. */
bool http_list_has(const char *list, size_t length, const char *word);

#endif
