/*
 * Any bytes as the --results of an earlier run and as the file of what was in flight beside them. Up to the first NUL
 * they are results; what follows is put into the cells of the other file, whose head is right, or with bit 2 of the
 * first byte is that file. Nothing is asked for for ever: what was counted has come by after as many calls. A second
 * reading finds the same.
 */
#include "../fuzz.h"
#include "deliver/journal_internal.h"

#include <fcntl.h>
#include <unistd.h>

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void write_marks(const char *path, const uint8_t *data, size_t size)
{
	struct journal_marks marks = { .head = NULL };
	struct error err;
	size_t count = size / sizeof(struct journal_cell) + 1;
	require(journal_marks_create(&marks, path, count, "", NULL, &err) == 0);
	memcpy(marks.cells, data, size);
	journal_marks_close(&marks);
}

static void ignore(void *context, const struct journal_notice *notice)
{
	(void)context;
	require(!notice->input || strlen(notice->input) < JOURNAL_NAME_SIZE);
}

/* Of each record that is counted, as often as it is, the answer is the same, and then the other one. */
static uint64_t read_once(const char *path, uint8_t flags, size_t size)
{
	struct journal_options options = {
		.selection = "", .retry_unknown = flags & 2, .read_only = true, .notice = ignore
	};
	struct journal *journal;
	struct error err;
	bool is_failed_only = flags & 1;
	*(is_failed_only ? &options.failed_only : &options.resume) = path;
	int result = journal_open(&journal, &options, &err);
	require(result == 0 || ((err.code == EXIT_CODE_USAGE || err.code == EXIT_CODE_IO) && err.message[0]));
	uint64_t missing = result == 0 ? journal_missing(journal) : UINT64_MAX;
	require(result < 0 || missing <= size);
	for (size_t i = 0; result == 0 && i < journal->places; i++) {
		struct capture_id id = journal->entries[i].id;
		if (journal->entries[i].counted == 0)
			continue;
		while (journal->entries[i].counted > 1)
			require((journal_ask(journal, &id) == JOURNAL_WANTED) == is_failed_only);
		require((journal_ask(journal, &id) == JOURNAL_WANTED) != is_failed_only);
	}
	require(result < 0 || journal_missing(journal) == 0);
	journal_close(journal);
	return missing;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/results_fuzz.XXXXXX", path[64], marks[64];
	if (size < 1 || !mkdtemp(folder))
		return 0;
	snprintf(path, sizeof path, "%s/r", folder);
	snprintf(marks, sizeof marks, "%s/r.inflight", folder);
	const uint8_t *text = data + 1, *nul = memchr(text, '\0', size - 1);
	size_t length = nul ? (size_t)(nul - text) : size - 1;
	write_file(path, text, length);
	if (nul && data[0] & 4)
		write_file(marks, nul + 1, size - 2 - length);
	else if (nul)
		write_marks(path, nul + 1, size - 2 - length);
	require(read_once(path, data[0], size) == read_once(path, data[0], size));
	unlink(marks);
	unlink(path);
	rmdir(folder);
	return 0;
}
