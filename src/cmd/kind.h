/* Events and elements by the names that are typed. */
#ifndef CREDHOOK_CMD_KIND_H
#define CREDHOOK_CMD_KIND_H

#include "base/error.h"
#include "catalog/catalog.h"

/* A kind from an operand or option value: a usage error names the nearest event or element. */
int kind_find(const char *name, struct catalog_kind *kind, struct error *err);
/* The same where "all" may stand for every event: 1 for that word. */
int kind_find_or_all(const char *name, struct catalog_kind *kind, struct error *err);

#endif
