#include "deliver/journal_line.h"

#include "base/ascii.h"
#include "base/text.h"
#include "deliver/journal_internal.h"

#include <string.h>

#define STATUS_MAX 999 /* RFC 9110, section 15: three digits */

static const struct text keys[KEY_COUNT] = {
	[KEY_NUMBER] = TEXT("\"number\""), [KEY_INPUT] = TEXT("\"input\""),
	[KEY_ID] = TEXT("\"id\""),         [KEY_ATTEMPT] = TEXT("\"attempt\""),
	[KEY_FINAL] = TEXT("\"final\""),   [KEY_OUTCOME] = TEXT("\"outcome\""),
	[KEY_STATUS] = TEXT("\"status\""), [KEY_SELECTION] = TEXT("\"selection\""),
	[KEY_SEED] = TEXT("\"seed\""),     [KEY_ENDED] = TEXT("\"ended\""),
	[KEY_LINES] = TEXT("\"lines\""),
};

/* Finds the values. False: a key is there twice, and nobody knows which one counts. A key with an escape is none of
 * ours. */
static bool find_values(const struct json_doc *doc, uint32_t values[KEY_COUNT])
{
	for (int i = 0; i < KEY_COUNT; i++)
		values[i] = JSON_NONE;
	if (doc->tokens[0].type != JSON_OBJECT)
		return true;
	for (uint32_t key = 1; key < doc->tokens[0].next; key = doc->tokens[key + 1].next) {
		const struct json_token *t = &doc->tokens[key];
		for (int i = 0; i < KEY_COUNT; i++) {
			if (t->end - t->start != keys[i].length ||
			    memcmp(doc->text + t->start, keys[i].text, keys[i].length) != 0)
				continue;
			if (values[i] != JSON_NONE)
				return false;
			values[i] = key + 1;
		}
	}
	return true;
}

/* "id":"..." or null. */
static bool read_id(const struct json_doc *doc, uint32_t token, struct journal_line *line)
{
	const char *text = doc->text + doc->tokens[token].start + 1;
	line->has_id = !json_is(doc, token, JSON_NULL);
	if (!line->has_id)
		return true;
	if (!json_is(doc, token, JSON_STRING) ||
	    doc->tokens[token].end - doc->tokens[token].start != 2 * sizeof line->id.bytes + 2)
		return false;
	for (size_t i = 0; i < 2 * sizeof line->id.bytes; i++) {
		unsigned digit = ascii_hex_value(text[i]);
		if (digit > 15 || ascii_is_upper(text[i]))
			return false;
		unsigned char *byte = &line->id.bytes[i / 2];
		*byte = (unsigned char)((unsigned)*byte << 4 | digit);
	}
	return true;
}

bool journal_line_read(const struct json_doc *doc, struct journal_line *line)
{
	const uint32_t *v = line->values;
	uint64_t number;
	*line = (struct journal_line){ .has_id = false };
	if (!find_values(doc, line->values) || v[KEY_INPUT] == JSON_NONE ||
	    !json_unsigned(doc, v[KEY_ATTEMPT], UINT64_MAX, &number) || number == 0)
		return false;
	line->final = json_is(doc, v[KEY_FINAL], JSON_TRUE);
	if (!line->final && !json_is(doc, v[KEY_FINAL], JSON_FALSE))
		return false;
	while (line->outcome < OUTCOME_COUNT &&
	       !json_string_is(doc, v[KEY_OUTCOME], outcome_names[line->outcome], strlen(outcome_names[line->outcome])))
		line->outcome++;
	if (line->outcome == OUTCOME_COUNT)
		return false;
	if (!json_unsigned(doc, v[KEY_NUMBER], JOURNAL_NUMBER_MAX, &line->number) || line->number == 0)
		return false;
	if (json_unsigned(doc, v[KEY_STATUS], STATUS_MAX, &number))
		line->status = (int)number;
	if (v[KEY_SELECTION] != JSON_NONE && !json_is(doc, v[KEY_SELECTION], JSON_STRING))
		return false;
	if (v[KEY_SEED] != JSON_NONE && !json_is(doc, v[KEY_SEED], JSON_NULL) &&
	    !json_unsigned(doc, v[KEY_SEED], UINT64_MAX, &number))
		return false;
	return v[KEY_ID] != JSON_NONE && read_id(doc, v[KEY_ID], line);
}
