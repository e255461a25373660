/* What replay is asked for. */
#ifndef CREDHOOK_CMD_SEND_REPLAY_OPTIONS_H
#define CREDHOOK_CMD_SEND_REPLAY_OPTIONS_H

#include "cmd/cmd.h"
#include "cmd/delivery_options.h"
#include "cmd/selection.h"
#include "payload/edit.h"

/* --speed: 1 keeps the recorded gaps, 2 halves them; 0 is max. */
struct replay_speed {
	double factor;
};

/* --fresh-ids[=SEED] */
struct fresh_ids {
	bool given;
	struct make_seed seed;
};

struct replay_args {
	struct global_options global;
	bool keep_target;
	bool keep_headers;
	struct fresh_ids fresh_ids;
	struct replay_speed speed;
	int64_t max_wait;
	uint64_t loop;
	const char *keyed; /* as given */
	struct selection_shard shard;
	struct selection_options select;
	struct edits edits;
	struct delivery_options delivery;
};

#define REPLAY_OPTION_USES 9
extern const struct option_use replay_option_uses[REPLAY_OPTION_USES];

/* Usage errors of what does not go together, and of edits. */
int replay_options_check(const struct replay_args *args, const struct text_list *operands, struct error *err);

/* The values of --speed and --shard. */
int replay_parse_speed(void *field, const char *value, struct error *err);
int replay_parse_shard(void *field, const char *value, struct error *err);

#endif
