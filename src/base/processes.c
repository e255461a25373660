#include "base/processes.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_FIELD 17 /* of /proc/PID/stat, from the state on */
#define NAME_SIZE     16
#define SOCKETS_MOST  4096 /* that listen */
#define LISTENS       "0A" /* a state in /proc/net/tcp */
#define SOCKET        "socket:["

struct process {
	pid_t pid, parent, group;
	bool is_zombie;
	char name[NAME_SIZE];
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
	const char *at = strrchr(text, ')'), *name = strchr(text, '(');
	if (!at || !name || strlen(at) < 3)
		return false;
	size_t name_length = (size_t)(at - name - 1);
	char state = at[2];
	at += 3;
	for (size_t i = 1; i <= THREADS_FIELD; i++) {
		char *end;
		fields[i] = strtol(at, &end, 10);
		at = end;
	}
	/* While other threads of it run, its first one may have ended. */
	*p = (struct process){ (pid_t)atol(pid), (pid_t)fields[1], (pid_t)fields[2],
		               (state == 'Z' || state == 'X') && fields[THREADS_FIELD] <= 1, "" };
	snprintf(p->name, sizeof p->name, "%.*s", (int)name_length, name + 1);
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

struct listening {
	unsigned long inode;
	bool is_said;
	char at[INET6_ADDRSTRLEN + sizeof "[]:65535"];
};

/* An address in /proc/net/tcp: words of four bytes, in the order of the processor. */
static bool read_address(const char *hex, struct listening *l)
{
	unsigned char bytes[16];
	char text[INET6_ADDRSTRLEN];
	size_t length = strcspn(hex, ":") / 2;
	if (length != 4 && length != 16)
		return false;
	for (size_t i = 0; i < length; i += 4) {
		char word[9] = "";
		memcpy(word, hex + 2 * i, 8);
		uint32_t value = (uint32_t)strtoul(word, NULL, 16);
		memcpy(bytes + i, &value, sizeof value);
	}
	if (!inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, text, sizeof text))
		return false;
	snprintf(l->at, sizeof l->at, length == 4 ? "%s:%lu" : "[%s]:%lu", text,
	         strtoul(hex + 2 * length + 1, NULL, 16));
	return true;
}

/* Appends the sockets of the table that listen, each a struct listening. */
static void read_table(const char *path, struct buffer *all)
{
	char line[256], at[64], state[8];
	FILE *table = fopen(path, "re");
	while (table && all->length < SOCKETS_MOST * sizeof(struct listening) && fgets(line, sizeof line, table)) {
		struct listening l = { .is_said = false };
		if (sscanf(line, " %*[^:]: %63s %*s %7s %*s %*s %*s %*s %*s %lu", at, state, &l.inode) == 3 &&
		    strcmp(state, LISTENS) == 0 && read_address(at, &l))
			buffer_append(all, (const char *)&l, sizeof l);
	}
	if (table)
		fclose(table);
}

/* Appends the sockets among these that the process holds. */
static void append_sockets(const struct process *p, struct listening *all, size_t count, struct buffer *out)
{
	char path[64], target[64];
	struct dirent *entry;
	snprintf(path, sizeof path, "/proc/%ld/fd", (long)p->pid);
	DIR *fds = opendir(path);
	while (fds && (entry = readdir(fds)) != NULL) {
		ssize_t length = readlinkat(dirfd(fds), entry->d_name, target, sizeof target - 1);
		target[length > 0 ? length : 0] = '\0';
		for (size_t i = 0; i < count && strncmp(target, SOCKET, strlen(SOCKET)) == 0; i++) {
			/* A child may have it, too. */
			if (strtoul(target + strlen(SOCKET), NULL, 10) != all[i].inode || all[i].is_said)
				continue;
			all[i].is_said = true;
			if (out->length == 0)
				buffer_printf(out, "%s listens at ", p->name);
			else
				buffer_append_text(out, " and ");
			buffer_append_text(out, all[i].at);
		}
	}
	if (fds)
		closedir(fds);
}

void processes_append_listening(pid_t group, struct buffer *out)
{
	struct process p;
	LOCAL_BUFFER found = BUFFER_FOR(out), sockets = BUFFER_FOR(out);
	read_table("/proc/net/tcp", &sockets);
	read_table("/proc/net/tcp6", &sockets);
	struct listening *all = (struct listening *)(void *)sockets.data;
	size_t count = sockets.failed ? 0 : sockets.length / sizeof *all;
	DIR *processes = count > 0 ? open_processes() : NULL;
	while (processes && next_process(processes, &p))
		if (p.group == group)
			append_sockets(&p, all, count, &found);
	if (processes)
		closedir(processes);
	buffer_append(out, buffer_text(&found), found.length);
}

void processes_reap_adopted(bool (*is_started)(const void *context, pid_t pid), const void *context)
{
	for (;;) {
		siginfo_t info = { .si_pid = 0 };
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0 ||
		    is_started(context, info.si_pid))
			return;
		waitpid(info.si_pid, NULL, WNOHANG);
	}
}

pid_t processes_find_adopted(bool (*is_started)(const void *context, pid_t pid), const void *context, pid_t but_group)
{
	struct process p;
	pid_t found = 0;
	DIR *processes = open_processes();
	while (processes && found == 0 && next_process(processes, &p))
		if (!p.is_zombie && p.parent == getpid() && p.group != but_group && !is_started(context, p.pid))
			found = p.pid;
	if (processes)
		closedir(processes);
	return found;
}
