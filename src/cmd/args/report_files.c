#include "cmd/args/report_files.h"

#include "base/quoted.h"
#include "base/shell_text.h"
#include "base/text.h"
#include "capture/replace.h"
#include "report/markup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INPUTS_SHOWN 3 /* on a page */

static const struct report_format *const formats[] = { REPORT_FORMATS };

/* Whether a text begins with FORMAT=. */
static bool begins_report(const char *text, bool of_cases)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		size_t length = strlen(formats[i]->name);
		if (strncmp(text, formats[i]->name, length) == 0 && text[length] == '=' &&
		    (formats[i]->holds_cases || !of_cases))
			return true;
	}
	return false;
}

bool report_is_request(const char *word)
{
	return begins_report(word, false) && word[strcspn(word, "=") + 1] != '\0';
}

/* The comma before a second FORMAT=, where other tools take a list; NULL: there is none. */
static const char *find_second(const char *text, bool of_cases)
{
	const char *at = strchr(text, ',');
	while (at && !begins_report(at + 1, of_cases))
		at = strchr(at + 1, ',');
	return at;
}

static int parse(struct report_requests *requests, bool of_cases, const char *text, struct error *err)
{
	size_t length = strcspn(text, "=");
	struct nearest near;
	nearest_init(&near, text, length);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		const char *name = formats[i]->name;
		if (of_cases && !formats[i]->holds_cases)
			continue;
		if (!nearest_offer(&near, name))
			continue;
		if (text[length] != '=' || !text[length + 1]) {
			error_set(err, EXIT_CODE_USAGE, "'%s' has no file name", text);
			return error_hint(err, "write %s=FILE", name);
		}
		const char *comma = find_second(text, of_cases);
		if (comma) {
			LOCAL_BUFFER first = BUFFER_INIT, rest = BUFFER_INIT;
			shell_append(&first, text, (size_t)(comma - text));
			shell_append(&rest, comma + 1, strlen(comma + 1));
			error_set(err, EXIT_CODE_USAGE, "'%s' names more than one report", text);
			return error_hint(err, "write each with an option of its own: --report %s --report %s",
			                  buffer_text(&first), buffer_text(&rest));
		}
		if (requests->count == REPORTS_MAX)
			return error_set(err, EXIT_CODE_USAGE, "more than %d reports", REPORTS_MAX);
		requests->list[requests->count++] = (struct report_request){ formats[i], text + length + 1 };
		return 0;
	}
	char prefix[OPTION_UNKNOWN_SIZE];
	snprintf(prefix, sizeof prefix, "%.*s", (int)length, text);
	struct text shown = quoted_part(text, text, length);
	error_set(err, EXIT_CODE_USAGE, "'%.*s' is not a report of this command", (int)shown.length, shown.text);
	if (option_is_among("gitlab jenkins github-actions azure circleci bamboo teamcity xml xunit", prefix))
		return error_hint(err, "they read JUnit: write junit=FILE");
	if (nearest_result(&near))
		return error_ask(err, "%s", nearest_result(&near));
	return error_hint(err, "write FORMAT=FILE, with one of %s", of_cases ? REPORTS_OF_CASES : REPORTS_OF_PAYLOADS);
}

int report_parse_payloads(void *requests, const char *text, struct error *err)
{
	return parse(requests, false, text, err);
}

int report_parse_cases(void *requests, const char *text, struct error *err)
{
	return parse(requests, true, text, err);
}

const struct report_format *report_requests_stdout(const struct report_requests *requests)
{
	for (size_t i = 0; i < requests->count; i++)
		if (strcmp(requests->list[i].path, "-") == 0)
			return requests->list[i].format;
	return NULL;
}

int report_requests_check(const struct report_requests *requests, const char *other, const struct source_files *in_use,
                          struct error *err)
{
	if (other && report_requests_stdout(requests)) {
		error_set(err, EXIT_CODE_USAGE, "a report and %s both write to stdout", other);
		return error_hint(err, "write the report to a file");
	}
	for (size_t i = 0; i < requests->count; i++) {
		const struct report_request *request = &requests->list[i];
		if (strcmp(request->path, "-") != 0 && replace_check_report(request->path, request->format->name,
		                                                            request->format->is_ours, in_use, err) < 0)
			return -1;
	}
	return 0;
}

/* `errno` says why. */
static int cannot_keep(const struct report_file *file, struct error *err)
{
	if (file->writer.temporary)
		return file_cannot("write", file->writer.path, errno, err);
	return error_set(err, EXIT_CODE_IO, "cannot keep a report in a temporary file: %s", strerror(errno));
}

/* Remembers the first failure. */
static void note_failure(struct report_file *file, int failure)
{
	file->failed = file->failed ? file->failed : failure;
}

static void write_bytes(struct report_file *file, FILE *to, const char *bytes, size_t length)
{
	if (fwrite(bytes, 1, length, to) != length)
		note_failure(file, errno);
}

static void write_text(struct report_file *file, FILE *to, struct buffer *text)
{
	if (text->failed)
		note_failure(file, ENOMEM);
	write_bytes(file, to, buffer_text(text), text->length);
	buffer_release(text);
}

/* A file without a name, or NULL with an errno. It is beside a report that is a plain file: the temporary folder may be
 * read-only, or small. */
static FILE *open_spool(const struct report_file *file)
{
	int fd = file_make_nameless(file->writer.temporary ? file->writer.real : NULL);
	return fd < 0 ? NULL : fdopen(fd, "w+");
}

/* Whether the report is written where it is wanted as it comes. */
static bool is_direct(const struct report_file *file)
{
	return file_writer_is_whole(&file->writer) && !file->format->head;
}

static int open_file(struct report_file *file, const char *title, const struct report_request *request, bool is_private,
                     struct signals *signals, struct error *err)
{
	bool is_stdout = strcmp(request->path, "-") == 0;
	struct buffer text = BUFFER_INIT;
	*file = (struct report_file){ .format = request->format, .writer.fd = -1 };
	if (!is_stdout &&
	    (file_make_folders_above(request->path, err) < 0 ||
	     file_writer_begin(&file->writer, request->path,
	                       is_private || file->format->is_page ? FILE_PRIVATE : FILE_PUBLIC, signals, err) < 0))
		return -1;
	/* What cannot be written at its beginning later, or has to be, goes to a file that has no name any more. */
	if (is_direct(file)) {
		int fd = fcntl(file->writer.fd, F_DUPFD_CLOEXEC, 0);
		file->text = fd < 0 ? NULL : fdopen(fd, "w");
	} else {
		file->text = open_spool(file);
	}
	file->cases = file->format->suite_begin ? open_spool(file) : file->text;
	if (!file->text || !file->cases)
		return cannot_keep(file, err);
	if (file->format->begin)
		file->format->begin(title, &text);
	write_text(file, file->text, &text);
	return 0;
}

int report_files_open(struct report_files *files, const struct context *context, const struct report_requests *requests,
                      struct error *err)
{
	*files = (struct report_files){ .count = 0 };
	snprintf(files->title, sizeof files->title, "credhook %s", context->command);
	for (size_t i = 0; i < requests->count; i++) {
		struct report_file *file = &files->list[files->count++];
		int result =
		        open_file(file, files->title, &requests->list[i], requests->is_private, context->signals, err);
		if (result == 0 && file->format->is_page && !files->page &&
		    !(files->page = calloc(1, sizeof *files->page)))
			result = error_no_memory(err);
		/* Also by another name, or as a link: the one that is finished later would replace the other. */
		const char *real = file_writer_is_whole(&file->writer) ? file->writer.real : NULL;
		bool is_written = false;
		for (const struct report_file *before = files->list; before < file; before++)
			is_written |=
			        real ? file_writer_is_whole(&before->writer) && strcmp(real, before->writer.real) == 0
			             : file->writer.fd < 0 && before->writer.fd < 0;
		if (result == 0 && is_written)
			result = error_set(err, EXIT_CODE_USAGE, "two outputs go to '%s'", requests->list[i].path);
		if (result < 0) {
			report_files_release(files);
			return -1;
		}
	}
	return 0;
}

static void end_suite(struct report_files *files)
{
	for (size_t i = 0; files->suite && i < files->count; i++) {
		struct report_file *file = &files->list[i];
		struct buffer head = BUFFER_INIT, end = BUFFER_INIT;
		char bytes[BUFSIZ];
		size_t got;
		if (!file->format->suite_begin)
			continue;
		file->format->suite_begin(files->suite, files->suite_stamp, &files->suite_counts, &head);
		write_text(file, file->text, &head);
		/* Its cases, whose counts are known now, have a file of their own, which is empty then. */
		if (fflush(file->cases) != 0 || fseeko(file->cases, 0, SEEK_SET) < 0)
			note_failure(file, errno);
		while ((got = fread(bytes, 1, sizeof bytes, file->cases)) > 0)
			write_bytes(file, file->text, bytes, got);
		if (ferror(file->cases) || fseeko(file->cases, 0, SEEK_SET) < 0 ||
		    ftruncate(fileno(file->cases), 0) < 0)
			note_failure(file, errno);
		file->format->suite_end(&end);
		write_text(file, file->text, &end);
	}
	files->suite = NULL;
	files->suite_counts = (struct report_counts){ 0 };
}

void report_files_suite(struct report_files *files, const char *name)
{
	if (files->suite == name)
		return;
	end_suite(files);
	clock_format_stamp(clock_realtime_us(), files->suite_stamp);
	files->suite = name;
}

void report_files_count(struct report_files *files, const struct report_counts *counts)
{
	struct report_counts *const sums[] = { &files->suite_counts, &files->counts };
	for (size_t i = 0; i < 2; i++) {
		sums[i]->cases += counts->cases;
		sums[i]->failed += counts->failed;
		sums[i]->skipped += counts->skipped;
		sums[i]->problems += counts->problems;
		sums[i]->ns += counts->ns;
	}
}

void report_files_append(struct report_files *files, size_t index, const char *text, size_t length)
{
	struct report_file *file = &files->list[index];
	size_t lines_max = file->format->lines_max, kept = length;
	/* What is beyond the format's lines is only counted. */
	for (size_t at = 0; lines_max > 0 && at < length;) {
		const char *newline = memchr(text + at, '\n', length - at);
		if (file->lines == lines_max) {
			kept = kept < length ? kept : at;
			file->left_out++;
		} else {
			file->lines++;
		}
		at = newline ? (size_t)(newline - text) + 1 : length;
	}
	write_bytes(file, file->cases, text, kept);
}

static void append_text(struct report_files *files, size_t index, struct buffer *text)
{
	if (text->failed)
		note_failure(&files->list[index], ENOMEM);
	report_files_append(files, index, buffer_text(text), text->length);
	buffer_release(text);
}

void report_files_payload(struct report_files *files, const struct report_payload *payload)
{
	if (!files->suite)
		report_files_suite(files, files->title);
	report_files_count(files, &(struct report_counts){ .cases = 1, .failed = payload->failed, .ns = payload->ns });
	for (size_t i = 0; i < files->count; i++) {
		struct buffer text = BUFFER_INIT;
		files->list[i].format->payload(payload, &text);
		append_text(files, i, &text);
	}
}

void report_files_case(struct report_files *files, const struct report_case *c)
{
	bool is_wrong = c->failed || c->is_problem;
	if (!files->suite)
		report_files_suite(files, files->title);
	report_files_count(files, &(struct report_counts){ .cases = !c->is_problem,
	                                                   .problems = c->is_problem,
	                                                   .failed = c->failed,
	                                                   .skipped = !is_wrong && c->grade == GRADE_SKIP,
	                                                   .ns = c->ns });
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		const struct report_format *format = file->format;
		struct buffer text = BUFFER_INIT;
		struct report_case shown = *c;
		bool is_limited = format->is_page && (is_wrong || c->grade == GRADE_SKIP);
		if (is_limited && file->lines == format->lines_max) {
			file->left_out++;
			continue;
		}
		shown.without_sides = format->is_page && ftello(file->text) > (off_t)PAGE_FULL;
		format->add_case(&shown, &text, &file->notices);
		if (is_limited)
			append_text(files, i, &text);
		else
			write_text(file, file->cases, &text);
	}
}

void report_files_counted_case(struct report_files *files, const struct report_case *c, int64_t took_ns)
{
	const struct page_item item = {
		.at_us = c->at_us, .ns = took_ns, .grade = c->grade, .event = c->of, .status = c->of ? c->status : NULL
	};
	if (files->page)
		page_add(files->page, &item);
	report_files_case(files, c);
}

void report_files_problem(struct report_files *files, const char *name, const char *message)
{
	LOCAL_BUFFER group = BUFFER_INIT;
	report_append_class(name, &group);
	report_files_suite(files, name);
	report_files_case(files, &(struct report_case){ .group = buffer_text(&group),
	                                                .name = "readable",
	                                                .file = name,
	                                                .grade = GRADE_FAIL,
	                                                .is_problem = true,
	                                                .type = "unreadable",
	                                                .message = message });
}

void report_files_coverage(struct report_files *files, const char *event, bool covered)
{
	static const char suite[] = "coverage";
	report_files_suite(files, suite);
	report_files_case(files, &(struct report_case){ .group = suite,
	                                                .name = event,
	                                                .grade = covered ? GRADE_OK : GRADE_FAIL,
	                                                .failed = !covered,
	                                                .type = "not-covered",
	                                                .message = covered ? NULL : "no valid payload covers it" });
}

void report_append_inputs(const struct text_list *inputs, struct buffer *out)
{
	size_t shown = inputs->count <= INPUTS_SHOWN + 1 ? inputs->count : INPUTS_SHOWN;
	if (shown == 0)
		buffer_append_text(out, "-");
	for (size_t i = 0; i < shown; i++) {
		buffer_append_text(out, i > 0 ? ", " : "");
		report_append_file(inputs->items[i], out);
	}
	if (inputs->count > shown)
		buffer_printf(out, " and %s more", COUNT_TEXT(inputs->count - shown));
}

/* To where the report is wanted. */
static int write_wanted(struct report_file *file, const char *bytes, size_t length, struct terminal *terminal,
                        struct error *err)
{
	if (file->writer.fd >= 0)
		return file_writer_append(&file->writer, bytes, length, err);
	terminal_write(terminal, bytes, length);
	return 0;
}

static int finish(struct report_file *file, struct report_totals *totals, struct terminal *terminal, struct error *err)
{
	struct buffer end = BUFFER_INIT;
	char bytes[BUFSIZ];
	size_t got;
	totals->notices = file->notices;
	totals->left_out = file->left_out;
	if (file->lines > 0 && fseeko(file->text, -(off_t)strlen(file->format->separator), SEEK_END) < 0)
		note_failure(file, errno);
	if (file->format->end)
		file->format->end(totals, &end);
	write_text(file, file->text, &end);
	if (fflush(file->text) != 0)
		note_failure(file, errno);
	errno = file->failed;
	if (file->failed == ENOMEM)
		return error_no_memory(err);
	if (file->failed != 0)
		return cannot_keep(file, err);
	if (is_direct(file))
		return file_writer_finish(&file->writer, err);
	LOCAL_BUFFER head = BUFFER_INIT;
	if (file->format->head)
		file->format->head(totals, &head);
	if (head.failed)
		return error_no_memory(err);
	if (write_wanted(file, buffer_text(&head), head.length, terminal, err) < 0)
		return -1;
	/* From the file without a name. */
	rewind(file->text);
	while ((got = fread(bytes, 1, sizeof bytes, file->text)) > 0)
		if (write_wanted(file, bytes, got, terminal, err) < 0)
			return -1;
	if (ferror(file->text))
		return cannot_keep(file, err);
	return file->writer.fd >= 0 ? file_writer_finish(&file->writer, err) : 0;
}

int report_files_finish(struct report_files *files, int code, struct terminal *terminal, struct error *err)
{
	struct error later;
	struct report_totals totals = { .exit = (size_t)(code < 0 ? (int)err->code : code) };
	LOCAL_BUFFER wrong = BUFFER_INIT;
	/* What is wrong with the run itself: nothing is appended where that is nothing, or a case has said it. */
	struct error unwritten;
	if (code < 0)
		buffer_append_text(&wrong, err->message);
	else if (code == EXIT_CODE_INTERRUPTED)
		buffer_append_text(&wrong, "interrupted");
	else if (terminal_finish(terminal, &unwritten) < 0)
		buffer_append_text(&wrong, unwritten.message);
	else if (code != EXIT_CODE_OK && files->counts.failed + files->counts.problems == 0)
		buffer_printf(&wrong, "exit code %d: its messages say why", code);
	if (wrong.length > 0) {
		/* In a suite of its own: what is open may be an input's. */
		const struct report_case run = { .group = files->title,
			                         .name = "run",
			                         .grade = GRADE_FAIL,
			                         .is_problem = true,
			                         .type = "run",
			                         .message = buffer_text(&wrong) };
		report_files_suite(files, files->title);
		report_files_case(files, &run);
	}
	end_suite(files);
	totals.counts = files->counts;
	totals.title = files->title;
	totals.wrong = buffer_text(&wrong);
	totals.page = files->page;
	for (size_t i = 0; i < files->count; i++)
		if (finish(&files->list[i], &totals, terminal, code < 0 ? &later : err) < 0)
			return -1;
	return code;
}

void report_files_release(struct report_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		file_writer_drop(&file->writer);
		if (file->cases && file->cases != file->text)
			fclose(file->cases);
		if (file->text)
			fclose(file->text);
		buffer_release(&file->notices);
	}
	if (files->page)
		page_release(files->page);
	free(files->page);
	*files = (struct report_files){ .count = 0 };
}
