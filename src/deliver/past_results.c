#include "deliver/past_results.h"

#include "base/file.h"
#include "base/id_set.h"
#include "capture/source.h"
#include "deliver/journal_internal.h"
#include "deliver/journal_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#define NO_RESULT UINT32_MAX

/* What the journal keeps and the set takes are the same bytes. */
_Static_assert(sizeof(struct capture_id) == ID_SIZE, "an id of a record is one of a set");

struct past_results {
	struct id_set ids;
	struct of_id {
		uint32_t next, last; /* results, in the order of their lines; NO_RESULT: none */
	} * of_ids;                  /* by the index of the id */
	size_t of_ids_capacity;
	struct result {
		uint32_t next; /* of the same id */
		int status;
	} * results;
	size_t count, taken;
	size_t capacity;
	bool is_whole;
	uint64_t bad_lines;
};

void past_results_free(struct past_results *r)
{
	if (!r)
		return;
	id_set_release(&r->ids);
	free(r->of_ids);
	free(r->results);
	free(r);
}

/* Behind the others of its id. False: out of memory. */
static bool add(struct past_results *r, const struct capture_id *id, int status)
{
	uint32_t known = r->ids.count, added = (uint32_t)r->count;
	if (r->count == NO_RESULT || !ARRAY_ROOM(r->results, r->capacity, r->count + 1) ||
	    !ARRAY_ROOM(r->of_ids, r->of_ids_capacity, (size_t)known + 1))
		return false;
	uint32_t index = id_set_add(&r->ids, id->bytes);
	if (index == ID_NONE)
		return false;
	if (index == known)
		r->of_ids[index] = (struct of_id){ NO_RESULT, NO_RESULT };
	struct of_id *of = &r->of_ids[index];
	r->results[r->count++] = (struct result){ NO_RESULT, status };
	*(of->last == NO_RESULT ? &of->next : &r->results[of->last].next) = added;
	of->last = added;
	return true;
}

static int read_lines(struct past_results *r, int fd, const char *path, const struct signals *signals,
                      struct error *err)
{
	struct source_options options = { .type = SOURCE_LINES, .signals = signals };
	struct source_item item;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct journal_line line;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return file_cannot("read", path, errno, err);
	struct source *source = source_open_fd(fd, path, &options, err);
	enum source_result got = source ? SOURCE_ITEM : SOURCE_ERROR;
	while (got == SOURCE_ITEM && (got = source_next(source, &item, err)) == SOURCE_ITEM) {
		bool is_good =
		        !item.torn && json_read(&doc, item.text, item.length, NULL) && journal_line_read(&doc, &line);
		r->bad_lines += !is_good;
		if (is_good && line.final && line.has_id && !add(r, &line.id, line.status)) {
			error_no_memory(err);
			got = SOURCE_ERROR;
		}
	}
	source_close(source);
	if (got == SOURCE_INTERRUPTED)
		return file_cannot("read", path, EINTR, err);
	return got == SOURCE_ERROR ? -1 : 0;
}

int past_results_read(struct past_results **results, const char *path, const struct signals *signals, struct error *err)
{
	struct journal_past past = { .path = path, .is_only_read = true };
	struct stat status;
	*results = calloc(1, sizeof **results);
	if (!*results)
		return error_no_memory(err);
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) /* a FIFO would wait for its writer */
		return error_set(err, EXIT_CODE_USAGE, "'%s' is not a regular file", path);
	LOCAL(file_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return file_cannot("open", path, errno, err);
	int result = journal_look(&past, fd, err);
	(*results)->is_whole = past.is_ended;
	journal_past_release(&past);
	return result < 0 ? -1 : read_lines(*results, fd, path, signals, err);
}

bool past_results_take(struct past_results *r, const struct capture_id *id, int *status)
{
	uint32_t index = id_set_find(&r->ids, id->bytes);
	if (index == ID_NONE || r->of_ids[index].next == NO_RESULT)
		return false;
	const struct result *taken = &r->results[r->of_ids[index].next];
	r->of_ids[index].next = taken->next;
	*status = taken->status;
	r->taken++;
	return true;
}

uint64_t past_results_left(const struct past_results *r)
{
	return r->count - r->taken;
}

bool past_results_are_whole(const struct past_results *r)
{
	return r->is_whole;
}

uint64_t past_results_bad_lines(const struct past_results *r)
{
	return r->bad_lines;
}
