/* Any command line, one argument per line: it is read to its end, or an error says which option is wrong. */
#include "../../unit/ui/sample_options.h"
#include "../fuzz.h"

#define WORDS_MAX 64

static void parse(int count, char *const *words, bool stop_at_operand)
{
	struct sample_args args = { 0 };
	struct text_list operands = { 0 };
	struct error err = { 0 };
	int used = options_parse(sample_groups, SAMPLE_GROUP_COUNT, &args, count, words, &operands, NULL,
	                         stop_at_operand, &err);
	require(used >= -1 && used <= count);
	require(used >= 0 || err.message[0] != '\0');
	require(used < 0 || stop_at_operand || used == count);
	require(!stop_at_operand || operands.count == 0);
	require(operands.count + args.list.count <= (size_t)count * 2);
	require(args.number <= 100 && args.duration >= 0 && args.choice >= 0 && args.choice < 3);
	text_list_release(&args.list);
	text_list_release(&operands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *words[WORDS_MAX];
	int count = 0;
	require(text != NULL);
	for (char *at = text; at && count < WORDS_MAX;) {
		words[count++] = at;
		at = strchr(at, '\n');
		if (at)
			*at++ = '\0';
	}
	parse(count, words, false);
	parse(count, words, true);
	free(text);
	return 0;
}
