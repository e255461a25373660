/* For the tests of the payload room: built payloads, and verdicts as one line of text. */
#ifndef CREDHOOK_TESTS_PAYLOAD_SUPPORT_H
#define CREDHOOK_TESTS_PAYLOAD_SUPPORT_H

#include "base/buffer.h"
#include "json/pointer.h"
#include "payload/build.h"
#include "payload/check.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static inline struct catalog_kind support_kind(const char *name)
{
	struct catalog_kind kind;
	const char *nearest;
	assert_int_equal(catalog_find_kind(name, &kind, &nearest), CATALOG_FOUND);
	return kind;
}

static inline void support_build(struct catalog_kind kind, struct buffer *out)
{
	const struct story story = { .seed = 1, .customer = 1, .serial = 1, .as_specified = true };
	struct error err;
	buffer_clear(out);
	assert_int_equal(build_payload(kind, &story, out, &err), 0);
}

/* "finding@pointer finding@pointer": what a verdict comes to. */
static inline void support_describe(const struct verdict *verdict, struct buffer *out)
{
	struct json_pointer_walk walk;
	json_pointer_walk_init(&walk, verdict->doc);
	buffer_clear(out);
	for (size_t i = 0; i < verdict->finding_count; i++) {
		buffer_printf(out, "%s%s@", i > 0 ? " " : "", finding_rows[verdict->findings[i].id].name);
		verdict_append_pointer(verdict, &verdict->findings[i], &walk, out);
	}
}

static inline const struct verdict *support_check(struct checker *checker, const char *text)
{
	struct error err;
	const struct verdict *verdict = check_payload(checker, text, strlen(text), NULL, &err);
	assert_non_null(verdict);
	return verdict;
}

static inline int support_checker(void **state)
{
	struct error err;
	*state = checker_new(&err);
	return *state ? 0 : -1;
}

static inline int support_checker_free(void **state)
{
	checker_free(*state);
	return 0;
}

/* A test with a checker: *state. */
#define CHECKER_TEST(name) TEST_WITH(name, support_checker, support_checker_free)

/* Puts `to` in the place of the one `from` in the text. */
static inline void support_replace(struct buffer *text, const char *from, const char *to)
{
	const char *at = strstr(buffer_text(text), from);
	if (!at)
		fail_msg("no %s in %s", from, buffer_text(text));
	struct buffer edited = BUFFER_INIT;
	buffer_append(&edited, text->data, (size_t)(at - text->data));
	buffer_append_text(&edited, to);
	buffer_append_text(&edited, at + strlen(from));
	buffer_release(text);
	*text = edited;
}

#endif
