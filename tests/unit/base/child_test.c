/* Child processes: what they get, how they end, and that nothing of their group is left. */
#include "base/child.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static struct child start(const char *script, enum child_stream input, enum child_stream output, bool own_group)
{
	const struct child_policy how = { .words = (const char *const[]){ "sh", "-c", script, NULL },
		                          .input = input,
		                          .output = output,
		                          .own_group = own_group };
	struct child child;
	assert_int_equal(child_start(&child, &how), 0);
	return child;
}

static void read_line(const struct child *child, char *line, size_t size)
{
	size_t length = 0;
	while (length + 1 < size && read(child->pipe_fd, line + length, 1) == 1 && line[length] != '\n')
		length++;
	line[length] = '\0';
}

TEST(test_codes)
{
	struct child child = start("exit 3", CHILD_NULL, CHILD_OURS, false);
	assert_true(child_wait(&child, -1));
	assert_int_equal(child.code, 3);
	assert_int_equal(child.signal, 0);
	child = start("kill -9 $$", CHILD_NULL, CHILD_OURS, true);
	assert_int_equal(poll(&(struct pollfd){ .fd = child.fd, .events = POLLIN }, 1, 60000), 1);
	assert_true(child_wait(&child, 60000));
	assert_int_equal(child.code, 137);
	assert_int_equal(child.signal, 9);
	const struct child_policy none = { .words = (const char *const[]){ "/nonsense", NULL }, .input = CHILD_PIPE };
	assert_int_equal(child_start(&child, &none), ENOENT);
	assert_false(child.runs);
	assert_true(child_wait(&child, -1));
	child_end(&child, 0);
}

TEST(test_pipes)
{
	char line[16];
	struct child child = start("read -r line; exit ${#line}", CHILD_PIPE, CHILD_NULL, false);
	assert_int_equal(write(child.pipe_fd, "four\n", 5), 5);
	close(child.pipe_fd);
	assert_true(child_wait(&child, -1));
	assert_int_equal(child.code, 4);
	child = start("cat; echo end", CHILD_NULL, CHILD_PIPE, false);
	read_line(&child, line, sizeof line);
	assert_string_equal(line, "end");
	close(child.pipe_fd);
	assert_true(child_wait(&child, -1));
}

/* It is deaf, and stopped: it ends all the same, and what it started with it. */
TEST(test_all_of_a_group_ends)
{
	char line[16];
	struct child child =
	        start("trap '' TERM; sleep 60 & echo up; kill -STOP $$; wait", CHILD_NULL, CHILD_PIPE, true);
	read_line(&child, line, sizeof line);
	assert_string_equal(line, "up");
	assert_false(child_wait(&child, 0));
	child_end(&child, 10);
	assert_int_equal(child.signal, SIGKILL);
	assert_int_equal(read(child.pipe_fd, line, 1), 0); /* nobody has its other end any more */
	close(child.pipe_fd);

	child = start("sleep 60 & echo up", CHILD_NULL, CHILD_PIPE, true);
	read_line(&child, line, sizeof line);
	assert_true(child_wait(&child, -1));
	child_end(&child, 60000);
	assert_int_equal(child.code, 0);
	assert_int_equal(read(child.pipe_fd, line, 1), 0);
	close(child.pipe_fd);
}

TEST(test_a_stopped_one_gets_a_signal)
{
	struct child child =
	        start("trap 'exit 7' INT; kill -STOP $$; while :; do sleep 0.01; done", CHILD_NULL, CHILD_NULL, true);
	child_signal(&child, SIGINT);
	while (!child_wait(&child, 10)) /* it may not have set its trap */
		child_signal(&child, SIGINT);
	assert_true(child.code == 7 || child.signal == SIGINT);
}
