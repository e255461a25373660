#include "json/tree.h"
#include "schema/schema.h"

static json_object *members_of(const struct catalog_member *members, size_t count)
{
	json_object *list = tree_list();
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		json_object *member = tree_object("name", tree_text(field->name), "type",
		                                  tree_text(catalog_type_name(members[i].type)), "meaning",
		                                  tree_text(field->meaning), NULL);
		if (members[i].type == CATALOG_CHOICE) {
			json_object *values = tree_list();
			for (size_t v = 0; v < field->value_count; v++)
				values = tree_add(values, tree_text(field->values[v].name));
			member = tree_set(member, "values", values);
		}
		if (members[i].type == CATALOG_OBJECT) {
			member = tree_set(member, "open", tree_bool(field->open_members));
			member = tree_set(member, "members", members_of(field->members, field->member_count));
		}
		list = tree_add(list, member);
	}
	return list;
}

void event_append_object(struct buffer *out, const struct catalog_event *event)
{
	json_object *root = tree_object("name", tree_text(event->name), "title", tree_text(event->title), "service",
	                                tree_text(event->service), "event", tree_text(event->event), "method",
	                                tree_text(event->method), NULL);
	if (event->element_count > 0) {
		json_object *paths = tree_list(), *elements = tree_list();
		for (size_t i = 0; i < event->element_count; i++) {
			paths = tree_add(paths, tree_text(event->elements[i].path));
			elements = tree_add(elements, tree_text(event->elements[i].name));
		}
		root = tree_set(tree_set(root, "paths", paths), "elements", elements);
	} else {
		root = tree_set(root, "path", tree_text(event->path));
	}
	root = tree_set(root, "trigger", tree_text(event->trigger));
	root = tree_set(root, "details", members_of(event->details, event->detail_count));
	tree_append(root, JSON_COMPACT, out);
}
