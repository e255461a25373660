#include "deliver/job.h"

#include <stdlib.h>
#include <string.h>

/* A job keeps this much between two uses: one huge body must not stay forever. */
#define KEPT_BODY    ((size_t)256 << 10)
#define KEPT_HEADERS 1024

const char *const outcome_names[OUTCOME_COUNT] = { "accepted", "rejected", "failed", "unknown" };

static void empty(struct buffer *buffer)
{
	if (buffer->capacity > KEPT_BODY)
		buffer_release(buffer);
	buffer_clear(buffer);
}

void job_clear(struct job *job)
{
	empty(&job->body);
	empty(&job->bytes);
	empty(&job->exchange.kept_head);
	empty(&job->exchange.kept_body);
	empty(&job->exchange.trace);
	buffer_clear(&job->key);
	if (job->header_capacity > KEPT_HEADERS) {
		free(job->headers);
		job->headers = NULL;
		job->header_capacity = 0;
	}
	job->exchange.request = (struct message){ .headers = NULL };
	job->exchange.unmade = NULL;
	memset(&job->keyed, 0, offsetof(struct job, run) - offsetof(struct job, keyed));
}

void job_free(struct job *job)
{
	if (!job)
		return;
	exchange_release(&job->exchange);
	buffer_release(&job->body);
	buffer_release(&job->bytes);
	buffer_release(&job->key);
	free(job->headers);
	free(job);
}

bool job_add_header(struct job *job, struct text name, struct text value)
{
	struct message *request = &job->exchange.request;
	if (!ARRAY_ROOM(job->headers, job->header_capacity, request->header_count + 1))
		return false;
	job->headers[request->header_count++] = (struct header){ name, value };
	request->headers = job->headers;
	return true;
}

const struct message *job_request(struct job *job)
{
	job->exchange.request.body = (struct text){ buffer_text(&job->body), job->body.length };
	return &job->exchange.request;
}

void job_list_add(struct job_list *list, struct job *job)
{
	job->next = NULL;
	job_list_move(list, &(struct job_list){ job, job, 1 });
}

struct job *job_list_take(struct job_list *list)
{
	struct job *job = list->first;
	if (!job)
		return NULL;
	list->first = job->next;
	if (!list->first)
		list->last = NULL;
	list->count--;
	job->next = NULL;
	return job;
}

void job_list_move(struct job_list *to, struct job_list *from)
{
	if (!from->first)
		return;
	if (to->last)
		to->last->next = from->first;
	else
		to->first = from->first;
	to->last = from->last;
	to->count += from->count;
	*from = (struct job_list){ NULL, NULL, 0 };
}
