#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
	sigset_t all, kept;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &kept);
	int failed = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &kept, NULL);
	return failed;
}
