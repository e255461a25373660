#include "base/state_path.h"

#include <stdlib.h>

bool state_path_append(struct buffer *out, const char *name)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && state[0] == '/')
		buffer_printf(out, "%s/credhook/%s", state, name);
	else if (home && home[0] == '/')
		buffer_printf(out, "%s/.local/state/credhook/%s", home, name);
	else
		return false;
	return true;
}
