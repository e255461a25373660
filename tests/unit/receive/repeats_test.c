/* Whether a body came before, byte for byte or in other bytes. */
#include "receive/repeats.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

struct fixture {
	struct repeats *repeats;
	struct json_doc doc;
	uint64_t seq;
};

/* Notes the body, one second behind the last one. */
static struct repeat note(struct fixture *f, const char *body)
{
	struct json_fault fault;
	bool is_json = json_read(&f->doc, body, strlen(body), &fault);
	struct repeat_key key = repeats_key(f->repeats, body, strlen(body), is_json ? &f->doc : NULL);
	f->seq++;
	return repeats_note(f->repeats, key, f->seq, (int64_t)f->seq * 1000000);
}

static int make(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->repeats = repeats_new();
	json_doc_init(&f->doc);
	*state = f;
	return f->repeats ? 0 : -1;
}

static int release(void **state)
{
	struct fixture *f = *state;
	repeats_free(f->repeats);
	json_doc_release(&f->doc);
	free(f);
	return 0;
}

TEST_WITH(the_same_content_repeats_the_first, make, release)
{
	struct fixture *f = *state;
	assert_int_equal(note(f, "{\"a\":1,\"b\":[true,\"\\u0041\"]}").nth, 0);
	assert_int_equal(note(f, "{\"a\":2}").nth, 0);
	struct repeat identical = note(f, "{\"a\":1,\"b\":[true,\"\\u0041\"]}");
	assert_true(identical.nth == 1 && identical.of == 1 && identical.is_identical);
	assert_int_equal(identical.after_us, 2000000);
	struct repeat changed = note(f, "{ \"b\": [true, \"A\"], \"a\": 1 }");
	assert_true(changed.nth == 2 && changed.of == 1 && !changed.is_identical);
	assert_int_equal(changed.after_us, 1000000);
}

TEST_WITH(other_content_is_new, make, release)
{
	static const char *const bodies[] = { "",          "x",         "{}",          "[]",       "[1,2]",    "[2,1]",
		                              "[[1],2]",   "{\"a\":1}", "{\"a\":[1]}", "\"a\"",    "1",        "1.0",
		                              "{\"1\":1}", "null",      "false",       "not JSON", "not JSON " };
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
		if (note(*state, bodies[i]).nth != 0)
			fail_msg("'%s' is not new", bodies[i]);
	assert_int_equal(note(*state, "not JSON").nth, 1);
}
