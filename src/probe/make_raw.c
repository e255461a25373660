/* Requests that libcurl does not send, as bytes. */
#include "base/clock.h"
#include "capture/base64.h"
#include "deliver/job.h"
#include "http/raw.h"
#include "probe/make.h"
#include "probe/plan.h"

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

/* The parts of a URL: authority without the user, user (NULL: none), path and query. */
struct url_parts {
	const char *user, *host, *target;
	size_t user_length, host_length, target_length;
};

static struct url_parts parts_of(const char *url)
{
	struct url_parts p = { .user = NULL };
	p.host = strstr(url, "://") + 3;
	size_t authority = strcspn(p.host, "/?#");
	p.target = p.host + authority;
	p.target_length = strcspn(p.target, "#");
	const char *at = memrchr(p.host, '@', authority);
	if (at) {
		p.user = p.host;
		p.user_length = (size_t)(at - p.host);
		p.host = at + 1;
	}
	p.host_length = (size_t)(p.target - p.host);
	return p;
}

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

/* All but the line that frames the body, and the empty line. */
static int append_head(const struct deliver_options *http, const struct job *job, const char *method, int minor,
                       const char *end, struct buffer *out, struct error *err)
{
	struct request r = { out, end, false };
	struct url_parts url = parts_of(http->url);
	struct buffer user = BUFFER_INIT, basic = BUFFER_INIT;
	bool has_path = url.target_length > 0 && url.target[0] == '/';
	buffer_printf(out, "%s %s%.*s HTTP/1.%d%s", method, has_path ? "" : "/", (int)url.target_length, url.target,
	              minor, end);
	if (deliver_each_header(http, &job->delivery, take_header, &r) < 0)
		return error_no_memory(err);
	if (!r.has_host)
		buffer_printf(out, "Host: %.*s%s", (int)url.host_length, url.host, end);
	if (url.user) {
		append_decoded(&user, url.user, url.user_length);
		base64_append(&basic, buffer_text(&user), user.length);
		buffer_printf(out, "Authorization: Basic %s%s", buffer_text(&basic), end);
	}
	buffer_release(&user);
	buffer_release(&basic);
	return out->failed ? error_no_memory(err) : 0;
}

/* A whole request, whose Content-Length is `more` too large. */
static int append_request(const struct deliver_options *http, const struct job *job, const char *method, int minor,
                          size_t more, struct raw_script *script, struct error *err)
{
	struct buffer *out = &script->text;
	if (append_head(http, job, method, minor, "\r\n", out, err) < 0)
		return -1;
	buffer_printf(out, "Content-Length: %zu\r\n\r\n", job->body.length + more);
	buffer_append(out, buffer_text(&job->body), job->body.length);
	return out->failed ? error_no_memory(err) : 0;
}

/* By the check's name: one request, in pieces, of an older version, or with the end of writing behind it. */
int script_request(const struct probe_check *check, const struct deliver_options *http, const struct job *const *jobs,
                   struct raw_script *script, struct error *err)
{
	const char *name = check->row->name;
	bool is_short = strcmp(name, "short") == 0, in_pieces = strcmp(name, "pieces") == 0;
	size_t pieces = in_pieces ? PIECES : 1;
	script->end_writing = is_short || strcmp(name, "half-close") == 0;
	if (append_request(http, jobs[0], "POST", strcmp(name, "1.0") != 0, is_short ? 5 : 0, script, err) < 0)
		return -1;
	for (size_t i = 1; i <= pieces; i++)
		script->steps[script->step_count++] =
		        (struct raw_step){ script->text.length * i / pieces, i > 1 ? PIECE_PAUSE : 0, 0 };
	return 0;
}

/* By the check's name: two requests on one connection, the second behind the first response or at once. */
int script_two(const struct probe_check *check, const struct deliver_options *http, const struct job *const *jobs,
               struct raw_script *script, struct error *err)
{
	bool at_once = strcmp(check->row->name, "pipelined") == 0;
	script->responses = 2;
	for (unsigned i = 0; i < 2; i++) {
		if (append_request(http, jobs[i], "POST", 1, 0, script, err) < 0)
			return -1;
		if (!at_once || i == 1)
			raw_script_step(script, 0, at_once ? 0 : i);
	}
	return 0;
}

int script_head(const struct probe_check *check, const struct deliver_options *http, const struct job *const *jobs,
                struct raw_script *script, struct error *err)
{
	(void)check;
	script->without_body = true;
	if (append_head(http, jobs[0], "HEAD", 1, "\r\n", &script->text, err) < 0)
		return -1;
	buffer_append_text(&script->text, "\r\n");
	raw_script_step(script, 0, 0);
	return 0;
}

/* By the check's name: what frames the body in place of Content-Length, or goes beside it. */
int script_frame(const struct probe_check *check, const struct deliver_options *http, const struct job *const *jobs,
                 struct raw_script *script, struct error *err)
{
	struct buffer *out = &script->text;
	const char *name = check->row->name, *body = buffer_text(&jobs[0]->body);
	size_t length = jobs[0]->body.length;
	const char *end = strcmp(name, "bare-lf") == 0 ? "\n" : "\r\n";
	bool chunked = strcmp(name, "length-and-chunked") == 0;
	if (append_head(http, jobs[0], "POST", 1, end, out, err) < 0)
		return -1;
	buffer_printf(out, "Content-Length: %zu%s", length, end);
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
	raw_script_step(script, 0, 0);
	return out->failed ? error_no_memory(err) : 0;
}

/* Of the head the first bytes, or all of it at once and then of the body. */
int script_slow(const struct probe_check *check, const struct deliver_options *http, const struct job *const *jobs,
                struct raw_script *script, struct error *err)
{
	if (append_request(http, jobs[0], "POST", 1, 0, script, err) < 0)
		return -1;
	size_t head = strcmp(check->row->name, "body") == 0 ? script->text.length - jobs[0]->body.length : 1;
	script->max_time_ns = SLOW_MOST_NS;
	for (size_t i = 0; i < SLOW_BYTES && head + i < script->text.length; i++)
		script->steps[script->step_count++] = (struct raw_step){ head + i, i > 0 ? SLOW_PAUSE : 0, 0 };
	return 0;
}
