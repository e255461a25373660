/* How often each record of each input has ended, whether it ended accepted last, and a little of what it held: a byte
 * per record. */
#ifndef CREDHOOK_DELIVER_JOURNAL_RECORDS_H
#define CREDHOOK_DELIVER_JOURNAL_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_RECORD_MAX ((uint64_t)1 << 36)

struct journal_page;

/* Zero-initialise. A record alone takes some 200 bytes. */
struct journal_records {
	struct journal_page **pages; /* by hash, the next place where one is taken; at most half full */
	size_t count;
	size_t places;             /* a power of two, or 0 */
	struct journal_page *last; /* found last */
};

/* The record, whose hash this is, has ended again. False: no memory. */
bool journal_records_add(struct journal_records *records, uint64_t input, uint64_t record, uint64_t hash,
                         bool accepted);
/* How often it has ended. */
struct journal_ends {
	uint64_t count;
	bool accepted; /* the last time */
	bool changed;  /* another record stands there now: of 32 such, 31 are noticed */
};
struct journal_ends journal_records_ends(struct journal_records *records, uint64_t input, uint64_t record,
                                         uint64_t hash);
/* One of those ends is accounted for, or with `all` every one. */
void journal_records_use(struct journal_records *records, uint64_t input, uint64_t record, bool all);
void journal_records_release(struct journal_records *records);

#endif
