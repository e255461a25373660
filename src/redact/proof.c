#include "redact/proof.h"

#include "base/ascii.h"
#include "base/find.h"
#include "base/hash.h"
#include "payload/form.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NONE       UINT32_MAX
#define WINDOW     6    /* bytes of a pattern that are hashed; no pattern is shorter */
#define KEPT       64   /* bytes of a value: finding its beginning is enough */
#define HEADS      1024 /* at least */
#define BATCH      ((size_t)4 << 20)
#define STEPS      ((uint64_t)1 << 20)
#define STEPS_PER  8 /* byte searched */
#define STEP_BYTES 64

/* A value is looked for if there are 10^8 like it: by chance it is in a record once in millions of them. */
#define BITS_LEAST     264 /* tenths: eight digits, six letters */
#define BITS_DIGIT     33
#define BITS_LETTER    47
#define BITS_OTHER     50 /* a byte outside ASCII */
#define DISTINCT_LEAST 3

void proof_release(struct proof *p)
{
	free(p->originals);
	free(p->patterns);
	free(p->heads);
	free(p->fakes);
	free(p->kept_ends);
	buffer_release(&p->made);
	buffer_release(&p->kept);
	buffer_release(&p->text);
	buffer_release(&p->searched);
	buffer_release(&p->scratch);
	json_doc_release(&p->doc);
	*p = (struct proof){ .originals = NULL };
}

void proof_begin(struct proof *p)
{
	p->is_kept_by_fake = false;
	p->count = p->fake_count = p->kept_count = p->kept_folded = p->made_folded = 0;
	buffer_clear(&p->text);
	buffer_clear(&p->made);
	buffer_clear(&p->kept);
}

/* What is compared: lower case, and base64 in its usual alphabet. */
static char fold(char c)
{
	return c == '-' ? '+' : c == '_' ? '/' : ascii_lower(c);
}

/* From `from` on. Without a branch in sight, and the bytes by a local name, so that compilers fold many at once. */
static void fold_from(struct buffer *b, size_t from)
{
	char *bytes = b->data;
	for (size_t i = from, end = b->length; i < end; i++)
		bytes[i] = fold(bytes[i]);
}

static int tenths_of(char c)
{
	return ascii_is_digit(c) ? BITS_DIGIT : ascii_is_letter(c) ? BITS_LETTER : (c & 0x80) != 0 ? BITS_OTHER : 0;
}

static bool is_worth(const char *text, size_t length)
{
	char seen[DISTINCT_LEAST];
	size_t distinct = 0;
	int tenths = 0;
	for (size_t i = 0; i < length; i++) {
		int worth = tenths_of(text[i]);
		tenths += worth;
		if (worth > 0 && distinct < DISTINCT_LEAST && !memchr(seen, text[i], distinct))
			seen[distinct++] = text[i];
	}
	return tenths >= BITS_LEAST && distinct == DISTINCT_LEAST;
}

void proof_keep(struct proof *p, unsigned place, const char *text, size_t length)
{
	buffer_append(&p->kept, text, length);
	buffer_append_byte(&p->kept, '\0');
	if (p->kept_count == 0 || p->kept_ends[p->kept_count - 1].place != place) {
		if (!ARRAY_ROOM(p->kept_ends, p->kept_capacity, p->kept_count + 1)) {
			p->kept.failed = true;
			return;
		}
		p->kept_ends[p->kept_count++].place = place;
	}
	p->kept_ends[p->kept_count - 1].end = p->kept.length;
}

/* In any case. */
static bool has_value(struct text text, struct text value)
{
	for (size_t at = 0; at + value.length <= text.length; at++)
		if (fold(text.text[at]) == fold(*value.text) &&
		    strncasecmp(text.text + at, value.text, value.length) == 0)
			return true;
	return false;
}

void proof_add(struct proof *p, struct text v, unsigned place, bool is_number, struct text fake)
{
	if (p->text.failed || !ARRAY_ROOM(p->fakes, p->fake_capacity, p->fake_count + 1) ||
	    !ARRAY_ROOM(p->originals, p->capacity, p->count + 1)) {
		p->text.failed = true;
		return;
	}
	p->fakes[p->fake_count++] = (struct proof_fake){ p->made.length, v.length, fake.length };
	buffer_append(&p->made, v.text, v.length);
	buffer_append(&p->made, fake.text, fake.length);
	while (v.length > 0 && tenths_of(*v.text) == 0) {
		v.text++;
		v.length--;
	}
	if (v.length > KEPT)
		v.length = KEPT;
	if (!is_worth(v.text, v.length)) {
		p->unchecked++;
		return;
	}
	/* What is said of values that are kept elsewhere does not excuse one that stayed in its own place. */
	if (!p->is_kept_by_fake && has_value(fake, v)) {
		p->is_kept_by_fake = true;
		p->place = place;
	}
	uint32_t *recent = &p->recent[hash_bytes(v.text, v.length) % PROOF_RECENT];
	const struct proof_original *o = *recent < p->count ? &p->originals[*recent] : NULL;
	if (o && o->length == v.length && o->is_number == is_number &&
	    memcmp(p->text.data + o->at, v.text, v.length) == 0)
		return;
	*recent = (uint32_t)p->count;
	p->originals[p->count++] =
	        (struct proof_original){ p->text.length, v.length, place, is_number, false, PROOF_COMMON };
	buffer_append(&p->text, v.text, v.length);
}

void proof_add_split(struct proof *p, struct text text, unsigned place)
{
	for (size_t i = 0, count = p->count; i < count && !p->text.failed; i++) {
		const struct proof_original o = p->originals[i];
		size_t most = o.length - 1 < text.length ? o.length - 1 : text.length;
		char part[KEPT];
		for (size_t length = most; length >= WINDOW; length--) {
			const char *value = p->text.data + o.at, *tail = value + o.length - length;
			bool is_end = strncasecmp(text.text + text.length - length, value, length) == 0;
			if (!is_end && strncasecmp(text.text, tail, length) != 0)
				continue;
			memcpy(part, is_end ? value : tail, length);
			proof_add(p, (struct text){ part, length }, place, false, (struct text)TEXT(""));
			break;
		}
	}
}

static size_t hash_of(const char *at)
{
	uint32_t first;
	uint16_t last;
	memcpy(&first, at, sizeof first);
	memcpy(&last, at + sizeof first, WINDOW - sizeof first);
	return ((uint64_t)last << 32 | first) * UINT64_C(0x9E3779B97F4A7C15) >> 40;
}

/* Ends the pattern that was written into p->scratch since `at`. */
static void add_pattern(struct proof *p, size_t at, uint32_t original, bool is_bounded)
{
	if (!ARRAY_ROOM(p->patterns, p->pattern_capacity, p->pattern_count + 1) || p->scratch.failed) {
		p->scratch.failed = true;
		return;
	}
	fold_from(&p->scratch, at);
	p->patterns[p->pattern_count++] =
	        (struct proof_pattern){ at, p->scratch.length - at, original, NONE, is_bounded };
}

static void append_hex(struct buffer *out, char byte)
{
	buffer_append_byte(out, ASCII_HEX[(unsigned char)byte >> 4]);
	buffer_append_byte(out, ASCII_HEX[byte & 0x0F]);
}

/* Nothing if no byte needs it, unless all are to have it. */
static void add_percent(struct proof *p, const char *text, size_t length, bool all, uint32_t original)
{
	size_t at = p->scratch.length;
	for (size_t i = 0; i < length; i++) {
		bool is_plain = !all && ascii_is_unreserved(text[i]);
		buffer_append_byte(&p->scratch, is_plain ? text[i] : '%');
		if (!is_plain)
			append_hex(&p->scratch, text[i]);
	}
	if (p->scratch.length - at > length)
		add_pattern(p, at, original, false);
	else
		p->scratch.length = at;
}

/* The characters that only this text decides, `offset` bytes behind the beginning of a group of three. */
static void add_base64(struct proof *p, const char *text, size_t length, size_t offset, uint32_t original)
{
	size_t at = p->scratch.length, first = (8 * offset + 5) / 6;
	char bytes[3 + KEPT] = "";
	memcpy(bytes + offset, text, length);
	buffer_append_base64(&p->scratch, bytes, offset + length);
	if (p->scratch.failed)
		return;
	p->scratch.length = at + 8 * (offset + length) / 6;
	add_pattern(p, at + first, original, false);
}

/* Or may be: bytes that are not UTF-8 are replaced. */
static bool is_escaped_in_json(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == '"' || text[i] == '\\' || text[i] < 0x20 || text[i] >= 0x7F)
			return true;
	return false;
}

/* Only those that the written bytes have the characters for: most encodings of most values are too long. */
static void add_patterns(struct proof *p, uint32_t index)
{
	const struct proof_original *o = &p->originals[index];
	const char *text = p->text.data + o->at;
	size_t at = p->scratch.length;
	buffer_append(&p->scratch, text, o->length);
	add_pattern(p, at, index, o->is_number);
	if (is_escaped_in_json(text, o->length)) {
		at = p->scratch.length;
		json_append_string(&p->scratch, text, o->length);
		buffer_consume_end(&p->scratch, 1); /* the quote at the end; at + 1 skips the first */
		if (!p->scratch.failed && p->scratch.length - at > o->length + 1)
			add_pattern(p, at + 1, index, false);
	}
	if (p->longest_hex >= 32 && form_is_uuid(text, o->length)) {
		at = p->scratch.length;
		for (size_t i = 0; i < o->length; i++)
			if (text[i] != '-')
				buffer_append_byte(&p->scratch, text[i]);
		add_pattern(p, at, index, false);
	}
	if (p->searched_has_percent) {
		add_percent(p, text, o->length, false, index);
		add_percent(p, text, o->length, true, index);
	}
	if (p->longest_hex >= 2 * o->length) {
		at = p->scratch.length;
		for (size_t i = 0; i < o->length; i++)
			append_hex(&p->scratch, text[i]);
		add_pattern(p, at, index, false);
	}
	/* Each of the three leaves out less than two characters. */
	for (size_t offset = 0; offset < 3 && p->longest_base64 + 2 > o->length * 4 / 3; offset++)
		add_base64(p, text, o->length, offset, index);
}

static bool link_patterns(struct proof *p)
{
	size_t count = HEADS;
	while (count < 4 * p->pattern_count)
		count *= 2;
	if (!ARRAY_ROOM(p->heads, p->head_capacity, count))
		return false;
	p->head_count = count;
	memset(p->heads, 0xFF, p->head_count * sizeof *p->heads); /* NONE */
	for (uint32_t i = 0; i < p->pattern_count; i++) {
		uint32_t *head = &p->heads[hash_of(p->scratch.data + p->patterns[i].at) % count];
		p->patterns[i].next = *head;
		*head = i;
	}
	return true;
}

/* Folds what was added since the last time: only a match asks for it. */
static void fold_rest(struct buffer *text, size_t *folded)
{
	fold_from(text, *folded);
	*folded = text->length;
}

/* Searches that follow a match cost steps too, so that a hostile record with many of them has an end. */
static const char *find(struct proof *p, const char *text, size_t length, const struct proof_pattern *pattern)
{
	uint64_t cost = length / STEP_BYTES + 1;
	p->steps -= cost < p->steps ? cost : p->steps;
	return length >= pattern->length ? find_text(text, length, p->scratch.data + pattern->at, pattern->length)
	                                 : NULL;
}

/* The place where it is kept, or PROOF_COMMON. False: it is not kept. */
static bool is_kept(struct proof *p, const struct proof_pattern *pattern, unsigned *place)
{
	const char *text = buffer_text(&p->kept), *found = find(p, text, p->kept.length, pattern);
	for (size_t i = 0; found && i < p->kept_count; i++) {
		*place = p->kept_ends[i].place;
		if (p->kept_ends[i].end > (size_t)(found - text))
			break;
	}
	return found != NULL;
}

/* Whether the fake of another value has it. */
static bool is_chance(struct proof *p, const struct proof_pattern *pattern)
{
	for (size_t i = 0; i < p->fake_count && p->steps > 0; i++) {
		const struct proof_fake *f = &p->fakes[i];
		const char *original = p->made.data + f->at;
		if (find(p, original + f->original_length, f->length, pattern) &&
		    !find(p, original, f->original_length, pattern))
			return true;
	}
	return false;
}

/* Whether the pattern is at this place, and that says something. */
static bool matches(struct proof *p, const struct proof_pattern *pattern, size_t at)
{
	struct proof_original *o = &p->originals[pattern->original];
	const char *found = p->searched.data + at;
	if (o->was_found || pattern->length > p->searched.length - at ||
	    memcmp(found, p->scratch.data + pattern->at, pattern->length) != 0)
		return false;
	if (pattern->is_bounded && ((at > 0 && tenths_of(found[-1]) > 0) || tenths_of(found[pattern->length]) > 0))
		return false;
	fold_rest(&p->kept, &p->kept_folded);
	fold_rest(&p->made, &p->made_folded);
	o->was_found = is_kept(p, pattern, &o->kept) || is_chance(p, pattern);
	return !o->was_found;
}

static enum proof_result scan(struct proof *p)
{
	const char *searched = p->searched.data;
	const uint32_t *heads = p->heads;
	size_t mask = p->head_count - 1;
	for (size_t at = 0, end = p->searched.length; at + WINDOW <= end; at++) {
		for (uint32_t i = heads[hash_of(searched + at) & mask]; i != NONE; i = p->patterns[i].next) {
			if (matches(p, &p->patterns[i], at)) {
				p->place = p->originals[p->patterns[i].original].place;
				return p->steps > 0 ? PROOF_FOUND : PROOF_UNDECIDED;
			}
			if (p->steps == 0)
				return PROOF_UNDECIDED;
			p->steps--;
		}
	}
	return PROOF_NONE;
}

enum { CLASS_HEX = 1, CLASS_BASE64 = 2 };

/* How long an encoded value may be that is in the searched text. */
static void measure_runs(struct proof *p)
{
	static const char folded[] = "abcdefghijklmnopqrstuvwxyz0123456789+/"; /* base64 as fold() makes it */
	size_t hex = 0, base64 = 0;
	if (!p->classes['0'])
		for (int c = 0; c < 256; c++)
			p->classes[c] = !memchr(folded, c, sizeof folded - 1) ? 0
			                : ascii_is_hex((char)c)               ? CLASS_HEX | CLASS_BASE64
			                                                      : CLASS_BASE64;
	size_t longest_hex = 0, longest_base64 = 0;
	for (size_t i = 0; i < p->searched.length; i++) {
		unsigned char class = p->classes[(unsigned char)p->searched.data[i]];
		/* Nobody can foresee where runs end: without a branch. */
		hex = (hex + 1) & -(size_t)(class & CLASS_HEX);
		base64 = (base64 + 1) & -(size_t)(class / CLASS_BASE64);
		longest_hex = hex > longest_hex ? hex : longest_hex;
		longest_base64 = base64 > longest_base64 ? base64 : longest_base64;
	}
	p->longest_hex = longest_hex;
	p->longest_base64 = longest_base64;
	p->searched_has_percent = memchr(buffer_text(&p->searched), '%', p->searched.length) != NULL;
}

/* The bytes, and each string of the document, escapes resolved. */
static bool fill_searched(struct proof *p, const char *written, size_t length, const char *json, size_t json_length)
{
	buffer_clear(&p->searched);
	buffer_append(&p->searched, written, length);
	if (json_length > 0 && !json_read(&p->doc, json, json_length, NULL))
		return false;
	for (uint32_t i = 0; json_length > 0 && i < p->doc.count; i++) {
		if (!(p->doc.tokens[i].flags & JSON_ESCAPED))
			continue;
		buffer_append_byte(&p->searched, '\n');
		json_string_decode(&p->doc, i, &p->searched);
	}
	buffer_append_byte(&p->searched, '\n');
	fold_from(&p->searched, 0);
	measure_runs(p);
	return !p->searched.failed;
}

enum proof_result proof_search(struct proof *p, const char *written, size_t length, const char *json,
                               size_t json_length)
{
	enum proof_result result = PROOF_NONE;
	if (p->text.failed || p->made.failed || p->kept.failed || !fill_searched(p, written, length, json, json_length))
		return PROOF_FAILED;
	if (p->is_kept_by_fake)
		return PROOF_FOUND;
	p->steps = STEPS + STEPS_PER * (uint64_t)p->searched.length;
	for (uint32_t next = 0; next < p->count && result == PROOF_NONE;) {
		size_t most = BATCH + 4 * p->searched.length;
		buffer_clear(&p->scratch);
		p->pattern_count = 0;
		while (next < p->count && p->scratch.length + p->pattern_count * sizeof *p->patterns < most)
			add_patterns(p, next++);
		result = p->scratch.failed || !link_patterns(p) ? PROOF_FAILED : scan(p);
	}
	if (result == PROOF_NONE) {
		for (size_t i = 0; i < p->count; i++) {
			const struct proof_original *o = &p->originals[i];
			bool is_kept = o->kept != PROOF_COMMON;
			++*(is_kept ? &p->also_kept : o->was_found ? &p->unchecked : &p->checked);
			if (is_kept)
				p->also_kept_at[o->kept] = true;
		}
	}
	return result;
}
