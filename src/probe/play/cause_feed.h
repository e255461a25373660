/* The requests of a run as rows of facts: feeds the machine of cause/cause.h. */
#ifndef CREDHOOK_PROBE_PLAY_CAUSE_FEED_H
#define CREDHOOK_PROBE_PLAY_CAUSE_FEED_H

#include "cause/cause.h"
#include "probe/play/maker.h"

struct player;
struct probe_sent;
struct exchange;

/* A request of the run has ended. -1: no memory. */
int feed_request(struct player *p, const struct probe_sent *sent, struct error *err);

#define FEED_WORDS_SIZE (PROBE_REASON_SIZE + 64)
/* One that was a question has: fills the response in, whose words are put there. -1: no memory. */
int feed_response(const struct exchange *exchange, char words[FEED_WORDS_SIZE], struct cause_response *response,
                  struct error *err);

#endif
