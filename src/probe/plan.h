/* The checks of a run: the rows, each made into as many checks as its name stands for, and those of them chosen. */
#ifndef CREDHOOK_PROBE_PLAN_H
#define CREDHOOK_PROBE_PLAN_H

#include "base/text.h"
#include "catalog/catalog.h"
#include "http/status.h"
#include "payload/break.h"
#include "probe/checks.h"

#include <stdint.h>

enum probe_verdict {
	PROBE_OK,
	PROBE_WARN,
	PROBE_FAIL,
	PROBE_SKIP,
	PROBE_VERDICTS,
};
extern const char *const probe_verdict_names[PROBE_VERDICTS]; /* ok, warn, fail, skip */

/* What the listener means to do with invalid payloads. */
enum probe_invalid {
	PROBE_INVALID_AUTO, /* either: it is only reported */
	PROBE_INVALID_REJECT,
	PROBE_INVALID_ACCEPT,
};

#define PROBE_EXPECTED_SIZE 64

/* What is right for a check. */
struct probe_expected {
	struct status_set ok;
	struct status_set warn;
	bool closed_ok; /* the connection may end without a response */
	bool closed_warn;
	char text[PROBE_EXPECTED_SIZE]; /* "4xx or 2xx" */
};

#define PROBE_REASON_SIZE 256

/* What came of a check: of several responses the worst. */
struct probe_result {
	enum probe_verdict verdict;
	bool ended;                     /* the others hold only then */
	int status;                     /* 0: no response */
	int64_t ns;                     /* from the request to the response */
	const char *fix;                /* a sentence without a full stop; NULL: nothing to do */
	char reason[PROBE_REASON_SIZE]; /* for a person, safe to print; empty where the status says it all */
};

struct probe_check {
	const struct probe_row *row;
	char *id;                 /* owned: bad/missing-key:details.appKey */
	struct catalog_kind kind; /* event NULL: any that the listener takes */
	enum probe_depth depth;
	enum finding_id finding; /* PROBE_BREAKS: the defect, and its place */
	struct break_place place;
	size_t variant;    /* PROBE_VALUES: its index */
	char advice[256];  /* what to do, where it says more than the row's; empty: the row's */
	const char *after; /* PROBE_GROUPS: the group before */
	struct probe_expected expected;
	struct probe_result result;
	unsigned responses; /* so far */
	bool chosen;
};

struct probe_plan {
	struct probe_check *checks; /* group by group, each still-up behind its group */
	size_t count;
	size_t capacity;
};

/* All borrowed. */
struct probe_choice {
	const struct text_list *wanted;   /* GROUP, ID or the beginning of one; empty: all of the level */
	const struct text_list *skipped;  /* the same */
	const struct text_list *expected; /* ID=STATUS,... */
	enum probe_depth level;
	enum probe_invalid invalid;
	bool observes; /* the listener's numbers can be read */
};

/* Zero-initialise; release even after an error. EXIT_CODE_USAGE: a name that no check has, with the nearest; statuses
 * that cannot be read. */
int probe_plan_init(struct probe_plan *plan, const struct probe_choice *choice, struct error *err);
void probe_plan_release(struct probe_plan *plan);

/* Whether the id (or the pattern itself) is one of those that the row makes, or the beginning of one. */
bool probe_row_makes(const struct probe_row *row, const char *id);

/* "2xx or 417": as expected statuses are shown. */
void probe_expected_text(const char *statuses, char out[PROBE_EXPECTED_SIZE]);

#endif
