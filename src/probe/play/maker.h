/*
 * The payloads of a run: valid ones whose identifiers fit together, and that carry the run's id.
 *
 * What an event begins (a customer, a session, a report) gets a new identifier each time; what it refers to is what the
 * listener knows already, unless the caller asks for a customer of its own. Each UUID begins with the run's id, and
 * names and streets end in it, so that a tester finds what a run left behind, and the run what a response gives
 * away. The user's edits come last.
 *
 * The makers, which the rows name, make requests of them: see probe_make in probe/play/probe_check.h.
 */
#ifndef CREDHOOK_PROBE_PLAY_MAKER_H
#define CREDHOOK_PROBE_PLAY_MAKER_H

#include "base/random.h"
#include "payload/edit.h"
#include "probe/play/probe_check.h"

struct job;
struct json_doc;
struct probe_world;

#define PROBE_RUN_ID_SIZE 9
#define PROBE_LINKS       7
#define PROBE_CUSTOMER    0
#define PROBE_APPLICATION 6 /* the link that is the same for all customers */
#define PROBE_EDITS_MAX   3

/* Identifiers that events refer to, by the rows of sample.c. */
struct probe_session {
	char values[PROBE_LINKS][RANDOM_UUID_SIZE];
};

/* Makes payloads and requests of them. probe_maker_init() fills it; nothing to release. */
struct probe_maker {
	uint64_t seed;
	char run_id[PROBE_RUN_ID_SIZE];             /* eight hexadecimal digits, letters all, as names have no others */
	const struct edits *edits[PROBE_EDITS_MAX]; /* borrowed, applied in order */
	const char *url;                            /* borrowed: the destination's */
	struct probe_session session;               /* what the listener knows */
	struct catalog_kind accepted;               /* an event that the listener takes */
	bool *failed;                               /* by catalog_kind_index(): it does not take the event; the run's */
	const struct probe_plan *plan;              /* borrowed: what the run knows already; NULL: nothing */
	const struct probe_world *world;            /* borrowed: whose time it is; NULL: the real one */
	/* What is made: request `number` (from 0) of the check, for the job. */
	const struct probe_check *check;
	unsigned number;
	struct job *job;
};

void probe_maker_init(struct probe_maker *maker, uint64_t seed, const char *url);

/* Makes the identifiers new to the listener, but for the application's; `salt` makes them differ. */
void probe_session_init(struct probe_maker *maker, uint64_t salt);
/* Gives it the customer of another one. */
void probe_session_take_customer(struct probe_session *session, const struct probe_session *of);

/* Replaces *out by a payload of the kind, which refers to the session; with `begin` what the event begins is put
 * there. The same salt gives the same payload. */
int probe_sample(struct probe_maker *maker, struct catalog_kind kind, uint64_t salt, bool begin, struct buffer *out,
                 struct error *err);

/* Whether an event refers to something that another one begins, which has to be sent before it. */
bool probe_refers_to(const struct catalog_event *event, const struct catalog_event *beginning);

/* Reads a payload of our own. */
int probe_read_own(struct json_doc *doc, const struct buffer *payload, struct error *err);
/* The end of an edit: the edited text takes the payload's place where `result` is 0, which it returns, or -1 without
 * memory. Releases the other one. */
int probe_replace(struct buffer *payload, struct buffer *edited, int result, struct error *err);

/* A valid payload of the check's event. */
probe_make make_valid;
/* The check's value of the check's field. */
probe_make make_value;
/* The argument is the name of the spelling, as --variants calls it. */
probe_make make_form;
/* With a defect: the check's finding at the check's place. */
probe_make make_broken;
/* The argument is POINTER=BYTES, a line for each request: "/details/alertId|monitorId=7" goes into an event that is
 * accepted and has one of the fields, "[]*1000" is each character a thousand times in a row. */
probe_make make_put;
/* Details are not an object, but a text, an array and a number, made of the session's customer. */
probe_make make_detached;
/* The argument is the body as it is. */
probe_make make_text;
/* A payload, changed so that it is not JSON, or that parsers read it differently. */
probe_make make_bom, make_truncated, make_trailing_comma, make_two_documents, make_single_quotes;
/* Identifiers in upper case. */
probe_make make_upper_case;
/* The argument is the payload's size in bytes, or that of a header. */
probe_make make_large, make_long_head;
/* Blanks behind the first brace, up to the size of the argument: a listener that parses what it stores drops them, and
 * of what --observe prints they are one. So a listener without a limit can be tested again and again. */
probe_make make_padded;
/* Compressed, and said so. */
probe_make make_gzip;
/* The same payload each time; the argument is the pause before the second, in seconds. */
probe_make make_repeat;
/* The argument is events of one customer whom no other check knows, separated by commas. */
probe_make make_order;
/* Event `number` of the argument of the maker's check. */
struct catalog_kind probe_named_kind(const struct probe_maker *m, unsigned number);
/* The argument is the method: with a payload; without a body; without one (TRACE must not have any), but with a header
 * that is found in what echoes it. */
probe_make make_method, make_empty, make_trace;
/* To a path that nobody serves; to the destination's with one slash more. */
probe_make make_other_path, make_slash_path;
/* The argument is the media type. */
probe_make make_type;

#endif
