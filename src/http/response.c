#include "http/response.h"

#include "http/status.h"
#include "http/syntax.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *http_date_text(struct http_date *date, int64_t now_us)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
		                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	int64_t second = now_us / 1000000;
	if (second == date->second && date->text[0] != '\0')
		return date->text;
	/* Not strftime(): it uses the names of the locale. */
	time_t when = (time_t)second;
	struct tm utc;
	gmtime_r(&when, &utc);
	char text[80];
	snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[utc.tm_wday], utc.tm_mday,
	         months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
	memcpy(date->text, text, sizeof date->text - 1);
	date->text[sizeof date->text - 1] = '\0';
	date->second = second;
	return date->text;
}

static void append_field(struct buffer *out, struct text name, struct text value)
{
	buffer_append(out, name.text, name.length);
	buffer_append(out, ": ", 2);
	buffer_append(out, value.text, value.length);
	buffer_append(out, "\r\n", 2);
}

static bool is_named(const struct header *field, const char *name)
{
	return http_is_word(field->name.text, field->name.length, name);
}

static bool is_sendable(const struct header *field)
{
	return http_is_token(field->name.text, field->name.length) &&
	       http_is_value(field->value.text, field->value.length) && !is_named(field, "Connection") &&
	       !is_named(field, "Content-Length") && !is_named(field, "Transfer-Encoding");
}

static bool has_field(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->field_count; i++)
		if (is_sendable(&response->fields[i]) && is_named(&response->fields[i], name))
			return true;
	return false;
}

static void append_status_line(struct buffer *out, const struct http_response *response)
{
	int status = response->status >= 200 && response->status <= 599 ? response->status : 500;
	const char *reason = response->reason;
	if (!reason || !http_is_value(reason, strlen(reason)))
		reason = http_status_phrase(status);
	buffer_append(out, "HTTP/1.1 ", 9);
	buffer_append_number(out, (uint64_t)status);
	buffer_append_byte(out, ' ');
	buffer_append_text(out, reason);
	buffer_append(out, "\r\n", 2);
}

size_t http_response_append(struct buffer *out, const struct http_response *response,
                            const struct http_framing *framing, const char *date)
{
	size_t start = out->length;
	/* RFC 9110, section 6.4.1. */
	bool bodiless = response->status == 204 || response->status == 304;
	append_status_line(out, response);
	if (!has_field(response, "Date"))
		append_field(out, (struct text)TEXT("Date"), text_of(date));
	if (response->content_type && !bodiless && response->body_length > 0 && !has_field(response, "Content-Type") &&
	    http_is_value(response->content_type, strlen(response->content_type)))
		append_field(out, (struct text)TEXT("Content-Type"), text_of(response->content_type));
	if (!bodiless) {
		buffer_append(out, "Content-Length: ", 16);
		buffer_append_number(out, response->body_length);
		buffer_append(out, "\r\n", 2);
	}
	if (!framing->keep_alive)
		buffer_append_text(out, "Connection: close\r\n");
	else if (framing->minor_version == 0)
		buffer_append_text(out, "Connection: keep-alive\r\n");
	for (size_t i = 0; i < response->field_count; i++) {
		const struct header *field = &response->fields[i];
		if (is_sendable(field))
			append_field(out, field->name, field->value);
	}
	buffer_append(out, "\r\n", 2);
	size_t head_length = out->length - start;
	if (!bodiless && !framing->head_only)
		buffer_append(out, response->body, response->body_length);
	return head_length;
}
