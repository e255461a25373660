/* A batch from its making to its end, without what is read and checked. */
#include "cmd/validate/batch.h"

#include <stdlib.h>
#include <string.h>

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

void batch_empty(struct batch *batch)
{
	buffer_clear(&batch->out);
	for (size_t i = 0; i < REPORTS_MAX; i++)
		buffer_clear(&batch->reports[i]);
	for (size_t i = 0; i < batch->part_count; i++) {
		free(batch->parts[i].problem);
		free(batch->parts[i].entries);
	}
	batch->cut_count = batch->part_count = 0;
	batch->listed_file = NULL;
	batch->tally = (struct tally){ 0 };
}

void batch_close_file(struct batch *batch)
{
	entries_free(batch->entries);
	source_close(batch->source);
	batch->entries = NULL;
	batch->source = NULL;
}

void batch_release(struct batch *batch)
{
	batch_empty(batch);
	batch_close_file(batch);
	free(batch->block.memory);
	buffer_release(&batch->out);
	for (size_t i = 0; i < REPORTS_MAX; i++)
		buffer_release(&batch->reports[i]);
	free(batch->cuts);
	free(batch->parts);
}

struct batch_part *batch_add_part(struct batch *batch, const char *file)
{
	struct batch_part *grown =
	        array_grow(batch->parts, &batch->part_capacity, batch->part_count + 1, sizeof *batch->parts);
	if (!grown) {
		batch->no_memory = true;
		return NULL;
	}
	batch->parts = grown;
	struct batch_part *part = &grown[batch->part_count++];
	*part = (struct batch_part){ .file = file, .at = batch->out.length };
	for (size_t i = 0; i < REPORTS_MAX; i++)
		part->reports_at[i] = batch->reports[i].length;
	return part;
}
