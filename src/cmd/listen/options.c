/* The options of listen as rows, their defaults, and which of them exclude each other. */
#include "cmd/listen/listen.h"

#include <string.h>

static void release_expected(void *field)
{
	expectations_release(field);
}

#define LISTEN(field) offsetof(struct listen_args, field)
static const struct option end_rows[] = {
	{ 0, "expect", "EVENT[:N][,PATH=VALUE]...", "exit 0 once N valid EVENTs have arrived (repeatable)", OPTION_CALL,
	  COMPLETE_EXPECTATION, .offset = LISTEN(expected), .parse = expectations_parse, .release = release_expected },
	{ 0, "max-events", "N", "end after N notifications (default: unlimited)", OPTION_NUMBER, .offset = LISTEN(max_events), .least = 1,
	  .most = UINT64_MAX },
	{ 0, "timeout", "DURATION", "end after this time, with 1 if something is missing", OPTION_DURATION,
	  .offset = LISTEN(timeout) },
	{ 0, "ready-file", "FILE", "write the URL to FILE when ready", OPTION_TEXT, COMPLETE_FILE,
	  .offset = LISTEN(ready_file) },
};
static const struct option_group end_group = OPTION_GROUP("Automation", end_rows, 0);
const struct option_use listen_option_uses[LISTEN_OPTION_USES] = {
	RECEIVE_OPTION_USES(LISTEN(receive)),
	{ &end_group, 0 },
};

static bool is_number(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static bool is_event(const char *text)
{
	struct catalog_kind kind;
	const char *nearest;
	return catalog_find_kind(text, &kind, &nearest) == CATALOG_FOUND;
}

static int refuse_second(const char *first, const char *second, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "listen takes one address, not '%s' too", second);
	if (second[0] == '/')
		return error_hint(err, "for notifications at that path only: --path '%s'", second);
	if (is_number(second) && !is_number(first))
		return error_hint(err, "write address and port as one word: '%s:%s'", first, second);
	if (is_number(second))
		return error_hint(err, "to forward what arrives: --forward-to %s", second);
	if (!is_event(second))
		return error_hint(err, "to run a command while it listens, write -- before it");
	return error_hint(err, "--expect EVENT waits for events, --capture FILE keeps them");
}

size_t listen_address_count(const struct context *context)
{
	return context->words->has_dashes ? context->words->before : context->operands->count;
}

int listen_check_args(const struct listen_args *a, const struct context *context, struct error *err)
{
	const struct text_list *operands = context->operands;
	size_t addresses = listen_address_count(context);
	bool is_off = a->receive.validate == RECEIVE_OFF;
	if (addresses > 1)
		return refuse_second(operands->items[0], operands->items[1], err);
	if (context->words->has_dashes && addresses == operands->count) {
		error_set(err, EXIT_CODE_USAGE, "missing COMMAND after '--'");
		return error_hint(err, "write -- COMMAND ARG..., to run it while listening");
	}
	if (is_off && a->expected.count > 0)
		return error_set(err, EXIT_CODE_USAGE,
		                 "--expect counts valid events, which --validate off does not look for");
	return receive_args_check(&a->receive, addresses > 0 ? operands->items[0] : "", err);
}
