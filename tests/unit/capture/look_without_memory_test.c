/* What there is no memory to look into is not taken for a payload: whichever allocation fails, recorded requests are
 * not let through. */
#include "capture/format.h"
#include "failing_memory.h"
#include "test.h"

#include <string.h>

#define RECORD  "{\"received_at\":\"x\",\"headers\":[]}"
#define IN_JSON "{\\\"received_at\\\":\\\"x\\\",\\\"headers\\\":[]}"

static const char *const texts[] = {
	"{\"a\":[[" RECORD "]]}",
	"{\"a\":\"" IN_JSON "\"}",
	"{\"service\":\"user\",\"event\":\"user created\",\"a\":{\"b\":\"[1,2," IN_JSON "]\"}}",
	"{\"a\":\"got " IN_JSON "\"}",
	"{\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"received_at\\\\\\\":1,\\\\\\\"headers\\\\\\\":1}\\\"}\"}",
};

TEST(whichever_allocation_fails)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		bool more, has_failed = true;
		for (unsigned long number = 1; has_failed; number++) {
			fail_at = number;
			allocations = 0;
			const struct format *found =
			        format_of_beginning(texts[i], strlen(texts[i]), true, SOURCE_DETECT, &more);
			has_failed = allocations >= fail_at;
			fail_at = 0;
			assert_true(found && found->is_records);
			assert_true(number > 1 || has_failed);
		}
	}
}
