#include "capture/syncer.h"

#include "base/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct capture_syncer {
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int done_fd;
	const struct capture_writer *writer; /* to sync; NULL: none */
	bool done;
	bool ending;
	int result;
};

static void *run(void *context)
{
	struct capture_syncer *s = context;
	pthread_mutex_lock(&s->mutex);
	for (;;) {
		while (!s->writer && !s->ending)
			pthread_cond_wait(&s->changed, &s->mutex);
		if (!s->writer)
			break;
		const struct capture_writer *writer = s->writer;
		pthread_mutex_unlock(&s->mutex);
		int result = capture_writer_sync(writer);
		pthread_mutex_lock(&s->mutex);
		s->writer = NULL;
		s->result = result;
		s->done = true;
		pthread_mutex_unlock(&s->mutex);
		/* After unlocking, so that the woken thread does not wait for the mutex. */
		pthread_cond_broadcast(&s->changed);
		eventfd_write(s->done_fd, 1);
		pthread_mutex_lock(&s->mutex);
	}
	pthread_mutex_unlock(&s->mutex);
	return NULL;
}

struct capture_syncer *capture_syncer_new(struct error *err)
{
	struct capture_syncer *s = calloc(1, sizeof *s);
	if (!s) {
		error_no_memory(err);
		return NULL;
	}
	s->done_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->changed, NULL);
	int failed = s->done_fd < 0 ? errno : signals_start_thread(&s->thread, run, s);
	if (!failed)
		return s;
	error_set(err, EXIT_CODE_INTERNAL, "cannot start the sync thread: %s", strerror(failed));
	if (s->done_fd >= 0)
		close(s->done_fd);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->mutex);
	free(s);
	return NULL;
}

void capture_syncer_free(struct capture_syncer *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->mutex);
	s->ending = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mutex);
	pthread_join(s->thread, NULL);
	close(s->done_fd);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

int capture_syncer_fd(const struct capture_syncer *s)
{
	return s->done_fd;
}

void capture_syncer_start(struct capture_syncer *s, const struct capture_writer *writer)
{
	pthread_mutex_lock(&s->mutex);
	s->writer = writer;
	s->done = false;
	pthread_mutex_unlock(&s->mutex);
	pthread_cond_broadcast(&s->changed);
}

int capture_syncer_take(struct capture_syncer *s)
{
	eventfd_t ignored;
	pthread_mutex_lock(&s->mutex);
	while (!s->done)
		pthread_cond_wait(&s->changed, &s->mutex);
	int result = s->result;
	s->done = false;
	pthread_mutex_unlock(&s->mutex);
	eventfd_read(s->done_fd, &ignored);
	return result;
}
