/*
 * Any bytes as a payload: what is redacted is JSON of the same structure, a checker says the same of it at the same
 * places, and none of its values is found in it. The first byte chooses what is kept.
 */
#include "../fuzz.h"
#include "payload/check.h"
#include "redact/redact.h"

static void require_same(const struct verdict *before, const struct verdict *after)
{
	require(before->valid == after->valid && before->finding_count == after->finding_count);
	require(before->kind.event == after->kind.event && before->kind.element == after->kind.element);
	for (size_t i = 0; i < before->finding_count; i++) {
		const struct finding *a = &before->findings[i], *b = &after->findings[i];
		require(a->id == b->id && a->severity == b->severity && a->token == b->token);
		require(a->missing == b->missing);
	}
}

static void redact_both(struct redactor *r, const char *text, size_t length)
{
	struct error err;
	const struct text all = { text, length };
	const struct header header = { all, all };
	struct message in = { all, all, &header, 1, all }, out;
	struct text remote = all, via = all;
	enum redact_withheld withheld;
	require(redact_message(r, &in, &out, &remote, &via, &withheld, &err) == 0);
	if (withheld != REDACT_NOT_WITHHELD || length == 0) {
		require(out.body.length == 0);
		return;
	}
	struct checker *one = checker_new(&err), *two = checker_new(&err);
	require(one && two);
	const struct verdict *before = check_payload(one, text, length, NULL, &err);
	const struct verdict *after = check_payload(two, out.body.text, out.body.length, NULL, &err);
	require(before && after && after->doc->count > 0);
	require(after->doc->count == before->doc->count);
	for (uint32_t i = 0; i < after->doc->count; i++)
		require(after->doc->tokens[i].next == before->doc->tokens[i].next);
	require_same(before, after);
	unsigned place;
	require(redact_prove(r, &out, out.body.text, out.body.length, &place, &err) >= 0);
	checker_free(one);
	checker_free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	if (size == 0)
		return 0;
	struct redactor *r = redactor_new("0123456789abcdef", 16, false, &err);
	struct redactor *fresh = redactor_new("0123456789abcdef", 16, true, &err);
	require(r && fresh);
	if (data[0] == '1' || data[0] == '2')
		require(redactor_keep(r, "details.bureau,details.address,details.address.zip,/x/1,/0", &err) == 0);
	redact_both(r, (const char *)data + 1, size - 1);
	redact_both(fresh, (const char *)data + 1, size - 1);
	redactor_free(r);
	redactor_free(fresh);
	return 0;
}
