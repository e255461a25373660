#include "base/clock.h"
#include "base/loop.h"
#include "base/thread.h"
#include "cmd/args/receive_setup.h"
#include "cmd/shell/shell.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 64 /* that wait to be printed; what comes meanwhile is counted */

struct shell_listener {
	struct receive_args args;
	struct line line; /* that `args` borrows from */
	struct receive_setup setup;
	struct loop *loop; /* this, the receiver and stop_io are the thread's once it runs */
	struct receiver *receiver;
	struct wake stop;
	struct loop_io stop_io;
	const struct wake *arrived;
	pthread_t thread;
	bool running; /* the thread is to be joined */
	struct spool *spool;
	pthread_mutex_t lock; /* of what follows */
	uint64_t dropped;     /* notifications that could not be kept, not said yet */
	struct error why;     /* of the last of these */
	struct receive_words words[WORDS_MOST];
	size_t words_count;
	size_t words_dropped;
};

static void keep_words(struct shell_listener *l, const struct receive_words *words)
{
	/* A flood of notes leaves room for what is worse. */
	size_t most = words->level == RECEIVE_NOTE ? WORDS_MOST / 2 : WORDS_MOST;
	if (words->level != RECEIVE_ERROR && !words->text[0])
		return;
	pthread_mutex_lock(&l->lock);
	if (l->words_count < most)
		l->words[l->words_count++] = *words;
	else
		l->words_dropped++;
	pthread_mutex_unlock(&l->lock);
	wake_up(l->arrived);
}

static void on_refused(void *context, const struct refusal *refusal)
{
	struct shell_listener *l = context;
	struct receive_words words;
	receive_words_of_refusal(&words, refusal, &l->args);
	keep_words(l, &words);
}

static void on_notice(void *context, const struct receive_notice *notice)
{
	struct shell_listener *l = context;
	struct receive_words words;
	receive_words_of_notice(&words, notice, &l->args);
	keep_words(l, &words);
}

static void on_notification(void *context, const struct notification *n)
{
	struct shell_listener *l = context;
	struct error err;
	if (spool_add_arrival(l->spool, n, &err) < 0) {
		pthread_mutex_lock(&l->lock);
		l->dropped++;
		l->why = err;
		pthread_mutex_unlock(&l->lock);
	}
	wake_up(l->arrived);
}

static void on_ended(void *context)
{
	struct shell_listener *l = context;
	loop_stop(l->loop);
}

static void on_stop(void *context, uint32_t events)
{
	struct shell_listener *l = context;
	(void)events;
	loop_remove(l->loop, &l->stop_io);
	receiver_end(l->receiver);
}

static void *run(void *context)
{
	struct shell_listener *l = context;
	struct error err;
	loop_run(l->loop, &err);
	return NULL;
}

const char *shell_listener_url(const struct shell_listener *l)
{
	return receiver_state(l->receiver)->url;
}

bool shell_listener_forwards(const struct shell_listener *l)
{
	return l->setup.policy.forward != NULL;
}

bool shell_listener_next_words(struct shell_listener *l, struct receive_words *words)
{
	pthread_mutex_lock(&l->lock);
	bool any = l->words_count > 0 || l->words_dropped > 0 || l->dropped > 0;
	if (l->dropped > 0) {
		words->level = RECEIVE_WARNING;
		error_words(words->text, sizeof words->text, "%" PRIu64 " not in the list: %s%s", l->dropped,
		            l->why.message, l->args.policy.capture ? "" : "; --capture FILE keeps all");
		l->dropped = 0;
	} else if (l->words_count > 0) {
		*words = l->words[0];
		memmove(l->words, l->words + 1, --l->words_count * sizeof l->words[0]);
	} else if (any) {
		words->level = RECEIVE_NOTE;
		error_words(words->text, sizeof words->text, "messages of the listener dropped: %zu", l->words_dropped);
		l->words_dropped = 0;
	}
	pthread_mutex_unlock(&l->lock);
	return any;
}

int shell_listener_stop(struct shell_listener *l)
{
	if (l->running) {
		wake_up(&l->stop);
		pthread_join(l->thread, NULL);
	}
	l->running = false;
	receiver_close(l->receiver);
	const struct receive_counts *counts = &receiver_state(l->receiver)->counts;
	return counts->capture_failed || counts->lost_records > 0 ? EXIT_CODE_IO : EXIT_CODE_OK;
}

void shell_listener_free(struct shell_listener *l)
{
	if (!l)
		return;
	if (l->receiver)
		shell_listener_stop(l);
	receiver_free(l->receiver);
	loop_free(l->loop);
	receive_setup_release(&l->setup);
	receive_args_release(&l->args);
	line_release(&l->line);
	pthread_mutex_destroy(&l->lock);
	wake_close(&l->stop);
	free(l);
}

static int start(struct shell_listener *l, const char *address, struct context *context, struct error *err)
{
	const struct receive_observer observer = { l, on_notification, on_refused, on_notice, on_ended };
	if (receive_setup_init(&l->setup, &l->args, context, err) < 0)
		return -1;
	l->setup.policy.first_number = spool_count(l->spool) + 1;
	l->setup.policy.drain = CLOCK_NS_PER_S;
	if (wake_open(&l->stop, err) < 0)
		return -1;
	l->stop_io = (struct loop_io){ .fd = l->stop.fd, .ready = on_stop, .context = l };
	if (!(l->loop = loop_new(err)) || loop_add(l->loop, &l->stop_io, LOOP_READ, err) < 0 ||
	    !(l->receiver = receiver_new(l->loop, address, &l->setup.policy, &observer, err)) ||
	    receive_setup_check_target(&l->setup, receiver_state(l->receiver)->url, err) < 0)
		return -1;
	int failed = thread_start(&l->thread, run, l);
	l->running = !failed;
	if (failed)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot start a thread: %s", strerror(failed));
	receive_print_ready(context->terminal, l->receiver, &l->setup);
	return 0;
}

struct shell_listener *shell_listener_start(const char *address, struct receive_args *args, struct line *line,
                                            struct context *context, struct spool *spool, const struct wake *arrived,
                                            struct error *err)
{
	struct shell_listener *l = calloc(1, sizeof *l);
	if (!l)
		return error_no_memory_null(err);
	pthread_mutex_init(&l->lock, NULL);
	l->arrived = arrived;
	l->spool = spool;
	l->args = *args;
	l->line = *line;
	*args = (struct receive_args){ .body_source = NULL };
	*line = (struct line){ .words = NULL };
	if (start(l, address, context, err) == 0)
		return l;
	shell_listener_free(l);
	return NULL;
}
