/* How many connections each remote address has open. Memory goes with the addresses that have any. */
#ifndef CREDHOOK_HTTP_ADDRESS_COUNTS_H
#define CREDHOOK_HTTP_ADDRESS_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_address_count {
	unsigned char address[16];
	size_t count; /* 0: the place is free */
};

struct http_address_counts {
	struct http_address_count *table; /* owned; NULL at first */
	size_t size;                      /* a power of two */
	size_t used;
	uint64_t key; /* so that nobody can choose addresses that meet; set it before use */
};

/* One more, unless the address has `most` already (or there is no memory): then false. */
bool http_address_counts_add(struct http_address_counts *counts, const unsigned char address[16], size_t most);
/* One less. */
void http_address_counts_remove(struct http_address_counts *counts, const unsigned char address[16]);
void http_address_counts_release(struct http_address_counts *counts);

#endif
