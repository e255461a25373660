#include "redact/redact_policy.h"

#include "base/nearest.h"
#include "base/utf8.h"
#include "json/located.h"
#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

/* What the file says of a field, by name. */
static const struct redact_class {
	const char *name;
	enum redact_action action;
	enum catalog_privacy privacy;
} classes[] = {
	{ "keep", REDACT_KEEP, CATALOG_PLAIN },          { "drop", REDACT_DROP, CATALOG_PLAIN },
	{ "identifier", REDACT_AS, CATALOG_IDENTIFIER }, { "name", REDACT_AS, CATALOG_NAME },
	{ "state", REDACT_AS, CATALOG_STATE },           { "postal-code", REDACT_AS, CATALOG_POSTAL_CODE },
	{ "credit", REDACT_AS, CATALOG_CREDIT },         { "unlisted", REDACT_AS, CATALOG_UNLISTED },
};
#define CLASSES (sizeof classes / sizeof classes[0])

struct reader {
	struct redact_policy *policy;
	const char *what;
	struct json_doc doc;
	struct buffer text; /* a decoded string */
	struct error *err;
};

static void release_reader(struct reader *r)
{
	json_doc_release(&r->doc);
	buffer_release(&r->text);
}

static void release_words(struct redact_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
}

void redact_policy_release(struct redact_policy *policy)
{
	for (size_t i = 0; i < policy->rule_count; i++)
		buffer_release(&policy->rules[i].pointer);
	free(policy->rules);
	release_words(&policy->headers);
	release_words(&policy->path);
	*policy = (struct redact_policy){ .rules = NULL };
}

static int add_word(struct redact_words *words, const char *text, size_t length, struct error *err)
{
	char **grown = array_grow(words->items, &words->capacity, words->count + 1, sizeof *grown);
	if (!grown)
		return error_no_memory(err);
	words->items = grown;
	grown[words->count] = strndup(text, length);
	return grown[words->count++] ? 0 : error_no_memory(err);
}

static int refuse(struct reader *r, uint32_t token, const char *problem)
{
	struct json_place place = json_place_of(r->doc.text, r->doc.length, r->doc.tokens[token].start);
	return error_set(r->err, EXIT_CODE_USAGE, "%s:%zu:%zu: %s", r->what, place.line, place.column, problem);
}

/* The decoded text of a string token, in r->text. NULL: it is not one, or has a NUL. */
static const char *text_of(struct reader *r, uint32_t token)
{
	buffer_clear(&r->text);
	if (r->doc.tokens[token].type != JSON_STRING)
		return NULL;
	json_string_decode(&r->doc, token, &r->text);
	const char *text = buffer_text(&r->text);
	return strlen(text) == r->text.length ? text : NULL;
}

static int refuse_name(struct reader *r, uint32_t token, const char *kind, const char *nearest, const char *hint)
{
	const char *name = text_of(r, token);
	LOCAL_BUFFER problem = BUFFER_INIT;
	buffer_append_byte(&problem, '\'');
	utf8_append_safe(&problem, name ? name : "", name ? strnlen(name, ERROR_QUOTED_MAX) : 0);
	buffer_printf(&problem, "' is not a %s", kind);
	refuse(r, token, buffer_text(&problem));
	return nearest ? error_hint(r->err, "did you mean %s?", nearest) : error_hint(r->err, "%s", hint);
}

/* Which of the classes the value of a field is; NULL: none, with *r->err. */
static const struct redact_class *read_class(struct reader *r, uint32_t value)
{
	struct nearest nearest;
	const char *name = text_of(r, value);
	if (!name) {
		refuse(r, value, "expected a string");
		return NULL;
	}
	nearest_init(&nearest, name, r->text.length);
	for (size_t i = 0; i < CLASSES; i++) {
		if (strcmp(classes[i].name, name) == 0)
			return &classes[i];
		nearest_offer(&nearest, classes[i].name);
	}
	refuse_name(r, value, "way to redact", nearest_result(&nearest),
	            "write keep, drop, identifier, name, state, postal-code, credit or unlisted");
	return NULL;
}

static int read_field(struct reader *r, uint32_t key)
{
	struct redact_policy *p = r->policy;
	const struct redact_class *class = read_class(r, key + 1);
	if (!class)
		return -1;
	const char *path = text_of(r, key);
	if (!path)
		return refuse(r, key, "a field path cannot have a NUL");
	struct redact_rule *grown = array_grow(p->rules, &p->rule_capacity, p->rule_count + 1, sizeof *grown);
	if (!grown)
		return error_no_memory(r->err);
	p->rules = grown;
	struct redact_rule *rule = &grown[p->rule_count++];
	*rule = (struct redact_rule){ BUFFER_INIT, class->action, class->privacy };
	struct error why;
	if (edit_pointer(path, &rule->pointer, &why) < 0) {
		refuse(r, key, why.message);
		return why.hint[0] ? error_hint(r->err, "%s", why.hint) : -1;
	}
	if (redact_policy_rule(p, &rule->pointer) != rule)
		return refuse(r, key, "there is already a rule for this field");
	return 0;
}

static int read_fields(struct reader *r, uint32_t object)
{
	if (r->doc.tokens[object].type != JSON_OBJECT)
		return refuse(r, object, "expected an object of field paths");
	for (uint32_t key = object + 1; key < r->doc.tokens[object].next; key = r->doc.tokens[key + 1].next)
		if (read_field(r, key) < 0)
			return -1;
	return 0;
}

static int read_words(struct reader *r, uint32_t array, bool are_segments, struct redact_words *words)
{
	if (r->doc.tokens[array].type != JSON_ARRAY)
		return refuse(r, array, "expected an array of strings");
	for (uint32_t at = array + 1; at < r->doc.tokens[array].next; at = r->doc.tokens[at].next) {
		const char *word = text_of(r, at);
		if (!word || !*word)
			return refuse(r, at, "expected a string");
		if (are_segments && strchr(word, '/'))
			return refuse(r, at, "expected a segment of a path, without '/'");
		if (add_word(words, word, r->text.length, r->err) < 0)
			return -1;
	}
	return 0;
}

static int read_policy(struct reader *r)
{
	if (r->doc.tokens[0].type != JSON_OBJECT)
		return refuse(r, 0, "expected an object");
	for (uint32_t key = 1; key < r->doc.tokens[0].next; key = r->doc.tokens[key + 1].next) {
		int result;
		if (json_string_is(&r->doc, key, "fields", 6))
			result = read_fields(r, key + 1);
		else if (json_string_is(&r->doc, key, "headers", 7))
			result = read_words(r, key + 1, false, &r->policy->headers);
		else if (json_string_is(&r->doc, key, "path", 4))
			result = read_words(r, key + 1, true, &r->policy->path);
		else
			result = refuse_name(r, key, "key of a redaction policy", NULL,
			                     "the keys are fields, headers and path");
		if (result < 0)
			return -1;
	}
	return 0;
}

int redact_policy_read(struct redact_policy *policy, const char *what, const char *text, size_t length,
                       struct error *err)
{
	LOCAL(release_reader) struct reader r = { .policy = policy, .what = what, .doc = JSON_DOC_INIT, .err = err };
	struct json_fault fault;
	if (!json_read(&r.doc, text, length, &fault)) {
		struct json_place place = json_place_of(text, length, fault.offset);
		return error_set(err, EXIT_CODE_USAGE, "%s:%zu:%zu: %s", what, place.line, place.column, fault.reason);
	}
	return read_policy(&r);
}

const struct redact_rule *redact_policy_rule(const struct redact_policy *policy, const struct buffer *pointer)
{
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct redact_rule *rule = &policy->rules[i];
		if (rule->pointer.length == pointer->length &&
		    memcmp(rule->pointer.data, pointer->data, pointer->length) == 0)
			return rule;
	}
	return NULL;
}

const char *redact_rule_name(const struct redact_rule *rule)
{
	size_t i = 0;
	while (classes[i].action != rule->action || classes[i].privacy != rule->privacy)
		i++;
	return classes[i].name;
}

int redact_policy_keep_path(struct redact_policy *policy, const char *path, struct error *err)
{
	while (*path) {
		size_t length = strcspn(path, "/");
		if (length > 0 && add_word(&policy->path, path, length, err) < 0)
			return -1;
		path += length + (path[length] == '/');
	}
	return 0;
}
