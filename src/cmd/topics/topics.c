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
static bool is_name(const char *name, const char *asked)
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

static bool append_matching(struct explanation *to, const char *asked, enum match match)
{
	bool found = false;
	const char *seen = "";
	const struct topic_kind *listing = NULL;
	for (struct topic t = { .name = NULL }; topic_next(&t);) {
		bool in_manual = t.see && !to->json;
		bool of_group = is_name(t.group, asked) || is_name(t.family, asked) || is_one_of(t.family, asked);
		bool listed = of_group || (is_name(match == MATCH_KIND ? t.kind->name : t.kind->plural, asked));
		bool named = is_name(t.name, asked) || is_name(t.other, asked) || is_name(t.full, asked);
		if (match == MATCH_PART ? !is_part(&t, asked)
		                        : !listed && !(t.kind->matches ? t.kind->matches(&t, asked) : named))
			continue;
		found = true;
		if (in_manual && strcmp(seen, t.see) != 0)
			buffer_printf(&to->text, "%s: %s\n", listed && !t.page ? t.kind->plural : t.name, seen = t.see);
		else if (in_manual)
			continue;
		else if (listed && !to->json)
			explain_append_row(to, &t, listing == t.kind ? NULL : of_group ? asked : t.kind->plural);
		else
			explain_append_topic(to, &t);
		listing = t.kind;
	}
	return found;
}

bool explain_topic(struct buffer *out, const struct terminal *terminal, const char *asked)
{
	struct explanation to = explanation_for(terminal, asked);
	to.text.whole = out;
	struct catalog_kind kind;
	bool found = append_matching(&to, asked, MATCH_NAME) || append_matching(&to, asked, MATCH_KIND);
	if (!found && catalog_find_kind(asked, &kind, NULL) == CATALOG_FOUND) /* the beginning of an event */
		found = append_matching(&to, KIND_NAME(kind), MATCH_NAME);
	found = found || append_matching(&to, asked, MATCH_PART);
	buffer_printf(out, "%s%s", out->length > 0 && found && !to.json ? "\n" : "", buffer_text(&to.text));
	buffer_release(&to.text);
	return found;
}

const char *topic_page(const char *asked)
{
	for (struct topic t = { .name = NULL }; topic_next(&t);)
		if (t.page && is_name(t.name, asked))
			return t.page;
	return NULL;
}
