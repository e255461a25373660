/* What may be replaced: what holds nothing, or nothing that was received. */
#include "base/buffer.h"
#include "capture/folder.h"
#include "capture/record.h"
#include "capture/replace.h"
#include "test.h"

#include <zlib.h>

#define OURS "{\"v\":1,\"seq\":7,\"received_at\":\"2026-01-02T03:04:05.000000Z\",\"body\":\"{}\"}\n"

static void assert_checked(const char *path, const struct source_files *in_use, bool may)
{
	struct error err = { .message = "" };
	assert_int_equal(replace_check(path, in_use, &err), may ? 0 : -1);
	if (!may) {
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_non_null(strstr(err.message, path));
		assert_string_not_equal(err.hint, "");
	}
}

FOLDER_TEST(what_was_received_is_not_replaced)
{
	static const struct {
		const char *text;
		bool may;
	} rows[] = {
		{ "", true },
		{ "http://127.0.0.1:8080\n", true },
		{ "<?xml version=\"1.0\"?><testsuites/>", true },
		{ "{\"service\":\"user\"}\n", true },
		{ "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[]}",
		  true },
		{ "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}", true },
		{ OURS, false },
		{ OURS "{\"v\":1,\"seq", false },
		{ "{\"v\":1,\"torn", false },
		{ "{\"v\":2,\"received_at\":\"\",\"body\":\"\"}", false },
		{ "\xEF\xBB\xBF" OURS OURS, false },
		{ "\":\"torn\"}\n" OURS, false },
		{ "{\"v\":\n\n \n" OURS, false },
		{ "\n{ \"body\": \"\", \"received_at\": \"\", \"v\": 1 }", false },
		{ "{\"type\":\"event\",\"v\":1,\"seq\":1,\"received_at\":\"2026\",\"torn", false },
		{ "{\"type\":\"ready\",\"url\":\"http://a\",\"pid\":1}\n", false },
		{ "{\"input\":null,\"record\":1,\"attempt\":1}\n", false },
		{ "{\"log\":{\"version\":\"1.2\",\"creator\":{}}}", false },
		{ "{\"clientId\":\"a\"}", false },
	};
	const char *path = folder_file(*state, "file.gz");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_checked(folder_write_text(*state, "file.gz", rows[i].text), NULL, rows[i].may);
	gzFile packed = gzopen(path, "w");
	assert_true(gzputs(packed, OURS) > 0);
	gzclose(packed);
	assert_checked(path, NULL, false);
}

/* Under another name, too. */
FOLDER_TEST(what_is_in_use_is_not_replaced)
{
	struct folder *folder = *state;
	RELEASED(source_files) in_use = { .count = 0 };
	struct error err;
	char hard[128], soft[128];
	const char *path = folder_write_text(*state, "input.json", "");
	snprintf(hard, sizeof hard, "%s/hard", folder->path);
	snprintf(soft, sizeof soft, "%s/soft", folder->path);
	assert_int_equal(link(path, hard), 0);
	assert_int_equal(symlink("input.json", soft), 0);
	assert_int_equal(source_files_add(&in_use, "none", &err), 0);
	assert_checked(path, &in_use, true);
	assert_int_equal(source_files_add(&in_use, path, &err), 0);
	assert_checked(path, &in_use, false);
	assert_checked(hard, &in_use, false);
	assert_checked(soft, &in_use, false);
	assert_checked(folder_file(*state, "another"), &in_use, true);
	assert_checked("/dev/null", &in_use, true);
	assert_checked(folder->path, &in_use, true);
}
