/* What came of checks of a listener, as JUnit XML or TAP. Bytes from outside cannot break a report. */
#ifndef CREDHOOK_REPORT_CHECK_REPORT_H
#define CREDHOOK_REPORT_CHECK_REPORT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum report_check_verdict {
	REPORT_CHECK_PASSED,
	REPORT_CHECK_FAILED,
	REPORT_CHECK_SKIPPED,
};

/* All borrowed. */
struct report_check {
	const char *group;
	const char *id;
	const char *level;
	enum report_check_verdict verdict;
	const char *message; /* empty: nothing to say */
	int64_t ns;
};

/* Zero-initialise, set `tap`; report_check_end() releases it. */
struct report_check_suite {
	bool tap; /* else JUnit */
	struct buffer cases;
	size_t count;
	size_t failed;
	size_t skipped;
	int64_t ns;
};

void report_check_add(struct report_check_suite *suite, const struct report_check *check);
void report_check_end(struct report_check_suite *suite, struct buffer *out);

#endif
