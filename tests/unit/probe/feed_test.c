/* What a response to a question is for the search of causes. */
#include "probe/play/cause_feed.h"
#include "probe/run_unit.h"
#include "test.h"

#define VALID                                                                                                          \
	"{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":\"/api/user/v2\",\"details\":{"          \
	"\"appKey\":\"4a2f7e6c-1b3d-4c5e-8f9a-0b1c2d3e4f5a\",\"clientKey\":\"9b8c7d6e-5f4a-4b3c-9d2e-1f0a9b8c7d6e\","  \
	"\"firstName\":\"Ada\",\"lastName\":\"Vale\",\"address\":{\"street\":\"1 Elm St\",\"city\":\"Troy\","          \
	"\"state\":\"NY\",\"zip\":\"12180\"}}}"
#define INVALID "{\"service\":1}"
#define CLOSED  "the server closed the connection"

TEST(test_a_response_is_of_a_side_and_has_words)
{
	static const struct {
		const char *sent;
		enum deliver_outcome outcome;
		int status;
		uint64_t length; /* of what came of a body that was cut off */
		const char *text;
		enum cause_side side;
		int counted; /* status; one that was cut off has none */
		const char *words;
	} rows[] = {
		{ VALID, DELIVER_RESPONDED, 200, 0, "", CAUSE_ACCEPTED, 200, "" },
		{ VALID, DELIVER_RESPONDED, 299, 0, "fine", CAUSE_ACCEPTED, 299, "fine" },
		{ VALID, DELIVER_RESPONDED, 300, 0, "", CAUSE_FAILED, 300, "" },
		{ VALID, DELIVER_RESPONDED, 422, 0, "no bureau", CAUSE_FAILED, 422, "no bureau" },
		{ VALID, DELIVER_RESPONDED, 500, 0, "oops", CAUSE_FAILED, 500, "oops" },
		/* That is right, but no reason to fail as one that is broken does. */
		{ INVALID, DELIVER_RESPONDED, 400, 0, "bad", CAUSE_ASIDE, 400, "bad" },
		{ INVALID, DELIVER_RESPONDED, 499, 0, "bad", CAUSE_ASIDE, 499, "bad" },
		{ INVALID, DELIVER_RESPONDED, 500, 0, "bad", CAUSE_FAILED, 500, "bad" },
		{ INVALID, DELIVER_RESPONDED, 399, 0, "bad", CAUSE_FAILED, 399, "bad" },
		{ INVALID, DELIVER_RESPONDED, 204, 0, "", CAUSE_ACCEPTED, 204, "" },
		{ INVALID, DELIVER_UNKNOWN, 400, 0, CLOSED, CAUSE_FAILED, 0, CLOSED " after the head" },
		{ VALID, DELIVER_UNKNOWN, 0, 0, CLOSED, CAUSE_FAILED, 0, CLOSED },
		{ VALID, DELIVER_UNKNOWN, 200, 0, CLOSED, CAUSE_FAILED, 0, CLOSED " after the head" },
		{ VALID, DELIVER_UNKNOWN, 200, 1, CLOSED, CAUSE_FAILED, 0,
		  CLOSED " after the head and a part of the body" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct exchange x = response(rows[i].status, rows[i].status ? rows[i].text : "");
		struct cause_response found;
		struct error err;
		char words[FEED_WORDS_SIZE];
		x.outcome = rows[i].outcome;
		x.request.body = text_of(rows[i].sent);
		x.started_ns = 5;
		x.sent_ns = i % 2 ? 7 : 0; /* of one that was never sent, when it began */
		x.finished_ns = 9;
		if (x.outcome == DELIVER_UNKNOWN) {
			x.response.body.length = x.response_length = rows[i].length;
			snprintf(x.message, sizeof x.message, "%s", rows[i].text);
		}
		assert_int_equal(feed_response(&x, words, &found, &err), 0);
		if (found.side != rows[i].side || found.status != rows[i].counted || strcmp(words, rows[i].words) != 0)
			fail_msg("row %zu: side %d, status %d, '%s'", i, (int)found.side, found.status, words);
		assert_ptr_equal(found.words, words);
		assert_int_equal(found.sent_ns, i % 2 ? 7 : 5);
		assert_int_equal(found.finished_ns, 9);
		exchange_release(&x);
	}
}
