/*
 * What can be explained: kinds of topics, each with its topics as rows and a printer.
 *
 * To add a topic: a row of the catalogue, or of the table its kind reads. To add a kind: its struct topic_kind, and its
 * name in kinds[] of explain.c; the list, --json, completion and `explain section N` read that.
 */
#ifndef CREDHOOK_CMD_EXPLAIN_H
#define CREDHOOK_CMD_EXPLAIN_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>

struct explanation {
	struct buffer text;
	bool color;
	int width;
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

struct topic_kind {
	const char *name;
	const char *plural; /* `explain PLURAL` lists its topics; NULL: they are made of others' rows, and not listed */
	/* The topic of that index; several in a row may have one name, and are then printed together. False: no more.
	 */
	bool (*at)(size_t index, struct topic *topic);
	/* Whether it is what was asked for; NULL: by its names. */
	bool (*answers)(const struct topic *topic, const char *asked);
	void (*print)(struct explanation *to, const struct topic *topic, const char *asked);
	void (*append_json)(struct buffer *out, const struct topic *topic); /* further keys of its row; NULL: none */
};

extern const struct topic_kind topic_kind_event, topic_kind_element, topic_kind_operation;
extern const struct topic_kind topic_kind_field, topic_kind_service, topic_kind_dispute_status, topic_kind_passage;
extern const struct topic_kind topic_kind_status, topic_kind_method, topic_kind_type, topic_kind_envelope;
extern const struct topic_kind topic_kind_finding, topic_kind_exit_code, topic_kind_outcome, topic_kind_format;

/* Everything that is known by that name, as one text or as an object per topic. False: nothing is. */
bool explain_topic(struct explanation *to, const char *asked, bool json);
/* Paths as the specification's overview has them, with its note; false: it is none. */
bool explain_overview_path(struct explanation *to, const char *asked);
/* A path of an event with elements that names none of them: the hint says which there are. False: it is none. */
bool explain_hint_element(const char *path, struct error *err);
/* An event by a unique beginning of its name. */
bool explain_event_beginning(struct explanation *to, const char *asked);
/* Calls `use` for each topic that is listed, and for words that lead to one. */
void explain_each(void (*use)(void *context, const struct topic_kind *kind, const struct topic *topic), void *context);

/* For printers: a title, a row of two columns, and where it stands in the specification. */
void explain_title(struct explanation *to, const char *name, const char *kind);
void explain_row(struct explanation *to, const char *label, const char *text);
void explain_source(struct explanation *to, const char *section);
/* The payload that samples show, the same bytes each time; `pointer` NULL: all of it, else that member. */
void explain_sample(struct explanation *to, struct catalog_kind kind, const char *pointer);

#endif
