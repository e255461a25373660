/* explain --json: every topic as a row, from the same tables. */
#include "base/exit_code.h"
#include "catalog/catalog.h"
#include "cmd/explain.h"
#include "ui/json_line.h"

static void begin(struct buffer *out, const char *kind, const char *topic, const char *summary)
{
	json_line_begin(out);
	json_line_text(out, "kind", kind);
	json_line_text(out, "topic", topic);
	json_line_text(out, "summary", summary);
}

static void append(struct buffer *out, const char *kind, const char *topic, const char *summary, const char *section)
{
	begin(out, kind, topic, summary);
	json_line_text(out, "section", section);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

static void append_findings(struct buffer *out)
{
	for (size_t i = 0; i < FINDING_ID_COUNT; i++) {
		begin(out, "finding", finding_rows[i].name, finding_rows[i].summary);
		json_line_text(out, "severity", severity_name(finding_rows[i].severity));
		json_line_text(out, "origin", finding_rows[i].origin);
		json_line_end(out);
		buffer_append_byte(out, '\n');
	}
}

static void append_values(struct buffer *out, const char *kind, const struct catalog_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		append(out, kind, values[i].name, values[i].meaning, values[i].section);
}

static void append_fields(struct buffer *out)
{
	for (size_t i = 0; i < catalog_envelope_count; i++)
		append(out, "field", catalog_envelope[i]->name, catalog_envelope[i]->meaning,
		       catalog_envelope[i]->section);
	for (size_t i = 0; i < catalog_field_count; i++)
		append(out, "field", catalog_fields[i]->name, catalog_fields[i]->meaning, catalog_fields[i]->section);
}

static void append_operations(struct buffer *out)
{
	for (size_t i = 0; i < catalog_operation_count; i++) {
		struct buffer name = BUFFER_INIT;
		buffer_printf(&name, "%s %s", catalog_operations[i].method, catalog_operations[i].path);
		append(out, "operation", buffer_text(&name), catalog_operations[i].outcome, "4.2");
		buffer_release(&name);
	}
}

static void append_exit_codes(struct buffer *out)
{
	for (size_t i = 0; i < exit_code_row_count; i++) {
		struct buffer name = BUFFER_INIT;
		buffer_printf(&name, "exit %d", (int)exit_code_rows[i].code);
		begin(out, "exit code", buffer_text(&name), exit_code_rows[i].meaning);
		json_line_number(out, "code", exit_code_rows[i].code);
		json_line_end(out);
		buffer_append_byte(out, '\n');
		buffer_release(&name);
	}
}

static void append_listed(struct buffer *out, const char *kind, const char *(*at)(size_t index, const char **meaning))
{
	const char *name, *meaning;
	for (size_t i = 0; (name = at(i, &meaning)); i++) {
		begin(out, kind, name, meaning);
		json_line_end(out);
		buffer_append_byte(out, '\n');
	}
}

void explain_append_topics_json(struct buffer *out)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		append(out, "event", catalog_events[i].name, catalog_events[i].trigger, "6");
	for (size_t i = 0; i < catalog_element_count; i++)
		append(out, "element", catalog_elements[i].name, catalog_elements[i].title, "6");
	append_operations(out);
	append_fields(out);
	append_findings(out);
	append_values(out, "service", catalog_services, catalog_service_count);
	append_values(out, "dispute status", catalog_dispute_statuses, catalog_dispute_status_count);
	for (size_t i = 0; i < catalog_passage_count; i++)
		append(out, "topic", catalog_passages[i].topic, catalog_passages[i].text, catalog_passages[i].section);
	append_exit_codes(out);
	append_listed(out, "outcome", explain_outcome_at);
	append_listed(out, "format", explain_own_at);
}

void explain_append_json(struct buffer *out, const char *kind, const char *topic, const char *text)
{
	json_line_begin(out);
	json_line_text(out, "kind", kind);
	json_line_text(out, "topic", topic);
	json_line_text(out, "text", text);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}
