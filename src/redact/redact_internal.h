/* What the files of redaction share: redact.c walks payloads, redact_message.c has the requests around them. */
#ifndef CREDHOOK_REDACT_REDACT_INTERNAL_H
#define CREDHOOK_REDACT_REDACT_INTERNAL_H

#include "json/located.h"
#include "redact/fake.h"
#include "redact/proof.h"
#include "redact/redact.h"

struct redactor {
	struct hmac *hmac;
	struct faker faker;
	bool identifiers_only;
	struct redact_keep {
		struct buffer pointer; /* JSON Pointer */
		bool was_used;
	} * keeps;
	size_t keep_count;
	size_t keep_capacity;
	struct proof proof;
	struct json_doc doc;
	size_t copied;         /* of the payload's bytes, into *out */
	struct buffer *out;    /* of the payload */
	struct buffer path;    /* JSON Pointer of the member under way, if some are to be kept */
	struct buffer decoded; /* a string with escapes */
	struct buffer fake;
	size_t name_lengths[REDACT_FIELDS]; /* of catalog_fields */
	/* Of a message: */
	struct buffer body;
	struct buffer texts; /* all others, one after the other */
	struct header *headers;
	size_t header_capacity;
	struct buffer segment;
};

/* For the proof: a value that is replaced, with its fake; and one that is kept. */
void redact_note(struct redactor *r, struct proof_value value, const char *fake, size_t fake_length);
void redact_note_kept(struct redactor *r, const char *text, size_t length);

#endif
