/* Words from outside, as they are shown: any bytes, alone and behind a password, which nothing that follows uncovers.
 */
#include "../fuzz.h"
#include "base/quoted.h"

#define PASSWORD "S3cr3tW0rd"

/* In memory of its size, so that reading beyond it is seen. */
static bool shows_password(const char *before, const uint8_t *data, size_t size)
{
	size_t length = strlen(before) + size;
	char *word = malloc(length + 1);
	struct buffer out = { 0 };
	require(word);
	memcpy(word, before, strlen(before));
	memcpy(word + strlen(before), data, size);
	word[length] = '\0';
	quoted_append(&out, word, length);
	bool shows = strstr(buffer_text(&out), PASSWORD) != NULL;
	quoted_hides(word, length);
	buffer_release(&out);
	free(word);
	return shows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	shows_password("", data, size);
	for (size_t i = 0; i < size; i++) /* a password of its own, where none has its place */
		if (data[i] == '\0' ||
		    memcmp(data + i, PASSWORD, size - i < strlen(PASSWORD) ? size - i : strlen(PASSWORD)) == 0)
			return 0;
	require(!shows_password("https://user:" PASSWORD "@", data, size));
	require(!shows_password("user:" PASSWORD "@h", data, size));
	require(!shows_password("http://h/?token=" PASSWORD, data, size));
	return 0;
}
