/*
 * What a command printed, as it may be shown: the one place that takes it out of where it is kept.
 *
 * It is bytes of a listener, like a response: the secrets of the requests that it got may stand in it. They are masked
 * before anything is cut off.
 */
#ifndef CREDHOOK_PROBE_PLAY_PRINTED_H
#define CREDHOOK_PROBE_PLAY_PRINTED_H

#include "base/child_output.h"
#include "http/secrets.h"

/* Appends what was printed from the position on, without these secrets: the last `most` bytes of it at most, of which
 * the first line is whole. */
void printed_append(struct child_output *output, uint64_t from, size_t most, const struct echoes *secrets,
                    struct buffer *out);

#endif
