/* What is credhook's own and no command: its files. Each has a manual page that says more. */
#include "cmd/explain.h"

#include <strings.h>

#define PARAGRAPHS_MAX 4

static const struct {
	const char *topic; /* credhook-TOPIC is the page */
	const char *summary;
	struct {
		const char *label;
		const char *text;
	} paragraphs[PARAGRAPHS_MAX];
} rows[] = {
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
#define ROWS (sizeof rows / sizeof rows[0])

const char *explain_own_at(size_t index, const char **summary)
{
	if (index >= ROWS)
		return NULL;
	*summary = rows[index].summary;
	return rows[index].topic;
}

bool explain_own(struct explanation *to, const char *topic)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct buffer page = BUFFER_INIT;
		if (strcasecmp(rows[i].topic, topic) != 0)
			continue;
		explain_title(to, rows[i].topic, "format");
		explain_row(to, "what", rows[i].summary);
		for (size_t p = 0; p < PARAGRAPHS_MAX && rows[i].paragraphs[p].label; p++)
			explain_row(to, rows[i].paragraphs[p].label, rows[i].paragraphs[p].text);
		explain_row(to, "whose rule", "credhook's own");
		buffer_printf(&page, "credhook-%s(5) has all of it", rows[i].topic);
		explain_row(to, "manual", buffer_text(&page));
		buffer_release(&page);
		return true;
	}
	return false;
}
