/* --variants: each is valid, together they have every value of the catalogue, and what they do not mean to change
 * stays. */
#include "json/located.h"
#include "payload/support.h"
#include "payload/variants.h"
#include "test.h"

#include <stdio.h>

static void apply(const struct variant *variant, struct catalog_kind kind, const char *text, struct buffer *out)
{
	struct error err;
	buffer_clear(out);
	if (variant_apply(variant, text, strlen(text), out, &err) < 0)
		fail_msg("%s of %s: %s", variant->name, kind.event->name, err.message);
}

static void find(const char *event, const char *name, struct variant *variant)
{
	struct catalog_kind kind = support_kind(event);
	for (size_t i = 0; i < variant_count(kind); i++) {
		variant_at(kind, i, variant);
		if (strcmp(variant->name, name) == 0)
			return;
	}
	fail_msg("%s has no variant %s", event, name);
}

CHECKER_TEST(each_is_another_valid_payload)
{
	RELEASED(buffer) base = BUFFER_INIT, made = BUFFER_INIT, seen = BUFFER_INIT, names = BUFFER_INIT;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		struct catalog_kind kind = catalog_kind_at(k);
		support_build(kind, &base);
		buffer_clear(&names);
		assert_true(variant_count(kind) <= VARIANTS_MAX);
		for (size_t i = 0; i < variant_count(kind); i++) {
			struct variant variant;
			char line[VARIANT_NAME_SIZE + 2];
			variant_at(kind, i, &variant);
			apply(&variant, kind, buffer_text(&base), &made);
			support_describe(support_check(*state, buffer_text(&made)), &seen);
			if (seen.length > 0)
				fail_msg("%s of %s: %s", variant.name, kind.event->name, buffer_text(&seen));
			if (strcmp(base.data, made.data) == 0)
				fail_msg("%s of %s changes nothing", variant.name, kind.event->name);
			snprintf(line, sizeof line, " %s ", variant.name);
			if (strpbrk(variant.name, " /") || strstr(buffer_text(&names), line))
				fail_msg("%s has two variants %s", kind.event->name, variant.name);
			buffer_append_text(&names, line);
		}
	}
}

static bool is_made(const struct catalog_others *others, const struct catalog_other *other)
{
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		struct catalog_kind kind = catalog_kind_at(k);
		for (size_t i = 0; i < variant_count(kind); i++) {
			struct variant variant;
			variant_at(kind, i, &variant);
			if (variant.other == other && variant.member->type == others->type &&
			    (!others->field || variant.member->field == others->field))
				return true;
		}
	}
	return false;
}

TEST(together_they_have_every_value)
{
	for (size_t i = 0; i < catalog_others_count; i++) {
		const struct catalog_others *others = &catalog_others[i];
		for (size_t v = 0; v < others->count; v++)
			if (!is_made(others, &others->values[v]))
				fail_msg("nothing has the value %s of %s", others->values[v].name,
				         others->field ? others->field->name : catalog_type_name(others->type));
	}
}

TEST(each_field_but_address_has_one)
{
	for (size_t i = 0; i < catalog_field_count; i++) {
		const struct catalog_member member = { catalog_fields[i], catalog_fields[i]->type };
		if (!catalog_others_of(&member) && (member.field->member_count == 0 || member.field->open_members))
			fail_msg("%s has one value only", member.field->name);
	}
}

TEST(a_value_is_exactly_the_row_s)
{
	static const struct {
		const char *event, *name, *text;
	} cases[] = {
		{ "credit-report-ordered", "offCycle=true", "\"offCycle\":\"true\"" },
		{ "credit-score-simulated", "change=+7", "\"change\":\"+7\"" },
		{ "credit-score-simulated", "scoreModifiers=empty", "\"scoreModifiers\":{}," },
		{ "bureau-alert", "disputeStatus=Completion", "\"disputeStatus\":\"Completion\"" },
		{ "bureau-alert", "alertDetails=further-text",
		  "{\"disputeStatus\":\"Submission\",\"sampleDetail\":\"sample\"}" },
		{ "bureau-alert", "alertId=2^53+1", "\"alertId\":9007199254740993," },
		{ "bureau-alert", "alertId=10^30", "\"alertId\":1000000000000000000000000000000," },
		{ "user-created", "lastName=quotes", "\"lastName\":\"The \\\"Sample\\\"\"" },
		{ "user-created", "city=emoji", "\"city\":\"Sample \xF0\x9F\x98\x80\"" },
	};
	RELEASED(buffer) base = BUFFER_INIT, made = BUFFER_INIT;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct variant variant;
		find(cases[i].event, cases[i].name, &variant);
		support_build(support_kind(cases[i].event), &base);
		apply(&variant, support_kind(cases[i].event), buffer_text(&base), &made);
		if (!strstr(buffer_text(&made), cases[i].text))
			fail_msg("%s: %s", cases[i].name, buffer_text(&made));
	}
}

TEST(the_rest_stays_as_edits_left_it)
{
	static const struct {
		const char *event, *name, *before, *after;
	} cases[] = {
		{ "bureau-alert", "key-order", "{\"a\": 1e400, \"b\":[1,{\"c\":\"\\n\",\"d\":{}}]}",
		  "{\"b\":[1,{\"d\":{},\"c\":\"\\n\"}],\"a\":1e400}" },
		{ "bureau-alert", "escapes", "{\"\xC3\xA9\":[\"\\\"\\u00e9\",\"\xF0\x9F\x98\x80\",\"\",-0,null]}",
		  "{\"\\u00e9\":[\"\\u0022\\u00e9\",\"\\ud83d\\ude00\",\"\",-0,null]}" },
		{ "bureau-alert", "whitespace", "{\"a\":[1]}", "{\n  \"a\": [\n    1\n  ]\n}" },
		{ "bureau-alert", "alertDetails=further-text", "{\"details\":{\"alertDetails\":{\"x\":1},\"n\":1.50}}",
		  "{\"details\":{\"alertDetails\":{\"x\":1,\"sampleDetail\":\"sample\"},\"n\":1.50}}" },
		{ "bureau-alert", "appKey=upper", "{\"details\":{\"appKey\":null}}",
		  "{\"details\":{\"appKey\":null}}" },
		{ "bureau-alert", "appKey=upper", "{\"details\":5}", "{\"details\":5}" },
		{ "bureau-alert", "appKey=upper", "{\"details\":{\"appKey\":\"x\\u00e9\"}}",
		  "{\"details\":{\"appKey\":\"X\xC3\xA9\"}}" },
		{ "bureau-alert", "clientKey=short", "{\"details\":{\"clientKey\":\"abcdefg\xC3\xA9\"}}",
		  "{\"details\":{\"clientKey\":\"abcdefg\"}}" },
		{ "bureau-alert", "clientKey=short", "{\"details\":{\"clientKey\":\"abc\"}}",
		  "{\"details\":{\"clientKey\":\"abc\"}}" },
	};
	RELEASED(buffer) made = BUFFER_INIT;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct variant variant;
		find(cases[i].event, cases[i].name, &variant);
		apply(&variant, support_kind(cases[i].event), cases[i].before, &made);
		if (strcmp(buffer_text(&made), cases[i].after) != 0)
			fail_msg("%s of %s: %s", cases[i].name, cases[i].before, buffer_text(&made));
	}
}
