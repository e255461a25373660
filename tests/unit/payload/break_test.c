/* --break at every place of every event: the checker finds that defect there, and nothing else. */
#include "json/splice.h"
#include "payload/break.h"
#include "payload/support.h"
#include "test.h"

#include <stdio.h>

static bool is_cheap(enum finding_id id)
{
	return id != FINDING_TOO_LONG && id != FINDING_CONTENT_TYPE; /* 64 MiB each; no defect of a payload */
}

CHECKER_TEST(each_defect_is_found_where_it_was_made_and_no_other)
{
	RELEASED(buffer) payload = BUFFER_INIT, broken = BUFFER_INIT, seen = BUFFER_INIT, wanted = BUFFER_INIT;
	size_t tried = 0;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		struct catalog_kind kind = catalog_kind_at(k);
		support_build(kind, &payload);
		assert_true(support_check(*state, buffer_text(&payload))->valid);
		for (enum finding_id id = 0; id < FINDING_ID_COUNT; id++) {
			struct break_place places[BREAK_PLACES_MAX];
			size_t count = is_cheap(id) ? break_places(kind, id, places) : 0;
			assert_true(count < BREAK_PLACES_MAX); /* so that none was left away */
			for (size_t p = 0; p < count; p++, tried++) {
				struct error err;
				buffer_clear(&broken);
				assert_int_equal(
				        break_payload(id, &places[p], payload.data, payload.length, &broken, &err), 0);
				const struct verdict *verdict = support_check(*state, buffer_text(&broken));
				support_describe(verdict, &seen);
				buffer_clear(&wanted);
				buffer_printf(&wanted, "%s@%s", finding_rows[id].name, places[p].pointer);
				if (strcmp(buffer_text(&seen), buffer_text(&wanted)) != 0)
					fail_msg("%s: %s, found %s", kind.event->name, buffer_text(&wanted),
					         buffer_text(&seen));
				assert_int_equal(verdict->valid, finding_rows[id].severity == SEVERITY_WARNING);
			}
		}
	}
	assert_true(tried > 900);
}

static void assert_names_fit(const struct catalog_member *members, size_t count, size_t before)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = before + 1 + strlen(members[i].field->name);
		assert_true(length < BREAK_POINTER_SIZE);
		assert_names_fit(members[i].field->members, members[i].field->member_count, length);
	}
}

TEST(every_place_of_the_catalogue_fits)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		assert_names_fit(catalog_events[i].details, catalog_events[i].detail_count, strlen("/details"));
}

static const char *const odd_values[] = {
	"null",          "true",     "5",         "-0",      "1.5",      "1e3", "15.0", "\"\"", "\"x\"",
	"\"yes\"",       "\"abc\"",  "\"12\"",    "\"012\"", "\"true\"", "[]",  "{}",   "[1]",  "{\"a\":1}",
	"\"\\u0061bc\"", "\"a\\n\"", "\"a\\\\\"", "[[{}]]",
};

/* Sets the value at the pointer, as an edit before the breaking would. */
static void edit(const struct buffer *payload, const char *pointer, const char *value, struct buffer *out)
{
	RELEASED(json_doc) doc;
	struct json_fault fault;
	struct error err;
	doc = JSON_DOC_INIT;
	buffer_clear(out);
	assert_true(json_read(&doc, payload->data, payload->length, &fault));
	assert_int_equal(json_splice_set(&doc, pointer, value, strlen(value), out, &err), 0);
}

/* 1: broken as asked; 0: refused. Anything else is a failure. */
static int break_edited(struct checker *checker, enum finding_id id, const struct break_place *place,
                        const struct buffer *edited, bool stands)
{
	struct buffer broken = BUFFER_INIT, seen = BUFFER_INIT, wanted = BUFFER_INIT;
	struct error err;
	int result = break_payload(id, place, edited->data, edited->length, &broken, &err);
	if (result < 0 && (stands || err.code != EXIT_CODE_USAGE || !strstr(err.message, "an edit removed")))
		fail_msg("%s of %s: %s", finding_rows[id].name, edited->data, err.message);
	if (result == 0) {
		support_describe(support_check(checker, buffer_text(&broken)), &seen);
		buffer_printf(&wanted, "%s@%s", finding_rows[id].name, place->pointer);
		if (stands && !strstr(buffer_text(&seen), buffer_text(&wanted)))
			fail_msg("no %s in %s: %s", buffer_text(&wanted), buffer_text(&broken), buffer_text(&seen));
		if (id != FINDING_JSON_SYNTAX && strstr(buffer_text(&seen), "json-syntax"))
			fail_msg("%s of %s made %s", buffer_text(&wanted), edited->data, buffer_text(&broken));
	}
	buffer_release(&broken);
	buffer_release(&seen);
	buffer_release(&wanted);
	return result + 1;
}

/* Whatever an edit put at the place, or in the place of the object it stands in. */
CHECKER_TEST(what_was_edited_is_broken_or_refused)
{
	RELEASED(buffer) payload = BUFFER_INIT, edited = BUFFER_INIT;
	size_t broken = 0, refused = 0;
	for (size_t k = 0; k < catalog_kind_count(); k++) {
		struct catalog_kind kind = catalog_kind_at(k);
		if (kind.element && kind.element != kind.event->elements)
			continue;
		support_build(kind, &payload);
		for (enum finding_id id = 0; id < FINDING_ID_COUNT; id++) {
			struct break_place places[BREAK_PLACES_MAX];
			size_t count = is_cheap(id) ? break_places(kind, id, places) : 0;
			for (size_t p = 0; p < count; p++) {
				char parent[BREAK_POINTER_SIZE];
				const char *slash = strrchr(places[p].pointer, '/');
				snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - places[p].pointer) : 0,
				         places[p].pointer);
				for (size_t o = 0; o < sizeof odd_values / sizeof odd_values[0]; o++) {
					edit(&payload, places[p].pointer, odd_values[o], &edited);
					bool root = places[p].pointer[0] == '\0';
					broken += (size_t)break_edited(*state, id, &places[p], &edited, !root);
					edit(&payload, parent, odd_values[o], &edited);
					refused += break_edited(*state, id, &places[p], &edited, false) == 0;
				}
			}
		}
	}
	assert_true(broken > 5000 && refused > 5000);
}

CHECKER_TEST(a_payload_over_64_mib_is_too_long)
{
	RELEASED(buffer) payload = BUFFER_INIT, broken = BUFFER_INIT, seen = BUFFER_INIT;
	struct catalog_kind kind = support_kind("user-created");
	struct break_place place;
	RELEASED(breakage) breakage;
	struct error err;
	support_build(kind, &payload);
	assert_int_equal(breakage_parse(&breakage, "too-long", &err), 0);
	assert_true(break_find_place(&breakage, kind, 0, &place));
	assert_int_equal(break_payload(FINDING_TOO_LONG, &place, payload.data, payload.length, &broken, &err), 0);
	support_describe(support_check(*state, buffer_text(&broken)), &seen);
	assert_string_equal(buffer_text(&seen), "too-long@");
}

TEST(a_place_is_asked_for_by_path_or_is_the_first)
{
	static const struct {
		const char *text, *event, *pointer; /* pointer NULL: cannot occur there */
	} cases[] = {
		{ "missing-key", "user-created", "/service" },
		{ "missing-key:details.appKey", "user-created", "/details/appKey" },
		{ "missing-key:/details/address/zip", "user-created", "/details/address/zip" },
		{ "missing-key:details.bureau", "user-created", NULL },
		{ "bad-value", "bureau-alert", "/details/alertDetails/disputeStatus" },
		{ "bad-value", "user-created", NULL },
		{ "unexpected-path", "bureau-alert", "/path" },
		{ "unexpected-path", "user-created", NULL },
		{ "unknown-key:details.whatever", "user-created", "/details/whatever" },
		{ "unknown-key:details.appKey", "user-created", NULL },
		{ "unknown-key:details.scoreModifiers.x", "credit-score-simulated", NULL },
		{ "not-integer-literal", "user-token-generated", "/details/ttlInMinutes" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(breakage) breakage;
		struct break_place place;
		struct error err;
		assert_int_equal(breakage_parse(&breakage, cases[i].text, &err), 0);
		bool found = break_find_place(&breakage, support_kind(cases[i].event), 0, &place);
		if (found != (cases[i].pointer != NULL) || (found && strcmp(place.pointer, cases[i].pointer) != 0))
			fail_msg("%s of %s: %s", cases[i].text, cases[i].event, found ? place.pointer : "nowhere");
	}
}

TEST(what_is_no_breakage_is_a_usage_error)
{
	static const char *const cases[] = { "", "missing-keys", "content-type", "missing-key:", "missing-key:/a~2" };
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(breakage) breakage;
		struct error err;
		if (breakage_parse(&breakage, cases[i], &err) == 0)
			fail_msg("%s is accepted", cases[i]);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
	}
}
