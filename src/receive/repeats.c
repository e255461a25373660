#include "receive/repeats.h"

#include "base/buffer.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 8
#define SETS (REPEATS_MOST / WAYS)

struct seen {
	uint64_t content; /* 0: free */
	uint64_t bytes;   /* of the first */
	uint64_t of;
	uint64_t nth;
	int64_t last_us;
};

struct repeats {
	uint64_t keys[4]; /* so that nobody can choose bodies whose hashes meet */
	struct buffer text;
	struct seen seen[SETS][WAYS];
};

struct repeats *repeats_new(void)
{
	struct repeats *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	struct random random;
	random_seed_fresh(&random);
	for (size_t i = 0; i < 4; i++)
		r->keys[i] = random_next(&random) | 1;
	return r;
}

void repeats_free(struct repeats *r)
{
	if (!r)
		return;
	buffer_release(&r->text);
	free(r);
}

/* The product's two halves, one upon the other. */
static uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t folded = fold(a ^ (b + 0x9E3779B97F4A7C15u), b | 1);
	return folded * 0xD6E8FEB86659FD93u ^ folded >> 32;
}

static uint64_t word_at(const char *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
	return word;
}

/* Sixteen bytes a step, since every body is hashed twice; the last step may take some of them again. */
static uint64_t hash_bytes(const struct repeats *r, uint64_t kind, const char *bytes, size_t length)
{
	uint64_t hash = r->keys[0] ^ kind, first = 0, last = 0;
	size_t at = 0;
	for (; length - at > 16; at += 16)
		hash = fold(word_at(bytes + at) ^ r->keys[1], word_at(bytes + at + 8) ^ hash);
	if (length >= 16) {
		first = word_at(bytes + length - 16);
		last = word_at(bytes + length - 8);
	} else if (length >= 8) {
		first = word_at(bytes);
		last = word_at(bytes + length - 8);
	} else {
		for (; at < length; at++)
			first = first << 8 | (unsigned char)bytes[at];
	}
	return mix(fold(first ^ r->keys[2], last ^ hash), length ^ r->keys[3]);
}

static uint64_t hash_value(struct repeats *r, const struct json_doc *doc, uint32_t token);

static uint64_t hash_string(struct repeats *r, const struct json_doc *doc, uint32_t token)
{
	const struct json_token *t = &doc->tokens[token];
	if (!(t->flags & JSON_ESCAPED))
		return hash_bytes(r, JSON_STRING, doc->text + t->start + 1, t->end - t->start - 2);
	buffer_clear(&r->text);
	json_string_decode(doc, token, &r->text);
	return hash_bytes(r, JSON_STRING, buffer_text(&r->text), r->text.length);
}

/* The members in any order, the elements in theirs. The reader bounds the depth. */
static uint64_t hash_container(struct repeats *r, const struct json_doc *doc, uint32_t token)
{
	const struct json_token *t = &doc->tokens[token];
	bool is_object = t->type == JSON_OBJECT;
	uint64_t hash = r->keys[t->type & 3];
	for (uint32_t at = token + 1; at < t->next;) {
		uint64_t key = 0;
		if (is_object) {
			key = hash_string(r, doc, at);
			at = doc->tokens[at].next;
		}
		uint64_t value = hash_value(r, doc, at);
		at = doc->tokens[at].next;
		hash = is_object ? hash + mix(key, value) : mix(hash, value);
	}
	return mix(hash, r->keys[3]);
}

static uint64_t hash_value(struct repeats *r, const struct json_doc *doc, uint32_t token)
{
	const struct json_token *t = &doc->tokens[token];
	switch (t->type) {
	case JSON_STRING:
		return hash_string(r, doc, token);
	case JSON_ARRAY:
	case JSON_OBJECT:
		return hash_container(r, doc, token);
	default:
		return hash_bytes(r, t->type, doc->text + t->start, t->end - t->start);
	}
}

/* Its place, or that of the oldest. */
static struct seen *find(struct repeats *r, uint64_t content)
{
	struct seen *set = r->seen[content % SETS], *oldest = &set[0];
	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].content == content)
			return &set[i];
		if (set[i].last_us < oldest->last_us)
			oldest = &set[i];
	}
	return oldest;
}

struct repeat_key repeats_key(struct repeats *r, const char *body, size_t length, const struct json_doc *doc)
{
	struct repeat_key key = { .bytes = hash_bytes(r, 255, body, length) };
	key.content = doc && doc->count > 0 ? hash_value(r, doc, 0) : key.bytes;
	key.content = key.content ? key.content : 1;
	return key;
}

struct repeat repeats_note(struct repeats *r, struct repeat_key key, uint64_t seq, int64_t now_us)
{
	struct seen *s = find(r, key.content);
	struct repeat repeat = { .nth = 0 };
	if (s->content == key.content) {
		repeat = (struct repeat){ ++s->nth, s->of, now_us - s->last_us, s->bytes == key.bytes };
		s->last_us = now_us;
	} else {
		*s = (struct seen){ key.content, key.bytes, seq, 0, now_us };
	}
	return repeat;
}
