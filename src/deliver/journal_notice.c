#include "deliver/journal_internal.h"

#include <errno.h>
#include <string.h>

int journal_cannot(const char *what, const char *path, struct error *err)
{
	return error_set(err, EXIT_CODE_IO, "cannot %s '%s': %s", what, path, strerror(errno));
}

void journal_notify(const struct journal *j, struct journal_notice notice)
{
	notice.path = j->past.path;
	j->options.notice(j->options.context, &notice);
}

int journal_refuse_foreign(const struct journal_marks *left, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a file of credhook's; left unchanged", left->path);
	return error_hint(err, "move it, or name another file for the results: what is in flight is kept beside them");
}
