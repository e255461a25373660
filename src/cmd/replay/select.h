/* Which records are replayed: --events, --where, --since, --until, --record, --sample, --skip, --limit, --shard. */
#ifndef CREDHOOK_CMD_REPLAY_SELECT_H
#define CREDHOOK_CMD_REPLAY_SELECT_H

#include "capture/record.h"
#include "catalog/catalog.h"
#include "cmd/replay/options.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stdint.h>

struct selection {
	const struct replay_args *args; /* borrowed */
	struct buffer scratch;
	struct checker *checker;
	bool every_event;            /* --events all */
	struct catalog_kind *events; /* --events; event_count 0: all */
	size_t event_count;
	struct buffer key_pointer; /* --keyed */
	struct json_doc doc;       /* of the body under consideration */
	uint64_t seen;             /* that --events and its kin let pass */
	uint64_t sampled;          /* of those, in the sample */
	uint64_t taken;            /* of those, neither skipped nor beyond the limit */
	uint64_t sample_seed;
	struct catalog_kind last_kind; /* of the record before, and what that one called it */
	char last_event[CATALOG_KIND_NAME_SIZE];
};

/* What the selection came to know of a record it took. */
struct selected {
	struct catalog_kind kind; /* event NULL: unknown */
	bool keyed;               /* the key, if any, is in the buffer given */
};

enum selection_answer {
	SELECTION_FAILED = -1,
	SELECTION_NO,
	SELECTION_YES,
	SELECTION_ENOUGH, /* --limit is reached */
};

int selection_init(struct selection *selection, const struct replay_args *args, struct error *err);
void selection_release(struct selection *selection);
void selection_again(struct selection *selection); /* --loop: counts anew */

/* Asks for one record after the other, `line` being its place in its input. *key gets the value at --keyed. */
enum selection_answer selection_takes(struct selection *selection, const struct capture_record *record, uint64_t line,
                                      struct selected *selected, struct buffer *key, struct error *err);

#endif
