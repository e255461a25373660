/* Shapes: what may differ within one, what makes another, and the names of the files. */
#include "json/print.h"
#include "payload/codes.h"
#include "payload/places.h"
#include "payload/shape.h"
#include "payload/support.h"
#include "payload/variants.h"
#include "test.h"

#include <stdio.h>

struct world {
	struct checker *checker;
	struct shaper *shaper;
};

static int set_up(void **state)
{
	struct error err;
	struct world *w = calloc(1, sizeof *w);
	*state = w;
	return w && (w->checker = checker_new(&err)) && (w->shaper = shaper_new(&err)) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	checker_free(w->checker);
	shaper_free(w->shaper);
	free(w);
	return 0;
}

#define SHAPE_TEST(name) TEST_WITH(name, set_up, tear_down)

struct shape {
	unsigned char id[SHAPE_ID_SIZE];
};

static struct shape shape(struct world *w, const char *text)
{
	struct error err;
	struct shape shape;
	assert_int_equal(shape_of(w->shaper, support_check(w->checker, text), shape.id, &err), 0);
	return shape;
}

static bool same(struct world *w, const char *a, const char *b)
{
	struct shape x = shape(w, a), y = shape(w, b);
	return memcmp(x.id, y.id, SHAPE_ID_SIZE) == 0;
}

/* A payload of one place, /details/x, with that value; no event has it. */
static bool same_values(struct world *w, const char *a, const char *b)
{
	RELEASED(buffer) x = BUFFER_INIT, y = BUFFER_INIT;
	buffer_printf(&x, "{\"service\":\"none\",\"details\":{\"x\":%s}}", a);
	buffer_printf(&y, "{\"service\":\"none\",\"details\":{\"x\":%s}}", b);
	assert_true(support_check(w->checker, buffer_text(&x))->doc->count > 0); /* it is JSON */
	return same(w, buffer_text(&x), buffer_text(&y));
}

SHAPE_TEST(a_payload_in_another_spelling_has_its_shape)
{
	static const enum json_style styles[] = { JSON_PRETTY, JSON_REVERSED, JSON_ESCAPED_STRINGS };
	RELEASED(buffer) base = BUFFER_INIT, other = BUFFER_INIT;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		support_build(catalog_kind_at(k), &base);
		for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
			struct json_doc doc = JSON_DOC_INIT;
			buffer_clear(&other);
			assert_true(json_read(&doc, base.data, base.length, NULL));
			json_print(&doc, 0, styles[i], &other);
			json_doc_release(&doc);
			assert_true(same(*state, base.data, buffer_text(&other)));
		}
	}
}

SHAPE_TEST(kinds_have_shapes_of_their_own)
{
	struct shape shapes[64];
	RELEASED(buffer) base = BUFFER_INIT;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		support_build(catalog_kind_at(k), &base);
		shapes[k] = shape(*state, base.data);
		for (size_t i = 0; i < k; i++)
			assert_memory_not_equal(shapes[i].id, shapes[k].id, SHAPE_ID_SIZE);
	}
}

SHAPE_TEST(what_a_value_says_does_not_matter_what_it_is_does)
{
	struct world *w = *state;
	assert_true(same_values(w, "1", "2.5e3"));
	assert_true(same_values(w, "true", "false"));
	assert_true(same_values(w, "\"a\"", "\"\\u0062c\""));
	assert_true(same_values(w, "[1]", "[1,2,3]"));
	assert_true(same_values(w, "[{\"a\":1},{\"b\":1}]", "[{\"b\":1,\"a\":1}]"));
	assert_true(same_values(w, "{\"a\":1,\"b\":2}", "{\"\\u0062\":2,\"\\u0061\":1}"));
	assert_false(same_values(w, "1", "\"1\""));
	assert_false(same_values(w, "null", "false"));
	assert_false(same_values(w, "[]", "[1]"));
	assert_false(same_values(w, "[1]", "[1,\"1\"]"));
	assert_false(same_values(w, "{}", "{\"a\":1}"));
	assert_false(same_values(w, "{\"a\":{\"b\":1}}", "{\"a\":1,\"b\":1}"));
	assert_false(same_values(w, "{\"ab\":1}", "{\"a\":1}"));
	assert_false(same_values(w, "{\"\":1}", "[1]"));
	assert_false(same_values(w, "{\"\":1}", "{}"));
}

/* {"k0":1,...} with these members, in one order or the other. */
static void many(size_t first, size_t count, bool backwards, struct buffer *out)
{
	buffer_append_byte(out, '{');
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, "%s\"k%zu\":1", i > 0 ? "," : "", first + (backwards ? count - 1 - i : i));
	buffer_append_byte(out, '}');
}

SHAPE_TEST(many_members_are_known_by_their_types)
{
	struct world *w = *state;
	RELEASED(buffer) names = BUFFER_INIT, others = BUFFER_INIT, more = BUFFER_INIT, even_more = BUFFER_INIT;
	many(0, PLACES_NAMES_MAX, false, &names);
	many(1, PLACES_NAMES_MAX, false, &others);
	many(0, PLACES_NAMES_MAX + 1, false, &more);
	many(7, PLACES_NAMES_MAX + 9, true, &even_more);
	assert_false(same_values(w, names.data, others.data));
	assert_false(same_values(w, names.data, more.data));
	assert_true(same_values(w, more.data, even_more.data));
}

/* {"k0":1,...},{"k20":1,...}: together they have more than are names. */
SHAPE_TEST(elements_share_their_names_in_any_order)
{
	static const char few[] = "{\"k3\":\"x\",\"y\":true}";
	for (int form = 0; form < 4; form++) {
		RELEASED(buffer) one = BUFFER_INIT, other = BUFFER_INIT;
		for (int i = 0; i < 2; i++) {
			struct buffer *out = i == 0 ? &one : &other;
			bool backwards = form % 2 == 1 && i == 1, few_first = form < 2 || i == 0;
			buffer_printf(out, "[%s%s", few_first ? few : "", few_first ? "," : "");
			many(0, 20, backwards, out);
			buffer_append_byte(out, ',');
			many(20, 20, backwards, out);
			buffer_printf(out, "%s%s]", few_first ? "" : ",", few_first ? "" : few);
		}
		assert_true(same_values(*state, one.data, other.data));
	}
}

SHAPE_TEST(score_modifiers_are_known_by_their_types)
{
	static const char text[] = "{\"service\":\"score-simulator\",\"event\":\"200\",\"method\":\"post\","
	                           "\"path\":\"/api/report/v2/score-simulator\",\"details\":{\"appKey\":"
	                           "\"5c8a2c1e-7f0b-4d39-9c58-0a1b2c3d4e5f\",\"userId\":\"u\",\"clientKey\":\"c\","
	                           "\"reportKey\":\"5c8a2c1e-7f0b-4d39-9c58-0a1b2c3d4e5f\",\"scoreModifiers\":%s,"
	                           "\"change\":\"%s\"}}";
	static const struct {
		const char *modifiers, *change;
		bool same;
	} rows[] = {
		{ "{\"payments\":3}", "12", true },
		{ "{\"a\":1,\"b\":2}", "7", true },
		{ "{\"a\":\"1\"}", "12", false },
		{ "{\"a\":1,\"b\":\"2\"}", "12", false },
		{ "{}", "12", false },
		{ "{\"payments\":3}", "-12", false },
		{ "{\"payments\":3}", "+12", false },
		{ "{\"payments\":3}", "twelve", false },
	};
	RELEASED(buffer) base = BUFFER_INIT, other = BUFFER_INIT;
	buffer_printf(&base, text, "{\"limit\":1000}", "24");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		buffer_clear(&other);
		buffer_printf(&other, text, rows[i].modifiers, rows[i].change);
		if (same(*state, base.data, other.data) != rows[i].same)
			fail_msg("%s, %s", rows[i].modifiers, rows[i].change);
	}
}

SHAPE_TEST(the_value_of_a_closed_field_belongs_to_it)
{
	RELEASED(buffer) base = BUFFER_INIT, other = BUFFER_INIT;
	support_build(support_kind("bureau-alert"), &base);
	buffer_append(&other, base.data, base.length);
	support_replace(&other, "\"Submission\"", "\"Completion\"");
	assert_false(same(*state, base.data, other.data));
	support_build(support_kind("credit-report-ordered"), &base);
	buffer_clear(&other);
	buffer_append(&other, base.data, base.length);
	support_replace(&other, "\"false\"", "\"true\"");
	assert_false(same(*state, base.data, other.data));
}

SHAPE_TEST(findings_belong_to_it_where_they_are)
{
	RELEASED(buffer) base = BUFFER_INIT, no_uuid = BUFFER_INIT, other = BUFFER_INIT;
	support_build(support_kind("authentication-failed"), &base);
	buffer_append(&no_uuid, base.data, base.length);
	support_replace(&no_uuid, "\"appKey\":\"", "\"appKey\":\"x");
	assert_false(same(*state, base.data, no_uuid.data));
	buffer_append(&other, base.data, base.length);
	support_replace(&other, "\"authToken\":\"", "\"authToken\":\"x");
	assert_false(same(*state, no_uuid.data, other.data));
	assert_true(same(*state, "{\"service\":", "[1,"));
	assert_false(same(*state, "{}", "{"));
	assert_false(same(*state, "{\"x\":1,\"x\":2}", "{\"x\":1}"));
}

SHAPE_TEST(codes_are_named_with_their_values)
{
	struct world *w = *state;
	struct error err;
	const struct catalog_field *field;
	struct text value;
	struct shape base, one, other;
	RELEASED(buffer) text = BUFFER_INIT;
	support_build(support_kind("bureau-alert"), &text);
	support_replace(&text, "\"alertType\":\"", "\"alertType\":\"\\u0041");
	base = shape(w, text.data);
	const struct verdict *verdict = support_check(w->checker, text.data);
	assert_true(shape_code(w->shaper, verdict, 0, &field, &value));
	assert_string_equal(field->name, "bureau");
	assert_int_equal(shape_with_code(w->shaper, base.id, field, value, one.id, &err), 0);
	assert_true(shape_code(w->shaper, verdict, 1, &field, &value));
	assert_string_equal(field->name, "alertType");
	assert_int_equal(value.text[0], 'A');
	assert_int_equal(shape_with_code(w->shaper, base.id, field, value, other.id, &err), 0);
	assert_memory_not_equal(one.id, other.id, SHAPE_ID_SIZE);
	assert_false(shape_code(w->shaper, verdict, 2, &field, &value));
	support_build(support_kind("user-created"), &text);
	assert_false(shape_code(w->shaper, support_check(w->checker, text.data), 0, &field, &value));
}

TEST(no_event_has_more_codes_than_are_kept)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		size_t codes = 0;
		for (size_t at = 0; at < catalog_events[i].detail_count; at++)
			codes += catalog_events[i].details[at].field->privacy == CATALOG_CODE;
		assert_true(codes <= CODES_MAX);
	}
}

TEST(files_are_named_by_shapes)
{
	static const unsigned char id[SHAPE_ID_SIZE] = { 0x9f, 0x3c, 0x21, 0xaa, 0x05 };
	static const char *const others[] = {
		"bureau-alert.json",          "bureau-alert-1.json",        "-9f3c21aa.json",
		"bureau-alert-9f3c21aa",      "bureau-alert-9F3C21AA.json", "bureau-alert9f3c21aa.json",
		"bureau-alert-9f3c21aa0.json"
	};
	char name[SHAPE_FILE_NAME_SIZE];
	shape_file_name(support_kind("monitored-element-added/medical-id"), id, SHAPE_FILE_DIGITS, name);
	assert_string_equal(name, "monitored-element-added-medical-id-9f3c21aa.json");
	assert_true(shape_is_file_name(name));
	shape_file_name((struct catalog_kind){ NULL, NULL }, id, 10, name);
	assert_string_equal(name, "unknown-9f3c21aa05.json");
	assert_true(shape_is_file_name(name));
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		shape_file_name(catalog_kind_at(k), id, (size_t)2 * SHAPE_ID_SIZE, name);
		assert_true(shape_is_file_name(name));
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (shape_is_file_name(others[i]))
			fail_msg("%s", others[i]);
}
