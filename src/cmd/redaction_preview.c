/* What a redaction does, field by field. */
#include "base/count.h"
#include "cmd/redaction.h"
#include "json/json_line.h"
#include "payload/edit.h"
#include "ui/line.h"

static uint64_t values_at(const struct redact_counts *values, unsigned place)
{
	return values->replaced[place] + values->kept[place];
}

#define FIELD_COLUMNS 3

static void append_fields(const struct redact_counts *values, struct buffer *out, int width, bool color)
{
	static const struct column columns[FIELD_COLUMNS] = { { "value", 0, false },
		                                              { "replaced", 1, true },
		                                              { "kept", 2, true } };
	const char *cells[REDACT_PLACES * FIELD_COLUMNS];
	char numbers[REDACT_PLACES][2][COUNT_SIZE];
	size_t starts[REDACT_PLACES], rows = 0;
	LOCAL_BUFFER names = BUFFER_INIT;
	for (unsigned place = 0; place < REDACT_PLACES; place++) {
		if (values_at(values, place) == 0)
			continue;
		starts[rows] = names.length;
		redact_append_place(place, &names);
		buffer_append_byte(&names, '\0');
		cells[rows * FIELD_COLUMNS + 1] = count_text(values->replaced[place], numbers[rows][0]);
		cells[rows * FIELD_COLUMNS + 2] = count_text(values->kept[place], numbers[rows][1]);
		rows++;
	}
	out->failed |= names.failed;
	for (size_t i = 0; i < rows; i++) /* the buffer does not move any more */
		cells[i * FIELD_COLUMNS] = names.failed ? "" : names.data + starts[i];
	columns_append_table(out, columns, FIELD_COLUMNS, cells, rows, width, color);
}

static void append_rules(const struct redaction *r, struct buffer *out)
{
	const struct redact_policy *policy = redaction_policy(r);
	for (size_t i = 0; i < policy->rule_count; i++) {
		const struct redact_rule *rule = &policy->rules[i];
		char number[COUNT_SIZE];
		buffer_append_text(out, i == 0 ? "\nrules of the policy\n  " : "  ");
		edit_append_path(rule->pointer.data, out);
		buffer_printf(out, ": %s (%s)\n", redact_rule_name(rule),
		              count_text(redaction_value_counts(r)->rules[i], number));
	}
}

void redaction_append_table(const struct redaction *r, struct buffer *out, int width, bool color)
{
	append_fields(redaction_value_counts(r), out, width, color);
	append_rules(r, out);
}

void redaction_append_json(const struct redaction *r, struct buffer *out)
{
	const struct redact_counts *values = redaction_value_counts(r);
	const struct redaction_counts *counts = redaction_counts(r);
	const struct redact_policy *policy = redaction_policy(r);
	LOCAL_BUFFER name = BUFFER_INIT;
	for (unsigned place = 0; place < REDACT_PLACES; place++) {
		if (values_at(values, place) == 0)
			continue;
		buffer_clear(&name);
		redact_append_place(place, &name);
		json_line_begin_type(out, "value");
		json_line_text(out, "value", buffer_text(&name));
		json_line_number(out, "replaced", (int64_t)values->replaced[place]);
		json_line_number(out, "kept", (int64_t)values->kept[place]);
		json_line_finish(out);
	}
	for (size_t i = 0; i < policy->rule_count; i++) {
		buffer_clear(&name);
		edit_append_path(policy->rules[i].pointer.data, &name);
		json_line_begin_type(out, "rule");
		json_line_text(out, "path", buffer_text(&name));
		json_line_text(out, "action", redact_rule_name(&policy->rules[i]));
		json_line_number(out, "applied", (int64_t)values->rules[i]);
		json_line_finish(out);
	}
	json_line_begin_type(out, "summary");
	json_line_number(out, "records", (int64_t)counts->records);
	json_line_number(out, "already_redacted", (int64_t)counts->already);
	json_line_number(out, "withheld", (int64_t)counts->withheld);
	json_line_number(out, "checked", (int64_t)values->checked);
	json_line_number(out, "unchecked", (int64_t)values->unchecked);
	json_line_finish(out);
	out->failed |= name.failed;
}
