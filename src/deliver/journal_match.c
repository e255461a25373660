/* Which of the earlier run's inputs the files are that are read now, and what is still to be sent of them. */
#include "deliver/journal_internal.h"

#include <string.h>

static bool is_given(const struct journal *j, const char *name)
{
	for (size_t i = 0; i < j->files->count; i++)
		if (strcmp(j->files->files[i].path, name) == 0)
			return true;
	return false;
}

/* An input of the unfinished run that is not among the files; "" as its name: it is not known any more. */
static const struct journal_input *find_missing(const struct journal *j, const char **name)
{
	struct journal_input *input;
	const struct journal_cell *cell;
	*name = "";
	for (size_t at = 0; !j->options.failed_only && (input = journal_inputs_next(&j->inputs, &at)) != NULL;) {
		if (!input->required || input->found || input->opened)
			continue;
		for (size_t i = 0; (cell = journal_marks_next(&j->past.marks, JOURNAL_CELL_INPUT, &i)) != NULL;)
			if (cell->id == input->id && memchr(cell->name, '\0', sizeof cell->name))
				*name = cell->name;
		return input;
	}
	return NULL;
}

static bool any_known(const struct journal *j, bool given)
{
	struct journal_input *input;
	for (size_t at = 0; (input = journal_inputs_next(&j->inputs, &at)) != NULL;)
		if (input->recorded && (!given || input->found || input->opened))
			return true;
	return false;
}

static int hint_other(const struct journal *j, const struct journal_input *missing, const char *name, struct error *err)
{
	struct buffer renamed = BUFFER_INIT;
	if (missing && name[0] && journal_find_renamed(name, missing->id, &renamed))
		error_hint(err, "'%s' begins with the record that '%s' began with: name it too, before the newer one",
		           buffer_text(&renamed), name);
	else
		error_hint(err, "name all inputs of that run, be they renamed or appended to; %s",
		           j->options.failed_only ? "without --failed-only all is sent"
		                                  : "to begin anew, --results with another file");
	buffer_release(&renamed);
	return -1;
}

static void refuse_unknown(const struct journal *j, struct error *err)
{
	struct buffer names = BUFFER_INIT;
	if (j->past.names.length > 0)
		buffer_printf(&names, ", %s", buffer_text(&j->past.names));
	if (j->past.named_inputs > JOURNAL_NAMES)
		buffer_printf(&names, " and %zu more", j->past.named_inputs - JOURNAL_NAMES);
	error_set(err, EXIT_CODE_USAGE, "the results in '%s' are for other inputs%s", j->past.path,
	          buffer_text(&names));
	buffer_release(&names);
}

/* Once all that can be known of the inputs is known. */
static int refuse_other(const struct journal *j, struct error *err)
{
	const char *name, *path = j->past.path;
	const struct journal_input *missing = find_missing(j, &name);
	if (!any_known(j, false) || (any_known(j, true) && !missing))
		return 0;
	if (missing && name[0] && is_given(j, name))
		error_set(err, EXIT_CODE_USAGE,
		          "the results in '%s' are for other inputs: '%s' does not hold any more what was sent from it",
		          path, name);
	else if (missing && name[0])
		error_set(err, EXIT_CODE_USAGE, "'%s', of the unfinished run in '%s', is not among the inputs", name,
		          path);
	else
		refuse_unknown(j, err);
	return hint_other(j, missing, name, err);
}

int journal_check_files(struct journal *j, struct error *err)
{
	struct journal_opening opening;
	struct stat status;
	uint64_t unused;
	for (size_t i = 0; j->inputs.count > 0 && i < j->files->count; i++) {
		const char *path = j->files->files[i].path;
		if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
			j->unseen++;
		if (!journal_look_at_file(path, &status, &opening))
			continue;
		struct journal_input *input = journal_inputs_identify(&j->inputs, &opening, false, &unused);
		if (!input)
			continue;
		input->found = true;
		input->device = status.st_dev;
		input->inode = status.st_ino;
	}
	return j->unseen > 0 || j->files->count == 0 ? 0 : refuse_other(j, err);
}

/* All of the input was read and has ended. What --failed-only leaves out is still due for --resume. */
static void release_if_done(const struct journal *j, struct journal_input *input)
{
	if (!input->cell || !input->read || input->under_way > 0 || input->left ||
	    (input->required && j->options.failed_only))
		return;
	journal_cell_free(input->cell);
	input->cell = NULL;
}

/* One input more whose content is known. */
static int see(struct journal *j, bool is_plain, struct error *err)
{
	if (is_plain || j->unseen == 0)
		return 0;
	return --j->unseen == 0 ? refuse_other(j, err) : 0;
}

int journal_begin_input(struct journal *j, const char *name, int fd, uint64_t first, uint64_t line,
                        struct journal_input **opened, struct error *err)
{
	struct stat status;
	uint64_t id;
	*opened = NULL;
	if (!j || (!j->keeps && !j->past.path))
		return 0;
	if (j->current) {
		j->current->read = true;
		release_if_done(j, j->current);
	}
	bool is_plain = strcmp(name, "-") != 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
	struct journal_opening opening = { name, is_plain ? &status : NULL, first, line };
	struct journal_input *input = journal_inputs_identify(&j->inputs, &opening, true, &id);
	if (!input && !(input = journal_inputs_add(&j->inputs, id)))
		return error_no_memory(err);
	input->opened = true;
	input->read = false;
	if (is_plain) {
		input->device = status.st_dev;
		input->inode = status.st_ino;
	}
	if (see(j, is_plain, err) < 0)
		return -1;
	if (j->keeps && !input->cell && !(input->cell = journal_marks_add_input(&j->marks, input->id, name)))
		return error_set(err, EXIT_CODE_INTERNAL, "no room for '%s' in '%s'", name, j->marks.path);
	*opened = j->current = input;
	return 0;
}

int journal_wants(struct journal *j, struct journal_input *input, uint64_t record, uint64_t hash, struct error *err)
{
	if (!j || !j->past.path || !input)
		return 1;
	struct journal_records *records = &j->past.records;
	struct journal_ends ends = journal_records_ends(records, input->id, record, hash);
	if (ends.changed || (input->recorded && record == input->last_record && hash != input->last_hash)) {
		error_set(err, EXIT_CODE_USAGE, "record %llu is not the one that '%s' has a line for",
		          (unsigned long long)record, j->past.path);
		return error_hint(err, "the inputs of that run may be renamed or appended to, but not changed");
	}
	journal_records_use(records, input->id, record, j->options.failed_only != NULL);
	if (j->options.failed_only) {
		j->past.without_line += ends.count == 0;
		return ends.count > 0 && !ends.accepted;
	}
	j->past.not_accepted += ends.count > 0 && !ends.accepted;
	return ends.count == 0;
}

int journal_end_inputs(struct journal *j, struct error *err)
{
	const char *name;
	struct journal_input *input;
	if (!j || !j->past.path)
		return 0;
	if (j->unseen > 0 && refuse_other(j, err) < 0)
		return -1;
	for (size_t at = 0; (input = journal_inputs_next(&j->inputs, &at)) != NULL;)
		input->found = false;
	if (!find_missing(j, &name))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s', of the unfinished run in '%s', was not read: it was replaced meanwhile",
	          name, j->past.path);
	return error_hint(err, "with --resume, name it by the name that it has now");
}

void journal_take(struct journal *j, const struct job *job)
{
	if (!j || !job->known)
		return;
	job->known->under_way++;
	journal_input_deal(job->known, job->record, job->hash);
}

void journal_let_go(struct journal *j, const struct job *job)
{
	if (!j || !job->known)
		return;
	job->known->under_way--;
	job->known->left |= !job->final;
	release_if_done(j, job->known);
}
