/* What an error response says, and what it gives away. */
#include "base/utf8.h"
#include "http/words.h"
#include "probe/verdict.h"

#include <stdio.h>
#include <string.h>

#define EXCERPT_MAX 120 /* bytes of a line that are shown */

void probe_excerpt(const char *body, size_t length, char out[PROBE_REASON_SIZE])
{
	LOCAL_BUFFER line = BUFFER_INIT, safe = BUFFER_INIT;
	words_append_line(&line, body, length, WORDS_READ_MAX);
	size_t shown = line.length < EXCERPT_MAX ? line.length : EXCERPT_MAX;
	while (shown > 0 && shown < line.length && ((unsigned char)line.data[shown] & 0xC0) == 0x80)
		shown--;
	utf8_append_safe(&safe, buffer_text(&line), shown);
	snprintf(out, PROBE_REASON_SIZE, "%s%s", buffer_text(&safe), shown < line.length ? "..." : "");
}

static const char trace[] = "a stack trace", path[] = "a file path", sql[] = "SQL";

/* What people's frameworks write when something breaks. */
static const struct {
	const char *what;
	const char *text;
} leaks[] = {
	{ trace, "Traceback (most recent call last)" },
	{ trace, "\n    at " },
	{ trace, "&nbsp; &nbsp;at " },
	{ trace, "\n\tat " },
	{ trace, "Stack trace:" },
	{ trace, "stack trace" },
	{ trace, "goroutine 1 [" },
	{ trace, "panicked at" },
	{ trace, "\", line " },
	{ trace, ".php on line" },
	{ trace, ".php</b> on line" },
	{ trace, ".rb:" },
	{ trace, ".java:" },
	{ trace, ".js:" },
	{ trace, ".ts:" },
	{ trace, ".go:" },
	{ sql, "SQLSTATE" },
	{ sql, "constraint failed" },
	{ sql, "violates unique constraint" },
	{ sql, "duplicate key value" },
	{ sql, "Duplicate entry '" },
	{ sql, "syntax error at or near" },
	{ sql, "error in your SQL syntax" },
	{ sql, "INSERT INTO " },
	{ sql, "SELECT * FROM " },
	{ sql, "sqlite3." },
	{ sql, "psycopg" },
	{ sql, "ORA-0" },
	{ path, "/home/" },
	{ path, "/root/" },
	{ path, "/var/www/" },
	{ path, "/usr/lib/" },
	{ path, "/usr/local/" },
	{ path, "/opt/" },
	{ path, "/srv/" },
	{ path, "node_modules/" },
	{ path, "site-packages/" },
	{ path, "C:\\" },
};

const char *probe_leak(const char *body, size_t length, const char *url, const char **at)
{
	for (size_t i = 0; i < sizeof leaks / sizeof leaks[0]; i++) {
		if (strstr(url, leaks[i].text))
			continue;
		*at = memmem(body, length, leaks[i].text, strlen(leaks[i].text));
		if (*at)
			return leaks[i].what;
	}
	return NULL;
}
