/* Making valid payloads from the catalogue's rows. */
#ifndef CREDHOOK_PAYLOAD_BUILD_H
#define CREDHOOK_PAYLOAD_BUILD_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whose payload it is. The payloads of one seed are those of one application, with one appKey; those of one customer
 * have the same clientKey, userId, authToken, reportKey and displayToken wherever an event lists them, so that each
 * event refers to what the earlier ones created. That is ours: the specification says what each field identifies
 * (section 2.2), and nothing of how notifications refer to each other. So is that clientKey and userId are UUIDs in all
 * events, of which it says so in user-created only.
 */
struct story {
	uint64_t seed;
	uint64_t customer; /* from 1 */
	uint64_t serial; /* among the payloads of this kind, from 1: numbers what each event has for itself (alertId) */
	bool as_specified;  /* names and addresses as the specification spells them: <FIRST_NAME>; else as people do */
	const char *suffix; /* what invented names and streets end in, streets behind a space; NULL: nothing more */
	/* Appends the value of a member as JSON text, unless it is to be as described here: false. NULL: they all are.
	 */
	bool (*append_value)(void *context, const struct catalog_member *member, struct buffer *out);
	void *context;
};

/* Appends a valid payload of the kind as compact JSON text, keys in the specification's order: the same story gives the
 * same bytes. An event with elements and none chosen gets its first one. What the specification leaves open gets a
 * value that is plainly a sample. */
int build_payload(struct catalog_kind kind, const struct story *story, struct buffer *out, struct error *err);

#endif
