#include "payload/check.h"

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "payload/check_internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct checker *checker_new(struct error *err)
{
	struct checker *c = calloc(1, sizeof *c);
	if (!c)
		return error_no_memory_null(err);
	c->doc = JSON_DOC_INIT;
	c->verdict.doc = &c->doc;
	c->scratch = (struct buffer)BUFFER_FOR(&c->verdict.text);
	return c;
}

void checker_free(struct checker *checker)
{
	if (!checker)
		return;
	checker_trim(checker);
	free(checker->verdict.findings);
	free(checker);
}

void checker_set_rules(struct checker *checker, bool strict, const struct ignored *ignored)
{
	checker->strict = strict;
	checker->ignored = ignored;
}

void checker_set_seen(struct checker *checker, struct seen *seen, const char *name)
{
	checker->seen = seen;
	checker->seen_in = name;
}

void checker_set_stop(struct checker *checker, struct json_stop stop)
{
	checker->doc.stop = stop;
}

void checker_trim(struct checker *checker)
{
	json_doc_release(&checker->doc);
	buffer_release(&checker->verdict.text);
	buffer_release(&checker->scratch);
}

static void check_content_type(struct checker *c, const char *content_type, size_t length)
{
	static const char wanted[] = "application/json";
	if (content_type && strncasecmp(content_type, wanted, strlen(wanted)) == 0) {
		const char *rest = content_type + strlen(wanted);
		rest += strspn(rest, " \t");
		if (*rest == '\0' || *rest == ';')
			return;
	}
	struct finding *f =
	        add_finding(c, (struct finding){ .id = FINDING_CONTENT_TYPE, .end = length > 0, .token = JSON_NONE });
	if (!content_type) {
		set_message(c, f, "missing Content-Type");
		set_hint(c, f, "send Content-Type: application/json");
		return;
	}
	buffer_clear(&c->scratch);
	utf8_append_safe(&c->scratch, content_type, strnlen(content_type, 80));
	set_message(c, f, "Content-Type is \"%s\", expected application/json", buffer_text(&c->scratch));
}

/* Why the text is not JSON. A body that was received compressed is named so: it may be right, only unread. */
static void set_syntax_message(struct checker *c, struct finding *f, const struct json_fault *fault,
                               const struct check_options *options)
{
	const char *coding = options ? options->content_encoding : NULL;
	if (!coding || strcasecmp(coding, "identity") == 0) {
		set_message(c, f, "%s", fault->reason);
		return;
	}
	buffer_clear(&c->scratch);
	utf8_append_safe(&c->scratch, coding, strnlen(coding, 80));
	set_message(c, f, "the body is compressed (Content-Encoding: %s)", buffer_text(&c->scratch));
}

static int by_place(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->message != b->message)
		return a->message < b->message ? -1 : 1;
	return 0;
}

static void start_verdict(struct checker *c)
{
	struct verdict *v = &c->verdict;
	v->kind = (struct catalog_kind){ NULL, NULL };
	v->valid = true;
	v->is_compared = v->has_foreign_keys = v->has_unlisted = false;
	v->finding_count = v->unlisted = v->warnings = 0;
	buffer_clear(&v->text);
	c->out_of_memory = c->is_stopped = false;
}

static const struct verdict *finish_verdict(struct checker *c, struct error *err)
{
	struct verdict *v = &c->verdict;
	if (c->out_of_memory)
		return error_no_memory_null(err);
	if (c->is_stopped) {
		error_set(err, EXIT_CODE_INTERRUPTED, "interrupted");
		return NULL;
	}
	if (v->finding_count > 1)
		qsort(v->findings, v->finding_count, sizeof *v->findings, by_place);
	return v;
}

const struct verdict *check_refused(struct checker *checker, enum finding_id id, const char *message, const char *hint,
                                    struct error *err)
{
	start_verdict(checker);
	checker->doc.count = 0;
	checker->doc.text = "";
	checker->doc.length = 0;
	const struct ignored *ignored = checker->ignored;
	checker->ignored = NULL;
	struct finding *f = add_finding(checker, (struct finding){ .id = id, .token = JSON_NONE });
	checker->ignored = ignored;
	set_message(checker, f, "%s", message);
	if (hint[0])
		set_hint(checker, f, "%s", hint);
	return finish_verdict(checker, err);
}

const struct verdict *check_too_long(struct checker *checker, struct error *err)
{
	return check_refused(checker, FINDING_TOO_LONG, "the payload is longer than 64 MiB",
	                     "put several payloads into a .ndjson file, one per line", err);
}

/* NULL: nothing is known. */
static const char *syntax_hint(const char *text, size_t length, const struct json_fault *fault, enum json_depth depth)
{
	/* An object begins a line where the one before is whole, or was cut off. */
	size_t at = fault->offset;
	if (depth != JSON_WHOLE || at == 0 || at >= length || text[0] != '{' || text[at] != '{')
		return json_other_text(text, length, fault, depth);
	bool is_line = text[at - 1] == '\n' && !memchr(text, '\n', at - 1); /* one that jq cannot read may follow */
	if (strcmp(fault->reason, json_after_document) == 0 && !is_line)
		return "put each payload on a line: jq -c . FILE > FILE.ndjson";
	return text[at - 1] == '\n' ? "where each line is a payload, the name says so: cp FILE FILE.ndjson" : NULL;
}

const struct verdict *check_payload(struct checker *checker, const char *text, size_t length,
                                    const struct check_options *options, struct error *err)
{
	struct json_fault fault;
	if (length > CHECK_PAYLOAD_MAX)
		return check_too_long(checker, err);
	start_verdict(checker);
	checker->file = options ? options->file : NULL;
	checker->depth = checker->file ? options->depth : JSON_RECEIVED;
	if (json_read(&checker->doc, text, length, &fault)) {
		json_pointer_walk_init(&checker->walk, &checker->doc);
		check_document(checker, options ? options->expected : (struct catalog_kind){ NULL, NULL });
	} else if (json_fault_is_memory(&fault)) {
		checker->out_of_memory = true;
	} else if (json_fault_is_stopped(&fault)) {
		checker->is_stopped = true;
	} else {
		struct finding *f =
		        add_finding(checker, (struct finding){ .id = FINDING_JSON_SYNTAX,
		                                               .start = fault.offset,
		                                               .end = fault.offset + (fault.offset < length),
		                                               .token = JSON_NONE });
		set_syntax_message(checker, f, &fault, options);
		const char *hint = syntax_hint(text, length, &fault, checker->depth);
		if (hint && checker->file)
			set_mend_hint(checker, f, hint, checker->file);
		else if (hint)
			set_hint(checker, f, "%s", hint);
	}
	if (options && options->checks_content_type)
		check_content_type(checker, options->content_type, length);
	return finish_verdict(checker, err);
}

void checker_moved(struct checker *checker, const char *text)
{
	checker->doc.text = text;
}
