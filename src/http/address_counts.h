/* Open connections per remote address. Memory is proportional to the number of addresses with connections. */
#ifndef CREDHOOK_HTTP_ADDRESS_COUNTS_H
#define CREDHOOK_HTTP_ADDRESS_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_address_count {
	unsigned char address[16];
	size_t count; /* 0: a free slot */
};

struct http_address_counts {
	struct http_address_count *table; /* owned; NULL at first */
	size_t size;                      /* a power of two */
	size_t used;
	uint64_t key; /* random, set before use: prevents chosen collisions */
};

/* Counts one more connection. False: the address already has `most`, or out of memory. */
bool http_address_counts_add(struct http_address_counts *counts, const unsigned char address[16], size_t most);
/* Counts one less. */
void http_address_counts_remove(struct http_address_counts *counts, const unsigned char address[16]);
void http_address_counts_release(struct http_address_counts *counts);

#endif
