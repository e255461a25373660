/* Requests that libcurl does not send, as bytes. */
#ifndef CREDHOOK_PROBE_PLAY_RAW_REQUEST_H
#define CREDHOOK_PROBE_PLAY_RAW_REQUEST_H

#include "base/error.h"

struct deliver_options;
struct job;
struct probe_row;
struct raw_script;

/* Writes the requests of the row in its framing, of the jobs made for them, and when their bytes go out. -1: the URL or
 * a header of the options is wrong, or no memory. */
int probe_script(const struct probe_row *row, const struct deliver_options *http, struct job *const *jobs,
                 struct raw_script *script, struct error *err);

#endif
