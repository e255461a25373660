#include "http/status.h"

#include "base/quoted.h"
#include "base/text.h"

#include <string.h>

#define LOWEST  100
#define HIGHEST 599

static const struct {
	int status;
	const char *phrase;
} phrases[] = {
	{ 200, "OK" },
	{ 201, "Created" },
	{ 202, "Accepted" },
	{ 203, "Non-Authoritative Information" },
	{ 204, "No Content" },
	{ 205, "Reset Content" },
	{ 206, "Partial Content" },
	{ 300, "Multiple Choices" },
	{ 301, "Moved Permanently" },
	{ 302, "Found" },
	{ 303, "See Other" },
	{ 304, "Not Modified" },
	{ 307, "Temporary Redirect" },
	{ 308, "Permanent Redirect" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 402, "Payment Required" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" },
	{ 407, "Proxy Authentication Required" },
	{ 408, "Request Timeout" },
	{ 409, "Conflict" },
	{ 410, "Gone" },
	{ 411, "Length Required" },
	{ 412, "Precondition Failed" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 416, "Range Not Satisfiable" },
	{ 417, "Expectation Failed" },
	{ 418, "I'm a teapot" },
	{ 421, "Misdirected Request" },
	{ 422, "Unprocessable Content" },
	{ 425, "Too Early" },
	{ 426, "Upgrade Required" },
	{ 428, "Precondition Required" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 451, "Unavailable For Legal Reasons" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 502, "Bad Gateway" },
	{ 503, "Service Unavailable" },
	{ 504, "Gateway Timeout" },
	{ 505, "HTTP Version Not Supported" },
	{ 507, "Insufficient Storage" },
	{ 511, "Network Authentication Required" },
};

const char *http_status_phrase(int status)
{
	for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
		if (phrases[i].status == status)
			return phrases[i].phrase;
	return "Unknown";
}

int http_status_read(const char *text, size_t length)
{
	if (length != 3)
		return 0;
	int status = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		status = status * 10 + (text[i] - '0');
	}
	return status >= 100 && status <= 599 ? status : 0;
}

static void add(struct status_set *set, int from, int to)
{
	for (int status = from; status <= to; status++)
		set->bits[(status - LOWEST) / 64] |= UINT64_C(1) << ((status - LOWEST) % 64);
}

static int parse_part(struct status_set *set, const char *text, const char *part, size_t length, struct error *err)
{
	if (length == 3 && part[0] >= '1' && part[0] <= '5' && (part[1] | 0x20) == 'x' && (part[2] | 0x20) == 'x') {
		int from = (part[0] - '0') * 100;
		add(set, from, from + 99);
		return 0;
	}
	size_t first = 0, sign = 0;
	while (first < length && (sign = range_sign_length(part + first, length - first)) == 0)
		first++;
	int from = http_status_read(part, first);
	int to = sign > 0 ? http_status_read(part + first + sign, length - first - sign) : from;
	if (from == 0 || to < from) {
		struct text shown = quoted_part(text, part, length);
		error_set(err, EXIT_CODE_USAGE, "'%.*s' is not an HTTP status", (int)shown.length, shown.text);
		return error_hint(err, "write statuses from 100 to 599, separated by commas or |: 204,2xx,500-503");
	}
	add(set, from, to);
	return 0;
}

int status_set_parse(struct status_set *set, const char *text, struct error *err)
{
	memset(set, 0, sizeof *set);
	for (const char *part = text;;) {
		size_t length = strcspn(part, ",|");
		if (parse_part(set, text, part, length, err) < 0)
			return -1;
		if (part[length] == '\0')
			return 0;
		part += length + 1;
	}
}

void status_set_only(struct status_set *set, int status)
{
	memset(set, 0, sizeof *set);
	if (status >= LOWEST && status <= HIGHEST)
		add(set, status, status);
}

void status_set_add_class(struct status_set *set, int hundreds)
{
	add(set, hundreds * 100, hundreds * 100 + 99);
}

bool status_set_contains(const struct status_set *set, int status)
{
	if (status < LOWEST || status > HIGHEST)
		return false;
	return (set->bits[(status - LOWEST) / 64] >> ((status - LOWEST) % 64) & 1) != 0;
}

bool status_set_meets(const struct status_set *a, const struct status_set *b)
{
	bool any = false;
	for (size_t i = 0; i < sizeof a->bits / sizeof a->bits[0]; i++)
		any |= (a->bits[i] & b->bits[i]) != 0;
	return any;
}
