#include "base/file.h"
#include "capture/source.h"
#include "deliver/journal_internal.h"
#include "deliver/journal_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNTED_MAX ((1u << 26) - 1)
#define SKIPS_MAX   3u
#define SKIPS_MASK  0x3Fu

/* Holds any first line, which has a selection and the name of a file. */
#define FIRST_LINE_MAX ((size_t)8 << 20)

/* Takes what only the first line has. */
static void take_first(struct journal_past *past, const struct json_doc *doc, const struct journal_line *line)
{
	uint32_t ended = line->values[KEY_ENDED];
	bool is_true = json_is(doc, ended, JSON_TRUE);
	const char *word = ended != JSON_NONE ? doc->text + doc->tokens[ended].start : "";
	past->is_ended = is_true && !past->has_marks;
	past->has_ids |= line->has_id;
	/* As we have written it: what was rewritten by another program is nowhere. */
	const char *behind = word + JOURNAL_WORD_SIZE, *end = doc->text + doc->tokens[0].end - 1;
	if (is_true ? word[strlen("true")] == ' ' : json_is(doc, ended, JSON_FALSE)) {
		bool has_lines =
		        end == word + JOURNAL_END_SIZE && memcmp(behind, JOURNAL_LINES, sizeof JOURNAL_LINES - 1) == 0;
		past->ended_at = word - doc->text;
		past->ended_size = has_lines ? JOURNAL_END_SIZE : JOURNAL_WORD_SIZE;
	}
	if (!past->is_ended || !json_unsigned(doc, line->values[KEY_LINES], UINT64_MAX, &past->ended_lines))
		past->ended_lines = 0;
	past->has_selection = true;
	buffer_clear(&past->selection);
	json_string_decode(doc, line->values[KEY_SELECTION], &past->selection);
	past->has_seed = json_unsigned(doc, line->values[KEY_SEED], UINT64_MAX, &past->seed);
}

int journal_look(struct journal_past *past, int fd, struct error *err)
{
	static const struct text start = TEXT("{\"number\":");
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct journal_line line;
	LOCAL_BUFFER begin = BUFFER_INIT;
	int marks = journal_marks_read(past, err);
	if (marks < 0)
		return -1;
	errno = lseek(fd, 0, SEEK_SET) < 0 ? errno : buffer_read(&begin, fd, FIRST_LINE_MAX);
	if (errno != 0)
		return file_cannot("read", past->path, errno, err);
	const char *text = buffer_text(&begin), *newline = memchr(text, '\n', begin.length);
	bool is_ours =
	        newline && json_read(&doc, text, (size_t)(newline - text), NULL) && journal_line_read(&doc, &line);
	if (is_ours)
		take_first(past, &doc, &line);
	past->has_lines = begin.length > 0;
	if (past->has_lines && marks == 0)
		past->doubt = "is missing";
	if (past->selection.failed)
		return error_no_memory(err);
	/* As a line of results, whole or torn. */
	bool is_begun = memcmp(text, start.text, begin.length < start.length ? begin.length : start.length) == 0;
	if (is_ours || (!newline && is_begun))
		return 0;
	error_set(err, EXIT_CODE_USAGE,
	          is_begun ? "line 1 of '%s' is damaged or was edited; left unchanged"
	                   : "'%s' is not a results file; left unchanged",
	          past->path);
	return error_hint(err, past->is_replaced ? "name another file for --results"
	                                         : "name one that 'send' or 'replay' wrote with --results");
}

/* Makes the table, with room for each line of F and each mark, and for some more, so that searches stay short. */
static int make_table(struct journal *j, int fd, size_t marks, struct error *err)
{
	char block[1 << 16];
	ssize_t got;
	size_t lines = marks + 1;
	for (off_t at = 0; (got = pread(fd, block, sizeof block, at)) > 0; at += got)
		lines += text_count_lines(block, (size_t)got);
	random_seed_fresh(&j->key);
	j->places = lines + lines / 6 + 2;
	j->entries = calloc(j->places, sizeof *j->entries);
	return j->entries ? 0 : error_no_memory(err);
}

/* Where the search for a record begins. Whoever writes ids by hand must not be able to let all begin at one place: it
 * depends on every byte, and on a key that only this process knows (Thorup's pair-multiply-shift). */
static size_t place_of(const struct journal *j, const struct capture_id *id)
{
	const uint64_t *key = j->key.state;
	uint32_t word[4];
	memcpy(word, id->bytes, sizeof word);
	uint64_t hash = (key[0] + word[0]) * (key[1] + word[1]) + (key[2] + word[2]) * (key[3] + word[3]);
	return (size_t)((hash >> 32) * j->places >> 32);
}

/* The entry of the record, or a free one for it; NULL: all are used. */
static struct journal_entry *find_entry(const struct journal *j, const struct capture_id *id)
{
	size_t at = place_of(j, id);
	for (size_t tried = 0; tried < j->places; tried++) {
		struct journal_entry *entry = &j->entries[at];
		if (entry->counted == 0 || memcmp(&entry->id, id, sizeof *id) == 0)
			return entry;
		at = at + 1 < j->places ? at + 1 : 0;
	}
	return NULL;
}

static unsigned skips_of(const struct journal_entry *entry, enum journal_skip why)
{
	return entry->skips >> 2 * why & SKIPS_MAX;
}

static void add_skip(struct journal_entry *entry, enum journal_skip why)
{
	if (skips_of(entry, why) < SKIPS_MAX)
		entry->skips = (entry->skips + (1u << 2 * why)) & SKIPS_MASK;
}

/* False: there is none. As many as can be counted never end. */
static bool take_skip(struct journal_entry *entry, enum journal_skip why)
{
	unsigned count = skips_of(entry, why);
	if (count > 0 && count < SKIPS_MAX)
		entry->skips = (entry->skips - (1u << 2 * why)) & SKIPS_MASK;
	return count > 0;
}

/* Counts one delivery of the record that has ended or is open (unknown): not to be sent again, or with --failed-only
 * perhaps. False: there is no place. */
static bool count(struct journal *j, const struct journal_past *past, const struct capture_id *id, enum outcome outcome)
{
	struct journal_entry *entry = find_entry(j, id);
	bool is_second = past == &j->past && j->failed.path; /* of what had failed, that much was repeated */
	if (!entry)
		return is_second;
	if (is_second && entry->counted <= 1)
		return true;
	if (is_second) {
		entry->counted--;
		add_skip(entry, JOURNAL_FINISHED);
		return true;
	}
	entry->id = *id;
	if (entry->counted == 0)
		entry->counted++;
	if (past == &j->failed && outcome == OUTCOME_ACCEPTED)
		add_skip(entry, JOURNAL_ACCEPTED);
	else if (past == &j->failed && outcome == OUTCOME_UNKNOWN && !j->options.retry_unknown)
		add_skip(entry, JOURNAL_UNKNOWN);
	else if (entry->counted < COUNTED_MAX)
		entry->counted++;
	return true;
}

/* The mark with the number of the line; NULL: there is none. */
static struct journal_cell *find_mark(const struct journal_past *past, const struct journal_line *line)
{
	struct journal_cell key = { .number = line->number };
	if (past->open_count == 0 || line->number < past->open[0].number)
		return NULL;
	return bsearch(&key, past->open, past->open_count, sizeof key, journal_cell_order);
}

/* Whether the line says something else than its mark, which has a checksum and is believed. */
static bool is_contradicted(const struct journal_cell *mark, const struct journal_line *line)
{
	return mark && ((mark->has_id != 0) != line->has_id ||
	                (line->has_id && memcmp(&mark->id, &line->id, sizeof line->id) != 0));
}

static int read_lines(struct journal *j, struct journal_past *past, int fd, struct error *err)
{
	struct source_options options = { .type = SOURCE_LINES, .signals = j->options.signals };
	struct source_item item;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct journal_line line;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return file_cannot("read", past->path, errno, err);
	struct source *source = source_open_fd(fd, past->path, &options, err);
	enum source_result got = source ? SOURCE_ITEM : SOURCE_ERROR;
	while (got == SOURCE_ITEM && (got = source_next(source, &item, err)) == SOURCE_ITEM) {
		past->lines = item.torn ? item.line - 1 : item.line;
		past->torn = item.torn ? item.length : 0;
		bool is_good =
		        !item.torn && json_read(&doc, item.text, item.length, NULL) && journal_line_read(&doc, &line);
		struct journal_cell *mark = is_good ? find_mark(past, &line) : NULL;
		if (!is_good || is_contradicted(mark, &line)) {
			if (past->bad_lines++ == 0)
				past->first_bad_line = item.line;
			continue;
		}
		if (line.number > past->last_number)
			past->last_number = line.number;
		if (mark)
			mark->attempt = 0; /* it is over */
		bool has_failed = line.final && line.outcome != OUTCOME_ACCEPTED;
		past->not_accepted += has_failed;
		past->failed_records += has_failed && line.has_id;
		if (line.final && line.has_id && !count(j, past, &line.id, (enum outcome)line.outcome)) {
			error_set(err, EXIT_CODE_IO, "cannot read '%s': it has grown meanwhile", past->path);
			got = SOURCE_ERROR;
		}
	}
	source_close(source);
	if (got == SOURCE_INTERRUPTED)
		return file_cannot("read", past->path, EINTR, err);
	return got == SOURCE_ERROR ? -1 : 0;
}

static void notify(const struct journal *j, struct journal_notice notice)
{
	if (j->options.notice)
		j->options.notice(j->options.context, &notice);
}

/* Drops the marks that are over, and reports the others. */
static void take_marks(struct journal *j, struct journal_past *past)
{
	bool is_failed_only = past == &j->failed, again = j->options.retry_unknown;
	size_t open = 0;
	for (size_t i = 0; i < past->open_count; i++) {
		const struct journal_cell *cell = &past->open[i];
		if (cell->attempt == 0)
			continue;
		notify(j, (struct journal_notice){ .type = JOURNAL_WAS_IN_FLIGHT,
		                                   .path = past->path,
		                                   .input = cell->name[0] ? cell->name : NULL,
		                                   .record = cell->record });
		if (cell->number > past->last_number)
			past->last_number = cell->number;
		if (cell->has_id && (is_failed_only || !again))
			count(j, past, &cell->id, OUTCOME_UNKNOWN);
		past->open[open++] = *cell;
	}
	past->open_count = open;
	if (open > 0 && !is_failed_only)
		notify(j, (struct journal_notice){
		                  .type = JOURNAL_IN_FLIGHT_COUNT, .path = past->path, .count = open, .again = again });
}

/* Refuses the results of a run that had ended, of which whole lines are gone: what those say was sent would be sent
 * again. With --retry-unknown it is one that has not ended. */
static int check_lost(const struct journal *j, struct journal_past *past, struct error *err)
{
	if (past == &j->failed || j->options.retry_unknown) {
		notify(j, (struct journal_notice){ .type = JOURNAL_LOST_LINES,
		                                   .path = past->path,
		                                   .count = past->ended_lines - past->lines });
		past->is_ended = false;
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' has only %s of the %s lines of its run", past->path,
	          COUNT_TEXT(past->lines), COUNT_TEXT(past->ended_lines));
	return error_hint(err, "what the others say was sent may have been delivered; --retry-unknown sends it again");
}

/* Refuses F where it cannot be used for what it is wanted for. */
static int check(const struct journal *j, struct journal_past *past, struct error *err)
{
	bool is_failed_only = past == &j->failed;
	const char *own = buffer_text(&past->selection);
	if (!is_failed_only && past->has_selection && strcmp(own, j->options.selection) != 0) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is of a run with another selection: %s", past->path,
		          own[0] ? own : "all records");
		return error_hint(err, "continue it with the same options, or name another file for --results");
	}
	if (!is_failed_only && past->last_number > JOURNAL_NUMBER_MAX / 2) {
		error_set(err, EXIT_CODE_USAGE, "an attempt in '%s' has the number %llu: it was edited", past->path,
		          (unsigned long long)past->last_number);
		return error_hint(err, "correct the number, or name another file for --results");
	}
	if (past->is_ended && past->lines < past->ended_lines)
		return check_lost(j, past, err);
	if (past->is_ended || !past->doubt)
		return 0;
	if (is_failed_only || j->options.retry_unknown) {
		notify(j, (struct journal_notice){
		                  .type = JOURNAL_NOT_TRUSTED, .path = past->path, .doubt = past->doubt });
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' belongs to an unfinished run, and '%s' %s", past->path,
	          buffer_text(&past->marks_path), past->doubt);
	return error_hint(err,
	                  "what was in flight then may have been delivered; --retry-unknown continues the run, and "
	                  "sends again what has no line");
}

int journal_read_past(struct journal *j, struct journal_past *past, int fd, struct error *err)
{
	if (journal_look(past, fd, err) < 0)
		return -1;
	if (!j->entries && make_table(j, fd, past->open_count, err) < 0)
		return -1;
	if (read_lines(j, past, fd, err) < 0)
		return -1;
	if (!past->doubt && past->lines < past->marked_lines)
		past->doubt = "counts more lines than the results have";
	if (past->bad_lines > 0)
		notify(j, (struct journal_notice){ .type = JOURNAL_BAD_LINES,
		                                   .path = past->path,
		                                   .record = past->first_bad_line,
		                                   .count = past->bad_lines });
	take_marks(j, past);
	return check(j, past, err);
}

enum journal_skip journal_ask(struct journal *j, const struct capture_id *id)
{
	struct journal_entry *entry = j && j->entries ? find_entry(j, id) : NULL;
	bool is_counted = entry && entry->counted > 1;
	enum journal_skip why = JOURNAL_FINISHED;
	if (is_counted)
		entry->counted--;
	if (!j || is_counted == (j->failed.path != NULL))
		return JOURNAL_WANTED;
	while (!is_counted && why < JOURNAL_NOT_FINISHED && !(entry && take_skip(entry, why)))
		why++;
	j->skipped[why]++;
	return why;
}

uint64_t journal_missing(const struct journal *j)
{
	uint64_t missing = 0;
	for (size_t i = 0; j && i < j->places; i++)
		missing += j->entries[i].counted > 0 ? j->entries[i].counted - 1 : 0;
	return missing;
}

void journal_past_release(struct journal_past *past)
{
	buffer_release(&past->selection);
	buffer_release(&past->marks_path);
	free(past->open);
}
