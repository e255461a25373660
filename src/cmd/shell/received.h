/* What has arrived in a session: the latest notifications, bounded, by number. */
#ifndef CREDHOOK_CMD_SHELL_RECEIVED_H
#define CREDHOOK_CMD_SHELL_RECEIVED_H

#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECEIVED_COUNT_MAX 1000
#define RECEIVED_BYTES_MAX ((size_t)64 << 20)

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
struct received {
	struct notification *items[RECEIVED_COUNT_MAX]; /* the oldest first, ascending by number */
	size_t count;
	size_t bytes;
	uint64_t valid; /* ever */
	uint64_t invalid;
};

void received_release(struct received *received);
/* Takes the arrival over; the oldest make room. */
void received_add(struct received *received, struct notification *arrival);
/* The one of that number, or NULL. */
struct notification *received_find(const struct received *received, uint64_t number);
/* The one that a word of the command line means: "12", "#12", or "last". A usage error says what there is. */
struct notification *received_named(const struct received *received, const char *word, struct error *err);

#endif
