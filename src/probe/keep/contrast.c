#include "probe/keep/contrast.h"

#include "base/ascii.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#define OPAQUE_OVER   128                         /* bytes a line: a digest, and an identifier beside it */
#define INTEGERS_FROM UINT64_C(9007199254740993)  /* 2^53 + 1 */
#define INTEGERS_TO   UINT64_C(10000000000000000) /* all of 16 digits */
#define NEAR          1e-12                       /* of a double that is printed with fewer digits */

const struct contrast contrast_change = { .form = CONTRAST_NUMBER,
	                                  .field = "change",
	                                  .pointer = "/details/change",
	                                  .plain = { "7", "8" },
	                                  .pair = { "-7", "7" } };
const struct contrast contrast_zip = { .form = CONTRAST_NUMBER,
	                               .field = "zip",
	                               .pointer = "/details/address/zip",
	                               .plain = { "10001", "60601" },
	                               .pair = { "02134", "2134" } };
/* What drops accents, and what replaces them by a mark, makes one of the two. */
const struct contrast contrast_first_name = { .form = CONTRAST_NAME,
	                                      .field = "firstName",
	                                      .pointer = "/details/firstName",
	                                      .plain = { "Anna", "Berta" },
	                                      .pair = { "Jos\u00e9", "Jos\u00e8" } };
const struct contrast contrast_alert_id = { .form = CONTRAST_INTEGER, .field = "alertId" };
const struct contrast contrast_off_cycle = {
	.form = CONTRAST_CHOICE, .field = "offCycle", .pointer = "/details/offCycle", .pair = { "true", "false" }
};
const struct contrast contrast_dispute_status = { .form = CONTRAST_CHOICE,
	                                          .field = "disputeStatus",
	                                          .pointer = "/details/alertDetails/disputeStatus",
	                                          .pair = { "Completion", "Submission" } };

unsigned contrast_customers(const struct contrast *c)
{
	return c->plain[0] ? 2 * CONTRAST_THREE : CONTRAST_THREE;
}

const char *contrast_value(const struct contrast *c, size_t index)
{
	const char *const *values = c->plain[0] && index < CONTRAST_THREE ? c->plain : c->pair;
	return values[contrast_is_between(index)];
}

uint64_t contrast_integer(struct random *random)
{
	return INTEGERS_FROM + 2 * random_below(random, (INTEGERS_TO - INTEGERS_FROM) / 2);
}

/* What is not ASCII is a letter. */
static bool is_letter(char c)
{
	return ascii_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The word behind *at, which goes to its end: letters and digits, with a dot between two of them; or another character.
 * False: there is none. */
static bool next_word(const char **at, struct text *word)
{
	const char *c = *at + strspn(*at, " \t\r");
	*word = (struct text){ c, *c != '\0' };
	if (is_letter(*c))
		while (is_letter(c[word->length]) || (c[word->length] == '.' && is_letter(c[word->length + 1])))
			word->length++;
	*at = c + word->length;
	return word->length > 0;
}

static bool is_same(struct text a, struct text b)
{
	return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* What stands before the first word. */
static const struct text line_end = TEXT("\n");

/* How often a word stands behind another one. */
static size_t count_pair(const char *text, struct text first, struct text second)
{
	struct text word, before = line_end;
	size_t count = 0;
	for (; next_word(&text, &word); before = word)
		count += is_same(word, second) && is_same(before, first);
	return count;
}

/* How often it has a word. */
static size_t count_word(const char *text, struct text wanted)
{
	struct text word;
	size_t count = 0;
	while (next_word(&text, &word))
		count += is_same(word, wanted);
	return count;
}

static bool is_number(struct text word)
{
	bool is_number = true;
	for (size_t i = 0; i < word.length; i++)
		is_number &= ascii_is_digit(word.text[i]) || word.text[i] == '.';
	return is_number;
}

/* Whether the word is the value in its form: with zeros before it or behind a point, or in another letter case. */
static bool is_value(const struct contrast *c, struct text word, const char *value)
{
	size_t length = strlen(value);
	if (c->form == CONTRAST_NAME)
		return word.length == length && strncasecmp(word.text, value, length) == 0;
	while (word.length > length && word.text[0] == '0')
		word = (struct text){ word.text + 1, word.length - 1 };
	if (word.length > length && word.text[length] == '.')
		for (size_t i = word.length - 1; i >= length && (word.text[i] == '0' || i == length); i--)
			word.length = i;
	return word.length == length && memcmp(word.text, value, length) == 0;
}

static size_t count_value(const struct contrast *c, const char *text, const char *value)
{
	struct text word;
	size_t count = 0;
	while (next_word(&text, &word))
		count += is_value(c, word, value);
	return count;
}

bool contrast_is_seen(const struct contrast *c, const char *const texts[CONTRAST_THREE])
{
	size_t counts[2][CONTRAST_THREE];
	for (size_t v = 0; v < 2; v++)
		for (size_t i = 0; i < CONTRAST_THREE; i++)
			counts[v][i] = count_value(c, texts[i], c->plain[v]);
	return counts[0][0] == counts[0][2] && counts[0][0] > counts[0][1] && counts[1][0] == counts[1][2] &&
	       counts[1][0] < counts[1][1];
}

/* Whether it has words that the other one has not as often, and too many bytes of them. Numbers do not count. */
static bool is_strange(const char *text, const char *other)
{
	struct text word;
	const char *at = text;
	size_t bytes = 0;
	while (next_word(&at, &word))
		if (!is_number(word) && count_word(text, word) != count_word(other, word))
			bytes += word.length;
	return bytes > OPAQUE_OVER * (count_word(text, line_end) + 1);
}

bool contrast_is_opaque(const char *text, const char *other)
{
	return is_strange(text, other) || is_strange(other, text);
}

bool contrast_is_alike(const struct contrast *c, const char *const texts[CONTRAST_THREE])
{
	const char *first = texts[0], *between = texts[1], *last = texts[2];
	struct text word, before = line_end;
	if (!between)
		return count_value(c, first, c->pair[1]) > 0 && count_value(c, last, c->pair[1]) > 0;
	for (const char *at = first; next_word(&at, &word); before = word) {
		size_t pairs = count_pair(first, before, word), words = count_word(first, word);
		if ((pairs == count_pair(last, before, word) && pairs != count_pair(between, before, word)) ||
		    (words == count_word(last, word) && words != count_word(between, word)))
			return false;
	}
	return true;
}

bool contrast_stands(const char *text, const char *value)
{
	size_t length = strlen(value);
	for (const char *at = text; (at = strstr(at, value)) != NULL; at++)
		if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
			return true;
	return false;
}

bool contrast_is_rounded(const char *text, uint64_t integer)
{
	double rounded = (double)integer;
	for (const char *at = text; *at; at++) {
		char *end;
		if (!ascii_is_digit(*at) || (at > text && (is_letter(at[-1]) || at[-1] == '.')))
			continue;
		double number = strtod(at, &end);
		size_t length = (size_t)(end - at);
		bool is_short = memchr(at, 'e', length) || memchr(at, 'E', length);
		if (number == rounded || (is_short && fabs(number - rounded) < rounded * NEAR))
			return true;
	}
	return false;
}
