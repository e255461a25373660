/* What is credhook's own as topics: findings, exit codes, outcomes of deliveries, formats of files. */
#include "base/exit_code.h"
#include "cmd/explain.h"
#include "deliver/job.h"
#include "json/json_line.h"
#include "payload/finding.h"

#include <stdio.h>
#include <string.h>

#define OWN "credhook"

bool topic_finding_at(size_t index, struct topic *t)
{
	const struct finding_row *row = &finding_rows[index];
	if (index >= FINDING_ID_COUNT)
		return false;
	topic_set(t, row->name, NULL, row->summary, NULL, row);
	t->qualifier = severity_name(row->severity);
	return true;
}

void topic_finding_print(struct explanation *to, const struct topic *t)
{
	const struct finding_row *row = t->row;
	explain_row(to, "level", "%s", t->qualifier);
	explain_row(to, "when", "%s", row->summary);
	explain_row(to, "defined by", "%s", row->origin);
	if (row->own)
		explain_row(to, "our rule", "%s", row->own);
	if (row != &finding_rows[FINDING_CONTENT_TYPE])
		explain_row(to, "try", "credhook build all --break %s", row->name);
}

void topic_finding_json(struct buffer *out, const struct topic *t)
{
	const struct finding_row *row = t->row;
	json_line_text(out, "severity", severity_name(row->severity));
	json_line_text(out, "origin", row->origin);
	json_line_text(out, "own", row->own);
}

bool topic_exit_code_at(size_t index, struct topic *t)
{
	if (index >= exit_code_row_count)
		return false;
	snprintf(t->full, sizeof t->full, "exit %d", (int)exit_code_rows[index].code);
	return topic_set(t, t->full, NULL, exit_code_rows[index].meaning, NULL, &exit_code_rows[index]);
}

void topic_exit_code_json(struct buffer *out, const struct topic *t)
{
	json_line_number(out, "code", ((const struct exit_code_row *)t->row)->code);
}

void topic_meaning_print(struct explanation *to, const struct topic *t)
{
	explain_row(to, "meaning", "%s", t->summary);
	explain_row(to, "defined by", OWN);
}

#define LATE OUTCOME_COUNT /* not an outcome of its own, and a failure */

static const char *const meanings[] = {
	[OUTCOME_ACCEPTED] = "an answer came, and its status is an expected one: 2xx, or what --expect-status names",
	[OUTCOME_REJECTED] = "an answer came, and its status is not an expected one",
	[OUTCOME_FAILED] = "nothing was sent: no such host, no connection, no TLS; sending it again does no harm",
	[OUTCOME_UNKNOWN] = ("it was sent, at least in part, and no whole response came back: the receiver may have it "
	                     "or not, and sending it again may make it arrive twice"),
	[LATE] = "accepted, but after the time of --expect-within; it counts as a failure",
};
#define MEANINGS (sizeof meanings / sizeof meanings[0])
_Static_assert(MEANINGS == OUTCOME_COUNT + 1, "every outcome is explained");

bool topic_outcome_at(size_t index, struct topic *t)
{
	const char *name = index < LATE ? outcome_names[index] : "late";
	return index < MEANINGS && topic_set(t, name, NULL, meanings[index], NULL, NULL);
}

#define PARAGRAPHS_MAX 4

static const struct format {
	const char *topic; /* credhook-TOPIC(5) is its page */
	const char *summary;
	struct {
		const char *label;
		const char *text;
	} paragraphs[PARAGRAPHS_MAX];
} formats[] = {
	{ "capture",
	  "what 'credhook listen --capture FILE' writes: a line of JSON per notification, in the order they came",
	  { { "keys", "v (1), seq, received_at (RFC 3339, UTC), remote, method, target, headers (pairs of name and "
	              "value), body (or body_base64), event, valid, response (status or fault)" },
	    { "read by", "credhook validate, send --file and replay" },
	    { "secrets", "all that came is kept as it came; the file is made with mode 0600" } } },
	{ "config",
	  "the configuration file, JSON: who we are, where deliveries go, what payloads are filled with",
	  { { "file", "--config FILE, else $CREDHOOK_CONFIG, else $XDG_CONFIG_HOME/credhook/config.json, else "
	              "~/.config/credhook/config.json; one file wins" },
	    { "keys", "clientId, environments (each with url, headers, protected), defaults" },
	    { "production", "an environment of that name, or marked protected, takes --allow-production" },
	    { "in force", "'credhook config' shows what is" } } },
	{ "json",
	  "what --json prints: a line of JSON per result on stdout, and an error as one object on stderr",
	  { { "error", "{\"error\":{\"exit\":2,\"message\":\"...\",\"hint\":\"...\"}}" },
	    { "readers", "should ignore keys that they do not know: later versions may add some" } } },
};

bool topic_format_at(size_t index, struct topic *t)
{
	const struct format *f = &formats[index];
	return index < sizeof formats / sizeof formats[0] && topic_set(t, f->topic, NULL, f->summary, NULL, f);
}

void topic_format_print(struct explanation *to, const struct topic *t)
{
	const struct format *format = t->row;
	explain_row(to, "what", "%s", t->summary);
	for (size_t p = 0; p < PARAGRAPHS_MAX && format->paragraphs[p].label; p++)
		explain_row(to, format->paragraphs[p].label, "%s", format->paragraphs[p].text);
	explain_row(to, "defined by", OWN);
	explain_row(to, "manual", "credhook-%s(5)", t->name);
}
