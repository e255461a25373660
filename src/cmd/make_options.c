/* The options of build and send that say what to make. */
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cmd/make.h"

#include <string.h>

#define MOST_PAYLOADS UINT64_C(1000000000)

static int parse_seed(void *field, const char *value, struct error *err)
{
	struct seed *seed = field;
	seed->given = true;
	if (count_read(value, UINT64_MAX, &seed->value))
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "--seed takes a whole number, not '%s'", value);
}

/* What goes into a payload, which is UTF-8. */
static int require_utf8(const char *option, const char *value, struct error *err)
{
	size_t length = strlen(value), invalid = utf8_first_invalid(value, length);
	if (invalid == length)
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "--%s '%s' is not UTF-8: see its byte %zu", option, value, invalid + 1);
}

static int parse_set(void *field, const char *value, struct error *err)
{
	return require_utf8("set", value, err) < 0 ? -1 : edits_add_set(field, value, err);
}

static int parse_unset(void *field, const char *value, struct error *err)
{
	return require_utf8("unset", value, err) < 0 ? -1 : edits_add_unset(field, value, err);
}

static int parse_merge(void *field, const char *value, struct error *err)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	int result = file_read_whole(value, &text, NULL, err);
	if (result == 0)
		result = edits_add_merge(field, strcmp(value, "-") == 0 ? "standard input" : value, buffer_text(&text),
		                         text.length, err);
	return result;
}

static int parse_break(void *field, const char *value, struct error *err)
{
	struct breakage *broken = field;
	if (broken->source) {
		error_set(err, EXIT_CODE_USAGE, "--break can be given only once: a payload has one defect");
		return error_hint(err, "make the other defect in another run");
	}
	return require_utf8("break", value, err) < 0 ? -1 : breakage_parse(broken, value, err);
}

#define MAKE(field) offsetof(struct make_options, field)
static const struct option make_rows[] = {
	{ 0, "break", "FINDING[:PATH|:all]", "make one defect, at PATH; :all makes it at each place", OPTION_CALL,
	  COMPLETE_FINDINGS, .offset = MAKE(broken), .parse = parse_break, .release = breakage_release,
	  .also = "invalid corrupt mutate" },
	{ 0, "variants", NULL, "make each payload with other valid values and spellings", OPTION_FLAG,
	  .offset = MAKE(variants), .excludes = "break" },
	{ 0, "seed", "N", "reproducible payloads (default: random)", OPTION_CALL, COMPLETE_NOTHING,
	  .offset = MAKE(seed), .parse = parse_seed, .also = "random" },
	{ 0, "count", "N", "payloads per event", OPTION_NUMBER, .offset = MAKE(count), .least = 1,
	  .most = MOST_PAYLOADS, .initial = "1", .also = "times repeat loop -n" },
};
const struct option_group make_option_group = OPTION_GROUP("Payload", make_rows, 0);

static const struct option set_rows[] = {
	{ 0, "set", "PATH=TEXT", "set a field; PATH:=JSON sets any JSON anywhere", OPTION_CALL, COMPLETE_ASSIGNMENT,
	  .alters = true, .parse = parse_set, .release = edits_release, .also = "-d data field" },
};
const struct option_group make_set_option_group = OPTION_GROUP("Payload", set_rows, 0);

static const struct option edit_rows[] = {
	{ 0, "unset", "PATH", "remove a key", OPTION_CALL, COMPLETE_FIELD, .parse = parse_unset },
	{ 0, "merge", "FILE", "apply a JSON Merge Patch (RFC 7396); - is standard input", OPTION_CALL, COMPLETE_FILE,
	  .parse = parse_merge },
};
const struct option_group make_edit_option_group = OPTION_GROUP("Payload", edit_rows, 0);
