#include "http/deliver.h"

#include "base/clock.h"
#include "base/url.h"
#include "http/deliver_internal.h"
#include "http/head.h"
#include "http/tls.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libcurl counts whole seconds and reuses at exactly this many, so 3 is "under 4 s"; node closes after 5. */
#define IDLE_SECONDS 3L
#define LINE_KEPT    4096 /* bytes, for the next delivery */

/* For curl_url_cleanup(). */
static CURLU *parse_url(const char *url, struct error *err)
{
	struct url parsed;
	const char *why = url_parse(url, &parsed);
	if (!why && strcmp(parsed.scheme, "http") != 0 && strcmp(parsed.scheme, "https") != 0)
		why = "the scheme is not http or https";
	CURLU *parts = why ? NULL : curl_url();
	if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK)
		return parts;
	curl_url_cleanup(parts);
	if (why)
		error_set(err, EXIT_CODE_USAGE, "cannot send to '%s': %s", url, why);
	else
		error_no_memory(err);
	return NULL;
}

/* The file of the system's certificate authorities (PEM); empty: libcurl knows them. NULL: there are none. */
static const char *find_authorities(void)
{
	/* Where distributions keep them, for a libcurl that was built without knowing: the static binary's. */
	static const char *const places[] = { "/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch, Alpine */
		                              "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",   /* Fedora */
		                              "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", NULL }; /* SUSE */
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	const char *const *place = places;
	if (curl->cainfo || curl->capath)
		return "";
	while (*place && access(*place, R_OK) != 0)
		place++;
	return *place;
}

static int check_options(const struct deliver_options *o, struct error *err)
{
	if (o->concurrency > DELIVER_MAX_CONCURRENCY)
		return error_set(err, EXIT_CODE_USAGE, "the concurrency %u is higher than %d", o->concurrency,
		                 DELIVER_MAX_CONCURRENCY);
	for (size_t i = 0; i < o->header_count; i++) {
		const struct header *h = &o->headers[i];
		if (header_check(h, err) < 0)
			return -1;
		if (header_is(h, "Content-Length"))
			return error_set(err, EXIT_CODE_USAGE, "cannot set the header 'Content-Length'");
		if (header_is(h, "Transfer-Encoding") && !http_is_word(h->value.text, h->value.length, "chunked"))
			return error_set(err, EXIT_CODE_USAGE, "the header 'Transfer-Encoding' can only be 'chunked'");
	}
	if (http_check_file(o->cacert, err) < 0 || http_check_file(o->cert, err) < 0 ||
	    http_check_file(o->key, err) < 0)
		return -1;
	return 0;
}

/* Lines for libcurl, whose own function goes to the end for each. Zero-initialise. */
struct lines {
	struct curl_slist *first, *last;
	bool failed;
};

static void append(struct lines *lines, const char *line)
{
	struct curl_slist *one = curl_slist_append(NULL, line);
	lines->failed |= !one;
	if (!one)
		return;
	*(lines->last ? &lines->last->next : &lines->first) = one;
	lines->last = one;
}

int make_list(const struct text_list *list, struct curl_slist **out)
{
	struct lines lines = { .failed = false };
	for (size_t i = 0; i < list->count; i++)
		append(&lines, list->items[i]);
	*out = lines.first;
	return lines.failed ? -1 : 0;
}

/* All headers that go out with the request, in libcurl's syntax, written in `scratch` one by one. NULL: out of memory.
 */
static struct curl_slist *make_headers(const struct deliver_options *options, const struct message *request,
                                       struct buffer *scratch)
{
	struct lines lines = { .failed = false };
	struct header *headers;
	struct message sent;
	lines.failed = deliver_request(options, request, &headers, &sent) < 0;
	for (size_t i = 0; !lines.failed && i < sent.header_count; i++) {
		buffer_clear(scratch);
		header_append_option(&headers[i], scratch);
		lines.failed = scratch->failed;
		append(&lines, buffer_text(scratch));
	}
	free(headers);
	if (!lines.failed)
		return lines.first;
	curl_slist_free_all(lines.first);
	return NULL;
}

static long request_bytes(const struct attempt *attempt)
{
	long bytes = 0;
	curl_easy_getinfo(attempt->easy, CURLINFO_REQUEST_SIZE, &bytes);
	return bytes;
}

/* Called with the connection ready, before the request is sent: allow it once, never twice. */
static int on_request(void *context, char *ip, char *local_ip, int port, int local_port)
{
	(void)ip;
	(void)local_ip;
	(void)port;
	(void)local_port;
	struct attempt *attempt = context;
	if (attempt->going_out) {
		attempt->refused = true;
		return CURL_PREREQFUNC_ABORT;
	}
	attempt->going_out = true;
	attempt->size_before = request_bytes(attempt);
	attempt->multi->deliverer->warm = true;
	attempt->exchange->sent_ns = clock_monotonic_ns();
	return CURL_PREREQFUNC_OK;
}

/* No new connection for a request that was already sent: on_request() would refuse it anyway. */
static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	(void)purpose;
	struct attempt *attempt = context;
	if (attempt->going_out) {
		attempt->refused = true;
		return CURL_SOCKET_BAD;
	}
	const struct deliver_options *o = attempt->multi->deliverer->options;
	if (o->may_connect && !o->may_connect(o->may_connect_context, &address->addr)) {
		attempt->forbidden = true;
		return CURL_SOCKET_BAD;
	}
	attempt->connecting = true;
	curl_socket_t fd =
	        engine_open_socket(attempt->multi->deliverer, address->family, address->socktype, address->protocol);
	if (fd == CURL_SOCKET_BAD)
		attempt->socket_errno = errno;
	return fd;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
	struct attempt *attempt = context;
	struct exchange *exchange = attempt->exchange;
	size_t length = size * count;
	exchange_keep_body(exchange, bytes, length, attempt->multi->deliverer->response_keep);
	return exchange->response_length > attempt->multi->deliverer->response_most ? 0 : length;
}

static size_t on_head(char *line, size_t size, size_t count, void *context)
{
	struct attempt *attempt = context;
	struct exchange *x = attempt->exchange;
	size_t length = size * count;
	struct header field;
	attempt->head_bytes += length;
	if (attempt->head_bytes > DELIVER_HEAD_READ)
		return 0;
	if (length > 5 && memcmp(line, "HTTP/", 5) == 0) {
		long status = 0; /* as libcurl has read it from this line */
		curl_easy_getinfo(attempt->easy, CURLINFO_RESPONSE_CODE, &status);
		if (status >= 200 || status == 101)
			x->status = (int)status;
	} else if (x->status != 0) {
		attempt->head_ended = attempt->head_ended || line[0] == '\r' || line[0] == '\n';
		if (!attempt->head_ended && header_read(line, length, &field))
			exchange_keep_field(x, &field);
	}
	return length;
}

/* curl_debug_callback: a head of a request comes as a whole, that of a response line by line. */
static int on_trace(CURL *easy, curl_infotype type, char *bytes, size_t size, void *context)
{
	const struct attempt *attempt = context;
	const char *direction = type == CURLINFO_HEADER_OUT ? "> " : type == CURLINFO_HEADER_IN ? "< " : NULL;
	struct buffer *trace = &attempt->exchange->trace;
	(void)easy;
	for (size_t at = 0; direction && at < size && trace->length < DELIVER_HEAD_READ;) {
		const char *newline = memchr(bytes + at, '\n', size - at);
		size_t end = newline ? (size_t)(newline - bytes) : size;
		size_t shown = end > at && bytes[end - 1] == '\r' ? end - 1 : end;
		buffer_append_text(trace, direction);
		buffer_append(trace, bytes + at, shown - at);
		buffer_append_byte(trace, '\n');
		at = end + 1;
	}
	return 0;
}

static long to_milliseconds(int64_t nanoseconds)
{
	int64_t ms = nanoseconds / CLOCK_NS_PER_MS + (nanoseconds % CLOCK_NS_PER_MS != 0);
	return ms > INT_MAX ? INT_MAX : (long)ms;
}

void attempt_set_route(CURL *easy, const struct deliver_options *o, struct curl_slist *connect_to)
{
	const char *found = find_authorities(), *file = found && *found ? found : NULL;
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* libcurl's minimum: it allocates the buffer for each request, and responses are short. */
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 1024L);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L); /* a recorded target is sent unchanged */
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, IDLE_SECONDS);
	curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, o->fresh_connections ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, to_milliseconds(o->connect_timeout_ns));
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, to_milliseconds(o->max_time_ns));
	/* Set even if there is none, or libcurl uses http_proxy and no_proxy. */
	curl_easy_setopt(easy, CURLOPT_PROXY, o->proxy ? o->proxy : "");
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, o->insecure ? 0L : 1L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, o->insecure ? 0L : 2L);
	if (o->cacert || (file && !o->capath))
		curl_easy_setopt(easy, CURLOPT_CAINFO, o->cacert ? o->cacert : file);
	if (o->capath)
		curl_easy_setopt(easy, CURLOPT_CAPATH, o->capath);
	if (!o->proxy) { /* or each request copies them */
		curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, NULL);
		curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
	} else if (file) {
		curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, file);
	}
	curl_easy_setopt(easy, CURLOPT_SSLCERT, o->cert);
	curl_easy_setopt(easy, CURLOPT_SSLKEY, o->key);
	curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
#if LIBCURL_VERSION_NUM >= 0x075700
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* do not wait for the resolver thread */
#endif
}

static struct attempt *attempt_new(struct multi *multi)
{
	struct deliverer *d = multi->deliverer;
	struct attempt *attempt = calloc(1, sizeof *attempt);
	if (!attempt)
		return NULL;
	CURL *easy = curl_easy_init(); /* NULL: each of these fails */
	attempt->multi = multi;
	attempt->easy = easy;
	curl_easy_setopt(easy, CURLOPT_SHARE, d->share);
	attempt_set_route(easy, d->options, d->connect_to);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, attempt);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, attempt->error);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_request);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, attempt);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, attempt);
	/* The connection outlives the attempt that made it. */
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, engine_close_socket);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, d);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, attempt);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_head);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, attempt);
	curl_easy_setopt(easy, CURLOPT_VERBOSE, d->options->keep_trace ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_trace);
	curl_easy_setopt(easy, CURLOPT_DEBUGDATA, attempt);
	tls_watch(attempt);
	if (curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK ||
	    curl_easy_setopt(easy, CURLOPT_POST, 1L) != CURLE_OK ||
	    curl_easy_setopt(easy, CURLOPT_CURLU, d->url) != CURLE_OK) {
		attempt_free(attempt);
		return NULL;
	}
	return attempt;
}

void attempt_free(struct attempt *attempt)
{
	curl_easy_cleanup(attempt->easy);
	curl_slist_free_all(attempt->headers);
	buffer_release(&attempt->line);
	free(attempt);
}

static int attempt_prepare(struct attempt *attempt, struct exchange *exchange)
{
	struct deliverer *d = attempt->multi->deliverer;
	const struct message *request = &exchange->request;
	const char *url = request->target.text, *method = request->method.text;
	struct curl_slist *headers = request->body.length > EXPECT_ABOVE ? d->headers_big : d->headers;
	curl_slist_free_all(attempt->headers);
	attempt->headers = NULL;
	if (attempt->line.capacity > LINE_KEPT)
		buffer_release(&attempt->line);
	if (request->header_count > 0) {
		attempt->headers = make_headers(d->options, request, &attempt->line);
		if (!attempt->headers)
			return -1;
		headers = attempt->headers;
	}
	/* In this order: since 8.12 libcurl forgets the URL when it is given a handle, or NULL for one. */
	if (attempt->own_url != (url != NULL) &&
	    curl_easy_setopt(attempt->easy, CURLOPT_CURLU, url ? NULL : d->url) != CURLE_OK)
		return -1;
	if (url && curl_easy_setopt(attempt->easy, CURLOPT_URL, url) != CURLE_OK)
		return -1;
	attempt->own_url = url != NULL;
	if ((method || attempt->own_method) &&
	    curl_easy_setopt(attempt->easy, CURLOPT_CUSTOMREQUEST, method) != CURLE_OK)
		return -1;
	attempt->own_method = method != NULL;
	curl_easy_setopt(attempt->easy, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(attempt->easy, CURLOPT_POSTFIELDS, request->body.text ? request->body.text : "");
	curl_easy_setopt(attempt->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.length);
	memset(&attempt->exchange, 0, sizeof *attempt - offsetof(struct attempt, exchange));
	attempt->exchange = exchange;
	return 0;
}

struct deliverer *deliverer_new(struct loop *loop, const struct deliver_options *options, struct error *err)
{
	if (check_options(options, err) < 0)
		return NULL;
	LOCAL_BUFFER line = BUFFER_INIT;
	struct deliverer *d = calloc(1, sizeof *d);
	if (!d)
		return error_no_memory_null(err);
	d->loop = loop;
	d->options = options;
	d->concurrency = options->concurrency > 0 ? options->concurrency : 1;
	d->response_keep = options->response_keep > 0 ? options->response_keep : DELIVER_RESPONSE_KEEP;
	d->response_most = d->response_keep > DELIVER_RESPONSE_READ ? d->response_keep : DELIVER_RESPONSE_READ;
	d->has_authorities = options->cacert || options->capath || find_authorities();
	echoes_collect(options, &d->echoes);
	if (engine_init(d, err) < 0)
		goto failed;
	d->url = parse_url(options->url, err);
	if (!d->url)
		goto failed;
	d->headers = make_headers(options, &(struct message){ .headers = NULL }, &line);
	d->headers_big = make_headers(options, &(struct message){ .body.length = EXPECT_ABOVE + 1 }, &line);
	if (!d->headers || !d->headers_big || make_list(&options->connect_to, &d->connect_to) < 0) {
		error_no_memory(err);
		goto failed;
	}
	return d;
failed:
	deliverer_free(d);
	return NULL;
}

static void put_into_pool(struct attempt *attempt)
{
	attempt->exchange = NULL;
	attempt->next = attempt->multi->free;
	attempt->multi->free = attempt;
}

static void attempt_remove(struct attempt *attempt)
{
	struct deliverer *d = attempt->multi->deliverer;
	curl_multi_remove_handle(attempt->multi->handle, attempt->easy);
	attempt->multi->in_flight--;
	if (attempt->previous)
		attempt->previous->next = attempt->next;
	else
		d->live = attempt->next;
	if (attempt->next)
		attempt->next->previous = attempt->previous;
	d->in_flight--;
	put_into_pool(attempt);
}

void deliverer_free(struct deliverer *d)
{
	if (!d)
		return;
	while (d->live)
		attempt_remove(d->live);
	engine_release(d);
	curl_url_cleanup(d->url);
	curl_slist_free_all(d->headers);
	curl_slist_free_all(d->headers_big);
	curl_slist_free_all(d->connect_to);
	echoes_release(&d->echoes);
	free(d);
}

static bool start(struct deliverer *d, struct exchange *exchange)
{
	struct multi *multi = &d->multis[0]; /* the emptiest */
	for (unsigned i = 1; i < d->multi_count; i++)
		if (d->multis[i].in_flight < multi->in_flight)
			multi = &d->multis[i];
	struct attempt *attempt = multi->free;
	if (attempt)
		multi->free = attempt->next;
	else
		attempt = attempt_new(multi);
	if (!attempt)
		return false;
	if (attempt_prepare(attempt, exchange) < 0 || curl_multi_add_handle(multi->handle, attempt->easy) != CURLM_OK) {
		put_into_pool(attempt);
		return false;
	}
	multi->in_flight++;
	attempt->previous = NULL;
	attempt->next = d->live;
	if (d->live)
		d->live->previous = attempt;
	d->live = attempt;
	d->in_flight++;
	return true;
}

void deliver_finish(struct attempt *attempt, CURLcode code)
{
	struct deliverer *d = attempt->multi->deliverer;
	struct exchange *exchange = attempt->exchange;
	curl_off_t uploaded = 0;
	curl_easy_getinfo(attempt->easy, CURLINFO_SIZE_UPLOAD_T, &uploaded);
	exchange->finished_ns = clock_monotonic_ns();
	exchange->latency_ns = exchange->finished_ns - exchange->started_ns;
	exchange->body_sent = uploaded > 0 ? (uint64_t)uploaded : 0;
	bool has_sent = attempt->going_out &&
	                (attempt->lost || request_bytes(attempt) != attempt->size_before || exchange->body_sent > 0);
	/* libcurl accepts a head that ends early. */
	if (code == CURLE_OK && exchange->status != 0 && attempt->head_ended)
		exchange->outcome = DELIVER_RESPONDED;
	else if (exchange->status != 0 || has_sent)
		exchange->outcome = DELIVER_UNKNOWN;
	else
		exchange->outcome = DELIVER_FAILED;
	if (exchange->outcome == DELIVER_FAILED)
		exchange->sent_ns = 0;
	d->has_response |= exchange->status != 0;
	if (exchange->outcome != DELIVER_RESPONDED)
		explain(attempt, code);
	d->warm = true;
	if (attempt->connecting) {
		curl_socket_t fd = CURL_SOCKET_BAD; /* unchanged unless the connection was kept */
		curl_easy_getinfo(attempt->easy, CURLINFO_ACTIVESOCKET, &fd);
		engine_settle(d, fd);
	}
	echoes_mask_exchange(d->options, &d->echoes, exchange);
	exchange_set_response(exchange);
	attempt_remove(attempt);
	exchange->done(exchange->context, exchange);
}

unsigned deliverer_room(const struct deliverer *d)
{
	unsigned most = d->warm ? d->concurrency : 1;
	return !d->aborted && d->in_flight < most ? most - d->in_flight : 0;
}

bool deliverer_submit(struct deliverer *d, struct exchange *exchange)
{
	struct error err;
	buffer_clear(&exchange->kept_head);
	buffer_clear(&exchange->kept_body);
	buffer_clear(&exchange->trace);
	memset(&exchange->outcome, 0, sizeof *exchange - offsetof(struct exchange, outcome));
	exchange->started_ns = clock_monotonic_ns();
	bool is_valid = !exchange->unmade && deliver_check(d->options, &exchange->request, &err) == 0;
	if (is_valid && start(d, exchange))
		return true;
	exchange->outcome = DELIVER_FAILED;
	exchange_set_response(exchange);
	exchange->finished_ns = exchange->started_ns;
	exchange->failure = DELIVER_OTHER_FAILURE;
	snprintf(exchange->message, sizeof exchange->message, "%.*s", (int)sizeof exchange->message - 1,
	         exchange->unmade ? exchange->unmade
	         : is_valid       ? "out of memory"
	                          : err.message);
	return false;
}

void deliverer_abort_all(struct deliverer *d)
{
	d->aborted = true;
	while (d->live)
		deliver_finish(d->live, CURLE_ABORTED_BY_CALLBACK);
}
