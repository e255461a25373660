/* What a response, or its absence, means for a check. */
#ifndef CREDHOOK_PROBE_VERDICT_H
#define CREDHOOK_PROBE_VERDICT_H

#include "http/deliver.h"
#include "probe/plan.h"

/* What responses are looked through for; all borrowed. */
struct probe_secrets {
	const char *mark;                   /* the run's */
	const struct deliver_options *http; /* its headers may hold secrets, which no reason repeats */
};

/* Puts the end of one request of the check into its result, unless an earlier one ended worse. */
void probe_grade(struct probe_check *check, const struct delivery *delivery, const struct probe_secrets *secrets);

/* What to do about several checks of the row that failed alike, each with an advice of its own. */
const char *probe_common_fix(const struct probe_check *check);

/* Ends the check so, unless it has ended worse. A note that fails is a warning. */
void probe_end(struct probe_check *check, enum probe_verdict verdict, const char *fix, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Writes the line of a response's body that says most, without markup, safe to print; empty where there is
 * none. */
void probe_excerpt(const char *body, size_t length, char out[PROBE_REASON_SIZE]);

/* What a response gives away to strangers: "a stack trace", "a file path", "SQL"; NULL: nothing. *at is where it
 * stands. What the destination's own URL holds does not count. */
const char *probe_leak(const char *body, size_t length, const char *url, const char **at);

#endif
