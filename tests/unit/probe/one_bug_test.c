/* One bug is said once, and two are said twice. */
#include "base/fit.h"
#include "probe/play/one_bug.h"
#include "probe/play/verdict.h"
#include "unit.h"

static struct probe_plan plan;

static void begin(void)
{
	plan_of(&plan, "deliver effect crash");
}

static struct probe_check *fail_check(const char *id)
{
	struct probe_check *check = check_named(&plan, id);
	probe_end(check, PROBE_FAILED, check->row->fix, "it fails");
	return check;
}

static struct probe_check *end_listener(const char *id, const char *kind)
{
	struct probe_check *check = fail_check(id);
	check->result.ended_listener = true;
	assert_int_equal(catalog_find_kind(kind, &check->result.ended_by, NULL), CATALOG_FOUND);
	return check;
}

TEST(test_what_ends_it_ends_it_everywhere)
{
	begin();
	struct probe_check *first = end_listener("deliver/user-created", "user-created");
	struct probe_check *again = end_listener("effect/once:user-created", "user-created");
	struct probe_check *amid = end_listener("crash/kill", "user-created");
	struct probe_check *other = end_listener("effect/once:bureau-alert", "bureau-alert");
	struct probe_check *unknown = fail_check("effect/together");
	unknown->result.ended_listener = true;
	first->result.cause = 3;
	one_bug_join(&plan);
	assert_null(first->result.part_of);
	assert_ptr_equal(again->result.part_of, first);
	assert_ptr_equal(amid->result.part_of, first);
	assert_int_equal(amid->result.cause, 3);
	assert_null(other->result.part_of);
	assert_null(unknown->result.part_of);
	assert_int_equal(unknown->result.cause, 0);
	probe_plan_release(&plan);
}

#define VALUE(field_and_name) "effect/value:user-created:" field_and_name

/* An apostrophe in each text is one statement that is built, and texts that are not ASCII are one column. */
TEST(test_a_value_is_one_bug_in_each_field)
{
	begin();
	const struct probe_check *apostrophe = fail_check(VALUE("firstName=apostrophe"));
	const struct probe_check *accents = fail_check(VALUE("lastName=accents"));
	struct probe_check *street = fail_check(VALUE("street=apostrophe"));
	struct probe_check *city = fail_check(VALUE("city=apostrophe"));
	struct probe_check *chinese = fail_check(VALUE("lastName=Chinese"));
	struct probe_check *other = fail_check("effect/together");
	one_bug_join(&plan);
	assert_null(apostrophe->result.part_of);
	assert_ptr_equal(street->result.part_of, apostrophe);
	assert_ptr_equal(city->result.part_of, apostrophe);
	assert_null(accents->result.part_of);
	assert_ptr_equal(chinese->result.part_of, accents);
	assert_null(other->result.part_of);
	probe_plan_release(&plan);
}

TEST(test_texts_that_are_lost_in_different_fields_are_two_bugs)
{
	begin();
	const struct probe_check *accents = fail_check(VALUE("lastName=accents"));
	const struct probe_check *chinese = fail_check(VALUE("city=Chinese"));
	const struct probe_check *space = fail_check(VALUE("city=space"));
	one_bug_join(&plan);
	assert_null(accents->result.part_of);
	assert_null(chinese->result.part_of);
	assert_null(space->result.part_of);
	probe_plan_release(&plan);
}
