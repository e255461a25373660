#include "base/mend.h"
#include "base/text.h"
#include "cmd/validate/validate.h"
#include "cmd/words/notes.h"
#include "payload/codes.h"

#include <stdint.h>
#include <string.h>

int against_init(struct against *against, const struct context *context, const struct validate_args *args,
                 struct error *err)
{
	const struct text_list *operands = context->operands;
	bool is_stdin = operands->count == 0;
	for (size_t i = 0; i < operands->count; i++)
		is_stdin |= strcmp(operands->items[i], "-") == 0;
	against->files.also_in_use = context->in_use;
	if (!args->against)
		return 0;
	if (is_stdin && strcmp(args->against, "-") == 0) {
		error_set(err, EXIT_CODE_USAGE, "--against - and the inputs are both standard input");
		return error_hint(err, "name the files to check: credhook validate FILE --against -");
	}
	return source_files_add(&against->files, args->against, err);
}

void against_release(struct against *against)
{
	seen_free(against->seen);
	source_files_release(&against->files);
}

/* What all threads of a run have collected. */
static struct seen *collected(const struct validate_run *run, struct error *err)
{
	struct seen *all = seen_new(err);
	bool has_memory = all != NULL;
	for (size_t i = 0; has_memory && i < run->thread_count; i++)
		has_memory = seen_merge(all, run->threads[i].seen);
	if (has_memory && seen_seal(all))
		return all;
	seen_free(all);
	return error_no_memory_null(err);
}

static int check_read(const struct validate_run *run, const struct seen *seen, struct error *err)
{
	struct terminal *terminal = run->context->terminal;
	const char *name = run->args->against;
	size_t full = seen_kinds_not_compared(seen);
	if (run->problems > 0)
		return error_set(err, run->code, "nothing compared: not all of '%s' could be read", name);
	if (seen_count(seen) == 0) {
		error_set(err, EXIT_CODE_FAILED, "nothing compared: no valid payload in '%s'", name);
		return mend_hint(err, "credhook validate FILE says why", &(struct mend_file){ .path = name });
	}
	if (run->tally.invalid > 0)
		terminal_announce(terminal, "%s: %s of %s payloads invalid, not compared with", input_name(name),
		                  COUNT_TEXT(run->tally.invalid), COUNT_TEXT(run->tally.payloads));
	if (full > 0)
		terminal_warn(terminal,
		              "%s: more than %d different keys in %zu kind%s of payloads: new keys of %s not reported",
		              input_name(name), SEEN_PLACES_MAX, full, full == 1 ? "" : "s",
		              full == 1 ? "it are" : "them are");
	return 0;
}

int against_read(struct against *against, struct context *context, const struct validate_args *args, struct error *err)
{
	struct validate_args reading = { .global = args->global,
		                         .lines = args->lines,
		                         .event = args->event,
		                         .ignored = args->ignored,
		                         .against = args->against,
		                         .collects = true };
	struct validate_run run = { .context = context, .args = &reading, .files = &against->files };
	int result = validate_run_init(&run, err);
	reading.global.json = false;
	input_notes_warn_empty(context->terminal, &against->files);
	if (result == 0)
		result = validate_run_files(&run, err);
	if (result == 0 && run.interrupted) {
		terminal_announce(context->terminal, "interrupted while reading %s", input_name(args->against));
		result = EXIT_CODE_INTERRUPTED;
	}
	if (result == 0 && !(against->seen = collected(&run, err)))
		result = -1;
	if (result == 0)
		result = check_read(&run, against->seen, err);
	progress_stop(&run.progress);
	validate_run_release(&run);
	return result;
}

void against_note(const struct against *against, struct terminal *terminal, const struct coverage *coverage)
{
	size_t most = terminal->verbose ? SIZE_MAX : 1;
	LOCAL_BUFFER words = BUFFER_FOR(&terminal->lost);
	if (!against->seen)
		return;
	terminal_flush(terminal);
	if (seen_append_not_compared(against->seen, coverage->compared, &words) > 0)
		terminal_note(terminal, "not compared, having %d values or more: %s", CODE_VALUES_MAX,
		              buffer_text(&words));
	buffer_clear(&words);
	size_t count = seen_append_missing(against->seen, coverage->compared, most, &words);
	if (count > most)
		buffer_printf(&words, ", %s more (-v)", COUNT_TEXT(count - most));
	if (count > 0)
		terminal_note(terminal, "not seen here: %s", buffer_text(&words));
}

void against_note_codes(const char *name, struct terminal *terminal, const struct finding_groups *groups)
{
	size_t places;
	LOCAL_BUFFER words = BUFFER_FOR(&terminal->lost);
	finding_groups_append_values(groups, &words);
	terminal_announce(
	        terminal,
	        "%s: has none of the codes here (%s values of %s): is one of both redacted? redact both with one "
	        "--redact-key (-v lists the values)",
	        input_name(name), COUNT_TEXT(finding_groups_values(groups, &places)), buffer_text(&words));
}
