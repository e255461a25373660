/* Options as other tools call them. */
#include "ui/options.h"

#include <string.h>

#define A_PORT     "a port is written without an option: 8080"
#define AN_ADDRESS "an address is written without an option: 0.0.0.0:8080"
#define A_PAYLOAD  "a payload comes from a file: --file FILE; - is standard input"
#define A_FILE     "files are written without an option; - is standard input"
#define A_POST     "a notification is always sent by POST"
#define A_PAUSE    "to pause between deliveries: --rate 1/s"
#define ONLY_MADE  "build only makes payloads; 'credhook send' makes them and takes --to"
#define ONLY_READ  "validate sends nothing; 'credhook send --file FILE --to WHERE' does"
#define NO_FOLLOW  "a redirect is never followed: its status is the answer"

/* Of several rows of one name the first counts whose option there is. */
static const struct {
	const char *name; /* a single letter: -x */
	const char *ours; /* an option that the command has to have */
	const char *hint; /* NULL: it is what was meant */
} rows[] = {
	{ "url", "to", NULL },
	{ "target", "to", NULL },
	{ "endpoint", "to", NULL },
	{ "host", "to", NULL },
	{ "env", "to", NULL },
	{ "environment", "to", NULL },
	{ "port", "to", NULL },
	{ "p", "to", NULL },
	{ "t", "to", NULL },
	{ "u", "to", NULL },
	{ "to", "forward-to", NULL },
	{ "to", "out-dir", ONLY_MADE },
	{ "to", "strict", ONLY_READ },
	{ "url", "out-dir", ONLY_MADE },
	{ "url", "strict", ONLY_READ },
	{ "port", "path", A_PORT },
	{ "p", "path", A_PORT },
	{ "host", "path", AN_ADDRESS },
	{ "bind", "path", AN_ADDRESS },
	{ "addr", "path", AN_ADDRESS },
	{ "address", "path", AN_ADDRESS },
	{ "interface", "path", AN_ADDRESS },
	{ "d", "file", A_PAYLOAD },
	{ "d", "body", NULL },
	{ "d", "out-dir", NULL },
	{ "f", "file", NULL },
	{ "f", "strict", A_FILE },
	{ "f", "speed", A_FILE },
	{ "f", "capture", NULL },
	{ "file", "strict", A_FILE },
	{ "file", "speed", A_FILE },
	{ "file", "capture", NULL },
	{ "data", "file", A_PAYLOAD },
	{ "data", "body", NULL },
	{ "data-raw", "file", A_PAYLOAD },
	{ "data-binary", "file", A_PAYLOAD },
	{ "input", "file", NULL },
	{ "input", "strict", A_FILE },
	{ "input", "speed", A_FILE },
	{ "payload", "file", NULL },
	{ "body", "file", NULL },
	{ "s", "set", NULL },
	{ "field", "set", NULL },
	{ "invalid", "break", NULL },
	{ "mutate", "break", NULL },
	{ "timeout", "max-time", NULL },
	{ "timeout", "within", NULL },
	{ "wait", "timeout", NULL },
	{ "X", "to", A_POST },
	{ "request", "to", A_POST },
	{ "method", "to", A_POST },
	{ "L", "to", NO_FOLLOW },
	{ "location", "to", NO_FOLLOW },
	{ "c", "concurrency", NULL },
	{ "parallel", "concurrency", NULL },
	{ "workers", "concurrency", NULL },
	{ "workers", "jobs", NULL },
	{ "n", "count", NULL },
	{ "n", "loop", NULL },
	{ "n", "max-events", NULL },
	{ "number", "count", NULL },
	{ "number", "limit", NULL },
	{ "number", "max-events", NULL },
	{ "count", "loop", NULL },
	{ "count", "max-events", NULL },
	{ "limit", "max-events", NULL },
	{ "exit-after", "max-events", NULL },
	{ "repeat", "count", NULL },
	{ "repeat", "loop", NULL },
	{ "retries", "retry", NULL },
	{ "delay", "rate", A_PAUSE },
	{ "interval", "rate", A_PAUSE },
	{ "sleep", "rate", A_PAUSE },
	{ "o", "out-dir", NULL },
	{ "o", "capture", NULL },
	{ "o", "results", NULL },
	{ "o", "format", NULL },
	{ "o", "json", NULL },
	{ "output", "out-dir", NULL },
	{ "output", "capture", NULL },
	{ "output", "results", NULL },
	{ "output", "format", NULL },
	{ "output", "json", NULL },
	{ "format", "json", NULL },
	{ "out", "out-dir", NULL },
	{ "out", "capture", NULL },
	{ "dir", "out-dir", NULL },
	{ "record", "capture", NULL },
	{ "save", "capture", NULL },
	{ "log", "capture", NULL },
	{ "code", "status", NULL },
	{ "proxy", "forward-to", NULL },
	{ "tls", "tls-self-signed", NULL },
	{ "https", "tls-self-signed", NULL },
	{ "cert", "tls-cert", NULL },
	{ "key", "tls-key", NULL },
	{ "ca", "cacert", NULL },
	{ "ca", "tls-client-ca", NULL },
	{ "event", "events", NULL },
	{ "event", "expect", NULL },
	{ "expect-code", "expect-status", NULL },
	{ "no-color", "color", NULL },
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
			error_hint(err, "did you mean '--%s'?", rows[i].ours);
		return true;
	}
	return false;
}
