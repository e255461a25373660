/* A format each. For src/schema only. */
#ifndef CREDHOOK_SCHEMA_FORMATS_H
#define CREDHOOK_SCHEMA_FORMATS_H

#include "catalog/catalog.h"
#include "schema/making.h"

#define SCHEMA_TITLE   "Credit-data service notifications"
#define SCHEMA_VERSION "2" /* the version segment of the API paths (section 9) */
#define SCHEMA_ABOUT                                                                                                   \
	"Event notifications that a credit-data service sends by HTTP POST to a client's listener URL. Made from "     \
	"the catalogue of credhook. That the keys of details are required is a rule of credhook: section 2.2 does "    \
	"not say so. Further keys are allowed."

void make_types(struct making *m, struct json_object *root, const struct catalog_event *const *events, size_t count);
void make_validators(struct making *m, struct json_object *root, const struct catalog_event *const *events,
                     size_t count);
void make_openapi(struct making *m, struct json_object *root, const struct catalog_event *const *events, size_t count);

#endif
