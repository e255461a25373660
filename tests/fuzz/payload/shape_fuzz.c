/* Any bytes as a payload: it has a shape, the same each time, and the same however its text is spelled. */
#include "../fuzz.h"
#include "json/print.h"
#include "payload/shape.h"

static void take_shape(struct checker *checker, struct shaper *shaper, const char *text, size_t length,
                       unsigned char id[SHAPE_ID_SIZE], bool *is_plain)
{
	struct error err;
	const struct catalog_field *field;
	struct text value;
	const struct verdict *v = check_payload(checker, text, length, NULL, &err);
	require(v != NULL && shape_of(shaper, v, id, &err) == 0);
	/* Of duplicate keys the last one counts, and of very many findings only the first are listed. */
	*is_plain = v->doc->count > 0 && v->unlisted == 0 &&
	            (v->finding_count == 0 || v->counts[FINDING_DUPLICATE_KEY] == 0);
	for (size_t i = 0; shape_code(shaper, v, i, &field, &value); i++)
		require(i < 8 && field->privacy == CATALOG_CODE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err;
	unsigned char id[SHAPE_ID_SIZE], other[SHAPE_ID_SIZE];
	const char *text = size > 0 ? (const char *)data : "";
	bool is_plain, ignored;
	struct checker *checker = checker_new(&err);
	struct shaper *shaper = shaper_new(&err);
	require(checker && shaper);
	take_shape(checker, shaper, text, size, id, &is_plain);
	take_shape(checker, shaper, text, size, other, &ignored);
	require(memcmp(id, other, sizeof id) == 0);
	for (int style = JSON_COMPACT; is_plain && style <= JSON_ESCAPED_STRINGS; style++) {
		struct json_doc doc = JSON_DOC_INIT;
		struct buffer again = BUFFER_INIT;
		require(json_read(&doc, text, size, NULL));
		json_print(&doc, 0, (enum json_style)style, &again);
		take_shape(checker, shaper, buffer_text(&again), again.length, other, &ignored);
		require(memcmp(id, other, sizeof id) == 0);
		buffer_release(&again);
		json_doc_release(&doc);
	}
	shaper_free(shaper);
	checker_free(checker);
	return 0;
}
