#include "cmd/deliver/results.h"

#include "base/clock.h"
#include "cmd/deliver/earlier.h"
#include "cmd/deliver/flight.h"
#include "ui/json_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define CUT_OFF "the run was cut off while this was in flight: it may have arrived"

/* So much of a first line holds any input's name: 4096 bytes, written as \u0000 each. */
#define LINE_BEGIN_MAX ((size_t)32 << 10)

struct results {
	struct terminal *terminal; /* for "-" */
	const char *path;          /* borrowed */
	int fd;                    /* -1: stdout */
	struct flights flights;
	struct buffer out;
	uint64_t lines;                /* written; read by the workers */
	uint64_t added;                /* lines in `out` */
	char second[CLOCK_STAMP_SIZE]; /* a stamp, and the second it is of: most have the same */
	int64_t second_of;
	bool of_inputs;   /* a line is of an input: what send makes is never sent again */
	bool fails_again; /* --failed-only of the file itself: whether that is partial is not this run's to change */
	bool partial;     /* it was, before this run */
	int64_t epoch_us; /* real time where the monotonic clock is 0 */
};

static int cannot_write(const char *path, struct error *err)
{
	return error_set(err, EXIT_CODE_IO, "cannot write '%s': %s", path, strerror(errno));
}

bool results_look_so(int fd)
{
	static const char start[] = "{\"input\":";
	char begin[sizeof start - 1];
	ssize_t got = pread(fd, begin, sizeof begin, 0);
	return got >= 0 && memcmp(begin, start, (size_t)got) == 0;
}

/* Behind the text, where `at` begins with it; else NULL. */
static const char *skip_text(const char *at, const char *text)
{
	size_t length = strlen(text);
	return at && strncmp(at, text, length) == 0 ? at + length : NULL;
}

/* Behind the string or the null that `at` begins with; else NULL. */
static const char *skip_name(const char *at)
{
	if (!at || *at != '"')
		return skip_text(at, "null");
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : NULL;
}

/* {"input":"a","record":1,"attempt": and nothing less: a payload may have an "input" too. */
static bool begins_with_line(const char *text)
{
	const char *at = skip_text(skip_name(skip_text(text, "{\"input\":")), ",\"record\":");
	at = at ? at + strspn(at, "0123456789") : NULL;
	return skip_text(at, ",\"attempt\":") != NULL;
}

static bool is_results(const char *path)
{
	struct stat status;
	struct buffer begin = BUFFER_INIT;
	int fd = stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0
	                 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
	                 : -1;
	if (fd < 0)
		return false;
	bool found = results_look_so(fd) && buffer_read(&begin, fd, LINE_BEGIN_MAX) == 0 &&
	             begins_with_line(buffer_text(&begin));
	buffer_release(&begin);
	close(fd);
	return found;
}

int results_refuse_inputs(const struct source_files *files, struct error *err)
{
	for (size_t i = 0; i < files->count; i++) {
		const char *path = files->files[i].path;
		if (strcmp(path, "-") == 0 || !is_results(path))
			continue;
		error_set(err, EXIT_CODE_USAGE, "'%s' holds results of a run, no payloads", path);
		return error_hint(err, "name the captures, and this file with --resume or --failed-only");
	}
	return 0;
}

static int refuse_leftover(const char *path, bool is_empty, const struct delivery_options *o, struct error *err)
{
	struct flights left = { NULL, NULL, 0, 0 };
	int found = flights_read(&left, path, err);
	size_t marked = found > 0 ? flights_marked(&left) : 0;
	flights_close(&left);
	if (found < 0)
		return -1;
	if (found == 0 || (marked == 0 && is_empty))
		return 0;
	if (marked > 0)
		error_set(err, EXIT_CODE_USAGE, "'%s' is from a run that was cut off with %zu in flight", path, marked);
	else
		error_set(err, EXIT_CODE_USAGE, "'%s' is from a run that did not get to its end", path);
	/* --resume does not go together with --failed-only. */
	if (o->failed_only)
		return error_hint(err, "name another file for --results, or remove it and '%s.inflight'", path);
	return error_hint(
	        err, "'credhook replay --resume %s' goes on with a replay; to begin anew, remove it and '%s.inflight'",
	        path, path);
}

/* A file of this run's own: a new one, or older results that are done with. */
static int take_new(struct results *r, const struct delivery_options *o, struct error *err)
{
	struct stat status;
	if (fstat(r->fd, &status) < 0)
		return cannot_write(r->path, err);
	if (!S_ISREG(status.st_mode))
		return 0; /* a pipe, /dev/null */
	if (!results_look_so(r->fd)) {
		error_set(err, EXIT_CODE_USAGE, "'%s' holds no results: it is left as it is", r->path);
		return error_hint(err, "name another file for --results");
	}
	if (refuse_leftover(r->path, status.st_size == 0, o, err) < 0)
		return -1;
	return ftruncate(r->fd, 0) < 0 ? cannot_write(r->path, err) : 0;
}

static void append_cut(struct buffer *out, const struct flight *flight, bool final)
{
	json_line_begin(out);
	json_line_text(out, "input", flight->has_input ? flight->input : NULL);
	json_line_number(out, "record", (int64_t)flight->record);
	json_line_number(out, "attempt", flight->attempt);
	json_line_bool(out, "final", final);
	json_line_text(out, "event", flight->name[0] ? flight->name : NULL);
	json_line_text(out, "outcome", outcome_names[OUTCOME_UNKNOWN]);
	json_line_null(out, "status");
	json_line_null(out, "due");
	json_line_null(out, "sent");
	json_line_decimal(out, "latency_ms", 0);
	json_line_number(out, "bytes", 0);
	json_line_text(out, "error", CUT_OFF);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

/* What was in flight when the run was cut off gets its line. */
static int take_over(struct results *r, const struct delivery_plan *plan, struct error *err)
{
	const struct flight *flight;
	for (size_t i = 0; (flight = earlier_cut(plan->earlier, i)) != NULL; i++) {
		append_cut(&r->out, flight, !plan->options->retry_unknown);
		r->added++;
	}
	r->lines = earlier_lines(plan->earlier);
	r->partial = earlier_is_partial(plan->earlier);
	r->fails_again = plan->options->failed_only != NULL;
	return results_flush(r, err);
}

static int open_file(struct results *r, const struct delivery_plan *plan, struct error *err)
{
	const struct delivery_options *o = plan->options;
	bool again = o->resume || (o->failed_only && strcmp(o->failed_only, r->path) == 0);
	if (again) {
		r->fd = earlier_take_fd(plan->earlier);
	} else {
		r->fd = open(r->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (r->fd < 0)
			r->fd = open(r->path, O_WRONLY | O_APPEND | O_CLOEXEC); /* a pipe, say */
		if (r->fd < 0)
			return cannot_write(r->path, err);
		if (flock(r->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
			return error_set(err, EXIT_CODE_USAGE, "another run writes '%s'", r->path);
	}
	return again ? take_over(r, plan, err) : take_new(r, o, err);
}

int results_open(struct results **results, const struct delivery_plan *plan, struct terminal *terminal, size_t jobs,
                 struct error *err)
{
	const struct delivery_options *o = plan->options;
	struct stat status;
	*results = NULL;
	if (!o->results && !o->resume)
		return 0;
	struct results *r = calloc(1, sizeof *r);
	if (!r)
		return error_no_memory(err);
	*results = r;
	r->terminal = terminal;
	r->path = o->resume ? o->resume : o->results;
	r->fd = -1;
	r->epoch_us = clock_realtime_us() - clock_monotonic_ns() / 1000;
	if (strcmp(r->path, "-") == 0)
		return 0;
	if (open_file(r, plan, err) < 0)
		return -1;
	if (fstat(r->fd, &status) == 0 && !S_ISREG(status.st_mode))
		return 0; /* nobody can resume from a pipe */
	return flights_create(&r->flights, r->path, jobs, err);
}

void results_enter(struct results *r, struct job *job)
{
	if (r)
		job->flight = flights_take(&r->flights);
}

void results_begin(struct results *r, const struct job *job)
{
	if (job->flight)
		flight_begin(job->flight, job, __atomic_load_n(&r->lines, __ATOMIC_ACQUIRE));
}

void results_end(const struct job *job)
{
	flight_end(job->flight);
}

/* What follows writes a line without printf(): at 50,000 a second that is felt. Keys and names need no escapes. */
static void append_fraction(char *at, int digits, int64_t fraction)
{
	for (int i = digits - 1; i >= 0; i--, fraction /= 10)
		at[i] = (char)('0' + fraction % 10);
}

/* A monotonic time as real time; 0: null. */
static void append_stamp(struct results *r, const char *key, int64_t ns)
{
	int64_t us = r->epoch_us + ns / 1000;
	buffer_append_text(&r->out, key);
	if (ns == 0) {
		buffer_append_text(&r->out, "null");
		return;
	}
	if (us / 1000000 != r->second_of || r->second[0] == '\0') {
		r->second_of = us / 1000000;
		clock_format_stamp(us, r->second);
	}
	append_fraction(r->second + sizeof "2026-01-02T03:04:05", 6, us % 1000000);
	buffer_append_byte(&r->out, '"');
	buffer_append_text(&r->out, r->second);
	buffer_append_byte(&r->out, '"');
}

/* Empty: null. */
static void append_name(struct buffer *out, const char *name)
{
	if (name[0] == '\0') {
		buffer_append_text(out, "null");
		return;
	}
	buffer_append_byte(out, '"');
	buffer_append_text(out, name);
	buffer_append_byte(out, '"');
}

void results_add(struct results *r, const struct job *job)
{
	if (!r)
		return;
	const struct delivery *d = &job->delivery;
	struct buffer *out = &r->out;
	int64_t due_ns = job->due_ns > 0 && job->attempt == 1 ? job->due_ns : d->started_ns;
	char milliseconds[] = ".000";
	r->of_inputs |= job->input != NULL;
	json_line_begin(out);
	json_line_text(out, "input", job->input);
	buffer_append_text(out, ",\"record\":");
	buffer_append_number(out, job->record);
	buffer_append_text(out, ",\"attempt\":");
	buffer_append_number(out, job->attempt);
	buffer_append_text(out, job->final ? ",\"final\":true,\"event\":" : ",\"final\":false,\"event\":");
	append_name(out, job->name);
	buffer_append_text(out, ",\"outcome\":");
	append_name(out, outcome_names[job->outcome]);
	buffer_append_text(out, ",\"status\":");
	if (d->status > 0)
		buffer_append_number(out, (uint64_t)d->status);
	else
		buffer_append_text(out, "null");
	if (job->recorded_status > 0)
		json_line_number(out, "recorded_status", job->recorded_status);
	append_stamp(r, ",\"due\":", due_ns);
	append_stamp(r, ",\"sent\":", d->sent_ns);
	buffer_append_text(out, ",\"latency_ms\":");
	buffer_append_number(out, (uint64_t)(d->latency_ns / 1000000));
	append_fraction(milliseconds + 1, 3, d->latency_ns / 1000 % 1000);
	buffer_append_text(out, milliseconds);
	buffer_append_text(out, ",\"bytes\":");
	buffer_append_number(out, d->body_length);
	if (d->message[0])
		json_line_text(out, "error", d->message);
	buffer_append_text(out, "}\n");
	r->added++;
}

int results_flush(struct results *r, struct error *err)
{
	if (!r || r->out.length == 0)
		return 0;
	if (r->out.failed)
		return error_no_memory(err);
	if (r->fd < 0) {
		terminal_write(r->terminal, buffer_text(&r->out), r->out.length);
		buffer_clear(&r->out);
		return 0;
	}
	for (size_t at = 0; at < r->out.length;) {
		ssize_t written = write(r->fd, r->out.data + at, r->out.length - at);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return cannot_write(r->path, err);
		at += (size_t)written;
	}
	buffer_clear(&r->out);
	__atomic_store_n(&r->lines, r->lines + r->added, __ATOMIC_RELEASE);
	r->added = 0;
	return 0;
}

bool results_stay(const struct results *r, bool through)
{
	if (!r || !r->flights.places)
		return false;
	return through ? r->fails_again && r->partial : r->of_inputs || r->partial;
}

void results_close(struct results *r, bool through)
{
	if (!r)
		return;
	flights_release(&r->flights, results_stay(r, through));
	if (r->fd >= 0)
		close(r->fd);
	buffer_release(&r->out);
	free(r);
}
