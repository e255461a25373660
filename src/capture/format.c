#include "capture/format.h"

#include "base/find.h"
#include "base/text.h"
#include "capture/entry.h"
#include "capture/recorded.h"
#include "json/pointer.h"
#include "json/scan.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

#define BYTES_ENOUGH ((size_t)256) /* to recognise a format that is not JSON */
#define POINTER_SIZE 64
#define GZIP_END     ".gz"

/* An export of another tool that is not read, with a line that takes the notifications out of it. */
#define EXPORT(tool, what, how, ...)                                                                                   \
	{                                                                                                              \
		.name = (tool), .words = what ", which credhook does not read", .hint = (how), .is_data = true,        \
		__VA_ARGS__                                                                                            \
	}
#define TAKE_OUT      "take the payloads out: "
#define INTO          " FILE > FILE.ndjson"
#define EACH          "recurse((strings|fromjson?), .[]?)|objects|" /* each object, also of JSON in strings */
#define RECORDS       "records"
#define RECORDS_UTF16 "records-utf16"
#define RECORDS_UTF32 "records-utf32"
#define HAR           "har"
/* Payloads that stand in strings, among other strings. */
#define JQ_STRINGS(filter) TAKE_OUT "jq -c '" filter "|fromjson?|select(.service?)'" INTO
/* Bodies in hex, as newer versions of tshark print them, become text, one per line; others stay. */
#define FROM_HEX "perl -lpe 's/://g, $_ = pack \"H*\", $_ if /^[0-9a-f:]+$/' > FILE.ndjson"

/* Whether a member is as the rest of its condition says, see is_as(). */
static bool is_member(const struct json_doc *doc, uint32_t token, const char *sign, size_t length)
{
	if (token == JSON_NONE || length == 0)
		return token != JSON_NONE;
	const struct json_token *t = &doc->tokens[token];
	if (sign[0] == '~')
		return t->type == JSON_STRING &&
		       find_text(doc->text + t->start, t->end - t->start, sign + 1, length - 1) != NULL;
	return t->type == (sign[1] == 's'   ? JSON_STRING
	                   : sign[1] == 'n' ? JSON_NUMBER
	                   : sign[1] == 'a' ? JSON_ARRAY
	                                    : JSON_OBJECT);
}

/* Whether a document, or the first element of an array, is as the signs say: alternatives with | between two, each of
 * conditions with a blank between two. A condition is the JSON Pointer of a member, alone, or with a type (:s string,
 * :n number, :a array, :o object), or with a text that is in the string (~TEXT, escapes not resolved). */
static bool is_as(const struct json_doc *doc, const char *signs)
{
	bool holds = true;
	const char *first = doc->tokens[0].type == JSON_ARRAY ? "/0" : "";
	for (const char *at = signs; *at; at += *at != '\0') {
		char pointer[POINTER_SIZE];
		size_t path = strcspn(at, ":~ |"), length = strcspn(at, " |");
		snprintf(pointer, sizeof pointer, "%s%.*s", first, (int)path, at);
		holds = holds && is_member(doc, json_resolve(doc, pointer), at + path, length - path);
		at += length;
		if (*at != '|')
			continue;
		if (holds)
			return true;
		holds = true;
	}
	return holds;
}

/* pcap of micro- and nanoseconds, and pcapng, each in both byte orders. */
static bool is_pcap(const char *bytes, size_t length)
{
	static const char magic[][5] = { "\xA1\xB2\xC3\xD4", "\xD4\xC3\xB2\xA1", "\xA1\xB2\x3C\x4D",
		                         "\x4D\x3C\xB2\xA1" };
	for (size_t i = 0; length >= 4 && i < sizeof magic / sizeof magic[0]; i++)
		if (memcmp(bytes, magic[i], 4) == 0)
			return true;
	return length >= 12 && memcmp(bytes, "\x0A\x0D\x0D\x0A", 4) == 0 &&
	       (memcmp(bytes + 8, "\x1A\x2B\x3C\x4D", 4) == 0 || memcmp(bytes + 8, "\x4D\x3C\x2B\x1A", 4) == 0);
}

/* What a source hands out is unpacked once. */
static bool is_gzip(const char *bytes, size_t length)
{
	return length >= 2 && memcmp(bytes, "\x1F\x8B", 2) == 0;
}

static bool is_zip(const char *bytes, size_t length)
{
	return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

/* Whether a document is a record, or another line of `listen --json`. */
static bool is_record(const struct json_doc *doc)
{
	return json_is(doc, 0, JSON_OBJECT) && capture_line_of(doc) != CAPTURE_ITEM_PAYLOAD;
}

/* Whether records stand over several lines, as `jq .` prints them, and are not read: a line of one is none, and a whole
 * text is only one. `doc` is what there is of the first, in a text that ends at `end`; is_cut: more text may change it.
 * *more: it depends on what follows. */
static bool is_spread(const struct json_doc *doc, const char *end, bool is_cut, bool whole, enum source_type type,
                      bool *more)
{
	LOCAL(json_doc_release) struct json_doc first = JSON_DOC_INIT;
	if (!is_record(doc))
		return false;
	const struct json_token *object = &doc->tokens[0];
	bool is_whole = json_read(&first, doc->text, object->end, NULL);
	bool is_last = json_skip_space(doc->text + object->end, end) == end;
	/* The second key shows it of one that has no end here: the line end of a torn line is behind all its keys. */
	if (!memchr(doc->text, '\n', is_whole ? object->end : doc->tokens[doc->tokens[2].next].start))
		return false;
	*more = is_whole && is_last && !whole;
	return type == SOURCE_LINES || (is_whole ? !is_last : whole || !is_cut);
}

static bool is_utf32(const char *bytes, size_t length)
{
	return length >= 4 && (memcmp(bytes, "\xFF\xFE\0\0", 4) == 0 || memcmp(bytes, "\0\0\xFE\xFF", 4) == 0);
}

static bool is_utf16(const char *bytes, size_t length)
{
	return length >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0 ||
	                       (bytes[1] == '\0' && (bytes[0] == '{' || bytes[0] == '[')));
}

/* The format of a text in UTF-16 or UTF-32, as a redirection of PowerShell writes it: also of one that begins with a
 * record. */
static const struct format *of_wide(const char *bytes, size_t length, bool *is_cut)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER text = BUFFER_INIT;
	for (size_t i = 0; i < length; i++)
		if (bytes[i] != '\0' && (i >= 4 || (bytes[i] != '\xFE' && bytes[i] != '\xFF'))) /* the mark */
			buffer_append_byte(&text, bytes[i]);
	struct json_fault fault;
	*is_cut = !json_read_beginning(&doc, buffer_text(&text), text.length, &fault);
	const struct format *format = format_of_document(&doc);
	bool has_records =
	        is_record(&doc) || (format && format->is_records) || text.failed || json_fault_is_memory(&fault);
	return has_records ? format_named(is_utf32(bytes, length) ? RECORDS_UTF32 : RECORDS_UTF16) : format;
}

static const char *append_record(const struct capture_record *record, struct format_written *written,
                                 struct buffer *out)
{
	(void)written;
	capture_record_append(record, out);
	return NULL;
}

static const struct format_writer record_writer = { "", "", "", append_record };

const struct format capture_formats[] = {
	{ .name = FORMAT_RECORD,
	  .words = "is a capture",
	  .is_data = true,
	  .ends = { ".ndjson", ".jsonl" },
	  .is_gzipped = true,
	  .writer = &record_writer },
	{ .name = HAR,
	  .words = "is a HAR file",
	  .hint = "send what was recorded in it: credhook replay FILE --to URL",
	  .is_data = true,
	  .is_records = true,
	  .signs = "/log/version:s /log/creator:o|/log/entries/0/startedDateTime:s|/log/entries/0/request:o",
	  .reader = &format_har_reader,
	  .ends = { ".har" },
	  .is_gzipped = true,
	  .writer = &format_har_writer },
	/* Our records, but not one per line. */
	{ .name = RECORDS,
	  .words = "is a capture with several lines per record",
	  .hint = "put each record on a line: jq -c ." INTO,
	  .is_data = true,
	  .is_records = true },
	{ .name = RECORDS_UTF16,
	  .words = "is a capture in UTF-16",
	  .hint = "convert it: iconv -f UTF-16 -t UTF-8 FILE > FILE.ndjson",
	  .is_data = true,
	  .is_records = true },
	{ .name = RECORDS_UTF32,
	  .words = "is a capture in UTF-32",
	  .hint = "convert it: iconv -f UTF-32 -t UTF-8 FILE > FILE.ndjson",
	  .is_data = true,
	  .is_records = true },
	{ .name = "record-array",
	  .words = "is an array of capture records",
	  .hint = "put each record on a line: jq -c '.[]'" INTO,
	  .is_data = true,
	  .is_records = true,
	  .is_array = true,
	  .signs = "/v:n /received_at:s|/type:s /seq:n /received_at:s|/type~ready /pid:n" },
	/* Recorded requests inside another document: see recorded_in(). */
	{ .name = RECORDS_INSIDE,
	  .words = "has capture records in it",
	  .hint = "put each record on a line: jq -c '" EACH "select(.received_at and (.body or .body_base64))'" INTO,
	  .is_data = true,
	  .is_records = true },
	{ .name = RECORDS_AMONG,
	  .words = "has recorded requests among other words in it",
	  .is_data = true,
	  .is_records = true },
	{ .name = HAR_ENTRIES,
	  .words = "has entries of a HAR file in it",
	  .hint = "make a HAR file of them: jq -n '{log: {entries: [inputs|" EACH
	          "select(.startedDateTime and .request)]}}'"
	          " FILE > FILE.har",
	  .is_data = true,
	  .is_records = true },
	/* that cmd/ makes, with report/, and that is not read */
	{ .name = "html", .words = "is a page", .ends = { ".html" } },
	/* What a function is given: a request that came by API Gateway, a load balancer or a function URL; or the
	 * messages of SQS and SNS. */
	EXPORT("aws", "is a file of AWS events", JQ_STRINGS("..|.body?|strings|., @base64d?"),
	       .signs = "/httpMethod:s /requestContext:o|/httpMethod:s /isBase64Encoded|/httpMethod:s "
	                "/multiValueHeaders|"
	                "/rawPath:s /requestContext:o|/rawPath:s /isBase64Encoded|/rawPath:s /multiValueHeaders"),
	EXPORT("aws-messages", "is a file of messages of SQS or SNS",
	       TAKE_OUT "jq -c '..|.body?,.Body?,.Message?|strings|fromjson?|., (.Message?|strings|fromjson?)|"
	                "select(.service?)'" INTO,
	       .signs = "/Records/0/eventSource~aws:|/Records/0/EventSource~aws:|/Messages/0/MessageId:s "
	                "/Messages/0/Body:s|/Type:s /TopicArn:s /Message:s|/messageId:s /receiptHandle:s /body:s"),
	/* the line before each message: TYPE ID NANOSECONDS[ LATENCY] */
	EXPORT("gor", "is a GoReplay file", TAKE_OUT "grep -a '^{.*\"service\"'" INTO,
	       .pattern = "^[123] [0-9a-f]{16,} [0-9]+[- 0-9]*\r?\n"),
	/* a message of `kcat -J` */
	EXPORT("kcat", "is a file of Kafka messages",
	       TAKE_OUT "jq -rc '.payload//empty|(strings|gsub(\"[\\r\\n]\";\" \")),objects'" INTO,
	       .signs = "/topic:s /partition:n /offset:n /payload"),
	/* flows are dictionaries as tnetstrings: LENGTH:LENGTH:KEY;... */
	EXPORT("mitmproxy", "is a file of mitmproxy flows",
	       "make a HAR file of it with mitmproxy 10.1 or later: mitmdump -nr FILE --set hardump=FILE.har",
	       .pattern = "^[0-9]{1,12}:[0-9]{1,2}:[a-z_]+[;,]"),
	/* requests as they were recorded, or each with its response */
	EXPORT("mockserver", "is a journal of MockServer",
	       TAKE_OUT "jq -c '..|.body?|., .json?, .string?|., (strings|fromjson?)|objects|select(.service)'" INTO,
	       .signs = "/httpRequest:o|/method:s /path:s /headers:o /keepAlive"),
	/* the response of http://127.0.0.1:4040/api/requests/http, or one request of it */
	EXPORT("ngrok", "is a file of ngrok requests",
	       JQ_STRINGS("..|.raw?|strings|@base64d?|split(\"\\r\\n\\r\\n\")|last"),
	       .signs = "/uri~/api/requests/http /requests:a|/uri~/api/requests/http /tunnel_name:s"),
	EXPORT("pcap", "is a packet capture (pcap)",
	       "take the payloads out (newer versions of tshark print hex, which perl converts): "
	       "tshark -r FILE -Y http.request -T fields -e http.file_data | " FROM_HEX,
	       .is_bytes = is_pcap),
	EXPORT("postman", "is a Postman collection", JQ_STRINGS("..|.raw?|strings"),
	       .signs = "/info/_postman_id:s|/info/schema~schema.getpostman.com"),
	EXPORT("tshark", "is a file of packets (tshark -T json)",
	       TAKE_OUT "jq -r '..|.\"http.file_data\"?|strings' FILE | " FROM_HEX, .signs = "/_source/layers:o"),
	EXPORT("webhook.site", "is a webhook.site export", JQ_STRINGS("..|.content?|strings"),
	       .signs = "/uuid:s /token_id:s|/data/uuid:s /data/token_id:s|/data/0/uuid:s /data/0/token_id:s"),
	EXPORT("webhook.site-csv", "is a webhook.site export",
	       TAKE_OUT
	       "python3 -c 'import csv, sys; [print(*r[\"content\"].split(\"\\n\")) for r in csv.DictReader(sys.stdin) "
	       "if \"service\" in r[\"content\"]]' < FILE > FILE.ndjson",
	       .pattern = "^(\"?[a-z_ ]+\"?,)*\"?(uuid|token_id)\"?,[^\n]*(uuid|token_id)\"?,"),
	/* the response of /__admin/requests, or one request of it */
	EXPORT("wiremock", "is a journal of WireMock", JQ_STRINGS("..|.request?.body?|strings"),
	       .signs = "/requests/0/request/loggedDate|/requests:a /requestJournalDisabled|/request/loggedDate"),
	/* a line of `vegeta attack -format json`; others have these keys, too */
	EXPORT("vegeta", "is a file of vegeta targets", JQ_STRINGS(".body|strings|@base64d?"),
	       .signs = "/method:s /url~://"),
	{ .name = "zip",
	  .words = "is a ZIP archive",
	  .hint = "unpack it: unzip FILE",
	  .is_data = true,
	  .is_bytes = is_zip },
	{ .name = "gzip",
	  .words = "is gzip data inside gzip data",
	  .hint = "unpack it: gzip -dc FILE > FILE.ndjson",
	  .is_data = true,
	  .is_bytes = is_gzip },
	{ .name = "results",
	  .words = "is a results file, not a capture: --resume, --failed-only and --compare=FILE take it",
	  .is_data = true,
	  .signs = "/input /record:n /attempt:n" },
	{ .name = "json-schema", .words = "is a JSON Schema, not a payload", .signs = "/$schema~json-schema.org" },
	{ .name = "config",
	  .words = "is a configuration of credhook, not a payload: use --config",
	  .is_data = true,
	  .signs = "/environments:o|/clientId:s|/defaults:o" },
};
const size_t capture_format_count = sizeof capture_formats / sizeof capture_formats[0];
const char *const format_input_names[] = { "auto", FORMAT_RECORD, "har", NULL };
const char *const format_output_names[] = { "auto", FORMAT_RECORD, "har", "html", NULL };

const struct format *format_named(const char *name)
{
	for (size_t i = 0; i < capture_format_count; i++)
		if (strcmp(capture_formats[i].name, name) == 0)
			return &capture_formats[i];
	return NULL;
}

const struct format *format_of_name(const char *name)
{
	size_t length = strlen(name);
	bool is_gzipped = text_ends_with(name, length, GZIP_END);
	length -= is_gzipped ? strlen(GZIP_END) : 0;
	for (size_t i = 0; i < capture_format_count; i++) {
		const struct format *format = &capture_formats[i];
		for (const char *const *end = format->ends; *end; end++)
			if (text_ends_with(name, length, *end))
				return is_gzipped && !format->is_gzipped ? NULL : format;
	}
	return NULL;
}

void format_append_ends(struct buffer *out)
{
	const char *separator = "";
	for (size_t i = 0; i < capture_format_count; i++) {
		for (const char *const *end = capture_formats[i].ends; *end; end++) {
			buffer_printf(out, "%s%s%s", separator, *end,
			              capture_formats[i].is_gzipped ? "[" GZIP_END "]" : "");
			separator = ", ";
		}
	}
}

const struct format *format_of_document(const struct json_doc *doc)
{
	if (doc->count == 0)
		return NULL;
	uint32_t first = doc->tokens[0].type == JSON_ARRAY ? json_element(doc, 0, 0) : 0;
	const struct format *found = NULL;
	bool is_other = !entry_is_notification(doc, first);
	for (size_t i = 0; is_other && i < capture_format_count && !found && !json_is_stopped(doc); i++)
		if (capture_formats[i].signs && (!capture_formats[i].is_array || json_is(doc, 0, JSON_ARRAY)) &&
		    is_as(doc, capture_formats[i].signs))
			found = &capture_formats[i];
	if ((found && found->is_records) || is_record(doc))
		return found;
	const char *inside = recorded_in(doc);
	return inside ? format_named(inside) : found;
}

static const struct format *of_bytes(const char *bytes, size_t length)
{
	char text[BYTES_ENOUGH + 1] = "";
	memcpy(text, bytes, length < BYTES_ENOUGH ? length : BYTES_ENOUGH);
	bool may_match = text[0] != '{' && text[0] != '['; /* no pattern is for JSON */
	for (size_t i = 0; i < capture_format_count; i++) {
		const struct format *format = &capture_formats[i];
		bool found = format->is_bytes && format->is_bytes(bytes, length);
		regex_t regex;
		if (!found && may_match && format->pattern &&
		    regcomp(&regex, format->pattern, REG_EXTENDED | REG_NOSUB) == 0) {
			found = regexec(&regex, text, 0, NULL, 0) == 0;
			regfree(&regex);
		}
		if (found)
			return format;
	}
	return NULL;
}

const struct format *format_of_beginning(const char *bytes, size_t length, bool whole, enum source_type type,
                                         bool *more)
{
	const char *text = bytes;
	if (length > FORMAT_LOOK_MAX)
		length = FORMAT_LOOK_MAX;
	const char *end = bytes + length;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	bool is_last = whole || length == FORMAT_LOOK_MAX, is_cut;
	struct json_fault fault;
	*more = false;
	const struct format *found = of_bytes(bytes, length);
	if (found)
		return found;
	if (is_utf16(bytes, length) || is_utf32(bytes, length)) {
		found = of_wide(bytes, length, &is_cut);
		*more = !found && is_cut && !is_last;
		return found;
	}
	if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3;
	text = json_skip_space(text, end);
	if (text < end && (*text == '{' || *text == '[')) {
		/* Wait for the whole document: a later key may show that it is a payload. A broken one is known by what
		 * comes before the defect. */
		is_cut = !json_read_beginning(&doc, text, (size_t)(end - text), &fault);
		if (json_fault_is_memory(&fault))
			return format_named(RECORDS_INSIDE);
		found = is_cut && !is_last ? NULL : format_of_document(&doc);
		if (!found && is_spread(&doc, end, is_cut, whole, type, more))
			found = format_named(RECORDS);
		*more = !found && !is_last && (is_cut || *more);
	} else {
		*more = !is_last && (text == end || length < BYTES_ENOUGH);
	}
	return found;
}

const struct format *format_of_text(const char *text, size_t length)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER plain = BUFFER_INIT;
	bool has_nul = memchr(text, '\0', length) != NULL; /* as UTF-16 has, wherever its first Latin letter is */
	for (size_t i = 0; has_nul && i < length; i++)
		if (text[i] != '\0')
			buffer_append_byte(&plain, text[i]);
	const char *from = plain.length > 0 ? plain.data : text;
	size_t size = plain.length > 0 ? plain.length : length;
	const char *found = recorded_words(from, size);
	if (found)
		return format_named(found);
	const char *end = from + size, *at = json_skip_space(from, end);
	struct json_fault fault;
	json_read_beginning(&doc, at, (size_t)(end - at), &fault);
	bool has_records = is_record(&doc) || plain.failed || json_fault_is_memory(&fault);
	return has_records ? format_named(RECORDS_INSIDE) : format_of_document(&doc);
}

enum source_result format_look(struct source *source, const struct format **found, struct error *err)
{
	enum source_type type = source_type_found(source);
	size_t wanted = 1;
	bool more = true;
	*found = NULL;
	while (more) {
		const char *text;
		size_t length;
		bool whole;
		enum source_result got = source_peek(source, wanted, &text, &length, &whole, err);
		if (got != SOURCE_ITEM)
			return got;
		*found = format_of_beginning(text, length, whole, type, &more);
		wanted = length + 1;
	}
	return SOURCE_ITEM;
}

int format_refuse(const struct format *format, const struct mend_file *file, struct error *err)
{
	if (strcmp(file->path, "-") == 0)
		error_set(err, EXIT_CODE_IO, "standard input %s", format->words);
	else
		error_set(err, EXIT_CODE_IO, "'%s' %s", file->path, format->words);
	return format->hint ? mend_hint(err, format->hint, file) : -1;
}

void format_write(const struct format *format, const struct capture_record *record, struct format_written *written,
                  struct buffer *out)
{
	const struct format_writer *writer = format->writer;
	size_t before = out->length;
	const char *why;
	if (written->records > 0)
		buffer_append_text(out, writer->separator);
	/* An empty body in its place would be sent as one. Only a capture can say that there was another. */
	if (writer != &record_writer && capture_record_is_withheld(record))
		why = "a body that redaction withheld";
	else
		why = writer->append(record, written, out);
	if (why) {
		buffer_consume_end(out, out->length - before);
		written->left_out++;
		written->why = written->why ? written->why : why;
		return;
	}
	written->records++;
	written->undated += record->received_us == 0;
}

static void append_count(struct buffer *out, uint64_t count, const char *one, const char *many)
{
	char text[COUNT_SIZE];
	if (count > 0)
		buffer_printf(out, "%s%s %s", out->length > 0 ? "; " : "", count_text(count, text),
		              count == 1 ? one : many);
}

void format_append_losses(const struct format *format, const struct format_written *written, struct buffer *out)
{
	if (written->senders > 0 || written->faults > 0)
		buffer_printf(out, "%s cannot hold %s%s%s", format->name, written->senders > 0 ? "senders" : "",
		              written->senders > 0 && written->faults > 0 ? " and " : "",
		              written->faults > 0 ? "faults" : "");
	append_count(out, written->headers, "header left out", "headers left out");
	append_count(out, written->left_out, "record left out", "records left out");
	if (written->why)
		buffer_printf(out, ": %s", written->why);
	append_count(out, written->undated, "record has no time: 1970-01-01", "records have no time: 1970-01-01");
}
