/* Keys that are missing, repeated or not listed, of any object of a payload. */
#include "payload/check_internal.h"

struct repeated_in {
	struct checker *checker;
	uint32_t object;
};

static void report_repeated_key(void *context, uint32_t key, uint32_t earlier)
{
	const struct repeated_in *in = context;
	struct checker *c = in->checker;
	c->doc.tokens[key].flags |= CHECK_KEY_REPEATED;
	struct finding *f = report_key(c, FINDING_DUPLICATE_KEY, in->object, key);
	if (!f)
		return;
	f->earlier = c->doc.tokens[earlier].start;
	report_message(c, f, "duplicate key \"%s\"", report_quoted(c, key));
	report_hint(c, f, "remove one of them; the last value was checked");
}

void check_repeated_keys(struct checker *c, uint32_t object)
{
	c->doc.tokens[object].flags |= CHECK_OBJECT_COMPARED;
	struct repeated_in in = { c, object };
	if (!json_repeated_keys(&c->doc, object, report_repeated_key, &in))
		c->out_of_memory = true;
}

void check_report_missing(struct checker *c, uint32_t object, const char *name, struct key_list list)
{
	const struct json_token *brace = &c->doc.tokens[object];
	if (report_ignores_missing(c, object, name))
		return;
	struct finding *f = report_add(c, FINDING_MISSING_KEY, object, brace->start, brace->start + 1);
	if (!f)
		return;
	f->missing = name;
	report_message(c, f, "missing key \"%s\"", name);
	hint_missing_key(c, f, name, object, list);
}

void check_report_unknown_key(struct checker *c, uint32_t key, uint32_t object, struct key_list list, const char *where)
{
	if (c->doc.tokens[key].flags & CHECK_KEY_REPEATED)
		return;
	struct finding *f = report_key(c, FINDING_UNKNOWN_KEY, object, key);
	if (!f)
		return;
	report_message(c, f, "unknown key \"%s\" in %s", report_quoted(c, key), where);
	hint_unknown_key(c, f, key, object, list);
}
