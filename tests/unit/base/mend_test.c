/* What is printed to be typed names the file, as a shell and the file need it. */
#include "base/mend.h"
#include "test.h"

#include <string.h>

#define IN_KEY "in \"KEY\": jq '.\"KEY\"' FILE > FILE.ndjson"
#define JQ     "split it: jq -c '.[]' FILE > FILE.ndjson"

static const struct {
	const char *hint;
	struct mend_file file;
	const char *made;
} rows[] = {
	{ JQ, { .path = "a.json" }, "split it: jq -c '.[]' a.json > a.json.ndjson" },
	{ JQ, { .path = "-" }, JQ },
	{ JQ, { .path = "-a" }, "split it: jq -c '.[]' ./-a > ./-a.ndjson" },
	{ JQ, { .path = "it's a.json" }, "split it: jq -c '.[]' 'it'\\''s a.json' > 'it'\\''s a.json'.ndjson" },
	{ JQ, { .path = "http://u:secret@h/a" }, JQ },
	{ JQ, { .path = "a.gz", .is_packed = true }, "split it: gzip -dc < a.gz | jq -c '.[]' > a.gz.ndjson" },
	{ JQ, { .path = "-", .is_packed = true }, "split it: gzip -dc < FILE | jq -c '.[]' > FILE.ndjson" },
	{ "it: iconv FILE > FILE.json", { .path = "a", .is_lines = true }, "it: iconv a > a.ndjson" },
	{ "it: iconv FILE > FILE.json", { .path = "a" }, "it: iconv a > a.json" },
	{ "it: jq . FILE | perl > FILE.ndjson",
	  { .path = "a", .is_packed = true },
	  "it: gzip -dc < a | jq . | perl > a.ndjson" },
	{ "it: py < FILE > FILE.ndjson", { .path = "a", .is_packed = true }, "it: gzip -dc < a | py > a.ndjson" },
	{ "it: sed -i s/x// FILE", { .path = "a" }, "it: sed -i s/x// a" },
	{ "it: sed -i s/x// FILE",
	  { .path = "a.gz", .is_lines = true, .is_packed = true },
	  "it: gzip -dc < a.gz | sed s/x// > a.gz.ndjson" },
	{ "it: unzip FILE", { .path = "a", .is_packed = true }, "it: gzip -dc < a > a.raw && unzip a.raw" },
	/* a key of the document is neither a name nor an end of the words */
	{ IN_KEY, { .path = "a", .key = TEXT("PROFILE") }, "in \"PROFILE\": jq '.\"PROFILE\"' a > a.ndjson" },
	{ IN_KEY, { .path = "KEY", .key = TEXT("a: KEY") }, "in \"a: KEY\": jq '.\"a: KEY\"' KEY > KEY.ndjson" },
	{ IN_KEY,
	  { .path = "a.gz", .is_packed = true, .key = TEXT("a: FILE > ") },
	  "in \"a: FILE > \": gzip -dc < a.gz | jq '.\"a: FILE > \"' > a.gz.ndjson" },
	/* a name with a line end in it can be typed; one that ends in it cannot */
	{ JQ, { .path = "a\n$b" }, "split it: jq -c '.[]' \"$(printf 'a\\012$b')\" > \"$(printf 'a\\012$b')\".ndjson" },
	{ JQ, { .path = "a\n" }, JQ },
	{ "words alone", { .path = "a", .is_packed = true }, "words alone" },
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
	assert_int_equal(mend_hint(&err, JQ, &(struct mend_file){ .path = buffer_text(&name) }), -1);
	assert_string_equal(err.hint, JQ);
}
