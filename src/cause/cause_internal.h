/*
 * The machine of cause.h from the inside; for cause*.c only. Each file uses those before it:
 *
 *   cause_rows      the requests, and their facts
 *   cause_past      those that depend on other requests: what came before, and what is larger
 *   cause_search    the sets of facts that fit rows
 *   cause_evidence  what was asked about facts, and what the responses show
 *   cause_rounds    the facts that are a cause together
 *   cause_body      the bodies of questions
 *   cause_class     failures with the same response, and their parts
 *   cause_said      which of the facts the response names
 *   cause_names     which of the facts that fit are named
 *   cause_ask       asks
 *   cause           the causes
 *
 * cause_holds, the facts of requests beyond the rows, uses none of them.
 */
#ifndef CREDHOOK_CAUSE_CAUSE_INTERNAL_H
#define CREDHOOK_CAUSE_CAUSE_INTERNAL_H

#include "cause/cause.h"

/* A set of rows. */
#define BITS_WORDS (CAUSE_ROWS_MOST / 64)
struct bits {
	uint64_t words[BITS_WORDS];
};
static inline void bits_set(struct bits *b, size_t at, bool on)
{
	uint64_t bit = UINT64_C(1) << at % 64;
	b->words[at / 64] = on ? b->words[at / 64] | bit : b->words[at / 64] & ~bit;
}
static inline bool bits_have(const struct bits *b, size_t at)
{
	return b->words[at / 64] >> at % 64 & 1;
}
/* Whether all rows of `some` are in b. */
bool bits_hold(const struct bits *b, const struct bits *some);
bool bits_meet(const struct bits *a, const struct bits *b);
size_t bits_count(const struct bits *b);
void bits_remove(struct bits *b, const struct bits *some);
struct bits bits_and(const struct bits *a, const struct bits *b);

struct fact {
	enum fact_kind kind;
	char *subject; /* owned, with the value behind it */
	const char *value;
	uint16_t keys; /* of what came before: a bit for each */
	double limit;  /* of a measure */
	char limit_text[24];
	bool is_disproved; /* for the class that is looked at: one without it got the same response */
	struct bits rows;
};

struct measured {
	size_t fact;
	double number;
};

struct row {
	enum cause_side side;
	int status;
	uint64_t response;  /* a hash of the status and the words */
	uint64_t class_key; /* what the class is known by: of the log, too */
	char *words;        /* owned */
	char *log;          /* owned; NULL: nothing is known */
	size_t check;
	bool at_once, is_fixed, is_asked;
	int64_t sent_ns, finished_ns;
	unsigned life; /* of the listener */
	bool has_history;
	bool fails_fresh; /* with new identifiers, where they were new, it got the class's response again */
	struct fact_keys keys;
	uint64_t bytes; /* a hash of the body */
	char *body;     /* owned; NULL: too long to be kept */
	size_t length;
	struct measured *measured; /* owned */
	size_t measured_count, measured_capacity;
};

/* What a notification is recognized by when it comes again, as far as that is asked: some of its identifiers, and any
 * members of the envelope. */
#define IDENTITIES_MOST 32
#define ENVELOPE_SETS   (1 << FACT_ENVELOPE)
#define ENVELOPES_MOST  256 /* with which one value is told apart */
struct seen {
	uint64_t envelope[FACT_ENVELOPE]; /* hashes of its members; 0: absent */
	int64_t finished_ns;              /* the first accepted request with it */
	uint32_t next;                    /* of the same value, from 1; 0: there is none */
};
struct past {
	struct id_set values; /* of accepted requests */
	uint32_t *first;      /* owned: of each, `seen` from 1 */
	size_t first_capacity;
	struct seen *seen; /* owned */
	size_t seen_count, seen_capacity;
	uint16_t identities[IDENTITIES_MOST]; /* sets of keys: none, each alone, and those that were asked for */
	size_t identity_count;
	uint16_t facts[2][IDENTITIES_MOST][ENVELOPE_SETS]; /* FACT_AFTER and FACT_AFTER_PRESENT, from 1 */
};

struct rows {
	struct row *list;
	size_t count, capacity;
	size_t kept; /* bytes of bodies */
	unsigned life;
	struct fact *facts;
	size_t fact_count, fact_capacity;
	uint16_t *table; /* of facts by hash, from 1; 0: free */
	struct bits accepted;
	struct past past;
	bool no_memory; /* in a call that returns nothing */
};

int rows_init(struct rows *rows, struct error *err);
void rows_release(struct rows *rows);
/* -1: no memory. *added: whether there was room. */
int rows_add(struct rows *rows, const struct cause_request *request, bool is_asked, bool *added, struct error *err);
/* Finds the fact, or adds it. FIT_NONE: there is no room for it, or no memory. */
size_t rows_intern(struct rows *rows, enum fact_kind kind, const char *subject, const char *value);

/* What came before each row, and what is larger than all that was accepted: to be called before a search. */
int rows_settle(struct rows *rows, struct error *err);

/* From now on the identifiers count together, too: false: there is no room for them. */
bool past_add_identity(struct rows *rows, uint16_t keys);
/* Whether an accepted request before had the row's value of this key. */
bool past_has(const struct rows *rows, size_t at, size_t key);
bool fact_is_after(const struct fact *fact);
/* Whether it is about what came before. */
bool fact_is_of_past(enum fact_kind kind);
/* The first of its keys behind the envelope. */
size_t fact_key(const struct fact *fact);

/* The fact as it is named. */
struct cause_fact rows_fact(const struct fact *fact);

/* Facts that all rows of a set have, and none of others. */
#define FITS_MOST 256
#define FIT_NONE  SIZE_MAX
struct fits {
	size_t list[FITS_MOST]; /* by kind, repeats with few keys first */
	size_t count;
	bool are_too_many; /* for the list */
};
void search_fits(const struct rows *rows, const struct bits *of, const struct bits *against, struct fits *fits);
/* Whether all rows of the set have the fact, as far as it was not disproved. */
bool search_covers(const struct rows *rows, size_t fact, const struct bits *of);
/* The most of these rows that one fact fits, or one together with a place. False: there are none. */
bool search_most(const struct rows *rows, const struct bits *of, struct bits *part);
/* Two rows, one of each set, that have few facts apart: none has fewer apart from the other one, unless there are more
 * rounds than that to it. */
#define ALIKE_ROUNDS_MOST 8
struct alike {
	size_t failed, accepted;
	size_t compared; /* rows with one */
};
/* False: a set is empty. */
bool search_alike(const struct rows *rows, const struct bits *of, struct alike *alike);

enum ask {
	ASK_AGAIN,   /* the same bytes */
	ASK_FRESH,   /* with new identifiers where they were new */
	ASK_PLAIN,   /* one that was accepted before it, with new identifiers */
	ASK_RENEWED, /* with new identifiers instead of those that came before: all of them, or one */
	ASK_WITHOUT, /* the same without a fact */
	ASK_WITH,    /* an accepted one with a fact of the envelope */
	ASK_CONTROL, /* that one, with another value there that was accepted elsewhere */
};

/* A question about a fact: one of the last four. */
struct asked {
	enum ask ask;
	size_t row;
	char subject[96]; /* of the fact; ASK_RENEWED: the identifier, or ALL_IDENTIFIERS */
	uint64_t bytes;   /* a hash of the body */
	size_t round;     /* how many facts were named before */
	size_t response;  /* the row; FIT_NONE: it could not be sent, or says nothing */
};

/* Failures with the same response: a class. */
struct failures {
	uint64_t key; /* the rows' class_key */
	size_t first;
	struct bits rows;
	size_t questions;
	/* It has another cause than content. */
	bool is_busy;        /* 429 */
	bool lasts;          /* what was accepted before it is not any more */
	bool comes_and_goes; /* the same requests got other responses when they were sent again */
	bool takes_aside;    /* so did those with the same response that need not be explained */
};

struct cause_finder {
	struct rows rows;
	struct cause *causes;
	size_t cause_count;
	uint16_t kept; /* a bit for each key whose value is not renewed */
	bool failed;   /* some request */
	/* The search under way. */
	struct failures classes[CAUSE_CLASSES_MOST]; /* in the order of the first of each */
	size_t class_count;
	const struct cause_sender *sender; /* NULL: nothing is asked */
	struct buffer body;                /* of the question */
	size_t questions;
	struct asked asked[CAUSE_QUESTIONS_MOST];
	size_t asked_count;
	bool is_over; /* nothing more is sent */
	int result;   /* -1: *err says why; nothing more is done */
	struct error *err;
};

void classes_list(struct cause_finder *finder);
/* A question's response joins the class whose response it is, and makes none. */
void classes_take(struct cause_finder *finder, size_t row);
bool class_is_of_content(const struct failures *class);
/* Divides a class into sets of rows that have a cause each, which is looked for. What is left over has none; where that
 * is most of it, it stays whole. From then on the searches leave out what was disproved for the class. The fits are
 * room to work in. */
size_t classes_divide(struct cause_finder *finder, const struct failures *class, struct fits *fits,
                      struct bits parts[CAUSE_PARTS_MOST]);
#define CLASS_SAMPLES 3
/* Those of the rows that are sent again: first, middle and last. Returns how many. */
size_t class_sample(const struct cause_finder *finder, const struct bits *rows, size_t samples[CLASS_SAMPLES]);
/* The rows with the same response that need not be explained. */
struct bits class_aside(const struct cause_finder *finder, const struct failures *class);
bool row_can_be_asked(const struct row *row);
/* The first accepted row that begins the key, and can be asked; FIT_NONE: there is none. */
size_t rows_beginning(const struct rows *rows, size_t key);
/* The last accepted row before the class, if none was accepted behind it; FIT_NONE: there is none. One that `begins`
 * refers to nothing, and can be asked. */
size_t class_last_accepted(const struct cause_finder *finder, const struct failures *class, bool begins);

/* Asks what there is to ask: says what the classes are, and leaves the responses in the rows. The finder's result. */
int ask_all(struct cause_finder *finder, struct fits *fits);
/* What was asked about a fact; NULL: it was not. */
const struct asked *asked_find(const struct cause_finder *finder, enum ask ask, size_t row, const char *subject,
                               size_t round);
/* Whether the response was in the class's words, whatever is valid. */
bool asked_sounds_same(const struct cause_finder *finder, const struct asked *asked, const struct failures *class);
/* Whether the response was the class's, too. */
bool asked_is_same(const struct asked *asked, const struct failures *class);
#define ALL_IDENTIFIERS ""
/* Whether the fact is about a member of the envelope, by which listeners choose what to do: one without it may be
 * accepted for any reason, and so one with it is asked for. */
bool fact_is_of_envelope(const struct fact *fact);
/* Whether the question is about the fact, and the request did not have it. */
bool asked_is_without(const struct asked *asked, const struct fact *fact);
/* Whether a response shows that the fact matters: of one without it, or with it; one of these, which are accepted. */
bool asked_shows(const struct cause_finder *finder, const struct failures *class, const struct fact *fact,
                 const struct bits *against);

/* The facts that are named of a part although accepted requests have them, round by round: the next one compares with
 * those that have all of them. */
struct named {
	size_t facts[CAUSE_NAMED_MOST];
	size_t count;
	struct bits against;
};
/* Plays the rounds: what a response has shown is named until something else fits that says more. The fits are the last
 * round's; none: nothing explains the part. */
void rounds_play(const struct cause_finder *finder, const struct failures *class, const struct bits *part,
                 struct named *named, struct fits *fits);
/* Where nothing fits, and nothing was shown: names places. Those that fit together are an entry that a table does not
 * have, of which it need not be asked for what no sender sends. */
void rounds_play_places(const struct cause_finder *finder, const struct bits *part, struct named *named,
                        struct fits *fits);
#define ROUND_NEXT_MOST 8
/* The facts that may be named next, if a response shows it: those first that the fewest have that are compared with.
 * Returns how many. */
size_t rounds_next(const struct cause_finder *finder, const struct bits *part, const struct named *named,
                   size_t next[ROUND_NEXT_MOST]);
/* Whether something fits that says more than that it is of some kind: also that a member is there divides the events,
 * and says little unless a response shows it. */
bool fits_say_more(const struct cause_finder *finder, const struct failures *class, const struct named *named,
                   const struct fits *fits);

/* These make the body of a question, the finder's. False: it cannot be made. */
bool body_again(struct cause_finder *finder, size_t row);
/* What was new in it is new again, and another time other than before: `time` counts from 0. */
bool body_fresh(struct cause_finder *finder, size_t row, unsigned time);
/* The row's, with another value of one key, or of all that came before (ALL_KEYS). */
#define ALL_KEYS SIZE_MAX
bool body_renewed(struct cause_finder *finder, size_t row, size_t key);
/* The row's, with what another row has begun in place of what the fact is about, FACT_NEW. */
bool body_known(struct cause_finder *finder, size_t row, const struct fact *fact, size_t begun);
/* The row's, but for what the fact is about. */
bool body_without(struct cause_finder *finder, size_t row, const struct fact *fact);
/* An accepted one that has all that is named, with the row's value of the envelope's member; as a control with an
 * accepted one. */
bool body_with(struct cause_finder *finder, size_t row, const struct fact *fact, const struct named *named,
               bool control);

/* Whether the response of the part, or what the listener printed of it, has the name of the fact's member in it, or its
 * value. */
bool said_names(const struct cause_finder *finder, const struct bits *part, const struct fact *fact);

/* Names the facts of a part of the class in its cause, and says its type. */
void name_part(const struct cause_finder *finder, const struct failures *class, const struct bits *part,
               const struct named *named, struct fits *fits, struct cause *cause);

#endif
