/* What a receiver in the background keeps until it is taken: the latest, of which no more than a history holds. */
#include "receive/background.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of this length three bodies are more than may wait. */
#define LENGTH (HISTORY_BYTES_MAX * 2 / 5)

static void post(const struct background *b, const char *body, size_t length)
{
	char text[64];
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	to.sin_port = htons((uint16_t)atoi(strrchr(receiver_url(background_receiver(b)), ':') + 1));
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
	assert_true(dprintf(fd, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n", length) > 0);
	assert_int_equal(send(fd, body, length, 0), length);
	assert_true(recv(fd, text, sizeof text - 1, 0) > 12);
	assert_memory_equal(text, "HTTP/1.1 200", 12);
	close(fd);
}

TEST(the_oldest_make_room_for_the_latest)
{
	struct receive_policy policy = {
		.server = http_server_defaults, .response.status = 200, .validate = RECEIVE_OFF, .drain = 1000000000
	};
	struct error err;
	int wake_fd = eventfd(0, EFD_CLOEXEC);
	char *body = malloc(LENGTH);
	memset(body, 'x', LENGTH);
	policy.server.limits.body = LENGTH;
	struct background_options options = { .wake_fd = wake_fd };
	struct background *b = background_new("127.0.0.1:0", &policy, &options, &err);
	assert_non_null(b);
	assert_int_equal(background_start(b, &err), 0);
	for (int i = 0; i < 3; i++)
		post(b, body, LENGTH);
	struct history_counts dropped;
	struct history_entry *first = background_take(b, &dropped), *second = first->next;
	assert_true(first->number == 2 && second->number == 3 && !second->next);
	assert_int_equal(second->body_length, LENGTH);
	assert_true(dropped.unchecked == 1 && history_counted(&dropped) == 1);
	assert_null(background_take(b, &dropped));
	assert_int_equal(history_counted(&dropped), 0);
	history_entry_free(first);
	history_entry_free(second);
	post(b, "{}", 2);
	background_stop(b);
	background_free(b); /* and with it what nobody took */
	free(body);
	close(wake_fd);
}
