#include "cmd/receive_parse.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/text.h"
#include "cmd/mistakes.h"
#include "http/status.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_MOST 4096 /* of --respond */

int receive_parse_delay(void *field, const char *value, struct error *err)
{
	struct response_delay *delay = field;
	struct response_delay read = { .given = true };
	char first[32];
	const char *dots = strstr(value, "..");
	size_t length = dots ? (size_t)(dots - value) : strlen(value);
	if (length >= sizeof first)
		length = sizeof first - 1; /* longer than any duration: refused below */
	memcpy(first, value, length);
	first[length] = '\0';
	bool good = clock_parse_duration(first, &read.least);
	read.most = read.least;
	if (good && dots)
		good = clock_parse_duration(dots + 2, &read.most);
	if (!good || read.most < read.least) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not a delay", value);
		return error_hint(err, "write 500ms, or 100ms..2s for a random one between the two");
	}
	*delay = read;
	return 0;
}

static int parse_status_of(int *status, const char *text, size_t length, struct error *err)
{
	*status = http_status_read(text, length);
	if (*status >= 200)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a status to respond with", (int)length, text);
	return error_hint(err, "a status is a number from 200 to 599");
}

static int parse_status(void *status, const char *text, struct error *err)
{
	return parse_status_of(status, text, strlen(text), err);
}

int receive_parse_respond(void *field, const char *value, struct error *err)
{
	struct response_statuses *statuses = field;
	char *copy = strdup(value), *rest = copy, *item;
	int result = copy ? 0 : error_no_memory(err);
	statuses->count = 0;
	while (result == 0 && (item = strsep(&rest, ",")) != NULL) {
		bool grown = ARRAY_ROOM(statuses->list, statuses->capacity, statuses->count + 1);
		if (!grown)
			result = error_no_memory(err);
		else if (statuses->count == STATUS_MOST)
			result = error_set(err, EXIT_CODE_USAGE, "--respond takes %d statuses at most", STATUS_MOST);
		else if ((result = parse_status(&statuses->list[statuses->count], item, err)) == 0)
			statuses->count++;
	}
	free(copy);
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

/* STATUS[:P] or KIND[:P] */
static int parse_fault(void *field, const char *value, struct error *err)
{
	struct response_fault *fault = field;
	struct response_fault read = { .probability = RESPONSE_CERTAIN };
	struct nearest near;
	size_t length = strcspn(value, ":");
	if (value[0] >= '0' && value[0] <= '9' && parse_status_of(&read.status, value, length, err) < 0)
		return -1;
	nearest_init(&near, value, length);
	for (int i = HTTP_FAULT_NONE + 1; response_fault_name((enum http_fault)i); i++) {
		const char *name = response_fault_name((enum http_fault)i);
		nearest_offer(&near, name);
		if (strlen(name) == length && memcmp(name, value, length) == 0)
			read.fault = (enum http_fault)i;
	}
	if (read.fault == HTTP_FAULT_NONE && read.status == 0) {
		error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a fault", (int)length, value);
		if (nearest_result(&near))
			return error_hint(err, "did you mean %s?", nearest_result(&near));
		return error_hint(err,
		                  "faults are reset, empty, truncate, drip, hang and statuses; :P adds a probability");
	}
	if (value[length] == ':' && parse_probability(&read.probability, value + length + 1, err) < 0)
		return -1;
	*fault = read;
	return 0;
}

int receive_parse_fault(void *field, const char *value, struct error *err)
{
	struct response_faults *faults = field;
	if (!ARRAY_ROOM(faults->list, faults->capacity, faults->count + 1))
		return error_no_memory(err);
	if (parse_fault(&faults->list[faults->count], value, err) < 0)
		return -1;
	faults->count++;
	return 0;
}

int receive_parse_seed(void *field, const char *value, struct error *err)
{
	struct response_number *seed = field;
	if (!count_read(value, UINT64_MAX, &seed->value))
		return error_set(err, EXIT_CODE_USAGE, "--seed takes a whole number, not '%s'", value);
	seed->given = true;
	return 0;
}

static int parse_retry_after(void *field, const char *value, struct error *err)
{
	struct response_number *seconds = field;
	int64_t ns;
	if (!clock_parse_duration(value, &ns)) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not a time for Retry-After", value);
		return error_hint(err, "write seconds, or a duration: 30, 2m");
	}
	*seconds = (struct response_number){ true, (uint64_t)((ns + CLOCK_NS_PER_S - 1) / CLOCK_NS_PER_S) };
	return 0;
}

static int parse_rule_event(void *field, const char *value, struct error *err)
{
	struct response_rule *rule = field;
	rule->any_event = strcmp(value, "any") == 0;
	if (rule->any_event || strcmp(value, "unknown") == 0)
		return 0;
	return kind_find(value, &rule->kind, err);
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
	if (!count_read(value, UINT64_MAX, times) || *(uint64_t *)times == 0)
		return error_set(err, EXIT_CODE_USAGE, "'%s' is not a value of times: 1 or more", value);
	return 0;
}

/* clang-format off */
static const struct {
	const char *name;
	int (*parse)(void *field, const char *value, struct error *err);
	size_t offset; /* of the field in the rule */
	bool acts;     /* changes the response, and does not select notifications */
} rule_keys[] = {
	{ "event", parse_rule_event, 0, false },
	{ "valid", parse_rule_valid, 0, false },
	{ "status", parse_status, offsetof(struct response_rule, status), true },
	{ "fault", parse_fault, offsetof(struct response_rule, fault), true },
	{ "delay", receive_parse_delay, offsetof(struct response_rule, delay), true },
	{ "retry-after", parse_retry_after, offsetof(struct response_rule, retry_after), true },
	{ "times", parse_rule_times, offsetof(struct response_rule, times), false },
};
/* clang-format on */
#define RULE_KEYS (sizeof rule_keys / sizeof rule_keys[0])

const char *receive_rule_key(size_t index)
{
	return index < RULE_KEYS ? rule_keys[index].name : NULL;
}

static int unknown_rule_key(const char *key, struct error *err)
{
	struct nearest near;
	nearest_init(&near, key, strlen(key));
	for (size_t i = 0; i < RULE_KEYS; i++)
		nearest_offer(&near, rule_keys[i].name);
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a key of a rule", key);
	if (nearest_result(&near))
		return error_hint(err, "did you mean %s?", nearest_result(&near));
	return error_hint(err, "keys are event, valid, status, fault, delay, retry-after and times");
}

/* One KEY=VALUE; `seen` has a bit for each key so far. */
static int parse_rule_item(struct response_rule *rule, char *item, unsigned *seen, bool *acts, struct error *err)
{
	char *equals = strchr(item, '=');
	if (!equals) {
		error_set(err, EXIT_CODE_USAGE, "'%s' in a rule is not KEY=VALUE", item);
		return error_hint(err, "write event=bureau-alert,status=503,times=2");
	}
	*equals = '\0';
	for (size_t i = 0; i < RULE_KEYS; i++) {
		if (strcmp(rule_keys[i].name, item) != 0)
			continue;
		if (*seen & (1u << i))
			return error_set(err, EXIT_CODE_USAGE, "duplicate key '%s' in a rule", item);
		*seen |= 1u << i;
		*acts = *acts || rule_keys[i].acts;
		return rule_keys[i].parse((char *)rule + rule_keys[i].offset, equals + 1, err);
	}
	return unknown_rule_key(item, err);
}

int receive_parse_rule(void *field, const char *value, struct error *err)
{
	struct response_rules *rules = field;
	struct response_rule rule = { .any_event = true };
	char *copy = strdup(value), *rest = copy, *item;
	unsigned seen = 0;
	bool acts = false;
	int result = copy ? 0 : error_no_memory(err);
	while (result == 0 && (item = strsep(&rest, ",")) != NULL) {
		if (strncmp(item, "event=", 6) == 0)
			rule.any_event = false;
		result = parse_rule_item(&rule, item, &seen, &acts, err);
	}
	free(copy);
	if (result == 0 && !acts) {
		error_set(err, EXIT_CODE_USAGE, "the rule '%s' has no response", value);
		result = error_hint(err, "add status=, fault=, delay= or retry-after=");
	}
	if (result < 0)
		return -1;
	if (!ARRAY_ROOM(rules->list, rules->capacity, rules->count + 1))
		return error_no_memory(err);
	rules->list[rules->count++] = rule;
	return 0;
}
