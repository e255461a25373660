/*
 * What the service sends, as const tables: the one place where a fact of the specification is written.
 *
 * To add an event: add its fields to fields.c where they are new, and one row to events.c. Nothing else: checking,
 * building, help, completion, the manual's tables and the samples read these rows. Then run the tests, which will ask
 * for the new sample and the new lines of the manual.
 *
 * "Section N" means a section of the outbound event notification specification. What it calls "not shown" is open: no
 * row here makes a rule of it.
 */
#ifndef CREDHOOK_CATALOG_CATALOG_H
#define CREDHOOK_CATALOG_CATALOG_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a value must look like (section 2.2). */
enum catalog_type {
	CATALOG_STRING,       /* any string */
	CATALOG_UUID,         /* a string: 8-4-4-4-12 hexadecimal digits, either case */
	CATALOG_BOOLEAN_TEXT, /* a string: true or false */
	CATALOG_INTEGER_TEXT, /* a string: [+-]?[0-9]+ */
	CATALOG_INTEGER,      /* a JSON number that is an integer, of any size */
	CATALOG_CHOICE,       /* a string: one of the field's values */
	CATALOG_OBJECT,       /* an object with the field's members */
};

/* The name of a type in messages and tables: "string", "string (UUID)", "integer", ... */
const char *catalog_type_name(enum catalog_type type);

/* A name with its meaning: a value of a choice, a dispute status, a service. */
struct catalog_value {
	const char *name;
	const char *meaning;
	const char *section;
};

struct catalog_field;

/* What an identifier belongs to: it is the same in all payloads of that. Section 2.2 says what each one identifies. */
enum catalog_owner {
	CATALOG_OF_CUSTOMER,
	CATALOG_OF_APPLICATION,
	CATALOG_OF_EVENT, /* each event has its own */
};

/* What redaction does with the values of a field. Section 2.2 says which are personal data; the rest follows from what
 * a field means. There is no 0: a row without one does not compile (see FIELD in rows.h). */
enum catalog_privacy {
	CATALOG_PLAIN = 1,  /* kept where the catalogue lists the value, or it is a short number of an integer field */
	CATALOG_CODE,       /* free text that should be a code: the specification does not list its values */
	CATALOG_IDENTIFIER, /* refers to a person, a session or a report */
	CATALOG_NAME,       /* of a person, a street or a city */
	CATALOG_SHORT,      /* a code of an address, which stays as short as it is */
	CATALOG_CREDIT,     /* numbers that are credit data, and the objects around them, whose keys are kept */
	CATALOG_MEMBERS,    /* an object whose members have classes of their own */
	CATALOG_UNLISTED,   /* of no row: what the specification does not know; keys and values are replaced */
};

/* One key of an object: its field, and the type it has there (clientKey is a UUID in user-created only). */
struct catalog_member {
	const struct catalog_field *field;
	enum catalog_type type;
};

/* One field of section 2.1 or 2.2. */
struct catalog_field {
	const char *name;
	size_t name_length;
	enum catalog_type type; /* as in section 2.2; a member may override it for its event */
	enum catalog_privacy privacy;
	const char *meaning;
	const char *section;
	const char *required;               /* as in section 2.1; NULL: a field of section 2.2, which does not say */
	const char *open;                   /* what is not specified about it, or NULL */
	const struct catalog_value *values; /* CATALOG_CHOICE: value_count of them */
	size_t value_count;
	const struct catalog_member *members; /* CATALOG_OBJECT: the keys it must have, member_count of them */
	size_t member_count;
	bool open_members;        /* CATALOG_OBJECT: further keys are allowed, whatever their values */
	const char *example;      /* a sample, JSON where it is an object; NULL: an identifier, or members */
	enum catalog_owner owner; /* of an identifier */
};

/* How another valid value comes about. */
enum catalog_other_use {
	CATALOG_OTHER_TEXT, /* it is the text, JSON where it is an object */
	CATALOG_ADDED,      /* the text is a JSON object, whose one member is added to the value */
	CATALOG_UPPER_CASE, /* it is the present value in upper case */
	CATALOG_SHORTENED,  /* it is what the present value begins with */
};

/* How likely real deliveries hold a value. */
enum catalog_chance {
	CATALOG_RARE,   /* nothing excludes it */
	CATALOG_LIKELY, /* some will: who refuses it has a bound that the specification does not have */
	CATALOG_COMMON, /* they will: a listener that refuses it loses some */
};

/* Another valid value than the one of the samples. */
struct catalog_other {
	const char *name; /* one word, without the field: true, 2^31, apostrophe */
	const char *text; /* as --set takes it; NULL where it comes from the present value */
	enum catalog_other_use use;
	const char *section; /* that names the value or its form; NULL: the specification only leaves it open */
	enum catalog_chance chance;
};
/* The other values of all members that have this type, and this field unless it is NULL. */
struct catalog_others {
	const struct catalog_field *field;
	enum catalog_type type;
	const struct catalog_other *values;
	size_t count;
};

struct catalog_element {
	const char *name;  /* last segment of the path: email */
	const char *title; /* Email Address */
	const char *path;  /* /api/monitoring/v2/idp/email */
};

/* One row of section 6. */
struct catalog_event {
	const char *name;  /* kebab-case: user-created */
	int story;         /* its place in one customer's life: catalog_story_at() */
	const char *title; /* User Created */
	const char *service;
	const char *event; /* HTTP status as text, or push */
	const char *method;
	unsigned char lengths[3]; /* of these three: every payload is compared with every row */
	const char *path;         /* NULL: the notification has none (alerts); with elements: the pattern */
	const char *trigger;      /* when it is sent */
	const char *trigger_section;
	const char *note;                     /* an inconsistency of the specification that touches it, or NULL */
	const struct catalog_member *details; /* keys of `details`, in the order of section 6 */
	size_t detail_count;
	const struct catalog_field *begins[2]; /* what is new with it: later events refer to their values. NULL: none */
	const char *after; /* the kind that comes before it in a customer's life, besides their creation, or NULL */
	const struct catalog_field *differs;       /* tells two of one customer apart; NULL: the element, or nothing */
	const struct catalog_field *identified_by; /* says what it is about: two alike are one; NULL: nothing does */
	const struct catalog_element *elements; /* NULL, or element_count paths that differ only in the last segment */
	size_t element_count;
	const struct catalog_element *usual; /* of elements: the one that stands for all where one is enough */
	int kept; /* its place among what is most likely kept by a listener, from 1: a guess of ours; 0: none */
};

/* One row of section 4.2. It triggers the events that have its method and path. */
struct catalog_operation {
	const char *method; /* upper case */
	const char *path;
	const char *outcome; /* the notification status, as in section 4.2 */
};

/* A rule, note or passage of the specification that is not in the tables above. */
struct catalog_passage {
	const char *topic; /* explain TOPIC; several passages may share one */
	const char *section;
	bool open; /* the text is what is not specified */
	const char *text;
};

/* The first segment of the monitoring paths in the specification's overview, which no notification contains. The
 * notes of the events concerned say so (section 6, note 2). */
#define CATALOG_OVERVIEW_MONITORING "/monitor"

extern const struct catalog_value catalog_services[]; /* the 6 services */
extern const size_t catalog_service_count;
extern const struct catalog_field *const catalog_envelope[]; /* service, event, method, path, details */
extern const size_t catalog_envelope_count;
extern const struct catalog_member catalog_envelope_members[]; /* the same, as keys of the payload */
extern const struct catalog_field *const catalog_fields[];     /* every field inside details, nested ones too */
extern const size_t catalog_field_count;
extern const size_t catalog_every_field_count;       /* of both */
extern const struct catalog_others catalog_others[]; /* every member is in one of them at most */
extern const size_t catalog_others_count;
extern const struct catalog_event catalog_events[]; /* the 17 events, in the order of section 6 */
extern const size_t catalog_event_count;
extern const struct catalog_element catalog_elements[]; /* the 9 monitored elements */
extern const size_t catalog_element_count;
extern const struct catalog_operation catalog_operations[]; /* the 15 operations */
extern const size_t catalog_operation_count;
extern const struct catalog_value catalog_dispute_statuses[]; /* the 7 of section 3 */
extern const size_t catalog_dispute_status_count;
extern const struct catalog_passage catalog_passages[];
extern const size_t catalog_passage_count;
extern const struct catalog_value
        catalog_questions[]; /* what integrators ask first: what is specified, and what to do */
extern const size_t catalog_question_count;

/* The events in the order of one customer's life, which ascends with their `story`: an order of ours (section 8
 * specifies none). What failed comes before what succeeded, the alert while the service is enrolled, and cancelling it
 * last. Of two with one number, which a test refuses, the first comes first. place: below catalog_event_count. */
const struct catalog_event *catalog_story_at(size_t place);
/* Whether what the field names (a customer, a report) begins with the event, so that its value is a new one. */
bool catalog_event_begins(const struct catalog_event *event, const char *field);
/* The first event with which it begins; NULL: it begins with none. */
const struct catalog_event *catalog_beginning_of(const char *field);
/* Whether the value of the field in the event is one that another event has begun. */
bool catalog_event_refers(const struct catalog_event *event, const char *field);
/* The next event that the operation triggers after `before` (NULL: the first), or NULL. */
const struct catalog_event *catalog_triggered(const struct catalog_operation *operation,
                                              const struct catalog_event *before);

/* An event, and for monitored-element-added one of its elements (NULL: the event itself). */
struct catalog_kind {
	const struct catalog_event *event;
	const struct catalog_element *element;
};

static inline bool catalog_is_same_kind(struct catalog_kind a, struct catalog_kind b)
{
	return a.event == b.event && a.element == b.element;
}

/* The 25 kinds: the 17 events with each element of those that have elements, in order. */
size_t catalog_kind_count(void);
struct catalog_kind catalog_kind_at(size_t index);
/* What listeners keep, the most likely first: at most one kind of an event; event NULL: there are no more. */
#define CATALOG_KEPT_MOST 6
struct catalog_kind catalog_kept_at(size_t place);
/* Index among the 25, for counting; an event with elements and element NULL gives the first of its elements. */
size_t catalog_kind_index(struct catalog_kind kind);

#define CATALOG_KIND_NAME_SIZE 64
/* Writes the name of a kind for reports and records: user-created, monitored-element-added/email. */
const char *catalog_kind_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE]); /* out */
/* The same as the beginning of a file's name, "unknown" where event is NULL: monitored-element-added-email. */
const char *catalog_kind_stem(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE]); /* out */
/* The name, valid until the end of the block: for an argument of a format. */
#define KIND_NAME(kind) catalog_kind_name((kind), (char[CATALOG_KIND_NAME_SIZE]){ 0 })
/* Whether it is the event that is meant, and of one with elements the element, or any where none is meant. */
bool catalog_kind_is(struct catalog_kind kind, struct catalog_kind meant);
const char *catalog_kind_path(struct catalog_kind kind); /* the element's path, the event's, or NULL */

enum catalog_match {
	CATALOG_FOUND,
	CATALOG_UNKNOWN,   /* *nearest is the likely one, or NULL */
	CATALOG_AMBIGUOUS, /* the prefix of several names; *nearest is the first of them */
};
/* Finds an event by its name, or any unique prefix of it (an exact name wins), whatever the case and separators
 * (userCreated, USER_CREATED, user.created); after a '/', an element by the same rule. `nearest` may be NULL. */
enum catalog_match catalog_find_kind(const char *name, struct catalog_kind *kind, const char **nearest);

/* The event that has exactly these (length-counted) envelope values, or NULL; the path may be absent. *element is
 * set to the element of the path, where the event has elements. */
const struct catalog_event *catalog_identify(struct text service, struct text event, struct text method,
                                             struct text path, const struct catalog_element **element);

/* The member of a list by its key, or NULL. */
const struct catalog_member *catalog_member_named(const struct catalog_member *members, size_t count, const char *key,
                                                  size_t key_length);
/* The other valid values of a member, or NULL: it has none. */
const struct catalog_others *catalog_others_of(const struct catalog_member *member);
/* What the field holds of one of a dozen people; NULL: it holds nothing of people. The values of one person fit each
 * other: the city is in the state and has the ZIP. *invented: it is a name or a street, of nobody and nowhere. */
const char *catalog_personal(const struct catalog_field *field, uint64_t person, bool *invented);
/* The object field that has the field among its members, or NULL. */
const struct catalog_field *catalog_field_owner(const struct catalog_field *field);
/* The field rows by name (appKey, street), or NULL. */
const struct catalog_field *catalog_field_named(const char *name);

#endif
