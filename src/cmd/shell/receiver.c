#include "cmd/shell/receiver.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/loop.h"
#include "capture/record.h"
#include "http/server.h"
#include "payload/check.h"
#include "report/finding_report.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WAITING_BYTES_MAX ((size_t)64 << 20) /* beyond that, senders are told to come again */
#define DRAIN_NS          CLOCK_NS_PER_S

struct receiver {
	struct receiver_options options;
	char *path;        /* owned: options.path */
	struct loop *loop; /* from here to `chosen` the thread's, once it runs */
	struct http_server *server;
	struct checker *checker;
	struct loop_io stop_io;
	uint64_t next_number;
	struct responder answers;
	struct response chosen; /* for the request under way */
	int stop_fd;
	pthread_t thread;
	bool running;         /* the thread is to be joined */
	pthread_mutex_t lock; /* of what follows */
	bool has_lock;
	struct notification *first;
	struct notification **last;
	size_t waiting_bytes;
};

static const struct http_field allowed_methods[] = { HTTP_FIELD("Allow", "POST, GET, HEAD") };

static bool on_head(void *context, const struct http_request *request, struct http_refusal *refusal)
{
	const struct receiver *r = context;
	size_t length = strcspn(request->target, "?");
	if (r->path && (strlen(r->path) != length || memcmp(r->path, request->target, length) != 0)) {
		refusal->status = 404;
		refusal->reason = "notifications are taken at another path";
		return false;
	}
	if (strcmp(request->method, "POST") == 0 || strcmp(request->method, "GET") == 0 ||
	    strcmp(request->method, "HEAD") == 0)
		return true;
	*refusal = (struct http_refusal){ 405, "a notification is a POST", allowed_methods, 1 };
	return false;
}

/* The record of a request as the arrival keeps it. False: no memory. */
static bool fill_record(const struct receiver *r, struct notification *a, struct http_exchange *exchange,
                        const struct verdict *verdict)
{
	const struct http_request *q = http_exchange_request(exchange);
	const char *remote = http_exchange_remote(exchange);
	struct capture_header *headers = calloc(q->field_count + 1, sizeof *headers);
	struct buffer line = BUFFER_INIT;
	char name[CATALOG_KIND_NAME_SIZE] = "";
	if (!headers)
		return false;
	for (size_t i = 0; i < q->field_count; i++) {
		const struct http_field *f = &q->fields[i];
		headers[i] = (struct capture_header){ { f->name, f->name_length }, { f->value, f->value_length } };
	}
	struct capture_record record = {
		.seq = a->number,
		.received_us = a->received_us,
		.remote = { remote, strlen(remote) },
		.method = { q->method, q->method_length },
		.target = { q->target, q->target_length },
		.headers = headers,
		.header_count = q->field_count,
		.body = { q->body ? q->body : "", q->body_length },
		.valid = verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID,
		.status = r->chosen.fault == HTTP_FAULT_NONE ? a->status : 0,
	};
	const char *fault = response_fault_name(r->chosen.fault);
	if (fault)
		record.fault = (struct capture_text){ fault, strlen(fault) };
	if (verdict->kind.event) {
		catalog_kind_name(verdict->kind, name);
		record.event = (struct capture_text){ name, strlen(name) };
	}
	capture_record_append(&record, &line);
	free(headers);
	if (line.failed) {
		buffer_release(&line);
		return false;
	}
	a->record = line.data;
	a->length = line.length;
	return true;
}

static struct notification *notification_new(struct receiver *r, struct http_exchange *exchange,
                                             const struct verdict *verdict)
{
	struct notification *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->number = r->next_number;
	a->received_us = http_exchange_arrived_us(exchange);
	a->kind = verdict->kind;
	a->valid = verdict->valid;
	a->findings = verdict->finding_count + verdict->unlisted;
	a->status = r->chosen.status;
	a->body_length = http_exchange_request(exchange)->body_length;
	if (verdict->finding_count > 0) {
		struct buffer first = BUFFER_INIT;
		const struct finding *f = &verdict->findings[0];
		buffer_printf(&first, "%s: %s [%s]", severity_name(f->severity), verdict_message(verdict, f),
		              finding_rows[f->id].name);
		a->first = first.data;
	}
	if (fill_record(r, a, exchange, verdict))
		return a;
	notification_free(a);
	return NULL;
}

/* False: too much waits already. */
static bool hand_over(struct receiver *r, struct notification *a)
{
	static const uint64_t one = 1;
	pthread_mutex_lock(&r->lock);
	bool fits = r->waiting_bytes + a->length <= WAITING_BYTES_MAX;
	if (fits) {
		*r->last = a;
		r->last = &a->next;
		r->waiting_bytes += a->length;
	}
	pthread_mutex_unlock(&r->lock);
	if (fits && write(r->options.wake_fd, &one, sizeof one) < 0)
		return true; /* its count is at its limit: somebody is awake */
	return fits;
}

static void respond(struct http_exchange *exchange, const struct response *answer, const struct verdict *verdict)
{
	const struct http_request *q = http_exchange_request(exchange);
	struct buffer findings = BUFFER_INIT;
	struct http_response response = { .status = answer->status,
		                          .fault = answer->fault,
		                          .delay_ns = answer->delay_ns };
	char seconds[24];
	struct http_field retry_after = { "Retry-After", strlen("Retry-After"), seconds, 0 };
	if (answer->retry_after.given) {
		retry_after.value_length = (size_t)snprintf(seconds, sizeof seconds, "%llu",
		                                            (unsigned long long)answer->retry_after.value);
		response.fields = &retry_after;
		response.field_count = 1;
	}
	if (answer->status == 422 && verdict) {
		struct payload_origin origin = { "body", 1, q->body, q->body_length, NULL, NULL };
		finding_report_json(verdict, &origin, &findings);
		response.content_type = "application/json";
		response.body = buffer_text(&findings);
		response.body_length = findings.length;
	}
	http_exchange_respond(exchange, &response);
	buffer_release(&findings);
}

static void on_request(void *context, struct http_exchange *exchange)
{
	struct receiver *r = context;
	const struct http_request *q = http_exchange_request(exchange);
	const struct http_field *type = http_request_find(q, "Content-Type");
	struct check_options options = { .judge_content_type = true, .content_type = type ? type->value : NULL };
	struct error err;
	if (strcmp(q->method, "POST") != 0) {
		respond(exchange, &(struct response){ .status = 200 }, NULL);
		return;
	}
	const struct verdict *verdict =
	        check_payload(r->checker, q->body ? q->body : "", q->body_length, &options, &err);
	struct notification *a = NULL;
	if (verdict) {
		responder_choose(&r->answers, verdict->kind, verdict->valid, r->options.reject && !verdict->valid,
		                 &r->chosen);
		a = notification_new(r, exchange, verdict);
	}
	if (a && hand_over(r, a)) {
		r->next_number++;
		respond(exchange, &r->chosen, verdict);
		return;
	}
	notification_free(a);
	respond(exchange, &(struct response){ .status = 503 }, NULL);
}

static void on_drained(void *context)
{
	struct receiver *r = context;
	loop_stop(r->loop);
}

static void on_stop(void *context, uint32_t events)
{
	struct receiver *r = context;
	(void)events;
	loop_remove(r->loop, &r->stop_io);
	http_server_drain(r->server, clock_monotonic_ns() + DRAIN_NS);
}

static void *run(void *context)
{
	struct receiver *r = context;
	struct error err;
	loop_run(r->loop, &err);
	return NULL;
}

/* Every signal is the session's: the prompt waits for SIGWINCH and SIGTSTP, too. */
static int start_thread(struct receiver *r, struct error *err)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&r->thread, NULL, run, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot start a thread: %s", strerror(failed));
	r->running = true;
	return 0;
}

static int set_up(struct receiver *r, const char *address, struct error *err)
{
	const struct http_server_handler handler = {
		.context = r, .on_head = on_head, .on_request = on_request, .on_drained = on_drained
	};
	r->stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (r->stop_fd < 0 || pthread_mutex_init(&r->lock, NULL) != 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot prepare the listener: %s", strerror(errno));
	r->has_lock = true;
	r->stop_io = (struct loop_io){ r->stop_fd, on_stop, r };
	if (!(r->checker = checker_new(err)) || !(r->loop = loop_new(err)) ||
	    loop_add(r->loop, &r->stop_io, EPOLLIN, err) < 0 ||
	    !(r->server = http_server_new(r->loop, &http_server_defaults, &handler, err)) ||
	    http_server_listen(r->server, address, err) < 0)
		return -1;
	return start_thread(r, err);
}

struct receiver *receiver_start(const char *address, const struct receiver_options *options, struct error *err)
{
	struct receiver *r = calloc(1, sizeof *r);
	if (!r) {
		struct response_policy answers = options->answers;
		response_policy_release(&answers);
		error_no_memory(err);
		return NULL;
	}
	r->options = *options;
	responder_init(&r->answers, &r->options.answers);
	r->next_number = options->first_number;
	r->stop_fd = -1;
	r->last = &r->first;
	if (options->path && !(r->path = strdup(options->path)))
		error_no_memory(err);
	else if (set_up(r, address, err) == 0)
		return r;
	receiver_free(r);
	return NULL;
}

const char *receiver_url(const struct receiver *r)
{
	return http_server_url(r->server);
}

struct notification *receiver_take(struct receiver *r)
{
	pthread_mutex_lock(&r->lock);
	struct notification *all = r->first;
	r->first = NULL;
	r->last = &r->first;
	r->waiting_bytes = 0;
	pthread_mutex_unlock(&r->lock);
	return all;
}

void receiver_stop(struct receiver *r)
{
	static const uint64_t one = 1;
	if (!r->running)
		return;
	if (write(r->stop_fd, &one, sizeof one) == (ssize_t)sizeof one)
		pthread_join(r->thread, NULL);
	r->running = false;
}

void receiver_free(struct receiver *r)
{
	if (!r)
		return;
	receiver_stop(r);
	http_server_free(r->server);
	loop_free(r->loop);
	checker_free(r->checker);
	while (r->first) {
		struct notification *next = r->first->next;
		notification_free(r->first);
		r->first = next;
	}
	if (r->has_lock)
		pthread_mutex_destroy(&r->lock);
	if (r->stop_fd >= 0)
		close(r->stop_fd);
	response_policy_release(&r->options.answers);
	free(r->path);
	free(r);
}
