/* Writing a file whole: what it replaces keeps its mode, links stay, and what is no plain file is never replaced. */
#include "base/file.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/credhook-files.XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1; /* each test leaves it empty */
}

static void write_ok(const char *path, const char *text)
{
	struct error err;
	if (file_write_whole(path, text, strlen(text), NULL, &err) < 0)
		fail_msg("%s", err.message);
}

static void assert_holds(const char *path, const char *text)
{
	struct error err;
	struct buffer seen = BUFFER_INIT;
	assert_int_equal(file_read_whole(path, &seen, NULL, &err), 0);
	assert_string_equal(buffer_text(&seen), text);
	buffer_release(&seen);
}

static mode_t mode_of(const char *path)
{
	struct stat status;
	assert_int_equal(lstat(path, &status), 0);
	return status.st_mode;
}

TEST(a_file_keeps_its_mode)
{
	mode_t mask = umask(022);
	write_ok("new", "1");
	assert_int_equal(mode_of("new") & 0777, 0644);
	static const mode_t modes[] = { 0600, 0640, 0666, 0755 };
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		assert_int_equal(chmod("new", modes[i]), 0);
		write_ok("new", "2");
		assert_int_equal(mode_of("new") & 0777, modes[i]);
	}
	assert_holds("new", "2");
	umask(mask);
	unlink("new");
}

static int hold(const char *path)
{
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
	return fd;
}

TEST(what_killed_runs_left_is_removed_and_nothing_else)
{
	static const char *const left[] = { "file.credhook-1.tmp", "file.credhook-7.tmp", "file.credhook-16.tmp" };
	static const char *const others[] = { "file.1.tmp", "file.credhook-x.tmp", "file.credhook-17.tmp",
		                              "other.credhook-1.tmp", "file.credhook-2.tmp.old" };
	for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
		write_ok(left[i], "left");
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		write_ok(others[i], "other");
	write_ok("file.credhook-3.tmp", "held");
	int held = hold("file.credhook-3.tmp");
	assert_int_equal(symlink("file.1.tmp", "file.credhook-4.tmp"), 0);
	assert_int_equal(mkdir("file.credhook-5.tmp", 0777), 0);
	assert_int_equal(mkfifo("file.credhook-6.tmp", 0666), 0);
	write_ok("file.credhook-8.tmp", "other");
	assert_int_equal(link("file.credhook-8.tmp", "second-name"), 0);
	write_ok("file.credhook-9.tmp", "other");
	bool is_foreign = geteuid() == 0 && chown("file.credhook-9.tmp", 65534, 65534) == 0;
	assert_int_equal(chmod("file.credhook-16.tmp", 0400), 0);
	write_ok("file", "new");
	assert_holds("file", "new");
	for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
		assert_int_equal(access(left[i], F_OK), -1);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		assert_holds(others[i], "other");
		unlink(others[i]);
	}
	assert_holds("file.credhook-3.tmp", "held");
	assert_true(S_ISLNK(mode_of("file.credhook-4.tmp")));
	assert_holds("file.credhook-8.tmp", "other");
	assert_int_equal(access("file.credhook-9.tmp", F_OK), is_foreign ? 0 : -1);
	close(held);
	write_ok("file", "newer");
	assert_int_equal(access("file.credhook-3.tmp", F_OK), -1);
	unlink("file.credhook-4.tmp");
	rmdir("file.credhook-5.tmp");
	unlink("file.credhook-6.tmp");
	unlink("file.credhook-8.tmp");
	unlink("file.credhook-9.tmp");
	unlink("second-name");
	unlink("file");
}

TEST(many_write_a_file)
{
	struct file_writer w[20];
	struct error err;
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(file_writer_begin(&w[i], "file", FILE_PUBLIC, NULL, &err), 0);
		assert_int_equal(file_writer_append(&w[i], "text", i % 4 + 1, &err), 0);
	}
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(file_writer_finish(&w[i], &err), 0);
	assert_holds("file", "text");
	unlink("file");
}

TEST(names_that_are_taken_are_passed_over_up_to_a_bound)
{
	struct file_writer last, none;
	struct error err;
	char name[64];
	for (int i = 1; i < 1000; i++) {
		snprintf(name, sizeof name, "file.credhook-%d.tmp", i);
		assert_int_equal(mkdir(name, 0777), 0);
	}
	assert_int_equal(file_writer_begin(&last, "file", FILE_PUBLIC, NULL, &err), 0);
	assert_int_equal(file_writer_begin(&none, "file", FILE_PUBLIC, NULL, &err), -1);
	assert_string_equal(err.message, "cannot write 'file': no free name for its temporary file");
	assert_non_null(strstr(err.hint, "/file.credhook-*.tmp'"));
	assert_int_equal(file_writer_append(&last, "text", 4, &err), 0);
	assert_int_equal(file_writer_finish(&last, &err), 0);
	assert_holds("file", "text");
	for (int i = 1; i < 1000; i++) {
		snprintf(name, sizeof name, "file.credhook-%d.tmp", i);
		rmdir(name);
	}
	unlink("file");
}

/* Where locks do not reach from one run to the other, as on some network file systems. */
TEST(a_name_that_another_run_has_taken_is_left_to_it)
{
	struct file_writer w;
	struct error err;
	static const char name[] = "file.credhook-1.tmp";
	write_ok("file", "old");
	for (int finishes = 0; finishes < 2; finishes++) {
		assert_int_equal(file_writer_begin(&w, "file", FILE_PUBLIC, NULL, &err), 0);
		assert_int_equal(file_writer_append(&w, "new", 3, &err), 0);
		assert_int_equal(unlink(name), 0);
		write_ok(name, "half of anoth");
		if (finishes) {
			assert_int_equal(file_writer_finish(&w, &err), -1);
			assert_int_equal(err.code, EXIT_CODE_IO);
			assert_non_null(strstr(err.message, "/file.credhook-1.tmp' was removed or replaced"));
		} else {
			file_writer_drop(&w);
		}
		assert_holds(name, "half of anoth");
		assert_holds("file", "old");
	}
	unlink(name);
	unlink("file");
}

TEST(abandoning_leaves_the_old_file)
{
	struct file_writer w;
	struct error err;
	write_ok("file", "old");
	assert_int_equal(file_writer_begin(&w, "file", FILE_PUBLIC, NULL, &err), 0);
	assert_int_equal(file_writer_append(&w, "new", 3, &err), 0);
	file_writer_drop(&w);
	assert_holds("file", "old");
	unlink("file");
}

/* Each is a way to name our own stdout, which goes to a plain file. */
TEST(our_own_output_is_written_behind_what_it_has)
{
	static const char *const names[] = { "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/../dev/stdout", "link" };
	assert_int_equal(symlink("/dev/stdout", "link"), 0);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct error err = { .message = "" };
		FILE *file = fopen("out", "w");
		assert_non_null(file);
		fflush(stdout);
		int saved = dup(STDOUT_FILENO);
		assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
		ssize_t before = write(STDOUT_FILENO, "before ", 7);
		int result = file_write_whole(names[i], "report ", 7, NULL, &err);
		ssize_t behind = write(STDOUT_FILENO, "behind", 6);
		dup2(saved, STDOUT_FILENO);
		close(saved);
		fclose(file);
		if (result < 0)
			fail_msg("%s: %s", names[i], err.message);
		assert_int_equal(before + behind, 13);
		assert_holds("out", "before report behind");
	}
	assert_true(S_ISLNK(mode_of("/dev/stdout")));
	unlink("out");
	unlink("link");
}

TEST(what_is_no_file_is_refused_or_written_as_it_is)
{
	struct error err;
	write_ok("/dev/null", "nothing");
	assert_true(S_ISCHR(mode_of("/dev/null")));
	assert_int_equal(mkdir("sub", 0777), 0);
	assert_int_equal(file_write_whole("sub", "x", 1, NULL, &err), -1);
	assert_string_equal(err.message, "cannot write 'sub': Is a directory");
	assert_int_equal(file_write_whole("none/x", "x", 1, NULL, &err), -1);
	assert_string_equal(err.message, "cannot write 'none/x': No such file or directory");
	assert_int_equal(file_write_whole("/dev/full", "x", 1, NULL, &err), -1);
	assert_string_equal(err.message, "cannot write '/dev/full': No space left on device");
	rmdir("sub");
}

TEST_AROUND_ALL(setup, teardown)
