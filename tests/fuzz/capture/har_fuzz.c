/* Any bytes as a HAR file. */
#include "entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_entries("har", data, size);
}
