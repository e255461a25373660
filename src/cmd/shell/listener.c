#include "base/clock.h"
#include "cmd/shell/shell.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define WORDS_MOST 64 /* that wait to be printed; what comes meanwhile is counted */

struct shell_listener {
	struct receive_args args;
	struct line line; /* that `args` borrows from */
	struct receive_setup setup;
	struct background *background;
	int wake_fd;
	pthread_mutex_t lock; /* of what follows */
	struct receive_words words[WORDS_MOST];
	size_t words_count;
	size_t words_dropped;
};

static void keep_words(struct shell_listener *l, const struct receive_words *words)
{
	/* A flood of notes leaves room for what is worse. */
	size_t most = words->level == RECEIVE_NOTE ? WORDS_MOST / 2 : WORDS_MOST;
	if (!words->text.message[0])
		return;
	pthread_mutex_lock(&l->lock);
	if (l->words_count < most)
		l->words[l->words_count++] = *words;
	else
		l->words_dropped++;
	pthread_mutex_unlock(&l->lock);
	eventfd_write(l->wake_fd, 1);
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

const char *shell_listener_url(const struct shell_listener *l)
{
	return receiver_url(background_receiver(l->background));
}

bool shell_listener_forwards(const struct shell_listener *l)
{
	return l->setup.policy.forward != NULL;
}

struct history_entry *shell_listener_take(struct shell_listener *l, struct history_counts *dropped)
{
	struct history_entry *all = background_take(l->background, dropped);
	struct receive_words words = { .level = RECEIVE_WARNING };
	uint64_t count = history_counted(dropped);
	if (count > 0) {
		error_set(&words.text, EXIT_CODE_OK, "%" PRIu64 " dropped: more arrived than is kept (%zu MiB)%s",
		          count, HISTORY_BYTES_MAX >> 20, l->args.capture ? "" : "; --capture FILE keeps all");
		keep_words(l, &words);
	}
	return all;
}

bool shell_listener_next_words(struct shell_listener *l, struct receive_words *words)
{
	pthread_mutex_lock(&l->lock);
	bool any = l->words_count > 0 || l->words_dropped > 0;
	if (l->words_count > 0) {
		*words = l->words[0];
		memmove(l->words, l->words + 1, --l->words_count * sizeof l->words[0]);
	} else if (any) {
		words->level = RECEIVE_NOTE;
		error_set(&words->text, EXIT_CODE_OK, "messages of the listener dropped: %zu", l->words_dropped);
		l->words_dropped = 0;
	}
	pthread_mutex_unlock(&l->lock);
	return any;
}

int shell_listener_stop(struct shell_listener *l)
{
	background_stop(l->background);
	const struct receive_counts *counts = receiver_counts(background_receiver(l->background));
	return counts->capture_failed || counts->lost_records > 0 ? EXIT_CODE_IO : EXIT_CODE_OK;
}

void shell_listener_free(struct shell_listener *l)
{
	if (!l)
		return;
	background_free(l->background);
	receive_setup_release(&l->setup);
	receive_args_release(&l->args);
	line_release(&l->line);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static int start(struct shell_listener *l, const char *address, struct context *context, uint64_t first_number,
                 struct error *err)
{
	struct background_options options = { l->wake_fd,
		                              { .context = l, .refused = on_refused, .notice = on_notice } };
	if (receive_setup_init(&l->setup, &l->args, context, err) < 0)
		return -1;
	l->setup.policy.first_number = first_number;
	l->setup.policy.drain = CLOCK_NS_PER_S;
	l->background = background_new(address, &l->setup.policy, &options, err);
	if (!l->background || receive_setup_check_target(&l->setup, shell_listener_url(l), err) < 0 ||
	    background_start(l->background, err) < 0)
		return -1;
	receive_print_ready(context->terminal, background_receiver(l->background), &l->setup);
	return 0;
}

struct shell_listener *shell_listener_start(const char *address, struct receive_args *args, struct line *line,
                                            struct context *context, uint64_t first_number, int wake_fd,
                                            struct error *err)
{
	struct shell_listener *l = calloc(1, sizeof *l);
	if (!l) {
		error_no_memory(err);
		return NULL;
	}
	pthread_mutex_init(&l->lock, NULL);
	l->wake_fd = wake_fd;
	l->args = *args;
	l->line = *line;
	*args = (struct receive_args){ .capture = NULL };
	*line = (struct line){ .words = NULL };
	if (start(l, address, context, first_number, err) == 0)
		return l;
	shell_listener_free(l);
	return NULL;
}
