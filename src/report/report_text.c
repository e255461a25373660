/* What reports have in common: names of files; and annotations of GitHub. */
#include "base/utf8.h"
#include "report/report_format.h"

#include <string.h>

void report_append_file(const char *file, struct buffer *out)
{
	size_t from = out->length;
	for (const char *part = file; *part;) {
		size_t length = strcspn(part, "/");
		if (length > 0 && !(length == 1 && *part == '.')) {
			if (out->length > from || *file == '/')
				buffer_append_byte(out, '/');
			buffer_append(out, part, length);
		}
		part += length + (part[length] == '/');
	}
	if (out->length == from)
		buffer_append_byte(out, *file == '/' ? '/' : '.');
}

/* Annotations of GitHub Actions: workflow commands on stdout. */

/* GitHub unescapes %25 %0D %0A in the message, and %3A %2C too in properties. */
static void append_escaped(struct buffer *out, const char *text, bool property)
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, text, strlen(text));
	for (const char *at = buffer_text(&safe); *at; at++) {
		if (*at == '%' || (property && (*at == ':' || *at == ',')))
			buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*at);
		else
			buffer_append_byte(out, *at);
	}
	out->failed |= safe.failed;
}

static void append_head(struct buffer *out, const char *command, const char *file)
{
	LOCAL_BUFFER name = BUFFER_INIT;
	report_append_file(file, &name);
	buffer_printf(out, "::%s file=", command);
	append_escaped(out, buffer_text(&name), true);
	out->failed |= name.failed;
}

void report_github_message(const char *file, size_t line, const char *title, const char *message, struct buffer *out)
{
	append_head(out, "error", file);
	if (line > 0)
		buffer_printf(out, ",line=%zu", line);
	buffer_append_text(out, ",title=");
	append_escaped(out, title, true);
	buffer_append_text(out, "::");
	append_escaped(out, message, false);
	buffer_append_byte(out, '\n');
}

void report_github_finding(const struct finding_walk *walk, struct buffer *out)
{
	const struct finding *f = walk->finding;
	append_head(out, severity_name(f->severity), walk->origin->file);
	buffer_printf(out, ",line=%zu,endLine=%zu,col=%zu", walk->place.line, walk->end.line, walk->place.column);
	if (walk->end.line == walk->place.line && walk->end.column > walk->place.column)
		buffer_printf(out, ",endColumn=%zu", walk->end.column);
	buffer_printf(out, ",title=%s::", finding_rows[f->id].name);
	append_escaped(out, buffer_text(&walk->message), false);
	if (walk->hint.length > 0) {
		buffer_append_text(out, "%0Afix: ");
		append_escaped(out, buffer_text(&walk->hint), false);
	}
	buffer_append_byte(out, '\n');
}

void report_github_unlisted(const struct finding_walk *walk, struct buffer *out)
{
	if (finding_walk_unlisted(walk) == 0)
		return;
	append_head(out, "notice", walk->origin->file);
	buffer_printf(out, ",line=%zu,title=unlisted::", walk->origin->line);
	finding_walk_append_unlisted(walk, out);
	buffer_append_byte(out, '\n');
}
