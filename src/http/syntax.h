/* Small grammars of HTTP (RFC 9110, RFC 9112, RFC 3986). The texts need no NUL. */
#ifndef CREDHOOK_HTTP_SYNTAX_H
#define CREDHOOK_HTTP_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

bool http_is_token_byte(char byte);
/* A byte allowed in the value of a field: visible, space, tab, or above 0x7F. */
bool http_is_value_byte(char byte);

bool http_is_token(const char *text, size_t length);
bool http_is_value(const char *text, size_t length);
/* Host: uri-host [":" port]; may be empty. */
bool http_is_host(const char *text, size_t length);
/* A request target: origin-form, absolute-form with http or https, or * for OPTIONS. */
bool http_is_target(const char *method, size_t method_length, const char *text, size_t length);

/* Whether the text is `word` (in any case). */
bool http_is_word(const char *text, size_t length, const char *word);
/* Whether `word` (in any case) is an element of the comma-separated list. */
bool http_list_has(const char *list, size_t length, const char *word);

#endif
