/* What a listener printed or answered, looked through for a stack: what is found is within it, and its place one word.
 */
#include "../fuzz.h"
#include "http/stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1); /* of this size, so that reading beyond it is seen */
	require(copy);
	if (size > 1)
		memcpy(copy, data + 1, size - 1);
	struct text text = { copy, size > 0 ? size - 1 : 0 };
	struct stack stack;
	if (stack_find(text, size > 0 && data[0] % 2 == 1, &stack)) {
		require(stack.error.length <= text.length);
		require(stack.error.length == 0 ||
		        (stack.error.text >= copy && stack.error.text + stack.error.length <= copy + text.length));
		require(strlen(stack.place) < STACK_PLACE_SIZE && !strpbrk(stack.place, "\n"));
	}
	free(copy);
	return 0;
}
