/*
 * The proof of a redaction: each original value is looked for in what is to be written.
 *
 * Values are added as they are replaced, then the written bytes are searched for all of them in one pass: as they are,
 * escaped for JSON, in other case, as a UUID without dashes, percent-encoded, in hexadecimal and in base64 at each of
 * its three offsets. A number counts only where no digit or letter is beside it. A value that is part of a text that is
 * kept is not a leak, and neither is one that the fake of another value contains by chance; but one that its own fake
 * contains is, whatever is kept.
 */
#ifndef CREDHOOK_REDACT_PROOF_H
#define CREDHOOK_REDACT_PROOF_H

#include "base/buffer.h"
#include "base/text.h"
#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proof_result {
	PROOF_FAILED = -1, /* out of memory */
	PROOF_NONE,        /* none of the values is in it */
	PROOF_FOUND,       /* `place` of one that is */
	PROOF_UNDECIDED,   /* the search would take too long: hostile values */
};

struct proof_original {
	size_t at; /* in proof.text */
	size_t length;
	unsigned place; /* the caller's */
	bool is_number;
	bool was_found; /* where that says nothing */
	unsigned kept;  /* the place where it is kept; PROOF_COMMON: nowhere, or it is a word that all have */
};

#define PROOF_PLACES 128 /* of the caller, at most */
#define PROOF_COMMON PROOF_PLACES

/* Texts that are kept, up to the next. */
struct proof_kept {
	size_t end; /* in proof.kept */
	unsigned place;
};

struct proof_fake {
	size_t at; /* in proof.made: the original, then its fake */
	size_t original_length;
	size_t length;
};

struct proof_pattern {
	size_t at; /* in proof.text, folded */
	size_t length;
	uint32_t original;
	uint32_t next;   /* of the same hash */
	bool is_bounded; /* a number as it is */
};

#define PROOF_RECENT 256

/* Zero-initialise. Memory is used again. */
struct proof {
	struct proof_original *originals;
	size_t count;
	size_t capacity;
	uint32_t recent[PROOF_RECENT]; /* originals by hash: most duplicates are recognised by it */
	struct proof_pattern *patterns;
	size_t pattern_count;
	size_t pattern_capacity;
	uint32_t *heads;   /* by hash */
	size_t head_count; /* in use: a power of two */
	size_t head_capacity;
	struct buffer text;
	struct buffer searched;
	size_t longest_hex, longest_base64; /* the longest runs of such characters in it */
	bool searched_has_percent;
	unsigned char classes[256]; /* of characters, once needed */
	struct buffer scratch;
	struct json_doc doc;
	uint64_t checked;                /* ever; duplicates count once */
	uint64_t unchecked;              /* too short, or common and found */
	uint64_t also_kept;              /* found where they are kept, */
	bool also_kept_at[PROOF_PLACES]; /* and there */
	unsigned place;                  /* after PROOF_FOUND */
	bool is_kept_by_fake;            /* a value is in its own fake: `place` has it */
	struct proof_fake *fakes;
	size_t fake_count;
	size_t fake_capacity;
	struct buffer made;
	struct buffer kept; /* texts, with a NUL between two */
	struct proof_kept *kept_ends;
	size_t kept_count;
	size_t kept_capacity;
	size_t made_folded, kept_folded; /* bytes of them that are folded */
	uint64_t steps;                  /* what is left of them, see PROOF_UNDECIDED */
};

void proof_release(struct proof *proof);
void proof_begin(struct proof *proof); /* drops the values of the record before */
/* A value that is replaced, and by what. */
void proof_add(struct proof *proof, struct text value, unsigned place, bool is_number, struct text fake);
/* The beginning or the end of a value that was added, where the text ends or begins with it: the cut has split it. */
void proof_add_split(struct proof *proof, struct text text, unsigned place);
/* A text that is written whatever the values are: kept at a place, or PROOF_COMMON. */
void proof_keep(struct proof *proof, unsigned place, const char *text, size_t length);
/* Looks for all of them in the written bytes, and in the strings of a JSON document among them (length 0: there is
 * none) with its escapes resolved. */
enum proof_result proof_search(struct proof *proof, const char *written, size_t length, const char *json,
                               size_t json_length);

#endif
