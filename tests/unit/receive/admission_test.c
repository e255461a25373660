/* Which requests are notifications, and as what the others are refused. */
#include "receive/response.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *method;
	const char *target;
	const char *path; /* of the policy; NULL: every path */
	int status;       /* 0: it passes */
} heads[] = {
	{ "POST", "/", NULL, 0 },
	{ "POST", "/hook?x=1", NULL, 0 },
	{ "GET", "/", NULL, 0 },
	{ "HEAD", "*", NULL, 0 },
	{ "PUT", "/", NULL, 405 },
	{ "post", "/", NULL, 405 },
	{ "POST", "/hook", "/hook", 0 },
	{ "POST", "/hook?/other", "/hook", 0 },
	{ "POST", "/hook/", "/hook", 404 },
	{ "POST", "/hoo", "/hook", 404 },
	{ "POST", "/other?/hook", "/hook", 404 },
	{ "PUT", "/other", "/hook", 404 },
	{ "PUT", "/hook", "/hook", 405 },
	{ "POST", "http://h/hook", "/hook", 0 },
	{ "POST", "http://h:1/hook?x=://y", "/hook", 0 },
	{ "POST", "http://h", "/", 0 },
	{ "POST", "http://h?x", "/", 0 },
	{ "POST", "http://h", "/hook", 404 },
	{ "POST", "/x://y/hook", "/hook", 404 },
};

TEST(a_head_passes_or_is_refused_with_its_status)
{
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
		struct message request = { .method = text_of(heads[i].method), .target = text_of(heads[i].target) };
		struct http_refusal refusal = { .status = 0 };
		if (admission_of_head(heads[i].path, &request, &refusal) != (heads[i].status == 0) ||
		    refusal.status != heads[i].status)
			fail_msg("%s %s: %d", heads[i].method, heads[i].target, refusal.status);
		assert_int_equal(refusal.field_count, heads[i].status == 405 ? 1 : 0);
	}
}
