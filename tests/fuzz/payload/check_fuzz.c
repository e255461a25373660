/*
 * Any bytes as a payload: findings stand inside the text, in order, with words and a pointer; valid means no error; and
 * a strict or an ignoring checker says the same, but for what it was told. The first byte chooses the rules.
 */
#include "../fuzz.h"
#include "base/utf8.h"
#include "json/pointer.h"
#include "payload/check.h"
#include "payload/ignore.h"
#include "payload/seen.h"

static void require_words(const struct verdict *v, const struct finding *f, struct json_pointer_walk *walk)
{
	const char *message = verdict_message(v, f), *hint = verdict_hint(v, f);
	require(message[0] != '\0' && utf8_first_invalid(message, strlen(message)) == strlen(message));
	require(strpbrk(message, "\n\r\x1B") == NULL);
	require(!hint || (hint[0] != '\0' && utf8_first_invalid(hint, strlen(hint)) == strlen(hint)));
	require(!hint || strpbrk(hint, "\n\r\x1B") == NULL);
	struct buffer pointer = BUFFER_INIT;
	verdict_append_pointer(v, f, walk, &pointer);
	require(pointer.length == 0 || pointer.data[0] == '/' || pointer.data[0] == '.');
	require(pointer.length < VERDICT_POINTER_MAX + 64);
	require(utf8_first_invalid(buffer_text(&pointer), pointer.length) == pointer.length);
	if (v->doc->count > 0 && f->token != JSON_NONE && !f->missing && pointer.length < VERDICT_POINTER_MAX &&
	    f->id != FINDING_DUPLICATE_KEY)
		require(json_resolve(v->doc, buffer_text(&pointer)) != JSON_NONE ||
		        memchr(buffer_text(&pointer), '\0', pointer.length) != NULL ||
		        v->counts[FINDING_DUPLICATE_KEY] > 0);
	buffer_release(&pointer);
}

/* Returns how many errors there are, unlisted ones not counted. */
static size_t require_sound(const struct verdict *v, size_t length)
{
	size_t errors = 0, counted = 0;
	struct json_pointer_walk walk;
	json_pointer_walk_init(&walk, v->doc);
	for (size_t i = 0; i < v->finding_count; i++) {
		const struct finding *f = &v->findings[i];
		require(f->start <= f->end && f->end <= length);
		require(i == 0 || v->findings[i - 1].start <= f->start);
		require(f->earlier == FINDING_NO_PLACE || f->earlier < f->start);
		require((f->missing != NULL) == (f->id == FINDING_MISSING_KEY));
		require_words(v, f, &walk);
		errors += f->severity == SEVERITY_ERROR;
	}
	for (size_t i = 0; v->finding_count > 0 && i < FINDING_ID_COUNT; i++)
		counted += v->counts[i];
	require(counted == v->finding_count + v->unlisted);
	if (v->unlisted == 0)
		require(v->valid == (errors == 0));
	return errors;
}

/* Of a valid payload nothing is new to who has seen it. */
static void require_itself_seen(struct checker *checker, const char *text, size_t length,
                                const struct check_options *options)
{
	struct error err;
	struct seen *seen = seen_new(&err), *none = seen_new(&err);
	require(seen && none && seen_seal(none));
	checker_set_rules(checker, false, NULL);
	const struct verdict *v = check_payload(checker, text, length, options, &err);
	bool is_compared = v && v->valid && v->kind.event;
	require(v && (!is_compared || seen_add(seen, v, true)) && seen_seal(seen));
	checker_set_seen(checker, none, "\x1B\xFF");
	v = check_payload(checker, text, length, options, &err);
	require(v && (v->counts[FINDING_UNSEEN] == 1 || !is_compared));
	require_sound(v, length);
	checker_set_seen(checker, seen, "itself");
	v = check_payload(checker, text, length, options, &err);
	require(v && (!is_compared || v->finding_count == 0 ||
	              (v->counts[FINDING_UNSEEN] == 0 && v->counts[FINDING_UNKNOWN_KEY] == 0)));
	require_sound(v, length);
	seen_free(seen);
	seen_free(none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	struct error err;
	const char *text = (const char *)data + 2;
	size_t length = size - 2;
	struct ignored rules = { .everywhere = (uint32_t)data[0] << 4 };
	struct check_options options = { .checks_content_type = (data[1] & 1) != 0, .content_type = "text/plain" };
	if (data[1] & 2)
		options.expected = catalog_kind_at(data[1] / 4 % catalog_kind_count());
	struct checker *checker = checker_new(&err);
	require(checker != NULL);
	const struct verdict *v = check_payload(checker, text, length, &options, &err);
	require(v != NULL);
	size_t errors = require_sound(v, length), all = v->finding_count;
	bool valid = v->valid;
	checker_set_rules(checker, true, NULL);
	v = check_payload(checker, text, length, &options, &err);
	require(v != NULL && v->finding_count == all && v->valid == (all == 0));
	require(require_sound(v, length) == all);
	checker_set_rules(checker, false, &rules);
	v = check_payload(checker, text, length, &options, &err);
	require(v != NULL && v->finding_count <= all && (v->valid || !valid));
	require(require_sound(v, length) <= errors || all == CHECK_FINDINGS_MAX);
	for (size_t i = 0; i < v->finding_count; i++)
		require(!(rules.everywhere & UINT32_C(1) << v->findings[i].id));
	require_itself_seen(checker, text, length, &options);
	checker_free(checker);
	return 0;
}
