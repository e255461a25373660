/* Any text given to --rule, --fault, --delay and --respond is refused with a reason or gives answers that
 * can be sent. */
#include "../fuzz.h"
#include "cmd/args/receive_options.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct response_policy options = { .faults.count = 0 };
	struct error err = { .message = "" };
	char *text = malloc(size + 1);
	require(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	size_t rules = options.rules.count;
	int result = receive_parse_rule(&options.rules, text, &err);
	require(result == 0 ? options.rules.count == rules + 1 : result == -1 && err.message[0] != '\0');
	receive_parse_fault(&options.faults, text, &err);
	receive_parse_delay(&options.delay, text, &err);
	receive_parse_respond(&options.respond, text, &err);
	require(options.faults.count == 0 || options.faults.list[0].probability <= RESPONSE_CERTAIN);
	struct responder responder;
	require(responder_init(&responder, &options, &err) == 0);
	random_seed(&responder.random, 7);
	for (int i = 0; i < 8; i++) {
		struct response response = responder_choose(&responder, (struct catalog_kind){ 0 }, i & 1, i & 2);
		require(response.status >= 200 && response.status <= 599 && response.delay_ns >= 0);
	}
	responder_release(&responder);
	free(options.respond.list);
	free(options.faults.list);
	free(options.rules.list);
	free(text);
	return 0;
}
