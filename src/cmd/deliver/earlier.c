#include "cmd/deliver/earlier.h"

#include "base/buffer.h"
#include "capture/source.h"
#include "cmd/deliver/job.h"
#include "cmd/deliver/known.h"
#include "cmd/deliver/results.h"
#include "json/located.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define PAGE        256
#define RECORDS_MAX ((uint64_t)1 << 36)

/* Of a record: how often it has ended, and how it ended last. */
#define ENDED_MAX    63
#define ENDED_MASK   63
#define NOT_ACCEPTED 64

/* Of so many records of one input, a byte each. */
struct page {
	uint64_t input; /* what stands for it: known.h */
	uint64_t number;
	uint8_t states[PAGE];
};

struct earlier {
	const char *path; /* borrowed */
	bool failed_only;
	bool retry_unknown;
	bool partial;        /* the file of what was in flight is there */
	int fd;              /* of the file, locked; -1: taken, or read only */
	struct page **pages; /* by hash, the next place where one is taken; at most half full */
	size_t page_count;
	size_t places;     /* a power of two, or 0 */
	struct page *last; /* found last */
	struct known_inputs known;
	bool has_asked;
	uint64_t asked; /* the hash of the name asked for last, and its input */
	uint64_t asked_input;
	uint64_t lines;
	uint64_t good_lines;
	uint64_t bad_lines;
	uint64_t first_bad_line;
	uint64_t not_accepted; /* of those left out */
	size_t torn;           /* bytes of a last line without its end */
	struct flight *cut;
	size_t cut_count;
	size_t cut_capacity;
	uint64_t cut_from; /* no line up to this one is the end of something cut off */
	struct json_doc doc;
};

/* The page's place in the table, or where it would be put. */
static struct page **place_of(const struct earlier *h, uint64_t input, uint64_t number)
{
	uint64_t hash = (input ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(hash >> 32) & (h->places - 1);
	while (h->pages[at] && (h->pages[at]->input != input || h->pages[at]->number != number))
		at = (at + 1) & (h->places - 1);
	return &h->pages[at];
}

static bool grow(struct earlier *h)
{
	struct earlier larger = { .places = h->places > 0 ? h->places * 2 : 64 };
	larger.pages = calloc(larger.places, sizeof *larger.pages);
	if (!larger.pages)
		return false;
	for (size_t i = 0; i < h->places; i++)
		if (h->pages[i])
			*place_of(&larger, h->pages[i]->input, h->pages[i]->number) = h->pages[i];
	free(h->pages);
	h->pages = larger.pages;
	h->places = larger.places;
	return true;
}

/* The record's byte; NULL: it has none, or with `make` there is no memory. */
static uint8_t *state_of(struct earlier *h, uint64_t input, uint64_t record, bool make)
{
	uint64_t number = record / PAGE;
	struct page *page = h->last;
	if (!page || page->input != input || page->number != number) {
		if (make && h->page_count * 2 >= h->places && !grow(h))
			return NULL;
		struct page **place = h->places > 0 ? place_of(h, input, number) : NULL;
		if (place && !*place && make && (*place = calloc(1, sizeof **place)) != NULL) {
			**place = (struct page){ .input = input, .number = number };
			h->page_count++;
		}
		page = place ? *place : NULL;
	}
	if (!page)
		return NULL;
	h->last = page;
	return &page->states[record % PAGE];
}

/* One line, taken apart. */
struct line {
	struct buffer input;
	bool has_input;
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

static bool read_line(const struct json_doc *doc, struct line *line)
{
	uint32_t input = json_member(doc, 0, "input", 5);
	uint32_t final = json_member(doc, 0, "final", 5);
	uint32_t outcome = json_member(doc, 0, "outcome", 7);
	if (input == JSON_NONE || final == JSON_NONE || outcome == JSON_NONE ||
	    !read_number(doc, "record", &line->record) || !read_number(doc, "attempt", &line->attempt) ||
	    line->record > RECORDS_MAX)
		return false;
	line->has_input = doc->tokens[input].type == JSON_STRING;
	line->final = doc->tokens[final].type == JSON_TRUE;
	line->accepted = json_string_is(doc, outcome, "accepted", 8);
	buffer_clear(&line->input);
	json_string_decode(doc, input, &line->input);
	return !line->input.failed;
}

/* A flight that this line is the end of was not cut off. */
static void land(struct earlier *h, const struct line *line, uint64_t input)
{
	if (h->cut_count == 0 || h->lines <= h->cut_from)
		return;
	for (size_t i = 0; i < h->cut_count; i++) {
		struct flight *f = &h->cut[i];
		if (f->lines >= h->lines || f->record != line->record || f->attempt != line->attempt ||
		    f->input_hash != input || f->has_input != line->has_input)
			continue;
		*f = h->cut[--h->cut_count];
		return;
	}
}

static int add_end(struct earlier *h, uint64_t input, uint64_t record, bool accepted, struct error *err)
{
	uint8_t *state = state_of(h, input, record, true);
	if (!state)
		return error_no_memory(err);
	uint8_t ended = *state & ENDED_MASK;
	ended = ended < ENDED_MAX ? ended + 1 : ended;
	*state = (uint8_t)(ended | (accepted ? 0 : NOT_ACCEPTED));
	return 0;
}

static int take_line(struct earlier *h, const struct source_item *item, struct line *line, struct error *err)
{
	struct json_fault fault;
	h->lines = item->line;
	if (item->torn)
		h->torn = item->length;
	if (item->torn || !json_read(&h->doc, item->text, item->length, &fault) || !read_line(&h->doc, line)) {
		if (!item->torn && h->bad_lines++ == 0)
			h->first_bad_line = item->line;
		return 0;
	}
	h->good_lines++;
	const char *name = line->has_input ? buffer_text(&line->input) : NULL;
	uint64_t hash = flight_hash(name), input;
	land(h, line, hash);
	if (!known_add(&h->known, name, hash, &input))
		return error_no_memory(err);
	/* Interrupted before its next attempt, a record has no final line and did not end accepted. */
	bool ended = line->final || h->failed_only;
	return ended ? add_end(h, input, line->record, line->accepted && line->final, err) : 0;
}

static int read_lines(struct earlier *h, const char *path, struct error *err)
{
	struct source_options options = { .kind = SOURCE_LINES };
	struct source_item item;
	struct line line = { .input = BUFFER_INIT };
	struct source *source = source_open_fd(h->fd, path, &options, err);
	enum source_result got = source ? SOURCE_ITEM : SOURCE_ERROR;
	int result = 0;
	while (result == 0 && got == SOURCE_ITEM) {
		got = source_next(source, &item, err);
		if (got == SOURCE_ITEM)
			result = take_line(h, &item, &line, err);
	}
	if (h->torn > 0)
		h->lines--;
	source_close(source);
	buffer_release(&line.input);
	return got == SOURCE_ERROR ? -1 : result;
}

static int read_flights(struct earlier *h, const char *path, struct error *err)
{
	struct flights left = { NULL, NULL, 0, 0 };
	const struct flight *flight;
	size_t at = 0;
	int result = flights_read(&left, path, err);
	h->partial = result > 0;
	while (result > 0 && (flight = flights_next(&left, &at)) != NULL) {
		struct flight *grown = array_grow(h->cut, &h->cut_capacity, h->cut_count + 1, sizeof *grown);
		if (!grown) {
			result = error_no_memory(err);
			break;
		}
		h->cut = grown;
		if (h->cut_count == 0 || flight->lines < h->cut_from)
			h->cut_from = flight->lines;
		h->cut[h->cut_count] = *flight;
		h->cut[h->cut_count].has_input = flight->has_input != 0;
		h->cut[h->cut_count].input[FLIGHT_INPUT_SIZE - 1] = '\0';
		h->cut[h->cut_count++].name[CATALOG_KIND_NAME_SIZE - 1] = '\0';
	}
	flights_close(&left);
	return result < 0 ? -1 : 0;
}

/* What was in flight has not ended, or ended as unknown: either way it is not skipped as never sent. */
static int mark_cut(struct earlier *h, struct error *err)
{
	bool again = h->retry_unknown && !h->failed_only;
	for (size_t i = 0; i < h->cut_count; i++) {
		const struct flight *f = &h->cut[i];
		uint64_t input;
		if (!known_add(&h->known, f->has_input ? f->input : NULL, f->input_hash, &input))
			return error_no_memory(err);
		if (!again && f->record <= RECORDS_MAX && add_end(h, input, f->record, false, err) < 0)
			return -1;
	}
	return 0;
}

static void tell(const struct earlier *h, const char *path, struct context *context)
{
	struct terminal *t = context->terminal;
	if (h->torn > 0)
		terminal_warn(t, "the last line of '%s' is torn: %zu bytes of it are there", path, h->torn);
	if (h->bad_lines > 0)
		terminal_warn(t, "%llu lines of '%s' are no results, the first at line %llu",
		              (unsigned long long)h->bad_lines, path, (unsigned long long)h->first_bad_line);
	for (size_t i = 0; i < h->cut_count; i++)
		terminal_announce(t, "in flight when the run was cut off, so its outcome is unknown: %s:%llu",
		                  h->cut[i].has_input ? h->cut[i].input : "(made)",
		                  (unsigned long long)h->cut[i].record);
	if (h->cut_count > 0 && !h->failed_only)
		terminal_announce(t, "%zu may have arrived%s", h->cut_count,
		                  h->retry_unknown ? ", and go out again"
		                                   : "; --retry-unknown sends them again, else they stay as they are");
}

static int open_and_read(struct earlier *h, const char *path, bool write, struct context *context, struct error *err)
{
	h->fd = open(path, (write ? O_RDWR | O_APPEND : O_RDONLY) | O_CLOEXEC);
	if (h->fd < 0)
		return error_set(err, EXIT_CODE_IO, "cannot open '%s': %s", path, strerror(errno));
	if (write && flock(h->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return error_set(err, EXIT_CODE_USAGE, "another run writes '%s'", path);
	if (!results_look_so(h->fd))
		return error_set(err, EXIT_CODE_USAGE, "'%s' holds no results", path);
	if (read_flights(h, path, err) < 0 || read_lines(h, path, err) < 0)
		return -1;
	if (h->bad_lines > 0 && h->good_lines == 0)
		return error_set(err, EXIT_CODE_USAGE, "'%s' holds no results", path);
	tell(h, path, context);
	off_t size = lseek(h->fd, 0, SEEK_END);
	if (write && h->torn > 0 && ftruncate(h->fd, size - (off_t)h->torn) < 0)
		return error_set(err, EXIT_CODE_IO, "cannot write '%s': %s", path, strerror(errno));
	return mark_cut(h, err);
}

int earlier_read(struct delivery_plan *plan, struct context *context, struct error *err)
{
	const struct delivery_options *o = plan->options;
	const char *path = o->resume ? o->resume : o->failed_only;
	if (!path)
		return 0;
	struct earlier *h = calloc(1, sizeof *h);
	if (!h)
		return error_no_memory(err);
	plan->earlier = h;
	h->path = path;
	h->fd = -1;
	h->failed_only = o->failed_only != NULL;
	h->retry_unknown = o->retry_unknown;
	json_doc_init(&h->doc);
	bool write = o->dry_run == DRY_RUN_OFF && (o->resume || (o->results && strcmp(o->results, path) == 0));
	return open_and_read(h, path, write, context, err);
}

void earlier_free(struct earlier *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->places; i++)
		free(h->pages[i]);
	free(h->pages);
	free(h->cut);
	known_release(&h->known);
	json_doc_release(&h->doc);
	if (h->fd >= 0)
		close(h->fd);
	free(h);
}

static uint64_t input_of(struct earlier *h, const char *name)
{
	uint64_t hash = flight_hash(name);
	if (!h->has_asked || h->asked != hash)
		known_find(&h->known, name, hash, &h->asked_input);
	h->has_asked = true;
	h->asked = hash;
	return h->asked_input;
}

int earlier_check_inputs(const struct earlier *h, const struct source_files *files, struct error *err)
{
	struct buffer names = BUFFER_INIT;
	uint64_t unused;
	bool found = !h || h->known.count == 0 || files->count == 0;
	for (size_t i = 0; i < files->count && !found; i++)
		found = known_find(&h->known, files->files[i].path, flight_hash(files->files[i].path), &unused);
	if (found)
		return 0;
	known_append_names(&h->known, &names);
	error_set(err, EXIT_CODE_USAGE, "'%s' knows none of these inputs, only %s", h->path, buffer_text(&names));
	buffer_release(&names);
	return error_hint(err, "name the inputs of that run, from the folder it ran in; %s",
	                  h->failed_only ? "without --failed-only all is sent"
	                                 : "to begin anew, --results with another file");
}

bool earlier_wants(struct earlier *h, const char *name, uint64_t record)
{
	if (!h)
		return true;
	uint8_t *state = state_of(h, input_of(h, name), record, false);
	uint8_t ended = state ? *state & ENDED_MASK : 0;
	if (ended == 0)
		return !h->failed_only;
	if (h->failed_only) {
		bool wanted = *state & NOT_ACCEPTED;
		*state = 0;
		return wanted;
	}
	*state = (uint8_t)(*state - 1);
	h->not_accepted += (*state & NOT_ACCEPTED) != 0;
	return false;
}

int earlier_take_fd(struct earlier *h)
{
	int fd = h->fd;
	h->fd = -1;
	return fd;
}

uint64_t earlier_lines(const struct earlier *h)
{
	return h->lines;
}

const struct flight *earlier_cut(const struct earlier *h, size_t i)
{
	return i < h->cut_count ? &h->cut[i] : NULL;
}

uint64_t earlier_not_accepted(const struct earlier *h)
{
	return h->not_accepted;
}

bool earlier_is_partial(const struct earlier *h)
{
	return h->partial;
}
