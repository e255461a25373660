/* The receiver with an observer that only notes: what it is handed, and that it comes before the response. */
#include "capture/folder.h"
#include "receive/receiver.h"
#include "sanitizers.h"
#include "test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* Instead of the C library's, for this program: a disk that waits when it is told to. */
static atomic_bool disk_waits;
int fdatasync(int fd)
{
	(void)fd;
	while (disk_waits)
		usleep(100);
	return 0;
}

struct fixture {
	struct loop *loop;
	struct receiver *receiver;
	struct receive_policy policy;
	size_t notifications;
	struct notification last;
	char texts[8][160]; /* of each: method, target, number of headers, body and address */
	size_t unsent;
	size_t findings;
	enum finding_id first[8]; /* of each */
	size_t refusals;
	struct refusal last_refusal;
	bool ended;
};

static void on_notification(void *context, const struct notification *n)
{
	struct fixture *f = context;
	f->notifications++;
	f->last = *n;
	snprintf(f->texts[f->notifications - 1], sizeof f->texts[0], "%s %s %zu <%.40s> %s", n->request->method.text,
	         n->request->target.text, n->request->header_count, n->request->body.text, n->remote);
	f->findings = n->verdict ? n->verdict->finding_count : 0;
	if (f->findings > 0)
		f->first[f->notifications - 1] = n->verdict->findings[0].id;
}

static void on_refused(void *context, const struct refusal *refusal)
{
	struct fixture *f = context;
	f->refusals++;
	f->last_refusal = *refusal;
}

static void on_notice(void *context, const struct receive_notice *notice)
{
	struct fixture *f = context;
	f->unsent += notice->type == NOTICE_UNSENT;
}

static void on_ended(void *context)
{
	struct fixture *f = context;
	f->ended = true;
}

static int make(void **state)
{
	static int accepted[] = { 202 };
	struct fixture *f = calloc(1, sizeof *f);
	f->policy = (struct receive_policy){ .server = http_server_defaults,
		                             .response.respond = { accepted, 1, 1 },
		                             .drain = 1000000000 };
	*state = f;
	return 0;
}

static void start(struct fixture *f)
{
	struct error err;
	const struct receive_observer observer = { f, on_notification, on_refused, on_notice, on_ended };
	f->loop = loop_new(&err);
	f->receiver = receiver_new(f->loop, "127.0.0.1:0", &f->policy, &observer, &err);
	if (!f->receiver)
		fail_msg("%s", err.message);
}

static int release(void **state)
{
	struct fixture *f = *state;
	receiver_free(f->receiver);
	loop_free(f->loop);
	free(f);
	return 0;
}

static int connected(const struct fixture *f)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	to.sin_port = htons((uint16_t)atoi(strrchr(receiver_state(f->receiver)->url, ':') + 1));
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
	return fd;
}

static int post(const struct fixture *f, const char *body)
{
	int fd = connected(f), head = dprintf(fd,
	                                      "POST /hook HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
	                                      "Content-Length: %zu\r\n\r\n",
	                                      strlen(body));
	assert_true(head > 0);
	assert_int_equal(send(fd, body, strlen(body), 0), strlen(body));
	return fd;
}

static int port_of(int fd)
{
	struct sockaddr_in address;
	socklen_t length = sizeof address;
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	return ntohs(address.sin_port);
}

static void assert_reported(const struct fixture *f, size_t index, const char *body, int port)
{
	char expected[sizeof f->texts[0]];
	snprintf(expected, sizeof expected, "POST /hook 3 <%s> 127.0.0.1:%d", body, port);
	assert_string_equal(f->texts[index], expected);
}

/* Turns the loop until the response is there. */
static const char *response(struct fixture *f, int fd, char text[1024])
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct error err;
	while (poll(&ready, 1, 0) == 0)
		assert_int_equal(loop_turn(f->loop, &err), 0);
	ssize_t length = recv(fd, text, 1023, 0);
	assert_true(length > 0);
	text[length] = '\0';
	close(fd);
	return text;
}

TEST_WITH(a_notification_is_reported_once_with_its_response, make, release)
{
	struct fixture *f = *state;
	char text[1024];
	start(f);
	int fd = post(f, "{\"a\":1}"), port = port_of(fd);
	assert_non_null(strstr(response(f, fd, text), "HTTP/1.1 202"));
	assert_int_equal(f->notifications, 1);
	assert_int_equal(f->last.seq, 1);
	assert_int_equal(f->last.status, 202);
	assert_reported(f, 0, "{\"a\":1}", port);
	assert_true(f->last.verdict && f->findings > 0 && !f->last.is_refused);
	response(f, post(f, "{\"a\":1}"), text);
	assert_int_equal(f->notifications, 2);
	assert_true(f->last.repeat.nth == 1 && f->last.repeat.of == 1);
	const struct receive_counts *counts = &receiver_state(f->receiver)->counts;
	assert_true(counts->received == 2 && counts->invalid == 2 && counts->repeated == 1);
}

/* Its findings are reported when others have been checked since. */
TEST_WITH(what_waits_keeps_its_findings, make, release)
{
	struct fixture *f = *state;
	struct error err;
	char text[1024];
	start(f);
	int first = post(f, "nonsense"), second = post(f, "[]"), third = post(f, "");
	while (f->notifications < 3)
		assert_int_equal(loop_turn(f->loop, &err), 0);
	assert_int_equal(f->first[0], FINDING_JSON_SYNTAX);
	assert_int_equal(f->first[1], FINDING_WRONG_TYPE);
	assert_int_equal(f->first[2], FINDING_JSON_SYNTAX);
	response(f, first, text);
	response(f, second, text);
	response(f, third, text);
	assert_int_equal(f->notifications, 3);
}

TEST_WITH(it_ends_after_so_many_and_refuses_the_rest, make, release)
{
	struct fixture *f = *state;
	struct error err;
	char text[1024];
	f->policy.limit = 1;
	f->policy.first_number = 41;
	f->policy.validate = RECEIVE_OFF;
	start(f);
	int first = post(f, "{}"), late = post(f, "{}");
	response(f, first, text);
	assert_true(f->last.seq == 41 && !f->last.verdict);
	assert_non_null(strstr(response(f, late, text), "HTTP/1.1 503"));
	assert_int_equal(f->last_refusal.why, REFUSED_LATE);
	while (!f->ended)
		assert_int_equal(loop_turn(f->loop, &err), 0);
	assert_int_equal(f->notifications, 1);
	assert_int_equal(receiver_state(f->receiver)->counts.by_refusal[REFUSED_LATE], 1);
}

/* More address space than now; 0: unlimited. */
static void limit_memory(rlim_t more)
{
	unsigned long pages = 0;
	struct rlimit limit;
	FILE *file = fopen("/proc/self/statm", "r");
	assert_true(file && fscanf(file, "%lu", &pages) == 1 && fclose(file) == 0);
	assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = more > 0 ? pages * (rlim_t)sysconf(_SC_PAGESIZE) + more : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

struct block {
	struct block *next;
};

/* Takes what the heap has left in large pieces, so that only small ones are found. */
static struct block *take_large_blocks(void)
{
	struct block *first = NULL, *block;
	while ((block = malloc(1 << 16)) != NULL) {
		block->next = first;
		first = block;
	}
	return first;
}

static void free_blocks(struct block *block)
{
	while (block) {
		struct block *next = block->next;
		free(block);
		block = next;
	}
}

/* Turns the loop until the capture has records of `least` bytes. */
static void turn_until_written(struct fixture *f, off_t least)
{
	struct stat status;
	struct error err;
	while (stat(f->policy.capture, &status) < 0 || status.st_size < least)
		assert_int_equal(loop_turn(f->loop, &err), 0);
}

/* A client that is gone before its record is on disk; its connection is reset, so that the receiver sees it. Its
 * port. */
static int post_and_leave(struct fixture *f, const char *body, bool has_memory)
{
	struct error err;
	int fd = post(f, body), port = port_of(fd);
	turn_until_written(f, (off_t)strlen(body));
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger)), 0);
	close(fd);
	if (!has_memory)
		limit_memory(1 << 16);
	struct block *taken = has_memory ? NULL : take_large_blocks();
	assert_int_equal(loop_turn(f->loop, &err), 0);
	free_blocks(taken);
	limit_memory(0);
	assert_int_equal(f->notifications, 0);
	return port;
}

static void finish_sync(struct fixture *f, size_t notifications)
{
	struct error err;
	disk_waits = false;
	while (f->notifications < notifications)
		assert_int_equal(loop_turn(f->loop, &err), 0);
	assert_int_equal(f->last.status, 202);
	assert_int_equal(receiver_state(f->receiver)->counts.unanswered, 1);
	assert_int_equal(f->unsent, 1);
}

static void start_with_capture(struct fixture *f, struct folder **folder)
{
	assert_int_equal(folder_make((void **)folder), 0);
	f->policy.capture = folder_file(*folder, "capture");
	start(f);
	disk_waits = true;
}

/* What it sent is reported whole, whatever came into its memory since. */
TEST_WITH(whose_client_is_gone_is_reported, make, release)
{
	struct fixture *f = *state;
	struct folder *folder;
	char text[1024];
	start_with_capture(f, &folder);
	int port = post_and_leave(f, "{\"a\":1}", true), other = post(f, "{\"b\":2}");
	for (int i = 0; i < 2; i++) {
		struct error err;
		assert_int_equal(loop_turn(f->loop, &err), 0);
	}
	finish_sync(f, 2);
	assert_reported(f, 0, "{\"a\":1}", port);
	assert_reported(f, 1, "{\"b\":2}", port_of(other));
	response(f, other, text);
	assert_int_equal(folder_remove((void **)&folder), 0);
}

/* Every other byte of the numbers is a token of 16; for as long a body the string before made room. */
TEST_WITH(what_finds_no_memory_is_refused, make, release)
{
	struct fixture *f = *state;
	enum { LENGTH = 60000 };
	if (IS_SANITIZED) /* they take address space by the terabyte, and end where there is no more */
		skip();
	char text[1024], *numbers = malloc(LENGTH + 1), *string = malloc(LENGTH + 1);
	memset(string, ' ', LENGTH);
	for (size_t i = 0; i < LENGTH; i++)
		numbers[i] = i == 0 ? '[' : i == LENGTH - 1 ? ']' : i % 2 ? '1' : ',';
	numbers[LENGTH - 2] = '1';
	string[0] = string[LENGTH - 1] = '"';
	numbers[LENGTH] = string[LENGTH] = '\0';
	start(f);
	assert_non_null(strstr(response(f, post(f, string), text), "HTTP/1.1 202"));
	int fd = post(f, numbers);
	limit_memory(1 << 16);
	struct block *taken = take_large_blocks();
	response(f, fd, text);
	limit_memory(0);
	free_blocks(taken);
	assert_non_null(strstr(text, "HTTP/1.1 503"));
	assert_int_equal(f->notifications, 1);
	assert_non_null(strstr(response(f, post(f, numbers), text), "HTTP/1.1 202"));
	free(numbers);
	free(string);
}

/* Its record is written; there was none left for a copy. */
TEST_WITH(whose_client_is_gone_without_memory_is_reported_as_empty, make, release)
{
	struct fixture *f = *state;
	struct folder *folder;
	enum { LENGTH = 100000 };
	if (IS_SANITIZED) /* they take address space by the terabyte, and end where there is no more */
		skip();
	char *body = malloc(LENGTH + 1);
	memset(body, ' ', LENGTH);
	memcpy(body, "{}", 2);
	body[LENGTH] = '\0';
	start_with_capture(f, &folder);
	post_and_leave(f, body, false);
	free(body);
	finish_sync(f, 1);
	assert_string_equal(f->texts[0], "  0 <> ");
	assert_true(f->last.verdict && f->findings == 0);
	assert_int_equal(folder_remove((void **)&folder), 0);
}
