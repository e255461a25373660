/* A plan with all checks, and responses to grade them with. */
#ifndef CREDHOOK_TESTS_PROBE_RUN_UNIT_H
#define CREDHOOK_TESTS_PROBE_RUN_UNIT_H

#include "http/deliver.h"
#include "probe/play/maker.h"
#include "probe/unit.h"

static struct probe_plan plan;
static const struct probe_maker maker = { .run_id = "0badcafe", .url = "http://127.0.0.1:1/hook" };

static inline int make_plan(void **state)
{
	struct text_list none = { 0 };
	struct probe_choice choice = { .wanted = &none,
		                       .skipped = &none,
		                       .expected = &none,
		                       .level = PROBE_DEEP,
		                       .invalid = PROBE_INVALID_AUTO,
		                       .observes = false,
		                       .starts = false };
	struct error err;
	(void)state;
	return probe_plan_init(&plan, &choice, &err);
}

static inline int release_plan(void **state)
{
	(void)state;
	probe_plan_release(&plan);
	return 0;
}

static inline struct exchange response(int status, const char *body)
{
	struct exchange d = { .outcome = status ? DELIVER_RESPONDED : DELIVER_UNKNOWN, .status = status };
	d.response.body = text_of(body);
	d.response_length = d.response.body.length;
	return d;
}

/* As before its first request. */
static inline struct probe_check *fresh(const char *id)
{
	struct probe_check *check = check_named(&plan, id);
	check->result = (struct probe_result){ .ended = false };
	return check;
}

#endif
