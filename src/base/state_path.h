/* Where what is known of former runs is kept. */
#ifndef CREDHOOK_BASE_STATE_PATH_H
#define CREDHOOK_BASE_STATE_PATH_H

#include "base/buffer.h"

#include <stdbool.h>

/* Appends $XDG_STATE_HOME/credhook/NAME, or ~/.local/state/credhook/NAME. False: neither variable has an absolute path;
 * a relative one does not count, as the XDG Base Directory Specification asks. */
bool state_path_append(struct buffer *out, const char *name);

#endif
