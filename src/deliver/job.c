#include "deliver/job.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* A job keeps this much between two uses: one huge body must not stay forever. */
#define KEPT_BODY ((size_t)256 << 10)

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
	empty(&job->headers);
	empty(&job->exchange.kept_head);
	empty(&job->exchange.kept_body);
	empty(&job->exchange.trace);
	buffer_clear(&job->content_type);
	buffer_clear(&job->url);
	buffer_clear(&job->key);
	job->keyed = false;
	job->name[0] = '\0';
	job->input = NULL;
	job->record = 0;
	job->has_id = false;
	job->made = 0;
	job->has_expected = false;
	job->recorded_status = 0;
	job->due_ns = 0;
	job->attempt = 0;
	job->late = false;
	job->refused = false;
	job->final = false;
	job->first_ns = 0;
	job->behind = (struct job_list){ NULL, NULL, 0 };
	job->next = NULL;
}

void job_free(struct job *job)
{
	if (!job)
		return;
	exchange_release(&job->exchange);
	buffer_release(&job->body);
	buffer_release(&job->content_type);
	buffer_release(&job->url);
	buffer_release(&job->headers);
	buffer_release(&job->key);
	free(job);
}

void job_append_text(struct buffer *out, const char *text, size_t length)
{
	size_t at = out->length;
	buffer_append(out, text, length);
	for (; !out->failed && at < out->length; at++)
		if (out->data[at] == '\0')
			out->data[at] = '\x01';
}

bool job_add_header(struct job *job, const char *name, size_t name_length, const char *value, size_t value_length)
{
	job_append_text(&job->headers, name, name_length);
	buffer_append_text(&job->headers, value_length > 0 ? ": " : ";");
	job_append_text(&job->headers, value, value_length);
	buffer_append_byte(&job->headers, '\0');
	return !job->headers.failed;
}

void job_lend(const struct job *job, struct exchange *exchange)
{
	exchange->body = (struct text){ buffer_text(&job->body), job->body.length };
	exchange->headers = (struct text){ job->headers.data, job->headers.length };
	exchange->content_type = job->content_type.length > 0 ? buffer_text(&job->content_type) : NULL;
	exchange->url = job->url.length > 0 ? buffer_text(&job->url) : NULL;
}

bool job_failed_memory(const struct job *job)
{
	return job->body.failed || job->content_type.failed || job->url.failed || job->headers.failed ||
	       job->key.failed;
}

void job_list_add(struct job_list *list, struct job *job)
{
	job->next = NULL;
	if (list->last)
		list->last->next = job;
	else
		list->first = job;
	list->last = job;
	list->count++;
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

static struct job **bucket_of(struct keys *keys, struct job *job)
{
	uint64_t hash = hash_bytes(buffer_text(&job->key), job->key.length);
	return &keys->buckets[(hash ^ hash >> 32) % KEY_BUCKETS];
}

static bool same_key(const struct job *a, const struct job *b)
{
	return a->key.length == b->key.length && memcmp(buffer_text(&a->key), buffer_text(&b->key), a->key.length) == 0;
}

bool keys_enter(struct keys *keys, struct job *job)
{
	if (!job->keyed)
		return true;
	struct job **bucket = bucket_of(keys, job);
	for (struct job *other = *bucket; other; other = other->key_chain) {
		if (!same_key(other, job))
			continue;
		job_list_add(&other->behind, job);
		return false;
	}
	job->key_chain = *bucket;
	*bucket = job;
	return true;
}

struct job *keys_leave(struct keys *keys, struct job *job)
{
	if (!job->keyed)
		return NULL;
	struct job **at = bucket_of(keys, job);
	while (*at != job)
		at = &(*at)->key_chain;
	struct job *successor = job_list_take(&job->behind);
	if (!successor) {
		*at = job->key_chain;
		return NULL;
	}
	job_list_move(&successor->behind, &job->behind);
	successor->key_chain = job->key_chain;
	*at = successor;
	return successor;
}
