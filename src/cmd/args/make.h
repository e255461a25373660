/* Making payloads, for build and send: which events, how many, edited how, broken where. */
#ifndef CREDHOOK_CMD_ARGS_MAKE_H
#define CREDHOOK_CMD_ARGS_MAKE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "config/config.h"
#include "payload/break.h"
#include "payload/edit.h"

#include <stdbool.h>
#include <stdint.h>

struct make_options {
	struct seed seed;
	uint64_t count;
	struct edits edits;
	bool variants;          /* instead of the payloads */
	struct breakage broken; /* --break; source NULL: not given */
};

extern const struct option_group make_option_group;      /* into a struct make_options, but for its edits */
extern const struct option_group make_set_option_group;  /* into a struct edits: --set */
extern const struct option_group make_edit_option_group; /* into the same one, beside it: --unset --merge */

/* Adds what the configuration fills in: what --set would be given, for the events that list it. */
int make_read_defaults(struct edits *defaults, const struct config *config, struct error *err);

#define MAKER_KINDS_MAX 64 /* at least catalog_kind_count(); a test holds the catalogue to it */
#define MAKER_NAME_SIZE 160

struct maker {
	const struct make_options *options; /* borrowed */
	struct catalog_kind *kinds;
	size_t kind_count;
	size_t kind_capacity;
	bool all;              /* an operand was `all` */
	struct edits defaults; /* the configuration's and the session's */
	uint64_t seed;
	size_t next_kind;
	size_t next_part; /* of the payloads of a kind in a round: a variant, a place to break; 0 where there is one */
	uint64_t round;
	uint64_t per_round;                /* payloads of all kinds, */
	uint64_t total;                    /* and in all rounds */
	uint64_t made[2][MAKER_KINDS_MAX]; /* per kind, an event without its element apart from the first of them */
	uint64_t number;                   /* of the last payload among those of its kind and part, from 1 */
	char name[MAKER_NAME_SIZE];        /* of the last payload: the kind's, and behind a space what its part is */
};

/* Resolves the operands (events, elements, all) and checks edits and breakage against them. With `all`, of events or of
 * places, events in which the defect cannot occur are left out and named on stderr, and of the elements of an event
 * only the first one has variants: each other one is made once. Where the defects are is noted on stderr. Release it
 * even if this fails. */
int maker_init(struct maker *maker, const struct make_options *options, struct context *context,
               const struct config *config, struct error *err);
void maker_release(struct maker *maker);

/* The next payload replaces *out: 1; 0: there are no more; -1: failed. Each round is the story of one customer
 * (payload/build.h). A seeded payload depends on the seed, its kind, its round and its number, not on what else is
 * made. */
int maker_next(struct maker *maker, bool pretty, struct catalog_kind *kind, struct buffer *out, struct error *err);

#endif
