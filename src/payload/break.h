/* --break: a payload with exactly one defect, the one a finding names, at a place where the event can have it. */
#ifndef CREDHOOK_PAYLOAD_BREAK_H
#define CREDHOOK_PAYLOAD_BREAK_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "payload/finding.h"

#include <stdbool.h>
#include <stddef.h>

#define BREAK_POINTER_SIZE 96
#define BREAK_PLACES_MAX   48 /* tests hold the catalogue to both */

/* A place where a finding can be made to occur. */
struct break_place {
	char pointer[BREAK_POINTER_SIZE]; /* JSON Pointer; "" is the payload as a whole */
	const struct catalog_member
	        *member; /* the field there; NULL: none is listed there, or the payload as a whole */
};

struct breakage {
	enum finding_id id;
	char *pointer;   /* owned; NULL: the first place of each event where the finding can occur */
	bool everywhere; /* at each of them, a payload for each */
	char *source;    /* owned: as the user wrote it */
};

/* Reads FINDING, FINDING:PATH or FINDING:all. Usage errors: an unknown finding (with the nearest), one that is not a
 * defect of a payload (content-type), a bad path. */
int breakage_parse(struct breakage *breakage, const char *text, struct error *err);
void breakage_release(void *breakage); /* a struct breakage; for struct option */

/* Every place of the event where the finding can be made to occur, in document order; returns how many (at most
 * BREAK_PLACES_MAX). unknown-key has one place per object that is closed, with a key to add. */
size_t break_places(struct catalog_kind kind, enum finding_id id, struct break_place places[BREAK_PLACES_MAX]);

/* The place that the breakage means in this event; of one that is everywhere that of the part, from 0 (else 0). False:
 * the finding cannot occur in it (there). */
bool break_find_place(const struct breakage *breakage, struct catalog_kind kind, size_t part,
                      struct break_place *place);

/* Breaks a valid payload of the kind, at a place that break_find_place() gave; *out gets the text. An error where the
 * place is missing because an edit removed it. */
int break_payload(enum finding_id id, const struct break_place *place, const char *text, size_t length,
                  struct buffer *out, struct error *err);

#endif
