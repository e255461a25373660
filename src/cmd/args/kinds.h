/* Events and elements by the names that are typed. */
#ifndef CREDHOOK_CMD_ARGS_KINDS_H
#define CREDHOOK_CMD_ARGS_KINDS_H

#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>

/* A kind by its name; 1: it is "all" where that may stand for every event (`or_all`). A usage error names the nearest
 * event or element. */
int kind_find(const char *name, bool or_all, struct catalog_kind *kind, struct error *err);
/* The same for struct option: into a struct catalog_kind. */
int kind_parse(void *kind, const char *name, struct error *err);
/* Kinds as they are typed. Zero-initialise; release with free(items). */
struct kind_list {
	struct catalog_kind *items; /* event NULL: all */
	size_t count;
	size_t capacity;
};
/* Adds those of each of the texts: EVENT,... or all. */
int kinds_read(struct kind_list *list, const char *const *texts, size_t count, struct error *err);

#endif
