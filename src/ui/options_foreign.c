/* Options as other tools call them. */
#include "ui/options.h"

#include <string.h>

/* Of several rows of one name the first counts whose option there is. */
static const struct {
	const char *name; /* a single letter: -x */
	const char *ours; /* NULL: the hint tells what to do */
	const char *hint;
} rows[] = {
	{ "url", "to", NULL },
	{ "target", "to", NULL },
	{ "endpoint", "to", NULL },
	{ "host", "to", NULL },
	{ "env", "to", NULL },
	{ "environment", "to", NULL },
	{ "port", "to", NULL },
	{ "port", NULL, "a port is written without an option: 8080" },
	{ "p", "to", NULL },
	{ "p", NULL, "a port is written without an option: 8080" },
	{ "t", "to", NULL },
	{ "u", "to", NULL },
	{ "d", "file", NULL },
	{ "d", "body", NULL },
	{ "f", "file", NULL },
	{ "data", "file", NULL },
	{ "data", "body", NULL },
	{ "data-binary", "file", NULL },
	{ "input", "file", NULL },
	{ "payload", "file", NULL },
	{ "body", "file", NULL },
	{ "timeout", "max-time", NULL },
	{ "X", NULL, "a notification is always sent by POST" },
	{ "request", NULL, "a notification is always sent by POST" },
	{ "method", NULL, "a notification is always sent by POST" },
	{ "c", "concurrency", NULL },
	{ "parallel", "concurrency", NULL },
	{ "workers", "concurrency", NULL },
	{ "workers", "jobs", NULL },
	{ "n", "count", NULL },
	{ "n", "loop", NULL },
	{ "repeat", "count", NULL },
	{ "repeat", "loop", NULL },
	{ "retries", "retry", NULL },
	{ "delay", "retry-delay", NULL },
	{ "o", "out-dir", NULL },
	{ "o", "capture", NULL },
	{ "output", "out-dir", NULL },
	{ "output", "capture", NULL },
	{ "out", "out-dir", NULL },
	{ "out", "capture", NULL },
	{ "record", "capture", NULL },
	{ "tls", "tls-self-signed", NULL },
	{ "https", "tls-self-signed", NULL },
	{ "ca", "cacert", NULL },
	{ "event", "events", NULL },
	{ "expect-code", "expect-status", NULL },
	{ "no-color", "color", NULL },
};

bool options_hint_foreign(const struct option_group *groups, size_t group_count, const char *name, size_t length,
                          struct error *err)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strlen(rows[i].name) != length || memcmp(rows[i].name, name, length) != 0)
			continue;
		const struct option *option =
		        rows[i].ours ? options_find(groups, group_count, 0, rows[i].ours, strlen(rows[i].ours)) : NULL;
		if (rows[i].ours && !option)
			continue;
		if (option)
			error_hint(err, "did you mean '--%s'?", option->name);
		else
			error_hint(err, "%s", rows[i].hint);
		return true;
	}
	return false;
}
