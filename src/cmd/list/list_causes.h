/* Why the failures of a list failed: its requests are read again (cause/day.h). Also of what a run has sent. */
#ifndef CREDHOOK_CMD_LIST_LIST_CAUSES_H
#define CREDHOOK_CMD_LIST_LIST_CAUSES_H

#include "capture/inputs.h"
#include "cmd/cmd.h"
#include "cmd/list/spool.h"
#include "cmd/words/why_words.h"

struct list_causes;

/* Everything is borrowed. `list`: the spool of a shell's list, else NULL, and the captures are read. `is_piped`: they
 * cannot be read twice, so that what is seen of them is kept, up to LIST_CAUSES_KEPT bytes. Captures are NULL where
 * that is all there is: it was sent, or is redacted first. NULL: *err. */
#define LIST_CAUSES_KEPT ((size_t)64 << 20)
struct list_causes *list_causes_new(struct context *context, const struct text_list *captures, struct spool *list,
                                    bool is_piped, struct error *err);
void list_causes_free(struct list_causes *causes); /* NULL is allowed */

static inline void list_causes_release(struct list_causes **causes)
{
	list_causes_free(*causes);
}

/* The next of the list, selected or not. -1: no memory. */
int list_causes_see(struct list_causes *causes, const struct capture_record *record, uint64_t number, bool is_selected,
                    struct error *err);
/* After the last one: reads them again, where there are enough failures. A signal ends it, with no causes. -1: no
 * memory. */
int list_causes_find(struct list_causes *causes, struct error *err);
/* What was found: borrowed. */
const struct day_cause *list_causes_found(const struct list_causes *causes, size_t *count);
/* Appends them as lines of a page. */
void list_causes_append(const struct list_causes *causes, struct buffer *out);
/* Prints them: to stdout, or with --json to stderr, since stdout has records. */
void list_causes_print(const struct list_causes *causes);

#endif
