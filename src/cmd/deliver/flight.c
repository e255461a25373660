#include "cmd/deliver/flight.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "cmd/deliver/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char head_text[] = "credhook: what is in flight of the results beside this file, version 2\n";
_Static_assert(sizeof head_text <= FLIGHT_INPUT_SIZE, "the head fits into a place");

uint64_t flight_hash(const char *input)
{
	static const char stand_in[] = "\xEF\xBF\xBD";
	uint64_t hash = UINT64_C(14695981039346656037);
	size_t left = input ? strlen(input) : 0;
	uint32_t unused;
	if (!input)
		return 0;
	while (left > 0) {
		size_t size = (unsigned char)*input < 0x80 ? 1 : utf8_decode(input, left, &unused);
		const char *from = size > 0 ? input : stand_in;
		for (size_t i = 0; i < (size > 0 ? size : sizeof stand_in - 1); i++)
			hash = (hash ^ (unsigned char)from[i]) * UINT64_C(1099511628211);
		size = size > 0 ? size : 1;
		input += size;
		left -= size;
	}
	return hash;
}

void flight_begin(struct flight *flight, const struct job *job, uint64_t lines)
{
	if (!flight)
		return;
	flight->attempt = job->attempt;
	flight->record = job->record;
	flight->lines = lines;
	flight->input_hash = flight_hash(job->input);
	flight->has_input = job->input != NULL;
	snprintf(flight->input, sizeof flight->input, "%s", job->input ? job->input : "");
	memcpy(flight->name, job->name, sizeof flight->name);
	__atomic_store_n(&flight->marked, 1, __ATOMIC_RELEASE);
}

void flight_end(struct flight *flight)
{
	if (flight)
		__atomic_store_n(&flight->marked, 0, __ATOMIC_RELEASE);
}

static char *path_of(const char *results)
{
	struct buffer path = BUFFER_INIT;
	buffer_printf(&path, "%s.inflight", results);
	if (path.failed)
		buffer_release(&path);
	return path.data;
}

static int map(struct flights *f, int fd, size_t places, struct error *err)
{
	void *at = mmap(NULL, places * sizeof *f->places, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return error_set(err, EXIT_CODE_IO, "cannot map '%s': %s", f->path, strerror(errno));
	f->places = at;
	f->count = places - 1;
	return 0;
}

int flights_create(struct flights *f, const char *results, size_t count, struct error *err)
{
	f->path = path_of(results);
	if (!f->path)
		return error_no_memory(err);
	int fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* Real blocks: a store into a hole of a full disk would kill us. */
	int failed = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)((count + 1) * sizeof *f->places));
	int result = 0;
	if (failed)
		result = error_set(err, EXIT_CODE_IO, "cannot write '%s': %s", f->path, strerror(failed));
	else
		result = map(f, fd, count + 1, err);
	if (result == 0)
		memcpy(f->places[0].input, head_text, sizeof head_text);
	if (fd >= 0)
		close(fd);
	return result;
}

struct flight *flights_take(struct flights *f)
{
	return f->used < f->count ? &f->places[++f->used] : NULL;
}

int flights_read(struct flights *f, const char *results, struct error *err)
{
	struct stat status;
	f->path = path_of(results);
	if (!f->path)
		return error_no_memory(err);
	int fd = open(f->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &status) < 0) {
		error_set(err, EXIT_CODE_IO, "cannot open '%s': %s", f->path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	size_t places = (size_t)status.st_size / sizeof *f->places;
	int result = places > 0 ? map(f, fd, places, err) : 0;
	close(fd);
	if (result < 0 || places == 0)
		return result; /* cut off before it was made: nothing had been sent */
	/* A file of zeros was cut off between its making and its head. */
	if (f->places[0].input[0] == '\0' || memcmp(f->places[0].input, head_text, sizeof head_text) == 0)
		return 1;
	return error_set(err, EXIT_CODE_USAGE, "'%s' is no file of credhook's", f->path);
}

const struct flight *flights_next(const struct flights *f, size_t *at)
{
	while (f->places && *at < f->count) {
		const struct flight *place = &f->places[++*at];
		if (__atomic_load_n(&place->marked, __ATOMIC_ACQUIRE) == 1)
			return place;
	}
	return NULL;
}

size_t flights_marked(const struct flights *f)
{
	size_t at = 0, marked = 0;
	while (flights_next(f, &at))
		marked++;
	return marked;
}

void flights_close(struct flights *f)
{
	if (f->places)
		munmap(f->places, (f->count + 1) * sizeof *f->places);
	free(f->path);
	*f = (struct flights){ NULL, NULL, 0, 0 };
}

void flights_release(struct flights *f, bool stay)
{
	if (f->places && !stay && flights_marked(f) == 0)
		unlink(f->path);
	flights_close(f);
}
