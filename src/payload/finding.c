#include "payload/finding.h"

#include "base/text.h"
#include "catalog/catalog.h"

#include <string.h>

#define LINT "credhook's own lint; the specification has no such rule"

#define OWN_LIMIT "credhook's own limit; the specification has no such rule"

#define TYPE(name) (1u << CATALOG_##name)

const struct finding_row finding_rows[FINDING_ID_COUNT] = {
	[FINDING_JSON_SYNTAX] = { "json-syntax", SEVERITY_ERROR,
	                          "the text is not RFC 8259 JSON; also invalid UTF-8, lone surrogates (escaped or "
	                          "raw), raw control characters, a byte order mark, text after the document, nesting "
	                          "over 64, an empty input",
	                          "RFC 8259; the specification, sections 1 and 2.1: the body is JSON",
	                          "errors for more than 64 levels, an escaped lone surrogate and a byte order mark, "
	                          "which RFC 8259 leaves to the reader",
	                          .types = 0 },
	[FINDING_TOO_LONG] = { "too-long", SEVERITY_ERROR,
	                       "one payload is over 64 MiB; the rest of its line is skipped", OWN_LIMIT, NULL,
	                       .types = 0, .unquoted = true },
	[FINDING_DUPLICATE_KEY] = { "duplicate-key", SEVERITY_ERROR,
	                            "a duplicate key in one object (escapes resolved); the last value is the one "
	                            "checked",
	                            "RFC 8259, section 4: names should be unique, since receivers differ in what they "
	                            "do",
	                            "it is an error; the specification says nothing about it",
	                            .types = FINDING_EVERY_TYPE },
	[FINDING_WRONG_TYPE] = { "wrong-type", SEVERITY_ERROR,
	                         "a value has another JSON type than its field; also: the payload or details is not an "
	                         "object, event is a number, offCycle a boolean, change a number",
	                         "the specification, sections 2.1 and 2.2",
	                         "null is not a value of any field; the specification says nothing about null",
	                         .types = FINDING_EVERY_TYPE },
	[FINDING_MISSING_KEY] = { "missing-key", SEVERITY_ERROR, "a key of the event is missing, at any depth",
	                          "the specification, sections 2.1 and 6",
	                          "every key of details is required: section 2.1 requires the envelope's keys, section "
	                          "6 only lists those of details",
	                          .types = FINDING_EVERY_TYPE },
	[FINDING_UNEXPECTED_PATH] = { "unexpected-path", SEVERITY_ERROR, "an alert has a path, whatever its value",
	                              "the specification, section 2.1: path is absent in alert notifications", NULL,
	                              .value = "\"/api/unexpected\"" },
	[FINDING_UNKNOWN_EVENT] = { "unknown-event", SEVERITY_ERROR,
	                            "no event has this service, event, method and path together; the nearest one is "
	                            "named",
	                            "the specification, section 6", NULL, .value = "\"unknown\"" },
	[FINDING_BAD_FORMAT] = { "bad-format", SEVERITY_ERROR,
	                         "a string has the wrong format: expected a UUID (8-4-4-4-12 hex, either case), true "
	                         "or false in offCycle, [+-]?[0-9]+ in change",
	                         "the specification, section 2.2",
	                         "the exact formats: section 2.2 says UUID format, boolean text and signed integer",
	                         .types = TYPE(UUID) | TYPE(BOOLEAN_TEXT) | TYPE(INTEGER_TEXT) },
	[FINDING_BAD_VALUE] = { "bad-value", SEVERITY_ERROR,
	                        "disputeStatus is neither Submission nor Completion; with --as NAME, an envelope "
	                        "value is not that event's",
	                        "the specification, section 2.2 (disputeStatus) and section 6 (envelope)", NULL,
	                        .types = TYPE(CHOICE), .value = "\"Unknown\"" },
	[FINDING_UNKNOWN_KEY] = { "unknown-key", SEVERITY_WARNING,
	                          "a key that the event does not list; never inside scoreModifiers, nor for other keys "
	                          "of alertDetails",
	                          LINT, NULL, .value = "\"unexpected\"" },
	[FINDING_EMPTY_STRING] = { "empty-string", SEVERITY_WARNING, "a string field is empty", LINT, NULL,
	                           .types = TYPE(STRING), .value = "\"\"" },
	[FINDING_NOT_INTEGER_LITERAL] = { "not-integer-literal", SEVERITY_WARNING,
	                                  "an integer is written 15.0 or 1e3; many readers take that for a fraction",
	                                  LINT, NULL, .types = TYPE(INTEGER), .value = "1.0" },
	[FINDING_UNSEEN] = { "unseen", SEVERITY_WARNING,
	                     "with --against: a kind, a key, a type or the value of a code that no valid payload there "
	                     "has; instead of unknown-key",
	                     LINT,
	                     "values of bureau, productCode, alertType and enrollmentCode are compared where that side "
	                     "has 100 payloads of the kind, or was written by --distinct",
	                     .types = 0 },
	[FINDING_CONTENT_TYPE] = { "content-type", SEVERITY_WARNING,
	                           "the Content-Type of a live request or a record is missing or not application/json "
	                           "(parameters allowed); never a reason to refuse",
	                           "the specification, section 2.1", "it is a warning, and never a reason to refuse",
	                           .types = 0, .unquoted = true },
};

const char *severity_name(enum severity severity)
{
	return severity == SEVERITY_ERROR ? "error" : "warning";
}

int finding_parse(const char *name, size_t length, enum finding_id *id, struct error *err)
{
	struct nearest near;
	nearest_init(&near, name, length);
	for (*id = 0; *id < FINDING_ID_COUNT; (*id)++)
		if (nearest_offer(&near, finding_rows[*id].name))
			return 0;
	error_set(err, EXIT_CODE_USAGE, "unknown finding '%.*s'", (int)length, name);
	size_t word = 0;
	while (word < length && name[word] != '=' && name[word] != '.')
		word++;
	for (size_t i = 0; word < length && name[word] == '=' && i < FINDING_ID_COUNT; i++)
		if (strlen(finding_rows[i].name) == word && memcmp(finding_rows[i].name, name, word) == 0)
			return error_hint(err, "a place follows a colon: %s:%.*s", finding_rows[i].name,
			                  (int)(length - word - 1), name + word + 1);
	if (word < length && name[word] == '.')
		return error_hint(err, "the finding comes before the place: missing-key:%.*s", (int)length, name);
	return nearest_result(&near) ? error_ask(err, "%s", nearest_result(&near))
	                             : error_hint(err, "'credhook explain findings' lists them");
}
