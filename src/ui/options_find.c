/* Options by their names, and what to write instead of some that are not there. */
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

/* Options of the commands that have the option `having`: what is written instead of one that is gone, or of one that
 * means something else there. */
static const struct {
	const char *name;
	const char *having;
	const char *hint;
} rows[] = {
	{ "to", "output", "write the result to a file: -o FILE" },
	{ "sample", "speed", "choose records before: shuf FILE | credhook replay -" },
	{ "threads", "concurrency", "threads are chosen by --concurrency" },
	{ "duration", "rate", "a count ends a run: --rate 50 --count 500 lasts 10 s" },
	{ "fail-fast", "max-failures", "write --max-failures 0" },
	{ "resolve", "connect-to", "write --connect-to HOST:PORT:ADDRESS:PORT" },
	{ "once", "max-events", "write --max-events 1" },
	{ "rotate-size", "capture", "rotate the file with logrotate, and send SIGHUP" },
	{ "redact", "capture", "write redacted records: listen --json -v | convert - --redact --redact-key KEY" },
	{ "preview", "redact-key", "verify only: --redact -o /dev/null" },
	{ "fail-rate", "fault", "write --fault 500:P" },
	{ "max-findings", "ignore", "cut the output: | head" },
};

bool options_hint_instead(const struct option_group *groups, size_t group_count, const char *name, size_t length,
                          struct error *err)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strlen(rows[i].name) != length || memcmp(rows[i].name, name, length) != 0 ||
		    !options_find(groups, group_count, 0, rows[i].having, strlen(rows[i].having)))
			continue;
		error_hint(err, "%s", rows[i].hint);
		return true;
	}
	return false;
}
