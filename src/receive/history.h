/* What has arrived in a session: the latest notifications, bounded, by number. */
#ifndef CREDHOOK_RECEIVE_HISTORY_H
#define CREDHOOK_RECEIVE_HISTORY_H

#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_COUNT_MAX 1000
#define HISTORY_BYTES_MAX ((size_t)64 << 20)

/* One notification. On the heap, owned by the receiver until it is taken, then by the store. */
struct notification {
	struct notification *next; /* while it waits to be taken */
	uint64_t number;           /* from 1 */
	int64_t received_us;
	struct catalog_kind kind; /* event NULL: unknown */
	bool valid;
	size_t findings;
	int status; /* of the answer */
	size_t body_length;
	char *first;   /* owned: the first finding in words; NULL: none */
	char *record;  /* owned: the capture record, a line with its LF */
	size_t length; /* of the record */
	bool expected; /* an `expect` has counted it */
};

void notification_free(struct notification *arrival); /* NULL is allowed */

/* Zero-initialise. */
struct history {
	struct notification *items[HISTORY_COUNT_MAX]; /* the oldest first, ascending by number */
	size_t count;
	size_t bytes;
	uint64_t valid; /* ever */
	uint64_t invalid;
};

void history_release(struct history *received);
/* Takes the arrival over; the oldest make room. */
void history_add(struct history *received, struct notification *arrival);
/* The one of that number, or NULL. */
struct notification *history_find(const struct history *received, uint64_t number);
/* The one that a word of the command line means: "12", "#12", or "last". A usage error says what there is. */
struct notification *received_named(const struct history *received, const char *word, struct error *err);

#endif
