/* What a child prints is read by a thread: all of it, however much, and the last of it is kept. */
#include "base/child.h"
#include "base/child_output.h"
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define KEPT CHILD_OUTPUT_KEPT

static struct child start(struct child_output *output, const char *script)
{
	const struct child_policy how = { .words = (const char *const[]){ "sh", "-c", script, NULL },
		                          .input = CHILD_NULL,
		                          .output = CHILD_PIPE,
		                          .errors = CHILD_PIPE,
		                          .own_group = true };
	struct child child;
	struct error err;
	assert_int_equal(child_start(&child, &how), 0);
	assert_int_equal(child_output_read(output, child.pipe_fd, &err), 0);
	return child;
}

TEST(test_both_streams_one_after_the_other)
{
	RELEASED(child_output) output;
	RELEASED(buffer) text = BUFFER_INIT;
	struct error err;
	assert_int_equal(child_output_init(&output, &err), 0);
	struct child child = start(&output, "echo out; echo err >&2");
	assert_true(child_wait(&child, -1));
	child_output_stop(&output);
	assert_int_equal(child_output_end(&output), 8);
	child_release(&child);
	close(child.pipe_fd);
	child = start(&output, "echo again");
	assert_true(child_wait(&child, -1));
	child_output_stop(&output);
	assert_int_equal(child_output_append(&output, 0, &text), 0);
	assert_string_equal(buffer_text(&text), "out\nerr\nagain\n");
	buffer_clear(&text);
	assert_int_equal(child_output_append(&output, 8, &text), 0);
	assert_string_equal(buffer_text(&text), "again\n");
	buffer_clear(&text);
	assert_int_equal(child_output_append(&output, 10, &text), CHILD_OUTPUT_AMID);
	assert_string_equal(buffer_text(&text), "ain\n");
	buffer_clear(&text);
	assert_int_equal(child_output_append(&output, 1000, &text), 0);
	assert_int_equal(text.length, 0);
	child_release(&child);
}

TEST(test_what_it_prints_is_bounded)
{
	RELEASED(child_output) output;
	RELEASED(buffer) text = BUFFER_INIT;
	struct error err;
	assert_int_equal(child_output_init(&output, &err), 0);
	struct child child = start(&output, "head -c 1000000 /dev/zero; printf end");
	assert_true(child_wait(&child, 60000)); /* a full pipe would stop it */
	child_output_stop(&output);
	assert_int_equal(child_output_end(&output), 1000003);
	assert_int_equal(child_output_append(&output, 0, &text), CHILD_OUTPUT_LOST);
	child_release(&child);
	assert_in_range(text.length, KEPT, 2 * KEPT);
	assert_memory_equal(text.data + text.length - 4, "\0end", 4);
}

/* What is kept may begin where it is asked for: the byte before it says whether that is within a line. */
TEST(test_a_line_may_begin_where_the_kept_bytes_do)
{
	static const struct {
		const char *script;
		unsigned missing;
	} rows[] = {
		{ "head -c 1000000 /dev/zero", CHILD_OUTPUT_AMID },
		{ "yes '' | head -c 1000000", 0 },
		{ "printf x", 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(child_output) output;
		RELEASED(buffer) text = BUFFER_INIT;
		struct error err;
		assert_int_equal(child_output_init(&output, &err), 0);
		struct child child = start(&output, rows[i].script);
		assert_true(child_wait(&child, 60000));
		child_output_stop(&output);
		child_output_append(&output, 0, &text);
		uint64_t begin = child_output_end(&output) - text.length;
		assert_int_equal(child_output_append(&output, begin, &text), rows[i].missing);
		child_release(&child);
	}
}

/* A pipe that is never found empty, as that of a process that prints without a pause. */
TEST(test_one_that_prints_without_end)
{
	RELEASED(child_output) output;
	struct error err;
	assert_int_equal(child_output_init(&output, &err), 0);
	assert_int_equal(child_output_read(&output, open("/dev/zero", O_RDONLY | O_CLOEXEC), &err), 0);
	while (child_output_end(&output) < 2 * KEPT)
		child_output_settle(&output, 1, 1, NULL);
	child_output_stop(&output);
	assert_true(child_output_end(&output) >= 2 * KEPT);
}

TEST(test_one_that_keeps_its_output_open)
{
	RELEASED(child_output) output;
	RELEASED(buffer) text = BUFFER_INIT;
	struct error err;
	assert_int_equal(child_output_init(&output, &err), 0);
	struct child child = start(&output, "echo up; exec sleep 60");
	while (child_output_end(&output) < 3)
		child_output_settle(&output, 1, 1, NULL);
	assert_int_equal(child_output_append(&output, 3, &text), 0);
	child_output_stop(&output);
	child_end(&child, 1000);
	assert_false(child_is_left(&child));
	assert_int_equal(child_output_append(&output, 0, &text), 0);
	assert_string_equal(buffer_text(&text), "up\n");
}
