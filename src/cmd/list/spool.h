/*
 * The notifications of a session, each with its number: a file without a name, and an index of it in memory (16 bytes
 * each). The numbers are 1, 2, 3 in the order in which they were added; a record never changes.
 *
 * One thread may add while others add or read: all functions but spool_new() and spool_free() may be called from any.
 */
#ifndef CREDHOOK_CMD_LIST_SPOOL_H
#define CREDHOOK_CMD_LIST_SPOOL_H

#include "base/buffer.h"
#include "base/error.h"
#include "receive/notification.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool;

/* What the index knows of one. */
struct spool_entry {
	uint64_t offset;      /* in the file */
	uint32_t length;      /* of the record, a line with its LF */
	uint8_t kind;         /* catalog_kind_index() of one that arrived and is known, else UINT8_MAX */
	bool has_arrived : 1; /* or it was opened */
	bool is_checked : 1;  /* what its listener found: that of one that arrived */
	bool is_valid : 1;
	bool is_expected : 1; /* an `expect` has counted it */
};

/* What is known of one and does not stand in its record. */
struct spool_facts {
	struct repeat repeat; /* among all that were added */
	bool is_forwarded;
	int64_t latency_ns; /* of the target */
	const char *error;  /* as in struct arrival; "": nothing */
};

/* The file is made in $TMPDIR, else /tmp, of mode 0600. NULL: *err. */
struct spool *spool_new(struct error *err);
void spool_free(struct spool *spool); /* NULL is allowed */

/* Adds a record: its line with the LF, or if that is absent one that is made of it. EXIT_CODE_IO: there is no room in
 * $TMPDIR; what was added before stays. */
int spool_add_record(struct spool *spool, const struct capture_record *record, struct text line, struct error *err);
/* Adds what a listener got, whose response may not have left yet. */
int spool_add_arrival(struct spool *spool, const struct notification *notification, struct error *err);

/* Whether any that arrived was forwarded. */
bool spool_forwards(struct spool *spool);
/* How many there are: the highest number. */
uint64_t spool_count(struct spool *spool);
/* False: there is none of that number. */
bool spool_find(struct spool *spool, uint64_t number, struct spool_entry *entry);
/* From now on it is expected. */
void spool_expect(struct spool *spool, uint64_t number);
/* Replaces the contents of *out by the record of that number, a line with its LF, and what else was kept, to which
 * *facts refers. EXIT_CODE_INTERNAL: there is none; EXIT_CODE_IO: the file cannot be read. */
int spool_read(struct spool *spool, uint64_t number, struct text *line, struct spool_facts *facts, struct buffer *out,
               struct error *err);

#endif
