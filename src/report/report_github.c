/* Annotations of GitHub Actions: workflow commands, ::error file=...,line=...::message, one line for each. */
#include "base/utf8.h"
#include "report/markup.h"
#include "report/report_format.h"

#include <string.h>

/* GitHub unescapes %25 %0D %0A in the message, and %3A %2C too in properties. */
static void append_escaped(struct buffer *out, const char *text, bool property)
{
	LOCAL_BUFFER safe = BUFFER_FOR(out);
	utf8_append_safe(&safe, text, strlen(text));
	for (const char *at = buffer_text(&safe); *at; at++) {
		if (*at == '%' || (property && (*at == ':' || *at == ',')))
			buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*at);
		else
			buffer_append_byte(out, *at);
	}
}

static void append_head(struct buffer *out, const char *command, const char *file)
{
	LOCAL_BUFFER name = BUFFER_FOR(out);
	buffer_printf(out, "::%s", command);
	if (!file)
		return;
	report_append_file(file, &name);
	buffer_append_text(out, " file=");
	append_escaped(out, buffer_text(&name), true);
}

static void payload(const struct report_payload *p, struct buffer *out)
{
	struct finding_walk walk;
	finding_walk_init(&walk, p->verdict, p->origin, out);
	/* An invalid payload that does not fail is as it should be. */
	while ((p->failed || p->verdict->valid) && finding_walk_next(&walk)) {
		const struct finding *f = walk.finding;
		append_head(out, severity_name(f->severity), p->origin->file);
		buffer_printf(out, ",line=%zu,endLine=%zu,col=%zu", walk.place.line, walk.end.line, walk.place.column);
		if (walk.end.line == walk.place.line && walk.end.column > walk.place.column)
			buffer_printf(out, ",endColumn=%zu", walk.end.column);
		buffer_printf(out, ",title=%s::", finding_rows[f->id].name);
		append_escaped(out, buffer_text(&walk.message), false);
		if (walk.hint.length > 0) {
			buffer_append_text(out, "%0Afix: ");
			append_escaped(out, buffer_text(&walk.hint), false);
		}
		buffer_append_byte(out, '\n');
	}
	if (walk.at > 0 && finding_walk_unlisted(&walk) > 0) {
		append_head(out, "notice", p->origin->file);
		buffer_printf(out, ",line=%zu,title=unlisted::", p->origin->line);
		finding_walk_append_unlisted(&walk, out);
		buffer_append_byte(out, '\n');
	}
	finding_walk_release(&walk);
	if (!p->unexpected)
		return;
	append_head(out, "error", p->origin->file);
	buffer_printf(out, ",line=%zu,title=%s::%s\n", p->origin->line, REPORT_UNEXPECTED, REPORT_UNEXPECTED_MESSAGE);
}

static void add_case(const struct report_case *c, struct buffer *out, struct buffer *notices)
{
	(void)notices;
	if (!c->failed && !c->is_problem)
		return;
	append_head(out, "error", c->file);
	buffer_printf(out, "%stitle=%s::", c->file ? "," : " ", c->type);
	if (c->failed) {
		append_escaped(out, c->name, false);
		buffer_append_text(out, ": ");
	}
	append_escaped(out, c->message, false);
	buffer_append_byte(out, '\n');
}

static bool is_ours(const char *begin)
{
	static const char *const commands[] = { "::error", "::warning", "::notice" };
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strncmp(begin, commands[i], strlen(commands[i])) == 0)
			return true;
	return false;
}

const struct report_format report_github = {
	.name = "github",
	.separator = "",
	.payload = payload,
	.add_case = add_case,
	.is_ours = is_ours,
};
