/*
 * What `credhook test` checks, as const rows: the one place where a check is written. The run, `--list`, `explain`,
 * completion and the manual's table read them.
 *
 * To add a check: a row in checks.c, and where no maker of make.h makes its requests, one there. The tests then ask for
 * the manual's line.
 */
#ifndef CREDHOOK_PROBE_CHECKS_H
#define CREDHOOK_PROBE_CHECKS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct probe_maker;

enum probe_level {
	PROBE_MUST,   /* real deliveries get lost or break */
	PROBE_SHOULD, /* robustness, security */
	PROBE_NOTE,   /* reported, never counted */
	PROBE_LEVELS,
};
extern const char *const probe_level_names[PROBE_LEVELS]; /* must, should, note */

/* The first --level that a check belongs to. */
enum probe_depth {
	PROBE_QUICK,
	PROBE_NORMAL,
	PROBE_DEEP,
};

/* What the capitals of a row's name stand for: how many checks the row makes. */
enum probe_expansion {
	PROBE_ONE,
	PROBE_KINDS,  /* EVENT: each event and element */
	PROBE_VALUES, /* EVENT:FIELD=NAME: each other valid value, of those the row's level is for */
	PROBE_BREAKS, /* FINDING:PATH: each error of a payload, at its places */
	PROBE_GROUPS, /* GROUP: each group that sends */
};

/* Makes the request that the maker says. -1 with EXIT_CODE_USAGE: the user's edits leave nothing to make it of, so that
 * the check is skipped; any other code ends the run. */
typedef int probe_make(struct probe_maker *maker, struct error *err);

struct probe_row {
	const char *group;
	const char *name; /* behind "GROUP/" in ids; capitals as in `expansion` */
	enum probe_level level;
	enum probe_depth depth;
	enum probe_expansion expansion;
	probe_make *make;     /* NULL: it sends nothing, and looks at the responses to the others */
	bool raw;             /* it goes over a raw connection, as probe_script() says; false: as libcurl sends it */
	const char *argument; /* the maker's */
	const char *event;    /* of its payload; NULL: any that the listener takes */
	unsigned requests;    /* 0: 1 */
	unsigned connections; /* at the same time; 0: one request after the other */
	const char *header;   /* a header of the connection, "Name: value", for its requests alone; NULL: none */
	bool invalid;         /* --invalid says what is right */
	bool counts;          /* it looks at the number that --observe reads */
	const char *sent;     /* what goes out, a phrase */
	const char *ok;       /* statuses as --expect-status takes them, and `closed`: the connection ended instead */
	const char *warn;     /* the same; NULL: none. Anything else fails */
	const char *source;   /* who asks for it: a section of the specification, an RFC, a guideline */
	const char *why;      /* a phrase */
	const char *fix;      /* what to do about it: a sentence without a full stop */
};

extern const struct probe_row probe_rows[];
extern const size_t probe_row_count;

/* The groups in the order in which they are played. */
extern const char *const probe_groups[];
extern const size_t probe_group_count;
/* Whether a row of the group sends something, still-up apart. */
bool probe_group_sends(const char *group);

#endif
