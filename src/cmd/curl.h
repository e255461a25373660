/* A delivery as a command line of curl, for send --dry-run=curl and show --curl. */
#ifndef CREDHOOK_CMD_CURL_H
#define CREDHOOK_CMD_CURL_H

#include "base/buffer.h"
#include "cmd/route.h"
#include "http/deliver.h"
#include "ui/terminal.h"

#include <stdbool.h>

/* Appends the line. Of the delivery what it sends, over the route, whose options these are. *has_secrets is set where
 * values became variables. What is shown on a terminal is the caller's to make safe. */
void curl_append(const struct delivery *delivery, const struct route *route, const struct route_options *options,
                 bool *has_secrets, struct buffer *out);
/* Says what is to be done about these variables. */
void curl_note_secrets(struct terminal *terminal);

#endif
