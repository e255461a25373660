/* What an error response says, and what it gives away. */
#include "base/utf8.h"
#include "http/secrets.h"
#include "probe/verdict.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LOOKED_THROUGH ((size_t)16 << 10) /* bytes of a body that an excerpt is made of */
#define EXCERPT_MAX    120                /* bytes of it that are shown */

/* What pages write for characters of their own. */
static const struct {
	const char *name;
	char meant;
} entities[] = { { "&#39;", '\'' }, { "&quot;", '"' }, { "&lt;", '<' },
	         { "&gt;", '>' },   { "&amp;", '&' },  { "&nbsp;", ' ' } };

/* How long the entity at `text` is; 0: there is none. */
static size_t read_entity(const char *text, size_t length, char *meant)
{
	for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
		size_t size = strlen(entities[i].name);
		*meant = entities[i].meant;
		if (size <= length && memcmp(text, entities[i].name, size) == 0)
			return size;
	}
	return 0;
}

/* Whether the tag leaves what follows on the same line. */
static bool is_within_line(const char *tag, size_t length)
{
	static const char *const names[] = { "<b>", "</b>", "<i>", "</i>", "<em>", "</em>", "<code>", "</code>" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) <= length && memcmp(tag, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The text of a page without its tags. */
static void append_text(struct buffer *out, const char *body, size_t length)
{
	bool markup = length > 0 && body[0] == '<';
	bool inside = false;
	for (size_t i = 0, entity; i < length; i++) {
		char meant;
		if (markup && !inside && (entity = read_entity(body + i, length - i, &meant)) > 0) {
			buffer_append_byte(out, meant);
			i += entity - 1;
		} else if (markup && (body[i] == '<' || body[i] == '>')) {
			inside = body[i] == '<';
			if (inside && !is_within_line(body + i, length - i))
				buffer_append_byte(out, '\n');
		} else if (!inside) {
			buffer_append_byte(out, body[i] ? body[i] : ' ');
		}
	}
}

static bool names_an_error(const char *line, size_t length)
{
	return memmem(line, length, "Error: ", 7) || memmem(line, length, "Exception: ", 11) ||
	       memmem(line, length, "Error\":", 7);
}

/* The first line that names an error, else the first one. */
static const char *best_line(const char *text, size_t *length)
{
	const char *best = NULL;
	*length = 0;
	while (*text) {
		text += strspn(text, "\r\n\t ");
		size_t here = strcspn(text, "\r\n");
		if (here > 0 && (!best || names_an_error(text, here))) {
			best = text;
			*length = here;
			if (names_an_error(text, here))
				return best;
		}
		text += here;
	}
	return best;
}

/* Each secret of the request's headers becomes ***. */
static void mask(struct buffer *text, const struct deliver_options *http)
{
	for (size_t i = 0; http && i < http->headers.count; i++) {
		const char *secret = secret_of_header_line(http->headers.items[i]);
		size_t length = secret ? strlen(secret) : 0;
		char *at;
		while (length > 3 && text->data && (at = strstr(text->data, secret)) != NULL) {
			memcpy(at, SECRET_MASK, strlen(SECRET_MASK));
			memmove(at + strlen(SECRET_MASK), at + length, strlen(at + length) + 1);
			text->length -= length - strlen(SECRET_MASK);
		}
	}
}

void probe_excerpt(const char *body, size_t length, const struct deliver_options *http, char out[PROBE_REASON_SIZE])
{
	struct buffer text = BUFFER_INIT, safe = BUFFER_INIT;
	size_t line_length;
	append_text(&text, body, length < LOOKED_THROUGH ? length : LOOKED_THROUGH);
	mask(&text, http);
	const char *line = best_line(buffer_text(&text), &line_length);
	size_t shown = line_length < EXCERPT_MAX ? line_length : EXCERPT_MAX;
	while (shown > 0 && shown < line_length && ((unsigned char)line[shown] & 0xC0) == 0x80)
		shown--;
	if (line)
		utf8_append_safe(&safe, line, shown);
	snprintf(out, PROBE_REASON_SIZE, "%s%s", buffer_text(&safe), shown < line_length ? "..." : "");
	buffer_release(&text);
	buffer_release(&safe);
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
