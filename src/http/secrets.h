/* Which headers hold secrets, so that they are masked wherever they are printed. */
#ifndef CREDHOOK_HTTP_SECRETS_H
#define CREDHOOK_HTTP_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

/* What is printed in place of a secret. */
#define SECRET_MASK "***"

/* Whether the value of a header of this name is masked: of all but the few that are known to be harmless (Accept,
 * Content-Type, User-Agent...). A name that nobody knows may be anybody's key. Letter case is ignored. */
bool secret_is_header(const char *name, size_t length);

/* What is secret of a line "Name: value" or "Name;": where its value begins; NULL: nothing is, since the name is
 * harmless or the value empty. A line without a name is a secret as a whole: a value stands there whose name was
 * forgotten. */
const char *secret_of_header_line(const char *line);

#endif
