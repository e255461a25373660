/* Topics under other names: however letters are cased, and what people call them who do not know ours. */
#include "base/nearest.h"
#include "catalog/catalog.h"
#include "cmd/explain.h"

#include <string.h>
#include <strings.h>

/* What is told beside, or in place of, what the word itself names. */
static const struct {
	const char *word;
	const char *topic;
} others[] = {
	{ "signature", "authentication" }, { "signing", "authentication" },
	{ "hmac", "authentication" },      { "secret", "authentication" },
	{ "auth", "authentication" },      { "allow-list", "authentication" },
	{ "security", "authentication" },  { "retry", "limits" },
	{ "retries", "limits" },           { "timeout", "limits" },
	{ "time-out", "limits" },          { "rate", "limits" },
	{ "rate limit", "limits" },        { "order", "limits" },
	{ "ordering", "limits" },          { "content-type", "delivery" },
	{ "response", "delivery" },        { "webhook", "delivery" },
	{ "listener", "delivery" },        { "payload", "envelope" },
	{ "notification", "envelope" },    { "sandbox", "environments" },
	{ "production", "environments" },  { "environment", "environments" },
	{ "client id", "environments" },   { "clientId", "environments" },
	{ "version", "versions" },         { "v2", "versions" },
	{ "dispute", "disputes" },         { "finding", "findings" },
	{ "outcome", "outcomes" },         { "exit code", "exit codes" },
	{ "exit-code", "exit codes" },     { "exit-codes", "exit codes" },
	{ "exit status", "exit codes" },
};

const char *explain_other_word(const char *topic, size_t *at)
{
	for (; *at < sizeof others / sizeof others[0]; ++*at)
		if (strcasecmp(others[*at].word, topic) == 0)
			return others[(*at)++].topic;
	return NULL;
}

void explain_each_name(void (*use)(void *context, const char *name), void *context)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		use(context, catalog_events[i].name);
	for (size_t i = 0; i < catalog_field_count; i++)
		use(context, catalog_fields[i]->name);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		use(context, catalog_envelope[i]->name);
	for (size_t i = 0; i < catalog_element_count; i++)
		use(context, catalog_elements[i].name);
	for (size_t i = 0; i < catalog_passage_count; i++)
		use(context, catalog_passages[i].topic);
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		use(context, finding_rows[i].name);
	for (size_t i = 0; i < catalog_service_count; i++)
		use(context, catalog_services[i].name);
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		use(context, catalog_dispute_statuses[i].name);
	for (size_t i = 0; i < catalog_operation_count; i++)
		use(context, catalog_operations[i].path);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		use(context, others[i].word);
}

/* A piece of the topic, and the name that is like it but for its letters' case. */
struct spelling {
	const char *text;
	size_t length;
	const char *name; /* NULL: none so far */
};

static void compare(void *context, const char *name)
{
	struct spelling *s = context;
	if (strlen(name) != s->length || strncasecmp(name, s->text, s->length) != 0)
		return;
	if (!s->name || memcmp(name, s->text, s->length) == 0)
		s->name = name;
}

static bool spell_piece(char *text, size_t length)
{
	struct spelling s = { text, length, NULL };
	explain_each_name(compare, &s);
	if (s.name)
		memcpy(text, s.name, length);
	return s.name != NULL;
}

static void spell_pieces(char *text, const char *separators)
{
	while (*text) {
		size_t length = strcspn(text, separators);
		char after = text[length];
		text[length] = '\0';
		if (length > 0 && !spell_piece(text, length) && separators[0] == ' ')
			spell_pieces(text, "./");
		text[length] = after;
		text += length + (after != '\0');
	}
}

void explain_spell(char *topic)
{
	/* PUT /api/report/v2 by words; details.appKey and /details/appKey by keys. */
	if (!spell_piece(topic, strlen(topic)))
		spell_pieces(topic, " ");
}
