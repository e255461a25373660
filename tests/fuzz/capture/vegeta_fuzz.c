/* Any bytes as targets of vegeta. */
#include "entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_entries("vegeta", data, size);
}
