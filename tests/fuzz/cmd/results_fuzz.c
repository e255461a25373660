/*
 * Any bytes as the --results of an earlier run and as the file of what was in flight beside them. Up to the first NUL
 * they are results; what follows is put into places of the other file, whose head is right. Nothing is asked for for
 * ever: a record is sent once by --failed-only, and by --resume after as many calls as it can have ended. A second
 * reading, after a torn line was cut away, finds the same.
 */
#include "cmd/deliver/earlier.h"
#include "ui/terminal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool held)
{
	if (!held)
		abort();
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void write_flights(const char *path, const uint8_t *data, size_t size)
{
	struct flights flights = { NULL, NULL, 0, 0 };
	struct error err;
	size_t count = size / sizeof(struct flight) + 1;
	require(flights_create(&flights, path, count, &err) == 0);
	memcpy(flights_take(&flights), data, size);
	flights_close(&flights);
}

/* What the records of one input come to, a bit each, and how often they were asked. */
static uint32_t ask(struct earlier *earlier, const char *input, bool failed_only)
{
	uint32_t wanted = 0;
	for (uint64_t record = 0; record < RECORDS; record++) {
		bool first = earlier_wants(earlier, input, record);
		wanted |= (uint32_t)first << record;
		if (failed_only) {
			require(!earlier_wants(earlier, input, record));
			continue;
		}
		int calls = 0;
		while (!earlier_wants(earlier, input, record))
			require(++calls < 64);
		require(!first || calls == 0);
	}
	return wanted;
}

static uint32_t read_once(const char *path, bool failed_only, bool retry_unknown, size_t *cut)
{
	static const struct global_options global = { 0 };
	struct terminal terminal = { .quiet = true };
	struct context context = { .terminal = &terminal, .global = &global };
	struct delivery_options options = { .retry_unknown = retry_unknown };
	struct delivery_plan plan = { .options = &options };
	struct error err;
	uint32_t wanted = 0;
	*(failed_only ? &options.failed_only : &options.resume) = path;
	*cut = 0;
	if (earlier_read(&plan, &context, &err) == 0) {
		for (const struct flight *flight; (flight = earlier_cut(plan.earlier, *cut)) != NULL; ++*cut)
			require(strlen(flight->input) < sizeof flight->input &&
			        strlen(flight->name) < sizeof flight->name);
		wanted = ask(plan.earlier, "c", failed_only) | ask(plan.earlier, NULL, failed_only) << RECORDS;
	} else {
		require(err.code == EXIT_CODE_USAGE && err.message[0]);
	}
	earlier_free(plan.earlier);
	return wanted;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/results_fuzz.XXXXXX", path[64], flights[64];
	if (size < 1 || !mkdtemp(folder))
		return 0;
	snprintf(path, sizeof path, "%s/r", folder);
	snprintf(flights, sizeof flights, "%s/r.inflight", folder);
	const uint8_t *text = data + 1, *nul = memchr(text, '\0', size - 1);
	size_t length = nul ? (size_t)(nul - text) : size - 1;
	write_file(path, text, length);
	if (nul)
		write_flights(path, nul + 1, size - 2 - length);
	bool failed_only = data[0] & 1, retry_unknown = data[0] & 2;
	int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(null, STDERR_FILENO); /* what is told is no matter here */
	size_t cut, cut_again;
	uint32_t wanted = read_once(path, failed_only, retry_unknown, &cut);
	uint32_t wanted_again = read_once(path, failed_only, retry_unknown, &cut_again);
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(null);
	require(wanted == wanted_again && cut == cut_again);
	unlink(flights);
	unlink(path);
	rmdir(folder);
	return 0;
}
