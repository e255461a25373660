/* A growing list of borrowed texts: option values, operands. */
#ifndef CREDHOOK_BASE_TEXT_LIST_H
#define CREDHOOK_BASE_TEXT_LIST_H

#include "base/error.h"

#include <stddef.h>

struct text_list {
	const char **items; /* the array is owned, the texts are not */
	size_t count;
	size_t capacity;
};

#define TEXT_LIST_INIT                                                                                                 \
	{                                                                                                              \
		NULL, 0, 0                                                                                             \
	}

int text_list_add(struct text_list *list, const char *text, struct error *err);
/* `count` texts in order. */
int text_list_add_all(struct text_list *list, const char *const *texts, size_t count, struct error *err);
void text_list_release(struct text_list *list);

#endif
