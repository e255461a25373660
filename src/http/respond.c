#include "base/clock.h"
#include "http/connection.h"
#include "http/head.h"
#include "http/status.h"

#include <stdio.h>
#include <time.h>

#define KEPT_SCRATCH (256 * 1024) /* bytes of memory that the server keeps for responses */

void http_connection_linger(struct http_connection *c)
{
	const struct http_server_options *options = &c->server->options;
	http_transport_shut(&c->transport);
	buffer_release(&c->waiting);
	buffer_release(&c->out);
	c->state = HTTP_CONNECTION_LINGER;
	c->drain_left = options->drain_bytes;
	http_connection_set_deadline(c, clock_monotonic_ns() + options->drain_timeout);
	http_connection_watch(c, LOOP_READ);
}

/* Returns the memory of the response to the server. */
static void return_scratch(struct http_connection *c)
{
	struct http_server *server = c->server;
	if (server->scratch.data || c->out.capacity > KEPT_SCRATCH) {
		buffer_release(&c->out);
		return;
	}
	server->scratch = c->out;
	c->out = (struct buffer)BUFFER_INIT;
}

static void end_response(struct http_connection *c)
{
	c->response_id = 0;
	return_scratch(c);
	if (c->close_after || c->server->draining) {
		/* Closing with unread bytes sends an RST, which can overtake the response. */
		if (c->linger || c->waiting.length > 0)
			http_connection_linger(c);
		else
			http_connection_close(c, false);
		return;
	}
	c->state = HTTP_CONNECTION_IDLE;
	/* The loop feeds waiting bytes, so that http_exchange_respond() never calls on_request. */
	http_connection_set_deadline(c, c->waiting.length > 0 ? 0
	                                                      : clock_monotonic_ns() + c->server->options.idle_timeout);
	http_connection_watch(c, LOOP_READ);
}

void http_connection_continue_response(struct http_connection *c)
{
	bool drips = c->state == HTTP_CONNECTION_DRIP;
	size_t left = drips ? 1 : c->out.length - c->out_sent;
	ssize_t sent = http_transport_send(&c->transport, c->out.data + c->out_sent, left);
	if (sent == HTTP_TRANSPORT_FAILED) {
		http_connection_close(c, false);
		return;
	}
	if (sent > 0)
		c->out_sent += (size_t)sent;
	if (c->out_sent == c->out.length) {
		end_response(c);
		return;
	}
	if (drips) {
		http_connection_set_deadline(c, clock_monotonic_ns() + c->server->options.drip_interval);
		return;
	}
	http_connection_watch(c, sent > 0 ? LOOP_WRITE : c->transport.want);
	if (c->state == HTTP_CONNECTION_SEND)
		return;
	c->state = HTTP_CONNECTION_SEND;
	http_connection_set_deadline(c, clock_monotonic_ns() + c->server->options.send_timeout);
}

void http_connection_start_response(struct http_connection *c)
{
	if (c->server->draining && (c->fault == HTTP_FAULT_HANG || c->fault == HTTP_FAULT_DRIP)) {
		http_connection_close(c, false); /* as http_server_drain() does with those that already drip or hang */
		return;
	}
	switch (c->fault) {
	case HTTP_FAULT_RESET:
		http_connection_close(c, true);
		return;
	case HTTP_FAULT_EMPTY:
		http_connection_linger(c);
		return;
	case HTTP_FAULT_HANG:
		return_scratch(c);
		c->state = HTTP_CONNECTION_HANG;
		c->deadline = HTTP_NEVER;
		http_connection_watch(c, LOOP_PEER_CLOSED);
		return;
	case HTTP_FAULT_DRIP:
		c->state = HTTP_CONNECTION_DRIP;
		http_connection_watch(c, LOOP_PEER_CLOSED);
		break;
	case HTTP_FAULT_TRUNCATE:
		c->out.length = (c->out.length > c->out_head ? c->out.length + c->out_head : c->out_head) / 2;
		c->close_after = c->linger = true;
		break;
	case HTTP_FAULT_NONE:
		break;
	}
	http_connection_continue_response(c);
}

static const char *date_text(struct http_server *server)
{
	time_t now = (time_t)(clock_realtime_us() / 1000000);
	struct tm utc;
	if (now != server->date_second) {
		gmtime_r(&now, &utc);
		/* In English: LC_TIME is never set. */
		strftime(server->date, sizeof server->date, "%a, %d %b %Y %H:%M:%S GMT", &utc);
		server->date_second = now;
	}
	return server->date;
}

static void append_field(struct buffer *out, const struct header *field)
{
	buffer_append(out, field->name.text, field->name.length);
	buffer_append(out, ": ", 2);
	buffer_append(out, field->value.text, field->value.length);
	buffer_append(out, "\r\n", 2);
}

static bool is_sendable(const struct header *field)
{
	return http_is_token(field->name.text, field->name.length) &&
	       http_is_value(field->value.text, field->value.length) && !header_is(field, "Connection") &&
	       !header_is(field, "Content-Length") && !header_is(field, "Transfer-Encoding");
}

static bool has_field(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->field_count; i++)
		if (is_sendable(&response->fields[i]) && header_is(&response->fields[i], name))
			return true;
	return false;
}

static void append_head(struct http_connection *c, const struct http_response *response, bool bodiless)
{
	struct buffer *out = &c->out;
	int status = response->status >= 200 && response->status <= 599 ? response->status : 500;
	const struct header type = { TEXT("Content-Type"), text_of(response->content_type) };
	buffer_append(out, "HTTP/1.1 ", 9);
	buffer_append_number(out, (uint64_t)status);
	buffer_append_byte(out, ' ');
	buffer_append_text(out, http_status_phrase(status));
	buffer_append(out, "\r\n", 2);
	if (!has_field(response, "Date"))
		append_field(out, &(struct header){ TEXT("Date"), text_of(date_text(c->server)) });
	if (type.value.length > 0 && !bodiless && response->body_length > 0 && !has_field(response, "Content-Type") &&
	    is_sendable(&type))
		append_field(out, &type);
	if (!bodiless) {
		buffer_append(out, "Content-Length: ", 16);
		buffer_append_number(out, response->body_length);
		buffer_append(out, "\r\n", 2);
	}
	if (c->close_after)
		buffer_append_text(out, "Connection: close\r\n");
	else if (c->exchange->parser.request.minor_version == 0)
		buffer_append_text(out, "Connection: keep-alive\r\n");
	for (size_t i = 0; i < response->field_count; i++)
		if (is_sendable(&response->fields[i]))
			append_field(out, &response->fields[i]);
	buffer_append(out, "\r\n", 2);
}

/* Writes the response into c->out. False: out of memory, and the connection is closed. */
static bool make_response(struct http_connection *c, const struct http_response *response)
{
	struct http_server *server = c->server;
	bool bodiless = response->status == 204 || response->status == 304; /* RFC 9110, section 6.4.1 */
	c->out = server->scratch;
	server->scratch = (struct buffer)BUFFER_INIT;
	buffer_clear(&c->out);
	c->out_sent = 0;
	append_head(c, response, bodiless);
	c->out_head = c->out.length;
	if (!bodiless && !message_method_is(c->exchange->request, "HEAD"))
		buffer_append(&c->out, response->body, response->body_length);
	if (c->out.failed)
		http_connection_close(c, false);
	return !c->out.failed;
}

void http_connection_refuse(struct http_connection *c, const struct http_refusal *refusal, bool keep)
{
	struct http_server *server = c->server;
	struct http_exchange *exchange = c->exchange;
	const char *reason = refusal->reason ? refusal->reason : http_status_phrase(refusal->status);
	char body[256];
	server->handler.on_refused(server->handler.context, exchange->remote, refusal->status, reason);
	int length = snprintf(body, sizeof body, "%.254s\n", reason);
	c->close_after = !keep || !exchange->parser.request.keep_alive || server->draining;
	c->linger = !keep;
	c->fault = HTTP_FAULT_NONE;
	bool made = make_response(c, &(struct http_response){
	                                     .status = refusal->status,
	                                     .content_type = "text/plain; charset=utf-8",
	                                     .fields = refusal->fields,
	                                     .field_count = refusal->field_count,
	                                     .body = body,
	                                     .body_length = (size_t)length,
	                             });
	if (!made)
		return;
	http_connection_end_exchange(c);
	http_connection_continue_response(c);
}

void http_exchange_respond(struct http_exchange *exchange, const struct http_response *response)
{
	struct http_connection *c = exchange->connection;
	http_connection_enter(c);
	c->close_after = response->close || !exchange->parser.request.keep_alive || c->server->draining;
	c->linger = false;
	c->fault = response->fault;
	c->response_id = response->fault == HTTP_FAULT_NONE ? response->response_id : 0;
	/* From here on, a failure is not reported as abandoned. */
	c->state = HTTP_CONNECTION_DELAY;
	if (make_response(c, response)) {
		http_connection_end_exchange(c);
		int64_t due = response->delay_ns > 0 ? clock_monotonic_ns() + response->delay_ns : 0;
		if (due == 0 || (c->server->draining && due > c->server->drain_until))
			http_connection_start_response(c);
		else
			http_connection_set_deadline(c, due);
	}
	http_connection_leave(c);
}
