/* Who sent what came through proxies: never somebody whom no trusted proxy saw, and never a proxy. */
#include "http/address.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define LINES 4
#define XFF   "X-Forwarded-For"
#define FWD   "Forwarded"

struct row {
	struct {
		const char *name, *value;
	} lines[LINES];
	const char *sender; /* NULL: refused */
};

/* The proxies are 10.0.0.0/8, 192.0.2.1 and fd00::/8. */
static const struct row rows[] = {
	{ { { XFF, "203.0.113.9" } }, "203.0.113.9" },
	{ { { "x-forwarded-for", "203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "203.0.113.9:443" } }, "203.0.113.9" },
	{ { { XFF, "2001:db8::7" } }, "2001:db8::7" },
	{ { { XFF, "2001:DB8:0::7" } }, "2001:db8::7" },
	{ { { XFF, "[2001:db8::7]" } }, "2001:db8::7" },
	{ { { XFF, "[2001:db8::7]:443" } }, "2001:db8::7" },
	{ { { XFF, "::ffff:203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "[::ffff:203.0.113.9]:80" } }, "203.0.113.9" },
	/* invented by the sender, before its address */
	{ { { XFF, "198.51.100.1, 203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "198.51.100.1,203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "10.0.0.1, 203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "', --, 203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "\", 203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, ",,, 203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "unknown, \t 203.0.113.9 \t" } }, "203.0.113.9" },
	/* two proxies, and more */
	{ { { XFF, "203.0.113.9, 10.0.0.2" } }, "203.0.113.9" },
	{ { { XFF, "198.51.100.1, 203.0.113.9, fd00::2, 192.0.2.1:5000" } }, "203.0.113.9" },
	{ { { XFF, "203.0.113.9, ::ffff:10.0.0.2" } }, "203.0.113.9" },
	{ { { XFF, "203.0.113.9, 192.0.2.2" } }, "192.0.2.2" },
	/* several lines are one list */
	{ { { XFF, "198.51.100.1" }, { "Host", "a" }, { XFF, "203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "203.0.113.9" }, { XFF, "10.0.0.2" }, { XFF, "10.0.0.3" } }, "203.0.113.9" },
	{ { { XFF, "" }, { XFF, "203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "203.0.113.9" }, { XFF, "" } }, NULL },
	/* no header; nothing that is an address where the sender should be */
	{ { { "X-Real-IP", "203.0.113.9" } }, NULL },
	{ { { XFF, "" } }, NULL },
	{ { { XFF, "203.0.113.9," } }, NULL },
	{ { { XFF, "203.0.113.9, , 10.0.0.2" } }, NULL },
	{ { { XFF, "203.0.113.9, unknown" } }, NULL },
	{ { { XFF, "203.0.113.9, _hidden, 10.0.0.2" } }, NULL },
	{ { { XFF, "203.0.113.9 10.0.0.2" } }, NULL },
	{ { { XFF, "203.0.113.9;10.0.0.2" } }, NULL },
	{ { { XFF, "\"203.0.113.9\"" } }, NULL },
	{ { { XFF, "203.0.113" } }, NULL },
	{ { { XFF, "203.0.113.9.1" } }, NULL },
	{ { { XFF, "203.0.113.256" } }, NULL },
	{ { { XFF, "0313.0.0161.011" } }, NULL },
	{ { { XFF, "0xCB007109" } }, NULL },
	{ { { XFF, "3405803785" } }, NULL },
	{ { { XFF, "203.0.113.9:" } }, NULL },
	{ { { XFF, "203.0.113.9:65536" } }, NULL },
	{ { { XFF, "203.0.113.9:4294967297" } }, NULL },
	{ { { XFF, "203.0.113.9:+80" } }, NULL },
	{ { { XFF, "203.0.113.9/32" } }, NULL },
	{ { { XFF, "[203.0.113.9]" } }, NULL },
	{ { { XFF, "[2001:db8::7" } }, NULL },
	{ { { XFF, "2001:db8::7]" } }, NULL },
	{ { { XFF, "[2001:db8::7]443" } }, NULL },
	{ { { XFF, "fe80::1%eth0" } }, NULL },
	{ { { XFF, "::ffff:203.0.113.9:80" } }, NULL },
	{ { { XFF, "example.com" } }, NULL },
	{ { { XFF, "203.0.113.9\x7F" } }, NULL },
	{ { { XFF, "203.0.113.9\xC2\xA0" } }, NULL },
	/* trusted addresses only */
	{ { { XFF, "10.0.0.1" } }, NULL },
	{ { { XFF, "10.0.0.1, fd00::1, 192.0.2.1" } }, NULL },
	/* RFC 7239 */
	{ { { FWD, "for=203.0.113.9" } }, "203.0.113.9" },
	{ { { "FORWARDED", "FOR=203.0.113.9" } }, "203.0.113.9" },
	{ { { FWD, "for=\"203.0.113.9:443\"" } }, "203.0.113.9" },
	{ { { FWD, "for=\"203.0.113.9:0\"" } }, "203.0.113.9" },
	{ { { FWD, "for=\"203.0.113.9:x\"" } }, NULL },
	{ { { FWD, "for=\"203.0.113.9:_gate.1\"" } }, "203.0.113.9" },
	{ { { FWD, "for=\"[2001:db8::7]\"" } }, "2001:db8::7" },
	{ { { FWD, "for=\"[2001:db8::7]:4711\";proto=https" } }, "2001:db8::7" },
	{ { { FWD, "by=10.0.0.1;host=\"a;b,c\\\"d\";for=203.0.113.9;proto=http" } }, "203.0.113.9" },
	{ { { FWD, ";for=203.0.113.9;" } }, "203.0.113.9" },
	{ { { FWD, "for=198.51.100.1, for=203.0.113.9, for=10.0.0.2" } }, "203.0.113.9" },
	{ { { FWD, "for=203.0.113.9" }, { FWD, "for=\"[fd00::2]\"" } }, "203.0.113.9" },
	{ { { FWD, "for=_hidden, for=203.0.113.9" } }, "203.0.113.9" },
	{ { { FWD, "x y, for=203.0.113.9" } }, "203.0.113.9" },
	{ { { FWD, "for=\"a, b\", for=203.0.113.9" } }, "203.0.113.9" },
	{ { { FWD, "for=\"" }, { FWD, "for=203.0.113.9" } }, "203.0.113.9" },
	/* a string that the sender leaves open must not swallow what the proxy adds */
	{ { { FWD, "for=198.51.100.1, for=\", for=203.0.113.9" } }, NULL },
	{ { { FWD, "for=198.51.100.1;x=\", for=\"[2001:db8::7]\"" } }, NULL },
	{ { { FWD, "for=198.51.100.1;x=\"\\, for=\"203.0.113.9:1\"" } }, NULL },
	{ { { FWD, "for=198.51.100.1;x=\"\\" } }, NULL },
	{ { { FWD, "for=unknown" } }, NULL },
	{ { { FWD, "for=203.0.113.9, for=_hidden" } }, NULL },
	{ { { FWD, "for=203.0.113.9, for=unknown, for=10.0.0.2" } }, NULL },
	{ { { FWD, "for=203.0.113.9;for=198.51.100.1" } }, NULL },
	{ { { FWD, "for=10.0.0.2;for=203.0.113.9" } }, NULL },
	{ { { FWD, "proto=https" } }, NULL },
	{ { { FWD, "for" } }, NULL },
	{ { { FWD, "for=" } }, NULL },
	{ { { FWD, "for=\"\"" } }, NULL },
	{ { { FWD, "for=203.0.113.9:443" } }, NULL },
	{ { { FWD, "for=[2001:db8::7]" } }, NULL },
	{ { { FWD, "for=\"2001:db8::7\"" } }, NULL },
	{ { { FWD, "for=\"203.0.113.9:_\"" } }, NULL },
	{ { { FWD, "for=\"203\\.0.113.9\"" } }, NULL },
	{ { { FWD, "for = 203.0.113.9" } }, NULL },
	{ { { FWD, "for=203.0.113.9; proto=https" } }, NULL },
	{ { { FWD, "for=203.0.113.9 proto=https" } }, NULL },
	{ { { FWD, "203.0.113.9" } }, NULL },
	{ { { FWD, "for=10.0.0.2" } }, NULL },
	{ { { FWD, "for=203.0.113.9,," } }, NULL },
	/* both */
	{ { { XFF, "203.0.113.9:80" }, { FWD, "for=203.0.113.9" } }, "203.0.113.9" },
	{ { { XFF, "::ffff:203.0.113.9" }, { FWD, "for=203.0.113.9, for=10.0.0.2" } }, "203.0.113.9" },
	{ { { XFF, "203.0.113.9" }, { FWD, "for=198.51.100.1" } }, NULL },
	{ { { XFF, "203.0.113.9" }, { FWD, "for=unknown" } }, NULL },
	{ { { XFF, "unknown" }, { FWD, "for=203.0.113.9" } }, NULL },
	{ { { XFF, "203.0.113.9" }, { FWD, "for=10.0.0.2" } }, NULL },
	{ { { XFF, "203.0.113.9" }, { FWD, "" } }, NULL },
};

static const char *find(const struct message *request, struct host *sender)
{
	static const char *const proxies[] = { "10.0.0.0/8", "192.0.2.1", "fd00::/8" };
	struct http_network list[3];
	const struct http_networks trusted = { list, 3 };
	struct error err;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(http_network_parse(proxies[i], &list[i], &err), 0);
	return http_sender_find(request, &trusted, sender);
}

TEST(each_row_has_its_sender_or_none)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct header headers[LINES];
		struct message request = { .headers = headers };
		for (; request.header_count < LINES && rows[i].lines[request.header_count].name; request.header_count++)
			headers[request.header_count] =
			        (struct header){ text_of(rows[i].lines[request.header_count].name),
				                 text_of(rows[i].lines[request.header_count].value) };
		struct host sender;
		const char *why = find(&request, &sender);
		if (!why != !!rows[i].sender || (!why && strcmp(sender.text, rows[i].sender) != 0))
			fail_msg("row %zu, '%s': %s", i, rows[i].lines[0].value, why ? why : sender.text);
	}
}

TEST(a_long_list_is_read_to_its_end)
{
	static char value[64 * 1024];
	size_t length = 0;
	while (length < sizeof value - 64)
		length += (size_t)sprintf(value + length, "198.51.100.%zu,", length % 256);
	length += (size_t)sprintf(value + length, " 203.0.113.9");
	const struct header header = { text_of(XFF), { value, length } };
	struct host sender;
	assert_null(find(&(struct message){ .headers = &header, .header_count = 1 }, &sender));
	assert_string_equal(sender.text, "203.0.113.9");
}
