/* What is printed to be typed names the file, as a shell and the file need it. */
#include "base/mend.h"
#include "test.h"

#include <string.h>

#define JQ "split it: jq -c '.[]' FILE > FILE.ndjson"

static const struct {
	const char *hint;
	struct mend_file file;
	const char *made;
} rows[] = {
	{ JQ, { "a.json", false, false }, "split it: jq -c '.[]' a.json > a.json.ndjson" },
	{ JQ, { "-", false, false }, JQ },
	{ JQ, { "-a", false, false }, "split it: jq -c '.[]' ./-a > ./-a.ndjson" },
	{ JQ, { "it's a.json", false, false }, "split it: jq -c '.[]' 'it'\\''s a.json' > 'it'\\''s a.json'.ndjson" },
	{ JQ, { "http://u:secret@h/a", false, false }, JQ },
	{ JQ, { "a.gz", false, true }, "split it: gzip -dc < a.gz | jq -c '.[]' > a.gz.ndjson" },
	{ JQ, { "-", false, true }, "split it: gzip -dc < FILE | jq -c '.[]' > FILE.ndjson" },
	{ "it: iconv FILE > FILE.json", { "a", true, false }, "it: iconv a > a.ndjson" },
	{ "it: iconv FILE > FILE.json", { "a", false, false }, "it: iconv a > a.json" },
	{ "it: jq . FILE | perl > FILE.ndjson", { "a", false, true }, "it: gzip -dc < a | jq . | perl > a.ndjson" },
	{ "it: py < FILE > FILE.ndjson", { "a", false, true }, "it: gzip -dc < a | py > a.ndjson" },
	{ "it: sed -i s/x// FILE", { "a", false, false }, "it: sed -i s/x// a" },
	{ "it: sed -i s/x// FILE", { "a.gz", true, true }, "it: gzip -dc < a.gz | sed s/x// > a.gz.ndjson" },
	{ "it: unzip FILE", { "a", false, true }, "it: gzip -dc < a > a.raw && unzip a.raw" },
	{ "words alone", { "a", false, true }, "words alone" },
};

TEST(the_file_has_its_name)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		mend_append(&out, rows[i].hint, &rows[i].file);
		assert_string_equal(buffer_text(&out), rows[i].made);
	}
}

TEST(a_long_name_cuts_no_line)
{
	RELEASED(buffer) name = BUFFER_INIT;
	struct error err;
	buffer_append_repeat(&name, 'x', ERROR_HINT_SIZE);
	assert_int_equal(mend_hint(&err, JQ, &(struct mend_file){ buffer_text(&name), false, false }), -1);
	assert_string_equal(err.hint, JQ);
}
