/*
 * The machine of day.h from the inside; for day*.c only. Each file uses those before it:
 *
 *   day_rows     the classes, their rows, and the facts of these
 *   day_history  what came before
 *   day_compare  the second pass
 *   day_search   the facts that fit, and how surely
 *   day          the causes
 */
#ifndef CREDHOOK_CAUSE_DAY_INTERNAL_H
#define CREDHOOK_CAUSE_DAY_INTERNAL_H

#include "catalog/catalog.h"
#include "cause/cause_internal.h"
#include "cause/day.h"

#define DAY_CHANCE       0.005 /* of a cause that is none */
#define DAY_FACTS_MOST   8192
#define DAY_PICKED_MOST  1024 /* facts that are compared */
#define DAY_KINDS_MOST   64
#define DAY_NEEDLES_MOST 24
#define DAY_WORDS_MOST   8   /* classes of one status that have words of their own */
#define DAY_SAME_MOST    8   /* values of identifiers of a class */
#define DAY_SAME_LOOK    256 /* rows whose values are looked for in others */
#define DAY_NONE         UINT16_MAX
#define DAY_OTHER        (UINT16_MAX - 1) /* a kind that no failure has */

/* A fact of failures. */
struct day_fact {
	enum fact_kind kind;
	char *subject; /* owned, with the value behind it */
	const char *value;
	uint16_t picked;    /* its place among the facts that are compared; DAY_NONE: none */
	uint16_t exemplars; /* a bit for each class whose exemplar has it */
	/* A measure: the farthest of accepted ones, and how many have it. */
	double farthest;
	uint64_t measured;
	uint32_t beyond; /* rows, while that is thought over */
	bool is_open;    /* more may be beyond it; else it cannot be said any more */
};

struct day_measured {
	uint16_t fact;
	double number;
};

/* What a notification is recognized by when it comes again: an identifier, with any members of the envelope. */
#define DAY_IDENTITIES      (FACT_KEYS_MOST - FACT_ENVELOPE)
#define DAY_APPLICATION_KEY FACT_ENVELOPE        /* the same in all of an application */
#define DAY_BODY_KEY        (FACT_KEYS_MOST - 1) /* the hash of its bytes: no key of facts.h has this place */

/* The facts of a request, and its keys, its bytes among them. False: no memory. */
bool day_facts_of(const struct day_request *request, const struct fact_sink *sink, struct fact_keys *keys);

/* When a request came. */
struct day_moment {
	int64_t us;
	uint64_t number;
};
static inline bool day_is_before(struct day_moment one, struct day_moment other)
{
	return one.us != other.us ? one.us < other.us : one.number < other.number;
}
static inline struct day_moment day_moment_of(const struct day_request *request)
{
	return (struct day_moment){ request->received_us, request->number };
}

struct day_row {
	struct day_moment at;
	struct day_measured *measured; /* owned, with the facts behind */
	uint16_t *facts;
	uint16_t measured_count, fact_count;
	uint16_t kind; /* its place among the kinds */
	uint64_t keys[FACT_KEYS_MOST];
	/* A bit for each set of the envelope's members that an accepted one before with the same identifier has. */
	uint16_t after[DAY_IDENTITIES];
};

/* Hashes of accepted ones with a set of keys. */
struct day_seen {
	bool is_open; /* no two had the same, and many rows came after such */
	uint64_t *seen;
	size_t size, count;
};
struct day_history {
	struct day_entry {
		uint16_t class, row, id;
		uint32_t next;
	} * entries; /* owned: rows by identifier */
	uint32_t *heads;
	size_t entry_count;
	struct day_seen sets[DAY_IDENTITIES][ENVELOPE_SETS];
	size_t seen;
	bool is_left_out; /* there were too many */
};

/* A value of an identifier that several of a class share. */
struct day_same {
	size_t key;
	uint64_t hash;
	size_t sample;     /* a row that has it */
	char *value;       /* owned; NULL: not seen yet */
	uint64_t accepted; /* with it */
};

/* What is known of a fact in a class. */
struct day_share {
	uint32_t rows;                 /* that have it */
	uint32_t beyond;               /* failures that are not kept, and have it */
	struct day_moment first, last; /* of the first and last row */
	uint64_t in_span;              /* accepted ones between them */
};

struct day_class {
	uint64_t key;
	int status;
	char *said, *common; /* owned: the words of the first, and what all have of them */
	bool varies;         /* the words of others differ */
	bool is_of_rest;     /* of all other words with this status */
	uint64_t count;
	struct day_row *rows; /* in the order of time, from day_begin() on */
	size_t row_count, capacity;
	uint64_t last_kept; /* the highest number of them */
	struct day_moment last;
	uint64_t kinds; /* a bit for each */
	/* The second pass: accepted ones before each row, and behind the last. */
	uint32_t *same_kinds, *any_kind; /* owned */
	size_t cursor;                   /* rows before the request at hand */
	struct day_same same[DAY_SAME_MOST];
	size_t same_count;
	struct day_candidate *candidates; /* owned: causes refer to them */
	uint64_t nearest;                 /* the accepted one that has the fewest facts apart from the first row */
	size_t apart;
};

struct day {
	struct day_class classes[CAUSE_CLASSES_MOST];
	size_t class_count;
	uint64_t accepted, beyond_classes;
	struct day_moment latest; /* of the pass so far */
	int64_t disorder_us;      /* by which a request came before one that is listed before it, at most */
	struct day_fact *facts;
	size_t fact_count, fact_capacity;
	uint16_t *table;                                    /* of facts by hash, from 1 */
	uint16_t kinds[DAY_KINDS_MOST];                     /* the facts that say them */
	const struct catalog_event *events[DAY_KINDS_MOST]; /* NULL: of none that is known */
	size_t kind_count;
	bool no_memory;
	/* The row under way. */
	struct buffer measured, listed;
	/* The second pass. */
	uint16_t picked[DAY_PICKED_MOST]; /* facts */
	size_t picked_count;
	struct day_share *shares;                   /* of each class, those of each fact that is compared */
	uint64_t (*together)[DAY_PICKED_MOST / 64]; /* a bit for each fact with which an accepted one has it */
	uint64_t accepted_kinds[DAY_KINDS_MOST];
	uint64_t compared;
	uint16_t held[DAY_PICKED_MOST]; /* by the request at hand */
	size_t held_count, held_all;
	uint32_t held_by[DAY_PICKED_MOST]; /* the last request that holds it */
	uint32_t at_hand;                  /* which request is at hand, from 1 */
	uint16_t held_kind;                /* a fact; DAY_NONE: not known, as kinds[0]; DAY_OTHER */
	uint16_t overlap[CAUSE_CLASSES_MOST];
	uint64_t looked; /* accepted ones whose facts were looked at */
	/* Facts are looked at where one of these is in the body, or is not. */
	struct day_needle {
		const char *text;
		size_t length;
		bool is_absent;
	} needles[DAY_NEEDLES_MOST];
	size_t needle_count;
	bool sees_other_bytes; /* or bytes that are not ASCII */
	bool is_cheap;         /* that; else everywhere */
	uint64_t look_again;   /* when that is thought over */
	bool resumes;          /* and from then on: */
	struct day_moment resume_at;
	bool has_skipped; /* some were not looked at */
	struct day_history history;
	struct day_cause *causes;
	size_t cause_count;
};

static inline bool day_is_beyond(const struct day_fact *f, double number)
{
	return f->kind == FACT_UNDER ? number < f->farthest : number > f->farthest;
}
/* The fact; DAY_NONE: no failure has it, or, where it is to be added, there is no room. */
uint16_t day_intern(struct day *day, enum fact_kind kind, const char *subject, const char *value, bool adds);
uint16_t day_kind_of(struct day *day, uint16_t fact);
/* Whether the fact says nothing of this kind: that a member is absent which its notifications do not have. */
bool day_is_idle(const struct day *day, uint16_t fact, size_t kind);
/* The class of the failure, or NULL. */
struct day_class *day_class_of(struct day *day, const struct day_request *request, bool adds);
/* Where there are too many words with one status, those that few failures have are the rest's, too: a text that names
 * an identifier is another one each time, and in a redacted capture nothing shows that it is one. */
void day_fold_words(struct day *day);
/* Puts the rows of each class into the order of time. */
void day_sort_rows(struct day *day);
/* Notes when the request came, as the latest of the pass. */
void day_note_time(struct day *day, struct day_moment at);
static inline struct day_share *day_share_of(const struct day *day, const struct day_class *class, size_t picked)
{
	return &day->shares[(size_t)(class - day->classes) * DAY_PICKED_MOST + picked];
}
bool day_history_begin(struct day *day);
void day_history_release(struct day_history *history);
/* An accepted request. */
void day_history_accept(struct day *day, const struct fact_keys *keys, struct day_moment at);
/* Whether a set of keys may still be said; closes those that may not. */
bool day_history_is_open(struct day *day);
bool day_history_has(const struct day_row *row, unsigned id, unsigned set);
/* Writes "event and userId", of an identifier. */
void day_history_name(unsigned id, unsigned set, char *out, size_t size);

/* What may be said of rows of a class. */
#define DAY_AFTER_MOST    (DAY_IDENTITIES * ENVELOPE_SETS)
#define DAY_MEASURES_MOST 64
struct day_candidate {
	struct cause_fact fact;
	struct bits rows;
	char name[96];     /* the limit of a measure, or the keys */
	size_t order;      /* among those of the same kind */
	uint16_t picked;   /* DAY_NONE: a measure, or a value of an identifier */
	bool is_same;      /* that */
	bool is_accepted;  /* accepted ones have it, */
	bool is_in_span;   /* but none between its rows */
	uint64_t measured; /* accepted ones that have the measure; 0: it is none */
};

/* Candidates of a class, in the order in which they are named. NULL: no memory. For free(). */
struct day_candidate *day_candidates(const struct day *day, const struct day_class *class, size_t *count);
/* How many accepted ones could have had it: for what is in a member of details, those of the kinds of these rows; the
 * same between the first and the last of them. */
uint64_t day_scope(const struct day *day, const struct day_class *class, const struct bits *part,
                   const struct day_candidate *candidate);
uint64_t day_scope_in_span(const struct day_class *class, const struct bits *part,
                           const struct day_candidate *candidate);
/* Whether random failures would seldom look so: `failed` of a class, of which the part is all that has something, of
 * `tries` that could be such, while `accepted` have not. */
bool day_is_certain(uint64_t part, uint64_t failed, uint64_t accepted, double tries);

#endif
