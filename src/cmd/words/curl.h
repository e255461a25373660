/* A delivery as a command line of curl: for send --dry-run=curl, show --curl and pages. */
#ifndef CREDHOOK_CMD_WORDS_CURL_H
#define CREDHOOK_CMD_WORDS_CURL_H

#include "base/buffer.h"
#include "capture/record.h"
#include "cmd/args/route.h"
#include "http/message.h"
#include "ui/terminal.h"

#include <stdbool.h>

struct curl_lines {
	struct terminal *terminal; /* NULL: without a warning */
	bool has_secrets;          /* values became variables */
	bool has_refused;          /* no request can be made of one */
};
/* Appends a request as a command line of curl, over the route, whose options these are. A terminal shows it as it is.
 * Where no request can be made of it, it appends nothing, and warns, with its place. -1: out of memory. */
int curl_append(struct curl_lines *lines, const struct message *request, const char *place, const struct route *route,
                const struct route_options *options, struct buffer *out, struct error *err);
/* The same of a record: to where it was sent, with the headers that it came with. */
int curl_append_record(struct curl_lines *lines, const struct capture_record *record, struct buffer *out,
                       struct error *err);
/* At the end: says what is to be done about the variables. Returns the exit code. */
enum exit_code curl_end(const struct curl_lines *lines);

#endif
