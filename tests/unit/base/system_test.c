/* What the rest of base and the rooms rely on, whichever system it is. */
#include "base/system.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void has_flags(int fd, bool blocks)
{
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal((fcntl(fd, F_GETFL) & O_NONBLOCK) == 0, blocks);
}

TEST(descriptors_do_not_reach_children)
{
	for (int blocks = 0; blocks < 2; blocks++) {
		int ends[2], fd = system_socket(AF_INET, SOCK_STREAM, 0, blocks);
		has_flags(fd, blocks);
		close(fd);
		assert_int_equal(system_pipe(ends, blocks), 0);
		for (int i = 0; i < 2; i++) {
			has_flags(ends[i], blocks);
			close(ends[i]);
		}
	}
	char path[] = "/tmp/system_test.XXXXXX.txt";
	int fd = system_open_temporary(path, 4);
	has_flags(fd, true);
	unlink(path);
	close(fd);
}

TEST(a_peer_that_is_gone_is_an_error_and_no_signal)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof here;
	int listening = system_socket(AF_INET, SOCK_STREAM, 0, true),
	    client = system_socket(AF_INET, SOCK_STREAM, 0, true);
	assert_int_equal(bind(listening, (struct sockaddr *)&here, size), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&here, &size), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&here, size), 0);
	int accepted = system_accept(listening, (struct sockaddr *)&here, &size);
	has_flags(accepted, false);
	close(client);
	struct pollfd gone = { .fd = accepted, .events = POLLIN };
	assert_int_equal(poll(&gone, 1, 10000), 1);
	ssize_t sent = 0;
	for (int i = 0; i < 1000 && sent >= 0; i++) {
		sent = system_send(accepted, "x", 1);
		poll(NULL, 0, 1);
	}
	assert_int_equal(sent, -1);
	assert_true(errno == EPIPE || errno == ECONNRESET);
	close(accepted);
	close(listening);
}

TEST(a_file_has_its_room_before_it_is_written)
{
	char path[] = "/tmp/system_test.XXXXXX";
	struct stat status;
	int fd = system_open_temporary(path, 0);
	assert_true(fd >= 0);
	assert_int_equal(system_allocate(fd, 100000), 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_size, 100000);
	assert_true((size_t)status.st_blocks * 512 >= 100000);
	assert_int_equal(system_sync(fd), 0);
	assert_int_equal(system_sync_data(fd), 0);
	unlink(path);
	close(fd);
}

static int compare(const void *a, const void *b, void *context)
{
	++*(unsigned *)context;
	return memcmp(a, b, 3);
}

static int compare_alone(const void *a, const void *b)
{
	return memcmp(a, b, 3);
}

TEST(sorting_is_that_of_qsort)
{
	unsigned random = 1, calls = 0;
	for (size_t count = 0; count < 200; count++) {
		unsigned char one[200][3], other[200][3];
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < 3; j++)
				one[i][j] = (unsigned char)((random = random * 1664525u + 1013904223u) >> 24);
		memcpy(other, one, sizeof one[0] * count);
		system_sort(one, count, sizeof one[0], compare, &calls);
		qsort(other, count, sizeof other[0], compare_alone);
		assert_memory_equal(one, other, sizeof one[0] * count);
	}
	assert_true(calls > 200);
}

TEST(the_last_of_a_byte_is_found)
{
	const char *text = "a/b/c";
	assert_ptr_equal(system_find_last(text, '/', 5), text + 3);
	assert_ptr_equal(system_find_last(text, '/', 3), text + 1);
	assert_ptr_equal(system_find_last(text, 'a', 5), text);
	assert_null(system_find_last(text, '/', 1));
	assert_null(system_find_last(text, 'a', 0));
}

TEST(the_machine_is_the_same_while_it_runs)
{
	char boot[SYSTEM_BOOT_SIZE], again[SYSTEM_BOOT_SIZE];
	unsigned char random[2][32] = { { 0 } };
	assert_true(system_processors() >= 1);
	assert_int_equal(system_boot(boot), system_boot(again));
	if (system_boot(boot) && system_boot(again))
		assert_memory_equal(boot, again, sizeof boot);
	assert_true(system_random(random[0], 32) && system_random(random[1], 32));
	assert_memory_not_equal(random[0], random[1], 32);
}
