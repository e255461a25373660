/* Any bytes as events of AWS. */
#include "entries.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_entries("aws", data, size);
}
