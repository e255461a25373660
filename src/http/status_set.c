#include "http/status_set.h"

#include "http/status.h"

#include <string.h>

#define LOWEST  100
#define HIGHEST 599

static void add(struct status_set *set, int from, int to)
{
	for (int status = from; status <= to; status++)
		set->bits[(status - LOWEST) / 64] |= UINT64_C(1) << ((status - LOWEST) % 64);
}

static int parse_part(struct status_set *set, const char *part, size_t length, struct error *err)
{
	if (length == 3 && part[0] >= '1' && part[0] <= '5' && (part[1] | 0x20) == 'x' && (part[2] | 0x20) == 'x') {
		int from = (part[0] - '0') * 100;
		add(set, from, from + 99);
		return 0;
	}
	const char *dash = memchr(part, '-', length);
	size_t first = dash ? (size_t)(dash - part) : length;
	int from = http_status_read(part, first);
	int to = dash ? http_status_read(dash + 1, length - first - 1) : from;
	int shown = length > 40 ? 40 : (int)length;
	if (from == 0 || to == 0) {
		error_set(err, EXIT_CODE_USAGE, "'%.*s' is not an HTTP status", shown, part);
		return error_hint(err, "write statuses from 100 to 599, separated by commas: 204,2xx,500-503");
	}
	if (from > to)
		return error_set(err, EXIT_CODE_USAGE, "the range '%.*s' is empty: the higher status comes last", shown,
		                 part);
	add(set, from, to);
	return 0;
}

int status_set_parse(struct status_set *set, const char *text, struct error *err)
{
	memset(set, 0, sizeof *set);
	for (const char *part = text;;) {
		size_t length = strcspn(part, ",");
		if (parse_part(set, part, length, err) < 0)
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

bool status_set_contains(const struct status_set *set, int status)
{
	if (status < LOWEST || status > HIGHEST)
		return false;
	return (set->bits[(status - LOWEST) / 64] >> ((status - LOWEST) % 64) & 1) != 0;
}
