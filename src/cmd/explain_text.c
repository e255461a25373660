/* The words of a topic, laid out. */
#include "cmd/explain.h"
#include "json/located.h"
#include "payload/build.h"
#include "ui/help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct story sample = { 1, 1, 1 }; /* the same as in samples/events */

bool topic_set(struct topic *t, const char *name, const char *other, const char *summary, const char *section,
               const void *row)
{
	t->name = name, t->other = other, t->qualifier = NULL, t->summary = summary, t->section = section, t->row = row;
	return name != NULL;
}

void explain_title(struct explanation *to, const char *name, const char *format, ...)
{
	va_list args;
	style_append(&to->text, to->color, STYLE_BOLD, "%s", name);
	buffer_append_text(&to->text, " (");
	va_start(args, format);
	buffer_vprintf(&to->text, format, args);
	va_end(args);
	buffer_append_text(&to->text, ")\n");
}

void explain_row(struct explanation *to, const char *label, const char *format, ...)
{
	struct buffer text = BUFFER_INIT;
	va_list args;
	va_start(args, format);
	buffer_vprintf(&text, format, args);
	va_end(args);
	bool repeated = strcmp(label, to->label) == 0;
	help_append_row(&to->text, repeated ? "" : label, buffer_text(&text), EXPLAIN_LABEL_COLUMNS, to->width);
	snprintf(to->label, sizeof to->label, "%s", label);
	buffer_release(&text);
}

void explain_source(struct explanation *to, const char *section)
{
	explain_row(to, "source", "the specification, section %s", section);
}

void explain_sample(struct explanation *to, struct catalog_kind kind, const char *pointer)
{
	struct error err;
	struct json_doc doc;
	struct json_fault fault;
	struct buffer text = BUFFER_INIT, pretty = BUFFER_INIT;
	json_doc_init(&doc);
	uint32_t value = JSON_NONE;
	if (build_payload(kind, &sample, &text, &err) == 0 && json_read(&doc, text.data, text.length, &fault))
		value = json_resolve(&doc, pointer ? pointer : "");
	const struct json_token *t = value != JSON_NONE ? &doc.tokens[value] : NULL;
	if (t && build_pretty(doc.text + t->start, t->end - t->start, &pretty, &err) == 0 && pointer)
		buffer_printf(&to->text, "\n\"%s\": %s\n", strrchr(pointer, '/') + 1, buffer_text(&pretty));
	else if (t)
		buffer_printf(&to->text, "\n%s\n", buffer_text(&pretty));
	json_doc_release(&doc);
	buffer_release(&text);
	buffer_release(&pretty);
}
