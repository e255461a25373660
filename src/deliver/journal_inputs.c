#include "deliver/journal_inputs.h"

#include "base/buffer.h"
#include "capture/reader.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* How many of the files beside one that was renamed are looked into. */
#define LOOKED_AT_MOST 100

static struct journal_input **place_of(const struct journal_inputs *inputs, uint64_t id)
{
	size_t at = (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (inputs->places - 1);
	while (inputs->items[at] && inputs->items[at]->id != id)
		at = (at + 1) & (inputs->places - 1);
	return &inputs->items[at];
}

static bool grow(struct journal_inputs *inputs)
{
	struct journal_inputs larger = { .places = inputs->places > 0 ? inputs->places * 2 : 16 };
	larger.items = calloc(larger.places, sizeof *larger.items);
	if (!larger.items)
		return false;
	for (size_t i = 0; i < inputs->places; i++)
		if (inputs->items[i])
			*place_of(&larger, inputs->items[i]->id) = inputs->items[i];
	free(inputs->items);
	inputs->items = larger.items;
	inputs->places = larger.places;
	return true;
}

struct journal_input *journal_inputs_find(const struct journal_inputs *inputs, uint64_t id)
{
	return inputs->places > 0 ? *place_of(inputs, id) : NULL;
}

struct journal_input *journal_inputs_add(struct journal_inputs *inputs, uint64_t id)
{
	struct journal_input *input = journal_inputs_find(inputs, id);
	if (input || (inputs->count * 2 >= inputs->places && !grow(inputs)))
		return input;
	input = calloc(1, sizeof *input);
	if (!input)
		return NULL;
	input->id = id;
	*place_of(inputs, id) = input;
	inputs->count++;
	return input;
}

struct journal_input *journal_inputs_next(const struct journal_inputs *inputs, size_t *at)
{
	while (*at < inputs->places) {
		struct journal_input *input = inputs->items[(*at)++];
		if (input)
			return input;
	}
	return NULL;
}

void journal_inputs_release(struct journal_inputs *inputs)
{
	for (size_t i = 0; i < inputs->places; i++)
		free(inputs->items[i]);
	free(inputs->items);
	*inputs = (struct journal_inputs){ 0 };
}

void journal_input_deal(struct journal_input *input, uint64_t record, uint64_t hash)
{
	if (record < input->last_record)
		return;
	input->last_record = record;
	input->last_hash = hash;
}

static bool is_plain(const struct journal_opening *o)
{
	return o->status && S_ISREG(o->status->st_mode);
}

static bool is_same_file(const struct journal_input *input, const struct journal_opening *o)
{
	return is_plain(o) && input->inode == o->status->st_ino && input->device == o->status->st_dev;
}

/* Whether the last one that was dealt with still stands at its place. */
static bool holds_last(const struct journal_input *input, const struct journal_opening *o)
{
	if (!is_plain(o) || input->last_record == 0)
		return true;
	uint64_t found,
	        hash = input->last_record == o->line ? o->first : capture_hash_at(o->path, input->last_record, &found);
	return hash == input->last_hash;
}

/* Of several that it may be, the one that most was dealt with of: another may be the beginning of it. */
struct journal_input *journal_inputs_identify(const struct journal_inputs *inputs, const struct journal_opening *o,
                                              bool opening, uint64_t *id)
{
	struct journal_input *best = NULL, *input;
	for (*id = o->first; (input = journal_inputs_find(inputs, *id)) != NULL; ++*id) {
		if (is_same_file(input, o))
			return input;
		bool taken = opening ? input->opened : input->found;
		if (!taken && (!best || input->last_record > best->last_record) && holds_last(input, o))
			best = input;
	}
	return best;
}

bool journal_look_at_file(const char *path, struct stat *status, struct journal_opening *o)
{
	uint64_t line;
	if (strcmp(path, "-") == 0 || stat(path, status) < 0 || !S_ISREG(status->st_mode))
		return false;
	uint64_t hash = capture_hash_at(path, 0, &line);
	if (hash != 0)
		*o = (struct journal_opening){ path, status, hash, line };
	return hash != 0;
}

bool journal_find_renamed(const char *path, uint64_t id, struct buffer *found)
{
	struct journal_opening opening;
	struct buffer folder = BUFFER_INIT;
	struct stat status;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strlen(name), looked = 0, before = found->length;
	bool is_there = false;
	buffer_append(&folder, path, (size_t)(name - path));
	DIR *directory = folder.failed ? NULL : opendir(folder.length > 0 ? buffer_text(&folder) : ".");
	for (struct dirent *entry; directory && !is_there && (entry = readdir(directory)) != NULL;) {
		if (strncmp(entry->d_name, name, length) != 0 || entry->d_name[length] == '\0')
			continue;
		if (looked++ == LOOKED_AT_MOST)
			break;
		buffer_consume_end(found, found->length - before);
		buffer_printf(found, "%s%s", buffer_text(&folder), entry->d_name);
		is_there = !found->failed && journal_look_at_file(buffer_text(found), &status, &opening) &&
		           opening.first == id;
	}
	if (directory)
		closedir(directory);
	if (!is_there)
		buffer_consume_end(found, found->length - before);
	buffer_release(&folder);
	return is_there;
}
