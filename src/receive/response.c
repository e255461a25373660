#include "receive/response.h"

#include <stdlib.h>

const char *response_fault_name(enum http_fault fault)
{
	static const char *const names[] = {
		[HTTP_FAULT_RESET] = "reset", [HTTP_FAULT_EMPTY] = "empty", [HTTP_FAULT_TRUNCATE] = "truncate",
		[HTTP_FAULT_DRIP] = "drip",   [HTTP_FAULT_HANG] = "hang",
	};
	return (size_t)fault < sizeof names / sizeof names[0] ? names[fault] : NULL;
}

void response_policy_release(struct response_policy *options)
{
	free(options->respond.list);
	free(options->rules.list);
}

bool response_policy_needs_verdict(const struct response_policy *options)
{
	for (size_t i = 0; i < options->rules.count; i++)
		if (!options->rules.list[i].any_event || options->rules.list[i].judged)
			return true;
	return false;
}

void responder_init(struct responder *answers, struct response_policy *options)
{
	*answers = (struct responder){ .options = options };
	if (options->seed.given)
		random_seed(&answers->random, options->seed.value);
	else
		random_seed_fresh(&answers->random);
}

/* Drawn whether or not it can matter, so that a seed gives the same sequence with and without a rule in between. */
static bool happens(struct responder *answers, uint32_t probability)
{
	return random_below(&answers->random, RESPONSE_CERTAIN) < probability;
}

static int64_t draw_delay(struct responder *answers, const struct response_delay *delay)
{
	uint64_t span = (uint64_t)(delay->most - delay->least) + 1;
	return delay->least + (int64_t)random_below(&answers->random, span);
}

static bool matches(const struct response_rule *rule, struct catalog_kind kind, bool valid)
{
	if (rule->times > 0 && rule->used >= rule->times)
		return false;
	if (rule->judged && rule->valid != valid)
		return false;
	if (rule->any_event)
		return true;
	return rule->kind.event == kind.event && (!rule->kind.element || rule->kind.element == kind.element);
}

static struct response_rule *find_rule(struct response_policy *options, struct catalog_kind kind, bool valid)
{
	for (size_t i = 0; i < options->rules.count; i++)
		if (matches(&options->rules.list[i], kind, valid))
			return &options->rules.list[i];
	return NULL;
}

static int next_response(struct responder *answers)
{
	const struct response_statuses *respond = &answers->options->respond;
	if (respond->count == 0)
		return (int)answers->options->status;
	int status = respond->list[answers->responded];
	if (answers->responded + 1 < respond->count)
		answers->responded++;
	return status;
}

void responder_choose(struct responder *answers, struct catalog_kind kind, bool valid, bool rejected,
                      struct response *answer)
{
	struct response_policy *o = answers->options;
	struct response_rule *rule = find_rule(o, kind, valid);
	const struct response_fault *fault = rule ? &rule->fault : &o->fault;
	const struct response_delay *delay = rule && rule->delay.given ? &rule->delay : &o->delay;
	bool spoilt = happens(answers, fault->probability);
	bool fails = happens(answers, o->fail_rate);
	*answer = (struct response){ .status = (int)o->status, .delay_ns = draw_delay(answers, delay) };
	answer->retry_after = rule && rule->retry_after.given ? rule->retry_after : o->retry_after;
	if (spoilt)
		answer->fault = fault->fault;
	if (rule) {
		rule->used++;
		answer->is_own = rule->status != 0;
		if (rule->status != 0)
			answer->status = rule->status;
	} else if (rejected) {
		answer->status = 422;
	} else {
		answer->status = next_response(answers);
		answer->is_own = fails;
		if (fails)
			answer->status = 500;
	}
}
