/*
 * The causes of failures that were recorded: what those with one response have in common, and no accepted one has.
 *
 * The same question as in cause.h, over a day instead of a run: there are many requests, none can be asked about, and
 * most were accepted. So the same requests are read twice:
 *
 *   1. day_add() takes each. Failures with one response (status and words, whatever the digits, and whatever the words
 *      repeat of the request) are a class, whose first DAY_ROWS_MOST are kept as facts (facts.h); accepted ones are
 *      counted.
 *   2. day_compare() takes each again, in the same order, where day_begin() says that there is something to find:
 *      accepted ones are looked at for the facts that failures share.
 *
 * They may come in any order, as of several captures one after the other: before and meanwhile are what their times
 * say, or, where these are the same or not known, their numbers.
 *
 * Then day_find() says of each class, or of up to CAUSE_PARTS_MOST parts of it, the first of these that is true:
 *
 *   BUSY     429: it limits the rate, whatever the content
 *   SPAN     nothing of the same kinds was accepted from the first to the last of them: an outage
 *   FACTS    all of them have a fact, or two together, and no accepted one has; in the whole capture, or, where the
 *            listener has changed meanwhile, from the first to the last of them
 *   UNKNOWN  no difference was found
 *
 * Among the facts is what came before: an accepted one with the same identifier, and the same members of the envelope,
 * as long as the hashes of accepted ones take little memory.
 *
 * By chance much fits. So a part has DAY_LEAST failures (two facts: twice that), at least DAY_ACCEPTED_LEAST accepted
 * ones could have had the fact (those of the same kinds; for facts of the envelope, the head and the whole body any),
 * and a cause is not said that random failures of that number would have once in DAY_CHANCE tries. What fits equally is
 * named together. Nothing is guessed.
 *
 * No I/O, no clock. Memory is bounded: CAUSE_CLASSES_MOST classes; what is beyond them is counted.
 */
#ifndef CREDHOOK_CAUSE_DAY_H
#define CREDHOOK_CAUSE_DAY_H

#include "cause/cause.h"

#define DAY_LEAST          5
#define DAY_ACCEPTED_LEAST 20
#define DAY_ROWS_MOST      CAUSE_ROWS_MOST
#define DAY_NUMBERS_MOST   5

/* One request and its response. All borrowed. */
struct day_request {
	struct fact_request what;
	uint64_t number;     /* higher than of each before */
	int64_t received_us; /* 0: not known */
	int status;          /* 0: not known, so it is not looked at */
	struct text said;    /* what the response said; absent: not known */
	struct text event;   /* the kind as it is recorded; absent: not known */
	bool is_selected;    /* a failure that is not is none */
};

static inline bool day_is_failure(const struct day_request *request)
{
	return request->status != 0 && (request->status < 200 || request->status > 299);
}

struct day;
struct day *day_new(struct error *err);
void day_free(struct day *day); /* NULL is allowed */

/* The first pass. -1: no memory. */
int day_add(struct day *day, const struct day_request *request, struct error *err);
/* Ends the first pass. False: there is nothing to compare, and no second pass; or no memory, which *err says. */
bool day_begin(struct day *day, struct error *err);
/* The second pass. -1: no memory. */
int day_compare(struct day *day, const struct day_request *request, struct error *err);

enum day_type {
	DAY_SPAN,
	DAY_FACTS,
	DAY_BUSY,
	DAY_UNKNOWN,
	DAY_TYPES,
};

struct day_cause {
	enum day_type type;
	int status;
	const char *said; /* words of all of them, with "..." for what differs; "": none */
	uint64_t failed;
	struct cause_fact facts[CAUSE_NAMED_MOST];
	size_t fact_count;
	bool needs_all;             /* the facts are a cause together; else they cannot be told apart */
	bool is_in_span;            /* FACTS: accepted ones have them, but not between the first and the last */
	uint64_t accepted;          /* SPAN: of the same kinds; else of all that are compared with */
	bool is_only;               /* SPAN: no other failure with the response is elsewhere */
	bool has_before, has_after; /* SPAN, is_in_span: such accepted ones */
	uint64_t first, last;       /* in time */
	uint64_t first_alike;       /* the first failure with this response, of whatever cause */
	int64_t first_us, last_us;
	uint64_t numbers[DAY_NUMBERS_MOST]; /* of the first of them */
	size_t number_count;
	/* No other failure with this status has the facts: all with the status and the facts are these. */
	bool is_exact;
	uint64_t alike, unlike; /* UNKNOWN: of a failure and an accepted one that have few facts apart; 0: none */
};
extern const char *const day_type_names[DAY_TYPES];

/* The causes, outages first, then those of most failures: borrowed until the next call. -1: no memory. */
int day_find(struct day *day, const struct day_cause **causes, size_t *count, struct error *err);
/* What came before was not compared: it would have taken too much memory. */
bool day_lacks_history(const struct day *day);

/* Appends what is said of the facts: "each has alertType "Inquiry"; none of 19,764 accepted ones has". */
void day_append_facts(const struct day_cause *cause, struct buffer *out);

#endif
