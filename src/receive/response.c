#include "receive/response.h"

#include "http/head.h"

#include <stdlib.h>
#include <string.h>

const char *response_fault_name(enum http_fault fault)
{
	static const char *const names[] = {
		[HTTP_FAULT_RESET] = "reset", [HTTP_FAULT_EMPTY] = "empty", [HTTP_FAULT_TRUNCATE] = "truncate",
		[HTTP_FAULT_DRIP] = "drip",   [HTTP_FAULT_HANG] = "hang",
	};
	return (size_t)fault < sizeof names / sizeof names[0] ? names[fault] : NULL;
}

int responder_init(struct responder *responder, const struct response_policy *policy, struct error *err)
{
	*responder = (struct responder){ .policy = policy };
	responder->used = calloc(policy->rules.count + 1, sizeof *responder->used);
	random_seed_fresh(&responder->random);
	return responder->used ? 0 : error_no_memory(err);
}

void responder_release(struct responder *responder)
{
	free(responder->used);
	responder->used = NULL;
}

/* Returns the one that happens, or NULL. */
static const struct response_fault *draw_fault(struct responder *responder, const struct response_fault *faults,
                                               size_t count)
{
	uint64_t number = random_below(&responder->random, RESPONSE_CERTAIN);
	for (size_t i = 0; i < count; i++) {
		if (number < faults[i].probability)
			return &faults[i];
		number -= faults[i].probability;
	}
	return NULL;
}

/* Returns the first that matches and is not used up, and counts its use. */
static const struct response_rule *use_rule(struct responder *responder, struct catalog_kind kind, bool valid)
{
	const struct response_rules *rules = &responder->policy->rules;
	for (size_t i = 0; i < rules->count; i++) {
		const struct response_rule *rule = &rules->list[i];
		bool is_used_up = rule->times > 0 && responder->used[i] >= rule->times;
		bool is_other_kind = !catalog_kind_is(kind, rule->kind);
		if (is_used_up || (rule->needs_verdict && rule->valid != valid) || (!rule->any_event && is_other_kind))
			continue;
		responder->used[i]++;
		return rule;
	}
	return NULL;
}

struct response responder_choose(struct responder *responder, struct catalog_kind kind, bool valid, bool rejected)
{
	const struct response_policy *p = responder->policy;
	const struct response_rule *rule = use_rule(responder, kind, valid);
	const struct response_delay *delay = rule && rule->delay.given ? &rule->delay : &p->delay;
	bool has_fault = rule && (rule->fault.status != 0 || rule->fault.fault != HTTP_FAULT_NONE);
	/* A rule that says how to respond is alone in that; one that only delays leaves it to the other options. */
	bool is_alone = has_fault || (rule && rule->status != 0);
	const struct response_fault *fault = is_alone ? draw_fault(responder, &rule->fault, 1)
	                                              : draw_fault(responder, p->faults.list, p->faults.count);
	uint64_t span = (uint64_t)(delay->most - delay->least) + 1;
	struct response response = { .delay_ns = delay->least + (int64_t)random_below(&responder->random, span),
		                     .is_own = rule && rule->status != 0 };
	if (response.is_own) {
		response.status = rule->status;
	} else if (rejected) {
		response.status = 422;
	} else {
		response.status = p->respond.count > 0 ? p->respond.list[responder->responded] : 200;
		if (responder->responded + 1 < p->respond.count)
			responder->responded++;
	}
	if (fault && fault->fault != HTTP_FAULT_NONE) {
		response.is_faulty = true;
		response.fault = fault->fault;
	} else if (fault && (is_alone || !rejected)) {
		response.is_faulty = response.is_own = true;
		response.status = fault->status;
	}
	return response;
}

bool admission_of_head(const char *path, const struct message *request, struct http_refusal *refusal)
{
	static const struct header allowed_methods[] = { HEADER("Allow", "POST, GET, HEAD") };
	const char *own = http_target_path(request->target.text);
	if (own[0] != '/')
		own = "/";
	size_t length = strcspn(own, "?");
	if (path && (strlen(path) != length || memcmp(own, path, length) != 0)) {
		*refusal = (struct http_refusal){ .status = 404, .reason = "notifications have another path" };
		return false;
	}
	if (message_method_is(request, "POST") || message_method_is(request, "GET") ||
	    message_method_is(request, "HEAD"))
		return true;
	*refusal = (struct http_refusal){ 405, "notifications are POST requests", allowed_methods, 1 };
	return false;
}

enum receive_refusal admission_reason(int status)
{
	static const struct {
		int status;
		enum receive_refusal why;
	} reasons[] = { { 0, REFUSED_TLS },      { 403, REFUSED_SENDER }, { 404, REFUSED_PATH },
		        { 405, REFUSED_METHOD }, { 408, REFUSED_TIME },   { 413, REFUSED_BODY },
		        { 414, REFUSED_HEAD },   { 431, REFUSED_HEAD },   { 503, REFUSED_MEMORY } };
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (reasons[i].status == status)
			return reasons[i].why;
	return REFUSED_FORM;
}
