/* Which headers hold secrets, so that they are masked wherever they are printed. */
#ifndef CREDHOOK_CMD_SECRETS_H
#define CREDHOOK_CMD_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

/* Authorization, Cookie and their kin, and any name with token, secret, password, signature or api-key in it; letter
 * case ignored. */
bool secret_is_header(const char *name, size_t length);

#endif
