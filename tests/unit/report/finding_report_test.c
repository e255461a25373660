/* What is told of findings stays within bounds, however long the payload's keys are and however many the findings. */
#include "payload/check.h"
#include "report/finding_report.h"
#include "report/report_format.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
        "{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":\"/api/user/v2\",\"details\":{";

/* A key of `length` letters whose object holds the same key `times` times: times - 1 findings, and the missing keys. */
static void make_payload(struct buffer *out, size_t length, size_t times)
{
	buffer_append_text(out, head);
	buffer_append_byte(out, '"');
	buffer_append_repeat(out, 'k', length);
	buffer_append_text(out, "\":{");
	for (size_t i = 0; i < times; i++)
		buffer_append_text(out, i == 0 ? "\"z\":1" : ",\"z\":1");
	buffer_append_text(out, "}}}");
}

static size_t count(const struct buffer *text, const char *what)
{
	size_t found = 0;
	for (const char *at = buffer_text(text); (at = strstr(at, what)); at++)
		found++;
	return found;
}

TEST(a_long_key_is_not_repeated_for_every_finding)
{
	struct error err;
	struct buffer payload = BUFFER_INIT, unlisted = BUFFER_INIT, texts[4] = { BUFFER_INIT };
	struct checker *checker = checker_new(&err);
	make_payload(&payload, 100000, 1200);
	const struct verdict *v = check_payload(checker, payload.data, payload.length, NULL, &err);
	struct payload_origin origin = { "x.json", 1, payload.data, payload.length, NULL, NULL, 1 };
	assert_true(v->unlisted > 0);
	struct report_payload c = { v, &origin, true, false, 0 };
	finding_report_json(v, &origin, &texts[0]);
	finding_report_text(v, &origin, false, false, 80, &texts[1]);
	report_junit.payload(&c, &texts[2]);
	report_sarif.payload(&c, &texts[3]);
	size_t all = 0;
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		all += v->counts[i];
	for (size_t i = 0; i < 4; i++)
		assert_in_range(texts[i].length, 1000, 4 * FINDING_TEXT_MAX);
	/* What is not listed is counted. */
	size_t listed = count(&texts[0], "\"pointer\":");
	assert_in_range(listed, 100, CHECK_FINDINGS_MAX - 1);
	buffer_printf(&unlisted, "\"unlisted\":%zu}\n", all - listed);
	assert_non_null(strstr(buffer_text(&texts[0]), buffer_text(&unlisted)));
	/* A pointer that was cut says so. */
	assert_non_null(strstr(buffer_text(&texts[0]), "kkk...\""));
	for (size_t i = 0; i < 4; i++)
		buffer_release(&texts[i]);
	buffer_release(&unlisted);
	buffer_release(&payload);
	checker_free(checker);
}
