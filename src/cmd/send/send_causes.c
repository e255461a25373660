#include "base/clock.h"
#include "cmd/send/send.h"

#include <string.h>

static const struct cause_style style = { .is_sent = true };

void send_causes_release(struct send_causes *c)
{
	list_causes_free(c->list);
	c->list = NULL;
}

void send_causes_add(struct send_causes *c, struct context *context, const struct job *job, bool went_well)
{
	const struct exchange *x = &job->exchange;
	bool is_answered = x->outcome == DELIVER_RESPONDED, is_2xx = x->status / 100 == 2;
	struct error unused;
	struct capture_record record = {
		.received_us = clock_realtime_us(),
		.request = { .method = text_of("POST"),
		             .target = text_of("/"),
		             .headers = x->request.headers,
		             .header_count = x->request.header_count,
		             .body = { buffer_text(&job->body), job->body.length } },
		.event = { job->name, strcspn(job->name, " ") },
		/* Where another status than 2xx is expected, that says nothing of the content. */
		.status = is_answered && is_2xx == went_well ? x->status : 0,
		.response_text = capture_response_cut(x->response.body),
	};
	c->number++;
	if (!c->list && c->number == 1)
		c->list = list_causes_new(context, NULL, NULL, true, &unused);
	if (c->list && list_causes_see(c->list, &record, c->number, true, &unused) < 0)
		send_causes_release(c);
}

void send_causes_find(struct send_causes *c)
{
	struct error unused = { .code = EXIT_CODE_OK };
	if (c->list && list_causes_find(c->list, &unused) < 0)
		send_causes_release(c);
}

static const struct day_cause *found(const struct send_causes *c, size_t *count)
{
	*count = 0;
	return c->list ? list_causes_found(c->list, count) : NULL;
}

void send_causes_append(const struct send_causes *c, uint64_t number, uint64_t count, struct buffer *out)
{
	size_t cause_count;
	const struct day_cause *causes = found(c, &cause_count);
	for (size_t i = 0; i < cause_count; i++) {
		const struct day_cause *cause = &causes[i];
		if (cause->first_alike != number ||
		    (cause->type == DAY_UNKNOWN && cause->accepted < DAY_ACCEPTED_LEAST))
			continue;
		if (cause->failed != count)
			buffer_printf(out, "%s of %s: ", COUNT_TEXT(cause->failed),
			              cause->failed < count ? "them" : "its kind");
		why_words_append_line(cause, &style, out);
		buffer_append_byte(out, '\n');
	}
}

void send_causes_append_json(const struct send_causes *c, struct buffer *out)
{
	size_t count;
	const struct day_cause *causes = found(c, &count);
	for (size_t i = 0; i < count; i++)
		why_words_append_json(&causes[i], &style, out);
}
