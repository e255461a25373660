/* One line of a file of results, as journal.h says: for src/deliver/journal*.c only. */
#ifndef CREDHOOK_DELIVER_JOURNAL_LINE_H
#define CREDHOOK_DELIVER_JOURNAL_LINE_H

#include "deliver/job.h"
#include "json/located.h"

/* The members that are read again. */
enum journal_key {
	KEY_NUMBER,
	KEY_INPUT,
	KEY_ID,
	KEY_ATTEMPT,
	KEY_FINAL,
	KEY_OUTCOME,
	KEY_STATUS,
	KEY_SELECTION,
	KEY_SEED,
	KEY_ENDED,
	KEY_LINES,
	KEY_COUNT,
};

/* One line, taken apart. */
struct journal_line {
	uint32_t values[KEY_COUNT]; /* JSON_NONE: absent */
	struct capture_id id;
	bool has_id;
	uint64_t number;
	bool final;
	int outcome; /* enum outcome */
	int status;  /* 0: none */
};

/* Whether it is a line of journal_add(). One that says anything else where that decides about a delivery may have been
 * edited or be damaged, and is none of ours. */
bool journal_line_read(const struct json_doc *doc, struct journal_line *line);

#endif
