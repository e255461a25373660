#include "probe/raw_request.h"

#include "base/clock.h"
#include "base/url.h"
#include "deliver/job.h"
#include "http/head.h"
#include "http/raw.h"
#include "http/secrets.h"
#include "probe/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECES       5
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
	for (const char *c = buffer_text(&lines); *c; c++)
		buffer_append(out, *c == '\n' ? end : c, *c == '\n' ? strlen(end) : 1);
	free(headers);
	return 0;
}

/* Appends a request, whose framing is as the check's name says. */
static int append_request(const struct probe_row *row, const struct deliver_options *http, const struct job *job,
                          struct buffer *out, struct error *err)
{
	const char *name = row->name, *method = row->argument ? row->argument : "POST";
	const char *end = strcmp(name, "bare-lf") == 0 ? "\n" : "\r\n", *body = buffer_text(&job->body);
	size_t length = job->body.length, more = strcmp(name, "short") == 0 ? 5 : 0;
	bool chunked = strcmp(name, "length-and-chunked") == 0;
	if (append_head(http, job, method, strcmp(name, "1.0") != 0, end, out, err) < 0)
		return -1;
	if (strcmp(method, "HEAD") != 0)
		buffer_printf(out, "Content-Length: %zu%s", length + more, end);
	if (strcmp(name, "two-lengths") == 0)
		buffer_printf(out, "Content-Length: %zu%s", length + 1, end);
	else if (chunked)
		buffer_printf(out, "Transfer-Encoding: chunked%s", end);
	else if (strcmp(name, "space-before-colon") == 0)
		buffer_printf(out, "X-Test : 1%s", end);
	else if (strcmp(name, "folded") == 0)
		buffer_printf(out, "X-Test: 1%s 2%s", end, end);
	buffer_append_text(out, end);
	if (chunked)
		buffer_printf(out, "%zx\r\n%.*s\r\n0\r\n\r\n", length, (int)length, body);
	else
		buffer_append(out, body, length);
	return out->failed ? error_no_memory(err) : 0;
}

int probe_script(const struct probe_check *check, const struct deliver_options *http, struct job *const *jobs,
                 struct raw_script *script, struct error *err)
{
	const struct probe_row *row = check->row;
	const char *name = row->name;
	size_t pieces = strcmp(name, "pieces") == 0 ? PIECES : 1;
	bool at_once = strcmp(name, "pipelined") == 0;
	script->end_writing = strcmp(name, "short") == 0 || strcmp(name, "half-close") == 0;
	script->without_body = row->argument && strcmp(row->argument, "HEAD") == 0;
	script->responses = row->requests;
	for (unsigned i = 0; i == 0 || i < row->requests; i++) {
		size_t before = script->text.length;
		if (append_request(row, http, jobs[i], &script->text, err) < 0)
			return -1;
		if (strcmp(row->group, "slow") == 0) {
			/* The first bytes of the head, or all of it at once and then bytes of the body. */
			size_t head = strcmp(name, "body") == 0 ? script->text.length - jobs[i]->body.length : 1;
			script->max_time_ns = SLOW_MOST_NS;
			for (size_t b = 0; b < SLOW_BYTES && head + b < script->text.length; b++)
				script->steps[script->step_count++] =
				        (struct raw_step){ head + b, b > 0 ? SLOW_PAUSE : 0, 0 };
			continue;
		}
		for (size_t p = 1; p <= pieces && !(at_once && i == 0); p++)
			script->steps[script->step_count++] =
			        (struct raw_step){ before + (script->text.length - before) * p / pieces,
				                   p > 1 ? PIECE_PAUSE : 0, at_once ? 0 : i };
	}
	return 0;
}
