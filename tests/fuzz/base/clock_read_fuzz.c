/* Whatever is typed as a time or a duration, and behind a newline what follows it: what is read is in bounds, and what
 * continues a date is a time alone, or none of a day. */
#include "../fuzz.h"
#include "base/clock.h"

#define NOW INT64_C(1795852800000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1); /* of this size, so that reading beyond it is seen */
	int64_t duration, us;
	bool has_date, is_read;
	require(text);
	memcpy(text, data, size);
	text[size] = '\0';
	char *next = strchr(text, '\n');
	if (next)
		*next++ = '\0';
	if (clock_parse_duration(text, &duration)) {
		require(duration >= 0 && duration <= 36000000 * CLOCK_NS_PER_S);
		require(strspn(text, "0123456789") == 8 || strlen(text) > 60 ||
		        (clock_parse_time(text, NOW, &us, &has_date) && has_date));
	}
	is_read = clock_parse_time(text, NOW, &us, &has_date);
	require(!is_read || (us > -INT64_C(62200000000000000) && us < INT64_C(253500000000000000)));
	if (next && clock_continues(text, next))
		require(!clock_parse_time(next, NOW, &us, &has_date) || !has_date);
	free(text);
	return 0;
}
