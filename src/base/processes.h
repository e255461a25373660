/*
 * Other processes, as /proc shows them where it is one of Linux; elsewhere nothing is known.
 */
#ifndef CREDHOOK_BASE_PROCESSES_H
#define CREDHOOK_BASE_PROCESSES_H

#include "base/buffer.h"

#include <stdbool.h>
#include <sys/types.h>

enum process_group {
	PROCESS_GROUP_UNKNOWN,
	PROCESS_GROUP_ALIVE,
	PROCESS_GROUP_GONE, /* nobody is in it, or only zombies are */
};
enum process_group processes_look_for_group(pid_t group);

/* Appends where processes of the group listen for TCP connections: "node listens at 127.0.0.1:3402 and [::]:9229", with
 * the name of the first one. Appends nothing where none does, or nothing is known. */
void processes_append_listening(pid_t group, struct buffer *out);

/* Reaps the children of this process that have ended and that it has not started, but adopted: as pid 1, or by
 * system_adopt_orphans(). is_started(): whether it has started that one, which, ended and not reaped, hides those
 * behind it: they are reaped when this is called behind its reaping. */
void processes_reap_adopted(bool (*is_started)(const void *context, pid_t pid), const void *context);
/* One of them that runs, and is not in the group; 0: none does, or nothing is known. */
pid_t processes_find_adopted(bool (*is_started)(const void *context, pid_t pid), const void *context, pid_t but_group);

#endif
