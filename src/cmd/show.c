#include "cmd/show.h"

#include "base/fit.h"
#include "base/utf8.h"
#include "cmd/arrival.h"
#include "json/json_line.h"
#include "json/tree.h"
#include "payload/build.h"
#include "payload/check.h"
#include "report/finding_report.h"

#include <json-c/linkhash.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define BELOW_INDENT 6

struct page {
	struct buffer *out;
	const struct verdict *verdict; /* on `text` */
	const char *text;              /* pretty */
	size_t length;
	size_t next_finding;
	bool color;
	int width;
};

/* After the line if there is room, else below it. */
static void append_finding(struct page *p, const struct finding *f, bool first, int columns)
{
	LOCAL_BUFFER words = BUFFER_INIT, safe = BUFFER_INIT;
	const char *hint = verdict_hint(p->verdict, f);
	enum style style = f->severity == SEVERITY_ERROR ? STYLE_ERROR : STYLE_WARNING;
	buffer_printf(&words, "%s: %s [%s]", severity_name(f->severity), verdict_message(p->verdict, f),
	              finding_rows[f->id].name);
	utf8_append_safe(&safe, buffer_text(&words), words.length);
	if (first && columns + 5 + (int)utf8_count(safe.data, safe.length) <= p->width) {
		style_append(p->out, p->color, style, "  <- %s", buffer_text(&safe));
		buffer_append_byte(p->out, '\n');
	} else {
		if (first)
			buffer_append_byte(p->out, '\n');
		buffer_clear(&words);
		fit_append_wrapped(&words, buffer_text(&safe), BELOW_INDENT, BELOW_INDENT, p->width);
		style_append(p->out, p->color, style, "   ^  %s", buffer_text(&words));
		buffer_append_byte(p->out, '\n');
	}
	if (hint) {
		buffer_clear(&safe);
		utf8_append_safe(&safe, hint, strlen(hint));
		buffer_append_text(p->out, "      fix: ");
		fit_append_wrapped(p->out, buffer_text(&safe), 11, 11, p->width);
		buffer_append_byte(p->out, '\n');
	}
}

static void append_head(struct page *p, const struct capture_record *record)
{
	char stamp[64];
	LOCAL_BUFFER line = BUFFER_INIT;
	time_t second = (time_t)(record->received_us / 1000000);
	struct tm local;
	localtime_r(&second, &local);
	strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S %Z", &local);
	buffer_printf(&line, "#%llu %s at %s from %s%s%s, ", (unsigned long long)record->seq,
	              record->event.text ? record->event.text : "(unknown)", stamp,
	              record->remote.text ? record->remote.text : "?", record->via.text ? " via " : "",
	              record->via.text ? record->via.text : "");
	if (record->fault.text)
		buffer_printf(&line, "fault %s", record->fault.text);
	else
		buffer_printf(&line, "status %d", record->status);
	utf8_append_safe(p->out, buffer_text(&line), line.length);
	buffer_append_byte(p->out, '\n');
	style_begin(p->out, p->color, STYLE_FAINT);
	arrival_append_head(&record->request, p->out);
	style_end(p->out, p->color, STYLE_FAINT);
	buffer_append_byte(p->out, '\n');
}

/* The body, checked as it is shown; one that is not JSON as validate shows it. */
static int append_body(struct page *p, const struct capture_record *record, struct error *err)
{
	struct checker *checker = checker_new(err);
	LOCAL_BUFFER pretty = BUFFER_INIT, name = BUFFER_INIT;
	const struct text *type = message_header(&record->request, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->text : NULL };
	struct error no_json;
	if (!checker)
		return -1;
	bool is_json = build_pretty(record->request.body.text, record->request.body.length, &pretty, &no_json) == 0;
	p->text = is_json ? buffer_text(&pretty) : record->request.body.text;
	p->length = is_json ? pretty.length : record->request.body.length;
	p->verdict = check_payload(checker, p->text, p->length, &options, err);
	if (p->verdict && is_json) {
		const struct verdict *v = p->verdict;
		for (size_t start = 0; start < p->length;) {
			const char *newline = memchr(p->text + start, '\n', p->length - start);
			size_t end = newline ? (size_t)(newline - p->text) : p->length;
			LOCAL_BUFFER line = BUFFER_INIT;
			utf8_append_safe(&line, p->text + start, end - start);
			buffer_append(p->out, line.data, line.length);
			int columns = fit_columns(buffer_text(&line), line.length);
			bool first = true;
			while (p->next_finding < v->finding_count && v->findings[p->next_finding].start <= end) {
				append_finding(p, &v->findings[p->next_finding++], first, columns);
				first = false;
			}
			if (first)
				buffer_append_byte(p->out, '\n');
			start = end + 1;
		}
	} else if (p->verdict) {
		buffer_printf(&name, "#%llu", (unsigned long long)record->seq);
		struct payload_origin origin = { buffer_text(&name), 1, p->text, p->length, NULL, NULL, 1 };
		finding_report_text(p->verdict, &origin, p->color, p->width, p->out);
	}
	bool is_checked = p->verdict != NULL;
	checker_free(checker);
	return is_checked ? 0 : -1;
}

int show_append(const struct capture_record *record, bool color, int width, struct buffer *out, struct error *err)
{
	struct page page = { .out = out, .color = color, .width = width };
	append_head(&page, record);
	return append_body(&page, record, err);
}

/* diff: two notifications value by value, each difference at its JSON Pointer. */

#define SHOWN_VALUE 160 /* bytes */

struct comparison {
	struct buffer *out;
	struct buffer pointer;
	size_t differences;
	bool json;
	bool color;
};

/* A value of one of the two. */
struct value {
	bool is_there;
	struct json_object *tree; /* NULL: null */
};

static void append_value(struct comparison *c, struct value value, enum style style)
{
	LOCAL_BUFFER text = BUFFER_INIT, safe = BUFFER_INIT;
	if (!value.is_there)
		return;
	tree_append_text(value.tree, TREE_COMPACT, &text);
	utf8_append_safe(&safe, buffer_text(&text), text.length < SHOWN_VALUE ? text.length : SHOWN_VALUE);
	style_append(c->out, c->color, style, "%s%s", buffer_text(&safe), text.length > SHOWN_VALUE ? "..." : "");
	c->out->failed |= text.failed || safe.failed;
}

static void append_json_value(struct comparison *c, const char *key, struct value value)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	if (!value.is_there)
		return;
	tree_append_text(value.tree, TREE_COMPACT, &text);
	json_line_key(c->out, key);
	json_line_members(c->out, buffer_text(&text), text.length);
	c->out->failed |= text.failed;
}

static void append_difference(struct comparison *c, struct value before, struct value after)
{
	c->differences++;
	if (c->json) {
		json_line_begin_type(c->out, "difference");
		json_line_bytes(c->out, "pointer", buffer_text(&c->pointer), c->pointer.length);
		append_json_value(c, "before", before);
		append_json_value(c, "after", after);
		json_line_finish(c->out);
		return;
	}
	buffer_append_text(c->out, !before.is_there ? "+ " : !after.is_there ? "- " : "~ ");
	if (c->pointer.length == 0)
		buffer_append_text(c->out, "(whole payload)");
	utf8_append_safe(c->out, buffer_text(&c->pointer), c->pointer.length);
	buffer_append_text(c->out, ": ");
	append_value(c, before, STYLE_ERROR);
	buffer_append_text(c->out, before.is_there && after.is_there ? " -> " : "");
	append_value(c, after, STYLE_GOOD);
	buffer_append_byte(c->out, '\n');
}

static void compare(struct comparison *c, struct value before, struct value after);

static void compare_member(struct comparison *c, const char *key, struct value before, struct value after)
{
	size_t kept = c->pointer.length;
	json_append_pointer_key(&c->pointer, key, strlen(key));
	compare(c, before, after);
	buffer_consume_end(&c->pointer, c->pointer.length - kept);
}

static void compare_objects(struct comparison *c, struct json_object *before, struct json_object *after)
{
	struct value none = { false, NULL }, other;
	json_object_object_foreach(before, key, value)
	{
		other.is_there = json_object_object_get_ex(after, key, &other.tree);
		compare_member(c, key, (struct value){ true, value }, other.is_there ? other : none);
	}
	json_object_object_foreach(after, added, added_value)
	{
		if (!json_object_object_get_ex(before, added, NULL))
			compare_member(c, added, none, (struct value){ true, added_value });
	}
}

static struct value element(struct json_object *array, size_t index)
{
	return (struct value){ index < json_object_array_length(array), json_object_array_get_idx(array, index) };
}

static void compare_arrays(struct comparison *c, struct json_object *before, struct json_object *after)
{
	char index[24];
	for (size_t i = 0; element(before, i).is_there || element(after, i).is_there; i++) {
		snprintf(index, sizeof index, "%zu", i);
		compare_member(c, index, element(before, i), element(after, i));
	}
}

/* Numbers are equal where they are written the same. */
static bool is_equal(struct comparison *c, struct json_object *a, struct json_object *b)
{
	LOCAL_BUFFER one = BUFFER_INIT, other = BUFFER_INIT;
	tree_append_text(a, TREE_COMPACT, &one);
	tree_append_text(b, TREE_COMPACT, &other);
	c->out->failed |= one.failed || other.failed;
	return one.length == other.length && memcmp(buffer_text(&one), buffer_text(&other), one.length) == 0;
}

static void compare(struct comparison *c, struct value before, struct value after)
{
	enum json_type type = json_object_get_type(before.tree);
	bool are_alike = before.is_there && after.is_there && type == json_object_get_type(after.tree);
	if (are_alike && type == json_type_object)
		compare_objects(c, before.tree, after.tree);
	else if (are_alike && type == json_type_array)
		compare_arrays(c, before.tree, after.tree);
	else if (!are_alike || !is_equal(c, before.tree, after.tree))
		append_difference(c, before, after);
}

static int read_body(const struct capture_record *record, struct json_object **tree, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	if (json_read(&doc, record->request.body.text, record->request.body.length, &fault))
		return tree_from_doc(&doc, 0, tree, err);
	error_set(err, EXIT_CODE_FAILED, "#%llu is not JSON: %s", (unsigned long long)record->seq, fault.reason);
	return error_hint(err, "'show %llu' shows where", (unsigned long long)record->seq);
}

int show_append_difference(const struct capture_record *before, const struct capture_record *after, bool json,
                           bool color, struct buffer *out, size_t *count, struct error *err)
{
	struct comparison c = { .out = out, .json = json, .color = color };
	struct json_object *one = NULL, *other = NULL;
	int result = read_body(before, &one, err) == 0 && read_body(after, &other, err) == 0 ? 0 : -1;
	if (result == 0)
		compare(&c, (struct value){ true, one }, (struct value){ true, other });
	if (c.pointer.failed)
		result = error_no_memory(err);
	*count = c.differences;
	json_object_put(one);
	json_object_put(other);
	buffer_release(&c.pointer);
	return result;
}
