/*
 * One question to a listener, of one kind: whether what is sent in some way leaves what it should in what it keeps.
 *
 * A row says how it is put: what is sent, of how many customers, how often, on how many connections; what is expected;
 * and the function that says what came of it. To add such a check: a row in probe_rows, a row here with its
 * sentence, and an expectation at most.
 *
 * All of a list are played together, round by round: customers are introduced, and when all is quiet it is sent, waited
 * for (what has to come) or until all is quiet again (where nothing may come), and compared. Where lines name the
 * customer, each is compared by itself. What the others have done is one sum: where that is as it should be, each of
 * them is, and only where it is not, each is played by itself. What looks wrong is a suspicion at first: it is tried
 * again, with new customers and the longest wait, and only what is seen then is said.
 */
#ifndef CREDHOOK_PROBE_KEEP_EXPERIMENT_H
#define CREDHOOK_PROBE_KEEP_EXPERIMENT_H

#include "probe/keep/trial.h"

/* What is sent; all but the first two of customers whom nobody knows. */
enum experiment_script {
	SCRIPT_AGAIN,  /* the first one of the known customer */
	SCRIPT_SECOND, /* another one of the known customer */
	SCRIPT_FIRST,  /* after what comes before it in a customer's life */
	SCRIPT_VALUE,  /* the same, with the value of the check's field that it is about; calm: with the usual one */
	SCRIPT_EARLY,  /* the first one, without the last of that */
	SCRIPT_BOTH_ORDERS, /* that and the last of what comes before it: of one customer in order, of another one not
	                     */
	SCRIPT_OTHERS,      /* all of the second customer; the first one has had what begins something */
	SCRIPT_CONTRAST,    /* the first one, with the values of the check's contrast; see contrast.h */
	SCRIPT_NOTHING,     /* nothing more of the known customer */
	SCRIPT_REFUSED,     /* the requests of the check, which are graded, too */
};

enum experiment_expectation {
	EXPECT_A_TRACE,      /* of the kind that the known one has left */
	EXPECT_ALL_TRACES,   /* lines of each that was accepted */
	EXPECT_NOTHING_MORE, /* lines than one alone leaves */
	EXPECT_SAME_END,     /* as many lines of either customer */
	EXPECT_STILL_THERE,  /* as many lines that name the customer */
	EXPECT_DIFFERENT,    /* lines of the customers who had another value of the contrast */
	EXPECT_OTHERS_STAY,  /* the lines that name the first customer alone are as they were */
};

enum experiment_state {
	EXPERIMENT_OPEN,
	EXPERIMENT_SUSPECT,   /* it was not as expected, once */
	EXPERIMENT_CONFIRMED, /* nor the second time */
	EXPERIMENT_CLEARED,   /* it is as expected */
	EXPERIMENT_BLIND,     /* it cannot be known */
};

struct experiment;

struct experiment_row {
	enum experiment_script script;
	enum experiment_expectation expects;
	unsigned customers;   /* of a round, at most what probe_options say; 0: 1 */
	unsigned copies;      /* of each notification, at the same time; 0: 1 */
	unsigned connections; /* 0: one after the other */
	/* What is lost has to be there when the same is sent one after the other, or of customers who share nothing: a
	 * listener may keep the last one only; and what is too many must not be there when one copy comes: a listener
	 * may keep more of some. Where that is not so, the experiment is blind. */
	bool is_compared;
	bool is_apart; /* the customers share nothing: nor do their identifiers have a digit in common where it stands
	                */
	bool is_alike; /* the identifiers of its customers are */
	/* It is played for the checks of this row, too; these say what they say by it. NULL: for its own alone. */
	const struct experiment_row *beside;
	bool is_one;    /* of several kinds that can be asked, the first one is enough */
	bool is_of_all; /* it is about every kind that can be asked */
	bool learns;    /* what is known is what it leaves */
	/* Is asked at each response; true ends the sending. NULL: all is sent. */
	bool (*stop)(void *experiment, const struct delivery *delivery);
	/* The listener is ended, and started again, by whoever plays the experiment (its `between`). Where something
	 * has to come, that is between the sending and the looking: what had a non-2xx status, or none, is sent again
	 * behind that, and has to be there, too. Else it is before the sending, for all of a list together. */
	bool ends;
	/* Appends why it cannot be asked of one that leaves such a trace; nothing: it can. NULL: that has to be one. */
	void (*obstacle)(const struct trial *known, struct buffer *why);
	/* Says in the check what has come of it, whatever that is. NULL: nobody does. */
	void (*say)(struct experiment *experiment);
};

/* What a round has shown. */
struct experiment_outcome {
	int64_t off;     /* lines too many, accepted ones without a trace, lines that differ */
	bool is_shared;  /* by several that lines do not name */
	bool is_twice;   /* the lines too many are each like another one */
	bool numbers;    /* a number has changed in a line that is the same without it */
	bool is_number;  /* what is read is one alone */
	bool is_unseen;  /* there is nothing that could be compared */
	bool replaced;   /* a second one has come, and the first one has gone */
	int odd;         /* a status that none should get; 0: none did */
	int status;      /* of the first one without a 2xx, if any; 0: it got no response */
	size_t accepted; /* with a 2xx */
};

/* A customer, and what is sent of them. */
#define SUBJECT_MOST 20
struct subject {
	struct customer customer;
	bool came_again; /* without a 2xx at first */
	struct delivery deliveries[SUBJECT_MOST];
	size_t count;
};

/* Zero-initialise, set the first three, and where its row ends the listener the fourth; release. */
struct experiment {
	const struct experiment_row *row;
	struct probe_check *check; /* which says it, and is blamed when the listener ends */
	struct trial *known;       /* what one leaves; borrowed; NULL: nothing is known */
	/* Ends the listener, and starts it again. It makes the experiment blind where that fails. */
	int (*between)(struct experiment *experiment, struct error *err);
	struct subject *subjects; /* of all rounds; those of the last one from `first` to before `end` */
	size_t first, end, count, capacity;
	/* The rounds of one with an end between, which comes at no certain moment: how many at least, and how many more
	 * where one of them has seen a loss and no other. Two have to have seen it. */
	unsigned rounds, rounds_more;
	struct experiment_tally {
		unsigned rounds; /* in which some were gone */
		size_t gone, of; /* of the worst of them: how many of those with a 2xx */
	} lost, missed;          /* had theirs before the end; got it when they came again */
	void *context;           /* the caller's */
	enum experiment_state state;
	struct experiment_outcome found, suspected; /* by the last round, and the one that made it a suspect */
	struct buffer log; /* what the listener printed in the last round that was not as expected */
	const char *why;   /* it is blind; NULL: for its status */
	bool in_order;     /* one after the other, whatever its row says */
	bool is_played;    /* in the round under way */
	bool was_played;   /* in the one that was believed */
};

/* Plays them, and lets each say what came of it. Either all of them wait for a trace, or none does; one
 * with an end between is alone. -1 is an
 * error. Nothing is said where the lookout is blind. */
int experiments_run(struct trial_ground *ground, struct experiment *list, size_t count, struct error *err);
/* Introduces the customers of all their rounds together, since that takes a second. */
int experiments_introduce(struct trial_ground *ground, struct experiment *list, size_t count, struct error *err);
/* For what happens between: looks until all that were accepted are there, or none has come for too long, and puts it
 * into what is found. */
int experiment_await(struct trial_ground *ground, struct experiment *experiment, struct error *err);
/* Learns what the first of each kind leaves, in order. What leaves nothing at first is tried again, with another
 * customer and the longest wait. */
int experiments_learn(struct trial_ground *ground, struct trial *kinds, size_t count, struct error *err);
void experiment_release(struct experiment *experiment);
/* Hands the check, where it has failed and has no log of its own, that of the experiment. */
void experiment_hand_log(const struct experiment *experiment);

/* How many customers a round has, and how many the last one had. */
unsigned experiment_round_size(const struct trial_ground *ground, const struct experiment_row *row);
static inline size_t experiment_customers(const struct experiment *experiment)
{
	return experiment->end - experiment->first;
}

/* Whether a repeat should not get the status: a listener that is busy, or silent, is not blamed. */
bool experiment_is_odd(const struct probe_check *check, int status);

#endif
