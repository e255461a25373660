/* What replay is asked for. */
#ifndef CREDHOOK_CMD_REPLAY_OPTIONS_H
#define CREDHOOK_CMD_REPLAY_OPTIONS_H

#include "cmd/cmd.h"
#include "cmd/delivery_options.h"
#include "cmd/make.h"
#include "cmd/replay/where.h"
#include "payload/edit.h"

/* --speed: 1 keeps the recorded gaps, 2 halves them; 0 is max. */
struct replay_speed {
	double factor;
};

/* --since, --until: microseconds since 1970. */
struct replay_time {
	bool given;
	int64_t us;
};

/* --shard K/N: the K-th of N, from 1; count 0: all. */
struct replay_shard {
	uint64_t number;
	uint64_t count;
};

struct replay_sample {
	bool given;
	double share; /* 0 to 1 */
};

/* --record N,...: lines of the input. */
struct replay_records {
	uint64_t *lines;
	size_t count;
	size_t capacity;
};

struct replay_args {
	struct global_options global;
	bool keep_target;
	bool keep_headers;
	bool fresh_ids;
	bool allow_unredacted;
	struct replay_speed speed;
	int64_t max_wait;
	uint64_t loop;
	const char *keyed; /* as given */
	struct replay_shard shard;
	struct text_list events;
	struct where_list where;
	struct replay_time since;
	struct replay_time until;
	struct replay_sample sample;
	struct make_seed seed;
	struct replay_records records;
	uint64_t skip;
	uint64_t limit;
	struct edits edits;
	struct delivery_options delivery;
};

#define REPLAY_OPTION_USES 8
extern const struct option_use replay_option_uses[REPLAY_OPTION_USES];

void replay_options_defaults(void *args);
void replay_options_release(void *args);
/* Usage errors of what does not go together, and of edits. */
int replay_options_check(const struct replay_args *args, const struct text_list *operands, struct error *err);

/* The values of --speed, --shard, --sample, --record, and of --since and --until, which count back from `now_us`. */
int replay_parse_speed(void *field, const char *value, struct error *err);
int replay_parse_shard(void *field, const char *value, struct error *err);
int replay_parse_sample(void *field, const char *value, struct error *err);
int replay_parse_records(void *field, const char *value, struct error *err);
int replay_read_time(struct replay_time *time, const char *value, int64_t now_us, struct error *err);

#endif
