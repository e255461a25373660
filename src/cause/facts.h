/*
 * Facts of a request: what can be said of it alone, so that what was refused can be compared with what was accepted.
 *
 * A fact is a row of fact_rows with a subject (a JSON Pointer, a header's name) and a value. Identifiers are not facts:
 * they differ from request to request. They are kept as keys, of which cause.h looks for equal ones.
 *
 * To add a fact: a kind and its row, and where facts.c sees it. Nothing here reads or writes.
 */
#ifndef CREDHOOK_CAUSE_FACTS_H
#define CREDHOOK_CAUSE_FACTS_H

#include "http/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they are asked about, and named: what people get wrong most, first. */
enum fact_kind {
	FACT_REPEAT, /* an accepted notification with the same bytes came before */
	FACT_AFTER, /* an accepted notification came before with the same keys, or without them; subject: their names */
	FACT_AFTER_PRESENT, /* the same where both have all of the keys */
	FACT_TAKEN, /* an accepted notification of another customer was the first with its value; subject: the key's
	             * pointer */
	FACT_NEW,   /* it refers to what no accepted notification has begun; subject: the key's pointer */
	FACT_SAME_AT_ONCE, /* the same notification was in flight */
	FACT_AT_ONCE,      /* others were in flight */
	FACT_ABSENT,
	FACT_TYPE, /* of another type than the specification says; value: "null" */
	FACT_NOT_DIGITS,
	FACT_MINUS,
	FACT_NO_MINUS,
	FACT_PLUS,
	FACT_ZERO,
	FACT_ZERO_FIRST,  /* a text of digits begins with 0 */
	FACT_EMPTY,       /* an object or text */
	FACT_FILLED,      /* an object */
	FACT_HOLDS_OTHER, /* an object has members that are not numbers */
	FACT_HOLDS,       /* an object has a member of this type; value: "a string" */
	FACT_CHARACTERS,
	FACT_UPPER,
	FACT_NOT_UUID,
	FACT_VALUE,
	FACT_LARGER,      /* these are measures: a body of more bytes than each that was accepted */
	FACT_LARGER_HEAD, /* a field of the head is longer */
	FACT_LONGER,      /* a text */
	FACT_MORE,        /* an object with more members */
	FACT_OVER,        /* a number, whatever its sign */
	FACT_UNDER,       /* a shorter text */
	FACT_DIFFER,      /* userId is not clientKey */
	FACT_UNKNOWN_KEY, /* subject: the object */
	FACT_SPELLING,    /* of the JSON text */
	FACT_HEADER,      /* subject: the name */
	FACT_NO_HEADER,   /* subject: the name; of what was recorded */
	FACT_WAY,         /* how the bytes came: value: the words of the check */
	FACT_SENDER,      /* its address */
	FACT_TARGET,      /* the path that it was sent to; of what was recorded */
	FACT_QUERY,       /* subject: a name in the query there */
	FACT_EVENT,
	FACT_METHOD,
	FACT_HYPHEN,  /* in the path */
	FACT_SEGMENT, /* last one of the path */
	FACT_PART,    /* one before it: "/report/" */
	FACT_DEEPER,  /* a measure: a path of more parts */
	FACT_SERVICE,
	FACT_PRESENT,
	FACT_KIND, /* event and element, by service, event, method and path */
	FACT_KINDS,
};

struct fact_row {
	const char *name; /* for programs */
	/* What is true of a request, beginning with a verb; {s} is the subject's last part, {v} the value. */
	const char *phrase;
	const char *fix; /* what to do about it, a sentence without a full stop; the same places */
	/* Its confirming request has another value in the subject's place: that of an accepted request, or else this
	 * JSON. "": none, the subject is removed; NULL: only that of an accepted request. */
	const char *without;
	bool is_sign;  /* that request has the same number, with another sign */
	bool of_any;   /* where the subject is empty, it is true of some text or identifier */
	bool is_place; /* listeners choose by it what to do */
	bool is_measure;
	bool is_of_each; /* the same of several members has one reason: what a listener does with all of them */
};
extern const struct fact_row fact_rows[FACT_KINDS];

/* What to do where the response says more of it than the fact alone: a row of fact_fixes each, instead of the fact's.
 */
enum fact_response {
	FACT_NO_RESPONSE,
	FACT_LIMIT,  /* 413, 414, 431: the status speaks of a limit */
	FACT_FAILED, /* 500: the code failed */
};
struct fact_fix {
	enum fact_kind kind;
	const char *value; /* NULL: any */
	enum fact_response response;
	const char *fix;
};
extern const struct fact_fix fact_fixes[];
extern const size_t fact_fix_count;

/* The keys: the envelope's members, then the identifiers, and the codes that an event begins. */
#define FACT_KEYS_MOST 16
#define FACT_ENVELOPE  4
size_t fact_key_count(void);
const char *fact_key_name(size_t key);
/* The pointer to its value. */
const char *fact_key_pointer(size_t key);

/* The key whose values it may have: userId is a clientKey; else itself. */
size_t fact_key_referred(size_t key);

/* Whether several customers may have its value: the application's, a code. */
bool fact_key_is_shared(size_t key);
#define FACT_CUSTOMER 5 /* the key that is the customer's */

struct fact_request {
	const char *body; /* any bytes */
	size_t length;
	const struct header *headers; /* that the check asks for */
	size_t header_count;
	const char *header; /* of its connection, "Name: value"; NULL: none */
	const char *way;    /* how the bytes come; NULL: as always */
	const char *sender; /* the address that it came from; NULL: it does not matter */
	/* What came, and was not made to be compared: it may be written in any way, and sent to any place. */
	bool is_recorded;
	struct text target; /* of it, with the query; absent: not known */
};

/* Gets the facts. Texts are valid during the call only. */
struct fact_sink {
	void (*has)(void *context, enum fact_kind kind, const char *subject, const char *value);
	/* A number of which only its size among the others says something. */
	void (*measures)(void *context, enum fact_kind kind, const char *subject, double number);
	void *context;
};

/* The keys of a request. */
struct fact_keys {
	uint64_t values[FACT_KEYS_MOST]; /* hashes; 0: absent */
	uint16_t refer;                  /* a bit for each that refers to what another event begins */
};

/* Hands the facts over, and fills the keys in. False: no memory. */
bool facts_of(const struct fact_request *request, const struct fact_sink *sink, struct fact_keys *keys);

#endif
