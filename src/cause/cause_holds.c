/* Facts of requests that are in no table. */
#include "base/hash.h"
#include "cause/cause.h"

#include <string.h>

void cause_history_release(struct cause_history *history)
{
	id_set_release(&history->seen);
}

/* What a later request is compared by. */
static struct id id_of(enum fact_kind kind, uint16_t keys, uint64_t value)
{
	uint64_t parts[2] = { (uint64_t)kind << 16 | keys, value };
	struct id id;
	memcpy(id.bytes, parts, sizeof id.bytes);
	return id;
}

static struct id id_of_keys(const struct cause_fact *fact, const struct fact_keys *keys)
{
	uint64_t hash = HASH_FNV1A;
	for (size_t key = 0; key < fact_key_count(); key++)
		if (fact->keys >> key & 1)
			hash = hash_fnv1a(hash, &keys->values[key], sizeof keys->values[key]);
	return id_of(fact->kind, fact->keys, hash);
}

static bool has_all(const struct cause_fact *fact, const struct fact_keys *keys)
{
	for (size_t key = 0; key < fact_key_count(); key++)
		if (fact->keys >> key & 1 && keys->values[key] == 0)
			return false;
	return true;
}

/* The key that a fact of FACT_NEW or FACT_TAKEN is about. */
static size_t key_of(const struct cause_fact *fact)
{
	size_t key = FACT_ENVELOPE;
	while (key + 1 < fact_key_count() && !(fact->keys >> key & 1))
		key++;
	return key;
}

static bool add_id(struct cause_history *history, struct id id)
{
	return id_set_add(&history->seen, id.bytes) != ID_NONE;
}

/* Notes what the request has begun under the key. */
static bool add_begun(struct cause_history *history, const struct fact_keys *keys, size_t key)
{
	bool begins = keys->values[key] != 0 && !(keys->refer >> key & 1);
	return !begins || add_id(history, id_of(FACT_NEW, 0, keys->values[key]));
}

/* That somebody has a value, or this customer, of FACT_TAKEN. */
static struct id id_of_owner(const struct fact_keys *keys, size_t key, bool is_anybody)
{
	const uint64_t *customer = &keys->values[FACT_CUSTOMER];
	uint64_t value = keys->values[key];
	return id_of(FACT_TAKEN, is_anybody, is_anybody ? value : hash_fnv1a(value, customer, sizeof *customer));
}

static bool is_owned(const struct cause_history *history, const struct fact_keys *keys, size_t key, bool is_anybody)
{
	struct id id = id_of_owner(keys, key, is_anybody);
	return id_set_find(&history->seen, id.bytes) != ID_NONE;
}

/* Who has it first owns it. */
static bool add_owner(struct cause_history *history, const struct fact_keys *keys, size_t key)
{
	bool has_it = keys->values[key] != 0 && !(keys->refer >> key & 1) && keys->values[FACT_CUSTOMER] != 0;
	return !has_it || is_owned(history, keys, key, true) ||
	       (add_id(history, id_of_owner(keys, key, true)) && add_id(history, id_of_owner(keys, key, false)));
}

static bool was_taken(const struct cause_history *history, const struct fact_keys *keys, size_t key)
{
	return keys->values[key] != 0 && keys->values[FACT_CUSTOMER] != 0 && is_owned(history, keys, key, true) &&
	       !is_owned(history, keys, key, false);
}

static void ignore_fact(void *context, enum fact_kind kind, const char *subject, const char *value)
{
	(void)context, (void)kind, (void)subject, (void)value;
}

static void ignore_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	(void)context, (void)kind, (void)subject, (void)number;
}

int cause_history_add(struct cause_history *history, const struct cause_fact *facts, size_t count,
                      const struct fact_request *request, struct error *err)
{
	const struct fact_sink sink = { ignore_fact, ignore_measure, NULL };
	struct fact_keys keys;
	bool looks_back = false, added = true;
	for (size_t i = 0; i < count; i++)
		looks_back |= facts[i].kind <= FACT_NEW;
	if (!looks_back)
		return 0;
	if (!facts_of(request, &sink, &keys))
		return error_no_memory(err);
	for (size_t i = 0; i < count && added; i++) {
		const struct cause_fact *fact = &facts[i];
		if (fact->kind == FACT_REPEAT)
			added = add_id(history, id_of(FACT_REPEAT, 0, hash_bytes(request->body, request->length)));
		else if (fact->kind == FACT_AFTER || (fact->kind == FACT_AFTER_PRESENT && has_all(fact, &keys)))
			added = add_id(history, id_of_keys(fact, &keys));
		else if (fact->kind == FACT_TAKEN)
			added = add_owner(history, &keys, key_of(fact));
		else if (fact->kind == FACT_NEW)
			added = add_begun(history, &keys, key_of(fact)) &&
			        add_begun(history, &keys, fact_key_referred(key_of(fact)));
	}
	return added ? 0 : error_no_memory(err);
}

/* The facts that are looked for in one request. */
struct looking {
	const struct cause_fact *facts;
	size_t count;
	unsigned holds;
};

static void on_fact(void *context, enum fact_kind kind, const char *subject, const char *value)
{
	struct looking *l = context;
	for (size_t i = 0; i < l->count; i++)
		if (l->facts[i].kind == kind && strcmp(l->facts[i].subject, subject) == 0 &&
		    strcmp(l->facts[i].value, value) == 0)
			l->holds |= 1u << i;
}

static void on_measure(void *context, enum fact_kind kind, const char *subject, double number)
{
	struct looking *l = context;
	for (size_t i = 0; i < l->count; i++) {
		const struct cause_fact *fact = &l->facts[i];
		bool is_beyond = kind == FACT_UNDER ? number < fact->limit : number > fact->limit;
		if (fact->kind == kind && strcmp(fact->subject, subject) == 0 && is_beyond)
			l->holds |= 1u << i;
	}
}

/* Whether what came before makes the fact true. */
static bool holds_behind(const struct cause_fact *fact, const struct fact_request *request,
                         const struct fact_keys *keys, const struct cause_history *history)
{
	struct id id;
	switch (fact->kind) {
	case FACT_REPEAT:
		id = id_of(FACT_REPEAT, 0, hash_bytes(request->body, request->length));
		return id_set_find(&history->seen, id.bytes) != ID_NONE;
	case FACT_AFTER_PRESENT:
	case FACT_AFTER:
		id = id_of_keys(fact, keys);
		return (fact->kind == FACT_AFTER || has_all(fact, keys)) &&
		       id_set_find(&history->seen, id.bytes) != ID_NONE;
	case FACT_TAKEN:
		return was_taken(history, keys, key_of(fact));
	case FACT_NEW:
		id = id_of(FACT_NEW, 0, keys->values[key_of(fact)]);
		return keys->refer >> key_of(fact) & 1 && id_set_find(&history->seen, id.bytes) == ID_NONE;
	default:
		return false;
	}
}

int cause_facts_hold(const struct cause_fact *facts, size_t count, const struct fact_request *request,
                     const struct cause_history *history, unsigned *holds, struct error *err)
{
	struct looking looking = { .facts = facts, .count = count };
	const struct fact_sink sink = { on_fact, on_measure, &looking };
	struct fact_keys keys;
	if (!facts_of(request, &sink, &keys))
		return error_no_memory(err);
	for (size_t i = 0; i < count; i++)
		if (holds_behind(&facts[i], request, &keys, history))
			looking.holds |= 1u << i;
	*holds = looking.holds;
	return 0;
}
