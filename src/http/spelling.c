#include "http/spelling.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

#define AGAIN       3 /* so often what is escaped may be escaped again */
#define DIGITS_MOST 7 /* of &#N; */

/* What an escape stands for; of length 0: there is none. */
struct escape {
	size_t length;
	uint32_t code_point;
	bool is_cut; /* the text ends within it */
};

/* What is taken where a text can be read in several ways; a whole text is of one kind. */
enum reading {
	PLAIN_FIRST,  /* what is both a byte and the beginning of an escape is the byte, or else the escape */
	ESCAPE_FIRST, /* the other way round */
	AGAIN_FIRST,  /* and of escapes of escapes the longest one */
	READINGS
};

struct place {
	const char *at, *end;
	enum reading reading;
	bool is_behind_backslash; /* of one that stood for itself: it may be one of an escape, too */
	bool is_cut;
};

/* `digits` digits, behind `before` bytes that were read. */
static struct escape read_hex(const char *at, const char *end, size_t digits, size_t before)
{
	struct escape e = { .length = before + digits };
	for (size_t i = 0; i < digits; i++) {
		if (at + i == end)
			return (struct escape){ .is_cut = true };
		if (!ascii_is_hex(at[i]))
			return (struct escape){ .length = 0 };
		e.code_point = e.code_point << 4 | ascii_hex_value(at[i]);
	}
	return e;
}

static size_t run_of_backslashes(const char *at, const char *end, size_t most)
{
	size_t count = 0;
	while (at + count < end && at[count] == '\\' && count < most)
		count++;
	return count;
}

/* The second half of a character beyond U+FFFF, whose first half is `first`. */
static struct escape read_surrogate(struct escape first, const char *at, const char *end, size_t most)
{
	const char *low = at + first.length;
	size_t run = run_of_backslashes(low, end, most);
	if (low + run == end)
		return (struct escape){ .is_cut = true };
	if (run == 0 || low[run] != 'u')
		return first;
	struct escape second = read_hex(low + run + 1, end, 4, first.length + run + 1);
	if (second.length > 0)
		second.code_point = 0x10000 + ((first.code_point & 0x3FF) << 10) + (second.code_point & 0x3FF);
	return second;
}

/* What stands behind the backslashes, of which there are `most` at the most where one more follows. */
static struct escape read_letter(const char *at, const char *end, size_t most)
{
	static const char letters[] = "tnrbf", meant[] = "\t\n\r\b\f";
	if (at == end)
		return (struct escape){ .is_cut = true };
	if (*at == 'x')
		return read_hex(at + 1, end, 2, 1);
	if (*at == 'u') {
		struct escape e = read_hex(at + 1, end, 4, 1);
		bool is_half = e.length > 0 && (e.code_point & 0xFC00) == 0xD800;
		return is_half ? read_surrogate(e, at, end, most) : e;
	}
	const char *letter = memchr(letters, *at, sizeof letters - 1);
	return letter ? (struct escape){ 1, (uint32_t)meant[letter - letters], false } : (struct escape){ .length = 0 };
}

/* Skips what makes a sign of escapes of one: the 25 of %252B, the amp; of &amp;lt; */
static const char *skip_again(const char *at, const char *end, const char *again, size_t times)
{
	size_t length = strlen(again);
	for (; times > 0; times--, at += length)
		if ((size_t)(end - at) < length || memcmp(at, again, length) != 0)
			return NULL;
	return at;
}

static struct escape read_entity_number(const char *at, const char *end)
{
	bool is_hex = at < end && (*at == 'x' || *at == 'X');
	const char *digit = at + is_hex;
	struct escape e = { .length = 0 };
	for (; digit < end && (is_hex ? ascii_is_hex(*digit) : ascii_is_digit(*digit)); digit++) {
		if (digit - at > DIGITS_MOST)
			return (struct escape){ .length = 0 };
		e.code_point = e.code_point * (is_hex ? 16 : 10) + ascii_hex_value(*digit);
	}
	if (digit < end && *digit == ';')
		e.length = (size_t)(digit + 1 - at);
	e.is_cut = digit == end;
	return e;
}

/* What stands behind '&'. */
static struct escape read_entity(const char *at, const char *end)
{
	static const struct {
		const char *name;
		char byte;
	} names[] = { { "amp;", '&' },  { "lt;", '<' },  { "gt;", '>' },     { "quot;", '"' }, { "apos;", '\'' },
		      { "plus;", '+' }, { "sol;", '/' }, { "equals;", '=' }, { "nbsp;", ' ' } };
	size_t left = (size_t)(end - at);
	if (left > 0 && *at == '#') {
		struct escape e = read_entity_number(at + 1, end);
		e.length += e.length > 0;
		return e;
	}
	struct escape none = { .length = 0 };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t length = strlen(names[i].name);
		if (memcmp(at, names[i].name, left < length ? left : length) != 0)
			continue;
		if (left >= length)
			return (struct escape){ length, (unsigned char)names[i].byte, false };
		none.is_cut = true;
	}
	return none;
}

/* A form has '+' for a blank. */
static bool is_same(char a, char b)
{
	return a == b || (a == ' ' && b == '+') || (a == '+' && b == ' ');
}

/* How many bytes of the value the code point is: 0: it is not what stands there. */
static size_t bytes_meant(uint32_t code_point, const char *value, enum reading reading)
{
	char bytes[4];
	bool is_byte = code_point <= 0xFF && is_same((char)code_point, *value);
	if (code_point > 0x10FFFF || (is_byte && (code_point < 0x80 || reading != PLAIN_FIRST)))
		return is_byte;
	size_t size = utf8_encode(code_point, bytes);
	return strncmp(value, bytes, size) == 0 ? size : is_byte;
}

/* Goes on behind the escape, which begins `before` bytes behind the place, where it is of the value. */
static bool take(struct place *p, struct escape e, const char *begin, const char **value)
{
	p->is_cut |= e.is_cut;
	size_t meant = e.length > 0 ? bytes_meant(e.code_point, *value, p->reading) : 0;
	if (meant == 0)
		return false;
	*value += meant;
	p->at = begin + e.length;
	p->is_behind_backslash = false;
	return true;
}

/* The sign of the escapes may itself be escaped. */
static bool take_again(struct place *p, const char **value)
{
	bool is_percent = *p->at == '%';
	for (size_t i = 0; i <= AGAIN; i++) {
		size_t times = p->reading == AGAIN_FIRST ? AGAIN - i : i;
		const char *begin = skip_again(p->at + 1, p->end, is_percent ? "25" : "amp;", times);
		if (begin &&
		    take(p, is_percent ? read_hex(begin, p->end, 2, 0) : read_entity(begin, p->end), begin, value))
			return true;
	}
	return false;
}

/* Bytes that were taken for Latin-1 and are printed in UTF-8. */
static bool take_latin_1(struct place *p, const char **value)
{
	uint32_t code_point;
	size_t size = utf8_decode(p->at, (size_t)(p->end - p->at), &code_point);
	p->is_cut |= p->at + 1 == p->end;
	if (size != 2 || code_point > 0xFF || code_point != (unsigned char)**value)
		return false;
	++*value;
	p->at += size;
	return true;
}

static bool take_escape(struct place *p, const char **value, size_t most)
{
	const char *letter = p->at + run_of_backslashes(p->at, p->end, most);
	if ((letter > p->at || p->is_behind_backslash) && take(p, read_letter(letter, p->end, most), letter, value))
		return true;
	if (*p->at == '%' || *p->at == '&')
		return take_again(p, value);
	return (*p->at & 0x80) && take_latin_1(p, value);
}

static bool take_plain(struct place *p, const char **value, size_t most)
{
	size_t own = strspn(*value, "\\"), run = run_of_backslashes(p->at, p->end, most);
	char byte = **value;
	if (own > 0 && run < own) {
		p->is_cut |= p->at + run == p->end;
		return false;
	}
	if (own > 0) {
		*value += own;
		p->at += run;
		p->is_behind_backslash = true;
		return true;
	}
	const char *at = p->at + run;
	bool is_there = at < p->end && is_same(*at, byte);
	if (!is_there || (run > 0 && ascii_is_alnum(byte)))
		return false;
	++*value;
	p->at = at + 1;
	p->is_behind_backslash = false;
	return true;
}

static size_t match(const char *text, const char *end, const char *value, enum reading reading, bool *is_cut)
{
	struct place p = { .at = text, .end = end, .reading = reading };
	for (const char *rest = value; *rest;) {
		size_t most = (strspn(rest, "\\") + 1) << AGAIN;
		bool has_begun = rest > value, is_plain = reading == PLAIN_FIRST;
		bool is_taken = p.at < end && (is_plain ? take_plain(&p, &rest, most) : take_escape(&p, &rest, most));
		if (!is_taken && p.at < end)
			is_taken = is_plain ? take_escape(&p, &rest, most) : take_plain(&p, &rest, most);
		*is_cut |= has_begun && (p.is_cut || (!is_taken && p.at == end));
		if (!is_taken)
			return 0;
	}
	return (size_t)(p.at - text);
}

size_t spelling_match(const char *text, size_t length, const char *value, bool *is_cut)
{
	bool ends_within = false;
	size_t longest = 0;
	for (enum reading reading = PLAIN_FIRST; reading < READINGS; reading++) {
		size_t found = match(text, text + length, value, reading, &ends_within);
		longest = found > longest ? found : longest;
	}
	*is_cut |= longest == 0 && ends_within;
	return longest;
}

bool spelling_may_begin(const char *value, char byte)
{
	return is_same(byte, *value) || byte == '%' || byte == '&' || byte == '\\' ||
	       ((byte & 0x80) && (*value & 0x80));
}
