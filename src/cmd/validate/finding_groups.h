/*
 * The same finding in many payloads is said once: findings are told apart by what they are and the place.
 *
 * The first ones of a group are printed, the rest is counted and said at the end, with the names of their files. What
 * is kept does not grow with the inputs: groups beyond FINDING_GROUPS_MAX are one, and FINDING_GROUP_FILES are named.
 */
#ifndef CREDHOOK_CMD_VALIDATE_FINDING_GROUPS_H
#define CREDHOOK_CMD_VALIDATE_FINDING_GROUPS_H

#include "base/buffer.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "payload/finding.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FINDING_GROUPS_MAX  1000 /* that are told apart */
#define FINDING_GROUP_SHOWN 3    /* findings of a group that are printed */
#define FINDING_GROUP_FILES 10   /* files of the others that are named */

struct finding_group {
	enum finding_id id;
	enum severity severity;
	uint64_t events;          /* of the payloads, by place in catalog_events; bit 63: unknown ones */
	struct catalog_kind kind; /* of the first; its element NULL where others have another one */
	char *place;              /* a JSON Pointer, owned, and its length */
	size_t length;
	uint64_t hash;
	uint64_t count;
	unsigned shown;        /* of them, printed */
	uint64_t values;       /* of them, warnings of unseen values of codes */
	unsigned values_shown; /* of those, printed */
	/* Files that have it, but none that was printed: the first of their names, borrowed from the list of inputs. */
	const char *files[FINDING_GROUP_FILES];
	uint64_t file_count;
	const char *last_file; /* in which it was found, by its address. NULL: none */
};

/* Zero-initialise. */
struct finding_groups {
	struct finding_group *items;
	size_t count, capacity;
	uint64_t others;                        /* findings that are in none of them */
	bool without_values;                    /* what is said of them leaves out unseen values of codes */
	uint16_t slots[4 * FINDING_GROUPS_MAX]; /* a hash table of their numbers, from 1 */
};

void finding_groups_release(struct finding_groups *groups);
void finding_groups_clear(struct finding_groups *groups);

/* The group of the same id and place, which is made, without counts, events and files, where there is none and there
 * are fewer than `most` (twice FINDING_GROUPS_MAX at most). NULL: there are as many; then the finding is one of the
 * others, for the caller to count. Also NULL, and *no_memory set: out of memory. Valid until the next call. */
struct finding_group *finding_groups_get(struct finding_groups *groups, const struct finding_group *like,
                                         struct text place, size_t most, bool *no_memory);
/* The group's place, for that. */
static inline struct text finding_group_place(const struct finding_group *group)
{
	return (struct text){ group->place, group->length };
}
/* The finding is in a payload of that kind (event NULL: unknown). */
void finding_group_add_kind(struct finding_group *group, struct catalog_kind kind);
/* It was found in that file, and printed or not. */
void finding_group_add_file(struct finding_group *group, const char *file, bool is_shown);
/* Adds the counts, events and files of `more` to those of FINDING_GROUPS_MAX groups. False: out of memory. */
bool finding_groups_add(struct finding_groups *groups, const struct finding_groups *more);

/* How many unseen values of codes there are, and in how many groups. */
uint64_t finding_groups_values(const struct finding_groups *groups, size_t *group_count);
/* Appends the places of these groups: "details.bureau, details.alertType". */
void finding_groups_append_values(const struct finding_groups *groups, struct buffer *out);

/* How many groups are of that level. */
size_t finding_groups_of(const struct finding_groups *groups, enum severity severity);

/* Appends the member "reasons": of each group how many there are, the most frequent first, what the table of
 * finding_groups_append() says of it, and by what a page finds its cases: their pointer and finding. */
void finding_groups_append_member(const struct finding_groups *groups, struct buffer *json);

/* Appends what is to be said behind the findings: for one group how many were not printed; for several, where there are
 * more than three findings, how many there are of each, the most frequent first. Below each, the files that have it and
 * were not printed. `all`: every finding was printed, and
 * every group is to be listed. Nothing where neither is the case. */
void finding_groups_append(const struct finding_groups *groups, bool all, int width, bool color, struct buffer *out);

#endif
