#include "cmd/list/spool.h"

#include "base/file.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the file an entry is its facts, the record, and the text of the error with its NUL. */
struct spool {
	pthread_mutex_t lock; /* of all that follows, but not of what is written: that stays as it is */
	int fd;
	uint64_t end; /* of what is written */
	struct spool_entry *entries;
	size_t count;
	size_t capacity;
	bool forwards; /* some of what arrived was forwarded */
	struct repeats *repeats;
};

struct spool *spool_new(struct error *err)
{
	struct spool *s = calloc(1, sizeof *s);
	if (!s)
		return error_no_memory_null(err);
	pthread_mutex_init(&s->lock, NULL);
	s->fd = file_make_nameless(NULL);
	s->repeats = s->fd >= 0 ? repeats_new() : NULL;
	if (s->repeats)
		return s;
	if (s->fd < 0) {
		error_set(err, EXIT_CODE_IO, "cannot make a temporary file for the notifications: %s", strerror(errno));
		error_hint(err, "set TMPDIR to a directory that can be written");
	} else {
		error_no_memory(err);
	}
	spool_free(s);
	return NULL;
}

void spool_free(struct spool *s)
{
	if (!s)
		return;
	file_close(&s->fd);
	pthread_mutex_destroy(&s->lock);
	free(s->repeats);
	free(s->entries);
	free(s);
}

/* Returns 0, or an errno. */
static int write_at(const struct spool *s, const void *bytes, size_t length, uint64_t at)
{
	for (size_t done = 0; done < length;) {
		ssize_t written = pwrite(s->fd, (const char *)bytes + done, length - done, (off_t)(at + done));
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO;
		done += (size_t)written;
	}
	return 0;
}

/* Writes an entry and lists it. What is not kept is nobody's first, so it is noted as a repeat or a first one when it
 * is written. Returns 0, or an errno. */
static int add_locked(struct spool *s, const struct buffer *bytes, struct spool_entry entry,
                      const struct capture_record *record)
{
	struct spool_facts facts;
	if (!ARRAY_ROOM(s->entries, s->capacity, s->count + 1))
		return ENOMEM;
	int failed = write_at(s, bytes->data, bytes->length, s->end);
	if (failed)
		return failed;
	memcpy(&facts, bytes->data, sizeof facts);
	if (!capture_record_is_withheld(record))
		facts.repeat = repeats_note(s->repeats, &record->request.body, s->count + 1, record->received_us);
	if (facts.repeat.nth > 0 && (failed = write_at(s, &facts, sizeof facts, s->end)) != 0)
		return failed;
	s->forwards |= facts.is_forwarded;
	entry.offset = s->end;
	s->entries[s->count++] = entry;
	s->end += bytes->length;
	return 0;
}

/* `bytes`: the facts, the record, the error's text. */
static int add(struct spool *s, struct buffer *bytes, struct spool_entry entry, const struct capture_record *record,
               struct error *err)
{
	if (bytes->failed)
		return error_no_memory(err);
	pthread_mutex_lock(&s->lock);
	int failed = add_locked(s, bytes, entry, record);
	pthread_mutex_unlock(&s->lock);
	if (failed == ENOMEM)
		return error_no_memory(err);
	if (failed == 0)
		return 0;
	error_set(err, EXIT_CODE_IO, "cannot keep a notification: %s", strerror(failed));
	return error_hint(err, "set TMPDIR to a directory with more room");
}

int spool_add_record(struct spool *s, const struct capture_record *record, struct text line, struct error *err)
{
	const struct spool_facts facts = { .error = "" };
	LOCAL_BUFFER bytes = BUFFER_INIT;
	buffer_append(&bytes, &facts, sizeof facts);
	if (line.text)
		buffer_append(&bytes, line.text, line.length);
	else
		capture_record_append(record, &bytes);
	struct spool_entry entry = { .length = (uint32_t)(bytes.length - sizeof facts), .kind = UINT8_MAX };
	buffer_append_byte(&bytes, '\0');
	return add(s, &bytes, entry, record, err);
}

int spool_add_arrival(struct spool *s, const struct notification *n, struct error *err)
{
	char name[CATALOG_KIND_NAME_SIZE];
	struct capture_record record;
	struct catalog_kind kind = notification_kind(n);
	const struct spool_facts facts = { .is_forwarded = n->forwarded != NULL,
		                           .latency_ns = n->forwarded ? n->forwarded->latency_ns : 0 };
	LOCAL_BUFFER bytes = BUFFER_INIT;
	buffer_append(&bytes, &facts, sizeof facts);
	notification_record(n, name, &record);
	capture_record_append(&record, &bytes);
	struct spool_entry entry = { .length = (uint32_t)(bytes.length - sizeof facts),
		                     .kind = kind.event ? (uint8_t)catalog_kind_index(kind) : UINT8_MAX,
		                     .has_arrived = true,
		                     .is_checked = n->verdict != NULL,
		                     .is_valid = n->verdict && n->verdict->valid };
	notification_append_error(n, &bytes);
	buffer_append_byte(&bytes, '\0');
	return add(s, &bytes, entry, &record, err);
}

bool spool_forwards(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	bool forwards = s->forwards;
	pthread_mutex_unlock(&s->lock);
	return forwards;
}

uint64_t spool_count(struct spool *s)
{
	pthread_mutex_lock(&s->lock);
	uint64_t count = s->count;
	pthread_mutex_unlock(&s->lock);
	return count;
}

/* Where the entry ends in the file; 0: there is none. */
static uint64_t find(struct spool *s, uint64_t number, struct spool_entry *entry)
{
	pthread_mutex_lock(&s->lock);
	uint64_t end = number == 0 || number > s->count ? 0 : number == s->count ? s->end : s->entries[number].offset;
	if (end > 0)
		*entry = s->entries[number - 1];
	pthread_mutex_unlock(&s->lock);
	return end;
}

bool spool_find(struct spool *s, uint64_t number, struct spool_entry *entry)
{
	return find(s, number, entry) > 0;
}

void spool_expect(struct spool *s, uint64_t number)
{
	pthread_mutex_lock(&s->lock);
	if (number > 0 && number <= s->count)
		s->entries[number - 1].is_expected = true;
	pthread_mutex_unlock(&s->lock);
}

int spool_read(struct spool *s, uint64_t number, struct text *line, struct spool_facts *facts, struct buffer *out,
               struct error *err)
{
	struct spool_entry entry;
	uint64_t end = find(s, number, &entry);
	buffer_clear(out);
	if (end == 0)
		return error_set(err, EXIT_CODE_INTERNAL, "there is no notification #%llu", (unsigned long long)number);
	size_t length = (size_t)(end - entry.offset);
	if (!buffer_reserve(out, length))
		return error_no_memory(err);
	while (out->length < length) {
		ssize_t got = pread(s->fd, out->data + out->length, length - out->length,
		                    (off_t)(entry.offset + out->length));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set(err, EXIT_CODE_IO, "cannot read notification #%llu again: %s",
			                 (unsigned long long)number, got < 0 ? strerror(errno) : "it is cut off");
		out->length += (size_t)got;
	}
	memcpy(facts, out->data, sizeof *facts);
	*line = (struct text){ out->data + sizeof *facts, entry.length };
	facts->error = line->text + line->length;
	return 0;
}
