/* Facts of a topic as text or JSON. */
#include "cmd/explain.h"
#include "json/json_line.h"
#include "json/located.h"
#include "payload/build.h"
#include "ui/help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LABEL_COLUMNS 14

static const struct story sample = { 1, 1, 1 }; /* the same as in samples/events */

/* On a narrow terminal the longest name of an event fits beside all labels but "not specified". */
static int label_columns(const struct explanation *to)
{
	return to->width < 64 ? LABEL_COLUMNS - 2 : LABEL_COLUMNS;
}

void explain_list_end(struct explanation *to)
{
	if (to->in_list && to->json)
		json_line_array_end(&to->text);
	to->in_list = false;
}

/* The key of a label: not_specified. */
static const char *key_of(const char *label, char key[LABEL_COLUMNS + 1])
{
	snprintf(key, LABEL_COLUMNS + 1, "%s", label);
	for (char *c = key; *c; c++)
		*c = *c == ' ' ? '_' : *c;
	return key;
}

void explain_value(struct explanation *to, const char *label, const char *text)
{
	char key[LABEL_COLUMNS + 1];
	explain_list_end(to);
	if (to->json)
		json_line_text(&to->text, key_of(label, key), text);
	else if (text)
		help_append_row(&to->text, label, text, label_columns(to), to->width);
}

void explain_list(struct explanation *to, const char *label)
{
	char key[LABEL_COLUMNS + 1];
	explain_list_end(to);
	to->in_list = true;
	to->label = label;
	if (to->json)
		json_line_array(&to->text, key_of(label, key));
}

void explain_item(struct explanation *to, const char *format, ...)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	va_list args;
	va_start(args, format);
	buffer_vprintf(&text, format, args);
	va_end(args);
	if (to->json)
		json_line_element(&to->text, buffer_text(&text));
	else
		help_append_row(&to->text, to->label, buffer_text(&text), label_columns(to), to->width);
	to->label = "";
}

void explain_sample(struct explanation *to)
{
	struct error err;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	LOCAL_BUFFER payload = BUFFER_INIT, pretty = BUFFER_INIT;
	uint32_t value = JSON_NONE;
	if (build_payload(to->sample, &sample, &payload, &err) == 0 &&
	    json_read(&doc, payload.data, payload.length, &fault))
		value = json_resolve(&doc, to->sample_pointer);
	const struct json_token *t = value != JSON_NONE ? &doc.tokens[value] : NULL;
	if (t && to->json) {
		json_line_key(&to->text, "sample");
		buffer_append(&to->text, doc.text + t->start, t->end - t->start);
	} else if (t && build_pretty(doc.text + t->start, t->end - t->start, &pretty, &err) == 0) {
		const char *key = strrchr(to->sample_pointer, '/');
		if (key)
			buffer_printf(&to->text, "\n\"%s\": %s\n", key + 1, buffer_text(&pretty));
		else
			buffer_printf(&to->text, "\n%s\n", buffer_text(&pretty));
	}
}
