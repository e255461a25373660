/* The options of listen as rows, their defaults, and what they must not say together. */
#include "base/clock.h"
#include "cmd/listen/listen.h"

#include <inttypes.h>
#include <string.h>

#define LISTEN(field) offsetof(struct listen_args, field)
static const struct option end_rows[] = {
	{ 0, "expect", "EVENT[:N],...|all", "end well once so many valid ones of each have come (repeatable)",
	  OPTION_CALL, COMPLETE_EVENT_LIST, .offset = LISTEN(expected), .parse = expectations_parse },
	{ 0, "in-order", NULL, "what is expected has to come in this order", OPTION_FLAG,
	  .offset = LISTEN(expected.in_order) },
	{ 0, "max-events", "N", "end after so many notifications (default: never)", OPTION_NUMBER,
	  .offset = LISTEN(max_events), .least = 1, .most = UINT64_MAX },
	{ 0, "once", NULL, "end after one notification", OPTION_FLAG, .offset = LISTEN(once) },
	{ 0, "timeout", "DURATION", "end after this time, with 1 where something is still missing (default 0: never)",
	  OPTION_DURATION, .offset = LISTEN(timeout) },
	{ 0, "drain", "DURATION",
	  "time at the end for what has begun; at a signal, answers held back longer go out at once", OPTION_DURATION,
	  .offset = LISTEN(drain) },
	{ 0, "ready-file", "FILE", "the URL stands there while it listens; one of an earlier run is taken away first",
	  OPTION_TEXT, COMPLETE_FILE, .offset = LISTEN(ready_file) },
};
static const struct option_group end_group = OPTION_GROUP("For scripts", end_rows, 0);
const struct option_use listen_option_uses[LISTEN_OPTION_USES] = {
	{ &receive_capture_group, LISTEN(receive) },   { &receive_response_group, LISTEN(receive) },
	{ &receive_admission_group, LISTEN(receive) }, { &receive_forward_group, LISTEN(receive) },
	{ &receive_tls_group, LISTEN(receive) },       { &end_group, 0 },
};

void listen_default_args(void *args)
{
	struct listen_args *a = args;
	receive_args_defaults(&a->receive);
	a->drain = 5 * CLOCK_NS_PER_S;
}

void listen_release_args(void *args)
{
	struct listen_args *a = args;
	receive_args_release(&a->receive);
	expectations_release(&a->expected);
}

uint64_t listen_max_events(const struct listen_args *a)
{
	return a->once ? 1 : a->max_events;
}

static bool is_number(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int refuse_second(const char *first, const char *second, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "listen takes one address, not '%s' too", second);
	if (second[0] == '/')
		return error_hint(err, "--path '%s' takes notifications at that one only", second);
	if (is_number(second) && !is_number(first))
		return error_hint(err, "address and port are one word: '%s:%s'", first, second);
	return error_hint(err, "events to wait for are named by --expect, what is kept by --capture FILE");
}

int listen_check_args(const struct listen_args *a, const struct text_list *operands, struct error *err)
{
	bool is_off = a->receive.validate == RECEIVE_OFF;
	if (operands->count > 1)
		return refuse_second(operands->items[0], operands->items[1], err);
	if (a->once && a->max_events > 1)
		return error_set(err, EXIT_CODE_USAGE,
		                 "--once ends after one notification, and --max-events says %" PRIu64, a->max_events);
	if (is_off && a->expected.count > 0)
		return error_set(err, EXIT_CODE_USAGE, "--expect counts valid events: --validate off judges none");
	if (a->expected.in_order && a->expected.count == 0)
		return error_set(err, EXIT_CODE_USAGE, "--in-order is about what --expect names, and it names nothing");
	return receive_args_check(&a->receive, operands->count > 0 ? operands->items[0] : "", err);
}
