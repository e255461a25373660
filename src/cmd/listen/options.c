/* The options of listen as rows, their defaults, and what they must not say together. */
#include "base/clock.h"
#include "cmd/listen/listen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const sync_names[] = { "batch", "always", "none", NULL };
static const char *const validate_names[] = { "report", "reject", "off", NULL };

/* Bytes: 1048576, 64K, 10M, 2G. */
static int parse_size(void *field, const char *value, struct error *err)
{
	static const char units[] = "KMG";
	uint64_t *size = field;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	unsigned shift = 0;
	const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
	if (unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		end++;
	}
	if (value[0] < '0' || value[0] > '9' || *end || errno || number == 0 || number > UINT64_MAX >> shift) {
		error_set(err, EXIT_CODE_USAGE, "a size is a number of bytes from 1 up, not '%s'", value);
		return error_hint(err, "write 1048576, 64K, 10M or 2G");
	}
	*size = (uint64_t)number << shift;
	return 0;
}

#define LISTEN(field) offsetof(struct listen_args, field)
#define ANSWER(field) LISTEN(answers.field)
static const struct option capture_rows[] = {
	{ 0, "capture", "FILE", "append a record per notification; 2xx is answered once it is on disk", OPTION_TEXT,
	  .offset = LISTEN(capture) },
	{ 0, "sync", "HOW", "one sync per batch, per record, or none", OPTION_CHOICE, .offset = LISTEN(sync),
	  .choices = sync_names },
	{ 0, "rotate-size", "BYTES", "go on in a new file at this size (10M); the old one becomes FILE.1", OPTION_CALL,
	  .offset = LISTEN(rotate_size), .parse = parse_size },
	{ 0, "rotate-keep", "N", "keep so many of them (default: all)", OPTION_NUMBER, .offset = LISTEN(rotate_keep),
	  .least = 1, .most = 1000000 },
	{ 0, "validate", "HOW", "report findings, reject invalid payloads with 422, or judge nothing", OPTION_CHOICE,
	  .offset = LISTEN(validate), .choices = validate_names },
};
static const struct option answer_rows[] = {
	{ 0, "status", "N", "answer with this status", OPTION_NUMBER, .offset = ANSWER(status), .least = 200,
	  .most = 599 },
	{ 0, "header", "LINE", "add this header to every answer", OPTION_LIST, .offset = LISTEN(headers) },
	{ 0, "body", "TEXT|@FILE", "answer with this body", OPTION_TEXT, .offset = LISTEN(body_source) },
	{ 0, "delay", "D|D..D", "hold every answer back, for a time or one drawn from a range", OPTION_CALL,
	  .offset = ANSWER(delay), .parse = answer_parse_delay },
	{ 0, "respond", "N,N...", "answer with these statuses in turn, then with the last", OPTION_CALL,
	  .offset = ANSWER(respond), .parse = answer_parse_respond },
	{ 0, "fail-rate", "P", "answer this share (0.1 or 10%) with 500", OPTION_CALL, .offset = ANSWER(fail_rate),
	  .parse = answer_parse_probability },
	{ 0, "fault", "KIND[:P]", "spoil answers: reset, empty, truncate, drip or hang, each with a probability",
	  OPTION_CALL, .offset = ANSWER(fault), .parse = answer_parse_fault },
	{ 0, "retry-after", "S", "add Retry-After to what is no 2xx", OPTION_CALL, .offset = ANSWER(retry_after),
	  .parse = answer_parse_retry_after },
	{ 0, "rule", "KEY=VALUE,...", "for some only: event, valid, status, fault, delay, retry-after, times",
	  OPTION_CALL, .offset = ANSWER(rules), .parse = answer_parse_rule },
	{ 0, "seed", "N", "make what is drawn repeatable", OPTION_CALL, .offset = ANSWER(seed),
	  .parse = answer_parse_seed },
};
static const struct option door_rows[] = {
	{ 0, "path", "/PATH", "take notifications at this path only (else 404)", OPTION_TEXT, .offset = LISTEN(path) },
	{ 0, "max-body", "BYTES", "refuse longer bodies with 413", OPTION_CALL, .offset = LISTEN(max_body),
	  .parse = parse_size },
	{ 0, "max-connections", "N", "close further connections at once", OPTION_NUMBER,
	  .offset = LISTEN(max_connections), .least = 1, .most = 1000000 },
	{ 0, "head-timeout", "DURATION", "time for a whole request head", OPTION_DURATION,
	  .offset = LISTEN(head_timeout) },
	{ 0, "body-timeout", "DURATION", "time for a whole body", OPTION_DURATION, .offset = LISTEN(body_timeout) },
};
static const struct option end_rows[] = {
	{ 0, "expect", "EVENT[:N]", "end well once so many valid ones have come", OPTION_CALL,
	  .offset = LISTEN(expected), .parse = listen_parse_expectation },
	{ 0, "in-order", NULL, "what is expected has to come in this order", OPTION_FLAG,
	  .offset = LISTEN(expected.in_order) },
	{ 0, "max-events", "N", "end after so many notifications", OPTION_NUMBER, .offset = LISTEN(max_events),
	  .least = 1, .most = UINT64_MAX },
	{ 0, "once", NULL, "end after one notification", OPTION_FLAG, .offset = LISTEN(once) },
	{ 0, "timeout", "DURATION", "end after this time", OPTION_DURATION, .offset = LISTEN(timeout) },
	{ 0, "drain", "DURATION", "time at the end for what has begun", OPTION_DURATION, .offset = LISTEN(drain) },
	{ 0, "ready-file", "FILE", "write the URL there once it listens", OPTION_TEXT, .offset = LISTEN(ready_file) },
};
static const struct option_group capture_group = OPTION_GROUP("Capture", capture_rows, 0);
static const struct option_group answer_group = OPTION_GROUP("Answers", answer_rows, 0);
static const struct option_group door_group = OPTION_GROUP("Doors", door_rows, 0);
static const struct option_group end_group = OPTION_GROUP("For scripts", end_rows, 0);
const struct option_use listen_option_uses[LISTEN_OPTION_USES] = {
	{ &capture_group, 0 },
	{ &answer_group, 0 },
	{ &door_group, 0 },
	{ &end_group, 0 },
};

void listen_default_args(void *args)
{
	struct listen_args *a = args;
	a->answers.status = 200;
	a->max_body = http_server_defaults.limits.body;
	a->max_connections = http_server_defaults.max_connections;
	a->head_timeout = http_server_defaults.head_timeout;
	a->body_timeout = http_server_defaults.body_timeout;
	a->drain = 5 * CLOCK_NS_PER_S;
}

void listen_release_args(void *args)
{
	struct listen_args *a = args;
	text_list_release(&a->headers);
	answer_options_release(&a->answers);
	free(a->expected.list);
}

static int check_capture(const struct listen_args *a, struct error *err)
{
	if (!a->capture && (a->rotate_size > 0 || a->rotate_keep > 0))
		return error_set(err, EXIT_CODE_USAGE, "--rotate-size is for a --capture, and there is none");
	if (a->rotate_keep > 0 && a->rotate_size == 0)
		return error_set(err, EXIT_CODE_USAGE,
		                 "--rotate-keep says how many files --rotate-size keeps, and it "
		                 "was not given");
	return 0;
}

int listen_check_args(struct listen_args *a, const struct text_list *operands, struct error *err)
{
	if (operands->count > 1)
		return error_set(err, EXIT_CODE_USAGE, "listen takes one address, not '%s' too", operands->items[1]);
	if (a->path && a->path[0] != '/') {
		error_set(err, EXIT_CODE_USAGE, "--path begins with '/', unlike '%s'", a->path);
		return error_hint(err, "write --path /%s", a->path);
	}
	if (a->max_body > (uint64_t)CHECK_PAYLOAD_MAX)
		return error_set(err, EXIT_CODE_USAGE, "--max-body is 64M at most");
	if (a->once)
		a->max_events = 1;
	if (a->validate == LISTEN_OFF && a->expected.count > 0)
		return error_set(err, EXIT_CODE_USAGE, "--expect counts valid events: --validate off judges none");
	if (a->validate == LISTEN_OFF && answer_options_ask_verdict(&a->answers))
		return error_set(err, EXIT_CODE_USAGE, "a --rule asks for the event: --validate off judges none");
	if (a->expected.in_order && a->expected.count == 0)
		return error_set(err, EXIT_CODE_USAGE, "--in-order is about what --expect names, and it names nothing");
	return check_capture(a, err);
}
