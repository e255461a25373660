#include "http/head.h"

#include "base/ascii.h"
#include "base/url.h"

#include <string.h>
#include <strings.h>

size_t http_token_length(const char *text, size_t length)
{
	size_t at = 0;
	while (at < length && (ascii_is_alnum(text[at]) || (text[at] != '\0' && strchr("-_.!#$%&'*+^`|~", text[at]))))
		at++;
	return at;
}

bool http_is_token(const char *text, size_t length)
{
	return length > 0 && http_token_length(text, length) == length;
}

bool http_is_value(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7F)
			return false;
	return true;
}

/* A byte of reg-name (RFC 3986) without percent-encoding: unreserved and sub-delims. */
static bool is_name_byte(char c)
{
	return ascii_is_alnum(c) || (c != '\0' && strchr("-._~!$&'()*+,;=", c));
}

bool http_is_host(const char *text, size_t length)
{
	struct host host;
	unsigned port;
	size_t at = 0;
	length -= length > 1 && text[length - 1] == ':'; /* a port may be empty */
	if (length > 0 && text[0] == '[')
		return !host_port_parse(text, length, &host, &port);
	while (at < length && is_name_byte(text[at])) /* not host_parse(), which takes as long as all the rest */
		at++;
	return at == length || (at > 0 && text[at] == ':' && !port_parse(text + at + 1, length - at - 1, &port));
}

/* RFC 3986 does not allow brackets here, but clients commonly send `?a[]=1`. */
static bool is_path_and_query(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '%' && i + 2 < length && ascii_is_hex(text[i + 1]) && ascii_is_hex(text[i + 2]))
			i += 2;
		else if (!is_name_byte(text[i]) && (text[i] == '\0' || !strchr(":@/?[]", text[i])))
			return false;
	}
	return true;
}

size_t http_scheme_length(const char *target, size_t length)
{
	if (length >= 7 && strncasecmp(target, "http://", 7) == 0)
		return 7;
	return length >= 8 && strncasecmp(target, "https://", 8) == 0 ? 8 : 0;
}

bool http_is_target(const char *method, size_t method_length, const char *text, size_t length)
{
	if (length == 0)
		return false;
	if (text[0] == '/')
		return is_path_and_query(text, length);
	if (length == 1 && text[0] == '*')
		return method_length == 7 && memcmp(method, "OPTIONS", 7) == 0;
	size_t scheme = http_scheme_length(text, length), end = scheme;
	while (end < length && text[end] != '/' && text[end] != '?')
		end++;
	return scheme > 0 && end > scheme && http_is_host(text + scheme, end - scheme) &&
	       is_path_and_query(text + end, length - end);
}

bool http_is_proxy_protocol(const char *bytes, size_t length)
{
	static const char version_1[] = "PROXY ", version_2[] = "\r\n\r\n\0\r\nQUIT\n";
	size_t least_1 = sizeof version_1 - 1, least_2 = sizeof version_2 - 1;
	return (length >= least_1 && memcmp(bytes, version_1, least_1) == 0) ||
	       (length >= least_2 && memcmp(bytes, version_2, least_2) == 0);
}

bool http_is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

void http_trim(const char **from, const char **to)
{
	while (*from < *to && (**from == ' ' || **from == '\t'))
		++*from;
	while (*to > *from && ((*to)[-1] == ' ' || (*to)[-1] == '\t' || (*to)[-1] == '\r' || (*to)[-1] == '\n'))
		--*to;
}

bool http_list_has(const char *list, size_t length, const char *word)
{
	const char *end = list + length;
	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		const char *stop = comma ? comma : end;
		const char *last = stop;
		http_trim(&list, &last);
		if (http_is_word(list, (size_t)(last - list), word))
			return true;
		list = comma ? comma + 1 : end;
	}
	return false;
}

bool header_read(const char *line, size_t length, struct header *field)
{
	const char *colon = memchr(line, ':', length);
	if (!colon || colon == line)
		return false;
	const char *value = colon + 1, *end = line + length;
	http_trim(&value, &end);
	*field = (struct header){ { line, (size_t)(colon - line) }, { value, (size_t)(end - value) } };
	return true;
}

int header_check(const struct header *h, struct error *err)
{
	bool has_name = http_is_token(h->name.text, h->name.length);
	bool is_plain = http_is_value(h->name.text, h->name.length) && http_is_value(h->value.text, h->value.length);
	if (has_name && !is_plain)
		return error_set(err, EXIT_CODE_USAGE, "the header '%.*s' contains a control character",
		                 (int)h->name.length, h->name.text);
	if (!is_plain)
		return error_set(err, EXIT_CODE_USAGE, "a header contains a control character");
	if (has_name)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "a header is not of the form 'Name: value'");
	return error_hint(err, "a name consists of letters, digits and !#$%%&'*+-.^_`|~; "
	                       "the header is not shown because it may be secret");
}

int header_read_option(const char *line, size_t length, struct header *h, struct error *err)
{
	if (length > 0 && line[length - 1] == ';' && http_is_token(line, length - 1))
		*h = (struct header){ { line, length - 1 }, { line + length, 0 } };
	else if (!header_read(line, length, h))
		*h = (struct header){ { line, 0 }, { line, length } };
	else if (h->value.length == 0)
		h->value.text = NULL;
	/* The whole line, since what ends a line is not part of the value. */
	return header_check(&(struct header){ h->name, { line, length } }, err);
}

void header_append_option(const struct header *h, struct buffer *out)
{
	buffer_append(out, h->name.text, h->name.length);
	buffer_append_text(out, h->value.length > 0 ? ": " : h->value.text ? ";" : ":");
	buffer_append(out, h->value.text, h->value.length);
}

bool http_head_next(const char **at, const char *end, struct header *field)
{
	while (*at < end) {
		const char *line = *at, *lf = memchr(line, '\n', (size_t)(end - line));
		const char *stop = lf ? lf : end;
		*at = lf ? lf + 1 : end;
		if (header_read(line, (size_t)(stop - line), field))
			return true;
	}
	return false;
}

bool header_is(const struct header *field, const char *name)
{
	return http_is_word(field->name.text, field->name.length, name);
}

const struct text *message_header(const struct message *message, const char *name)
{
	for (size_t i = 0; i < message->header_count; i++)
		if (header_is(&message->headers[i], name))
			return &message->headers[i].value;
	return NULL;
}

bool message_method_is(const struct message *message, const char *method)
{
	size_t length = strlen(method);
	/* A request that is refused early has no method yet. */
	return message->method.text && message->method.length == length &&
	       memcmp(message->method.text, method, length) == 0;
}

bool http_is_hop_by_hop(const char *name, size_t length)
{
	static const char *const names[] = {
		"Connection",
		"Content-Length",
		"Expect",
		"Host",
		"Keep-Alive",
		"Proxy-Authenticate",
		"Proxy-Authorization",
		"Proxy-Connection",
		"TE",
		"Trailer",
		"Transfer-Encoding",
		"Upgrade",
	};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (http_is_word(name, length, names[i]))
			return true;
	return false;
}

const char *http_target_path(const char *target)
{
	const char *scheme = target[0] == '/' ? NULL : strstr(target, "://");
	return scheme ? scheme + 3 + strcspn(scheme + 3, "/?#") : target;
}
