#include "http/deliver.h"

#include "base/clock.h"
#include "http/deliver_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct deliverer *deliverer_new(struct loop *loop, const struct deliver_options *options, struct error *err)
{
	if (check_options(options, err) < 0)
		return NULL;
	struct deliverer *d = calloc(1, sizeof *d);
	if (!d) {
		error_no_memory(err);
		return NULL;
	}
	d->loop = loop;
	d->options = options;
	d->concurrency = options->concurrency > 0 ? options->concurrency : 1;
	d->response_keep = options->response_keep > 0 ? options->response_keep : DELIVER_RESPONSE_KEEP;
	collect_echoes(options, &d->echoes);
	if (engine_init(d, err) < 0)
		goto failed;
	d->url = parse_url(options->url, err);
	if (!d->url)
		goto failed;
	d->headers = make_headers(options, NULL, false);
	d->headers_big = make_headers(options, NULL, true);
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
	attempt->delivery = NULL;
	attempt->next = attempt->multi->free;
	attempt->multi->free = attempt;
}

void deliverer_free(struct deliverer *d)
{
	if (!d)
		return;
	while (d->live) {
		struct attempt *attempt = d->live;
		d->live = attempt->next;
		engine_remove(attempt);
		put_into_pool(attempt);
	}
	engine_release(d);
	curl_url_cleanup(d->url);
	curl_slist_free_all(d->headers);
	curl_slist_free_all(d->headers_big);
	curl_slist_free_all(d->connect_to);
	echoes_release(&d->echoes);
	free(d);
}

void delivery_release(struct delivery *delivery)
{
	buffer_release(&delivery->response);
	buffer_release(&delivery->response_head);
	buffer_release(&delivery->trace);
}

static struct multi *emptiest_multi(struct deliverer *d)
{
	struct multi *best = &d->multis[0];
	for (unsigned i = 1; i < d->multi_count; i++)
		if (d->multis[i].in_flight < best->in_flight)
			best = &d->multis[i];
	return best;
}

static void link_live(struct deliverer *d, struct attempt *attempt)
{
	attempt->previous = NULL;
	attempt->next = d->live;
	if (d->live)
		d->live->previous = attempt;
	d->live = attempt;
	d->in_flight++;
}

static void unlink_live(struct deliverer *d, struct attempt *attempt)
{
	if (attempt->previous)
		attempt->previous->next = attempt->next;
	else
		d->live = attempt->next;
	if (attempt->next)
		attempt->next->previous = attempt->previous;
	d->in_flight--;
}

static bool start(struct deliverer *d, struct delivery *delivery)
{
	struct multi *multi = emptiest_multi(d);
	struct attempt *attempt = multi->free;
	if (attempt)
		multi->free = attempt->next;
	else
		attempt = attempt_new(multi);
	if (!attempt)
		return false;
	if (attempt_prepare(attempt, delivery) < 0 || engine_add(attempt) < 0) {
		put_into_pool(attempt);
		return false;
	}
	link_live(d, attempt);
	return true;
}

/* libcurl accepts a head that ends early; and if the body is too long, it was our callback that ended the transfer. */
static bool has_whole_response(const struct attempt *attempt, CURLcode code)
{
	const struct delivery *delivery = attempt->delivery;
	if (delivery->status == 0 || !attempt->head_ended)
		return false;
	return code == CURLE_OK || (code == CURLE_WRITE_ERROR && delivery->response_length > DELIVER_RESPONSE_READ);
}

void collect_echoes(const struct deliver_options *options, struct echoes *echoes)
{
	for (size_t i = 0; i < options->headers.count; i++)
		echoes_add_header(echoes, options->headers.items[i]);
	echoes_add_url(echoes, options->url);
	if (options->proxy)
		echoes_add_url(echoes, options->proxy);
}

static void mask_array(const struct echoes *echoes, char *text, size_t size)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	if (text[0] == '\0' || (echoes->spellings.length == 0 && !echoes->spellings.failed))
		return;
	buffer_append_text(&masked, text);
	echoes_mask(echoes, &masked, masked.length + 1 == size);
	if (masked.length < size)
		memcpy(text, buffer_text(&masked), masked.length + 1);
	text[size - 1] = '\0';
}

static void mask_results(const struct echoes *echoes, struct delivery *delivery)
{
	echoes_mask(echoes, &delivery->response, delivery->response_cut);
	echoes_mask(echoes, &delivery->response_head, false);
	echoes_mask(echoes, &delivery->trace, false);
	mask_array(echoes, delivery->response_location, sizeof delivery->response_location);
	mask_array(echoes, delivery->message, sizeof delivery->message);
}

void mask_echoes(const struct deliver_options *options, const struct echoes *echoes, struct delivery *delivery)
{
	if (options->keep_echoes)
		return;
	mask_results(echoes, delivery);
	if (delivery->headers.length == 0 && !delivery->url)
		return;
	struct echoes own = { .spellings = BUFFER_INIT };
	for (const char *line = NULL; (line = deliver_next_line(&delivery->headers, line)) != NULL;)
		echoes_add_header(&own, line);
	if (delivery->url)
		echoes_add_url(&own, delivery->url);
	mask_results(&own, delivery);
	echoes_release(&own);
}

void deliver_finish(struct attempt *attempt, CURLcode code)
{
	struct deliverer *d = attempt->multi->deliverer;
	struct delivery *delivery = attempt->delivery;
	delivery->finished_ns = clock_monotonic_ns();
	delivery->latency_ns = delivery->finished_ns - delivery->started_ns;
	delivery->body_sent = attempt_body_sent(attempt);
	if (has_whole_response(attempt, code))
		delivery->outcome = DELIVER_RESPONDED;
	else if (delivery->status != 0 || attempt_sent(attempt))
		delivery->outcome = DELIVER_UNKNOWN;
	else
		delivery->outcome = DELIVER_FAILED;
	if (delivery->outcome == DELIVER_FAILED)
		delivery->sent_ns = 0;
	if (delivery->outcome != DELIVER_RESPONDED)
		explain(attempt, code);
	d->warm = true;
	if (attempt->connecting) {
		curl_socket_t fd = CURL_SOCKET_BAD; /* unchanged unless the connection was kept */
		curl_easy_getinfo(attempt->easy, CURLINFO_ACTIVESOCKET, &fd);
		engine_settle(d, fd);
	}
	mask_echoes(d->options, &d->echoes, delivery);
	engine_remove(attempt);
	unlink_live(d, attempt);
	put_into_pool(attempt);
	delivery->done(delivery->context, delivery);
}

unsigned deliverer_room(const struct deliverer *d)
{
	unsigned most = d->warm ? d->concurrency : 1;
	return !d->aborted && d->in_flight < most ? most - d->in_flight : 0;
}

bool deliverer_submit(struct deliverer *d, struct delivery *delivery)
{
	struct error err;
	buffer_clear(&delivery->response);
	buffer_clear(&delivery->response_head);
	buffer_clear(&delivery->trace);
	memset(&delivery->outcome, 0, sizeof *delivery - offsetof(struct delivery, outcome));
	delivery->started_ns = clock_monotonic_ns();
	bool is_valid = check_delivery(d->options, delivery, &err) == 0;
	if (is_valid && start(d, delivery))
		return true;
	delivery->outcome = DELIVER_FAILED;
	delivery->finished_ns = delivery->started_ns;
	delivery->failure = DELIVER_OTHER_FAILURE;
	snprintf(delivery->message, sizeof delivery->message, "%.*s", (int)sizeof delivery->message - 1,
	         is_valid ? "out of memory" : err.message);
	return false;
}

void deliverer_abort_all(struct deliverer *d)
{
	d->aborted = true;
	while (d->live)
		deliver_finish(d->live, CURLE_ABORTED_BY_CALLBACK);
}
