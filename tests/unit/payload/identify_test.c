/* Which event a payload is, and where that leaves a doubt. */
#include "payload/identify.h"
#include "payload/support.h"
#include "test.h"

struct seen {
	struct json_doc doc;
	struct identity identity;
};

static void look(struct seen *seen, const char *text)
{
	struct json_fault fault;
	seen->doc = JSON_DOC_INIT;
	if (!json_read(&seen->doc, text, strlen(text), &fault))
		fail_msg("%s: %s", text, fault.reason);
	identify(&seen->doc, &seen->identity);
}

TEST(every_kind_is_known_by_its_envelope)
{
	RELEASED(buffer) payload = BUFFER_INIT;
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		struct seen seen;
		support_build(kind, &payload);
		look(&seen, buffer_text(&payload));
		assert_true(seen.identity.exact && seen.identity.clear && seen.identity.decided);
		assert_false(seen.identity.unknown || seen.identity.repeated);
		assert_ptr_equal(seen.identity.kind.event, kind.event);
		assert_ptr_equal(seen.identity.kind.element, kind.element);
		assert_int_equal(seen.identity.differs, 0);
		json_doc_release(&seen.doc);
	}
}

#define DIFFERS(key) (1u << (key))

TEST(one_wrong_value_leaves_the_nearest_event)
{
	static const struct {
		const char *event, *from, *to, *nearest;
		unsigned differs;
		bool clear;
	} cases[] = {
		{ "user-created", "\"201\"", "\"200\"", "user-created", DIFFERS(ENVELOPE_EVENT), true },
		{ "user-created", "\"post\"", "\"POST\"", "user-created", DIFFERS(ENVELOPE_METHOD), true },
		{ "user-created", "\"user\"", "\"users\"", "user-created", DIFFERS(ENVELOPE_SERVICE), true },
		{ "user-created", "/api/user/v2", "/user/v2", "user-created", DIFFERS(ENVELOPE_PATH), true },
		{ "custom-authentication-succeeded", "\"200\"", "\"401\"", "custom-authentication-succeeded",
		  DIFFERS(ENVELOPE_EVENT), true },
		/* The details decide between events that are as near by the envelope. */
		{ "credit-report-ordered", "\"post\"", "\"patch\"", "credit-report-ordered", DIFFERS(ENVELOPE_METHOD),
		  true },
		{ "authentication-succeeded", "\"200\"", "\"500\"", "authentication-succeeded", DIFFERS(ENVELOPE_EVENT),
		  true },
		{ "bureau-alert", "\"alerts\"", "\"alert\"", "bureau-alert", DIFFERS(ENVELOPE_SERVICE), true },
		{ "monitored-element-removed", "idp/monitor", "idp/email", "monitored-element-removed",
		  DIFFERS(ENVELOPE_PATH), true },
		/* A numeric status counts by its digits. */
		{ "user-created", "\"201\"", "201", "user-created", 0, true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		RELEASED(buffer) payload = BUFFER_INIT;
		struct seen seen;
		support_build(support_kind(cases[i].event), &payload);
		support_replace(&payload, cases[i].from, cases[i].to);
		look(&seen, buffer_text(&payload));
		if (strcmp(seen.identity.kind.event->name, cases[i].nearest) != 0 ||
		    seen.identity.differs != cases[i].differs || seen.identity.clear != cases[i].clear)
			fail_msg("%s with %s: %s, differs %x, clear %d", cases[i].event, cases[i].to,
			         seen.identity.kind.event->name, seen.identity.differs, seen.identity.clear);
		json_doc_release(&seen.doc);
	}
}

TEST(two_wrong_values_are_too_many_to_judge_the_details)
{
	struct seen seen;
	look(&seen, "{\"service\":\"x\",\"event\":\"201\",\"method\":\"y\",\"path\":\"/api/user/v2\",\"details\":{}}");
	assert_false(seen.identity.clear);
	assert_false(seen.identity.decided);
	assert_int_equal(seen.identity.differs, DIFFERS(ENVELOPE_SERVICE) | DIFFERS(ENVELOPE_METHOD));
	json_doc_release(&seen.doc);
}

TEST(keys_are_told_with_escapes_resolved)
{
	struct seen seen;
	look(&seen, "{\"\\u0073ervice\":\"user\",\"servic\\u0065\":\"user\",\"servicE\":1,\"serviceservice\":2}");
	assert_true(seen.identity.repeated);
	assert_true(seen.identity.unknown);
	assert_int_equal(seen.identity.values[ENVELOPE_SERVICE], 4);
	json_doc_release(&seen.doc);
}

TEST(what_is_no_object_is_no_event)
{
	static const char *const texts[] = { "[]", "\"user\"", "null", "[{\"service\":\"user\"}]" };
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct seen seen;
		look(&seen, texts[i]);
		assert_null(seen.identity.kind.event);
		assert_false(seen.identity.decided);
		json_doc_release(&seen.doc);
	}
}
