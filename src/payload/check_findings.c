/* Adding findings: where their texts live, and how bytes from outside are quoted in them; and reading them. */
#include "base/utf8.h"
#include "payload/check_internal.h"
#include "payload/ignore.h"

#include <stdarg.h>
#include <string.h>

#define QUOTED_CHARACTERS 60

struct finding *add_finding(struct checker *c, struct finding finding)
{
	struct verdict *v = &c->verdict;
	finding.severity = c->strict ? SEVERITY_ERROR : finding_rows[finding.id].severity;
	finding.earlier = FINDING_NO_PLACE;
	if (ignored_has(c->ignored, &finding, &c->walk, &c->scratch)) {
		v->has_unlisted = true;
		return NULL;
	}
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

struct finding *add_token_finding(struct checker *c, enum finding_id id, uint32_t token)
{
	const struct json_token *t = &c->doc.tokens[token];
	return add_finding(c, (struct finding){ .id = id, .token = token, .start = t->start, .end = t->end });
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

void set_message(struct checker *c, struct finding *f, const char *format, ...)
{
	if (!f)
		return;
	va_list args;
	va_start(args, format);
	f->message = append_text(c, format, args);
	va_end(args);
}

void set_hint(struct checker *c, struct finding *f, const char *format, ...)
{
	if (!f)
		return;
	va_list args;
	va_start(args, format);
	f->hint = append_text(c, format, args);
	va_end(args);
}

void set_mend_hint(struct checker *c, struct finding *f, const char *hint, const struct mend_file *file)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	mend_append(&text, hint, file);
	c->out_of_memory |= text.failed;
	set_hint(c, f, "%s", buffer_text(&text));
}

const char *quote_token(struct checker *c, uint32_t token)
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
