#include "base/url.h"

#include "base/ascii.h"
#include "base/find.h"
#include "base/utf8.h"

#include <arpa/inet.h>
#include <string.h>

#define PORT_MAX   65535
#define LABEL_MOST 63
#define NAME_MOST  253

static const char not_ipv6[] = "brackets must contain an IPv6 address without a zone";

const char *port_parse(const char *text, size_t length, unsigned *port)
{
	static const char why[] = "a port is 1 to 65535 in decimal, without leading zeros";
	unsigned number = 0;
	if (length == 0 || text[0] == '0')
		return why;
	for (size_t i = 0; i < length; i++) {
		if (!ascii_is_digit(text[i]))
			return why;
		number = number > PORT_MAX ? number : number * 10 + (unsigned)(text[i] - '0');
	}
	*port = number;
	return number <= PORT_MAX ? NULL : "the port is out of range (1 to 65535)";
}

/* Whether the last label is decimal, or hexadecimal after 0x: what inet_aton() may take for a part of an address. */
static bool ends_in_number(const char *text, size_t length)
{
	length -= text[length - 1] == '.';
	const char *dot = find_last(text, length, '.'), *at = dot ? dot + 1 : text, *end = text + length;
	bool hex = end - at >= 2 && at[0] == '0' && ascii_lower(at[1]) == 'x';
	if (at == end)
		return false;
	at += hex ? 2 : 0;
	while (at < end && (hex ? ascii_is_hex(*at) : ascii_is_digit(*at)))
		at++;
	return at == end;
}

static const char *read_ip(const char *text, size_t length, bool v6, struct host *host)
{
	char plain[INET6_ADDRSTRLEN] = ""; /* inet_pton() needs a NUL */
	struct in6_addr address;
	if (length < sizeof plain && !memchr(text, '\0', length))
		memcpy(plain, text, length);
	if (inet_pton(v6 ? AF_INET6 : AF_INET, plain, &address) != 1)
		return v6 ? not_ipv6 : "an IPv4 address is four decimal numbers from 0 to 255, joined by dots";
	bool mapped = v6 && IN6_IS_ADDR_V4MAPPED(&address);
	host->type = v6 && !mapped ? HOST_IPV6 : HOST_IPV4;
	inet_ntop(host->type == HOST_IPV6 ? AF_INET6 : AF_INET, mapped ? address.s6_addr + 12 : address.s6_addr,
	          host->text, HOST_SIZE);
	return NULL;
}

static const char *read_name(const char *text, size_t length, struct host *host)
{
	host->rooted = text[length - 1] == '.';
	length -= host->rooted;
	if (length > NAME_MOST)
		return "the host is too long";
	for (size_t begin = 0, at = 0; at <= length; at++) {
		if (at < length && text[at] != '.')
			continue;
		if (at == begin || at - begin > LABEL_MOST || text[begin] == '-' || text[at - 1] == '-')
			return "a label of the host name is empty, longer than 63 bytes, or begins or ends with '-'";
		begin = at + 1;
	}
	for (size_t i = 0; i < length; i++)
		host->text[i] = ascii_lower(text[i]);
	host->text[length] = '\0';
	return NULL;
}

const char *host_parse(const char *text, size_t length, struct host *host)
{
	bool non_ascii = false;
	*host = (struct host){ .type = HOST_NAME };
	if (length == 0)
		return "the host is missing";
	if (length >= HOST_SIZE)
		return "the host is too long";
	if (text[0] == '[')
		return length > 2 && text[length - 1] == ']' ? read_ip(text + 1, length - 2, true, host) : not_ipv6;
	for (size_t i = 0; i < length; i++) {
		bool ascii = (unsigned char)text[i] < 0x80;
		if (ascii && !ascii_is_alnum(text[i]) && !memchr("-_.", text[i], 3))
			return "the host is not a name of letters, digits, '-', '_' and dots";
		non_ascii |= !ascii;
	}
	if (!non_ascii)
		return ends_in_number(text, length) ? read_ip(text, length, false, host)
		                                    : read_name(text, length, host);
	host->type = HOST_NON_ASCII;
	memcpy(host->text, text, length);
	return utf8_first_invalid(text, length) == length ? NULL : "the host is not UTF-8";
}

const char *host_parse_address(const char *text, size_t length, struct host *host)
{
	*host = (struct host){ .type = HOST_NAME };
	if (length > 0 && text[0] == '[')
		return host_parse(text, length, host);
	return read_ip(text, length, memchr(text, ':', length) != NULL, host);
}

bool host_is_loopback(const struct host *host)
{
	static const char name[] = "localhost", below[] = ".localhost";
	size_t length = strlen(host->text);
	if (host->type == HOST_NAME)
		return strcmp(host->text, name) == 0 ||
		       (length >= strlen(below) && strcmp(host->text + length - strlen(below), below) == 0);
	if (host->type == HOST_IPV4)
		return strncmp(host->text, "127.", 4) == 0 || strcmp(host->text, "0.0.0.0") == 0;
	return host->type == HOST_IPV6 && (strcmp(host->text, "::1") == 0 || strcmp(host->text, "::") == 0);
}

bool host_is_same(const struct host *a, const struct host *b)
{
	return (host_is_loopback(a) && host_is_loopback(b)) || strcmp(a->text, b->text) == 0;
}

bool host_is_equal(const struct host *a, const struct host *b)
{
	return a->type == b->type && a->rooted == b->rooted && strcmp(a->text, b->text) == 0;
}

void host_append(struct buffer *out, const struct host *host)
{
	bool v6 = host->type == HOST_IPV6;
	buffer_printf(out, "%s%s%s%s", v6 ? "[" : "", host->text, v6 ? "]" : "", host->rooted ? "." : "");
}

static const char *read_scheme(const char *text, struct url *url, const char **end)
{
	static const char slashes[] = "the scheme must be followed by '://' and the host";
	size_t length = 0;
	while (ascii_is_letter(text[length]) || (length > 0 && ascii_is_digit(text[length])))
		length++;
	*end = text + length + strlen("://");
	if (length == 0 || strncmp(text + length, "://", 3) != 0)
		return slashes;
	if (length >= URL_SCHEME_SIZE)
		return "the scheme is too long";
	for (size_t i = 0; i < length; i++)
		url->scheme[i] = ascii_lower(text[i]);
	return **end == '/' ? slashes : NULL;
}

static const char *check_user(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (ascii_is_alnum(text[i]) || (text[i] && strchr("-._~!$&'()*+,;=:", text[i])))
			continue;
		if (text[i] != '%' || length - i < 3 || !ascii_is_hex(text[i + 1]) || !ascii_is_hex(text[i + 2]))
			return "the user or password contains a character that must be written as %XX";
		i += 2;
	}
	return NULL;
}

const char *host_port_parse(const char *text, size_t length, struct host *host, unsigned *port)
{
	const char *end = text + length, *bracket = memchr(text, ']', length);
	const char *from = length > 0 && text[0] == '[' && bracket ? bracket : text;
	const char *colon = memchr(from, ':', (size_t)(end - from));
	const char *why = host_parse(text, colon ? (size_t)(colon - text) : length, host);
	*port = 0;
	if (why || !colon)
		return why;
	return port_parse(colon + 1, (size_t)(end - colon - 1), port);
}

const char *url_parse(const char *text, struct url *url)
{
	const char *authority;
	*url = (struct url){ .rest = "" };
	const char *why = read_scheme(text, url, &authority);
	if (why)
		return why;
	size_t length = strcspn(authority, "/?#");
	url->rest = authority + length;
	const char *at = memchr(authority, '@', length);
	if (at) {
		url->user = authority;
		url->user_length = (size_t)(at - authority);
		why = memchr(at + 1, '@', length - url->user_length - 1)
		              ? "'@' in a user or password must be written as %40"
		              : check_user(url->user, url->user_length);
		length -= url->user_length + 1;
		authority = at + 1;
	}
	if (!why)
		why = host_port_parse(authority, length, &url->host, &url->port);
	for (const unsigned char *c = (const unsigned char *)url->rest; !why && *c; c++)
		if (*c <= 0x20 || *c == 0x7f)
			why = "it contains a space or a control character";
	return why;
}

void url_append_origin(struct buffer *out, const struct url *url)
{
	buffer_printf(out, "%s://", url->scheme);
	if (url->user) {
		buffer_append(out, url->user, url->user_length);
		buffer_append_byte(out, '@');
	}
	host_append(out, &url->host);
	if (url->port > 0)
		buffer_printf(out, ":%u", url->port);
}

void url_append_encoded(struct buffer *out, char byte)
{
	if (ascii_is_unreserved(byte))
		buffer_append_byte(out, byte);
	else
		buffer_append(
		        out, (char[]){ '%', ASCII_HEX_UPPER[(unsigned char)byte >> 4], ASCII_HEX_UPPER[byte & 15] }, 3);
}

#define SCHEME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

/* How many bytes are none of these; a NUL may be among them. */
static size_t span_before(struct text text, const char *stops)
{
	size_t at = 0;
	while (at < text.length && (text.text[at] == '\0' || !strchr(stops, text.text[at])))
		at++;
	return at;
}

static struct text behind(struct text text, size_t length)
{
	return (struct text){ text.text + length, text.length - length };
}

/* What follows SCHEME:// and any further slashes (libcurl reads http:///me:secret@host as if it had two); `text` NULL
 * when the URL does not begin with SCHEME://. */
static struct text after_scheme(struct text url)
{
	size_t at = 0;
	while (at < url.length && url.text[at] != '\0' && strchr(SCHEME_BYTES, url.text[at]))
		at++;
	if (at == 0 || url.length - at < 3 || memcmp(url.text + at, "://", 3) != 0)
		return (struct text){ NULL, 0 };
	for (at++; at < url.length && url.text[at] == '/';)
		at++;
	return behind(url, at);
}

/* Masks the values of a query and the fragment. A part of the query without '=' may be a token. */
static void append_masked_values(struct buffer *out, struct text part)
{
	while (part.length > 0 && *part.text != '#') {
		if (*part.text == '?' || *part.text == '&') {
			buffer_append_byte(out, *part.text);
			part = behind(part, 1);
		}
		size_t name = span_before(part, "=&#"), whole = span_before(part, "&#");
		if (name < whole)
			buffer_append(out, part.text, name + 1);
		if (whole > 0)
			buffer_append_text(out, "***");
		part = behind(part, whole);
	}
	if (part.length > 0)
		buffer_append_text(out, part.length > 1 ? "#***" : "#");
}

/* `authority`: the end of the URL from there on. The password ends at the last '@' of its first `length` bytes. */
static void append_masked(struct buffer *out, struct text url, struct text authority, size_t length)
{
	const char *at = length > 0 ? find_last(authority.text, length, '@') : NULL;
	size_t user_length = at ? (size_t)(at - authority.text) : 0;
	struct text rest = behind(authority, user_length);
	buffer_append(out, url.text, url.length - authority.length);
	if (at) {
		size_t user = span_before(authority, ":@/?#");
		if (authority.text[user] == ':')
			buffer_append(out, authority.text, user + 1);
		buffer_append_text(out, "***");
	}
	bool in_query = at && memchr(authority.text, '?', user_length);
	size_t place = span_before(rest, in_query ? "?&=#" : "?#");
	buffer_append(out, rest.text, place);
	append_masked_values(out, behind(rest, place));
}

static void append_masked_unparsed(struct buffer *out, struct text text)
{
	struct text authority = after_scheme(text);
	if (!authority.text)
		authority = text;
	append_masked(out, text, authority, authority.length);
}

void url_append_masked_unparsed(struct buffer *out, const char *text)
{
	append_masked_unparsed(out, text_of(text));
}

static void append_masked_url(struct buffer *out, struct text url)
{
	struct text authority = after_scheme(url);
	if (authority.text)
		append_masked(out, url, authority, span_before(authority, "/?#"));
	else
		append_masked_unparsed(out, url);
}

void url_append_masked(struct buffer *out, const char *url)
{
	append_masked_url(out, text_of(url));
}

bool url_is_secret(const char *url)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	url_append_masked(&masked, url);
	return strcmp(buffer_text(&masked), url) != 0;
}

void url_append_masked_reference(struct buffer *out, struct text reference)
{
	size_t slashes = 0;
	while (slashes < reference.length && reference.text[slashes] == '/')
		slashes++;
	struct text begin = behind(reference, slashes);
	if (slashes == 0)
		append_masked_url(out, reference);
	else
		append_masked(out, reference, begin, slashes > 1 ? span_before(begin, "/?#") : 0);
}

void url_append_masked_text(struct buffer *out, const char *text, size_t length)
{
	const char *colon = find_text(text, length, "://", 3), *begin = colon;
	while (begin && begin > text && strchr(SCHEME_BYTES, begin[-1]))
		begin--;
	if (!begin) {
		buffer_append(out, text, length);
		return;
	}
	LOCAL_BUFFER url = BUFFER_FOR(out);
	struct url parts;
	buffer_append(out, text, (size_t)(begin - text));
	buffer_append(&url, begin, length - (size_t)(begin - text));
	if (!url.failed && url_parse(url.data, &parts) == NULL)
		url_append_masked(out, url.data);
	else
		url_append_masked_unparsed(out, buffer_text(&url));
}
