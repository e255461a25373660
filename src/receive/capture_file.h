/* The file of a capture: opened, opened again by its name; each is reported to the observer. */
#ifndef CREDHOOK_RECEIVE_CAPTURE_FILE_H
#define CREDHOOK_RECEIVE_CAPTURE_FILE_H

#include "base/loop.h"
#include "receive/observer.h"
#include "receive/policy.h"

struct capture_file {
	const struct receive_capture *policy;
	const struct receive_observer *observer;
	struct loop *loop;
	struct capture_writer *writer; /* NULL: not open */
	bool reopen;                   /* is due: on demand, or after a failure */
	struct loop_timer retry;       /* sets `reopen`, */
	int64_t retry_wait;            /* this long after a failure; 0: there was none */
	uint64_t lost_records;         /* in a capture that was deleted or replaced; reported already */
	bool failed;                   /* reported already: no more writing */
};

/* policy->path must be set; all is borrowed. */
int capture_file_open(struct capture_file *file, const struct receive_capture *policy,
                      const struct receive_observer *observer, struct loop *loop, struct error *err);
/* Between two commits: opens it again if due. */
void capture_file_change(struct capture_file *file);
/* The first and the last step of a commit, see capture/writer.h. begin(): true: something is to be synced. */
bool capture_file_begin(struct capture_file *file);
void capture_file_finish(struct capture_file *file, int sync_errno);
/* Commits what was added, and closes. Two steps: what was added is decided after the first. */
void capture_file_commit(struct capture_file *file);
void capture_file_close(struct capture_file *file);

#endif
