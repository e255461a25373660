/* What every fuzz target has: its entry, and what it asks for. */
#ifndef CREDHOOK_FUZZ_FUZZ_H
#define CREDHOOK_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which is a finding, where the condition does not hold. */
#define require(condition)                                                                                             \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

#endif
