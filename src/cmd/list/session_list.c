#include "cmd/list/session_list.h"

#include "cmd/list/listing.h"
#include "cmd/words/notes.h"

#include <string.h>

/* Above this, what is opened is not copied without a word. */
#define OPENED_LARGE ((uint64_t)4 << 30)

/* What compressed files hold is not known before they are read. */
static void warn_of_size(struct terminal *terminal, const struct source_files *files)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < files->count; i++)
		bytes += files->files[i].size;
	if (bytes > OPENED_LARGE)
		terminal_warn(terminal,
		              "%.1f GiB are copied into a temporary file; 'show FILE' and 'convert FILE' read "
		              "them where they are",
		              (double)bytes / (1 << 30));
}

static int copy_item(const struct capture_item *item, struct checker *checker, struct spool *spool, struct error *err)
{
	char name[CATALOG_KIND_NAME_SIZE];
	struct capture_record record;
	LOCAL_BUFFER line = BUFFER_INIT;
	if (listing_complete(checker, item, spool_count(spool) + 1, name, &record, err) < 0 ||
	    listing_append_item(item, &record, &line, err) < 0)
		return -1;
	return spool_add_record(spool, &record, (struct text){ buffer_text(&line), line.length }, err);
}

/* Until the inputs end, a signal waits or there is no room; *first is the first number, of *added. */
static enum inputs_got copy_all(struct inputs *inputs, struct spool *spool, uint64_t *first, uint64_t *added,
                                struct error *err)
{
	struct capture_item item;
	struct checker *checker = checker_new(err);
	enum inputs_got got = INPUTS_FAILED;
	if (checker)
		checker_set_stop(checker, source_stop(inputs->signals));
	while (checker && (got = inputs_next(inputs, &item, err)) == INPUTS_ITEM) {
		if (copy_item(&item, checker, spool, err) < 0) {
			got = INPUTS_FAILED;
			break;
		}
		if ((*added)++ == 0)
			*first = spool_count(spool);
	}
	checker_free(checker);
	return got;
}

int session_list_open(struct session_list *list, struct context *context, const struct text_list *captures,
                      struct error *err)
{
	struct inputs_observer observer = input_notes_observer(context);
	LOCAL(inputs_release) struct inputs inputs = { .scratch = CAPTURE_SCRATCH_INIT };
	char count[COUNT_SIZE];
	uint64_t first = 0, added = 0;
	for (size_t i = 0; i < captures->count; i++) {
		if (strcmp(captures->items[i], "-") != 0)
			continue;
		error_set(err, EXIT_CODE_USAGE, "'-' cannot be opened: the commands of the shell come from there");
		return error_hint(err, "write it to a file first, or use a named pipe");
	}
	if (inputs_init(&inputs, captures, CAPTURE_ACCEPTS_JSON, &observer, context->signals, err) < 0 ||
	    inputs_check(&inputs, err) < 0)
		return -1;
	input_notes_show(context->terminal, &inputs.files);
	warn_of_size(context->terminal, &inputs.files);
	enum inputs_got got = copy_all(&inputs, list->spool, &first, &added, err);
	bool is_interrupted = signals_take(context->signals) != 0;
	if (added > 0)
		terminal_note(context->terminal, "%s%s record%s: #%llu to #%llu",
		              is_interrupted ? "interrupted after " : "", count_text(added, count),
		              added == 1 ? "" : "s", (unsigned long long)first,
		              (unsigned long long)spool_count(list->spool));
	else if (is_interrupted)
		interrupted_after(context->terminal, 0, "record", NULL);
	if (is_interrupted)
		return EXIT_CODE_INTERRUPTED;
	if (got == INPUTS_FAILED)
		return -1;
	if (added > 0)
		return (int)inputs.code;
	error_set(err, exit_code_worse(EXIT_CODE_FAILED, inputs.code), "no notification in the inputs");
	return error_hint(err, "a file of commands is run with 'credhook shell -f FILE'");
}

int64_t session_list_last_us(const struct session_list *list)
{
	struct capture_scratch scratch = CAPTURE_SCRATCH_INIT;
	struct capture_record record = { .received_us = 0 };
	struct text line;
	struct spool_facts facts;
	struct error unused;
	LOCAL_BUFFER kept = BUFFER_INIT;
	uint64_t count = spool_count(list->spool);
	bool is_read = count > 0 && spool_read(list->spool, count, &line, &facts, &kept, &unused) == 0 &&
	               capture_record_parse(&scratch, line.text, line.length, &record, &unused) == 0;
	capture_scratch_release(&scratch);
	return is_read ? record.received_us : 0;
}
