/*
 * What a user wants redacted otherwise than the catalogue says, as JSON:
 *
 *   {"fields":  {"details.bureau": "identifier", "details.alertDetails.note": "keep"},
 *    "headers": ["User-Agent"],
 *    "path":    ["hook"]}
 *
 * `fields` says what becomes of a member and all that is in it: "keep" it, "drop" it, or treat it as an "identifier", a
 * "name", a "state", a "postal-code", "credit" data (numbers replaced, keys kept) or "unlisted" (keys replaced too).
 * A rule for a part of it wins over it, unless it is dropped.
 * `headers` are kept with their values, `path` lists segments of request paths that are kept.
 */
#ifndef CREDHOOK_REDACT_REDACT_POLICY_H
#define CREDHOOK_REDACT_REDACT_POLICY_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stddef.h>

enum redact_action {
	REDACT_AS, /* as its privacy says */
	REDACT_KEEP,
	REDACT_DROP,
};

struct redact_rule {
	struct buffer pointer; /* JSON Pointer */
	enum redact_action action;
	enum catalog_privacy privacy; /* REDACT_AS */
};

struct redact_words {
	char **items; /* owned */
	size_t count;
	size_t capacity;
};

/* Zero-initialised, it keeps nothing. */
struct redact_policy {
	struct redact_rule *rules;
	size_t rule_count;
	size_t rule_capacity;
	struct redact_words headers; /* in any case */
	struct redact_words path;
};

/* Adds what the text says. EXIT_CODE_USAGE: not JSON, an unknown key or value, two rules for a field, with `what`, line
 * and column. */
int redact_policy_read(struct redact_policy *policy, const char *what, const char *text, size_t length,
                       struct error *err);
/* The rule for the member at this JSON Pointer; NULL: none. */
const struct redact_rule *redact_policy_rule(const struct redact_policy *policy, const struct buffer *pointer);
/* What the policy says there: "keep", "identifier", ... */
const char *redact_rule_name(const struct redact_rule *rule);
/* Adds the segments of a path: "/hook/v1". */
int redact_policy_keep_path(struct redact_policy *policy, const char *path, struct error *err);
void redact_policy_release(struct redact_policy *policy);

#endif
