#include "cmd/topics/topics.h"

#include "base/find.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

bool topic_at(const struct topic_kind *kind, size_t index, struct topic *topic)
{
	if (index >= *kind->count)
		return false;
	const struct catalog_value *value = kind->values ? &kind->values[index] : NULL;
	if (value)
		*topic = (struct topic){ .name = value->name, .summary = value->meaning, .section = value->section };
	else
		kind->fill(index, topic);
	topic->kind = kind;
	topic->index = index;
	return true;
}

bool topic_next(struct topic *topic)
{
	const struct topic_kind *kind = topic->kind ? topic->kind : topic_kinds;
	size_t index = topic->kind ? topic->index + 1 : 0;
	for (; kind < topic_kinds + topic_kind_count; kind++, index = 0)
		if (topic_at(kind, index, topic))
			return true;
	return false;
}

/* Letter case aside, and with blanks, '-' and '_' for one another or left out: exit-codes, unknown_key, exitcodes. */
static bool names_match(const char *name, const char *asked)
{
	if (!name)
		return false;
	for (; *name && *asked; name++) {
		bool is_sign = strchr(" -", *name) != NULL;
		if (strncasecmp(name, asked, 1) == 0 || (is_sign && strchr(" -_", *asked)))
			asked++;
		else if (!is_sign)
			return false;
	}
	return *name == *asked;
}

/* The singular of a family's name: alert of alerts. */
static bool is_one_of(const char *family, const char *asked)
{
	size_t length = strlen(asked);
	return family && strncasecmp(family, asked, length) == 0 && strcmp(family + length, "s") == 0;
}

/* A part of a check's name: chunked, later. */
static bool is_part(const struct topic *t, const char *asked)
{
	size_t length = strlen(asked);
	const char *at = strcmp(t->kind->name, "check") == 0 && length > 3 ? t->full : "";
	while ((at = find_any_case(at, asked)) != NULL &&
	       !(at > t->full && strchr("/-", at[-1]) && strchr("/-", at[length])))
		at++;
	return at != NULL;
}

enum match {
	MATCH_NAME, /* of a topic, or of its group, or of a kind of topics in the plural */
	MATCH_KIND, /* the same, and the kind's own name: unless `asked` means something by itself */
	MATCH_PART,
};

/* The name of the list that has it as a row; NULL: none, by that name. */
static const char *list_of(const struct topic *t, const char *asked, enum match match)
{
	if (match == MATCH_PART)
		return NULL;
	if (names_match(t->group, asked) || names_match(t->family, asked) || is_one_of(t->family, asked))
		return asked;
	return names_match(match == MATCH_KIND ? t->kind->name : t->kind->plural, asked) ? t->kind->plural : NULL;
}

static bool is_meant(const struct topic *t, const char *asked, enum match match)
{
	if (match == MATCH_PART)
		return is_part(t, asked);
	if (t->kind->matches)
		return t->kind->matches(t, asked);
	return names_match(t->name, asked) || names_match(t->other, asked) || names_match(t->full, asked);
}

static size_t find(const char *asked, enum match match, topic_found *found, void *arg)
{
	size_t count = 0;
	for (struct topic t = { .name = NULL }; topic_next(&t);) {
		const char *list = list_of(&t, asked, match);
		if (!list && !is_meant(&t, asked, match))
			continue;
		count++;
		if (found)
			found(arg, &t, list);
	}
	return count;
}

size_t topic_find(const char *asked, topic_found *found, void *arg)
{
	struct catalog_kind kind;
	size_t count = find(asked, MATCH_NAME, found, arg);
	if (count == 0)
		count = find(asked, MATCH_KIND, found, arg);
	if (count == 0 && catalog_find_kind(asked, &kind, NULL) == CATALOG_FOUND) /* the beginning of an event */
		count = find(KIND_NAME(kind), MATCH_NAME, found, arg);
	return count > 0 ? count : find(asked, MATCH_PART, found, arg);
}

size_t explain_topic(struct buffer *out, const struct terminal *terminal, const char *asked)
{
	struct explanation to = explanation_for(terminal, out, asked);
	return topic_find(asked, explain_append_found, &to);
}
