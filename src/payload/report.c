/* Wording findings: where their texts live and how bytes from outside are quoted in them. */
#include "base/utf8.h"
#include "payload/check_internal.h"

#include <stdarg.h>
#include <string.h>

#define QUOTED_CHARACTERS 60

void report_find_ignored(struct checker *c)
{
	for (size_t i = 0; c->ignored && i < c->ignored->count; i++)
		c->seats[i] = (struct ignored_seat){ json_resolve(&c->doc, c->ignored->places[i].object),
			                             json_resolve(&c->doc, c->ignored->places[i].pointer) };
}

bool report_ignores_missing(const struct checker *c, uint32_t object, const char *key)
{
	for (size_t i = 0; c->ignored && i < c->ignored->count; i++) {
		const struct ignored_place *place = &c->ignored->places[i];
		if (place->id == FINDING_MISSING_KEY && c->seats[i].object == object && strcmp(place->key, key) == 0)
			return true;
	}
	return false;
}

static bool ignores_value(const struct checker *c, enum finding_id id, uint32_t value)
{
	for (size_t i = 0; c->ignored && i < c->ignored->count; i++)
		if (c->ignored->places[i].id == id && c->seats[i].value == value)
			return true;
	return false;
}

struct finding *report_add(struct checker *c, enum finding_id id, uint32_t token, size_t start, size_t end)
{
	struct verdict *v = &c->verdict;
	enum severity severity = c->strict ? SEVERITY_ERROR : finding_rows[id].severity;
	if (c->ignored && c->ignored->everywhere & UINT32_C(1) << id)
		return NULL;
	if (severity == SEVERITY_ERROR)
		v->valid = false;
	else
		v->warnings++;
	if (v->finding_count == 0)
		memset(v->counts, 0, sizeof v->counts);
	v->counts[id]++;
	if (v->finding_count == CHECK_FINDINGS_MAX) {
		v->unlisted++;
		return NULL;
	}
	if (!ARRAY_ROOM(v->findings, v->finding_capacity, v->finding_count + 1)) {
		c->out_of_memory = true;
		return NULL;
	}
	struct finding *f = &v->findings[v->finding_count++];
	*f = (struct finding){
		.id = id, .severity = severity, .start = start, .end = end, .token = token, .earlier = FINDING_NO_PLACE
	};
	return f;
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

struct finding *report_token(struct checker *c, enum finding_id id, uint32_t token)
{
	const struct json_token *t = &c->doc.tokens[token];
	return ignores_value(c, id, token) ? NULL : report_add(c, id, token, t->start, t->end);
}

struct finding *report_key(struct checker *c, enum finding_id id, uint32_t object, uint32_t key)
{
	const struct json_token *t = &c->doc.tokens[key];
	for (size_t i = 0; c->ignored && i < c->ignored->count; i++) {
		const struct ignored_place *place = &c->ignored->places[i];
		if (place->id == id && c->seats[i].object == object &&
		    json_string_is(&c->doc, key, place->key, strlen(place->key)))
			return NULL;
	}
	return report_add(c, id, key, t->start, t->end);
}

const char *report_quoted(struct checker *c, uint32_t token)
{
	const struct json_token *t = &c->doc.tokens[token];
	LOCAL_BUFFER raw = BUFFER_INIT;
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

const char *report_type_of(const struct json_doc *doc, uint32_t token)
{
	return json_type_name((enum json_token_type)doc->tokens[token].type);
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
