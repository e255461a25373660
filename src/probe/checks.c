#include "probe/checks.h"

#include "probe/make.h"

#include <string.h>

const char *const probe_level_names[PROBE_LEVELS] = { "must", "should", "note" };

const char *const probe_groups[] = { "deliver", "value",  "form", "size",     "http", "repeat", "order",
	                             "load",    "bad",    "json", "method",   "path", "type",   "frame",
	                             "slow",    "effect", "leak", "response", "time", "tls",    "still-up" };
const size_t probe_group_count = sizeof probe_groups / sizeof probe_groups[0];

#define SPEC       "the specification, section "
#define STANDARD   "Standard Webhooks"
#define CLOUD      "CloudEvents http-webhook"
#define OWASP      "OWASP"
#define VENDORS    "GitHub, Adyen"
#define REFUSE     "respond 4xx to a request that is not a notification"
#define PARSE      "parse the body before responding, and respond 4xx where that fails"
#define IDEMPOTENT "the same notification may come twice: recognize a repeat and respond 2xx"
#define ANY_ORDER  "notifications may come in any order: store what is not known yet and respond 2xx"
#define ANY_JSON   "read the body with a JSON parser, which takes every spelling of a value"

/* Parts of rows. */
#define ROW(group_, name_) .group = (group_), .name = (name_)
#define MUST               .level = PROBE_MUST
#define SHOULD             .level = PROBE_SHOULD
#define NOTE               .level = PROBE_NOTE
#define QUICK              .depth = PROBE_QUICK
#define NORMAL             .depth = PROBE_NORMAL
#define DEEP               .depth = PROBE_DEEP
#define MAKE(make_, with)  .make = (make_), .argument = (with)
#define EVENT(name_)       .event = (name_)
#define SENT(text)         .sent = (text)
#define OK(text)           .ok = (text)
#define WARN(text)         .warn = (text)
#define BECAUSE(who, text) .source = (who), .why = (text)
#define FIX(text)          .fix = (text)
#define SIMULATED          "credit-score-simulated"
#define ALERT              "bureau-alert"

const struct probe_row probe_rows[] = {
	{ ROW("deliver", "EVENT"), MUST, QUICK, .expansion = PROBE_KINDS, MAKE(make_valid, NULL),
	  SENT("the valid payload of each event and element"), OK("2xx"), BECAUSE(SPEC "6", "the service sends it"),
	  FIX("accept every event, also those that the listener does not use: respond 2xx") },

	{ ROW("value", "EVENT:FIELD=NAME"), MUST, NORMAL, .expansion = PROBE_VALUES, MAKE(make_value, NULL),
	  SENT("another valid value of a field, of those that are common"), OK("2xx"),
	  BECAUSE(SPEC "2.2", "samples show one value of each field, and the service sends others"),
	  FIX("take every value that the specification allows") },
	{ ROW("value", "EVENT:FIELD=NAME"), SHOULD, NORMAL, .expansion = PROBE_VALUES, MAKE(make_value, NULL),
	  SENT("another valid value of a field, of those that are rare"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "2.2", "the specification does not exclude it"),
	  FIX("take every value that the specification does not exclude") },

	{ ROW("form", "key-order"), MUST, NORMAL, MAKE(make_form, NULL), SENT("the keys in reverse order"), OK("2xx"),
	  BECAUSE("RFC 8259", "it is the same value, spelled otherwise"), FIX(ANY_JSON) },
	{ ROW("form", "whitespace"), MUST, NORMAL, MAKE(make_form, NULL), SENT("white space between all tokens"),
	  OK("2xx"), BECAUSE("RFC 8259", "it is the same value, spelled otherwise"), FIX(ANY_JSON) },
	{ ROW("form", "escapes"), MUST, NORMAL, MAKE(make_form, NULL),
	  SENT("every character of the strings as an escape (\\u0061)"), OK("2xx"),
	  BECAUSE("RFC 8259", "it is the same value, spelled otherwise"), FIX(ANY_JSON) },
	{ ROW("form", "utf8"), MUST, NORMAL, MAKE(make_utf8, NULL), EVENT("user-created"),
	  SENT("names in UTF-8 that is not ASCII"), OK("2xx"),
	  BECAUSE("RFC 8259", "it is the same value, spelled otherwise"), FIX(ANY_JSON) },
	{ ROW("form", "unknown-member"), MUST, NORMAL, MAKE(make_members, NULL), EVENT(ALERT),
	  SENT("further members in alertDetails"), OK("2xx"),
	  BECAUSE(SPEC "2.2, rules 2 and 4", "the members are open"),
	  FIX("ignore members of alertDetails and scoreModifiers that are not known") },
	{ ROW("form", "unknown-key"), SHOULD, NORMAL, MAKE(make_unknown_key, NULL), .requests = 2,
	  SENT("a further key at the top, and one in details"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "9", "how payloads change is not specified, and senders add keys"),
	  FIX("ignore keys that are not known") },
	{ ROW("form", "big-integer"), EVENT(ALERT), SHOULD, NORMAL, MAKE(make_big_integer, NULL), .requests = 8,
	  SENT("an alertId and a monitorId of 2^31, 2^53+1, 2^63 and 10^30"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "2.2", "integers have no stated bounds"),
	  FIX("keep alertId and monitorId as text, or as 64-bit integers at least") },
	{ ROW("form", "uuid-case"), SHOULD, NORMAL, MAKE(make_upper_case, NULL), SENT("identifiers in upper case"),
	  OK("2xx"), WARN("4xx"), BECAUSE("RFC 9562, section 4", "a UUID is read in either case"),
	  FIX("compare UUIDs without regard to letter case") },
	{ ROW("form", "content-type"), MUST, NORMAL, MAKE(make_json_type, NULL), .requests = 2,
	  SENT("the Content-Type application/json; charset=utf-8, and APPLICATION/JSON"), OK("2xx"),
	  BECAUSE("RFC 9110, section 8.3.1", "a media type has parameters, and its letter case does not count"),
	  FIX("compare the media type without its parameters and without regard to letter case") },

	{ ROW("size", "20k"), MUST, NORMAL, MAKE(make_large, "20000"), EVENT(SIMULATED),
	  SENT("20 kB: many scoreModifiers"), OK("2xx"), BECAUSE(STANDARD, "payloads of up to 20 kB are usual"),
	  FIX("raise the limit of the request body to 64 kB at least") },
	{ ROW("size", "64k"), SHOULD, NORMAL, MAKE(make_large, "64000"), EVENT(SIMULATED),
	  SENT("64 kB: many scoreModifiers"), OK("2xx"), WARN("413"),
	  BECAUSE(SPEC "2.2, rule 2", "scoreModifiers is open"), FIX("raise the limit of the request body") },
	{ ROW("size", "16m"), SHOULD, NORMAL, MAKE(make_large, "16777216"), EVENT(SIMULATED), SENT("16 MiB"), OK("4xx"),
	  WARN("2xx,closed"), BECAUSE(OWASP, "a body without a limit fills the memory"),
	  FIX("limit the request body (1 MB, say) and respond 413 above that") },
	{ ROW("size", "short"), SHOULD, NORMAL, MAKE(make_valid, NULL), .script = script_short,
	  SENT("a Content-Length 5 larger than the body, then the end of writing"), OK("4xx,closed"), WARN("2xx"),
	  BECAUSE("RFC 9112, section 8", "a payload that was cut must not be taken for a whole one"),
	  FIX("compare the length that was read with Content-Length") },

	{ ROW("http", "chunked"), MUST, NORMAL, MAKE(make_valid, NULL), .header = "Transfer-Encoding: chunked",
	  SENT("a chunked body"), OK("2xx"), WARN("411"), BECAUSE("RFC 9112, section 7.1", "proxies send bodies so"),
	  FIX("read chunked bodies too; do not require Content-Length") },
	{ ROW("http", "expect-continue"), MUST, NORMAL, MAKE(make_valid, NULL), .header = "Expect: 100-continue",
	  SENT("Expect: 100-continue"), OK("2xx,417"),
	  BECAUSE("RFC 9110, section 10.1.1", "clients and proxies ask first"),
	  FIX("respond 100 (Continue) to Expect: 100-continue, or ignore it") },
	{ ROW("http", "head-4k"), MUST, NORMAL, MAKE(make_long_head, "4096"), SENT("4 KiB of header"), OK("2xx"),
	  BECAUSE("RFC 9110, section 5.4", "proxies add headers"), FIX("allow 8 KiB of header at least") },
	{ ROW("http", "pieces"), MUST, NORMAL, MAKE(make_valid, NULL), .script = script_pieces,
	  SENT("a request in five pieces within a second"), OK("2xx"),
	  BECAUSE("RFC 9112, section 2.2", "networks deliver in pieces"),
	  FIX("read the whole body before using it: as many bytes as Content-Length says") },
	{ ROW("http", "1.0"), NOTE, NORMAL, MAKE(make_valid, NULL), .script = script_http_1_0,
	  SENT("a request of HTTP/1.0"), OK("2xx"), BECAUSE("RFC 9112, section 9", "older proxies speak it"),
	  FIX("see the documentation of the server") },
	{ ROW("http", "half-close"), NOTE, NORMAL, MAKE(make_valid, NULL), .script = script_half_close,
	  SENT("a request, and then the end of writing"), OK("2xx"),
	  BECAUSE("RFC 9112, section 9", "some clients end their side early"),
	  FIX("see the documentation of the server") },
	{ ROW("http", "keep-alive"), NOTE, NORMAL, MAKE(make_valid, NULL), .script = script_keep_alive, .requests = 2,
	  SENT("two requests on one connection, one after the other"), OK("2xx,closed"),
	  BECAUSE("RFC 9112, section 9", "it saves connections"), FIX("see the documentation of the server") },
	{ ROW("http", "pipelined"), NOTE, NORMAL, MAKE(make_valid, NULL), .script = script_pipelined, .requests = 2,
	  SENT("two requests on one connection, at once"), OK("2xx,closed"),
	  BECAUSE("RFC 9112, section 9", "clients may, servers differ"), FIX("see the documentation of the server") },
	{ ROW("http", "head-8k"), NOTE, NORMAL, MAKE(make_long_head, "8192"), SENT("8 KiB of header"),
	  OK("2xx,400,431"), BECAUSE("RFC 6585, section 5", "servers differ"),
	  FIX("respond 431 where the header is too long") },

	{ ROW("repeat", "again"), MUST, QUICK, MAKE(make_repeat, NULL), .requests = 2, SENT("the same payload twice"),
	  OK("2xx"), WARN("409"), BECAUSE(STANDARD, "senders deliver at least once"), FIX(IDEMPOTENT) },
	{ ROW("repeat", "later"), MUST, NORMAL, MAKE(make_repeat, "2"), .requests = 2,
	  SENT("the same payload again after 2 s"), OK("2xx"), WARN("409"),
	  BECAUSE(STANDARD, "senders deliver at least once"), FIX(IDEMPOTENT) },
	{ ROW("repeat", "concurrent"), MUST, NORMAL, MAKE(make_repeat, NULL), .requests = 20, .connections = 20,
	  SENT("the same payload on 20 connections at the same time"), OK("2xx"), WARN("409,429"),
	  BECAUSE(STANDARD, "a repeat may come before the first response"),
	  FIX("two of the same notification may come at the same time: let the database decide which one is stored, "
	      "and respond 2xx to both") },

	{ ROW("order", "removed-before-added"), MUST, NORMAL,
	  MAKE(make_order, "monitored-element-removed,monitored-element-added"), .requests = 3,
	  SENT("the event monitored-element-removed before its monitored-element-added"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "8", "no order is specified"), FIX(ANY_ORDER) },
	{ ROW("order", "cancelled-before-enrolled"), MUST, NORMAL,
	  MAKE(make_order, "monitoring-service-cancelled,monitoring-service-enrolled"), .requests = 3,
	  SENT("the event monitoring-service-cancelled before its monitoring-service-enrolled"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "8", "no order is specified"), FIX(ANY_ORDER) },
	{ ROW("order", "authenticated-before-question"), MUST, NORMAL,
	  MAKE(make_order, "authentication-succeeded,authentication-question-retrieval-succeeded"), .requests = 3,
	  SENT("the event authentication-succeeded before the retrieval of its questions"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "8", "no order is specified"), FIX(ANY_ORDER) },
	{ ROW("order", "report-unknown"), MUST, NORMAL, MAKE(make_order, "credit-report-retrieved"), .requests = 2,
	  SENT("the event credit-report-retrieved of a report that was never ordered"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "8", "an earlier notification may be late or lost"), FIX(ANY_ORDER) },
	{ ROW("order", "alert-unknown"), MUST, NORMAL, MAKE(make_unknown_customer, ALERT), EVENT(ALERT),
	  SENT("the event bureau-alert of a customer who is not known"), OK("2xx"), WARN("4xx"),
	  BECAUSE(SPEC "8", "an earlier notification may be late or lost"), FIX(ANY_ORDER) },

	{ ROW("load", "burst"), SHOULD, NORMAL, MAKE(make_valid, NULL), .requests = 100, .connections = 50,
	  SENT("100 payloads on 50 connections"), OK("2xx"), WARN("429,503"),
	  BECAUSE(STANDARD, "events come in bursts"),
	  FIX("store first and respond; where it is too much, respond 429 or 503 with Retry-After") },

	{ ROW("bad", "FINDING:PATH"), SHOULD, QUICK, .expansion = PROBE_BREAKS, MAKE(make_broken, NULL),
	  .invalid = true, SENT("a payload with one defect"), OK("4xx,2xx"),
	  BECAUSE(OWASP, "a 5xx makes a sender repeat for ever"),
	  FIX("check the payload before using it, and respond 4xx; or store it, respond 2xx and check later") },
	{ ROW("bad", "details-null"), SHOULD, NORMAL, MAKE(make_null_details, NULL), .invalid = true,
	  SENT("null as details"), OK("4xx"), WARN("2xx"), BECAUSE(OWASP, "it is not an envelope"), FIX(REFUSE) },
	{ ROW("bad", "top-null"), SHOULD, NORMAL, MAKE(make_text, "null"), .invalid = true, SENT("null"), OK("4xx"),
	  WARN("2xx"), BECAUSE(OWASP, "it is not an envelope"), FIX(REFUSE) },
	{ ROW("bad", "top-array"), SHOULD, NORMAL, MAKE(make_text, "[]"), .invalid = true, SENT("an empty array"),
	  OK("4xx"), WARN("2xx"), BECAUSE(OWASP, "it is not an envelope"), FIX(REFUSE) },
	{ ROW("bad", "top-string"), SHOULD, NORMAL, MAKE(make_text, "\"text\""), .invalid = true, SENT("a string"),
	  OK("4xx"), WARN("2xx"), BECAUSE(OWASP, "it is not an envelope"), FIX(REFUSE) },
	{ ROW("bad", "top-number"), SHOULD, NORMAL, MAKE(make_text, "7"), .invalid = true, SENT("a number"), OK("4xx"),
	  WARN("2xx"), BECAUSE(OWASP, "it is not an envelope"), FIX(REFUSE) },

	{ ROW("json", "empty"), SHOULD, QUICK, MAKE(make_text, ""), .invalid = true, SENT("an empty body"), OK("4xx"),
	  WARN("2xx"), BECAUSE(OWASP, "it is not JSON"), FIX(PARSE) },
	{ ROW("json", "truncated"), SHOULD, QUICK, MAKE(make_json, NULL), .invalid = true,
	  SENT("the first half of a payload"), OK("4xx"), WARN("2xx"),
	  BECAUSE(OWASP, "a 2xx means that it was received"), FIX(PARSE) },
	{ ROW("json", "trailing-comma"), SHOULD, NORMAL, MAKE(make_json, NULL), .invalid = true,
	  SENT("a comma before the last brace"), OK("4xx"), WARN("2xx"), BECAUSE("RFC 8259", "it is not JSON"),
	  FIX(PARSE) },
	{ ROW("json", "two-documents"), SHOULD, NORMAL, MAKE(make_json, NULL), .invalid = true,
	  SENT("two payloads, one behind the other"), OK("4xx"), WARN("2xx"),
	  BECAUSE("RFC 8259", "the second one would be lost"), FIX(PARSE) },
	{ ROW("json", "single-quotes"), SHOULD, NORMAL, MAKE(make_json, NULL), .invalid = true,
	  SENT("single quotes for double ones"), OK("4xx"), WARN("2xx"), BECAUSE("RFC 8259", "it is not JSON"),
	  FIX(PARSE) },
	{ ROW("json", "invalid-utf8"), SHOULD, NORMAL, MAKE(make_json, NULL), EVENT(ALERT), .invalid = true,
	  SENT("bytes that are not UTF-8, in alertDetails"), OK("4xx"), WARN("2xx"),
	  BECAUSE("RFC 8259, section 8.1", "replaced characters may have been stored"),
	  FIX("decode the body as UTF-8 without replacing what is not, and respond 4xx where that fails") },
	{ ROW("json", "nan"), SHOULD, NORMAL, MAKE(make_json, NULL), EVENT(ALERT), .invalid = true,
	  SENT("NaN as alertId"), OK("4xx"), WARN("2xx"),
	  BECAUSE("RFC 8259, section 6", "it is not JSON, and cannot be written as JSON again"),
	  FIX("NaN and Infinity are not JSON: turn them off in the parser, and respond 4xx") },
	{ ROW("json", "bom"), NOTE, NORMAL, MAKE(make_json, NULL), SENT("a byte order mark before the payload"),
	  OK("4xx,2xx"), BECAUSE("RFC 8259, section 8.1", "parsers differ"), FIX(PARSE) },
	{ ROW("json", "duplicate-key"), NOTE, NORMAL, MAKE(make_json, NULL), EVENT(ALERT), SENT("alertId twice"),
	  OK("4xx,2xx"), BECAUSE("RFC 8259, section 4", "parsers differ"), FIX(PARSE) },
	{ ROW("json", "proto-key"), NOTE, NORMAL, MAKE(make_json, NULL), EVENT(ALERT),
	  SENT("a member __proto__ in alertDetails"), OK("4xx,2xx"),
	  BECAUSE(OWASP, "merged into an object of JavaScript it changes all objects"), FIX(PARSE) },
	{ ROW("json", "huge-number"), NOTE, NORMAL, MAKE(make_json, NULL), EVENT(ALERT),
	  SENT("an alertId of 400 digits"), OK("4xx,2xx"), BECAUSE("RFC 8259, section 6", "parsers differ"),
	  FIX(PARSE) },
	{ ROW("json", "depth-1000"), NOTE, NORMAL, MAKE(make_json, NULL), EVENT(ALERT),
	  SENT("1,000 nested arrays in alertDetails"), OK("4xx,2xx"), BECAUSE("RFC 8259, section 9", "parsers differ"),
	  FIX("limit the depth that the JSON parser takes") },
	{ ROW("json", "depth-100000"), NOTE, NORMAL, MAKE(make_json, NULL), EVENT(ALERT),
	  SENT("100,000 nested arrays in alertDetails"), OK("4xx,2xx"),
	  BECAUSE("RFC 8259, section 9", "a parser may use up its stack"),
	  FIX("limit the depth that the JSON parser takes") },

	{ ROW("method", "put"), SHOULD, NORMAL, MAKE(make_method, "PUT"), SENT("a valid payload by PUT"), OK("4xx,501"),
	  WARN("2xx"), BECAUSE("RFC 9110, section 15.5.6", "notifications come by POST"),
	  FIX("respond 405 to methods other than POST") },
	{ ROW("method", "patch"), SHOULD, NORMAL, MAKE(make_method, "PATCH"), SENT("a valid payload by PATCH"),
	  OK("4xx,501"), WARN("2xx"), BECAUSE("RFC 9110, section 15.5.6", "notifications come by POST"),
	  FIX("respond 405 to methods other than POST") },
	{ ROW("method", "delete"), SHOULD, NORMAL, MAKE(make_method, "DELETE"), SENT("a valid payload by DELETE"),
	  OK("4xx,501"), WARN("2xx"), BECAUSE("RFC 9110, section 15.5.6", "notifications come by POST"),
	  FIX("respond 405 to methods other than POST") },
	{ ROW("method", "trace"), SHOULD, NORMAL, MAKE(make_method, "TRACE"), SENT("TRACE with a header"),
	  OK("4xx,501"), WARN("2xx"), BECAUSE("RFC 9110, section 9.3.8", "it echoes headers, and with them secrets"),
	  FIX("turn off TRACE in the server") },
	{ ROW("method", "get"), NOTE, NORMAL, MAKE(make_method, "GET"), SENT("GET"), OK("2xx,3xx,4xx,501"),
	  BECAUSE("RFC 9110, section 15.5.6", "a health page is fine"), FIX("respond 405, or a page") },
	{ ROW("method", "head"), NOTE, NORMAL, MAKE(make_method, "HEAD"), .script = script_head, SENT("HEAD"),
	  OK("2xx,3xx,4xx,501"), BECAUSE("RFC 9110, section 9.3.2", "health checks use it"),
	  FIX("respond 405, or as to GET") },
	{ ROW("method", "options"), NOTE, NORMAL, MAKE(make_method, "OPTIONS"), SENT("OPTIONS"), OK("2xx,3xx,4xx,501"),
	  BECAUSE("RFC 9110, section 15.5.6", "servers differ"), FIX("respond 405, or 2xx with Allow") },

	{ ROW("path", "other"), SHOULD, NORMAL, MAKE(make_path, "other"), SENT("a valid payload to another path"),
	  OK("4xx"), WARN("2xx"), BECAUSE(OWASP, "a wrong URL at the sender goes unnoticed"),
	  FIX("respond 404 to paths other than the listener's") },
	{ ROW("path", "trailing-slash"), NOTE, NORMAL, MAKE(make_path, "slash"),
	  SENT("a valid payload to the path with one slash more"), OK("2xx,4xx,307,308"),
	  BECAUSE("RFC 9110, section 15.4", "other redirects turn POST into GET"),
	  FIX("respond 404, or 2xx as without the slash") },

	{ ROW("type", "text-plain"), SHOULD, NORMAL, MAKE(make_type, "text/plain"),
	  SENT("a valid payload as text/plain"), OK("4xx"), WARN("2xx"),
	  BECAUSE(CLOUD, "notifications come as application/json"),
	  FIX("respond 415 to other media types than application/json") },
	{ ROW("type", "form"), SHOULD, NORMAL, MAKE(make_type, "application/x-www-form-urlencoded"),
	  SENT("a valid payload as application/x-www-form-urlencoded"), OK("4xx"), WARN("2xx"),
	  BECAUSE(OWASP, "any page of the web can make a browser send that"),
	  FIX("respond 415 to other media types than application/json") },
	{ ROW("type", "none"), SHOULD, NORMAL, MAKE(make_valid, NULL),
	  .header = "Content-Type:", SENT("a valid payload without Content-Type"), OK("4xx"), WARN("2xx"),
	  BECAUSE(CLOUD, "notifications come as application/json"),
	  FIX("respond 415 to other media types than application/json") },
	{ ROW("type", "gzip"), NOTE, NORMAL, MAKE(make_gzip, NULL),
	  SENT("a compressed payload, with Content-Encoding: gzip"), OK("2xx,4xx"),
	  BECAUSE("RFC 9110, section 8.4", "servers differ"), FIX("respond 415 to encodings that are not read") },

	{ ROW("frame", "two-lengths"), NOTE, DEEP, MAKE(make_valid, NULL), .script = script_frame,
	  SENT("two different Content-Length"), OK("4xx,501,closed"), WARN("2xx"),
	  BECAUSE("RFC 9112, section 6.3",
	          "a proxy and a server that differ about it can be played off against each other"),
	  FIX("update the server, or put one in front that refuses it") },
	{ ROW("frame", "length-and-chunked"), NOTE, DEEP, MAKE(make_valid, NULL), .script = script_frame,
	  SENT("Content-Length and Transfer-Encoding"), OK("4xx,501,closed"), WARN("2xx"),
	  BECAUSE("RFC 9112, section 6.3",
	          "a proxy and a server that differ about it can be played off against each other"),
	  FIX("update the server, or put one in front that refuses it") },
	{ ROW("frame", "space-before-colon"), NOTE, DEEP, MAKE(make_valid, NULL), .script = script_frame,
	  SENT("a space between the name of a header and its colon"), OK("4xx,501,closed"), WARN("2xx"),
	  BECAUSE("RFC 9112, section 5.1",
	          "a proxy and a server that differ about it can be played off against each other"),
	  FIX("update the server, or put one in front that refuses it") },
	{ ROW("frame", "bare-lf"), NOTE, DEEP, MAKE(make_valid, NULL), .script = script_frame,
	  SENT("lines that end with LF alone"), OK("4xx,501,closed"), WARN("2xx"),
	  BECAUSE("RFC 9112, section 2.2",
	          "a proxy and a server that differ about it can be played off against each other"),
	  FIX("update the server, or put one in front that refuses it") },
	{ ROW("frame", "folded"), NOTE, DEEP, MAKE(make_valid, NULL), .script = script_frame,
	  SENT("a header continued on the next line"), OK("4xx,501,closed"), WARN("2xx"),
	  BECAUSE("RFC 9112, section 5.2",
	          "a proxy and a server that differ about it can be played off against each other"),
	  FIX("update the server, or put one in front that refuses it") },
	{ ROW("slow", "head"), NOTE, DEEP, MAKE(make_valid, NULL), .script = script_slow,
	  SENT("the head, one byte per second"), OK("4xx,closed"),
	  BECAUSE(OWASP, "many such connections use up the server"),
	  FIX("set a time limit for requests in the server") },
	{ ROW("slow", "body"), NOTE, DEEP, MAKE(make_valid, NULL), .script = script_slow,
	  SENT("the body, one byte per second"), OK("4xx,closed"),
	  BECAUSE(OWASP, "many such connections use up the server"),
	  FIX("set a time limit for requests in the server") },

	{ ROW("effect", "once"), MUST, NORMAL, MAKE(make_once, NULL), .counts = true,
	  .requests = PROBE_WATCHED_EVENTS * PROBE_WATCHED_REQUESTS,
	  SENT("with --observe: an alert, a customer, an element and a report, of each then another one twice"),
	  OK("2xx"), WARN("409"),
	  BECAUSE(STANDARD, "from outside only the number of records shows whether a repeat is stored twice"),
	  FIX(IDEMPOTENT ", without storing it twice") },
	{ ROW("effect", "none"), SHOULD, NORMAL, MAKE(make_none, NULL), .counts = true, .requests = 3,
	  SENT("with --observe: three invalid payloads"), OK("4xx"),
	  BECAUSE(OWASP, "what was refused must not be stored"), FIX("check the payload before storing it") },

	{ ROW("leak", "trace"), SHOULD, QUICK,
	  SENT("nothing: looks at every response to a notification, and every error"), OK("none"),
	  BECAUSE(OWASP, "it shows strangers how the listener works"),
	  FIX("turn off debug mode, and respond to errors with a short message and no internal details") },
	{ ROW("leak", "echo"), SHOULD, QUICK, SENT("nothing: looks for values of the payloads in every response"),
	  OK("none"), WARN("in JSON"), BECAUSE(OWASP, "the data is personal"),
	  FIX("leave the received values out of responses") },
	{ ROW("response", "content-type"), SHOULD, QUICK, SENT("nothing: looks at every response with a body"),
	  OK("Content-Type"), WARN("none"), BECAUSE("RFC 9110, section 8.3", "a body has a type"),
	  FIX("send Content-Type with a body") },
	{ ROW("response", "retry-after"), SHOULD, QUICK, SENT("nothing: looks at every 429 and 503"), OK("Retry-After"),
	  WARN("none"), BECAUSE(CLOUD, "the sender learns when to retry"), FIX("send Retry-After with 429 and 503") },
	{ ROW("response", "size"), SHOULD, QUICK, SENT("nothing: looks at every response"), OK("up to 64 KiB"),
	  WARN("more"), BECAUSE(STANDARD, "senders read little of it, or close"),
	  FIX("respond with a short body, or none") },
	{ ROW("time", "response"), MUST, QUICK,
	  SENT("nothing: the slowest event's median over every 2xx, the burst apart"), OK("up to 2 s"),
	  WARN("up to 10 s"), BECAUSE(VENDORS, "senders give up after 2 to 10 s, and repeat"),
	  FIX("store the notification, respond, and work on it afterwards") },

	{ ROW("tls", "trust"), SHOULD, QUICK, SENT("nothing: looks at the certificate of the server"), OK("trusted"),
	  BECAUSE(OWASP, "the data is personal"), FIX("use https with a certificate that senders trust") },
	{ ROW("tls", "expiry"), SHOULD, QUICK, SENT("nothing: looks at the days that the certificate still holds"),
	  OK("30 days"), WARN("14 days"), BECAUSE(OWASP, "deliveries stop on the day it expires"),
	  FIX("renew the certificate, and let a machine do it next time") },

	{ ROW("still-up", "GROUP"), MUST, QUICK, .expansion = PROBE_GROUPS, MAKE(make_valid, NULL), .requests = 5,
	  SENT("five valid payloads after each group"), OK("2xx"),
	  BECAUSE(SPEC "4.1", "one bad request must not stop the rest"),
	  FIX("see the listener's log: the group before stopped it or slowed it down") },
};
const size_t probe_row_count = sizeof probe_rows / sizeof probe_rows[0];

bool probe_group_sends(const char *group)
{
	for (size_t i = 0; i < probe_row_count; i++)
		if (strcmp(probe_rows[i].group, group) == 0)
			return probe_rows[i].make && probe_rows[i].expansion != PROBE_GROUPS;
	return false;
}
