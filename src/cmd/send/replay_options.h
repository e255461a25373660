/* What replay is asked for: which records, at which pace, changed how, and what send is asked for, too. */
#ifndef CREDHOOK_CMD_SEND_REPLAY_OPTIONS_H
#define CREDHOOK_CMD_SEND_REPLAY_OPTIONS_H

#include "base/error.h"
#include "base/random.h"
#include "cmd/args/selection.h"
#include "cmd/cmd.h"
#include "cmd/send/send_options.h"
#include "payload/edit.h"

#include <stdbool.h>
#include <stdint.h>

/* --shard K/N: the K-th part of N, from 1; count 0: all. */
struct replay_shard {
	uint64_t number;
	uint64_t count;
};

/* --fresh-ids[=SEED] */
struct fresh_ids {
	bool given;
	struct seed seed;
};

struct replay_args {
	struct global_options global;
	bool as_recorded;
	struct fresh_ids fresh_ids;
	double speed; /* 1 keeps the recorded gaps, 2 halves them; 0 is max */
	int64_t max_wait;
	const char *keyed; /* as given */
	struct replay_shard shard;
	struct selection_options select;
	struct edits edits;
	struct send_options delivery;
};

#define REPLAY_OPTION_USES 9
extern const struct option_use replay_option_uses[REPLAY_OPTION_USES];

/* The values of --speed and --shard. */
int replay_parse_speed(void *field, const char *value, struct error *err);
int replay_parse_shard(void *field, const char *value, struct error *err);

#endif
