#include "base/text_list.h"

#include "base/buffer.h"

#include <stdlib.h>

int text_list_add(struct text_list *list, const char *text, struct error *err)
{
	const char **grown = array_grow(list->items, &list->capacity, list->count + 1, sizeof(char *));
	if (!grown)
		return error_no_memory(err);
	list->items = grown;
	list->items[list->count++] = text;
	return 0;
}

int text_list_add_all(struct text_list *list, const char *const *texts, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (text_list_add(list, texts[i], err) < 0)
			return -1;
	return 0;
}

void text_list_release(struct text_list *list)
{
	free(list->items);
	*list = (struct text_list)TEXT_LIST_INIT;
}
