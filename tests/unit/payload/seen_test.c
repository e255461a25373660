/* What valid payloads have does not depend on which thread came upon which of them, nor on their order. */
#include "payload/places.h"
#include "payload/seen.h"
#include "payload/support.h"
#include "test.h"

#define PARTS_MAX 3

/* A bureau-alert with a further member of details. */
static const struct verdict *check_member(struct checker *checker, const char *member, struct buffer *text)
{
	RELEASED(buffer) with = BUFFER_INIT;
	support_build(support_kind("bureau-alert"), text);
	buffer_printf(&with, "\"details\":{\"x\":%s,", member);
	support_replace(text, "\"details\":{", buffer_text(&with));
	return support_check(checker, buffer_text(text));
}

/* {"k0":1,...} of that many keys, from that number on. */
static void append_keys(struct buffer *out, int from, int count, const char *value)
{
	buffer_append_byte(out, '{');
	for (int i = from; i < from + count; i++)
		buffer_printf(out, "%s\"k%d\":%s", i > from ? "," : "", i, value);
	buffer_append_byte(out, '}');
}

/* The members that one side has, divided among `parts` of them by the digits of `how` to that base, then merged. */
static struct seen *divided(struct checker *checker, const struct buffer *members, size_t count, size_t parts,
                            size_t how)
{
	struct error err;
	struct seen *part[PARTS_MAX], *all = seen_new(&err);
	assert_non_null(all);
	for (size_t i = 0; i < parts; i++)
		assert_non_null(part[i] = seen_new(&err));
	for (size_t i = 0; i < count; i++, how /= parts) {
		RELEASED(buffer) text = BUFFER_INIT;
		const struct verdict *v = check_member(checker, buffer_text(&members[i]), &text);
		assert_true(seen_add(part[how % parts], v, false));
	}
	for (size_t i = parts; i-- > 0;) {
		assert_true(seen_merge(all, part[i]));
		seen_free(part[i]);
	}
	assert_true(seen_seal(all));
	return all;
}

static void append_unseen(struct checker *checker, struct seen *seen, const char *member, struct buffer *out)
{
	RELEASED(buffer) text = BUFFER_INIT, line = BUFFER_INIT;
	checker_set_seen(checker, seen, "others");
	support_describe(check_member(checker, member, &text), &line);
	checker_set_seen(checker, NULL, NULL);
	buffer_printf(out, "%s\n", buffer_text(&line));
}

CHECKER_TEST(however_they_are_divided_they_have_the_same)
{
	enum { MEMBERS = 6, PROBES = 8 };
	struct buffer members[MEMBERS] = { BUFFER_INIT }, probes[PROBES] = { BUFFER_INIT };
	/* Together more keys than are names, no payload alone; what is inside them differs. */
	append_keys(&members[0], 0, 20, "1");
	append_keys(&members[1], 15, 17, "{\"a\":1}");
	append_keys(&members[2], 32, 1, "{\"b\":[null]}");
	buffer_append_text(&members[3], "\"text\"");
	append_keys(&members[4], 40, 1, "{\"a\":\"x\",\"b\":[[]]}");
	append_keys(&members[5], 0, 32, "1");
	append_keys(&probes[0], 90, 1, "2");
	append_keys(&probes[1], 90, 1, "true");
	append_keys(&probes[2], 0, 1, "{\"b\":[[],null,{}]}");
	append_keys(&probes[3], 90, 1, "{\"c\":1}");
	append_keys(&probes[4], 90, 40, "{\"a\":false}");
	append_keys(&probes[5], 7, 1, "{\"a\":{}}");
	buffer_append_text(&probes[6], "[]");
	buffer_append_text(&probes[7], "\"other\"");
	for (size_t count = 1; count <= MEMBERS; count++) {
		RELEASED(buffer) expected = BUFFER_INIT;
		for (size_t parts = 1; parts <= PARTS_MAX; parts++) {
			size_t ways = 1;
			for (size_t i = 0; i < count; i++)
				ways *= parts;
			for (size_t how = 0; how < ways; how++) {
				RELEASED(buffer) got = BUFFER_INIT;
				struct seen *seen = divided(*state, members, count, parts, how);
				for (size_t i = 0; i < PROBES; i++)
					append_unseen(*state, seen, buffer_text(&probes[i]), &got);
				seen_free(seen);
				if (expected.length == 0)
					buffer_append_text(&expected, buffer_text(&got));
				if (strcmp(buffer_text(&got), buffer_text(&expected)) != 0)
					fail_msg("%zu of %zu parts, %zu:\n%sinstead of\n%s", how, parts, count,
					         buffer_text(&got), buffer_text(&expected));
			}
		}
	}
	for (size_t i = 0; i < MEMBERS; i++)
		buffer_release(&members[i]);
	for (size_t i = 0; i < PROBES; i++)
		buffer_release(&probes[i]);
}

CHECKER_TEST(what_is_there_is_not_new)
{
	RELEASED(buffer) out = BUFFER_INIT;
	struct buffer members[3] = { BUFFER_INIT };
	append_keys(&members[0], 0, 33, "1");
	append_keys(&members[1], 0, 32, "[{\"a\":null},[1,[true]],{}]");
	buffer_append_text(&members[2], "{\"\":{\"\\u0061.~/\":[]}}");
	for (size_t i = 0; i < 3; i++) {
		struct seen *seen = divided(*state, members, i + 1, 1, 0);
		for (size_t known = 0; known <= i; known++)
			append_unseen(*state, seen, buffer_text(&members[known]), &out);
		seen_free(seen);
	}
	assert_string_equal(buffer_text(&out), "\n\n\n\n\n\n");
	for (size_t i = 0; i < 3; i++)
		buffer_release(&members[i]);
}
