#include "receive/background.h"

#include "base/loop.h"
#include "base/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct background {
	struct loop *loop; /* from here to `scratch` the thread's, once it runs */
	struct receiver *receiver;
	struct loop_io stop_io;
	struct receive_observer observer;
	int wake_fd;
	int stop_fd;
	pthread_t thread;
	bool running;         /* the thread is to be joined */
	pthread_mutex_t lock; /* of what follows */
	struct history_entry *first;
	struct history_entry **last;
	size_t bytes;
	struct history_counts dropped; /* since the last background_take() */
};

static void drop_oldest(struct background *b)
{
	struct history_entry *oldest = b->first;
	b->first = oldest->next;
	if (!b->first)
		b->last = &b->first;
	b->bytes -= oldest->length;
	history_count(&b->dropped, oldest->is_checked, oldest->valid);
	history_entry_free(oldest);
}

static void append(struct background *b, struct history_entry *entry)
{
	while (b->first && b->bytes + entry->length > HISTORY_BYTES_MAX)
		drop_oldest(b);
	*b->last = entry;
	b->last = &entry->next;
	b->bytes += entry->length;
}

static void on_notification(void *context, const struct notification *notification)
{
	struct background *b = context;
	const struct verdict *verdict = notification->verdict;
	struct history_entry *entry = history_entry_new(notification);
	pthread_mutex_lock(&b->lock);
	if (entry)
		append(b, entry);
	else
		history_count(&b->dropped, verdict != NULL, verdict && verdict->valid);
	pthread_mutex_unlock(&b->lock);
	eventfd_write(b->wake_fd, 1); /* fails only at its limit: the reader is awake then */
}

static void on_ended(void *context)
{
	struct background *b = context;
	loop_stop(b->loop);
}

static void on_stop(void *context, uint32_t events)
{
	struct background *b = context;
	(void)events;
	loop_remove(b->loop, &b->stop_io);
	receiver_end(b->receiver);
}

static void *run(void *context)
{
	struct background *b = context;
	struct error err;
	loop_run(b->loop, &err);
	return NULL;
}

int background_start(struct background *b, struct error *err)
{
	int failed = signals_start_thread(&b->thread, run, b);
	if (failed)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot start a thread: %s", strerror(failed));
	b->running = true;
	return 0;
}

static void on_refused(void *context, const struct refusal *refusal)
{
	struct background *b = context;
	if (b->observer.refused)
		b->observer.refused(b->observer.context, refusal);
}

static void on_notice(void *context, const struct receive_notice *notice)
{
	struct background *b = context;
	observer_notice(&b->observer, notice);
}

static int set_up(struct background *b, const char *address, const struct receive_policy *policy, struct error *err)
{
	const struct receive_observer observer = { b, on_notification, on_refused, on_notice, on_ended };
	b->stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (b->stop_fd < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot prepare the listener: %s", strerror(errno));
	b->stop_io = (struct loop_io){ b->stop_fd, on_stop, b };
	if (!(b->loop = loop_new(err)) || loop_add(b->loop, &b->stop_io, EPOLLIN, err) < 0 ||
	    !(b->receiver = receiver_new(b->loop, address, policy, &observer, err)))
		return -1;
	return 0;
}

struct background *background_new(const char *address, const struct receive_policy *policy,
                                  const struct background_options *options, struct error *err)
{
	struct background *b = calloc(1, sizeof *b);
	if (!b) {
		error_no_memory(err);
		return NULL;
	}
	b->wake_fd = options->wake_fd;
	b->observer = options->observer;
	b->stop_fd = -1;
	b->last = &b->first;
	pthread_mutex_init(&b->lock, NULL);
	if (set_up(b, address, policy, err) == 0)
		return b;
	background_free(b);
	return NULL;
}

const struct receiver *background_receiver(const struct background *b)
{
	return b->receiver;
}

struct history_entry *background_take(struct background *b, struct history_counts *dropped)
{
	pthread_mutex_lock(&b->lock);
	struct history_entry *all = b->first;
	b->first = NULL;
	b->last = &b->first;
	b->bytes = 0;
	*dropped = b->dropped;
	b->dropped = (struct history_counts){ .valid = 0 };
	pthread_mutex_unlock(&b->lock);
	return all;
}

void background_stop(struct background *b)
{
	if (b->running) {
		eventfd_write(b->stop_fd, 1);
		pthread_join(b->thread, NULL);
	}
	b->running = false;
	if (b->receiver)
		receiver_close(b->receiver);
}

void background_free(struct background *b)
{
	if (!b)
		return;
	background_stop(b);
	receiver_free(b->receiver);
	loop_free(b->loop);
	while (b->first)
		drop_oldest(b);
	pthread_mutex_destroy(&b->lock);
	if (b->stop_fd >= 0)
		close(b->stop_fd);
	free(b);
}
