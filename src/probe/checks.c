#include "probe/checks.h"

#include "probe/keep/contrast.h"
#include "probe/keep/crash_rows.h"
#include "probe/keep/effect_rows.h"
#include "probe/play/maker.h"
#include "probe/play/play.h"
#include "probe/play/watch.h"

#include <string.h>

const char *const probe_level_names[PROBE_LEVELS] = { "must", "should", "note" };
const char *const probe_depth_names[] = { "quick", "normal", "deep", NULL };

/* What a listener keeps is looked at before large payloads are in it, which --observe would print. */
const char *const probe_groups[] = { "deliver", "value", "form",     "effect", "crash",  "size",    "http", "repeat",
	                             "order",   "load",  "bad",      "json",   "method", "path",    "type", "frame",
	                             "slow",    "leak",  "response", "time",   "tls",    "still-up" };
const size_t probe_group_count = sizeof probe_groups / sizeof probe_groups[0];

#define SPEC      "the specification, section "
#define STANDARD  "Standard Webhooks"
#define CLOUD     "CloudEvents http-webhook"
#define OWASP     "OWASP"
#define VENDORS   "GitHub, Adyen"
#define NO_CHUNKS "read chunked bodies, too: under WSGI that takes a proxy that buffers (nginx) or an ASGI server"
#define WHOLE_BODY                                                                                                     \
	"read the whole body, whatever its size: a server may hand a large one over in pieces or in a file (nginx: "   \
	"client_body_buffer_size)"
#define REFUSE     "respond 4xx to a request that is not a notification"
#define PARSE      "parse the body before responding, and respond 4xx where that fails"
#define IDEMPOTENT "the same notification may come twice: recognize a repeat and respond 2xx"
#define REPEATED   "a repeat is refused, so that it comes again and again"
#define ANY_ORDER  "notifications may come in any order: store what is not known yet and respond 2xx"
#define ANY_JSON   "read the body with a JSON parser, which takes every spelling of a value"

/* Parts of rows. */
#define ROW(group_, name_)  .group = (group_), .name = (name_)
#define FREE(group_, name_) ROW(group_, name_), .independent = true
#define MUST                .level = PROBE_MUST
#define SHOULD              .level = PROBE_SHOULD
#define NOTE                .level = PROBE_NOTE
#define QUICK               .depth = PROBE_QUICK
#define NORMAL              .depth = PROBE_NORMAL
#define DEEP                .depth = PROBE_DEEP
#define MAKE(make_, with)   .make = (make_), .argument = (with)
#define LOOK(look_)         .look = (look_)
/* Written as bytes, in this framing. */
#define RAW(...)                                                                                                       \
	.play = play_script, .framing = &(const struct probe_framing)                                                  \
	{                                                                                                              \
		__VA_ARGS__                                                                                            \
	}
#define EVENT(name_)       .event = (name_)
#define OF(names)          .kinds = (names)
#define SENT(text)         .sent = (text)
#define OK(text)           .ok = (text)
#define TOLERATED(text)    .tolerated = (text)
#define BECAUSE(who, text) .source = (who), .why = (text)
#define FIX(text)          .fix = (text)
#define LOST(text)         .lost = (text)
#define ABOUT(statuses)    .fix_statuses = (statuses) /* of the fix */
#define ELSE(text)         .other_fix = (text)
#define SIMULATED          "credit-score-simulated"
#define ALERT              "bureau-alert"
#define MEMBER             "/details/alertDetails|scoreModifiers/"
#define OBJECT             MEMBER "sampleMember"
#define INTEGER            "/details/alertId|monitorId"
#define BIG(fields)                                                                                                    \
	"/details/" fields "=2147483648\n/details/" fields "=9007199254740993\n/details/" fields                       \
	"=9223372036854775808\n/details/" fields "=1000000000000000000000000000000\n"

#define IN_ALERT(put) MAKE(make_put, put), EVENT(ALERT)
#define LATE          "an earlier notification may be late or lost"
#define DEPTH         "limit the nesting depth of the JSON parser"
#define AS_JSON       "notifications come as application/json"
#define ENVELOPE      BECAUSE(OWASP, "it is not an envelope")

/* Rows that differ in little. */
#define SPELLED(name_, text)                                                                                           \
	FREE("form", name_), MUST, NORMAL, MAKE(make_form, name_), SENT(text), OK("2xx"),                              \
	        BECAUSE("RFC 8259", "it is the same value in another spelling"),                                       \
	        LOST("what is spelled in another way is lost"), FIX(ANY_JSON)
#define SERVERS(name_, requests_, raw, ok_, text, why_)                                                                \
	ROW("http", name_), NOTE, NORMAL, MAKE(make_valid, NULL), raw, SENT(text), OK(ok_),                            \
	        .requests = (requests_), BECAUSE("RFC 9112, section 9", why_),                                         \
	        FIX("see the documentation of the server")
#define ORDER(name_, requests_, events, text, why_)                                                                    \
	ROW("order", name_), MUST, NORMAL, MAKE(make_order, events),                                                   \
	        .requests = (requests_), SENT(text), OK("2xx"), TOLERATED("4xx"), BECAUSE(SPEC "8", why_),             \
	        LOST("what comes early is refused"), FIX(ANY_ORDER), ABOUT("404")
#define REFUSED(group_, name_, depth_, make_, text, because, fix_)                                                     \
	FREE(group_, name_), SHOULD, depth_, make_, .invalid = true, SENT(text), OK("4xx"), TOLERATED("2xx"), because, \
	                                            FIX(fix_)
#define PARSERS(name_, make_, text, section, why_, fix_)                                                               \
	FREE("json", name_), NOTE, NORMAL, make_, SENT(text), OK("4xx,2xx"),                                           \
	        BECAUSE("RFC 8259, section " section, why_), FIX(fix_)
#define METHOD(name_, method)                                                                                          \
	FREE("method", name_), SHOULD, NORMAL, MAKE(make_method, method), SENT("a valid payload by " method),          \
	        OK("4xx,501"), TOLERATED("2xx"), BECAUSE("RFC 9110, section 15.5.6", "notifications come by POST"),    \
	        FIX("respond 405 to methods other than POST")
#define MEDIA(name_, make_, text, who, why_)                                                                           \
	FREE("type", name_), SHOULD, NORMAL, make_, .sets_type = true, SENT("a valid payload " text), OK("4xx"),       \
	                                            TOLERATED("2xx"), BECAUSE(who, why_),                              \
	                                            FIX("respond 415 to other media types than application/json")
#define FRAME(name_, raw, text, section)                                                                               \
	ROW("frame", name_), NOTE, DEEP, MAKE(make_valid, NULL), raw, SENT(text), OK("4xx,501,closed"),                \
	        TOLERATED("2xx"),                                                                                      \
	        BECAUSE("RFC 9112, section " section,                                                                  \
	                "a proxy and a server that read it differently allow request smuggling"),                      \
	        FIX("update the server, or put one in front that refuses it")
#define SLOW(name_, drip_, text)                                                                                       \
	ROW("slow", name_), NOTE, DEEP, MAKE(make_valid, NULL), RAW(.drip = (drip_)), SENT(text), OK("4xx,closed"),    \
	        BECAUSE(OWASP, "many such connections use up the server"),                                             \
	        FIX("set a time limit for requests in the server")

#define ASK(row_) MAKE(make_valid, NULL), .play = play_effects, .experiment = &(row_), .observes = true
#define ONCE(level_, why_)                                                                                             \
	ROW("effect", "once:EVENT"), level_, NORMAL,                                                                   \
	        .expansion = PROBE_ONCE, ASK(effect_once), OK("2xx"), TOLERATED("409"),                                \
	        SENT("with --observe: a payload that has left a trace, again"), BECAUSE(STANDARD, why_),               \
	        LOST("EVENT is kept twice when it comes twice"), FIX(IDEMPOTENT ", without storing it twice")
#define EARLY(name_, kind, text)                                                                                       \
	ROW("effect", "order:" name_), SHOULD, NORMAL, ASK(effect_early), OF(kind), OK("2xx"),                         \
	        SENT("with --observe: " text),                                                                         \
	        BECAUSE(SPEC "8", "no order is specified: what comes early has to leave its trace, too"),              \
	        LOST("what comes early is not kept"), FIX(ANY_ORDER)
#define EITHER(name_, kind, text)                                                                                      \
	ROW("effect", "order:" name_), NOTE, NORMAL, ASK(effect_either), OF(kind), OK("2xx"),                          \
	        SENT("with --observe: " text), BECAUSE(SPEC "8", "no order is specified, and payloads have no time"),  \
	        FIX("where the end depends on the order, ask the service for the state")
#define DIFFERS(name_, level_, kind, row_, contrast_, text, why_, lost_, fix_)                                         \
	ROW("effect", "differs:" name_), level_, NORMAL, ASK(row_), .contrast = &(contrast_), OF(kind), OK("2xx"),     \
	                                                            SENT("with --observe: " text),                     \
	                                                            BECAUSE(SPEC "2.2", why_), LOST(lost_), FIX(fix_)
#define CRASH(name_, row_, text)                                                                                       \
	ROW("crash", name_), MUST, NORMAL, MAKE(make_valid, NULL), .play = play_crash, .experiment = &(row_),          \
	                                                           .observes = true, .ends = true, OK("2xx"),          \
	                                                           SENT("with --observe and COMMAND: " text)
#define STORED "respond only when it is stored on disk; until then 503, and the sender may send again"

#define VALUES(chance_) .expansion = PROBE_VALUES, .chance = (chance_), MAKE(make_value, NULL)

const struct probe_row probe_rows[] = {
	{ ROW("deliver", "EVENT"), MUST, QUICK, .expansion = PROBE_KINDS, MAKE(make_valid, NULL),
	  SENT("the valid payload of each event and element"), OK("2xx"), BECAUSE(SPEC "6", "the service sends it"),
	  LOST("EVENT is lost"), FIX("accept every event, also those that the listener does not use: respond 2xx") },

	{ FREE("value", "EVENT:FIELD=NAME"), MUST, NORMAL, VALUES(CATALOG_COMMON),
	  SENT("another common valid value of a field"), OK("2xx"),
	  BECAUSE(SPEC "2.2", "samples show one value of each field, and the service sends others"),
	  LOST("EVENT is lost"), FIX("take every value that the specification allows") },
	{ FREE("value", "EVENT:FIELD=NAME"), SHOULD, NORMAL, VALUES(CATALOG_LIKELY),
	  SENT("another likely value of a field"), OK("2xx"),
	  BECAUSE(SPEC "2.2", "the specification has no bounds for it"),
	  FIX("take every value that the specification does not exclude") },
	{ FREE("value", "EVENT:FIELD=NAME"), SHOULD, NORMAL, VALUES(CATALOG_RARE),
	  SENT("another rare, but valid value of a field"), OK("2xx"), TOLERATED("4xx"),
	  BECAUSE(SPEC "2.2", "the specification does not exclude it"),
	  FIX("take every value that the specification does not exclude") },

	{ SPELLED("key-order", "the keys in reverse order") },
	{ SPELLED("whitespace", "white space between all tokens") },
	{ SPELLED("escapes", "every character of the strings as an escape (\\u0061)") },
	{ FREE("form", "utf8"), MUST, NORMAL, MAKE(make_put, "/details/firstName=\"S\u00e1mple \u6837\u672c\""),
	  EVENT("user-created"), SENT("names in UTF-8 that is not ASCII"), OK("2xx"),
	  BECAUSE("RFC 8259", "it is the same value in another spelling"),
	  LOST("what has a name that is not ASCII is lost"),
	  FIX("accept any character in names: JSON is UTF-8, whatever the default of the platform") },
	{ FREE("form", "unknown-member"), MUST, NORMAL, MAKE(make_put, OBJECT "={\"sample\":1,\"list\":[1,2]}"),
	  EVENT(ALERT), SENT("further members in alertDetails"), OK("2xx"),
	  BECAUSE(SPEC "2.2, rules 2 and 4", "the members are open"), LOST("what has further members is lost"),
	  FIX("ignore members of alertDetails and scoreModifiers that are not known") },
	{ FREE("form", "unknown-key"), SHOULD, NORMAL,
	  MAKE(make_put, "/sampleKey=\"sample\"\n/details/sampleKey=\"sample\""), .requests = 2,
	  SENT("a further key at the top, and one in details"), OK("2xx"), TOLERATED("4xx"),
	  BECAUSE(SPEC "9", "how payloads change is not specified, and senders add keys"),
	  FIX("ignore keys that are not known") },
	{ FREE("form", "big-integer"), EVENT(ALERT), SHOULD, NORMAL,
	  MAKE(make_put, BIG("alertId|monitorId") BIG("monitorId|alertId")), .requests = 8,
	  SENT("an alertId and a monitorId of 2^31, 2^53+1, 2^63 and 10^30"), OK("2xx"), TOLERATED("4xx"),
	  BECAUSE(SPEC "2.2", "integers have no stated bounds"),
	  FIX("keep alertId and monitorId as text, or as 64-bit integers at least") },
	{ FREE("form", "uuid-case"), SHOULD, NORMAL, MAKE(make_upper_case, NULL), SENT("identifiers in upper case"),
	  OK("2xx"), TOLERATED("4xx"), BECAUSE("RFC 9562, section 4", "a UUID is read in either case"),
	  FIX("compare UUIDs without regard to letter case") },
	{ FREE("form", "charset"), MUST, NORMAL, .sets_type = true, MAKE(make_type, "application/json; charset=utf-8"),
	  SENT("the Content-Type application/json; charset=utf-8"), OK("2xx"),
	  BECAUSE("RFC 9110, section 8.3.1", "a media type has parameters, and many HTTP clients write this one"),
	  LOST("what comes with a charset is lost"), FIX("compare the media type without its parameters"),
	  ABOUT("400,415") },
	{ FREE("form", "type-case"), NOTE, NORMAL, .sets_type = true, MAKE(make_type, "APPLICATION/JSON"),
	  SENT("the Content-Type APPLICATION/JSON"), OK("2xx"),
	  BECAUSE("RFC 9110, section 8.3.1", "letter case does not count, but no sender is known to write it so"),
	  FIX("compare the media type without regard to letter case"), ABOUT("400,415") },

	{ ROW("size", "20k"), MUST, NORMAL, MAKE(make_large, "20000"), EVENT(SIMULATED),
	  SENT("20 kB: many scoreModifiers"), OK("2xx"), BECAUSE(STANDARD, "payloads of up to 20 kB are usual"),
	  LOST("what is as large as 20 kB is lost"), FIX("raise the limit of the request body to 64 kB at least"),
	  ABOUT("413"), ELSE(WHOLE_BODY) },
	{ ROW("size", "64k"), SHOULD, NORMAL, MAKE(make_large, "64000"), EVENT(SIMULATED),
	  SENT("64 kB: many scoreModifiers"), OK("2xx"), TOLERATED("413"),
	  BECAUSE(SPEC "2.2, rule 2", "scoreModifiers is open"), FIX("raise the limit of the request body"),
	  ABOUT("413"), ELSE(WHOLE_BODY) },
	{ ROW("size", "16m"), SHOULD, NORMAL, .costs = true, MAKE(make_padded, "16777216"), EVENT(SIMULATED),
	  SENT("16 MiB, most of it blanks"), OK("4xx"), TOLERATED("2xx,closed"),
	  BECAUSE(OWASP, "a body without a limit fills the memory"),
	  FIX("limit the request body (1 MB, say) and respond 413 above that") },
	{ ROW("size", "short"), SHOULD, NORMAL, MAKE(make_valid, NULL), RAW(.excess = 5, .end_writing = true),
	  SENT("a Content-Length 5 larger than the body, then shutdown for writing"), OK("4xx,closed"),
	  TOLERATED("2xx"), BECAUSE("RFC 9112, section 8", "a payload that was cut must not be taken for a whole one"),
	  FIX("compare the length that was read with Content-Length") },

	{ ROW("http", "chunked"), SHOULD, NORMAL, MAKE(make_valid, NULL), .header = "Transfer-Encoding: chunked",
	  SENT("a chunked body"), OK("2xx"), TOLERATED("411"),
	  BECAUSE("RFC 9112, section 7.1", "HTTP/1.1 allows it, and nothing says that the service does not do so"),
	  FIX(NO_CHUNKS), ABOUT("411") },
	{ ROW("http", "expect-continue"), MUST, NORMAL, MAKE(make_valid, NULL), .header = "Expect: 100-continue",
	  SENT("Expect: 100-continue"), OK("2xx,417"),
	  BECAUSE("RFC 9110, section 10.1.1", "clients and proxies ask first"),
	  LOST("what comes with Expect: 100-continue is lost"),
	  FIX("respond 100 (Continue) to Expect: 100-continue, or ignore it") },
	{ ROW("http", "head-4k"), MUST, NORMAL, MAKE(make_long_head, "4096"), SENT("4 KiB of header"), OK("2xx"),
	  BECAUSE("RFC 9110, section 5.4", "proxies add headers"), LOST("what comes with many headers is lost"),
	  FIX("allow 8 KiB of header at least") },
	{ ROW("http", "pieces"), MUST, NORMAL, MAKE(make_valid, NULL), RAW(.pieces = 5),
	  SENT("a request in five pieces within a second"), OK("2xx"),
	  BECAUSE("RFC 9112, section 2.2", "networks deliver in pieces"), LOST("what comes in pieces is lost"),
	  FIX("read the whole body before using it: as many bytes as Content-Length says") },
	{ SERVERS("1.0", 1, RAW(.http_1_0 = true), "2xx", "a request of HTTP/1.0", "older proxies speak it") },
	{ SERVERS("half-close", 1, RAW(.end_writing = true), "2xx", "a request, then shutdown for writing",
	          "some clients end their side early") },
	{ SERVERS("keep-alive", 2, RAW(0), "2xx,closed", "two requests on one connection, one after the other",
	          "it saves connections") },
	{ SERVERS("pipelined", 2, RAW(.pipelined = true), "2xx,closed", "two requests on one connection, at once",
	          "clients may do so; servers differ") },
	{ ROW("http", "head-8k"), NOTE, NORMAL, MAKE(make_long_head, "8192"), SENT("8 KiB of header"),
	  OK("2xx,400,431"), BECAUSE("RFC 6585, section 5", "servers differ"),
	  FIX("respond 431 where the header is too long") },

	{ ROW("repeat", "again"), MUST, QUICK, MAKE(make_repeat, NULL), .requests = 2, SENT("the same payload twice"),
	  OK("2xx"), TOLERATED("409"), BECAUSE(STANDARD, "senders deliver at least once"), LOST(REPEATED),
	  FIX(IDEMPOTENT) },
	{ ROW("repeat", "later"), MUST, NORMAL, .costs = true, MAKE(make_repeat, "2"), .requests = 2,
	  SENT("the same payload again after 2 s"), OK("2xx"), TOLERATED("409"),
	  BECAUSE(STANDARD, "senders deliver at least once"), LOST(REPEATED), FIX(IDEMPOTENT) },
	{ ROW("repeat", "concurrent"), MUST, NORMAL, MAKE(make_repeat, NULL), .requests = 20, .connections = 20,
	  SENT("the same payload on 20 connections at the same time"), OK("2xx"), TOLERATED("409,429"),
	  BECAUSE(STANDARD, "a repeat may come before the first response"),
	  LOST("what comes several times at once is refused"),
	  FIX("two of the same notification may come at the same time: let the database decide which one is stored, "
	      "and respond 2xx to both") },

	{ ORDER("removed-before-added", 3, "user-created,monitored-element-removed,monitored-element-added",
	        "the event monitored-element-removed before its monitored-element-added", "no order is specified") },
	{ ORDER("cancelled-before-enrolled", 3, "user-created,monitoring-service-cancelled,monitoring-service-enrolled",
	        "the event monitoring-service-cancelled before its monitoring-service-enrolled",
	        "no order is specified") },
	{ ORDER("authenticated-before-question", 3,
	        "user-created,authentication-succeeded,authentication-question-retrieval-succeeded",
	        "the event authentication-succeeded before the retrieval of its questions", "no order is specified") },
	{ ORDER("report-unknown", 2, "user-created,credit-report-retrieved",
	        "the event credit-report-retrieved of a report that was never ordered", LATE) },
	{ ORDER("alert-unknown", 1, ALERT, "the event bureau-alert of a customer who is not known", LATE) },

	{ ROW("load", "burst"), SHOULD, NORMAL, MAKE(make_valid, NULL), .requests = 100, .connections = 50,
	  SENT("100 payloads on 50 connections"), OK("2xx"), TOLERATED("429,503"),
	  BECAUSE(STANDARD, "events come in bursts"),
	  FIX("raise the accept queue (backlog) and the number of workers; where it is too much, respond 429 or 503 "
	      "with Retry-After"),
	  ABOUT("429,503"), ELSE("what requests share (a connection, a variable) needs a lock, or one each") },

	{ FREE("bad", "FINDING:PATH"), SHOULD, QUICK, .expansion = PROBE_BREAKS, MAKE(make_broken, NULL),
	  .invalid = true, SENT("a payload with one defect"), OK("4xx,2xx"),
	  BECAUSE(OWASP, "a 5xx makes a sender retry forever"),
	  FIX("check the payload first and respond 4xx, or store it and respond 2xx") },
	{ REFUSED("bad", "details-null", NORMAL, MAKE(make_put, "/details=null"), "null as details", ENVELOPE,
	          REFUSE) },
	{ REFUSED("bad", "top-null", NORMAL, MAKE(make_text, "null"), "null", ENVELOPE, REFUSE) },
	{ REFUSED("bad", "top-array", NORMAL, MAKE(make_text, "[]"), "an empty array", ENVELOPE, REFUSE) },
	{ REFUSED("bad", "top-string", NORMAL, MAKE(make_text, "\"text\""), "a string", ENVELOPE, REFUSE) },
	{ REFUSED("bad", "top-number", NORMAL, MAKE(make_text, "7"), "a number", ENVELOPE, REFUSE) },

	{ REFUSED("json", "empty", QUICK, MAKE(make_text, ""), "an empty body", BECAUSE(OWASP, "it is not JSON"),
	          PARSE) },
	{ REFUSED("json", "truncated", QUICK, MAKE(make_truncated, NULL), "the first half of a payload",
	          BECAUSE(OWASP, "a 2xx means that it was received"), PARSE) },
	{ REFUSED("json", "trailing-comma", NORMAL, MAKE(make_trailing_comma, NULL), "a comma before the last brace",
	          BECAUSE("RFC 8259", "it is not JSON"), PARSE) },
	{ REFUSED("json", "two-documents", NORMAL, MAKE(make_two_documents, NULL), "two payloads, one after the other",
	          BECAUSE("RFC 8259", "the second one would be lost"), PARSE) },
	{ REFUSED("json", "single-quotes", NORMAL, MAKE(make_single_quotes, NULL), "single quotes for double ones",
	          BECAUSE("RFC 8259", "it is not JSON"), PARSE) },
	{ REFUSED("json", "invalid-utf8", NORMAL, IN_ALERT(OBJECT "=\"\xFF\xFE\""),
	          "bytes that are not UTF-8, in alertDetails",
	          BECAUSE("RFC 8259, section 8.1", "replaced characters may have been stored"),
	          "decode as UTF-8 without replacing bytes, and respond 4xx where that fails") },
	{ REFUSED("json", "nan", NORMAL, IN_ALERT(INTEGER "=NaN"), "NaN as alertId",
	          BECAUSE("RFC 8259, section 6", "it is not JSON, and cannot be written as JSON again"),
	          "NaN and Infinity are not JSON: turn them off in the parser, and respond 4xx") },
	{ PARSERS("bom", MAKE(make_bom, NULL), "a byte order mark before the payload", "8.1", "parsers differ",
	          PARSE) },
	{ PARSERS("duplicate-key", IN_ALERT(OBJECT "=1,\"sampleMember\":2"), "a member of alertDetails twice", "4",
	          "parsers differ", PARSE) },
	{ FREE("json", "proto-key"), NOTE, NORMAL, IN_ALERT(MEMBER "__proto__={\"sampleMember\":true}"),
	  SENT("a member __proto__ in alertDetails"), OK("4xx,2xx"),
	  BECAUSE(OWASP, "merged into an object of JavaScript it changes all objects"), FIX(PARSE) },
	{ PARSERS("huge-number", IN_ALERT(INTEGER "=7*400"), "an alertId of 400 digits", "6", "parsers differ",
	          PARSE) },
	{ PARSERS("depth-1000", IN_ALERT(OBJECT "=[]*1000"), "1,000 nested arrays in alertDetails", "9",
	          "parsers differ", DEPTH) },
	{ FREE("json", "depth-100000"), NOTE, DEEP, IN_ALERT(OBJECT "=[]*100000"),
	  SENT("100,000 nested arrays in alertDetails"), OK("4xx,2xx"),
	  BECAUSE("RFC 8259, section 9", "a parser may use up its stack"), FIX(DEPTH) },

	{ METHOD("put", "PUT") },
	{ METHOD("patch", "PATCH") },
	{ METHOD("delete", "DELETE") },
	{ FREE("method", "trace"), SHOULD, NORMAL, MAKE(make_trace, "TRACE"), SENT("TRACE with a header"),
	  OK("4xx,501"), TOLERATED("2xx"),
	  BECAUSE("RFC 9110, section 9.3.8", "it echoes headers, and with them secrets"),
	  FIX("turn off TRACE in the server") },
	{ FREE("method", "get"), NOTE, NORMAL, MAKE(make_empty, "GET"), SENT("GET"), OK("2xx,3xx,4xx,501"),
	  BECAUSE("RFC 9110, section 15.5.6", "a health page is fine"), FIX("respond 405, or a page") },
	{ FREE("method", "head"), NOTE, NORMAL, MAKE(make_empty, "HEAD"), RAW(0), SENT("HEAD"), OK("2xx,3xx,4xx,501"),
	  BECAUSE("RFC 9110, section 9.3.2", "health checks use it"), FIX("respond 405, or as to GET") },
	{ FREE("method", "options"), NOTE, NORMAL, MAKE(make_empty, "OPTIONS"), SENT("OPTIONS"), OK("2xx,3xx,4xx,501"),
	  BECAUSE("RFC 9110, section 15.5.6", "servers differ"), FIX("respond 405, or 2xx with Allow") },

	{ FREE("path", "other"), SHOULD, NORMAL, MAKE(make_other_path, NULL), SENT("a valid payload to another path"),
	  OK("4xx"), TOLERATED("2xx"), BECAUSE(OWASP, "a wrong URL at the sender goes unnoticed"),
	  FIX("respond 404 to paths other than the listener's") },
	{ FREE("path", "trailing-slash"), NOTE, NORMAL, MAKE(make_slash_path, NULL),
	  SENT("a valid payload to the path with one slash more"), OK("2xx,4xx,307,308"),
	  BECAUSE("RFC 9110, section 15.4", "other redirects turn POST into GET"),
	  FIX("respond 404, or 2xx as without the slash") },

	{ MEDIA("text-plain", MAKE(make_type, "text/plain"), "as text/plain", CLOUD, AS_JSON) },
	{ MEDIA("form", MAKE(make_type, "application/x-www-form-urlencoded"), "as application/x-www-form-urlencoded",
	        OWASP, "any page of the web can make a browser send that") },
	{ MEDIA("none", MAKE(make_valid, NULL), "without Content-Type", CLOUD, AS_JSON), .header = "Content-Type:" },
	{ FREE("type", "gzip"), NOTE, NORMAL, MAKE(make_gzip, NULL), .sets_type = true,
	  SENT("a compressed payload, with Content-Encoding: gzip"), OK("2xx,4xx"),
	  BECAUSE("RFC 9110, section 8.4", "servers differ"), FIX("respond 415 to encodings that are not read") },

	{ FRAME("two-lengths", RAW(.second_length = true), "two different Content-Length", "6.3") },
	{ FRAME("length-and-chunked", RAW(.chunked = true), "Content-Length and Transfer-Encoding", "6.3") },
	{ FRAME("space-before-colon", RAW(.lines = "X-Test : 1\n"),
	        "a space between the name of a header and its colon", "5.1") },
	{ FRAME("bare-lf", RAW(.bare_lf = true), "lines that end with LF alone", "2.2") },
	{ FRAME("folded", RAW(.lines = "X-Test: 1\n 2\n"), "a header continued on the next line", "5.2") },
	{ SLOW("head", PROBE_DRIP_HEAD, "the head, one byte per second") },
	{ SLOW("body", PROBE_DRIP_BODY, "the body, one byte per second") },

	{ ONCE(MUST, "the payload identifies what it is about, and senders deliver at least once") },
	{ ONCE(SHOULD, "senders deliver at least once; but two alike may be two, as notifications have no id") },
	{ ROW("effect", "distinct:EVENT"), MUST, NORMAL, .expansion = PROBE_DISTINCT, ASK(effect_distinct), OK("2xx"),
	  SENT("with --observe: a second, different one of the same customer"),
	  BECAUSE(SPEC "2.2",
	          "a key of repeats that is too coarse loses notifications; a should where what is observed "
	          "does not show the two apart"),
	  LOST("what a customer gets second is lost behind a 2xx"),
	  FIX("what recognizes a repeat has to take in all that tells two apart") },
	{ ROW("effect", "at-once"), MUST, NORMAL, ASK(effect_at_once), OK("2xx"), TOLERATED("409"),
	  OF("bureau-alert,user-created,credit-report-ordered,monitored-element-added/email"),
	  SENT("with --observe: an alert, a customer, a report and an element, each on five connections at the same "
	       "time"),
	  BECAUSE(STANDARD, "a repeat may come before the first response; of an element it is a should"),
	  LOST("what comes twice at the same time is kept twice, or refused"),
	  FIX("looking and inserting are two steps: make its key unique in the database, and respond 2xx to the "
	      "loser") },
	{ ROW("effect", "together"), MUST, NORMAL, ASK(effect_together), OK("2xx"),
	  OF("user-created,credit-report-ordered,monitoring-service-enrolled,bureau-alert"),
	  SENT("with --observe: different ones of ten customers, on five connections at the same time; and alerts and "
	       "reports whose identifiers share digits"),
	  BECAUSE(STANDARD, "events come in bursts; a should where what is observed names no customer"),
	  LOST("some of what comes at the same time is lost behind a 2xx"),
	  FIX("reading, changing and writing back are three steps: take a lock around them, or let the database do it "
	      "in one; and keep each under its whole identifier") },
	{ ROW("effect", "value:EVENT:FIELD=NAME"), MUST, NORMAL, .expansion = PROBE_KEPT, ASK(effect_value), OK("2xx"),
	  SENT("with --observe: a name, street or city with an apostrophe, with accents, or in Chinese"),
	  BECAUSE(SPEC "2.2", "the specification does not exclude it, and the same with ASCII leaves a trace"),
	  LOST("EVENT is lost behind a 2xx"),
	  FIX("store texts with parameters of the statement and as UTF-8, whatever the default of the database") },
	{ ROW("effect", "value:EVENT:FIELD=NAME"), SHOULD, NORMAL, .expansion = PROBE_KEPT, ASK(effect_value),
	  OK("2xx"), SENT("with --observe: another common or likely value of a field"),
	  BECAUSE(SPEC "2.2", "samples show one value of each field, and the service sends others"),
	  LOST("EVENT is not kept"),
	  FIX("right if you mean to skip what has this value; else it is lost behind its 2xx") },
	{ DIFFERS("change", SHOULD, "credit-score-simulated", effect_differs, contrast_change,
	          "change 7 and 8, and then -7 and 7, each of customers of its own", "a change has a sign",
	          "a change loses its sign",
	          "keep the sign of change; right if you keep only its size, or --observe shows no more") },
	{ DIFFERS("zip", SHOULD, "user-created", effect_differs, contrast_zip,
	          "zip 10001 and 60601, and then 02134 and 2134, each of customers of its own", "zip is a text",
	          "a zip loses the 0 that it begins with",
	          "keep zip as the text that it is: a number has no 0 at its beginning; right if --observe alone shows "
	          "it so") },
	{ DIFFERS("alertId", SHOULD, ALERT, effect_differs_alone, contrast_alert_id,
	          "alerts with an alertId above 2^53 that no double is, and an ordinary one",
	          "integers have no stated bounds", "a large alertId becomes another one",
	          "read alertId as a 64-bit integer, or as text, not as a double (JavaScript, jq); right if --observe "
	          "alone shows it so") },
	{ DIFFERS("firstName", NOTE, "user-created", effect_differs, contrast_first_name,
	          "names without accents, and then two that differ in their accent alone",
	          "the specification does not exclude them", "a name loses its accents",
	          "right if you fold names on purpose, as for a search; else keep them as UTF-8") },
	{ DIFFERS("offCycle", NOTE, "credit-report-ordered", effect_differs_alone, contrast_off_cycle,
	          "reports with offCycle true, and false",
	          "it is a text, and many languages take the text false for true", "offCycle is not kept",
	          "right if you do not keep offCycle; else compare it with the text true") },
	{ DIFFERS("disputeStatus", NOTE, ALERT, effect_differs_alone, contrast_dispute_status,
	          "alerts with the disputeStatus Completion, and Submission", "a dispute begins and ends",
	          "disputeStatus is not kept",
	          "right if you do not keep disputeStatus; else keep it with each alert") },
	{ EARLY("authenticated-before-question", "authentication-succeeded",
	        "an authentication before the retrieval of its questions") },
	{ EARLY("report-unknown", "credit-report-retrieved", "the retrieval of a report that was never ordered") },
	{ EARLY("alert-unknown", ALERT, "an alert of a customer who is not known") },
	{ EITHER("removed-before-added", "monitored-element-removed",
	         "an element removed before it was added, and in order") },
	{ EITHER("cancelled-before-enrolled", "monitoring-service-cancelled",
	         "a service cancelled before it was enrolled, and in order") },
	{ ROW("effect", "others"), MUST, NORMAL, ASK(effect_others), OK("2xx"),
	  OF("user-created,monitoring-service-enrolled,credit-report-ordered,bureau-alert"),
	  SENT("with --observe: every notification of a customer beside one whose identifiers begin alike"),
	  BECAUSE(SPEC "2.2", "a notification is about one customer"),
	  LOST("what is kept of one customer is changed by another one"),
	  FIX("what is changed or stored for one customer has to name the whole clientKey, in the key and in each "
	      "WHERE") },
	{ ROW("effect", "stays"), SHOULD, NORMAL, MAKE(make_valid, NULL), .play = play_late_effects,
	  .experiment = &effect_stays, .observes = true, SENT("with --observe: nothing more; a last look"), OK("2xx"),
	  BECAUSE(STANDARD, "a 2xx means that it is stored"), LOST("what was kept is gone before the end of the run"),
	  FIX("right if you show a window or a queue, or keep it for a time only; else nothing may remove what was "
	      "accepted (a time to live, a limit, an emptied table)") },
	{ ROW("effect", "again-after-restart"), MUST, NORMAL, MAKE(make_valid, NULL), .play = play_late_effects,
	  .experiment = &effect_again, .observes = true, .ends = true, OK("2xx"), TOLERATED("409"),
	  OF("user-created,authentication-token-generated,credit-report-ordered,monitored-element-removed/email,"
	     "bureau-alert"),
	  SENT("with --observe and COMMAND: what had its 2xx before a restart, again"),
	  BECAUSE(STANDARD, "senders deliver at least once, and a restart may be between"),
	  LOST("what comes again after a restart is kept twice"),
	  FIX("keep what recognizes a repeat with what is stored, not in memory") },
	{ ROW("effect", "none"), SHOULD, NORMAL, MAKE(make_detached, NULL), .play = play_effects,
	  .experiment = &effect_none, .observes = true, .requests = 3, SENT("with --observe: three invalid payloads"),
	  OK("4xx"), BECAUSE(OWASP, "what was refused must not be stored"), LOST("what was refused is kept"),
	  FIX("check the payload before storing it") },

	{ CRASH("restart", crash_restart, "nothing for 5 s, SIGTERM to COMMAND, and a start"),
	  BECAUSE(STANDARD, "what was accepted has to outlive the process"), LOST("a restart loses what had its 2xx"),
	  FIX("keep what is received on disk, and start with what is there") },
	{ CRASH("kill", crash_kill, "20 of 20 customers, two in flight; SIGKILL amid them, and a start"),
	  BECAUSE(STANDARD, "a 2xx means that it is stored"), LOST("kill -9 loses what had its 2xx"), FIX(STORED) },
	{ CRASH("stop", crash_stop, "20 of 20 customers, two in flight; SIGTERM amid them, and a start"),
	  BECAUSE(STANDARD, "a 2xx means that it is stored"), LOST("SIGTERM loses what had its 2xx"), FIX(STORED) },

	{ ROW("leak", "trace"), SHOULD, QUICK, LOOK(look_trace),
	  SENT("nothing: looks at every response to a notification, and every error"), OK("none"),
	  BECAUSE(OWASP, "it shows strangers how the listener works"),
	  FIX("turn off debug mode; respond to errors with a short message") },
	{ ROW("leak", "echo"), SHOULD, QUICK, LOOK(look_echo),
	  SENT("nothing: looks for values of the payloads in every response"), OK("none"), TOLERATED("in JSON"),
	  BECAUSE(OWASP, "the data is personal"), FIX("leave the received values out of responses") },
	{ ROW("response", "content-type"), SHOULD, QUICK, LOOK(look_untyped),
	  SENT("nothing: looks at every response with a body"), OK("Content-Type"), TOLERATED("none"),
	  BECAUSE("RFC 9110, section 8.3", "a body has a type"), FIX("send Content-Type with a body") },
	{ ROW("response", "retry-after"), SHOULD, QUICK, LOOK(look_retry_after),
	  SENT("nothing: looks at every 429 and 503"), OK("Retry-After"), TOLERATED("none"),
	  BECAUSE(CLOUD, "the sender learns when to retry"), FIX("send Retry-After with 429 and 503") },
	{ ROW("response", "size"), SHOULD, QUICK, LOOK(look_long_body), SENT("nothing: looks at every response"),
	  OK("up to 64 KiB"), TOLERATED("more"), BECAUSE(STANDARD, "senders read little of it, or close"),
	  FIX("respond with a short body, or none") },
	{ ROW("time", "response"), MUST, QUICK, LOOK(look_time),
	  SENT("nothing: the slowest event's median over every 2xx, without the burst"), OK("up to 2 s"),
	  TOLERATED("up to 10 s"), BECAUSE(VENDORS, "senders give up after 2 to 10 s, and repeat"),
	  LOST("responses come after senders have given up"),
	  FIX("store the notification, respond, and work on it afterwards") },

	{ ROW("tls", "trust"), SHOULD, QUICK, LOOK(look_trust), .is_of_server = true,
	  SENT("nothing: looks at the certificate of the server"), OK("trusted"),
	  BECAUSE(OWASP, "the data is personal"), FIX("use https with a certificate that senders trust") },
	{ ROW("tls", "expiry"), SHOULD, QUICK, LOOK(look_expiry), .is_of_server = true,
	  SENT("nothing: looks at the days until the certificate expires"), OK("30 days"), TOLERATED("14 days"),
	  BECAUSE(OWASP, "deliveries stop on the day it expires"), FIX("renew the certificate, and automate it") },

	{ ROW("still-up", "GROUP"), MUST, QUICK, .expansion = PROBE_GROUPS, MAKE(make_valid, NULL), .requests = 5,
	  SENT("five valid payloads after each group"), OK("2xx"),
	  BECAUSE(SPEC "4.1", "one bad request must not stop the rest"),
	  LOST("what comes after a group of checks is lost"),
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

bool probe_group_observes(const char *group)
{
	bool observes = false;
	for (size_t i = 0; i < probe_row_count; i++)
		observes |= strcmp(probe_rows[i].group, group) == 0 && probe_rows[i].observes;
	return observes;
}
