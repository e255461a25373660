/* The explainers: each knows one kind of topic. */
#ifndef CREDHOOK_CMD_EXPLAIN_H
#define CREDHOOK_CMD_EXPLAIN_H

#include "base/buffer.h"
#include "payload/finding.h"

#include <stdbool.h>

struct explanation {
	struct buffer text;
	bool color;
	int width;
};

struct explainer {
	const char *what;
	bool (*explain)(struct explanation *to, const char *topic); /* false: the topic is none of its kind */
};

bool explain_event(struct explanation *to, const char *topic);           /* by its whole name */
bool explain_event_beginning(struct explanation *to, const char *topic); /* or by a unique beginning of one */
bool explain_element(struct explanation *to, const char *topic);
bool explain_operation(struct explanation *to, const char *topic);
bool explain_path(struct explanation *to, const char *topic);
bool explain_field(struct explanation *to, const char *topic);
bool explain_finding(struct explanation *to, const char *topic);
bool explain_service(struct explanation *to, const char *topic);
bool explain_dispute_status(struct explanation *to, const char *topic);
bool explain_exit_code(struct explanation *to, const char *topic);
bool explain_status(struct explanation *to, const char *topic);
bool explain_type(struct explanation *to, const char *topic);
bool explain_envelope(struct explanation *to, const char *topic);
bool explain_section(struct explanation *to, const char *topic);
bool explain_outcome(struct explanation *to, const char *topic);
bool explain_passages(struct explanation *to, const char *topic);
/* Everything that is known by that name, as one text or as an object per kind; the name's spelling is put right. False:
 * nothing is. */
bool explain_topic(struct explanation *to, char *topic, bool json);
void explain_list(struct explanation *to); /* what can be asked for */

/* Writes the topic as its name is written, where only the case of letters differs; of a path each piece. */
void explain_spell(char *topic);
/* The next topic that the word leads to, from *at (0 at first) on; NULL: there are no more. */
const char *explain_other_word(const char *topic, size_t *at);
/* Calls `use` for each name that can be asked for. */
void explain_each_name(void (*use)(void *context, const char *name), void *context);

/* The name of an outcome of deliveries, and what it means; NULL: there are no more. */
const char *explain_outcome_at(size_t index, const char **meaning);

/* How they write: a title with its kind, and a row of two columns. */
void explain_title(struct explanation *to, const char *name, const char *kind);
void explain_row(struct explanation *to, const char *label, const char *text);

/* --json: all topics, a row each; or what is told of one. */
void explain_append_topics_json(struct buffer *out);
void explain_append_json(struct buffer *out, const char *kind, const char *topic, const char *text);

#endif
