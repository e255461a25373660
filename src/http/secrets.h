/* Which headers are secret and are masked wherever they are printed. */
#ifndef CREDHOOK_HTTP_SECRETS_H
#define CREDHOOK_HTTP_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

#define SECRET_MASK "***" /* printed instead of a secret */

/* Whether the value of this header (name in any case) is masked: all are, except a list of harmless ones (Accept,
 * Content-Type, User-Agent, ...), since an unknown name may be that of a key. */
bool secret_is_header(const char *name, size_t length);

/* The secret part of a line "Name: value" or "Name;": its value, or NULL if the name is harmless or the value empty. A
 * line without a name is secret as a whole: it may be a value whose name was forgotten. */
const char *secret_of_header_line(const char *line);

#endif
