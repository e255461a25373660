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
	const struct redact_policy *policy;
	bool identifiers_only;
	struct redact_counts counts;
	uint64_t *rule_counts; /* counts.rules */
	struct proof proof;
	struct json_doc doc;
	size_t copied;         /* of the payload's bytes, into *out */
	struct buffer *out;    /* of the payload */
	struct buffer path;    /* JSON Pointer of the member under way, if the policy has rules */
	struct buffer decoded; /* a string with escapes */
	struct buffer fake;
	size_t name_lengths[REDACT_FIELDS]; /* of catalog_fields */
	/* Of a message: */
	struct buffer body;
	struct buffer texts; /* all others, one after the other */
	struct redact_header *headers;
	size_t header_capacity;
	struct buffer segment;
};

/* Counts a value that is replaced, and keeps it for the proof. */
void redact_note(struct redactor *r, unsigned place, const char *text, size_t length, bool is_number);
/* A short code that people need not be protected from: letters, a little punctuation, and few digits. */
bool redact_is_code(const char *text, size_t length);

#endif
