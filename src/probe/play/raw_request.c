#include "probe/play/raw_request.h"

#include "base/clock.h"
#include "base/url.h"
#include "deliver/job.h"
#include "http/head.h"
#include "http/raw.h"
#include "http/secrets.h"
#include "probe/play/probe_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_PAUSE  (200 * CLOCK_NS_PER_MS)
#define SLOW_BYTES   60
#define SLOW_PAUSE   CLOCK_NS_PER_S
#define SLOW_MOST_NS (62 * CLOCK_NS_PER_S)

/* %XX is a byte; base/url.h lets no other '%' through. */
static void append_decoded(struct buffer *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned byte = 0;
		if (text[i] == '%' && i + 2 < length && sscanf(text + i + 1, "%2x", &byte) == 1)
			i += 2;
		else
			byte = (unsigned char)text[i];
		buffer_append_byte(out, (char)byte);
	}
}

/* Appends lines, each with this end. */
static void append_lines(struct buffer *out, const char *lines, const char *end)
{
	for (const char *c = lines; *c; c++)
		buffer_append(out, *c == '\n' ? end : c, *c == '\n' ? strlen(end) : 1);
}

/* Appends the head but for the lines that frame the body, and the empty line. */
static int append_head(const struct deliver_options *http, const struct job *job, const char *method, int minor,
                       const char *end, struct buffer *out, struct error *err)
{
	struct header *headers;
	struct message head;
	struct url url;
	LOCAL_BUFFER lines = BUFFER_FOR(out), target = BUFFER_FOR(out), user = BUFFER_FOR(out);
	if (url_parse(http->url, &url) != NULL)
		return error_set(err, EXIT_CODE_INTERNAL, "'%s' is not a URL", http->url);
	if (deliver_request(http, &job->exchange.request, &headers, &head) < 0)
		return error_no_memory(err);
	for (size_t i = 0; i < head.header_count; i++)
		if (header_is(&headers[i], "Transfer-Encoding"))
			headers[i].value.text = NULL;
	buffer_printf(&target, "%s%.*s HTTP/1.%d", url.rest[0] == '/' ? "" : "/", (int)strcspn(url.rest, "#"), url.rest,
	              minor);
	head.method = text_of(method);
	head.target = (struct text){ buffer_text(&target), target.length };
	message_append_head(&head, false, &lines);
	const struct text *host = message_header(&head, "Host");
	if (!host || !host->text) {
		buffer_append_text(&lines, "Host: ");
		host_append(&lines, &url.host);
		if (url.port > 0)
			buffer_printf(&lines, ":%u", url.port);
		buffer_append_byte(&lines, '\n');
	}
	if (url.user) {
		append_decoded(&user, url.user, url.user_length);
		buffer_append_text(&lines, "Authorization: Basic ");
		buffer_append_base64(&lines, buffer_text(&user), user.length);
		buffer_append_byte(&lines, '\n');
	}
	append_lines(out, buffer_text(&lines), end);
	free(headers);
	return 0;
}

static int append_request(const struct probe_framing *f, const struct deliver_options *http, const struct job *job,
                          struct buffer *out, struct error *err)
{
	const struct message *request = &job->exchange.request;
	const char *end = f->bare_lf ? "\n" : "\r\n", *method = request->method.text ? request->method.text : "POST";
	size_t length = job->body.length;
	if (append_head(http, job, method, f->http_1_0 ? 0 : 1, end, out, err) < 0)
		return -1;
	if (!message_method_is(request, "HEAD"))
		buffer_printf(out, "Content-Length: %zu%s", length + f->excess, end);
	if (f->second_length)
		buffer_printf(out, "Content-Length: %zu%s", length + 1, end);
	if (f->chunked)
		buffer_printf(out, "Transfer-Encoding: chunked%s", end);
	append_lines(out, f->lines ? f->lines : "", end);
	buffer_append_text(out, end);
	if (f->chunked)
		buffer_printf(out, "%zx\r\n%s\r\n0\r\n\r\n", length, buffer_text(&job->body));
	else
		buffer_append(out, buffer_text(&job->body), length);
	return out->failed ? error_no_memory(err) : 0;
}

/* Adds a step for each of the bytes from `first` on, a second apart. */
static void add_drip(struct raw_script *script, size_t first)
{
	script->max_time_ns = SLOW_MOST_NS;
	for (size_t b = 0; b < SLOW_BYTES && first + b < script->text.length; b++)
		script->steps[script->step_count++] = (struct raw_step){ first + b, b > 0 ? SLOW_PAUSE : 0, 0 };
}

int probe_script(const struct probe_row *row, const struct deliver_options *http, struct job *const *jobs,
                 struct raw_script *script, struct error *err)
{
	const struct probe_framing *f = row->framing;
	unsigned requests = row->requests > 0 ? row->requests : 1, pieces = f->pieces > 0 ? f->pieces : 1;
	script->end_writing = f->end_writing;
	script->without_body = message_method_is(&jobs[0]->exchange.request, "HEAD");
	script->responses = row->requests;
	for (unsigned i = 0; i < requests; i++) {
		size_t before = script->text.length;
		if (append_request(f, http, jobs[i], &script->text, err) < 0)
			return -1;
		size_t size = script->text.length - before;
		if (f->drip != PROBE_DRIP_NONE)
			add_drip(script, f->drip == PROBE_DRIP_BODY ? script->text.length - jobs[i]->body.length : 1);
		else if (!f->pipelined || i + 1 == requests)
			for (size_t p = 1; p <= pieces; p++)
				script->steps[script->step_count++] =
				        (struct raw_step){ before + size * p / pieces, p > 1 ? PIECE_PAUSE : 0,
					                   f->pipelined ? 0 : i };
	}
	return 0;
}
