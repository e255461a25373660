#include "base/child_watch.h"
#include "base/signals.h"
#include "base/system.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct watched_child {
	pid_t pid;
	int fd; /* closed as it ends */
};

static void *watch_child(void *context)
{
	struct watched_child child = *(struct watched_child *)context;
	siginfo_t unused;
	free(context);
	while (waitid(P_PID, (id_t)child.pid, &unused, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		continue;
	close(child.fd);
	return NULL;
}

int child_watch(pid_t child)
{
	int ends[2];
	pthread_t thread;
	struct watched_child *watched = malloc(sizeof *watched);
	if (!watched || system_pipe(ends, true) < 0) {
		free(watched);
		return -1;
	}
	*watched = (struct watched_child){ child, ends[1] };
	if (signals_start_thread(&thread, watch_child, watched) == 0) {
		pthread_detach(thread);
		return ends[0];
	}
	close(ends[0]);
	close(ends[1]);
	free(watched);
	return -1;
}
