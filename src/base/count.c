#include "base/count.h"

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
