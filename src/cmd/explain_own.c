/* What is credhook's own as topics: findings, exit codes, outcomes of deliveries, formats of files. */
#include "base/exit_code.h"
#include "cmd/explain.h"
#include "deliver/job.h"
#include "json/json_line.h"
#include "payload/finding.h"

#include <stdio.h>
#include <string.h>

#define OWN "credhook"

static bool finding_at(size_t index, struct topic *t)
{
	if (index >= FINDING_ID_COUNT)
		return false;
	const struct finding_row *row = &finding_rows[index];
	*t = (struct topic){ .name = row->name, .summary = row->summary, .row = row };
	t->qualifier = severity_name(row->severity);
	return true;
}

static void print_finding(struct explanation *to, const struct topic *t, const char *asked)
{
	const struct finding_row *row = t->row;
	struct buffer text = BUFFER_INIT;
	(void)asked;
	explain_title(to, row->name, "finding");
	explain_row(to, "level", t->qualifier);
	explain_row(to, "when", row->summary);
	explain_row(to, "defined by", row->origin);
	if (row->own)
		explain_row(to, "our rule", row->own);
	buffer_printf(&text, "credhook build all --break %s", row->name);
	if (row != &finding_rows[FINDING_CONTENT_TYPE])
		explain_row(to, "try", buffer_text(&text));
	buffer_release(&text);
}

static void append_finding_json(struct buffer *out, const struct topic *t)
{
	const struct finding_row *row = t->row;
	json_line_text(out, "severity", severity_name(row->severity));
	json_line_text(out, "origin", row->origin);
	json_line_text(out, "own", row->own);
}

static bool exit_code_at(size_t index, struct topic *t)
{
	if (index >= exit_code_row_count)
		return false;
	*t = (struct topic){ .name = t->full, .summary = exit_code_rows[index].meaning, .row = &exit_code_rows[index] };
	snprintf(t->full, sizeof t->full, "exit %d", (int)exit_code_rows[index].code);
	return true;
}

static void append_exit_code_json(struct buffer *out, const struct topic *t)
{
	json_line_number(out, "code", ((const struct exit_code_row *)t->row)->code);
}

/* One that is said in a sentence. */
static void print_meaning(struct explanation *to, const struct topic *t, const char *kind)
{
	explain_title(to, t->name, kind);
	explain_row(to, "meaning", t->summary);
	explain_row(to, "defined by", OWN);
}

static void print_exit_code(struct explanation *to, const struct topic *t, const char *asked)
{
	(void)asked;
	print_meaning(to, t, "exit code");
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

static bool outcome_at(size_t index, struct topic *t)
{
	if (index >= MEANINGS)
		return false;
	*t = (struct topic){ .name = index == LATE ? "late" : outcome_names[index], .summary = meanings[index] };
	return true;
}

static void print_outcome(struct explanation *to, const struct topic *t, const char *asked)
{
	(void)asked;
	print_meaning(to, t, "outcome of a delivery");
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

static bool format_at(size_t index, struct topic *t)
{
	if (index >= sizeof formats / sizeof formats[0])
		return false;
	*t = (struct topic){ .name = formats[index].topic, .summary = formats[index].summary, .row = &formats[index] };
	return true;
}

static void print_format(struct explanation *to, const struct topic *t, const char *asked)
{
	struct buffer page = BUFFER_INIT;
	const struct format *format = t->row;
	(void)asked;
	explain_title(to, t->name, "format");
	explain_row(to, "what", t->summary);
	for (size_t p = 0; p < PARAGRAPHS_MAX && format->paragraphs[p].label; p++)
		explain_row(to, format->paragraphs[p].label, format->paragraphs[p].text);
	explain_row(to, "defined by", OWN);
	buffer_printf(&page, "credhook-%s(5)", t->name);
	explain_row(to, "manual", buffer_text(&page));
	buffer_release(&page);
}

const struct topic_kind topic_kind_finding = { "finding", "findings",    finding_at,
	                                       NULL,      print_finding, append_finding_json };
const struct topic_kind topic_kind_exit_code = { "exit code", "exit codes",    exit_code_at,
	                                         NULL,        print_exit_code, append_exit_code_json };
const struct topic_kind topic_kind_outcome = { "outcome", "outcomes", outcome_at, NULL, print_outcome, NULL };
const struct topic_kind topic_kind_format = { "format", "formats", format_at, NULL, print_format, NULL };
