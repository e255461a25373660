#include "http/error_line.h"

#include <stdbool.h>
#include <string.h>

#define TRACEBACK "Traceback "

struct text {
	const char *at;
	const char *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct text trim(struct text t)
{
	while (t.at < t.end && is_blank(*t.at))
		t.at++;
	while (t.at < t.end && is_blank(t.end[-1]))
		t.end--;
	return t;
}

static struct text first_line(struct text t)
{
	const char *newline = memchr(t.at, '\n', (size_t)(t.end - t.at));
	return trim((struct text){ t.at, newline ? newline : t.end });
}

static struct text last_line(struct text t)
{
	const char *begin = t.end;
	while (begin > t.at && begin[-1] != '\n')
		begin--;
	return trim((struct text){ begin, t.end });
}

static struct text first_outside_tags(struct text t)
{
	while (t.at < t.end && *t.at == '<') {
		const char *close = memchr(t.at, '>', (size_t)(t.end - t.at));
		t = trim((struct text){ close ? close + 1 : t.end, t.end });
	}
	const char *tag = memchr(t.at, '<', (size_t)(t.end - t.at));
	return first_line((struct text){ t.at, tag ? tag : t.end });
}

void error_line_append(struct buffer *out, const char *body, size_t length)
{
	struct text t = trim((struct text){ body, body + length });
	size_t begin = out->length;
	bool blank = false;
	if (t.at == t.end)
		return;
	if (*t.at == '<')
		t = first_outside_tags(t);
	else if ((size_t)(t.end - t.at) > strlen(TRACEBACK) && memcmp(t.at, TRACEBACK, strlen(TRACEBACK)) == 0)
		t = last_line(t);
	else if (*t.at != '{' && *t.at != '[')
		t = first_line(t);
	for (; t.at < t.end && out->length - begin < ERROR_LINE_MAX; t.at++) {
		if (blank && !is_blank(*t.at))
			buffer_append_byte(out, ' ');
		blank = is_blank(*t.at);
		if (!blank)
			buffer_append_byte(out, *t.at);
	}
}
