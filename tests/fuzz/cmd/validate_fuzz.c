/*
 * Any bytes as an input of validate, in every form of output: the JSON lines and the SARIF results are JSON, XML holds
 * no character that XML forbids, GitHub lines begin as they may, and no report depends on how the input was cut into
 * goes. The first byte chooses the kind of input and the options.
 */
#include "../fuzz.h"
#include "base/file.h"
#include "base/utf8.h"
#include "cmd/validate/validate.h"

#include <unistd.h>

#define FORMATS 3

struct outputs {
	struct buffer out;
	struct finding_groups groups;
	struct buffer reports[FORMATS];
	size_t payloads;
};

static const struct report_format *const formats[FORMATS] = { &report_junit, &report_sarif, &report_github };

static void require_json_lines(const struct buffer *text, bool commas)
{
	struct json_doc doc;
	struct json_fault fault;
	doc = JSON_DOC_INIT;
	const char *at = buffer_text(text), *end = at + text->length;
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((lf ? lf : end) - at), taken = length;
		if (commas && length > 0 && at[length - 1] == ',')
			length--;
		require(length == 0 || json_read(&doc, at, length, &fault));
		at += taken + (lf ? 1 : 0);
	}
	json_doc_release(&doc);
}

static void require_plain(const struct buffer *text)
{
	require(utf8_first_invalid(buffer_text(text), text->length) == text->length);
	for (size_t i = 0; i < text->length; i++)
		require((unsigned char)text->data[i] >= ' ' || text->data[i] == '\n');
}

/* Every line begins with one of these. */
static void require_lines(const struct buffer *text, const char *const *starts, size_t count)
{
	for (const char *at = buffer_text(text); *at; at += strcspn(at, "\n") + 1) {
		bool known = false;
		for (size_t i = 0; i < count; i++)
			known = known || strncmp(at, starts[i], strlen(starts[i])) == 0;
		require(known);
	}
}

static void run(const struct validate_args *args, enum source_type kind, int fd, size_t output_max,
                struct outputs *outputs)
{
	struct error err;
	struct check_thread thread = { .width = 80, .output_max = output_max };
	struct batch batch = { .file = "a\x1B,b::\xFF.json" };
	require(check_thread_init(&thread, args, &err) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	struct source_options options = { .type = kind, .limit = 4096, .block = 512 };
	struct source *source = source_open_fd(fd, "fuzz", &options, &err);
	require(source != NULL);
	while (source_next_block(source, &batch.block, &err) == SOURCE_ITEM) {
		batch.finished = false;
		while (!batch.finished) {
			batch_check(&thread, &batch);
			require(!batch.no_memory);
			if (!args->is_text)
				buffer_append(&outputs->out, buffer_text(&batch.out), batch.out.length);
			for (size_t i = 0; args->is_text && i < batch.part_count; i++)
				require(batch_append_part(&batch, i, &outputs->groups, false, &outputs->out, NULL));
			require(finding_groups_add(&outputs->groups, &batch.groups));
			for (size_t i = 0; i < args->reports.count; i++)
				buffer_append(&outputs->reports[i], buffer_text(&batch.reports[i]),
				              batch.reports[i].length);
			outputs->payloads += batch.tally.payloads;
			require(batch.tally.invalid <= batch.tally.payloads);
			batch_empty(&batch);
		}
	}
	source_close(source);
	batch_release(&batch);
	check_thread_release(&thread);
}

/* The time that a case took is all that may differ from one run to the next. */
static void blank_times(struct buffer *report)
{
	static const char time[] = " time=\"";
	for (char *at = report->data; at && (at = strstr(at, time)) != NULL;)
		for (at += strlen(time); *at && *at != '"'; at++)
			if (*at != '.')
				*at = '0';
}

static void require_well_formed(const struct validate_args *args, const struct outputs *o)
{
	static const char *const github[] = { "::error file=", "::warning file=", "::notice file=" };
	require_plain(&o->out);
	for (size_t i = 0; i < FORMATS; i++)
		require_plain(&o->reports[i]);
	const char *xml = buffer_text(&o->reports[0]);
	require(!strstr(xml, "\xEF\xBF\xBE") && !strstr(xml, "\xEF\xBF\xBF"));
	if (args->global.json)
		require_json_lines(&o->out, false);
	require_lines(&o->reports[2], github, 3);
	require_json_lines(&o->reports[1], true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	struct validate_args args = { .global.json = data[0] % 3 == 1,
		                      .is_text = data[0] % 3 == 0,
		                      .strict = (data[0] & 8) != 0,
		                      .expect_invalid = (data[0] & 16) != 0 };
	for (size_t i = 0; i < FORMATS; i++)
		args.reports.list[args.reports.count++].format = formats[i];
	int fd = file_make_nameless(NULL);
	require(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	struct outputs whole = { 0 }, pieces = { 0 };
	enum source_type kind = (enum source_type)(data[0] / 64 % 3);
	run(&args, kind, fd, SIZE_MAX, &whole);
	require_well_formed(&args, &whole);
	run(&args, kind, fd, 1, &pieces);
	require(whole.payloads == pieces.payloads && whole.out.length == pieces.out.length);
	require(memcmp(buffer_text(&whole.out), buffer_text(&pieces.out), whole.out.length) == 0);
	finding_groups_append(&whole.groups, false, 80, false, &whole.out);
	finding_groups_append(&pieces.groups, false, 80, false, &pieces.out);
	require(strcmp(buffer_text(&whole.out), buffer_text(&pieces.out)) == 0);
	finding_groups_release(&whole.groups);
	finding_groups_release(&pieces.groups);
	buffer_release(&whole.out);
	buffer_release(&pieces.out);
	for (size_t i = 0; i < FORMATS; i++) {
		blank_times(&whole.reports[i]);
		blank_times(&pieces.reports[i]);
		require(strcmp(buffer_text(&whole.reports[i]), buffer_text(&pieces.reports[i])) == 0);
		buffer_release(&whole.reports[i]);
		buffer_release(&pieces.reports[i]);
	}
	close(fd);
	return 0;
}
