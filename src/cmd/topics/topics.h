/*
 * What can be explained: kinds of topics, each with its topics as rows of the catalogue and a printer of their facts.
 *
 * To add a topic: a row of the catalogue, or of the table its kind reads. To add a kind: its functions and
 * its row in topic_kinds[] of topic_kinds.c; the list, --json and completion read that.
 */
#ifndef CREDHOOK_CMD_TOPICS_TOPICS_H
#define CREDHOOK_CMD_TOPICS_TOPICS_H

#include "base/buffer.h"
#include "catalog/catalog.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stddef.h>

/* The text, or with --json the objects, that facts are written to. */
struct explanation {
	struct buffer *out;
	bool json;
	bool color;
	int width;                       /* columns */
	const char *asked;               /* as typed; NULL: everything is listed */
	const char *label;               /* of the next item of a list; NULL: there is no list */
	const char *see;                 /* where the manual has what was found last; NULL: it was written */
	const struct topic_kind *listed; /* of what was found last */
	struct catalog_kind sample;      /* printed below the facts; event NULL: none */
	char sample_pointer[100];        /* the member of it to show; empty: all */
};

struct topic {
	const char *name;
	const char *other;     /* another name (User Created), or NULL */
	const char *qualifier; /* what a list puts before the summary (error), or NULL */
	const char *summary;
	const char *family;  /* another such word: a service, a method (user, POST), or NULL */
	const char *group;   /* a word that lists it with others of its kind (201, repeat), or NULL */
	const char *reason;  /* what such a list puts behind the summary, or NULL */
	const char *section; /* of the specification; NULL: defined by `origin` */
	const char *origin;  /* NULL: credhook */
	const char *see;     /* where sentences say it, which only --json has here; NULL: it is written */
	const char *page;    /* of section 7 of the manual, if it is about nothing else */
	const void *row;     /* what it was made from; the kind knows its type */
	char full[96];       /* a name that had to be put together, or empty */
	const struct topic_kind *kind;
	size_t index; /* in the kind */
};

struct topic_kind {
	const char *name;
	const char *plural; /* `explain PLURAL` lists its topics */
	const char *label;  /* of the summary among the facts; NULL: the printer writes it */
	const size_t *count;
	const struct catalog_value *values;                               /* that the topics are; NULL: `fill` */
	void (*fill)(size_t index, struct topic *topic);                  /* fills in all but kind and index */
	bool (*matches)(const struct topic *topic, const char *asked);    /* NULL: by name */
	void (*print)(struct explanation *to, const struct topic *topic); /* further facts; NULL: none */
};

extern const struct topic_kind topic_kinds[];
extern const size_t topic_kind_count;

/* The topic of that index; false: the kind has no more. */
bool topic_at(const struct topic_kind *kind, size_t index, struct topic *topic);
/* Goes on to the next topic, kind by kind, from a zeroed one to the first. False: there is none. */
bool topic_next(struct topic *topic);

/* Gets a topic that was found. `list`: the name of the list that it is a row of; NULL: it was asked for itself. */
typedef void topic_found(void *arg, const struct topic *topic, const char *list);
/* Calls `found`, which may be NULL, with each topic that the word names: by its name, or that of its group or kind,
 * else by the beginning of an event's name, else by a part of a check's. Returns their number. */
size_t topic_find(const char *asked, topic_found *found, void *arg);

/* One that writes to `out`. */
struct explanation explanation_for(const struct terminal *terminal, struct buffer *out, const char *asked);
/* Appends everything known by that name, as one text or with --json as an object per topic; returns their number. */
size_t explain_topic(struct buffer *out, const struct terminal *terminal, const char *asked);

/* A topic_found() whose arg is a struct explanation: appends what was found. */
void explain_append_found(void *arg, const struct topic *topic, const char *list);
/* Appends the facts of one topic. */
void explain_append_topic(struct explanation *to, const struct topic *topic);
/* A fact: a row of text, or a member whose key is the label with underscores. text NULL: no row, and null in JSON. */
void explain_value(struct explanation *to, const char *label, const char *text);
/* A command to type: the same, but in one line whatever the width, since it is copied. */
void explain_to_type(struct explanation *to, const char *label, const char *command);
/* A fact of several texts, until the next fact. One without items is an empty array, and nothing in text. */
void explain_list(struct explanation *to, const char *label);
__attribute__((format(printf, 2, 3))) void explain_item(struct explanation *to, const char *format, ...);

#endif
