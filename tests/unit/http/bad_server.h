/*
 * A server on a thread of its own that behaves as each request's body says: its first word is what to do, the number
 * after it (up to BAD_SERVER_BODIES) is counted, so that a test can tell how often a body arrived.
 *
 *   ok        200 with the body "fine", connection kept      bye      the same, then closed without a word
 *   close     whole request read, closed without a response   reset    the same, with a reset
 *   garbage   no HTTP                                        half     200, Content-Length 100, 10 bytes, closed
 *   halfhead  a status line and no more                      interim  100 only, then closed
 *   hang      no answer, connection open                     stall    200, Content-Length 100, 10 bytes, open
 *   moved     302 with Location and Retry-After              last     200, Connection: close
 *   endless   200 and a body without end                     heads    200 and a head without end
 *   barrier   answered once `barrier` of them wait           bulky    200 with 200,000 bytes
 *   early     413 after the head, before the body is read    random   one of ok, bye, close, reset, half
 */
#ifndef BAD_SERVER_H
#define BAD_SERVER_H

#include "base/find.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define BAD_SERVER_BODIES      4096
#define BAD_SERVER_CONNECTIONS 2048

struct bad_server {
	int fd;
	char url[64];
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int connection_fds[BAD_SERVER_CONNECTIONS]; /* -1: closed */
	pthread_t connection_threads[BAD_SERVER_CONNECTIONS];
	unsigned connections;
	unsigned seen[BAD_SERVER_BODIES];
	unsigned order[BAD_SERVER_BODIES]; /* numbers as they came */
	unsigned requests;
	unsigned barrier;
	unsigned waiting;
	unsigned waiting_max;
	unsigned released; /* batches of `barrier` let go */
	unsigned random;
	size_t last_length;
	char last_head[16384];
	bool stopping;
};

struct bad_connection {
	struct bad_server *server;
	unsigned number;
	int fd;
};

static void bad_send(int fd, const char *text)
{
	for (size_t left = strlen(text); left > 0;) {
		ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);
		if (sent <= 0)
			return;
		text += sent;
		left -= (size_t)sent;
	}
}

static void bad_drain(int fd)
{
	char bytes[65536];
	while (recv(fd, bytes, sizeof bytes, 0) > 0)
		;
}

static void bad_reset(int fd)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static void bad_flood(int fd, const char *start, const char *more)
{
	bad_send(fd, start);
	while (send(fd, more, strlen(more), MSG_NOSIGNAL) > 0)
		;
}

static void bad_wait(struct bad_server *s)
{
	pthread_mutex_lock(&s->mutex);
	unsigned batch = s->released;
	s->waiting++;
	if (s->waiting > s->waiting_max)
		s->waiting_max = s->waiting;
	if (s->waiting >= s->barrier) {
		s->waiting -= s->barrier;
		s->released++;
		pthread_cond_broadcast(&s->changed);
	}
	while (batch == s->released && !s->stopping)
		pthread_cond_wait(&s->changed, &s->mutex);
	pthread_mutex_unlock(&s->mutex);
}

#define BAD_OK   "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nfine"
#define BAD_HALF "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"

/* True: the connection is kept. */
static bool bad_behave(struct bad_server *s, int fd, const char *word)
{
	static const char *const choices[] = { "ok", "ok", "bye", "close", "reset", "half" };
	if (strcmp(word, "random") == 0) {
		pthread_mutex_lock(&s->mutex);
		s->random = s->random * 1103515245u + 12345u;
		word = choices[s->random / 65536 % 6];
		pthread_mutex_unlock(&s->mutex);
	}
	if (strcmp(word, "barrier") == 0)
		bad_wait(s);
	if (strcmp(word, "ok") == 0 || strcmp(word, "bye") == 0 || strcmp(word, "barrier") == 0)
		bad_send(fd, BAD_OK);
	else if (strcmp(word, "reset") == 0)
		bad_reset(fd);
	else if (strcmp(word, "garbage") == 0)
		bad_send(fd, "SSH-2.0-OpenSSH_9.2p1\r\n");
	else if (strcmp(word, "half") == 0 || strcmp(word, "stall") == 0)
		bad_send(fd, BAD_HALF);
	else if (strcmp(word, "halfhead") == 0)
		bad_send(fd, "HTTP/1.1 503 Service Unavailable\r\nRetry-");
	else if (strcmp(word, "interim") == 0)
		bad_send(fd, "HTTP/1.1 100 Continue\r\n\r\n");
	else if (strcmp(word, "moved") == 0)
		bad_send(fd, "HTTP/1.1 302 Found\r\nLocation: /ok\r\nRETRY-AFTER:  7 \r\nContent-Length: 0\r\n\r\n");
	else if (strcmp(word, "last") == 0)
		bad_send(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
	else if (strcmp(word, "endless") == 0)
		bad_flood(fd, "HTTP/1.1 200 OK\r\n\r\n", "0123456789abcdef0123456789abcdef0123456789abcdef");
	else if (strcmp(word, "heads") == 0)
		/* Long fields: newer versions of libcurl stop at 5,000 of them. */
		bad_flood(
		        fd, "HTTP/1.1 200 OK\r\n",
		        "X-More: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\r\n");
	else if (strcmp(word, "bulky") == 0) {
		bad_send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n");
		for (int i = 0; i < 20000; i++)
			bad_send(fd, "0123456789");
	}
	if (strcmp(word, "hang") == 0 || strcmp(word, "stall") == 0)
		bad_drain(fd);
	return strcmp(word, "ok") == 0 || strcmp(word, "barrier") == 0 || strcmp(word, "moved") == 0 ||
	       strcmp(word, "bulky") == 0;
}

static bool bad_more(int fd, char **bytes, size_t *length)
{
	*bytes = realloc(*bytes, *length + 65537);
	ssize_t got = recv(fd, *bytes + *length, 65536, 0);
	if (got <= 0)
		return false;
	*length += (size_t)got;
	(*bytes)[*length] = '\0';
	return true;
}

static size_t bad_content_length(const char *head)
{
	const char *line = find_any_case(head, "\r\nContent-Length:");
	return line ? strtoul(line + 17, NULL, 10) : 0;
}

static void bad_count(struct bad_server *s, const char *head, size_t head_length, const char *number, size_t length)
{
	pthread_mutex_lock(&s->mutex);
	unsigned which = (unsigned)strtoul(number, NULL, 10) % BAD_SERVER_BODIES;
	s->seen[which]++;
	s->order[s->requests++ % BAD_SERVER_BODIES] = which;
	s->last_length = length;
	snprintf(s->last_head, sizeof s->last_head, "%.*s", (int)head_length, head);
	pthread_mutex_unlock(&s->mutex);
}

/* One request, read and treated. True: the connection is kept. */
static bool bad_request(struct bad_server *s, int fd)
{
	char *bytes = calloc(1, 1);
	size_t length = 0;
	bool keep = false;
	const char *end = NULL;
	while (!end && bad_more(fd, &bytes, &length))
		end = strstr(bytes, "\r\n\r\n");
	if (!end)
		goto out;
	size_t head = (size_t)(end - bytes) + 4;
	if (strstr(bytes, "X-Early:")) {
		bad_send(fd, "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
		shutdown(fd, SHUT_WR);
		bad_drain(fd);
		goto out;
	}
	size_t body = bad_content_length(bytes);
	while (length < head + body)
		if (!bad_more(fd, &bytes, &length))
			goto out;
	char word[32] = "ok", number[32] = "0";
	sscanf(bytes + head, "%31s %31s", word, number);
	bad_count(s, bytes, head, number, body);
	keep = bad_behave(s, fd, word);
out:
	free(bytes);
	return keep;
}

static void *bad_connection_main(void *context)
{
	struct bad_connection *c = context;
	while (bad_request(c->server, c->fd))
		;
	pthread_mutex_lock(&c->server->mutex);
	c->server->connection_fds[c->number] = -1;
	close(c->fd);
	pthread_mutex_unlock(&c->server->mutex);
	free(c);
	return NULL;
}

static void *bad_server_main(void *context)
{
	struct bad_server *s = context;
	for (;;) {
		int fd = accept(s->fd, NULL, NULL);
		pthread_mutex_lock(&s->mutex);
		if (fd < 0 || s->stopping || s->connections == BAD_SERVER_CONNECTIONS) {
			pthread_mutex_unlock(&s->mutex);
			if (fd >= 0)
				close(fd);
			return NULL;
		}
		struct bad_connection *c = malloc(sizeof *c);
		*c = (struct bad_connection){ s, s->connections, fd };
		s->connection_fds[s->connections] = fd;
		pthread_create(&s->connection_threads[s->connections++], NULL, bad_connection_main, c);
		pthread_mutex_unlock(&s->mutex);
	}
}

static struct bad_server *bad_server_start(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *any = (struct sockaddr *)(void *)&address;
	socklen_t length = sizeof address;
	struct bad_server *s = calloc(1, sizeof *s);
	s->random = 7;
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(s->fd, any, length) != 0 || listen(s->fd, 512) != 0 || getsockname(s->fd, any, &length) != 0)
		abort();
	snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d/hook", ntohs(address.sin_port));
	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->changed, NULL);
	pthread_create(&s->thread, NULL, bad_server_main, s);
	return s;
}

static void bad_server_stop(struct bad_server *s)
{
	pthread_mutex_lock(&s->mutex);
	s->stopping = true;
	pthread_cond_broadcast(&s->changed);
	shutdown(s->fd, SHUT_RDWR);
	for (unsigned i = 0; i < s->connections; i++)
		if (s->connection_fds[i] >= 0)
			shutdown(s->connection_fds[i], SHUT_RDWR);
	pthread_mutex_unlock(&s->mutex);
	pthread_join(s->thread, NULL);
	for (unsigned i = 0; i < s->connections; i++)
		pthread_join(s->connection_threads[i], NULL);
	close(s->fd);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

#endif
