/* Any bytes: no notification is taken for a file of another kind, however much of the file is seen; the beginning of a
 * document is always read as a document. */
#include "../fuzz.h"
#include "base/buffer.h"
#include "capture/format.h"
#include "json/print.h"

static bool is_json(const char *text, size_t length)
{
	struct json_doc doc;
	struct json_fault fault;
	doc = JSON_DOC_INIT;
	bool good = json_read(&doc, text, length, &fault);
	json_doc_release(&doc);
	return good;
}

/* Each beginning of a document is read as one, in a block of its own, so that a read past its end is seen. */
static void require_beginnings(const char *text, size_t length)
{
	for (size_t cut = 1; cut < length && cut < 300; cut++) {
		struct buffer out = BUFFER_INIT;
		struct json_doc doc;
		char *part = malloc(cut);
		require(part != NULL);
		memcpy(part, text, cut);
		doc = JSON_DOC_INIT;
		require(!json_read_beginning(&doc, part, cut, NULL) && doc.count > 0);
		json_print(&doc, 0, JSON_COMPACT, &out);
		require(is_json(out.data, out.length));
		json_doc_release(&doc);
		buffer_release(&out);
		free(part);
	}
}

/* Of a whole document that is read as JSON, too. */
static void require_verdict(const char *text, size_t length, const struct format *found)
{
	struct json_doc doc;
	struct json_fault fault;
	doc = JSON_DOC_INIT;
	if (length <= FORMAT_LOOK_MAX && json_read(&doc, text, length, &fault)) {
		const struct format *of_bytes = found && (found->pattern || found->is_bytes) ? found : NULL;
		bool is_container = doc.tokens[0].type == JSON_OBJECT || doc.tokens[0].type == JSON_ARRAY;
		require(!of_bytes);
		require(found == (is_container ? format_of_document(&doc) : NULL));
		if (json_member(&doc, 0, "service", 7) != JSON_NONE || json_member(&doc, 0, "details", 7) != JSON_NONE)
			require(!found || (found->is_records && !found->signs)); /* recorded requests in it */
		if (is_container)
			require_beginnings(text + doc.tokens[0].start, doc.tokens[0].end - doc.tokens[0].start);
	}
	json_doc_release(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct error err;
	bool more = false;
	const struct format *found = format_of_beginning(text, size, true, SOURCE_DETECT, &more);
	require(!more);
	require_verdict(text, size, found);
	const struct format *early = format_of_beginning(text, size, false, SOURCE_DETECT, &more);
	require(!(early && more) && !(more && size >= FORMAT_LOOK_MAX));
	require(early == found || more);
	if (found) {
		require(format_refuse(found, &(struct mend_file){ .path = "a file" }, &err) < 0 &&
		        err.code == EXIT_CODE_IO);
		require(strstr(err.message, found->words));
	}
	return 0;
}
