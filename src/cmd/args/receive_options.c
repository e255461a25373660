/* The options of a receiver: how they are written, their rows, and which of them exclude each other. */
#include "cmd/args/receive_options.h"

#include "base/ascii.h"
#include "base/clock.h"
#include "base/quoted.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "cmd/args/kinds.h"
#include "http/address.h"
#include "http/status.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define STATUS_MOST 4096 /* of --respond */

int receive_parse_delay(void *field, const char *value, struct error *err)
{
	struct response_delay delay = { .given = true };
	LOCAL(release_text) char *least = strdup(value);
	if (!least)
		return error_no_memory(err);
	char *most = least, *sign = least;
	size_t sign_length = 0;
	while (*sign && (sign_length = range_sign_length(sign, strlen(sign))) == 0)
		sign++;
	if (*sign) {
		*sign = '\0';
		most = sign + sign_length;
	}
	if (clock_parse_duration(least, &delay.least) && clock_parse_duration(most, &delay.most) &&
	    delay.most >= delay.least) {
		*(struct response_delay *)field = delay;
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a delay", value);
	return error_hint(err, "write 500ms, or 100ms..2s for a random one between the two");
}

static int parse_status_of(int *status, const char *text, size_t length, struct error *err)
{
	int number = http_status_read(text, length);
	if (number >= 200) {
		*status = number;
		return 0;
	}
	struct text shown = quoted_part(text, text, length);
	error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a status to respond with", (int)shown.length, shown.text);
	return error_hint(err, "a status is a number from 200 to 599");
}

static int parse_status(void *status, const char *text, struct error *err)
{
	return parse_status_of(status, text, strlen(text), err);
}

int receive_parse_respond(void *field, const char *value, struct error *err)
{
	struct response_statuses *statuses = field, read = { .count = 0 };
	LOCAL(release_text) char *copy = strdup(value);
	char *rest = copy;
	int result = copy ? 0 : error_no_memory(err);
	for (char *item; result == 0 && (item = strsep(&rest, ",")) != NULL;) {
		if (read.count == STATUS_MOST)
			result = error_set(err, EXIT_CODE_USAGE, "--respond takes %d statuses at most", STATUS_MOST);
		else if (!ARRAY_ROOM(read.list, read.capacity, read.count + 1))
			result = error_no_memory(err);
		else
			result = parse_status(&read.list[read.count++], item, err) < 0
			                 ? error_of_part(err, value, "a list of statuses")
			                 : 0;
	}
	free(result < 0 ? read.list : statuses->list);
	if (result == 0)
		*statuses = read;
	return result;
}

/* 0.1 or 10% */
static int parse_probability(uint32_t *probability, const char *value, struct error *err)
{
	size_t digits = strspn(value, "0123456789.");
	char *end;
	double number = strtod(value, &end);
	bool percent = strcmp(value + digits, "%") == 0;
	if (percent)
		number /= 100;
	/* strtod() reads inf, 0x1p3 and blanks too. */
	if (digits == 0 || end != value + digits || (!percent && *end != '\0') || !(number >= 0 && number <= 1)) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not a probability", value);
		return error_hint(err, "write a percentage, or a number from 0 to 1: 10%%, 0.1");
	}
	*probability = (uint32_t)(number * RESPONSE_CERTAIN + 0.5);
	return 0;
}

/* 10%, 0.1 */
static bool is_share(const char *value)
{
	size_t digits = strspn(value, "0123456789");
	return digits > 0 && (strcmp(value + digits, "%") == 0 || value[digits] == '.');
}

/* STATUS[:P] or KIND[:P] */
static int read_fault(void *field, const char *value, struct error *err)
{
	struct response_fault *fault = field;
	struct nearest near;
	size_t length = strcspn(value, ":");
	*fault = (struct response_fault){ .probability = RESPONSE_CERTAIN };
	nearest_init(&near, value, length);
	if (is_share(value)) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is a share, and says no fault", value);
		return error_hint(err, "a share follows the fault: 500:%s, or hang:%s", value, value);
	}
	if (ascii_is_digit(value[0]) && parse_status_of(&fault->status, value, length, err) < 0)
		return -1;
	for (int i = HTTP_FAULT_NONE + 1; response_fault_name((enum http_fault)i); i++)
		if (nearest_offer(&near, response_fault_name((enum http_fault)i)))
			fault->fault = (enum http_fault)i;
	if (fault->fault == HTTP_FAULT_NONE && fault->status == 0) {
		struct text shown = quoted_part(value, value, length);
		error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a fault", (int)shown.length, shown.text);
		if (nearest_result(&near))
			return error_ask(err, "%s", nearest_result(&near));
		return error_hint(err,
		                  "faults are reset, empty, truncate, drip, hang and statuses; :P adds a probability");
	}
	return value[length] == ':' ? parse_probability(&fault->probability, value + length + 1, err) : 0;
}

int receive_parse_fault(void *field, const char *value, struct error *err)
{
	struct response_faults *faults = field;
	if (!ARRAY_ROOM(faults->list, faults->capacity, faults->count + 1))
		return error_no_memory(err);
	if (read_fault(&faults->list[faults->count], value, err) < 0)
		return -1;
	faults->count++;
	/* What is beyond a whole would never happen. Each share is rounded. */
	uint64_t sum = 0;
	for (size_t i = 0; i < faults->count; i++)
		sum += faults->list[i].probability;
	if (sum <= RESPONSE_CERTAIN + faults->count)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "the shares of --fault are more than 100%% together");
	return error_hint(err, "a fault without a share is all of them: write --fault 500:10%% --fault reset:5%%");
}

static int parse_rule_event(void *field, const char *value, struct error *err)
{
	struct response_rule *rule = field;
	rule->any_event = strcmp(value, "any") == 0;
	if (rule->any_event || strcmp(value, "unknown") == 0)
		return 0;
	return kind_parse(&rule->kind, value, err);
}

static int parse_rule_valid(void *field, const char *value, struct error *err)
{
	struct response_rule *rule = field;
	rule->needs_verdict = true;
	rule->valid = strcmp(value, "yes") == 0 || strcmp(value, "true") == 0;
	if (rule->valid || strcmp(value, "no") == 0 || strcmp(value, "false") == 0)
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "'%s' is not a value of valid: yes or no", value);
}

static int parse_rule_times(void *times, const char *value, struct error *err)
{
	const char *end = count_parse(value, 1000, UINT64_MAX, times);
	if (!end || *end || *(uint64_t *)times == 0)
		return error_set(err, EXIT_CODE_USAGE, "'%s' is not a value of times: 1 or more", value);
	return 0;
}

static const struct {
	const char *name;
	int (*parse)(void *field, const char *value, struct error *err);
	size_t offset; /* of the field in the rule */
} rule_keys[] = {
	{ "event", parse_rule_event, 0 },
	{ "valid", parse_rule_valid, 0 },
	{ "status", parse_status, offsetof(struct response_rule, status) },
	{ "fault", read_fault, offsetof(struct response_rule, fault) },
	{ "delay", receive_parse_delay, offsetof(struct response_rule, delay) },
	{ "times", parse_rule_times, offsetof(struct response_rule, times) },
};
/* One KEY=VALUE; `seen` has a bit for each key so far. */
static int parse_rule_item(struct response_rule *rule, const char *item, unsigned *seen, struct error *err)
{
	struct nearest near;
	size_t length = strcspn(item, "=");
	nearest_init(&near, item, length);
	for (size_t i = 0; i < sizeof rule_keys / sizeof rule_keys[0] && item[length]; i++) {
		if (!nearest_offer(&near, rule_keys[i].name))
			continue;
		if (*seen & (1u << i))
			return error_set(err, EXIT_CODE_USAGE, "duplicate key '%s' in a rule", rule_keys[i].name);
		*seen |= 1u << i;
		return rule_keys[i].parse((char *)rule + rule_keys[i].offset, item + length + 1, err);
	}
	if (item[length])
		error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a key of a rule", (int)length, item);
	else
		error_set(err, EXIT_CODE_USAGE, "'%s' in a rule is not KEY=VALUE", item);
	if (nearest_result(&near))
		return error_ask(err, "%s", nearest_result(&near));
	return error_hint(err, "keys are event, valid, status, fault, delay and times");
}

/* Whether no response has the status of a rule, since each is another one, or none. */
static bool hides_status(const struct response_fault *fault)
{
	bool sends_none =
	        fault->fault == HTTP_FAULT_RESET || fault->fault == HTTP_FAULT_EMPTY || fault->fault == HTTP_FAULT_HANG;
	return fault->probability == RESPONSE_CERTAIN && (sends_none || fault->status != 0);
}

int receive_parse_rule(void *field, const char *value, struct error *err)
{
	struct response_rules *rules = field;
	struct response_rule rule = { .any_event = true };
	LOCAL(release_text) char *copy = strdup(value);
	char *rest = copy;
	unsigned seen = 0;
	if (!copy || !ARRAY_ROOM(rules->list, rules->capacity, rules->count + 1))
		return error_no_memory(err);
	for (char *item; (item = strsep(&rest, ",")) != NULL;)
		if (parse_rule_item(&rule, item, &seen, err) < 0)
			return error_of_part(err, value, "a rule");
	if (rule.status == 0 && rule.fault.status == 0 && rule.fault.fault == HTTP_FAULT_NONE && !rule.delay.given) {
		error_set(err, EXIT_CODE_USAGE, "the rule '%s' has no response", value);
		return error_hint(err, "add status=, fault= or delay=");
	}
	if (rule.status != 0 && hides_status(&rule.fault)) {
		error_set(err, EXIT_CODE_USAGE, "in the rule '%s' the fault hides the status", value);
		return error_hint(err, "leave one of them out, or give the fault a share: fault=reset:10%%");
	}
	rules->list[rules->count++] = rule;
	return 0;
}

static const char *const validate_names[] = { "report", "reject", "off", NULL };

/* Bytes: 65536, 64K, 10M. */
static int parse_size(void *field, const char *value, struct error *err)
{
	uint64_t *size = field;
	const char *end = count_parse(value, 1024, CHECK_PAYLOAD_MAX, size);
	if (end && *end == '\0' && *size > 0)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a size in bytes", value);
	return error_hint(err, "write 65536, 64K or 10M; 64M at most");
}

static int parse_network(void *field, const char *value, struct error *err)
{
	struct receive_networks *networks = field;
	if (!ARRAY_ROOM(networks->list, networks->capacity, networks->count + 1))
		return error_no_memory(err);
	if (http_network_parse(value, &networks->list[networks->count], err) < 0)
		return -1;
	networks->count++;
	return 0;
}

OPTION_IS_ARRAY(struct response_statuses, list);
OPTION_IS_ARRAY(struct response_faults, list);
OPTION_IS_ARRAY(struct response_rules, list);
OPTION_IS_ARRAY(struct receive_networks, list);

#define RECEIVE(field)  offsetof(struct receive_args, field)
#define RESPONSE(field) RECEIVE(policy.response.field)
#define FORWARD(field)  RECEIVE(forward.field)
static const struct option capture_rows[] = {
	{ 0, "capture", "FILE", "append each notification to FILE, then respond 2xx", OPTION_TEXT, COMPLETE_FILE,
	  .offset = RECEIVE(policy.capture),
	  .also = "output out log save record file results append store write dump-file database tee to-file -o -f" },
	{ 0, "validate", "HOW", "report findings, reject with 422, or do not check", OPTION_CHOICE,
	  .offset = RECEIVE(policy.validate), .choices = validate_names, .also = "no-validate check strict" },
};
static const struct option_way capture_ways[] = {
	{ "sync fsync flush durable", "a 2xx always means that the record is on disk: leave it out" },
	{ NULL, NULL },
};
static const struct option response_rows[] = {
	{ 0, "respond-header", "LINE", "add this header to every response", OPTION_LIST, COMPLETE_NOTHING,
	  .offset = RECEIVE(headers), .also = "response-header" },
	{ 0, "body", "TEXT|@FILE", "respond with this body", OPTION_TEXT, COMPLETE_AT_FILE,
	  .offset = RECEIVE(body_source), .excludes = "forward-to", .also = "-d data response-body" },
	{ 0, "delay", "D|D..D", "delay every response, by a time or a random one of a range", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = RESPONSE(delay), .parse = receive_parse_delay, .once = true,
	  .also = "latency sleep slow jitter response-time" },
	{ 0, "respond", "N,N...", "respond with these statuses in turn, then with the last", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = RESPONSE(respond), .parse = receive_parse_respond, .once = true,
	  .release = option_release_array, .excludes = "forward-to",
	  .also = "status code status-code response reply return returns" },
	{ 0, "fault", "STATUS|KIND[:P]", "a share P of 500, reset, empty, truncate, drip or hang", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = RESPONSE(faults), .parse = receive_parse_fault, .release = option_release_array,
	  .values = "reset empty truncate drip hang",
	  .also = "error fail fail-rate error-rate chaos chance close drop flaky" },
	{ 0, "rule", "KEY=VALUE,...", "respond differently: event=bureau-alert,status=503", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = RESPONSE(rules), .parse = receive_parse_rule, .release = option_release_array },
};
static const struct option admission_rows[] = {
	{ 0, "path", "/PATH", "accept notifications at this path only, else 404", OPTION_TEXT, COMPLETE_NOTHING,
	  .offset = RECEIVE(policy.path), .also = "route endpoint" },
	{ 0, "allow", "CIDR", "accept connections from this network only (10.0.0.0/8)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = RECEIVE(allowed), .parse = parse_network, .release = option_release_array,
	  .also = "cidr ip-filter whitelist" },
	{ 0, "trusted-proxy", "CIDR", "behind this proxy or tunnel the sender is in X-Forwarded-For", OPTION_CALL,
	  COMPLETE_NOTHING, .offset = RECEIVE(trusted), .parse = parse_network, .release = option_release_array },
	{ 0, "max-body", "BYTES", "refuse longer bodies with 413", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = RECEIVE(max_body), .parse = parse_size, .once = true, .initial = "1M",
	  .also = "body-limit size-limit" },
};
static const struct option_way admission_ways[] = {
	{ "max-connections max-conn maxconn max-clients connections",
	  "as many as the limit of open files (ulimit -n) allows, 16,384 at most" },
	{ NULL, NULL },
};
static const struct option forward_rows[] = {
	{ 0, "forward-to", "WHERE", "forward to this URL or environment, return its responses", OPTION_TEXT,
	  COMPLETE_ENVIRONMENT, .offset = FORWARD(to), .also = "forward pass-through proxy upstream target to url" },
	{ 'H', "header", "LINE|@FILE", "add a header; @FILE reads it from a file", OPTION_LIST, COMPLETE_AT_FILE,
	  .offset = FORWARD(headers), .needs = "forward-to", .alone = "a header of the response is --respond-header" },
	{ 'k', "insecure", NULL, "do not check the server's certificate", OPTION_FLAG, .unsafe = true,
	  .offset = FORWARD(insecure), .needs = "forward-to",
	  .also = "no-verify skip-verify tls-skip-verify no-cert-check trust-all ignore-ssl" },
	{ 'm', "max-time", "DURATION", "timeout of one attempt (0: unlimited), then 504", OPTION_DURATION,
	  .offset = FORWARD(max_time), .initial = "30s", .needs = "forward-to",
	  .alone = "to stop listening after a time, write --timeout" },
	{ 0, "allow-production", NULL, "allow protected environments", OPTION_FLAG, .unsafe = true,
	  .offset = FORWARD(allow_production), .needs = "forward-to", .also = "force" },
};
static const struct option tls_rows[] = {
	{ 0, "tls-cert", "FILE", "use TLS with this certificate (PEM)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = RECEIVE(policy.tls.cert), .also = "cert certificate" },
	{ 0, "tls-key", "FILE", "its private key (PEM), if in another file", OPTION_TEXT, COMPLETE_FILE,
	  .offset = RECEIVE(policy.tls.key), .needs = "tls-cert", .also = "key" },
	{ 0, "tls-client-ca", "FILE", "require a client certificate of this authority (PEM)", OPTION_TEXT,
	  COMPLETE_FILE, .offset = RECEIVE(policy.tls.client_ca), .needs = "tls-cert tls-self-signed",
	  .also = "cacert ca" },
	{ 0, "tls-self-signed", NULL, "use TLS with a certificate made for this session", OPTION_FLAG,
	  .offset = RECEIVE(policy.self_signed), .excludes = "tls-cert", .also = "tls ssl https" },
};
const struct option_group receive_capture_group = OPTION_GROUP_WITH("Capture", capture_rows, 0, capture_ways);
const struct option_group receive_response_group = OPTION_GROUP("Responses", response_rows, 0);
const struct option_group receive_admission_group =
        OPTION_GROUP_WITH("Limits and access", admission_rows, 0, admission_ways);
const struct option_group receive_forward_group = OPTION_GROUP("Forwarding", forward_rows, 0);
const struct option_group receive_tls_group = OPTION_GROUP("TLS", tls_rows, 0);

void receive_args_release(struct receive_args *a)
{
	options_release(&receive_response_group, 1, a);
	options_release(&receive_admission_group, 1, a);
	options_release(&receive_forward_group, 1, a);
}

/* A name that says another format would be read as that. */
static int check_capture(const char *path, struct error *err)
{
	static const char *const others[] = { ".har", ".html", ".json" };
	size_t length = strlen(path);
	if (strcmp(path, "-") == 0) {
		error_set(err, EXIT_CODE_USAGE, "--capture '-' is not the name of a file");
		return error_hint(err, "write --capture /dev/stdout, with -q to have records alone there");
	}
	if (text_ends_with(path, length, ".gz")) {
		error_set(err, EXIT_CODE_USAGE, "--capture '%s': captures are written uncompressed", path);
		return error_hint(err, "leave out .gz; 'credhook convert FILE -o FILE.ndjson.gz' compresses it later");
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (!text_ends_with(path, length, others[i]))
			continue;
		int stem = (int)(length - strlen(others[i]));
		bool is_payload = strcmp(others[i], ".json") == 0;
		error_set(err, EXIT_CODE_USAGE, "--capture '%s': captures are NDJSON", path);
		LOCAL_BUFFER name = BUFFER_INIT, typed = BUFFER_INIT;
		buffer_printf(&name, "%.*s.ndjson", stem, path);
		shell_append_file(&typed, buffer_text(&name));
		return is_payload ? error_hint(err, "write --capture %s", buffer_text(&typed))
		                  : error_hint(err, "write --capture %s; later: credhook convert FILE -o FILE%s",
		                               buffer_text(&typed), others[i]);
	}
	return 0;
}

int receive_args_check(const struct receive_args *a, struct error *err)
{
	if (a->policy.path && a->policy.path[0] != '/') {
		error_set(err, EXIT_CODE_USAGE, "invalid --path '%s': it must begin with '/'", a->policy.path);
		if (quoted_hides(a->policy.path, strlen(a->policy.path)))
			return error_hint(err, "write --path /PATH");
		LOCAL_BUFFER path = BUFFER_INIT, typed = BUFFER_INIT;
		buffer_printf(&path, "/%s", a->policy.path);
		shell_append_quoted(&typed, buffer_text(&path), path.length);
		return error_hint(err, "write --path %s", buffer_text(&typed));
	}
	size_t path = a->policy.path ? strcspn(a->policy.path, "?#") : 0;
	if (a->policy.path && a->policy.path[path]) {
		LOCAL_BUFFER typed = BUFFER_INIT;
		error_set(err, EXIT_CODE_USAGE,
		          "invalid --path '%s': it has a query or a fragment, which a path has not", a->policy.path);
		shell_append(&typed, a->policy.path, path);
		return error_hint(err, "write --path %s", buffer_text(&typed));
	}
	for (const char *at = a->policy.path; at && *at; at++)
		if ((unsigned char)*at <= ' ' || *at == 0x7F)
			return error_set(
			        err, EXIT_CODE_USAGE,
			        "invalid --path '%s': in a request a blank is %%20, and a control character %%XX",
			        a->policy.path);
	if (a->policy.capture && check_capture(a->policy.capture, err) < 0)
		return -1;
	const struct response_rules *rules = &a->policy.response.rules;
	for (size_t i = 0; a->policy.validate == RECEIVE_OFF && i < rules->count; i++)
		if (!rules->list[i].any_event || rules->list[i].needs_verdict)
			return error_set(err, EXIT_CODE_USAGE,
			                 "--rule needs the event or the verdict, so it excludes --validate off");
	return 0;
}
