#include "schema/schema.h"

#include "json/tree.h"
#include "schema/formats.h"

typedef void make_document(struct making *m, struct json_object *root, const struct catalog_event *const *events,
                           size_t count);

static make_document *const formats[] = {
	[SCHEMA_TYPES] = make_types,
	[SCHEMA_VALIDATORS] = make_validators,
	[SCHEMA_OPENAPI] = make_openapi,
};

int schema_write(enum schema_format format, const struct catalog_event *const *events, size_t count, bool pretty,
                 struct buffer *out, struct error *err)
{
	struct making making = { 0 };
	struct json_object *root = json_object_new_object();
	formats[format](&making, root, events, count);
	if (!making.failed) {
		tree_append_text(root, pretty, out);
		buffer_append_byte(out, '\n');
	}
	json_object_put(root);
	return making.failed || out->failed ? error_no_memory(err) : 0;
}
