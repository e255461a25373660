#include "base/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *count_text(uint64_t count, char out[COUNT_SIZE])
{
	char *at = out + COUNT_SIZE - 1;
	*at = '\0';
	int digits = 0;
	do {
		if (digits > 0 && digits % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + count % 10);
		digits++;
	} while ((count /= 10) > 0);
	return memmove(out, at, strlen(at) + 1);
}

bool count_read(const char *text, uint64_t most, uint64_t *count)
{
	char *end;
	errno = 0;
	*count = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *count <= most;
}
