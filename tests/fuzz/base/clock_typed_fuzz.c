/* Whatever is typed as a time or a duration: what is proposed instead is a duration that is read. */
#include "../fuzz.h"
#include "base/clock.h"
#include "base/clock_typed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), out[CLOCK_TYPED_SIZE]; /* of this size, so that reading beyond it is seen */
	require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (clock_typed_duration(text, out))
		require(strspn(out, "0123456789") == strlen(out) - 1);
	if (clock_typed_time(text, INT64_C(1795852800000000), out))
		require(strlen(out) < sizeof out);
	free(text);
	return 0;
}
