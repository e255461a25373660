/* What is known of a topic, written: its facts as rows of text or as members, and a sample. */
#include "cmd/topics/topics.h"
#include "json/json_line.h"
#include "json/pointer.h"
#include "json/print.h"
#include "payload/build.h"
#include "ui/help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LABEL_COLUMNS 14
#define NAME_COLUMNS  20

static const struct story sample = { 1, 1, 1, .as_specified = true };

struct explanation explanation_for(const struct terminal *terminal, struct buffer *out, const char *asked)
{
	return (struct explanation){ .out = out,
		                     .json = terminal->json,
		                     .color = terminal->color_out,
		                     .width = terminal_width(),
		                     .asked = asked };
}

/* On a narrow terminal the longest name of an event fits beside all labels but "not specified". */
static int label_columns(const struct explanation *to)
{
	return to->width < 64 ? LABEL_COLUMNS - 2 : LABEL_COLUMNS;
}

static void append_row(struct explanation *to, const char *label, const char *text)
{
	help_append_row(to->out, label, text, label_columns(to), to->width);
}

/* Ends a list, before something else is written. */
static void end_list(struct explanation *to)
{
	if (to->label && to->json)
		json_line_array_end(to->out);
	to->label = NULL;
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
	end_list(to);
	if (to->json)
		json_line_text(to->out, key_of(label, key), text);
	else if (text)
		append_row(to, label, text);
}

void explain_to_type(struct explanation *to, const char *label, const char *command)
{
	if (to->json) {
		explain_value(to, label, command);
		return;
	}
	end_list(to);
	buffer_printf(to->out, "  %-*s%s\n", label_columns(to) + 2, label, command);
}

void explain_list(struct explanation *to, const char *label)
{
	char key[LABEL_COLUMNS + 1];
	end_list(to);
	to->label = label;
	if (to->json)
		json_line_array(to->out, key_of(label, key));
}

void explain_item(struct explanation *to, const char *format, ...)
{
	LOCAL_BUFFER text = BUFFER_FOR(to->out);
	va_list args;
	va_start(args, format);
	buffer_vprintf(&text, format, args);
	va_end(args);
	if (to->json)
		json_line_element(to->out, buffer_text(&text));
	else
		append_row(to, to->label, buffer_text(&text));
	to->label = "";
}

/* The payload that to->sample asks for, the same bytes each time. */
static void append_sample(struct explanation *to)
{
	struct error err;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER payload = BUFFER_FOR(to->out);
	bool is_read = build_payload(to->sample, &sample, &payload, &err) == 0 &&
	               json_read(&doc, payload.data, payload.length, NULL);
	uint32_t value = is_read ? json_resolve(&doc, to->sample_pointer) : JSON_NONE;
	buffer_fail_if(to->out, !is_read);
	if (value == JSON_NONE)
		return;
	const char *key = strrchr(to->sample_pointer, '/');
	if (to->json)
		json_line_key(to->out, "sample");
	else if (key)
		buffer_printf(to->out, "\n\"%s\": ", key + 1);
	else
		buffer_append_byte(to->out, '\n');
	json_print(&doc, value, to->json ? JSON_COMPACT : JSON_PRETTY, to->out);
	buffer_append_text(to->out, to->json ? "" : "\n");
}

/* A line between what is there and what follows. */
static void append_blank_line(struct explanation *to)
{
	if (to->out->length > 0)
		buffer_append_byte(to->out, '\n');
}

static void append_title(struct explanation *to, const char *name, const char *kind)
{
	append_blank_line(to);
	style_append(to->out, to->color, STYLE_BOLD, "%s", name);
	buffer_printf(to->out, " (%s)\n", kind);
}

void explain_append_topic(struct explanation *to, const struct topic *topic)
{
	char origin[64];
	const struct topic_kind *kind = topic->kind;
	to->sample = (struct catalog_kind){ NULL, NULL };
	to->sample_pointer[0] = '\0';
	snprintf(origin, sizeof origin, topic->section ? "the specification, section %s" : "credhook", topic->section);
	if (to->json) {
		json_line_begin(to->out);
		json_line_text(to->out, "kind", kind->name);
		json_line_text(to->out, "topic", topic->name);
		json_line_text(to->out, "summary", topic->summary);
		json_line_text(to->out, "section", topic->section);
	} else {
		append_title(to, topic->full[0] ? topic->full : topic->name, kind->name);
	}
	if (kind->label && !to->json)
		explain_value(to, kind->label, topic->summary);
	if (kind->print)
		kind->print(to, topic);
	explain_value(to, "defined by", topic->origin ? topic->origin : origin);
	if (to->sample.event)
		append_sample(to);
	if (to->json)
		json_line_finish(to->out);
}

/* One of a list of its kind; `title`: of the list that it begins, or NULL. */
static void append_listed(struct explanation *to, const struct topic *topic, const char *title)
{
	LOCAL_BUFFER text = BUFFER_FOR(to->out);
	if (title)
		append_title(to, title, strcmp(title, topic->kind->plural) == 0 ? "topics" : topic->kind->plural);
	buffer_printf(&text, "%s%s%s", topic->qualifier ? topic->qualifier : "", topic->qualifier ? ": " : "",
	              topic->summary);
	if (topic->reason)
		buffer_printf(&text, "; %s", topic->reason);
	help_append_row(to->out, topic->name, buffer_text(&text), NAME_COLUMNS, to->width);
}

/* Where the manual has it: once where several topics of one kind are there. */
static void append_see(struct explanation *to, const struct topic *topic, const char *list)
{
	if (to->see && strcmp(to->see, topic->see) == 0)
		return;
	if (!to->see)
		append_blank_line(to);
	/* 404, of all statuses */
	bool is_one_of = to->asked && topic->kind->matches && strcasecmp(to->asked, topic->name) != 0;
	buffer_printf(to->out, "%s: %s\n",
	              list && !topic->page ? list
	              : is_one_of          ? to->asked
	                                   : topic->name,
	              topic->see);
}

void explain_append_found(void *arg, const struct topic *topic, const char *list)
{
	struct explanation *to = arg;
	const char *see = to->json ? NULL : topic->see;
	if (see)
		append_see(to, topic, list);
	else if (list && !to->json)
		append_listed(to, topic, to->listed == topic->kind ? NULL : list);
	else
		explain_append_topic(to, topic);
	to->see = see;
	to->listed = topic->kind;
}
