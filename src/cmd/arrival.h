/* The line of a notification that has arrived: number, time, event, verdict, response. */
#ifndef CREDHOOK_CMD_ARRIVAL_H
#define CREDHOOK_CMD_ARRIVAL_H

#include "base/buffer.h"
#include "catalog/catalog.h"
#include "http/server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct arrival {
	uint64_t seq;
	int64_t received_us;
	bool is_checked;
	bool is_valid;
	size_t warnings;
	struct catalog_kind kind; /* event NULL: unknown */
	int status;               /* of the response */
	enum http_fault fault;    /* instead of it */
};

/* How lines are written. Zero-initialise the clock. */
struct arrival_style {
	bool color;
	int width; /* of the terminal; 0: there is none, and every name has room */
	struct {
		time_t second; /* 0: none yet */
		char text[9];
	} clock; /* the time of day that was written last: one line out of thousands has another */
};

/* Appends the line and its LF. */
void arrival_append(const struct arrival *arrival, struct arrival_style *style, struct buffer *out);
/* The event as reports name it; "(unknown)". */
void arrival_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE]);

#endif
