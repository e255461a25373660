/* Child processes: what they get, how they end, and that nothing of their group is left. */
#include "base/child.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

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
	child_release(&child);
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
	child_release(&child);
}

/* What has ended and is not reaped is not alive, be it the child or what it started. */
TEST(test_a_zombie_is_not_left)
{
	char line[16];
	struct child child = start("(true &); echo up; read -r line; exit 5", CHILD_PIPE, CHILD_NULL, true);
	assert_true(child_is_left(&child));
	assert_int_equal(write(child.pipe_fd, "\n", 1), 1);
	close(child.pipe_fd);
	child.pipe_fd = -1;
	assert_true(child_wait(&child, 60000));
	assert_int_equal(child.code, 5);
	/* The orphan may still be on its way when the shell has ended. */
	while (access("/proc/self/stat", R_OK) == 0 && child_is_left(&child))
		sched_yield();
	child_release(&child);

	child = start("sleep 60 & echo up", CHILD_NULL, CHILD_PIPE, true);
	read_line(&child, line, sizeof line);
	assert_true(child_wait(&child, 60000));
	assert_true(child_is_left(&child)); /* the one that sleeps */
	child_end(&child, 60000);
	assert_false(child_is_left(&child));
	close(child.pipe_fd);
}

/* Nobody else gets its number before that. */
TEST(test_it_keeps_its_number_until_it_is_released)
{
	struct child child = start("exit 0", CHILD_NULL, CHILD_NULL, true);
	pid_t pid = child.known.pid;
	assert_true(child_wait(&child, 60000));
	assert_int_equal(kill(pid, 0), 0);
	child_end(&child, 0);
	assert_int_equal(kill(pid, 0), -1);
	child_end(&child, 0); /* to nobody any more */
	child_kill(&child);
	assert_false(child_is_left(&child));
}

static struct child *start_known(struct child *child, struct signals *signals, const char *script)
{
	const struct child_policy how = { .words = (const char *const[]){ "sh", "-c", script, NULL },
		                          .signals = signals,
		                          .input = CHILD_NULL,
		                          .output = CHILD_PIPE,
		                          .own_group = true };
	assert_int_equal(child_start(child, &how), 0);
	return child;
}

/* A signal that waits ends each wait, and the patience with what is deaf. */
TEST(test_a_signal_ends_the_wait)
{
	struct signals signals = SIGNALS_INIT;
	struct error err;
	struct child child;
	char line[16];
	assert_int_equal(signals_open(&signals, &err), 0);
	start_known(&child, &signals, "trap '' TERM; echo up; while :; do sleep 60; done");
	read_line(&child, line, sizeof line);
	kill(getpid(), SIGINT);
	assert_false(child_wait(&child, 1 << 30));
	child_end(&child, 1 << 30);
	assert_int_equal(child.signal, SIGKILL);
	assert_int_equal(signals_take(&signals), SIGINT);
	close(child.pipe_fd);
	signals_close(&signals);
}

/* Who adopts orphans reaps them: all but what was started here, which waits for its release, as do those behind it. */
TEST(test_what_was_adopted_is_reaped)
{
	struct signals signals = SIGNALS_INIT;
	struct error err;
	struct child ended, child;
	char line[16];
	pid_t orphans[20];
	assert_int_equal(signals_open(&signals, &err), 0);
	start_known(&ended, &signals, "exit 3");
	assert_true(child_wait(&ended, 60000)); /* and stays: it is in front of the others */
	start_known(&child, &signals,
	            "i=0; while [ $i -lt 20 ]; do (sh -c 'echo $$; exec sleep 0' &); i=$((i+1)); done; exec sleep 60");
	for (size_t i = 0; i < sizeof orphans / sizeof orphans[0]; i++) {
		read_line(&child, line, sizeof line);
		orphans[i] = (pid_t)atol(line);
	}
	assert_int_equal(kill(ended.known.pid, 0), 0);
	assert_int_equal(ended.code, 3);
	child_end(&ended, 0);
	for (size_t i = 0; i < sizeof orphans / sizeof orphans[0]; i++)
		while (kill(orphans[i], 0) == 0)
			poll(NULL, 0, 1);
	child_end(&child, 60000);
	assert_int_equal(child.signal, SIGTERM);
	close(ended.pipe_fd);
	close(child.pipe_fd);
	signals_close(&signals);
}

/* Whether this process adopts orphans: what is built for any system does not. */
static bool adopts(void)
{
	int is_set = 0;
#ifdef __linux__
	prctl(PR_GET_CHILD_SUBREAPER, &is_set);
#endif
	return is_set;
}

/* One that has a session of its own outlives the end of its parent's group, and is found, as long as it runs. */
TEST(test_a_daemon_of_what_was_started_is_found)
{
	struct signals signals = SIGNALS_INIT;
	struct error err;
	struct child child;
	char line[16];
	assert_int_equal(signals_open(&signals, &err), 0);
	start_known(&child, &signals, "setsid sh -c 'echo $$; exec sleep 600' & exec sleep 600");
	read_line(&child, line, sizeof line);
	pid_t daemon = (pid_t)atol(line);
	assert_int_equal(signals_find_adopted(&signals, 0), 0); /* its parent runs */
	assert_int_equal(child_end(&child, 60000), 0);
	close(child.pipe_fd);
	assert_int_equal(signals_find_adopted(&signals, 0), adopts() ? daemon : 0);
	assert_int_equal(signals_find_adopted(&signals, getpgid(daemon)), 0);
	kill(daemon, SIGKILL);
	while (kill(daemon, 0) == 0)
		poll(NULL, 0, 1);
	assert_int_equal(signals_find_adopted(&signals, 0), 0);
	signals_close(&signals);
}

/* It is root's, as what sudo starts is another user's; this process is nobody's from then on. */
static int one_of_another_user_goes_on(void)
{
	struct signals signals = SIGNALS_INIT;
	struct error err;
	struct child child;
	char line[16];
	alarm(60);
	if (signals_open(&signals, &err) < 0)
		return 1;
	start_known(&child, &signals, "echo up; parent=$PPID; while [ -d /proc/$parent ]; do sleep 0.1; done");
	read_line(&child, line, sizeof line);
	pid_t pid = child.known.pid;
	if (setuid(65534) < 0 || kill(pid, 0) == 0)
		return 2;
	if (child_end(&child, 100) != pid)
		return 3;
	if (child.runs || child.known.pid != 0 || child_is_left(&child) || child_end(&child, 0) != 0)
		return 4;
	signals_close(&signals);
	return 0;
}

TEST(test_one_of_another_user_goes_on)
{
	int status;
	if (geteuid() != 0)
		skip();
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(one_of_another_user_goes_on());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

TEST(test_errors_have_a_pipe_of_their_own)
{
	char line[16];
	const struct child_policy how = { .words = (const char *const[]){ "sh", "-c", "echo out; echo err >&2", NULL },
		                          .input = CHILD_NULL,
		                          .output = CHILD_PIPE,
		                          .errors = CHILD_ERRORS };
	struct child child;
	assert_int_equal(child_start(&child, &how), 0);
	read_line(&child, line, sizeof line);
	assert_string_equal(line, "out");
	assert_int_equal(read(child.errors_fd, line, sizeof line), 4);
	assert_memory_equal(line, "err\n", 4);
	assert_true(child_wait(&child, -1));
	close(child.pipe_fd);
	close(child.errors_fd);
}
