/* A deliverer that sends nothing, and a clock on which waiting takes no time: for tests of what uses them. */
#ifndef CREDHOOK_TESTS_DELIVER_FAKE_H
#define CREDHOOK_TESTS_DELIVER_FAKE_H

#include "deliver/delivery_run.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define MS   CLOCK_NS_PER_MS
#define SENT 32

/* What responds, and what it saw. A body says what happens: "503", "503,200" at the first attempt and later, "-" no
 * connection, "?" no response, "!" refused before it is sent; nothing is 200. A response takes `takes_ns`. */
struct fake {
	int64_t now_ns;
	int64_t takes_ns;
	unsigned most_room; /* for fewer at once than it is asked for; 0: as it is asked for */
	unsigned in_flight, most_in_flight;
	int64_t started_ns[SENT]; /* since the beginning, in order */
	char bodies[SENT][16];
	size_t sent;
};

struct fake_response {
	struct deliverer *deliverer;
	struct exchange *exchange;
	struct loop_timer timer;
};

struct deliverer {
	struct loop *loop;
	struct fake *fake;
	unsigned concurrency;
	struct fake_response responses[SENT];
};

static int64_t fake_now(void *context)
{
	const struct fake *fake = context;
	return fake->now_ns;
}

static void fake_wait_until(void *context, int64_t due)
{
	struct fake *fake = context;
	fake->now_ns = due;
}

static struct deliverer *fake_make(struct loop *loop, const struct deliver_options *options, struct error *err)
{
	struct deliverer *d = calloc(1, sizeof *d);
	(void)err;
	d->loop = loop;
	d->concurrency = options->concurrency;
	d->fake = (struct fake *)(uintptr_t)options->may_connect_context;
	return d;
}

static void fake_free(struct deliverer *d)
{
	for (size_t i = 0; i < SENT; i++)
		loop_timer_cancel(d->loop, &d->responses[i].timer);
	free(d);
}

static void fake_respond(void *context)
{
	struct fake_response *r = context;
	struct fake *fake = r->deliverer->fake;
	struct exchange *d = r->exchange;
	const char *body = d->request.body.text, *later = strchr(body, ',');
	for (size_t i = 0; later && i < fake->sent; i++)
		if (strcmp(fake->bodies[i], d->request.body.text) == 0 && fake->started_ns[i] < d->started_ns)
			body = later + 1;
	d->finished_ns = loop_now(r->deliverer->loop);
	d->latency_ns = d->finished_ns - d->started_ns;
	d->transient = body[0] == '-';
	d->outcome = body[0] == '-' ? DELIVER_FAILED : body[0] == '?' ? DELIVER_UNKNOWN : DELIVER_RESPONDED;
	d->status = d->outcome != DELIVER_RESPONDED ? 0 : body[0] ? atoi(body) : 200;
	fake->in_flight--;
	r->exchange = NULL;
	d->done(d->context, d);
}

static unsigned fake_room(const struct deliverer *d)
{
	unsigned most = d->fake->most_room > 0 ? d->fake->most_room : d->concurrency;
	return most - d->fake->in_flight;
}

static bool fake_submit(struct deliverer *deliverer, struct exchange *d)
{
	struct fake *fake = deliverer->fake;
	struct fake_response *r = deliverer->responses;
	d->outcome = DELIVER_FAILED;
	d->transient = false;
	strcpy(d->message, "refused");
	if (d->request.body.text[0] == '!')
		return false;
	while (r->exchange)
		r++;
	assert_true(fake->sent < SENT);
	*r = (struct fake_response){ deliverer, d, { .fire = fake_respond, .context = r } };
	d->started_ns = d->sent_ns = fake->started_ns[fake->sent] = loop_now(deliverer->loop);
	d->message[0] = '\0';
	strncpy(fake->bodies[fake->sent++], d->request.body.text, sizeof fake->bodies[0] - 1);
	fake->most_in_flight = ++fake->in_flight > fake->most_in_flight ? fake->in_flight : fake->most_in_flight;
	loop_timer_set(deliverer->loop, &r->timer, d->started_ns + fake->takes_ns);
	return true;
}

static const struct pool_deliverer fake_deliverer = { fake_make, fake_room, fake_submit, fake_free };

#endif
