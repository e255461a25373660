/* What a text has to look like, at each edge and one past it, and the mistake behind one that does not. */
#include "payload/form.h"
#include "payload/support.h"
#include "test.h"

struct text_case {
	const char *text;
	bool fits;
};

static void assert_form(enum catalog_type type, const struct text_case *cases, size_t count)
{
	const struct catalog_member member = { NULL, type };
	for (size_t i = 0; i < count; i++)
		if (form_fits(&member, cases[i].text, strlen(cases[i].text)) != cases[i].fits)
			fail_msg("<%s> should%s fit %s", cases[i].text, cases[i].fits ? "" : " not", form_type(type));
}

#define ASSERT_FORM(type, cases) assert_form(type, cases, sizeof(cases) / sizeof(cases)[0])

TEST(a_uuid_has_36_characters_and_its_dashes_in_place)
{
	static const struct text_case cases[] = {
		{ "00000000-0000-0000-0000-000000000000", true },
		{ "01234567-89ab-cdef-ABCD-EF0123456789", true },
		{ "ffffffff-ffff-ffff-ffff-fffffffffff", false },   /* 35 */
		{ "ffffffff-ffff-ffff-ffff-fffffffffffff", false }, /* 37 */
		{ "", false },
		{ "gfffffff-ffff-ffff-ffff-ffffffffffff", false },
		{ "ffffffff-ffff-ffff-ffff-fffffffffffG", false },
		{ "ffffffff-ffff-ffff-ffff-ffffffffff-f", false },
		{ "fffffff-fffff-ffff-ffff-ffffffffffff", false },
		{ "ffffffff-ffff-ffff-fffff-fffffffffff", false },
		{ "ffffffff0ffff-ffff-ffff-ffffffffffff", false },
		{ "------------------------------------", false },
		{ "ffffffff-ffff-ffff-ffff-fffffffffff/", false },
		{ "ffffffff-ffff-ffff-ffff-fffffffffff:", false },
		{ "ffffffff-ffff-ffff-ffff-fffffffffff@", false },
		{ "ffffffff-ffff-ffff-ffff-fffffffffff`", false },
		{ "ffffffff-ffff-ffff-ffff-fffffffff\xC3\xA9"
		  "f",
		  false },
		{ "{fffffff-ffff-ffff-ffff-fffffffffff}", false },
	};
	ASSERT_FORM(CATALOG_UUID, cases);
	/* Any one of the 36 characters wrong is seen. */
	for (size_t i = 0; i < 36; i++) {
		char text[] = "ffffffff-ffff-ffff-ffff-ffffffffffff";
		text[i] = text[i] == '-' ? 'f' : '-';
		assert_false(form_is_uuid(text, 36));
		text[i] = '\0';
		assert_false(form_is_uuid(text, 36));
	}
}

/* As a table or a log has it: with hyphens or without, amid other text. */
TEST(a_uuid_is_found_at_the_beginning_of_a_text)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{ "01234567-89ab-cdef-ABCD-EF0123456789", 36 },
		{ "01234567-89ab-cdef-ABCD-EF0123456789|x", 36 },
		{ "0123456789abcdefABCDEF0123456789", 32 },
		{ "0123456789abcdefABCDEF0123456789 x", 32 },
		{ "0123456789abcdefABCDEF0123456789-x", 32 },
		{ "01234567-89ab-cdef-ABCD-EF01234567890", 0 },
		{ "0123456789abcdefABCDEF01234567890", 0 },
		{ "0123456789abcdefABCDEF012345678", 0 },
		{ "01234567-89ab-cdef-ABCD-EF012345678", 0 },
		{ "01234567-89abcdefABCDEF0123456789", 0 },
		{ "01234567-89ab-cdef-ABCDEF-0123456789", 0 },
		{ "g123456789abcdefABCDEF0123456789", 0 },
		{ "", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char digits[FORM_UUID_DIGITS + 1];
		size_t length = form_uuid_length(cases[i].text, strlen(cases[i].text), digits);
		if (length != cases[i].length)
			fail_msg("<%s>: %zu", cases[i].text, length);
		if (length > 0)
			assert_string_equal(digits, "0123456789abcdefabcdef0123456789");
	}
}

TEST(booleans_and_integers_in_strings_are_exact)
{
	static const struct text_case booleans[] = {
		{ "true", true },   { "false", true },  { "True", false },   { "TRUE", false }, { "tru", false },
		{ "truee", false }, { " true", false }, { "falsee", false }, { "", false },     { "1", false },
	};
	static const struct text_case integers[] = {
		{ "0", true },         { "-12", true },   { "+5", true },   { "007", true },
		{ "-0", true },        { "", false },     { "-", false },   { "+", false },
		{ "--1", false },      { "1.0", false },  { "1e3", false }, { " 1", false },
		{ "1 ", false },       { "0x10", false }, { "1_0", false }, { "99999999999999999999999999", true },
		{ "\xD9\xA1", false }, /* an Arabic digit */
	};
	ASSERT_FORM(CATALOG_BOOLEAN_TEXT, booleans);
	ASSERT_FORM(CATALOG_INTEGER_TEXT, integers);
	assert_true(form_fits(&(struct catalog_member){ NULL, CATALOG_STRING }, "", 0));
}

TEST(a_number_is_an_integer_by_its_value)
{
	static const struct {
		const char *text;
		bool is_integer;
	} cases[] = {
		{ "0", true },
		{ "-0", true },
		{ "123456789012345678901234567890", true },
		{ "15.0", true },
		{ "-15.000", true },
		{ "0.0", true },
		{ "0e0", true },
		{ "0.00e-99", true },
		{ "1e3", true },
		{ "1E+3", true },
		{ "1.5e1", true },
		{ "1.50e1", true },
		{ "150e-1", true },
		{ "1e99999999999999999999", true },
		{ "0e-99999999999999999999", true },
		{ "15.5", false },
		{ "0.1", false },
		{ "1.55e1", false },
		{ "15e-1", false },
		{ "1e-1", false },
		{ "1e-99999999999999999999", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (form_is_integer_number(cases[i].text, strlen(cases[i].text)) != cases[i].is_integer)
			fail_msg("%s", cases[i].text);
}

TEST(a_choice_is_one_of_its_values_to_the_letter)
{
	const struct catalog_field *field = catalog_field_named("disputeStatus");
	assert_string_equal(form_choice(field, "Submission", 10)->name, "Submission");
	assert_non_null(form_choice(field, "Completion", 10));
	assert_null(form_choice(field, "submission", 10));
	assert_null(form_choice(field, "Submissio", 9));
	assert_null(form_choice(field, "Submission ", 11));
	assert_null(form_choice(field, "", 0));
}
