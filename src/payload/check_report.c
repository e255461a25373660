/* Reporting findings: which ones are ignored, where their texts live, and how bytes from outside are quoted in them. */
#include "base/utf8.h"
#include "payload/check_internal.h"
#include "payload/edit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define QUOTED_CHARACTERS 60

void ignored_release(void *field)
{
	struct ignored *ignored = field;
	for (size_t i = 0; i < ignored->count; i++)
		free(ignored->places[i].pointer);
	free(ignored->places);
	*ignored = (struct ignored){ 0 };
}

/* Whether an event lists it, or it is an object that all of them have. */
static bool is_listed(const char *pointer)
{
	bool listed = pointer[0] == '\0' || strcmp(pointer, "/details") == 0;
	for (size_t i = 0; !listed && i < catalog_event_count; i++)
		listed = edit_member(&catalog_events[i], pointer, NULL) != NULL;
	return listed;
}

static int add_place(struct ignored *ignored, enum finding_id id, const char *path, struct error *err)
{
	LOCAL_BUFFER pointer = BUFFER_INIT;
	if (id == FINDING_CONTENT_TYPE)
		return error_set(err, EXIT_CODE_USAGE, "content-type is about the request and has no place: '%s'",
		                 path);
	if (edit_pointer(path, &pointer, err) < 0)
		return -1;
	struct ignored_place place = { id, strdup(buffer_text(&pointer)) };
	if (!place.pointer || !ARRAY_ROOM(ignored->places, ignored->capacity, ignored->count + 1)) {
		free(place.pointer);
		return error_no_memory(err);
	}
	ignored->places[ignored->count++] = place;
	/* Any key may be unknown or repeated in an object that some event lists. */
	buffer_consume_end(&pointer, strlen(strrchr(place.pointer, '/')));
	bool about_keys = id == FINDING_UNKNOWN_KEY || id == FINDING_DUPLICATE_KEY;
	if (is_listed(place.pointer) || (about_keys && is_listed(buffer_text(&pointer))))
		return 0;
	return edit_refuse_path(path, place.pointer, err);
}

int ignored_parse(void *field, const char *text, struct error *err)
{
	struct ignored *ignored = field;
	LOCAL(release_text) char *copy = strdup(text);
	char *rest = copy;
	if (!copy)
		return error_no_memory(err);
	for (char *path; (path = strsep(&rest, ",")) != NULL;) {
		const char *name = strsep(&path, ":");
		enum finding_id id;
		if (finding_parse(name, strlen(name), &id, err) < 0)
			return -1;
		if (id == FINDING_JSON_SYNTAX || id == FINDING_TOO_LONG) {
			error_set(err, EXIT_CODE_USAGE, "%s cannot be ignored: such a payload was not checked",
			          finding_rows[id].name);
			return error_hint(err, "leave the file out, or see --expect-invalid");
		}
		if (!path)
			ignored->everywhere |= UINT32_C(1) << id;
		else if (add_place(ignored, id, path, err) < 0)
			return -1;
	}
	return 0;
}

/* Whether --ignore names the finding, everywhere or here. */
static bool is_ignored(struct checker *c, const struct finding *f)
{
	if (c->ignored && c->ignored->everywhere & UINT32_C(1) << f->id)
		return true;
	for (size_t i = 0; c->ignored && f->token != JSON_NONE && i < c->ignored->count; i++) {
		const struct ignored_place *place = &c->ignored->places[i];
		size_t length = strlen(place->pointer);
		if (place->id != f->id)
			continue;
		buffer_clear(&c->scratch);
		bool whole = json_pointer_walk_append(&c->walk, f->token, length, &c->scratch);
		if (f->missing)
			json_append_pointer_key(&c->scratch, f->missing, strlen(f->missing));
		if (whole && c->scratch.length == length && memcmp(c->scratch.data, place->pointer, length) == 0)
			return true;
	}
	return false;
}

struct finding *report(struct checker *c, struct finding finding)
{
	struct verdict *v = &c->verdict;
	finding.severity = c->strict ? SEVERITY_ERROR : finding_rows[finding.id].severity;
	finding.earlier = FINDING_NO_PLACE;
	if (is_ignored(c, &finding))
		return NULL;
	bool is_first_error = v->valid && finding.severity == SEVERITY_ERROR;
	if (finding.severity == SEVERITY_ERROR)
		v->valid = false;
	else
		v->warnings++;
	if (v->finding_count == 0)
		memset(v->counts, 0, sizeof v->counts);
	v->counts[finding.id]++;
	if (v->finding_count == CHECK_FINDINGS_MAX) {
		v->unlisted++;
		if (!is_first_error)
			return NULL;
		v->finding_count--; /* whatever is listed, why the payload is invalid is */
	}
	if (!ARRAY_ROOM(v->findings, v->finding_capacity, v->finding_count + 1)) {
		c->out_of_memory = true;
		return NULL;
	}
	v->findings[v->finding_count] = finding;
	return &v->findings[v->finding_count++];
}

struct finding *report_token(struct checker *c, enum finding_id id, uint32_t token)
{
	const struct json_token *t = &c->doc.tokens[token];
	return report(c, (struct finding){ .id = id, .token = token, .start = t->start, .end = t->end });
}

/* Offset 0 holds an empty string, so that 0 can mean "none". */
__attribute__((format(printf, 2, 0))) static size_t append_text(struct checker *c, const char *format, va_list args)
{
	struct buffer *text = &c->verdict.text;
	if (text->length == 0)
		buffer_append_byte(text, '\0');
	size_t at = text->length;
	buffer_vprintf(text, format, args);
	buffer_append_byte(text, '\0');
	if (text->failed)
		c->out_of_memory = true;
	return at;
}

void report_message(struct checker *c, struct finding *f, const char *format, ...)
{
	if (!f)
		return;
	va_list args;
	va_start(args, format);
	f->message = append_text(c, format, args);
	va_end(args);
}

void report_hint(struct checker *c, struct finding *f, const char *format, ...)
{
	if (!f)
		return;
	va_list args;
	va_start(args, format);
	f->hint = append_text(c, format, args);
	va_end(args);
}

const char *report_quoted(struct checker *c, uint32_t token)
{
	const struct json_token *t = &c->doc.tokens[token];
	LOCAL_BUFFER raw = BUFFER_FOR(&c->scratch);
	if (t->type == JSON_STRING)
		json_string_decode(&c->doc, token, &raw);
	else
		buffer_append(&raw, c->doc.text + t->start, t->end - t->start);
	size_t kept = 0;
	for (int i = 0; i < QUOTED_CHARACTERS && kept < raw.length; i++) {
		uint32_t code_point;
		size_t size = utf8_decode(raw.data + kept, raw.length - kept, &code_point);
		kept += size ? size : 1;
	}
	buffer_clear(&c->scratch);
	utf8_append_safe(&c->scratch, buffer_text(&raw), kept);
	if (kept < raw.length)
		buffer_append_text(&c->scratch, "...");
	return buffer_text(&c->scratch);
}

const struct finding *verdict_finding(const struct verdict *verdict, size_t nth)
{
	const struct finding *end = verdict->findings + verdict->finding_count;
	size_t errors = 0;
	for (const struct finding *f = verdict->findings; f < end; f++)
		if (f->severity == SEVERITY_ERROR && errors++ == nth)
			return f;
	for (const struct finding *f = verdict->findings; f < end; f++)
		if (f->severity != SEVERITY_ERROR && errors++ == nth)
			return f;
	return NULL;
}

const char *verdict_message(const struct verdict *verdict, const struct finding *finding)
{
	return buffer_text(&verdict->text) + finding->message;
}

const char *verdict_hint(const struct verdict *verdict, const struct finding *finding)
{
	return finding->hint ? buffer_text(&verdict->text) + finding->hint : NULL;
}

void verdict_append_pointer(const struct verdict *verdict, const struct finding *finding,
                            struct json_pointer_walk *walk, struct buffer *out)
{
	bool whole = true;
	if (finding->token != JSON_NONE && verdict->doc->count > 0)
		whole = json_pointer_walk_append(walk, finding->token, VERDICT_POINTER_MAX, out);
	if (!whole)
		buffer_append_text(out, "...");
	else if (finding->missing)
		json_append_pointer_key(out, finding->missing, strlen(finding->missing));
}
