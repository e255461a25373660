#include "cmd/words/option_match.h"

#include "base/ascii.h"
#include "catalog/catalog.h"
#include "payload/finding.h"

#include <stdio.h>
#include <string.h>

bool match_spelling(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "-_.");
		b += strspn(b, "-_.");
		if (ascii_lower(*a) != ascii_lower(*b) || *a == '\0')
			return ascii_lower(*a) == ascii_lower(*b);
	}
}

static bool is_plural(const char *many, const char *one)
{
	size_t length = strlen(one);
	return length >= MATCH_LEAST && strncmp(many, one, length) == 0 && strcmp(many + length, "s") == 0;
}

bool match_words(const char *words, const char *word, bool is_letter)
{
	char other[OPTION_UNKNOWN_SIZE + 1];
	size_t length = strlen(word);
	if (option_is_among(words, word))
		return true;
	snprintf(other, sizeof other, "%ss", word);
	if (length > MATCH_LEAST && word[length - 1] == 's')
		other[length - 1] = '\0';
	return !is_letter && length > MATCH_LEAST && option_is_among(words, other);
}

bool match_field(const char *word, char *path, size_t size)
{
	size_t found = 0;
	word += strncmp(word, "details.", strlen("details.")) == 0 ? strlen("details.") : 0;
	for (size_t i = 0; i + catalog_envelope_count < catalog_every_field_count; i++) {
		const struct catalog_field *field = catalog_fields[i], *owner = catalog_field_owner(field);
		if (!match_spelling(word, field->name))
			continue;
		found++;
		snprintf(path, size, "details.%s%s%s", owner ? owner->name : "", owner ? "." : "", field->name);
	}
	return found == 1;
}

bool match_value(const struct option *o, const char *word, struct buffer *out)
{
	char value[CATALOG_KIND_NAME_SIZE + sizeof "details."] = "";
	struct catalog_kind kind;
	const char *suffix = "", *unused;
	for (size_t i = 0; o->choices && o->choices[i]; i++)
		if (match_spelling(word, o->choices[i]) || is_plural(o->choices[i], word))
			snprintf(value, sizeof value, "%s", o->choices[i]);
	size_t length = strlen(word);
	for (const char *at = o->values; at && (at = strstr(at, word)) != NULL; at++)
		if ((at == o->values || at[-1] == ' ') && strchr("= ", at[length]))
			snprintf(value, sizeof value, "%.*s", (int)strcspn(at, " "), at);
	if (o->complete == COMPLETE_FINDINGS)
		for (size_t i = 0; i < FINDING_ID_COUNT; i++)
			if (match_spelling(word, finding_rows[i].name))
				snprintf(value, sizeof value, "%s", finding_rows[i].name);
	if ((o->complete == COMPLETE_EVENT || o->complete == COMPLETE_EVENTS) && strchr(word, '-') &&
	    catalog_find_kind(word, &kind, &unused) == CATALOG_FOUND)
		snprintf(value, sizeof value, "%s", KIND_NAME(kind));
	if (o->complete == COMPLETE_ASSIGNMENT && match_field(word, value, sizeof value))
		suffix = "=VALUE";
	if (!value[0])
		return false;
	buffer_printf(out, "--%s%s%s%s", o->name, o->argument_optional ? "=" : " ", value, suffix);
	return true;
}
