#include "base/hash.h"
#include "capture/source.h"
#include "deliver/journal_internal.h"
#include "json/located.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_DIGITS 16

/* So much of a first line holds any input's name: 4096 bytes, written as \u0000 each. */
#define LINE_BEGIN_MAX ((size_t)32 << 10)

/* One line, taken apart. */
struct line {
	struct buffer input;
	bool has_input;
	uint64_t id; /* 0: it has no hash */
	uint64_t hash;
	uint64_t record;
	uint64_t attempt;
	bool final;
	bool accepted;
};

static bool read_number(const struct json_doc *doc, const char *key, uint64_t *number)
{
	uint32_t token = json_member(doc, 0, key, strlen(key));
	if (token == JSON_NONE || doc->tokens[token].type != JSON_NUMBER || doc->tokens[token].flags != 0)
		return false;
	const char *text = doc->text + doc->tokens[token].start;
	size_t length = doc->tokens[token].end - doc->tokens[token].start;
	*number = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9' || i > 15)
			return false;
		*number = *number * 10 + (uint64_t)(text[i] - '0');
	}
	return true;
}

static bool read_hex(const char *text, uint64_t *number)
{
	*number = 0;
	for (int i = 0; i < HASH_DIGITS; i++) {
		const char *digits = "0123456789abcdef", *digit = text[i] ? strchr(digits, text[i]) : NULL;
		if (!digit)
			return false;
		*number = *number << 4 | (uint64_t)(digit - digits);
	}
	return true;
}

/* "hash":"INPUT-RECORD"; absent, or of another form: none. */
static void read_hash(const struct json_doc *doc, struct line *line)
{
	uint32_t token = json_member(doc, 0, "hash", 4);
	const char *text = token != JSON_NONE ? doc->text + doc->tokens[token].start : NULL;
	size_t length = text ? doc->tokens[token].end - doc->tokens[token].start : 0;
	line->id = line->hash = 0;
	if (length != 2 * HASH_DIGITS + 3 || text[0] != '"' || text[1 + HASH_DIGITS] != '-' ||
	    !read_hex(text + 1, &line->id) || !read_hex(text + 2 + HASH_DIGITS, &line->hash))
		line->id = 0;
}

static bool read_line(const struct json_doc *doc, struct line *line)
{
	uint32_t input = json_member(doc, 0, "input", 5);
	uint32_t final = json_member(doc, 0, "final", 5);
	uint32_t outcome = json_member(doc, 0, "outcome", 7);
	if (input == JSON_NONE || final == JSON_NONE || outcome == JSON_NONE ||
	    !read_number(doc, "record", &line->record) || !read_number(doc, "attempt", &line->attempt) ||
	    line->record > JOURNAL_RECORD_MAX)
		return false;
	line->has_input = doc->tokens[input].type == JSON_STRING;
	line->final = doc->tokens[final].type == JSON_TRUE;
	line->accepted = json_string_is(doc, outcome, "accepted", 8);
	read_hash(doc, line);
	buffer_clear(&line->input);
	json_string_decode(doc, input, &line->input);
	return !line->input.failed;
}

/* A first line may be one of results, or the beginning of one that was torn. */
static bool begins_as_results(const char *text, size_t length)
{
	static const char start[] = "{\"input\":";
	size_t compared = length < sizeof start - 1 ? length : sizeof start - 1;
	return memcmp(text, start, compared) == 0;
}

static void take_first(const struct json_doc *doc, const struct line *line, struct journal_first_line *first)
{
	uint32_t ended = json_member(doc, 0, "ended", 5);
	first->file = JOURNAL_FILE_RESULTS;
	first->has_input = line->has_input;
	first->id = line->id;
	first->says_ended = ended != JSON_NONE;
	first->is_ended = ended != JSON_NONE && doc->tokens[ended].type == JSON_TRUE;
}

int journal_read_first(int fd, const char *path, struct journal_first_line *first, struct error *err)
{
	struct stat status;
	struct json_fault fault;
	struct json_doc doc;
	struct line line = { .input = BUFFER_INIT };
	struct buffer begin = BUFFER_INIT;
	*first = (struct journal_first_line){ .file = JOURNAL_FILE_BLANK };
	if (fstat(fd, &status) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return journal_cannot("read", path, err);
	errno = buffer_read(&begin, fd, LINE_BEGIN_MAX);
	if (errno != 0)
		return journal_cannot("read", path, err);
	const char *text = buffer_text(&begin), *newline = memchr(text, '\n', begin.length);
	json_doc_init(&doc);
	if (newline && json_read(&doc, text, (size_t)(newline - text), &fault) && read_line(&doc, &line))
		take_first(&doc, &line, first);
	else if (!newline && begin.length > 0 && begins_as_results(text, begin.length))
		first->file = JOURNAL_FILE_TORN;
	else if (begin.length > 0)
		first->file = JOURNAL_FILE_OTHER;
	json_doc_release(&doc);
	buffer_release(&line.input);
	buffer_release(&begin);
	return 0;
}

/* A mark that this line is the end of was not cut off. */
static void land(struct journal_past *past, const struct line *line)
{
	if (past->cut_from == 0 || past->lines < past->cut_from)
		return;
	for (size_t i = 0; i < past->cut_count; i++) {
		const struct journal_cell *cell = &past->cut[i].cell;
		if (cell->line != past->lines || cell->record != line->record || cell->attempt != line->attempt ||
		    cell->id != line->id)
			continue;
		past->cut[i] = past->cut[--past->cut_count];
		return;
	}
}

static void remember_name(struct journal *j, const char *name)
{
	struct buffer *names = &j->past.names;
	if (j->past.named_inputs++ < JOURNAL_NAMES)
		buffer_printf(names, "%s'%s'", names->length > 0 ? ", " : "", name);
}

static int take_ended(struct journal *j, const struct line *line, struct error *err)
{
	struct journal_past *past = &j->past;
	size_t known = j->inputs.count;
	struct journal_input *input = journal_inputs_add(&j->inputs, line->id);
	if (!input)
		return error_no_memory(err);
	if (j->inputs.count > known)
		remember_name(j, buffer_text(&line->input));
	input->recorded = true;
	journal_input_deal(input, line->record, line->hash);
	/* Interrupted before its next attempt, a record has no final line and did not end accepted. */
	if (!line->final && !j->options.failed_only)
		return 0;
	bool accepted = line->accepted && line->final;
	return journal_records_add(&past->records, line->id, line->record, line->hash, accepted) ? 0
	                                                                                         : error_no_memory(err);
}

static int take_line(struct journal *j, const struct source_item *item, struct json_doc *doc, struct line *line,
                     struct error *err)
{
	struct journal_past *past = &j->past;
	struct json_fault fault;
	past->lines = item->line;
	if (item->torn)
		past->torn = item->length;
	if (item->torn || !json_read(doc, item->text, item->length, &fault) || !read_line(doc, line)) {
		if (!item->torn && past->bad_lines++ == 0)
			past->first_bad_line = item->line;
		return 0;
	}
	past->good_lines++;
	uint32_t ended = item->line == 1 ? json_member(doc, 0, "ended", 5) : JSON_NONE;
	if (ended != JSON_NONE) {
		past->is_ended = doc->tokens[ended].type == JSON_TRUE;
		j->ended_at = (off_t)doc->tokens[ended].start;
	}
	land(past, line);
	if (line->id == 0) {
		past->nameless_lines += line->has_input;
		return 0;
	}
	return take_ended(j, line, err);
}

static int read_lines(struct journal *j, struct error *err)
{
	struct source_options options = { .kind = SOURCE_LINES };
	struct source_item item;
	struct json_doc doc;
	struct line line = { .input = BUFFER_INIT };
	struct source *source =
	        lseek(j->fd, 0, SEEK_SET) == 0 ? source_open_fd(j->fd, j->past.path, &options, err) : NULL;
	enum source_result got = source ? SOURCE_ITEM : SOURCE_ERROR;
	int result = 0;
	json_doc_init(&doc);
	while (result == 0 && got == SOURCE_ITEM) {
		got = source_next(source, &item, err);
		if (got == SOURCE_ITEM)
			result = take_line(j, &item, &doc, &line, err);
	}
	if (j->past.torn > 0)
		j->past.lines--;
	source_close(source);
	json_doc_release(&doc);
	buffer_release(&line.input);
	return got == SOURCE_ERROR ? -1 : result;
}

/* What was in flight, copied: the texts of the file may have no end. */
static int read_marks(struct journal *j, struct error *err)
{
	struct journal_past *past = &j->past;
	const struct journal_cell *cell;
	enum journal_marks_found found = journal_marks_read(&past->marks, past->path, err);
	if (found == JOURNAL_MARKS_FAILED)
		return -1;
	if (found == JOURNAL_MARKS_NONE)
		past->marks.doubt = JOURNAL_MISSING;
	if (found == JOURNAL_MARKS_FOREIGN)
		return journal_refuse_foreign(&past->marks, err);
	for (size_t at = 0; (cell = journal_marks_next(&past->marks, JOURNAL_CELL_MARK, &at)) != NULL;) {
		if (cell->record > JOURNAL_RECORD_MAX)
			continue;
		struct journal_cut *cut = array_grow(past->cut, &past->cut_capacity, past->cut_count + 1, sizeof *cut);
		if (!cut)
			return error_no_memory(err);
		past->cut = cut;
		cut += past->cut_count++;
		if (cell->line > 0 && (past->cut_from == 0 || cell->line < past->cut_from))
			past->cut_from = cell->line;
		*cut = (struct journal_cut){ &past->marks.cells[at - 1], *cell };
		cut->cell.name[sizeof cut->cell.name - 1] = '\0';
		cut->cell.event[sizeof cut->cell.event - 1] = '\0';
	}
	return 0;
}

/* It was not accepted. But a resumed run reports it itself, so that it is not to be counted with what is skipped. */
static bool add_cut(struct journal *j, const struct journal_cell *cell)
{
	struct journal_records *records = &j->past.records;
	struct journal_ends before = journal_records_ends(records, cell->id, cell->record, cell->hash);
	bool accepted = !j->options.failed_only && (before.count == 0 || before.accepted);
	return journal_records_add(records, cell->id, cell->record, cell->hash, accepted);
}

/* What was in flight has not ended, or ended as unknown: either way it is not taken for never sent. */
static int take_cut(struct journal *j, struct error *err)
{
	bool again = j->options.retry_unknown && !j->options.failed_only;
	for (size_t i = 0; i < j->past.cut_count; i++) {
		const struct journal_cell *cell = &j->past.cut[i].cell;
		struct journal_input *input = cell->id > 0 ? journal_inputs_add(&j->inputs, cell->id) : NULL;
		if (cell->id == 0)
			continue;
		if (!input || (!again && !add_cut(j, cell)))
			return error_no_memory(err);
		input->recorded = input->required = true;
		journal_input_deal(input, cell->record, cell->hash);
	}
	return 0;
}

/* The inputs that the earlier run was not done with. */
static int take_inputs(struct journal *j, struct error *err)
{
	const struct journal_cell *cell;
	for (size_t at = 0; (cell = journal_marks_next(&j->past.marks, JOURNAL_CELL_INPUT, &at)) != NULL;) {
		struct journal_input *input = cell->id > 0 ? journal_inputs_add(&j->inputs, cell->id) : NULL;
		if (!input && cell->id > 0)
			return error_no_memory(err);
		if (input)
			input->recorded = input->required = true;
	}
	return 0;
}

static void notify(const struct journal *j)
{
	const struct journal_past *past = &j->past;
	struct journal_notice notice = { .count = past->torn };
	notice.kind = JOURNAL_TORN_LINE;
	if (past->torn > 0)
		journal_notify(j, notice);
	notice = (struct journal_notice){ JOURNAL_BAD_LINES, .record = past->first_bad_line, .count = past->bad_lines };
	if (past->bad_lines > 0)
		journal_notify(j, notice);
	for (size_t i = 0; i < past->cut_count; i++) {
		const struct journal_cell *cell = &past->cut[i].cell;
		notice = (struct journal_notice){ JOURNAL_WAS_IN_FLIGHT, .record = cell->record };
		notice.input = cell->name[0] ? cell->name : NULL;
		journal_notify(j, notice);
	}
	notice = (struct journal_notice){ JOURNAL_IN_FLIGHT_COUNT, .count = past->cut_count };
	notice.again = j->options.retry_unknown;
	if (past->cut_count > 0 && !j->options.failed_only)
		journal_notify(j, notice);
}

/* An unfinished run is known by both of its files together. */
static int check_trust(const struct journal *j, struct error *err)
{
	const struct journal_past *past = &j->past;
	enum journal_doubt doubt = past->marks.doubt;
	if (past->nameless_lines > 0) {
		error_set(err, EXIT_CODE_USAGE,
		          "the lines of '%s' have no hash, so their records cannot be found again", past->path);
		return error_hint(err, "--results FILE writes it; results on stdout and of older versions have none");
	}
	if (past->is_ended || doubt == JOURNAL_TRUSTED)
		return 0;
	if (j->options.failed_only || j->options.retry_unknown) {
		journal_notify(j, (struct journal_notice){ JOURNAL_IN_DOUBT, .doubt = doubt });
		return 0;
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' belongs to an unfinished run, and '%s' %s", past->path, past->marks.path,
	          journal_doubt_words[doubt]);
	return error_hint(err,
	                  "what was in flight then may have been delivered; --retry-unknown continues the run, and "
	                  "sends again what has no line");
}

int journal_read_past(struct journal *j, struct error *err)
{
	struct journal_past *past = &j->past;
	struct journal_first_line first;
	if (journal_read_first(j->fd, past->path, &first, err) < 0)
		return -1;
	if (first.file == JOURNAL_FILE_OTHER)
		return error_set(err, EXIT_CODE_USAGE, "'%s' is not a results file", past->path);
	if (read_marks(j, err) < 0 || read_lines(j, err) < 0)
		return -1;
	if (past->is_ended) {
		past->cut_count = 0;
		journal_marks_close(&past->marks);
	}
	if (past->marks.doubt == JOURNAL_TRUSTED && past->lines < past->marks.lines)
		past->marks.doubt = JOURNAL_SHORTENED;
	notify(j);
	if (check_trust(j, err) < 0)
		return -1;
	return take_cut(j, err) < 0 ? -1 : take_inputs(j, err);
}
