/*
 * The elements of an array in a JSON text of any length, one after another, without the text in memory.
 *
 * The caller has a window of the text, which json_elements_next() searches. Only brackets, strings and the keys on the
 * way to the array are examined; call json_read() to check an element.
 *
 * The path is the keys that lead from a document to the array: { "log", "entries", NULL }. Several documents may follow
 * each other, or be the elements of an array themselves; one without the array is a fault. With an empty path each
 * document is an element; one that is not an object or array ends with its line. It ends at the latest where a line
 * begins with `{`, so that a document that was cut off does not take what follows with it.
 */
#ifndef CREDHOOK_JSON_ELEMENTS_H
#define CREDHOOK_JSON_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_ELEMENTS_PATH_MAX 4 /* keys */

enum json_elements_found {
	JSON_ELEMENTS_MORE,    /* continue with a longer window; everything before `keep` may be removed from it */
	JSON_ELEMENTS_ELEMENT, /* window[start, end) is the next element */
	JSON_ELEMENTS_END,     /* there are no more */
	JSON_ELEMENTS_FAULT,   /* window[at] cannot continue the text; see `reason`. Nothing more is found */
};

struct json_elements {
	const char *const *path; /* borrowed; all else is zero at first */
	size_t at;               /* how far the window was examined */
	size_t start, end, keep; /* see enum json_elements_found */
	const char *reason;      /* a constant for messages, among them the two below */
	size_t found;            /* elements so far */
	bool is_element;         /* an element is under way at `start`; cleared, the window need not hold it */

	/* Private to elements.c. */
	int state;
	char open[JSON_ELEMENTS_PATH_MAX + 2]; /* of the containers on the path, outermost first */
	size_t depth;
	size_t keys; /* of the path that were found */
	bool is_led; /* the document under way has all of the path */
	bool is_string, is_escaped, is_begun, is_key;
	size_t inner; /* brackets open in the value under examination */
};

extern const char JSON_ELEMENTS_CUT[];   /* the text ends too early */
extern const char JSON_ELEMENTS_OTHER[]; /* a document without the path */

/* Examines the window from `at` on; `whole`: nothing follows it. */
enum json_elements_found json_elements_next(struct json_elements *elements, const char *window, size_t length,
                                            bool whole);
/* The first `length` bytes (at most `keep`, or `at` after an element) were removed from the window. */
void json_elements_remove(struct json_elements *elements, size_t length);

#endif
