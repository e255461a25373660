/* --keyed: which jobs must wait for one of the same key. Holds keys that are under way, and no others. */
#ifndef CREDHOOK_DELIVER_KEYS_H
#define CREDHOOK_DELIVER_KEYS_H

#include "deliver/job.h"

#define KEY_BUCKETS 4096

/* Zero-initialise; nothing to release. */
struct keys {
	struct job *buckets[KEY_BUCKETS]; /* the job under way of each key, by key_chain */
};

/* True: the job may go, and its key is taken. False: it waits behind the one that has its key. */
bool keys_enter(struct keys *keys, struct job *job);
/* The job is over: its key is free, or taken by the job returned, which may go. NULL: none waits. */
struct job *keys_leave(struct keys *keys, struct job *job);
/* Takes away all that wait behind the job. */
void keys_drop(struct job *job, struct job_list *dropped);

#endif
