#ifndef CREDHOOK_DELIVER_KEYS_H
#define CREDHOOK_DELIVER_KEYS_H

#include "deliver/job.h"

/* --keyed: jobs of the same key go one after the other. Holds the keys that are under way, and no others.
 * Zero-initialise; nothing to release. */
#define KEY_BUCKETS 4096
struct keys {
	struct job *buckets[KEY_BUCKETS]; /* the job under way of each key, by key_chain */
};

/* True: the job may go, and its key is taken. False: it waits behind the one that has its key. */
bool keys_enter(struct keys *keys, struct job *job);
/* The job is over: its key is free, or taken by the job returned, which may go. NULL: none waits. */
struct job *keys_leave(struct keys *keys, struct job *job);

#endif
