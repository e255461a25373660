/* Any bytes as a file of GoReplay. */
#include "entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_entries("gor", data, size);
}
