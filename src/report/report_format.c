#include "report/report_format.h"

#include "base/nearest.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static const struct report_format *const formats[] = { &report_junit, &report_sarif, &report_tap };
static const size_t format_count = sizeof formats / sizeof formats[0];

const struct report_format *report_format_at(size_t index)
{
	return index < format_count ? formats[index] : NULL;
}

const struct report_format *report_format_named(const char *name, size_t length, struct error *err)
{
	struct nearest near;
	struct buffer list = BUFFER_INIT;
	nearest_init(&near, name, length);
	for (size_t i = 0; i < format_count; i++) {
		if (strlen(formats[i]->name) == length && memcmp(formats[i]->name, name, length) == 0) {
			buffer_release(&list);
			return formats[i];
		}
		nearest_offer(&near, formats[i]->name);
		buffer_printf(&list, "%s%s=FILE",
		              i == 0                  ? ""
		              : i + 1 == format_count ? " or "
		                                      : ", ",
		              formats[i]->name);
	}
	error_set(err, EXIT_CODE_USAGE, "unknown report '%.*s'", (int)length, name);
	if (nearest_result(&near))
		error_hint(err, "did you mean '%s'?", nearest_result(&near));
	else
		error_hint(err, "write %s", buffer_text(&list));
	buffer_release(&list);
	return NULL;
}

void report_event_name(const struct verdict *verdict, char out[REPORT_NAME_SIZE])
{
	_Static_assert(REPORT_NAME_SIZE >= CATALOG_KIND_NAME_SIZE, "a kind's name fits");
	if (verdict->kind.event)
		catalog_kind_name(verdict->kind, out);
	else
		snprintf(out, REPORT_NAME_SIZE, "unknown event");
}

/* Takes the last part of a path away, unless there is none or it is "..". */
static bool remove_last_part(struct buffer *out, size_t from)
{
	size_t at = out->length;
	while (at > from && out->data[at - 1] != '/')
		at--;
	bool parent = out->length - at == 2 && memcmp(out->data + at, "..", 2) == 0;
	if (out->length == from || parent)
		return false;
	buffer_consume_end(out, out->length - (at > from ? at - 1 : from));
	return true;
}

void report_append_file(const char *file, struct buffer *out)
{
	bool absolute = file[0] == '/';
	if (absolute)
		buffer_append_byte(out, '/');
	size_t from = out->length;
	for (const char *part = file; *part;) {
		size_t length = strcspn(part, "/");
		bool parent = length == 2 && memcmp(part, "..", 2) == 0;
		bool nothing = length == 0 || (length == 1 && *part == '.') ||
		               (parent && remove_last_part(out, from)) || (parent && absolute);
		if (!nothing && out->length > from)
			buffer_append_byte(out, '/');
		if (!nothing)
			buffer_append(out, part, length);
		part += length + (part[length] == '/');
	}
	if (out->length == 0)
		buffer_append_byte(out, '.');
}

void report_case_name(const struct report_case *c, struct buffer *out)
{
	char event[REPORT_NAME_SIZE];
	report_event_name(c->verdict, event);
	if (c->origin->line > 1)
		buffer_printf(out, "line %zu: ", c->origin->line);
	buffer_append_text(out, event);
}

void report_finding_line(const struct finding_walk *walk, struct buffer *out)
{
	const struct finding *f = walk->finding;
	const char *message = verdict_message(walk->verdict, f);
	struct buffer file = BUFFER_INIT;
	report_append_file(walk->origin->file, &file);
	utf8_append_safe(out, buffer_text(&file), file.length);
	out->failed |= file.failed;
	buffer_release(&file);
	buffer_printf(out, ":%zu:%zu: %s: ", walk->place.line, walk->place.column, severity_name(f->severity));
	utf8_append_safe(out, message, strlen(message));
	buffer_printf(out, " [%s]", finding_rows[f->id].name);
	if (walk->hint.length > 0) {
		buffer_append_text(out, " (hint: ");
		utf8_append_safe(out, buffer_text(&walk->hint), walk->hint.length);
		buffer_append_byte(out, ')');
	}
}
