/*
 * Any bytes as the --results of an earlier run and as the file of what was in flight beside them. Up to the first NUL
 * they are results; what follows is put into the cells of the other file, whose head is right, or with bit 2 of the
 * first byte is that file. Nothing is asked for for ever: a record is sent once by --failed-only, and by --resume after
 * as many calls as it can have ended. A second reading finds the same.
 */
#include "base/hash.h"
#include "deliver/journal_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char input_text[] = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";

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

static void write_marks(const char *path, const uint8_t *data, size_t size)
{
	static const struct journal_marks none = { .path = NULL };
	struct journal_marks marks = { .path = NULL };
	struct error err;
	size_t count = size / sizeof(struct journal_cell) + 1;
	require(journal_marks_create(&marks, &none, path, count, &err) == 0);
	memcpy(marks.cells, data, size);
	journal_marks_close(&marks);
}

/* How often the records of the input are passed over, or which are wanted, a bit each. */
static uint32_t ask(struct journal *journal, struct journal_input *input, size_t most)
{
	uint32_t wanted = 0;
	struct error err;
	for (uint64_t record = 1; record < RECORDS; record++) {
		int first = journal_wants(journal, input, record, input->last_hash, &err), got = first;
		wanted |= (uint32_t)(first > 0) << record;
		for (size_t calls = 0; got == 0 && journal->options.resume; calls++) {
			require(calls <= most);
			got = journal_wants(journal, input, record, input->last_hash, &err);
		}
		require(first < 0 || !journal->options.failed_only ||
		        journal_wants(journal, input, record, input->last_hash, &err) == 0);
	}
	return wanted;
}

static void ignore(void *context, const struct journal_notice *notice)
{
	(void)context;
	require(!notice->input || strlen(notice->input) < JOURNAL_NAME_SIZE);
}

static uint32_t read_once(const char *path, char *input_path, uint8_t flags, size_t size, size_t *cut)
{
	struct journal_options options = { .retry_unknown = flags & 2, .read_only = true, .notice = ignore };
	struct source_file file = { .path = input_path };
	struct source_files files = { .files = &file, .count = 1 };
	struct journal *journal;
	struct journal_input *input = NULL;
	struct error err;
	uint32_t wanted = 0;
	*(flags & 1 ? &options.failed_only : &options.resume) = path;
	int fd = open(input_path, O_RDONLY | O_CLOEXEC);
	uint64_t first = hash_bytes(input_text, strcspn(input_text, "\n"));
	if (journal_open(&journal, &options, &files, &err) == 0 &&
	    journal_begin_input(journal, input_path, fd, first, 1, &input, &err) == 0)
		wanted = ask(journal, input, size);
	else
		require(err.code == EXIT_CODE_USAGE && err.message[0]);
	*cut = journal ? journal->past.cut_count : 0;
	journal_close(journal);
	close(fd);
	return wanted;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/results_fuzz.XXXXXX", path[64], marks[64], input[64];
	if (size < 1 || !mkdtemp(folder))
		return 0;
	snprintf(path, sizeof path, "%s/r", folder);
	snprintf(marks, sizeof marks, "%s/r.inflight", folder);
	snprintf(input, sizeof input, "%s/c.ndjson", folder);
	write_file(input, input_text, sizeof input_text - 1);
	const uint8_t *text = data + 1, *nul = memchr(text, '\0', size - 1);
	size_t length = nul ? (size_t)(nul - text) : size - 1;
	write_file(path, text, length);
	if (nul && data[0] & 4)
		write_file(marks, nul + 1, size - 2 - length);
	else if (nul)
		write_marks(path, nul + 1, size - 2 - length);
	size_t cut, cut_again;
	uint32_t wanted = read_once(path, input, data[0], size, &cut);
	uint32_t wanted_again = read_once(path, input, data[0], size, &cut_again);
	require(wanted == wanted_again && cut == cut_again);
	unlink(marks);
	unlink(path);
	unlink(input);
	rmdir(folder);
	return 0;
}
