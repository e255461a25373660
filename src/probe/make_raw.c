/* Requests that libcurl does not send, as bytes. */
#include "base/clock.h"
#include "base/url.h"
#include "deliver/job.h"
#include "http/raw.h"
#include "probe/make.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define PIECES       5
#define PIECE_PAUSE  (200 * CLOCK_NS_PER_MS)
#define SLOW_BYTES   60
#define SLOW_PAUSE   CLOCK_NS_PER_S
#define SLOW_MOST_NS (62 * CLOCK_NS_PER_S)

/* A request in the making. */
struct request {
	struct buffer *out;
	const char *end; /* of lines */
	bool has_host;
};

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

/* A header line as curl's -H takes it: "Name:" holds back, "Name;" is empty. */
static void take_header(void *context, size_t index, const char *line)
{
	struct request *r = context;
	size_t name = strcspn(line, ":;");
	(void)index;
	bool is_empty = line[name] == ';', is_framing = strncasecmp(line, "Transfer-Encoding:", 18) == 0;
	if (is_framing || (!is_empty && line[name + 1 + strspn(line + name + 1, " ")] == '\0'))
		return;
	r->has_host |= strncasecmp(line, "Host:", 5) == 0;
	buffer_printf(r->out, "%.*s:%s%s", (int)name, line, is_empty ? "" : line + name + 1, r->end);
}

/* All but the lines that frame the body, and the empty line. */
static int append_head(const struct deliver_options *http, const struct job *job, const char *method, int minor,
                       const char *end, struct buffer *out, struct error *err)
{
	struct request r = { out, end, false };
	struct url url;
	LOCAL_BUFFER user = BUFFER_INIT;
	if (url_parse(http->url, &url) != NULL)
		return error_set(err, EXIT_CODE_INTERNAL, "'%s' is not a URL", http->url);
	buffer_printf(out, "%s %s%.*s HTTP/1.%d%s", method, url.rest[0] == '/' ? "" : "/", (int)strcspn(url.rest, "#"),
	              url.rest, minor, end);
	if (deliver_each_header(http, &job->delivery, take_header, &r) < 0)
		return error_no_memory(err);
	if (!r.has_host) {
		buffer_append_text(out, "Host: ");
		host_append(out, &url.host);
		if (url.port > 0)
			buffer_printf(out, ":%u", url.port);
		buffer_append_text(out, end);
	}
	if (url.user) {
		append_decoded(&user, url.user, url.user_length);
		buffer_append_text(out, "Authorization: Basic ");
		buffer_append_base64(out, buffer_text(&user), user.length);
		buffer_append_text(out, end);
	}
	return 0;
}

/* One request, whose framing is as the check's name says. */
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

/* Of the head the first bytes, or all of it at once and then of the body. */
static void go_slowly(struct raw_script *script, size_t head)
{
	script->max_time_ns = SLOW_MOST_NS;
	for (size_t i = 0; i < SLOW_BYTES && head + i < script->text.length; i++)
		script->steps[script->step_count++] = (struct raw_step){ head + i, i > 0 ? SLOW_PAUSE : 0, 0 };
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
			go_slowly(script, strcmp(name, "body") == 0 ? script->text.length - jobs[i]->body.length : 1);
			continue;
		}
		for (size_t p = 1; p <= pieces && !(at_once && i == 0); p++)
			script->steps[script->step_count++] =
			        (struct raw_step){ before + (script->text.length - before) * p / pieces,
				                   p > 1 ? PIECE_PAUSE : 0, at_once ? 0 : i };
	}
	return 0;
}
