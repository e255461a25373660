/* The same finding is said once: what is counted together, how much is kept, and what is said at the end. */
#include "base/fit.h"
#include "cmd/validate/validate.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static struct finding_group *add(struct finding_groups *groups, enum finding_id id, size_t event, const char *place,
                                 uint64_t count)
{
	bool no_memory = false;
	struct finding_group like = { .id = id, .severity = SEVERITY_WARNING };
	struct finding_group *group = finding_groups_get(groups, &like, text_of(place), FINDING_GROUPS_MAX, &no_memory);
	assert_false(no_memory);
	if (group)
		finding_group_add_kind(group, (struct catalog_kind){ &catalog_events[event], NULL });
	*(group ? &group->count : &groups->others) += count;
	return group;
}

static void expect(const struct finding_groups *groups, bool all, const char *lines)
{
	RELEASED(buffer) out = BUFFER_INIT;
	finding_groups_append(groups, all, COLUMNS_UNLIMITED, false, &out);
	assert_string_equal(buffer_text(&out), lines);
}

TEST(what_differs_in_finding_or_place_is_another)
{
	struct finding_groups groups = { .items = NULL };
	struct finding_group *one = add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/a", 1);
	one->shown = 1;
	expect(&groups, false, "");
	assert_ptr_equal(add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/a", 3), one);
	one->shown = 3;
	expect(&groups, false, "details.a [unknown-key]: 1 more in user-created, -v prints all\n");
	expect(&groups, true, "");
	add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/a.b", 5)->shown = 3;
	add(&groups, FINDING_EMPTY_STRING, 0, "/details/a", 4)->shown = 3;
	add(&groups, FINDING_UNKNOWN_KEY, 1, "/details/a", 1);
	add(&groups, FINDING_JSON_SYNTAX, 1, "", 1)->shown = 1;
	assert_int_equal(groups.count, 4);
	RELEASED(buffer) lines = BUFFER_INIT;
	const char *other = catalog_events[1].name;
	int most = (int)(strlen(other) > strlen("user-created") ? strlen(other) : strlen("user-created"));
	buffer_printf(&lines,
	              "     5  %-*s  details.a [unknown-key]\n"
	              "     5  %-*s  /details/a.b [unknown-key]\n"
	              "     4  %-*s  details.a [empty-string]\n"
	              "     1  %-*s  [json-syntax]\n",
	              most, "2 events", most, "user-created", most, "user-created", most, other);
	expect(&groups, true, buffer_text(&lines));
	buffer_append_text(&lines, "5 of them not shown, -v prints all\n");
	expect(&groups, false, buffer_text(&lines));
	finding_groups_release(&groups);
}

TEST(files_none_of_whose_findings_is_printed_are_named)
{
	struct finding_groups groups = { .items = NULL }, sum = { .items = NULL };
	static const char names[FINDING_GROUP_FILES + 2][4] = { "f00", "f01", "f02", "f03", "f04", "f05",
		                                                "f06", "f07", "f08", "f09", "f10", "f11" };
	struct finding_group *group = add(&groups, FINDING_UNKNOWN_KEY, 0, "/a", 5);
	finding_group_add_file(group, names[0], true);
	finding_group_add_file(group, names[0], false);
	finding_group_add_file(group, names[1], false);
	finding_group_add_file(group, names[1], false);
	finding_group_add_file(group, names[2], false);
	assert_int_equal(group->file_count, 2);
	assert_true(finding_groups_add(&sum, &groups));
	finding_groups_clear(&groups);
	group = add(&groups, FINDING_UNKNOWN_KEY, 0, "/a", 11);
	for (size_t i = 2; i < FINDING_GROUP_FILES + 2; i++)
		finding_group_add_file(group, names[i], false);
	assert_true(finding_groups_add(&sum, &groups)); /* f02 goes on */
	sum.items[0].shown = 1;
	expect(&sum, false,
	       "a [unknown-key]: 15 more in user-created, -v prints all\n"
	       "    also in f01, f02, f03, f04, f05, f06, f07, f08, f09, f10, 1 more file\n");
	finding_groups_release(&groups);
	finding_groups_release(&sum);
}

TEST(a_place_may_have_a_nul_in_it)
{
	static const char one[] = "/details/a\0one of many", two[] = "/details/a\0two of many";
	struct finding_groups groups = { .items = NULL };
	struct finding_group like = { .id = FINDING_UNKNOWN_KEY };
	bool no_memory = false;
	for (int i = 0; i < 3; i++) {
		finding_groups_get(&groups, &like, (struct text)TEXT(one), FINDING_GROUPS_MAX, &no_memory);
		finding_groups_get(&groups, &like, (struct text)TEXT(two), FINDING_GROUPS_MAX, &no_memory);
	}
	assert_int_equal(groups.count, 2);
	finding_groups_release(&groups);
}

TEST(three_findings_need_no_table)
{
	struct finding_groups groups = { .items = NULL };
	add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/a", 1)->shown = 1;
	add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/b", 2)->shown = 2;
	expect(&groups, false, "");
	finding_groups_release(&groups);
}

TEST(so_many_are_told_apart)
{
	struct finding_groups groups = { .items = NULL }, sum = { .items = NULL };
	char place[32];
	for (int i = 0; i < FINDING_GROUPS_MAX; i++) {
		snprintf(place, sizeof place, "/details/%d", i);
		assert_non_null(add(&groups, FINDING_UNKNOWN_KEY, 0, place, 2));
	}
	assert_null(add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/more", 1));
	assert_non_null(add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/999", 1));
	assert_int_equal(groups.others, 1);
	add(&sum, FINDING_UNKNOWN_KEY, 0, "/details/first", 1);
	assert_true(finding_groups_add(&sum, &groups));
	assert_int_equal(sum.count, FINDING_GROUPS_MAX);
	assert_int_equal(sum.others, 1 + 3); /* and the last one, for which the first one left no room */
	RELEASED(buffer) out = BUFFER_INIT;
	finding_groups_append(&sum, false, 80, false, &out);
	/* 20 rows, how many others there are, and how to see them */
	assert_int_equal(text_count_lines(buffer_text(&out), out.length), 22);
	assert_non_null(strstr(buffer_text(&out), "\n 1,963  others\n2,003 of them not shown, -v prints all\n"));
	finding_groups_clear(&groups);
	assert_int_equal(groups.count + groups.others, 0);
	assert_non_null(add(&groups, FINDING_UNKNOWN_KEY, 0, "/details/more", 1));
	finding_groups_release(&groups);
	finding_groups_release(&sum);
}
