#include "base/file.h"
#include "capture/source.h"
#include "deliver/journal_internal.h"
#include "json/located.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* So much holds any first line: it has the arguments of a command, and the name of a file. */
#define FIRST_LINE_MAX ((size_t)8 << 20)

/* One line, taken apart. */
struct line {
	struct capture_id id;
	bool has_id;
	uint64_t number;
	bool final;
	bool accepted;
	bool unknown;
};

static uint32_t member(const struct json_doc *doc, const char *key)
{
	return json_member(doc, 0, key, strlen(key));
}

static bool read_number(const struct json_doc *doc, const char *key, uint64_t *number)
{
	uint32_t token = member(doc, key);
	if (token == JSON_NONE || doc->tokens[token].type != JSON_NUMBER || doc->tokens[token].flags != 0)
		return false;
	const char *text = doc->text + doc->tokens[token].start;
	size_t length = doc->tokens[token].end - doc->tokens[token].start;
	*number = 0;
	for (size_t i = 0; i < length; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');
		if (digit > 9 || __builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, digit, number))
			return false;
	}
	return true;
}

/* "id":"..." or null. */
static bool read_id(const struct json_doc *doc, uint32_t token, struct line *line)
{
	static const char digits[] = "0123456789abcdef";
	const char *text = doc->text + doc->tokens[token].start + 1;
	line->has_id = doc->tokens[token].type != JSON_NULL;
	if (!line->has_id)
		return true;
	if (doc->tokens[token].type != JSON_STRING ||
	    doc->tokens[token].end - doc->tokens[token].start != 2 * sizeof line->id.bytes + 2)
		return false;
	for (size_t i = 0; i < 2 * sizeof line->id.bytes; i++) {
		const char *digit = memchr(digits, text[i], sizeof digits - 1);
		if (!digit)
			return false;
		unsigned char *byte = &line->id.bytes[i / 2];
		*byte = (unsigned char)(*byte << 4 | (digit - digits));
	}
	return true;
}

/* Whether it is a line of results; JOURNAL_FILE_OLD: of an older version. */
static enum journal_file read_line(const struct json_doc *doc, struct line *line)
{
	uint32_t id = member(doc, "id"), final = member(doc, "final"), outcome = member(doc, "outcome");
	uint64_t attempt;
	*line = (struct line){ .has_id = false };
	if (member(doc, "input") == JSON_NONE || final == JSON_NONE || outcome == JSON_NONE ||
	    !read_number(doc, "attempt", &attempt))
		return JOURNAL_FILE_OTHER;
	if (id == JSON_NONE)
		return JOURNAL_FILE_OLD;
	if (!read_number(doc, "number", &line->number) || line->number == 0 || !read_id(doc, id, line))
		return JOURNAL_FILE_OTHER;
	line->final = doc->tokens[final].type == JSON_TRUE;
	line->accepted = json_string_is(doc, outcome, "accepted", 8);
	line->unknown = json_string_is(doc, outcome, "unknown", 7);
	return JOURNAL_FILE_RESULTS;
}

/* A first line may be one of results, or the beginning of one that was torn. */
static bool begins_as_results(const char *text, size_t length)
{
	static const char start[] = "{\"number\":";
	return memcmp(text, start, length < sizeof start - 1 ? length : sizeof start - 1) == 0;
}

int journal_read_first(struct journal_past *past, int fd, const char *path, enum journal_file *file, struct error *err)
{
	struct json_fault fault;
	struct json_doc doc;
	struct line line;
	LOCAL_BUFFER begin = BUFFER_INIT;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return file_cannot("read", path, errno, err);
	errno = buffer_read(&begin, fd, FIRST_LINE_MAX);
	if (errno != 0)
		return file_cannot("read", path, errno, err);
	const char *text = buffer_text(&begin), *newline = memchr(text, '\n', begin.length);
	*file = begin.length == 0                                   ? JOURNAL_FILE_BLANK
	        : !newline && begins_as_results(text, begin.length) ? JOURNAL_FILE_TORN
	                                                            : JOURNAL_FILE_OTHER;
	json_doc_init(&doc);
	if (newline && json_read(&doc, text, (size_t)(newline - text), &fault))
		*file = read_line(&doc, &line);
	if (newline && (*file == JOURNAL_FILE_RESULTS || *file == JOURNAL_FILE_OLD)) {
		uint32_t ended = member(&doc, "ended");
		past->is_ended = ended != JSON_NONE && doc.tokens[ended].type == JSON_TRUE;
		past->ended_at = ended != JSON_NONE ? (off_t)doc.tokens[ended].start : 0;
		json_string_decode(&doc, member(&doc, "selection"), &past->selection);
		past->has_seed = read_number(&doc, "seed", &past->seed);
	}
	json_doc_release(&doc);
	return past->selection.failed ? error_no_memory(err) : 0;
}

/* The table has room for each line of F and each mark, and for some more, so that searches stay short. */
static int make_table(struct journal_ended *ended, int fd, size_t marks, struct error *err)
{
	char block[1 << 16];
	ssize_t got;
	size_t lines = marks + 1;
	for (off_t at = 0; (got = pread(fd, block, sizeof block, at)) > 0; at += got)
		for (const char *from = block; (from = memchr(from, '\n', (size_t)(block + got - from))) != NULL;
		     from++)
			lines++;
	ended->places = lines + lines / 6 + 2;
	ended->entries = calloc(ended->places, sizeof *ended->entries);
	return ended->entries ? 0 : error_no_memory(err);
}

/* The entry of the record, or a free one for it; NULL: all are used. */
static struct journal_entry *find_entry(const struct journal_ended *ended, const struct capture_id *id)
{
	uint32_t bits;
	memcpy(&bits, id->bytes, sizeof bits);
	size_t at = (size_t)((uint64_t)bits * ended->places >> 32);
	for (size_t tried = 0; tried < ended->places; tried++) {
		struct journal_entry *entry = &ended->entries[at];
		if (entry->counted == 0 || memcmp(&entry->id, id, sizeof *id) == 0)
			return entry;
		at = at + 1 < ended->places ? at + 1 : 0;
	}
	return NULL;
}

/* One delivery of the record that has ended or is open: not to be sent again, or with --failed-only to be sent if
 * `repeats`. False: there is no place. */
static bool count(struct journal *j, const struct journal_past *past, const struct capture_id *id, bool repeats)
{
	struct journal_entry *entry = find_entry(&j->ended, id);
	bool is_second = past == &j->past && j->failed.path; /* of what had failed, that much was repeated */
	if (!entry)
		return is_second;
	if (is_second) {
		entry->counted -= entry->counted > 1;
		return true;
	}
	entry->id = *id;
	entry->counted += entry->counted == 0;
	if (entry->counted < UINT32_MAX)
		entry->counted += past == &j->past || repeats;
	return true;
}

static bool take_line(struct journal *j, struct journal_past *past, const struct line *line)
{
	struct journal_left *left = &past->left;
	if (line->number > past->last_number)
		past->last_number = line->number;
	if (left->count > 0 && line->number >= left->open[0].number) {
		struct journal_cell key = { .number = line->number };
		struct journal_cell *mark = bsearch(&key, left->open, left->count, sizeof key, journal_cell_order);
		if (mark)
			mark->attempt = 0; /* it is over */
	}
	past->not_accepted += line->final && !line->accepted;
	return !line->final || !line->has_id ||
	       count(j, past, &line->id, !line->accepted && (!line->unknown || j->options.retry_unknown));
}

static int read_lines(struct journal *j, struct journal_past *past, int fd, struct error *err)
{
	struct source_options options = { .kind = SOURCE_LINES };
	struct source_item item;
	struct json_doc doc;
	struct json_fault fault;
	struct line line;
	struct source *source = lseek(fd, 0, SEEK_SET) == 0 ? source_open_fd(fd, past->path, &options, err) : NULL;
	enum source_result got = source ? SOURCE_ITEM : SOURCE_ERROR;
	json_doc_init(&doc);
	while (got == SOURCE_ITEM && (got = source_next(source, &item, err)) == SOURCE_ITEM) {
		past->lines = item.torn ? item.line - 1 : item.line;
		past->torn = item.torn ? item.length : 0;
		if (item.torn)
			continue;
		bool is_good = json_read(&doc, item.text, item.length, &fault) &&
		               read_line(&doc, &line) == JOURNAL_FILE_RESULTS;
		if (!is_good && past->bad_lines++ == 0)
			past->first_bad_line = item.line;
		if (is_good && !take_line(j, past, &line)) {
			error_set(err, EXIT_CODE_IO, "cannot read '%s': it has grown meanwhile", past->path);
			got = SOURCE_ERROR;
		}
	}
	source_close(source);
	json_doc_release(&doc);
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
	struct journal_left *left = &past->left;
	bool is_failed_only = past == &j->failed, again = j->options.retry_unknown;
	size_t open = 0;
	for (size_t i = 0; i < left->count; i++) {
		const struct journal_cell *cell = &left->open[i];
		if (cell->attempt == 0)
			continue;
		notify(j, (struct journal_notice){ .kind = JOURNAL_WAS_IN_FLIGHT,
		                                   .path = past->path,
		                                   .input = cell->name[0] ? cell->name : NULL,
		                                   .record = cell->record });
		if (cell->number > past->last_number)
			past->last_number = cell->number;
		if (cell->has_id && (is_failed_only || !again))
			count(j, past, &cell->id, again);
		left->open[open++] = *cell;
	}
	left->count = open;
	if (open > 0 && !is_failed_only)
		notify(j, (struct journal_notice){
		                  .kind = JOURNAL_IN_FLIGHT_COUNT, .path = past->path, .count = open, .again = again });
}

/* F can be used for what it is wanted for. */
static int check(const struct journal *j, const struct journal_past *past, struct error *err)
{
	const struct journal_left *left = &past->left;
	bool is_failed_only = past == &j->failed;
	const char *own = buffer_text(&past->selection);
	if (!is_failed_only && past->has_selection && strcmp(own, j->options.selection) != 0) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is of a run with another selection: %s", past->path,
		          own[0] ? own : "all records");
		return error_hint(err, "continue it with the same options, or name another file for --results");
	}
	if (past->is_ended || !left->doubt || (!past->has_lines && left->found == JOURNAL_MARKS_NONE))
		return 0;
	if (is_failed_only || j->options.retry_unknown) {
		notify(j, (struct journal_notice){
		                  .kind = JOURNAL_NOT_TRUSTED, .path = past->path, .doubt = left->doubt });
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' belongs to an unfinished run, and '%s' %s", past->path,
	          buffer_text(&left->path), left->doubt);
	return error_hint(err,
	                  "what was in flight then may have been delivered; --retry-unknown continues the run, and "
	                  "sends again what has no line");
}

int journal_read_past(struct journal *j, struct journal_past *past, int fd, struct error *err)
{
	struct journal_left *left = &past->left;
	enum journal_file file;
	if (journal_read_first(past, fd, past->path, &file, err) < 0)
		return -1;
	if (file == JOURNAL_FILE_OLD) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is of an older version of credhook: its lines have no id",
		          past->path);
		return error_hint(err, "that version continues it");
	}
	if (file == JOURNAL_FILE_OTHER)
		return error_set(err, EXIT_CODE_USAGE, "'%s' is not a results file", past->path);
	past->has_lines = file != JOURNAL_FILE_BLANK;
	if (journal_left_read(left, past->path, err) == JOURNAL_MARKS_FAILED)
		return -1;
	if (left->found == JOURNAL_MARKS_FOREIGN && past == &j->past)
		return journal_refuse_foreign(left, err);
	if (past->is_ended)
		left->count = 0;
	past->has_selection = file == JOURNAL_FILE_RESULTS || left->has_head;
	if (file != JOURNAL_FILE_RESULTS) {
		buffer_append(&past->selection, buffer_text(&left->selection), left->selection.length);
		past->has_seed = left->has_seed;
		past->seed = left->seed;
	}
	if (!j->ended.entries && make_table(&j->ended, fd, left->count, err) < 0)
		return -1;
	if (read_lines(j, past, fd, err) < 0)
		return -1;
	if (!left->doubt && past->lines < left->lines)
		left->doubt = "counts more lines than the results have";
	if (past->torn > 0)
		notify(j,
		       (struct journal_notice){ .kind = JOURNAL_TORN_LINE, .path = past->path, .count = past->torn });
	if (past->bad_lines > 0)
		notify(j, (struct journal_notice){ .kind = JOURNAL_BAD_LINES,
		                                   .path = past->path,
		                                   .record = past->first_bad_line,
		                                   .count = past->bad_lines });
	take_marks(j, past);
	return check(j, past, err);
}

bool journal_wants(struct journal *j, const struct capture_id *id)
{
	struct journal_entry *entry = j && j->ended.entries ? find_entry(&j->ended, id) : NULL;
	bool is_counted = entry && entry->counted > 1;
	if (is_counted)
		entry->counted--;
	if (!j || !j->failed.path)
		return !is_counted;
	j->without_line += !entry || entry->counted == 0;
	return is_counted;
}

uint64_t journal_missing(const struct journal *j)
{
	uint64_t missing = 0;
	for (size_t i = 0; j && i < j->ended.places; i++)
		missing += j->ended.entries[i].counted > 0 ? j->ended.entries[i].counted - 1 : 0;
	return missing;
}

void journal_past_release(struct journal_past *past)
{
	buffer_release(&past->selection);
	journal_left_release(&past->left);
}
