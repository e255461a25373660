/* The last notifications of a receiver: bounded, by number. */
#ifndef CREDHOOK_RECEIVE_HISTORY_H
#define CREDHOOK_RECEIVE_HISTORY_H

#include "receive/notification.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTORY_COUNT_MAX 1000
#define HISTORY_BYTES_MAX ((size_t)64 << 20) /* of records */

/* A notification that is kept. On the heap, and owned by whoever has it. */
struct history_entry {
	struct arrival arrival; /* its texts are behind the record */
	char *record;           /* owned: the capture record, a line with its LF */
	size_t length;          /* of the record */
	uint64_t seq;           /* its receiver's number; arrival.seq is that of the list it is kept in */
	bool expected;          /* an `expect` has counted it */
};

/* By verdict. Zero-initialise. */
struct history_counts {
	uint64_t valid;
	uint64_t invalid;
	uint64_t unchecked;
};

/* Zero-initialise. */
struct history {
	struct history_entry *items[HISTORY_COUNT_MAX]; /* the oldest first, ascending by number */
	size_t count;
	size_t bytes;
	struct history_counts arrived; /* ever */
};

uint64_t history_counted(const struct history_counts *counts); /* all of them */
void history_count(struct history_counts *counts, const struct verdict *verdict);
void history_release(struct history *history);
/* Counts the notification and keeps it, unless memory is out. */
void history_note(struct history *history, const struct notification *notification);
/* Takes the entry over; the oldest make room. It is not counted. */
void history_add(struct history *history, struct history_entry *entry);
/* Moves all entries and counts behind those of `to`; `from` is empty then. */
void history_move(struct history *from, struct history *to);
/* The latest of the first `count` entries with that number, as its receiver gave it (`seq`), or NULL. */
struct history_entry *history_find(const struct history *history, size_t count, uint64_t seq);

#endif
