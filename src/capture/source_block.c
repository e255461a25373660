/* Blocks of lines, to be checked in another thread while the source reads on. */
#include "base/buffer.h"
#include "base/find.h"
#include "base/text.h"
#include "capture/source_internal.h"

#include <string.h>

/* The window, of which the block has this part, goes to the block; the source continues in the block's memory with what
 * was not handed out. */
static enum source_result exchange_memory(struct source *s, struct source *block, const char *text, size_t length,
                                          struct error *err)
{
	size_t rest = s->end - s->start, capacity = s->capacity;
	char *window = s->window;
	if (!ARRAY_ROOM(block->window, block->capacity, rest + s->block))
		return source_no_memory(err);
	memcpy(block->window, window + s->start, rest);
	block->start = block->scanned = (size_t)(text - window);
	block->end = block->start + length;
	block->blank = 0;
	block->skipping = block->done = false;
	s->window = block->window;
	s->capacity = block->capacity;
	block->window = window;
	block->capacity = capacity;
	s->scanned = s->start = 0;
	s->end = rest;
	return SOURCE_ITEM;
}

/* As many whole lines as the window has. SOURCE_END: none, or a line so long that its limit must be checked. */
static enum source_result next_lines(struct source *s, struct source *block, struct error *err)
{
	while (!s->skipping && s->end - s->start <= s->limit) {
		const char *last = find_last(s->window + s->scanned, s->end - s->scanned, '\n');
		if (last) {
			const char *text = s->window + s->start;
			size_t length = (size_t)(last + 1 - text);
			block->type = SOURCE_LINES;
			block->line = s->line;
			s->line += text_count_lines(text, length);
			s->start += length;
			return exchange_memory(s, block, text, length, err);
		}
		s->scanned = s->end;
		if (s->at_end)
			break;
		enum source_result result = source_fill(s, err);
		if (result != SOURCE_ITEM)
			return result;
	}
	s->scanned = s->start;
	return SOURCE_END;
}

enum source_result source_next_block(struct source *source, struct source **block, struct error *err)
{
	struct source *b = *block;
	if (!b) {
		struct source_options options = { .limit = source->limit, .block = source->block };
		b = *block = source_open_fd(-1, source->name, &options, err);
		if (!b)
			return SOURCE_ERROR;
		b->at_end = true;
	}
	b->is_packed = source->gzip != NULL;
	enum source_result result = source->type == SOURCE_DETECT ? source_detect(source, err) : SOURCE_ITEM;
	if (result != SOURCE_ITEM)
		return result;
	if (source->type == SOURCE_LINES && (result = next_lines(source, b, err)) != SOURCE_END)
		return result;
	struct source_item item;
	result = source_next(source, &item, err);
	if (result != SOURCE_ITEM)
		return result;
	b->type = SOURCE_SINGLE;
	b->line = item.line;
	if (source->type == SOURCE_SINGLE)
		source->start = source->end;
	/* An item that is too long keeps one byte more, which shows it. */
	return exchange_memory(source, b, item.text, item.length + item.too_long, err);
}

size_t source_block_length(const struct source *block)
{
	return block->end - block->start;
}
