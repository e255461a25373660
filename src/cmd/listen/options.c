/* The options of listen as rows, their defaults, and what they must not say together. */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "cmd/receive_parse.h"
#include "http/address.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_STATUS 200

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

static void append_size(struct buffer *out, const void *field)
{
	uint64_t size = *(const uint64_t *)field;
	bool whole = size % (UINT64_C(1) << 20) == 0;
	buffer_printf(out, "%" PRIu64 "%s", whole ? size >> 20 : size, whole ? "M" : "");
}

static int parse_network(void *field, const char *value, struct error *err)
{
	struct listen_networks *networks = field;
	struct http_network *grown =
	        array_grow(networks->list, &networks->capacity, networks->count + 1, sizeof(struct http_network));
	if (!grown)
		return error_no_memory(err);
	networks->list = grown;
	if (http_network_parse(value, &grown[networks->count], err) < 0)
		return -1;
	networks->count++;
	return 0;
}

#define LISTEN(field) offsetof(struct listen_args, field)
#define ANSWER(field) LISTEN(answers.field)
static const struct option capture_rows[] = {
	{ 0, "capture", "FILE", "append a record per notification; 2xx is answered once it is on disk", OPTION_TEXT,
	  COMPLETE_FILE, .offset = LISTEN(capture) },
	{ 0, "sync", "HOW", "one sync per batch, per record, or none", OPTION_CHOICE, .offset = LISTEN(sync),
	  .choices = sync_names },
	{ 0, "rotate-size", "BYTES", "go on in a new file at this size (10M); the old one becomes FILE.1", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = LISTEN(rotate_size), .parse = parse_size },
	{ 0, "rotate-keep", "N", "keep so many of them (default: all)", OPTION_NUMBER, .offset = LISTEN(rotate_keep),
	  .least = 1, .most = 1000000 },
	{ 0, "validate", "HOW", "report findings, reject invalid payloads with 422, or judge nothing", OPTION_CHOICE,
	  .offset = LISTEN(validate), .choices = validate_names },
};
static const struct option answer_rows[] = {
	{ 0, "status", "N", "answer with this status", OPTION_NUMBER, .offset = ANSWER(status), .least = 200,
	  .most = 599 },
	{ 0, "header", "LINE", "add this header to every answer", OPTION_LIST, COMPLETE_NOTHING,
	  .offset = LISTEN(headers) },
	{ 0, "body", "TEXT|@FILE", "answer with this body", OPTION_TEXT, COMPLETE_AT_FILE,
	  .offset = LISTEN(body_source) },
	{ 0, "delay", "D|D..D", "hold every answer back, for a time or one drawn from a range", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = ANSWER(delay), .parse = receive_parse_delay },
	{ 0, "respond", "N,N...", "answer with these statuses in turn, then with the last", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = ANSWER(respond), .parse = receive_parse_respond },
	{ 0, "fail-rate", "P", "answer this share (0.1 or 10%) with 500", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = ANSWER(fail_rate), .parse = receive_parse_probability },
	{ 0, "fault", "KIND[:P]", "spoil answers: reset, empty, truncate, drip or hang, each with a probability",
	  OPTION_CALL, COMPLETE_FAULT, .offset = ANSWER(fault), .parse = receive_parse_fault },
	{ 0, "retry-after", "S", "add Retry-After to what is no 2xx", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = ANSWER(retry_after), .parse = receive_parse_retry_after },
	{ 0, "rule", "KEY=VALUE,...", "for some only: event, valid, status, fault, delay, retry-after, times",
	  OPTION_CALL, COMPLETE_RULE, .offset = ANSWER(rules), .parse = receive_parse_rule },
	{ 0, "seed", "N", "make what is drawn repeatable", OPTION_CALL, COMPLETE_NOTHING, .offset = ANSWER(seed),
	  .parse = receive_parse_seed },
};
static const struct option door_rows[] = {
	{ 0, "path", "/PATH", "take notifications at this path only, else 404 (default: any path)", OPTION_TEXT,
	  COMPLETE_NOTHING, .offset = LISTEN(path) },
	{ 0, "allow", "CIDR", "let only these addresses connect (10.0.0.0/8, 2001:db8::/32, 192.0.2.7)", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = LISTEN(allowed), .parse = parse_network },
	{ 0, "max-body", "BYTES", "refuse longer bodies with 413", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = LISTEN(max_body), .parse = parse_size, .append = append_size },
	{ 0, "max-connections", "N", "close further connections at once", OPTION_NUMBER,
	  .offset = LISTEN(max_connections), .least = 1, .most = 1000000 },
	{ 0, "max-per-address", "N", "and those beyond so many from one address (default: no limit)", OPTION_NUMBER,
	  .offset = LISTEN(max_per_address), .least = 1, .most = 1000000 },
	{ 0, "head-timeout", "DURATION", "time for a whole request head; 0: no limit", OPTION_DURATION,
	  .offset = LISTEN(head_timeout) },
	{ 0, "body-timeout", "DURATION", "time for a whole body; 0: no limit", OPTION_DURATION,
	  .offset = LISTEN(body_timeout) },
	{ 0, "answer-timeout", "DURATION", "time for a client to take an answer; 0: no limit", OPTION_DURATION,
	  .offset = LISTEN(answer_timeout) },
	{ 0, "idle-timeout", "DURATION", "time between two requests of a connection; 0: no limit", OPTION_DURATION,
	  .offset = LISTEN(idle_timeout) },
};
static const struct option forward_rows[] = {
	{ 0, "forward-to", "WHERE",
	  "pass requests on to this URL or environment, the path of each appended to it, and its answers back",
	  OPTION_TEXT, COMPLETE_ENVIRONMENT, .offset = LISTEN(forward_to) },
	{ 0, "route", "EVENT=WHERE", "pass this kind on to another place", OPTION_LIST, COMPLETE_ROUTE,
	  .offset = LISTEN(routes) },
	{ 0, "forward-timeout", "DURATION", "time for the target's answer, else 504", OPTION_DURATION,
	  .offset = LISTEN(forward_timeout) },
	{ 0, "forward-cacert", "FILE", "trust these authorities (PEM) when passing on", OPTION_TEXT, COMPLETE_FILE,
	  .offset = LISTEN(forward_cacert) },
	{ 0, "forward-insecure", NULL, "do not check the target's certificate", OPTION_FLAG,
	  .offset = LISTEN(forward_insecure) },
	{ 0, "allow-production", NULL, "pass on to a protected environment all the same", OPTION_FLAG,
	  .offset = LISTEN(allow_production) },
};
static const struct option tls_rows[] = {
	{ 0, "tls-cert", "FILE", "speak TLS with this certificate (PEM; read again at SIGHUP)", OPTION_TEXT,
	  COMPLETE_FILE, .offset = LISTEN(tls_cert) },
	{ 0, "tls-key", "FILE", "its key (PEM), if it does not stand in the same file", OPTION_TEXT, COMPLETE_FILE,
	  .offset = LISTEN(tls_key) },
	{ 0, "tls-client-ca", "FILE", "let only clients in that have a certificate of this authority (PEM)",
	  OPTION_TEXT, COMPLETE_FILE, .offset = LISTEN(tls_client_ca) },
	{ 0, "tls-self-signed", NULL, "make a certificate for this session, and say how to trust it", OPTION_FLAG,
	  .offset = LISTEN(tls_self_signed) },
};
static const struct option end_rows[] = {
	{ 0, "expect", "EVENT[:N],...|all", "end well once so many valid ones of each have come (repeatable)",
	  OPTION_CALL, COMPLETE_EVENT_LIST, .offset = LISTEN(expected), .parse = listen_parse_expectation },
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
static const struct option_group capture_group = OPTION_GROUP("Capture", capture_rows, 0);
static const struct option_group answer_group = OPTION_GROUP("Answers", answer_rows, 0);
static const struct option_group door_group = OPTION_GROUP("Doors", door_rows, 0);
static const struct option_group forward_group = OPTION_GROUP("Passing on", forward_rows, 0);
static const struct option_group tls_group = OPTION_GROUP("TLS", tls_rows, 0);
static const struct option_group end_group = OPTION_GROUP("For scripts", end_rows, 0);
const struct option_use listen_option_uses[LISTEN_OPTION_USES] = {
	{ &capture_group, 0 }, { &answer_group, 0 }, { &door_group, 0 },
	{ &forward_group, 0 }, { &tls_group, 0 },    { &end_group, 0 },
};

void listen_default_args(void *args)
{
	struct listen_args *a = args;
	a->answers.status = DEFAULT_STATUS;
	a->max_body = http_server_defaults.limits.body;
	a->max_connections = http_server_defaults.max_connections;
	a->head_timeout = http_server_defaults.head_timeout;
	a->body_timeout = http_server_defaults.body_timeout;
	a->answer_timeout = http_server_defaults.send_timeout;
	a->idle_timeout = http_server_defaults.idle_timeout;
	a->forward_timeout = 30 * CLOCK_NS_PER_S;
	a->drain = 5 * CLOCK_NS_PER_S;
}

void listen_release_args(void *args)
{
	struct listen_args *a = args;
	text_list_release(&a->headers);
	text_list_release(&a->routes);
	response_policy_release(&a->answers);
	free(a->allowed.list);
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

static int check_forward(const struct listen_args *a, struct error *err)
{
	if (a->routes.count > 0 && a->validate == LISTEN_OFF)
		return error_set(err, EXIT_CODE_USAGE, "a --route asks for the event: --validate off judges none");
	const char *ignored = a->body_source                        ? "--body"
	                      : a->answers.respond.count > 0        ? "--respond"
	                      : a->answers.status != DEFAULT_STATUS ? "--status"
	                                                            : NULL;
	if (a->forward_to && ignored)
		return error_set(err, EXIT_CODE_USAGE, "with --forward-to the target answers: %s would be ignored",
		                 ignored);
	return 0;
}

static int check_tls(const struct listen_args *a, struct error *err)
{
	if (a->tls_cert && a->tls_self_signed)
		return error_set(err, EXIT_CODE_USAGE,
		                 "--tls-self-signed makes a certificate, and --tls-cert names one");
	if (a->tls_key && !a->tls_cert)
		return error_set(err, EXIT_CODE_USAGE, "--tls-key is the key of a --tls-cert, and there is none");
	if (a->tls_client_ca && !a->tls_cert && !a->tls_self_signed)
		return error_set(err, EXIT_CODE_USAGE,
		                 "--tls-client-ca needs a certificate here too: --tls-cert or --tls-self-signed");
	return 0;
}

/* A URL says by its scheme whether it is about TLS. */
static int check_scheme(const struct listen_args *a, const char *address, struct error *err)
{
	bool tls = a->tls_cert || a->tls_self_signed;
	if (http_address_has_scheme(address, "https") && !tls) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is about TLS, and there is no certificate", address);
		return error_hint(err, "--tls-self-signed makes one, --tls-cert FILE takes one");
	}
	if (http_address_has_scheme(address, "http") && tls)
		return error_set(err, EXIT_CODE_USAGE, "'%s' is not about TLS, and --tls-%s is", address,
		                 a->tls_cert ? "cert" : "self-signed");
	return 0;
}

static bool is_number(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int refuse_second(const char *first, const char *second, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "listen takes one address, not '%s' too", second);
	if (second[0] == '/')
		return error_hint(err, "--path %s takes notifications at that one only", second);
	if (is_number(second) && !is_number(first))
		return error_hint(err, "address and port are one word: %s:%s", first, second);
	return error_hint(err, "events to wait for are named by --expect, what is kept by --capture FILE");
}

int listen_check_args(struct listen_args *a, const struct text_list *operands, struct error *err)
{
	if (operands->count > 1)
		return refuse_second(operands->items[0], operands->items[1], err);
	if (a->path && a->path[0] != '/') {
		error_set(err, EXIT_CODE_USAGE, "--path begins with '/', unlike '%s'", a->path);
		return error_hint(err, "write --path /%s", a->path);
	}
	if (a->max_body > (uint64_t)CHECK_PAYLOAD_MAX)
		return error_set(err, EXIT_CODE_USAGE, "--max-body is 64M at most");
	if (a->once && a->max_events > 1)
		return error_set(err, EXIT_CODE_USAGE,
		                 "--once ends after one notification, and --max-events says %" PRIu64, a->max_events);
	if (a->once)
		a->max_events = 1;
	if (a->validate == LISTEN_OFF && a->expected.count > 0)
		return error_set(err, EXIT_CODE_USAGE, "--expect counts valid events: --validate off judges none");
	if (a->validate == LISTEN_OFF && response_policy_needs_verdict(&a->answers))
		return error_set(err, EXIT_CODE_USAGE, "a --rule asks for the event: --validate off judges none");
	if (a->expected.in_order && a->expected.count == 0)
		return error_set(err, EXIT_CODE_USAGE, "--in-order is about what --expect names, and it names nothing");
	if (operands->count > 0 && check_scheme(a, operands->items[0], err) < 0)
		return -1;
	if (check_tls(a, err) < 0 || check_forward(a, err) < 0)
		return -1;
	return check_capture(a, err);
}
