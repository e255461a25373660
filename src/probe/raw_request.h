/* Requests that libcurl does not send, as bytes. */
#ifndef CREDHOOK_PROBE_RAW_REQUEST_H
#define CREDHOOK_PROBE_RAW_REQUEST_H

#include "base/error.h"

struct deliver_options;
struct job;
struct probe_check;
struct raw_script;

/* Writes the bytes of the requests of a row that is `raw`, of the jobs made for it. */
int probe_script(const struct probe_check *check, const struct deliver_options *http, struct job *const *jobs,
                 struct raw_script *script, struct error *err);

#endif
