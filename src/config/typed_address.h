/* What may have been meant by an address that is not one. */
#ifndef CREDHOOK_CONFIG_TYPED_ADDRESS_H
#define CREDHOOK_CONFIG_TYPED_ADDRESS_H

#include "base/buffer.h"

#include <stdbool.h>

/* Whether the number of the port is behind the path, localhost/hook:3000, where it would be part of that. */
bool typed_address_has_port_behind(const char *where);
/* Appends it without quotes or <> around it, with "://" behind its scheme, and its port in front of its path. Whether
 * that is something else. */
bool typed_address(const char *where, struct buffer *out);

#endif
