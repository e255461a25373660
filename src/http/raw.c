#include "http/raw.h"

#include "base/clock.h"
#include "base/system.h"
#include "http/deliver_internal.h"
#include "http/head.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define PIECE          16384
#define WAIT_PAUSE     200   /* ms between two connections tried */
#define LONGEST_POLL   60000 /* ms */
#define EXTRA_BYTES    4096  /* of chunk extensions and trailers */
#define TRAILERS       16
#define LENGTH_UNKNOWN UINT64_MAX

enum {
	WITHIN_HEAD,
	WITHIN_LENGTH, /* `left` bytes of body follow */
	WITHIN_CHUNKS,
};

static void end_response(struct raw_reader *reader)
{
	if (reader->status >= 200)
		reader->responses++;
	reader->state = WITHIN_HEAD;
	buffer_clear(&reader->head);
}

/* The field as a number of bytes, for its digits alone; false: it is none, or does not fit. */
static bool read_length(struct text value, uint64_t *length)
{
	*length = 0;
	for (size_t i = 0; i < value.length; i++) {
		unsigned digit = (unsigned)(value.text[i] - '0');
		if (digit > 9 || *length > (LENGTH_UNKNOWN - 1 - digit) / 10)
			return false;
		*length = *length * 10 + digit;
	}
	return value.length > 0;
}

/* The head is whole. The response that says most is kept: the first that is not a success, else the last. */
static void end_head(struct raw_reader *reader)
{
	struct exchange *x = reader->exchange;
	const char *at = reader->head.data, *end = at + reader->head.length;
	uint64_t length = LENGTH_UNKNOWN, other;
	bool is_chunked = false, is_length = true;
	struct header field;
	if (sscanf(at, "HTTP/1.%*1[01] %3d", &reader->status) != 1 || reader->status < 100) {
		reader->refused = true;
		return;
	}
	reader->closes = false;
	reader->keeps = reader->status >= 200 && (x->status == 0 || (x->status >= 200 && x->status < 300));
	if (reader->keeps) {
		x->status = reader->status;
		buffer_clear(&x->kept_head);
		buffer_clear(&x->kept_body);
		x->response_length = 0;
	}
	while (http_head_next(&at, end, &field)) {
		if (header_is(&field, "Content-Length")) {
			is_length &= read_length(field.value, &other) && (length == LENGTH_UNKNOWN || length == other);
			length = other;
		}
		is_chunked |= header_is(&field, "Transfer-Encoding");
		reader->closes |= reader->status >= 200 && header_is(&field, "Connection") &&
		                  http_list_has(field.value.text, field.value.length, "close");
		if (reader->keeps)
			exchange_keep_field(x, &field);
	}
	/* How the body is framed: RFC 9112, section 6.3 */
	bool bodiless = reader->status < 200 || reader->status == 204 || reader->status == 304 || reader->without_body;
	reader->state = is_chunked && !bodiless ? WITHIN_CHUNKS : WITHIN_LENGTH;
	reader->left = bodiless ? 0 : length;
	reader->refused = reader->state == WITHIN_LENGTH && !bodiless && !is_length;
	if (reader->state == WITHIN_CHUNKS)
		http_chunked_init(&reader->chunked, UINT64_MAX, EXTRA_BYTES, TRAILERS);
	else if (reader->left == 0)
		end_response(reader);
}

static size_t take_head(struct raw_reader *reader, const char *bytes, size_t length)
{
	size_t used = 0;
	while (used < length) {
		const char *newline = memchr(bytes + used, '\n', length - used);
		size_t end = newline ? (size_t)(newline - bytes) + 1 : length;
		buffer_append(&reader->head, bytes + used, end - used);
		used = end;
		size_t kept = reader->head.length;
		const char *data = reader->head.data;
		if (reader->head.failed || kept > DELIVER_HEAD_READ)
			reader->refused = true;
		else if (newline && kept >= 2 &&
		         (data[kept - 2] == '\n' || (kept >= 3 && memcmp(data + kept - 3, "\n\r\n", 3) == 0)))
			end_head(reader);
		else
			continue;
		break;
	}
	return used;
}

static void keep_body(struct raw_reader *reader, const char *bytes, size_t length)
{
	if (reader->keeps)
		exchange_keep_body(reader->exchange, bytes, length, DELIVER_RESPONSE_KEEP);
}

void raw_reader_feed(struct raw_reader *reader, const char *bytes, size_t length)
{
	while (length > 0 && !reader->refused) {
		size_t used = length;
		if (reader->state == WITHIN_HEAD) {
			used = take_head(reader, bytes, length);
		} else if (reader->state == WITHIN_CHUNKS) {
			const char *data;
			size_t data_length;
			enum http_chunk event =
			        http_chunked_feed(&reader->chunked, bytes, length, &used, &data, &data_length);
			if (event == HTTP_CHUNK_DATA)
				keep_body(reader, data, data_length);
			else if (event == HTTP_CHUNK_END)
				end_response(reader);
			reader->refused |= event == HTTP_CHUNK_REFUSED;
		} else {
			used = reader->left < length ? (size_t)reader->left : length;
			keep_body(reader, bytes, used);
			reader->left -= reader->left == LENGTH_UNKNOWN ? 0 : used;
			if (reader->left == 0)
				end_response(reader);
		}
		bytes += used;
		length -= used;
		/* Reads no more of a response that does not end. */
		reader->refused |= reader->exchange->response_length > DELIVER_RESPONSE_READ;
	}
}

void raw_reader_end(struct raw_reader *reader)
{
	if (reader->state == WITHIN_LENGTH && reader->left == LENGTH_UNKNOWN)
		end_response(reader);
}

bool raw_reader_is_within(const struct raw_reader *reader)
{
	return reader->state != WITHIN_HEAD || reader->head.length > 0;
}

struct raw {
	const struct deliver_options *options;
	const struct raw_script *script;
	const struct signals *signals;
	struct exchange *exchange;
	CURLM *multi; /* keeps the connection of `easy` as long as it is there */
	CURL *easy;
	struct curl_slist *connect_to;
	curl_socket_t fd;
	struct raw_reader reader;
	size_t sent;    /* bytes of the script */
	size_t step;    /* under way */
	int64_t due_ns; /* of that step; 0: it is not known yet */
	int64_t end_ns; /* of the whole */
	bool ended;     /* the other side has closed, or nothing can be sent any more */
	bool reset;     /* and not in order */
	bool shut;      /* writing was ended */
	bool interrupted;
	char error[CURL_ERROR_SIZE];
};

static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	const struct raw *raw = context;
	const struct deliver_options *o = raw->options;
	(void)purpose;
	if (o->may_connect && !o->may_connect(o->may_connect_context, &address->addr))
		return CURL_SOCKET_BAD;
	return system_socket(address->family, address->socktype, address->protocol, true);
}

static int set_up(struct raw *raw, struct error *err)
{
	const struct deliver_options *o = raw->options;
	if (make_list(&o->connect_to, &raw->connect_to) < 0)
		return error_no_memory(err);
	raw->easy = curl_easy_init();
	raw->multi = curl_multi_init();
	if (!raw->easy || !raw->multi)
		return error_no_memory(err);
	attempt_set_route(raw->easy, o, raw->connect_to);
	curl_easy_setopt(raw->easy, CURLOPT_ERRORBUFFER, raw->error);
	curl_easy_setopt(raw->easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(raw->easy, CURLOPT_OPENSOCKETDATA, raw);
	curl_easy_setopt(raw->easy, CURLOPT_HTTPPROXYTUNNEL, o->proxy ? 1L : 0L);
	curl_easy_setopt(raw->easy, CURLOPT_CERTINFO, 1L);
	if (curl_easy_setopt(raw->easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK ||
	    curl_easy_setopt(raw->easy, CURLOPT_URL, o->url) != CURLE_OK ||
	    curl_easy_setopt(raw->easy, CURLOPT_CONNECT_ONLY, 1L) != CURLE_OK ||
	    curl_multi_add_handle(raw->multi, raw->easy) != CURLM_OK)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot initialise libcurl");
	return 0;
}

static void tear_down(struct raw *raw)
{
	if (raw->multi && raw->easy)
		curl_multi_remove_handle(raw->multi, raw->easy);
	curl_easy_cleanup(raw->easy);
	curl_multi_cleanup(raw->multi);
	curl_slist_free_all(raw->connect_to);
	buffer_release(&raw->reader.head);
}

/* Connects until raw->end_ns, or until a signal waits. */
static CURLcode connect_in_time(struct raw *raw)
{
	bool looks = raw->signals && raw->signals->fd >= 0;
	struct curl_waitfd signals = { looks ? raw->signals->fd : CURL_SOCKET_BAD, CURL_WAIT_POLLIN, 0 };
	int running = 1, unused;
	while (curl_multi_perform(raw->multi, &running) == CURLM_OK && running > 0) {
		int64_t left = raw->end_ns - clock_monotonic_ns();
		if (left <= 0)
			return CURLE_OPERATION_TIMEDOUT;
		if (raw->interrupted)
			return CURLE_ABORTED_BY_CALLBACK;
		int ms = left < LONGEST_POLL * CLOCK_NS_PER_MS ? (int)(left / CLOCK_NS_PER_MS) + 1 : LONGEST_POLL;
		curl_multi_poll(raw->multi, &signals, looks, ms, NULL);
		raw->interrupted = (signals.revents & CURL_WAIT_POLLIN) != 0;
	}
	const CURLMsg *message = curl_multi_info_read(raw->multi, &unused);
	return message ? message->data.result : CURLE_OUT_OF_MEMORY;
}

/* Whether the proxy refuses the tunnel itself, and not because it cannot reach the server; requests to http:// need
 * none. */
static bool has_no_tunnel(const struct raw *raw)
{
	long status = 0;
	if (!raw->options->proxy || strncasecmp(raw->options->url, "http:", 5) != 0)
		return false;
	curl_easy_getinfo(raw->easy, CURLINFO_HTTP_CONNECTCODE, &status);
	return status >= 400 && status != 502 && status != 503 && status != 504;
}

/* False: there is no connection, and the exchange says why. */
static bool open_connection(struct raw *raw)
{
	struct exchange *x = raw->exchange;
	x->started_ns = clock_monotonic_ns();
	CURLcode code = connect_in_time(raw);
	raw->fd = CURL_SOCKET_BAD;
	if (code == CURLE_OK)
		code = curl_easy_getinfo(raw->easy, CURLINFO_ACTIVESOCKET, &raw->fd);
	x->sent_ns = clock_monotonic_ns();
	if (raw->fd != CURL_SOCKET_BAD)
		return true;
	x->outcome = DELIVER_FAILED;
	long number = 0;
	curl_easy_getinfo(raw->easy, CURLINFO_OS_ERRNO, &number);
	x->failure = code == CURLE_OPERATION_TIMEDOUT ? DELIVER_TIMED_OUT
	             : number == ECONNREFUSED         ? DELIVER_REFUSED
	             : has_no_tunnel(raw)             ? DELIVER_NO_TUNNEL
	                                              : DELIVER_OTHER_FAILURE;
	const char *words = raw->interrupted                   ? "interrupted"
	                    : code == CURLE_OPERATION_TIMEDOUT ? "the connection timed out"
	                    : number != 0                      ? strerror((int)number)
	                    : raw->error[0] != '\0'            ? raw->error
	                                                       : curl_easy_strerror(code);
	snprintf(x->message, sizeof x->message, "%s", words);
	if (!isupper((unsigned char)x->message[1])) /* SSL stays */
		x->message[0] = (char)tolower((unsigned char)x->message[0]);
	return false;
}

/* The same, of what is not set up yet. */
static bool make_connection(struct raw *raw)
{
	struct error err;
	if (set_up(raw, &err) == 0)
		return open_connection(raw);
	snprintf(raw->exchange->message, sizeof raw->exchange->message, "%.*s", (int)sizeof raw->exchange->message - 1,
	         err.message);
	return false;
}

/* Whether the step may go: at once, or at due_ns. */
static bool is_due(struct raw *raw, int64_t now)
{
	const struct raw_step *step = &raw->script->steps[raw->step];
	if (raw->reader.responses < step->after)
		return false;
	if (raw->due_ns == 0)
		raw->due_ns = now + step->pause_ns;
	return raw->due_ns <= now;
}

static bool has_steps(const struct raw *raw)
{
	return raw->step < raw->script->step_count && !raw->ended;
}

static void send_step(struct raw *raw)
{
	const struct raw_step *step = &raw->script->steps[raw->step];
	size_t sent = 0;
	CURLcode code = curl_easy_send(raw->easy, raw->script->text.data + raw->sent, step->end - raw->sent, &sent);
	raw->sent += sent;
	if (code != CURLE_OK && code != CURLE_AGAIN) {
		raw->step = raw->script->step_count; /* what it responded before may still be read */
		return;
	}
	if (raw->sent < step->end)
		return;
	raw->step++;
	raw->due_ns = 0;
}

/* False: nothing waits. poll() does not see what TLS has decoded already. */
static bool receive(struct raw *raw)
{
	char bytes[PIECE];
	size_t got = 0;
	CURLcode code = curl_easy_recv(raw->easy, bytes, sizeof bytes, &got);
	if (code == CURLE_AGAIN)
		return false;
	if (code == CURLE_OK && got > 0) {
		raw_reader_feed(&raw->reader, bytes, got);
		return true;
	}
	raw->ended = true;
	raw->reset = code != CURLE_OK;
	if (!raw->reset)
		raw_reader_end(&raw->reader);
	return true;
}

/* Waits for the socket, the next step or a signal. */
static void wait_for_more(struct raw *raw, bool writes, int64_t now)
{
	bool waits_for_time = has_steps(raw) && !writes && raw->due_ns > 0 && raw->due_ns < raw->end_ns;
	int64_t ms = ((waits_for_time ? raw->due_ns : raw->end_ns) - now + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
	struct pollfd fds[2] = { { raw->fd, (short)(POLLIN | (writes ? POLLOUT : 0)), 0 },
		                 { raw->signals ? raw->signals->fd : -1, POLLIN, 0 } };
	poll(fds, 2, ms < 0 ? 0 : ms > LONGEST_POLL ? LONGEST_POLL : (int)ms);
	raw->interrupted = (fds[1].revents & POLLIN) != 0;
}

static void converse(struct raw *raw, unsigned wanted)
{
	for (;;) {
		int64_t now = clock_monotonic_ns();
		raw->ended |= raw->reader.closes && !raw_reader_is_within(&raw->reader);
		if (raw->ended || raw->interrupted || raw->reader.refused || raw->reader.responses >= wanted ||
		    now >= raw->end_ns)
			return;
		bool writes = has_steps(raw) && is_due(raw, now);
		if (writes)
			send_step(raw);
		if (!has_steps(raw) && raw->script->end_writing && !raw->shut) {
			raw->shut = true;
			shutdown(raw->fd, SHUT_WR);
		}
		if (!receive(raw))
			wait_for_more(raw, writes && has_steps(raw), clock_monotonic_ns());
	}
}

static void sum_up(struct raw *raw, unsigned wanted)
{
	struct exchange *x = raw->exchange;
	x->finished_ns = clock_monotonic_ns();
	x->latency_ns = x->finished_ns - x->started_ns;
	x->body_sent = raw->sent;
	bool is_too_long = x->response_length > DELIVER_RESPONSE_READ;
	if (raw->reader.responses >= wanted && !is_too_long) {
		x->outcome = DELIVER_RESPONDED;
		return;
	}
	x->outcome = DELIVER_UNKNOWN;
	if (x->status < 300)
		x->status = 0;
	if (raw->interrupted)
		snprintf(x->message, sizeof x->message, "interrupted");
	else if (is_too_long)
		snprintf(x->message, sizeof x->message, "the response is longer than %u MiB",
		         DELIVER_RESPONSE_READ >> 20);
	else if (raw->reader.refused)
		snprintf(x->message, sizeof x->message, "the response is not HTTP");
	else if (raw->ended)
		snprintf(x->message, sizeof x->message, "the connection was %s after %u of %u responses",
		         raw->reset ? "reset" : "closed", raw->reader.responses, wanted);
	else
		snprintf(x->message, sizeof x->message, "timed out after %s with %u of %u responses",
		         DURATION_TEXT(x->latency_ns), raw->reader.responses, wanted);
	x->failure = is_too_long                                             ? DELIVER_TOO_LONG
	             : raw->interrupted || raw->reader.refused || raw->ended ? DELIVER_OTHER_FAILURE
	                                                                     : DELIVER_TIMED_OUT;
}

/* Monotonic; 0: never. */
static int64_t end_of(int64_t max_time_ns)
{
	return max_time_ns > 0 ? clock_monotonic_ns() + max_time_ns : INT64_MAX;
}

int raw_exchange(const struct deliver_options *options, const struct raw_script *script, const struct signals *signals,
                 struct exchange *exchange, struct error *err)
{
	unsigned wanted = script->responses > 0 ? script->responses : 1;
	struct echoes echoes = { .spellings = BUFFER_INIT };
	struct raw raw = { .options = options, .script = script, .signals = signals, .exchange = exchange };
	raw.reader = (struct raw_reader){ .exchange = exchange, .without_body = script->without_body };
	if (script->text.failed)
		return error_no_memory(err);
	int result = set_up(&raw, err);
	raw.end_ns = end_of(script->max_time_ns > 0 ? script->max_time_ns : options->max_time_ns);
	if (result == 0 && open_connection(&raw)) {
		converse(&raw, wanted);
		sum_up(&raw, wanted);
	}
	echoes_collect(options, &echoes);
	echoes_mask_exchange(options, &echoes, exchange);
	echoes_release(&echoes);
	exchange_set_response(exchange);
	tear_down(&raw);
	return result;
}

int raw_certificate_end(const struct deliver_options *options, const struct signals *signals, struct exchange *exchange,
                        int64_t *end)
{
	static const char name[] = "Expire date:";
	struct raw raw = {
		.options = options, .signals = signals, .exchange = exchange, .end_ns = end_of(options->max_time_ns)
	};
	struct curl_certinfo *info = NULL;
	const struct curl_slist *line = NULL;
	bool is_open = make_connection(&raw);
	if (is_open && curl_easy_getinfo(raw.easy, CURLINFO_CERTINFO, &info) == CURLE_OK && info &&
	    info->num_of_certs > 0)
		line = info->certinfo[0];
	while (line && strncmp(line->data, name, sizeof name - 1) != 0)
		line = line->next;
	int64_t read = line ? (int64_t)curl_getdate(line->data + sizeof name - 1, NULL) : 0;
	*end = read > 0 ? read : 0;
	tear_down(&raw);
	return is_open ? 1 : raw.interrupted ? -1 : 0;
}

bool raw_look(const struct deliver_options *options, int64_t most_ns, const struct signals *signals,
              struct exchange *exchange)
{
	struct raw raw = {
		.options = options, .signals = signals, .exchange = exchange, .end_ns = clock_monotonic_ns() + most_ns
	};
	bool is_open = make_connection(&raw);
	tear_down(&raw);
	return is_open || exchange->failure == DELIVER_NO_TUNNEL;
}

int raw_wait(const struct deliver_options *options, int64_t most_ns, const struct signals *signals,
             struct exchange *exchange)
{
	int64_t end = clock_monotonic_ns() + most_ns;
	struct exchange refused = { .failure = DELIVER_TIMED_OUT };
	for (;;) {
		struct raw raw = { .options = options, .signals = signals, .exchange = exchange, .end_ns = end };
		bool is_open = make_connection(&raw);
		tear_down(&raw);
		if (exchange->failure == DELIVER_REFUSED) {
			refused = *exchange;
		} else if (!is_open && exchange->failure == DELIVER_TIMED_OUT && refused.failure == DELIVER_REFUSED) {
			/* The last attempt had no time for what all others said. */
			exchange->failure = refused.failure;
			exchange->hint = refused.hint;
			memcpy(exchange->message, refused.message, sizeof exchange->message);
		}
		int64_t left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
		if (is_open || exchange->failure == DELIVER_NO_TUNNEL)
			return 1;
		if (raw.interrupted)
			return -1;
		if (left <= 0)
			return 0;
		if (!signals_wait_input(signals, -1, left < WAIT_PAUSE ? (int)left : WAIT_PAUSE))
			return -1;
		if (clock_monotonic_ns() >= end) /* an attempt without time for it would only say so */
			return 0;
	}
}
