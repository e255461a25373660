/* Options by their names, and by what other tools call them. */
#include "ui/options.h"

#include <string.h>

static bool is_named(const struct option *o, char letter, const char *name, size_t length)
{
	return name ? strlen(o->name) == length && memcmp(o->name, name, length) == 0 : letter && o->letter == letter;
}

const struct option *options_find(const struct option_group *groups, size_t group_count, char letter, const char *name,
                                  size_t length)
{
	for (size_t g = 0; g < group_count; g++)
		for (size_t i = 0; i < groups[g].count; i++)
			if (is_named(&groups[g].options[i], letter, name, length))
				return &groups[g].options[i];
	return NULL;
}

/* Names that other tools have for an option, and where `hint` is set, why there is none. Of several rows of one name
 * the first counts whose option the command has. */
static const struct {
	const char *name;
	const char *ours;
	const char *hint; /* NULL: `ours` is meant */
} rows[] = {
	{ "url", "to", NULL },
	{ "target", "to", NULL },
	{ "host", "to", NULL },
	{ "port", "to", NULL },
	{ "p", "to", NULL },
	{ "env", "to", NULL },
	{ "to", "forward-to", NULL },
	{ "to", "out-dir", "build sends nothing; to send an event: credhook send EVENT --to WHERE" },
	{ "to", "strict", "validate sends nothing; to send a file: credhook send --file FILE --to WHERE" },
	{ "port", "path", "write the port without an option: credhook listen 8080" },
	{ "p", "path", "write the port without an option: credhook listen 8080" },
	{ "host", "path", "write the address without an option: credhook listen 0.0.0.0:8080" },
	{ "bind", "path", "write the address without an option: credhook listen 0.0.0.0:8080" },
	{ "event", "file", "write events without an option: credhook send EVENT" },
	{ "event", "out-dir", "write events without an option: credhook build EVENT" },
	{ "d", "file", "write the payload to a file: --file FILE, or --file - for standard input" },
	{ "data", "file", "write the payload to a file: --file FILE, or --file - for standard input" },
	{ "data-binary", "file", "write the payload to a file: --file FILE, or --file - for standard input" },
	{ "f", "file", NULL },
	{ "f", "strict", "write files without an option; - is standard input" },
	{ "file", "strict", "write files without an option; - is standard input" },
	{ "file", "speed", "write files without an option; - is standard input" },
	{ "file", "capture", NULL },
	{ "timeout", "max-time", NULL },
	{ "timeout", "within", NULL },
	{ "X", "to", "credhook always sends POST" },
	{ "request", "to", "credhook always sends POST" },
	{ "method", "to", "credhook always sends POST" },
	{ "L", "to", "redirects are not followed; their status is the response" },
	{ "location", "to", "redirects are not followed; their status is the response" },
	{ "c", "concurrency", NULL },
	{ "parallel", "concurrency", NULL },
	{ "n", "count", NULL },
	{ "count", "max-events", NULL },
	{ "limit", "max-events", NULL },
	{ "retries", "retry", NULL },
	{ "delay", "rate", "to pause between deliveries: --rate 1/s" },
	{ "o", "out-dir", NULL },
	{ "o", "results", NULL },
	{ "o", "capture", NULL },
	{ "output", "out-dir", NULL },
	{ "output", "results", NULL },
	{ "output", "capture", NULL },
	{ "expect", "expect-status", NULL },
	{ "o", "for", "the shell writes to a file: credhook schema > FILE" },
	{ "output", "for", "the shell writes to a file: credhook schema > FILE" },
	{ "format", "speed", "the format of an input is recognised; leave the option out" },
	{ "from", "speed", "the format of an input is recognised; leave the option out" },
	{ "redact", "speed", "to replace personal data first: credhook convert FILE --redact -o NEW" },
	{ "format", "json", NULL },
	{ "s", "quiet", NULL },
	{ "silent", "quiet", NULL },
	{ "u", "to", "write the user in the URL (http://USER:PASSWORD@HOST), or add a header: -H @FILE" },
	{ "user", "to", "write the user in the URL (http://USER:PASSWORD@HOST), or add a header: -H @FILE" },
	{ "out", "capture", NULL },
	{ "save", "capture", NULL },
	{ "filter", "where", NULL },
	{ "junit", "report", "write --report junit=FILE" },
	{ "fault", "to", "--fault is an option of listen" },
	{ "pretty", "to", "--pretty is an option of build" },
	{ "no-color", "color", "write --color never" },
	{ "cert", "tls-cert", NULL },
	{ "key", "tls-key", NULL },
};

bool options_hint_foreign(const struct option_group *groups, size_t group_count, const char *name, size_t length,
                          struct error *err)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strlen(rows[i].name) != length || memcmp(rows[i].name, name, length) != 0 ||
		    !options_find(groups, group_count, 0, rows[i].ours, strlen(rows[i].ours)))
			continue;
		if (rows[i].hint)
			error_hint(err, "%s", rows[i].hint);
		else
			error_hint(err, "did you mean --%s?", rows[i].ours);
		return true;
	}
	return false;
}
