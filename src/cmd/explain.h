/*
 * What can be explained: kinds of topics, each with its topics as rows and a printer.
 *
 * To add a topic: a row of the catalogue, or of the table its kind reads. To add a kind: its functions, and
 * its row in kinds[] of explain.c; the list, --json, completion and `explain section N` read that.
 */
#ifndef CREDHOOK_CMD_EXPLAIN_H
#define CREDHOOK_CMD_EXPLAIN_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stddef.h>

#define EXPLAIN_LABEL_COLUMNS 14

/* One text in the making: a title, rows of a label and what it is for, perhaps a sample. */
struct explanation {
	struct buffer text;
	bool color;
	int width;         /* columns */
	const char *asked; /* as it was typed */
	char label[24];    /* of the row before */
};

struct topic {
	const char *name;
	const char *other;     /* another name of it (User Created), or NULL */
	const char *qualifier; /* what a list says before the summary (error), or NULL */
	const char *summary;
	const char *section; /* of the specification; NULL: credhook's own */
	const void *row;     /* what it was made from; the kind knows its type */
	char full[96];       /* a name that had to be put together */
};

/* The topic of that index; several in a row may have one name, and are then printed together. False: no more. */
typedef bool topic_at(size_t index, struct topic *topic);
typedef bool topic_answers(const struct topic *topic, const char *asked);
typedef void topic_print(struct explanation *to, const struct topic *topic);
typedef void topic_json(struct buffer *out, const struct topic *topic);

struct topic_kind {
	const char *name;
	const char *plural; /* `explain PLURAL` lists its topics; NULL: made of others' rows, and not listed */
	const char *what;   /* it is, in the title; NULL: the printer writes the title */
	topic_at *at;
	topic_answers *answers; /* whether it is what was asked for; NULL: by its names */
	topic_print *print;
	topic_json *append_json; /* further keys of its row; NULL: none */
};

topic_at topic_event_at, topic_element_at, topic_operation_at, topic_field_at, topic_finding_at, topic_service_at,
        topic_dispute_status_at, topic_passage_at, topic_status_at, topic_method_at, topic_type_at, topic_envelope_at,
        topic_exit_code_at, topic_outcome_at, topic_format_at;
topic_answers topic_operation_answers, topic_field_answers, topic_passage_answers;
topic_print topic_event_print, topic_element_print, topic_operation_print, topic_field_print, topic_finding_print,
        topic_service_print, topic_dispute_status_print, topic_passage_print, topic_value_print, topic_type_print,
        topic_envelope_print, topic_meaning_print, topic_format_print;
topic_json topic_field_json, topic_passage_json, topic_finding_json, topic_exit_code_json;

/* Appends everything that is known by that name, as one text or with --json as an object per topic. False: nothing is.
 */
bool explain_topic(struct buffer *out, const struct terminal *terminal, const char *asked);
/* Calls `use` for each topic that is listed, and with kind NULL for words that lead to one. */
void explain_each(void (*use)(void *context, const struct topic_kind *kind, const struct topic *topic), void *context);

/* Paths as the specification's overview has them, with its note; false: it is none. */
bool explain_overview_path(struct explanation *to, const char *asked);
/* An event by a unique beginning of its name, or with an element; false: it is none. */
bool explain_event(struct explanation *to, const char *asked);
/* A path of an event with elements that names none of them: the hint says which there are. False: it is none. */
bool explain_hint_element(const char *path, struct error *err);

/* For kinds: fills a topic but for its qualifier and full name. False: it has no name. */
bool topic_set(struct topic *t, const char *name, const char *other, const char *summary, const char *section,
               const void *row);
/* For printers: a title, with what kind of thing it is; a row, whose label is left out where the row before has it too;
 * where it stands in the specification. */
void explain_title(struct explanation *to, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void explain_row(struct explanation *to, const char *label, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void explain_source(struct explanation *to, const char *section);
/* The payload that samples show, the same bytes each time; `pointer` NULL: all of it, else that member. */
void explain_sample(struct explanation *to, struct catalog_kind kind, const char *pointer);

#endif
