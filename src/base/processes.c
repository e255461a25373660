#include "base/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_FIELD 17 /* of /proc/PID/stat, from the state on */

struct process {
	pid_t pid, parent, group;
	bool is_zombie;
};

/* Opens /proc; NULL: there is none, or it is another namespace's, with other numbers. */
static DIR *open_processes(void)
{
	char self[32];
	ssize_t length = readlink("/proc/self", self, sizeof self - 1);
	if (length <= 0)
		return NULL;
	self[length] = '\0';
	return atol(self) == (long)getpid() ? opendir("/proc") : NULL;
}

/* proc(5): "PID (NAME) STATE PARENT GROUP ...", where the name may hold anything. */
static bool read_process(const char *pid, struct process *p)
{
	char path[300], text[1024];
	long fields[THREADS_FIELD + 1] = { 0 };
	snprintf(path, sizeof path, "/proc/%s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *at = strrchr(text, ')');
	if (!at || strlen(at) < 3)
		return false;
	char state = at[2];
	at += 3;
	for (size_t i = 1; i <= THREADS_FIELD; i++) {
		char *end;
		fields[i] = strtol(at, &end, 10);
		at = end;
	}
	/* While other threads of it run, its first one may have ended. */
	*p = (struct process){ (pid_t)atol(pid), (pid_t)fields[1], (pid_t)fields[2],
		               (state == 'Z' || state == 'X') && fields[THREADS_FIELD] <= 1 };
	return true;
}

/* The next one; false: there is none. */
static bool next_process(DIR *processes, struct process *p)
{
	struct dirent *entry;
	while ((entry = readdir(processes)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]) && read_process(entry->d_name, p))
			return true;
	return false;
}

enum process_group processes_look_for_group(pid_t group)
{
	struct process p;
	bool is_alive = false;
	DIR *processes = open_processes();
	if (!processes)
		return PROCESS_GROUP_UNKNOWN;
	while (!is_alive && next_process(processes, &p))
		is_alive = p.group == group && !p.is_zombie;
	closedir(processes);
	return is_alive ? PROCESS_GROUP_ALIVE : PROCESS_GROUP_GONE;
}

void processes_reap_adopted(bool (*is_started)(const void *context, pid_t pid), const void *context)
{
	struct process p;
	for (;;) {
		siginfo_t info = { .si_pid = 0 };
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
			return;
		if (is_started(context, info.si_pid))
			break; /* it hides those behind it */
		waitpid(info.si_pid, NULL, WNOHANG);
	}
	DIR *processes = open_processes();
	while (processes && next_process(processes, &p))
		if (p.is_zombie && p.parent == getpid() && !is_started(context, p.pid))
			waitpid(p.pid, NULL, WNOHANG);
	if (processes)
		closedir(processes);
}
