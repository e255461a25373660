#include "probe/keep/customer.h"

#include "json/located.h"
#include "json/splice.h"
#include "payload/variants.h"
#include "probe/play/death.h"
#include "probe/play/flight.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/recovery.h"
#include "probe/play/requests.h"
#include "probe/play/still_up.h"
#include "probe/play/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTEGERS_MORE 1900000000
#define INTEGERS_FROM 100000000 /* of identifiers: shorter ones stand in many a line */
#define ALIKE_LAST    5         /* of ten: they share their last digits, the others the first ones */
#define ALIKE_STEP    40960000  /* 65536 * 625: these share their last four digits, and their last 16 bits */

const char *delivery_difference(struct catalog_kind kind)
{
	const struct catalog_field *differs = kind.event->differs;
	return differs ? differs->name : kind.event->element_count > 0 ? "the element" : NULL;
}

size_t customer_life_before(struct catalog_kind kind, struct catalog_kind before[CUSTOMER_BEFORE_MAX])
{
	size_t count = 0;
	if (catalog_event_begins(kind.event, "clientKey"))
		return 0;
	before[count++] = (struct catalog_kind){ catalog_beginning_of("clientKey"), NULL };
	if (kind.event->after)
		catalog_find_kind(kind.event->after, &before[count++], NULL);
	return count;
}

void customer_init(struct customer *c, struct messenger *m)
{
	struct probe_maker *maker = &m->player->maker;
	struct probe_session kept = maker->session;
	c->number = ++m->customers;
	c->generation = 0;
	c->prefix[0] = '\0';
	c->integer = 0;
	c->likeness = (struct likeness){ 0, 0 };
	snprintf(c->mention, sizeof c->mention, " of A%u>", c->number);
	probe_session_init(maker, ++m->salt);
	c->session = maker->session;
	maker->session = kept;
}

/* Gives the maker the prefix of the customer's identifiers, or takes it back. */
static void swap_prefix(struct probe_maker *maker, struct customer *c)
{
	char kept[PROBE_RUN_ID_SIZE];
	if (!c->prefix[0])
		return;
	memcpy(kept, maker->run_id, sizeof kept);
	memcpy(maker->run_id, c->prefix, sizeof kept);
	memcpy(c->prefix, kept, sizeof kept);
}

/* Ten digits, of which all but the first differ in those of another index below ten. */
static uint64_t integer_apart(const struct messenger *m, size_t index)
{
	struct random random;
	uint64_t integer = 1;
	random_seed(&random, m->player->maker.seed ^ m->apart);
	for (int i = 0; i < 9; i++)
		integer = integer * 10 + (random_below(&random, 10) + index) % 10;
	return integer;
}

void customer_init_apart(struct customer *c, struct messenger *m, size_t index)
{
	struct probe_maker *maker = &m->player->maker;
	struct probe_session kept = maker->session;
	struct random random;
	customer_init(c, m);
	random_seed(&random, maker->seed ^ ++m->salt);
	m->apart = index == 0 ? m->salt : m->apart;
	c->integer = integer_apart(m, index);
	for (size_t i = 0; i < PROBE_RUN_ID_SIZE - 1; i++)
		c->prefix[i] = (char)('a' + random_below(&random, 6));
	c->prefix[PROBE_RUN_ID_SIZE - 1] = '\0';
	swap_prefix(maker, c);
	probe_session_init(maker, m->salt);
	swap_prefix(maker, c);
	c->session = maker->session;
	maker->session = kept;
}

void customer_renew(struct customer *c, struct messenger *m)
{
	struct customer other;
	unsigned customers = m->customers;
	customer_init(&other, m);
	m->customers = customers;
	probe_session_take_customer(&other.session, &c->session);
	c->session = other.session;
	c->generation++;
}

/* Names the identifiers in the details; one that others have, too, is not named after the customer. */
static int add_roles(const struct delivery *d, struct messenger *m, const struct customer *c, struct error *err)
{
	const char *run_id = m->player->maker.run_id, *shared = m->player->maker.session.values[PROBE_APPLICATION];
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	if (probe_read_own(&doc, &d->body, err) < 0)
		return -1;
	for (size_t i = 0; i < d->kind.event->detail_count; i++) {
		const struct catalog_member *member = &d->kind.event->details[i];
		const char *name = member->field->name;
		uint32_t details = json_member(&doc, 0, "details", strlen("details"));
		uint32_t value = json_member(&doc, details, name, strlen(name));
		LOCAL_BUFFER text = BUFFER_INIT, role = BUFFER_INIT;
		if (json_is(&doc, value, JSON_STRING))
			json_string_decode(&doc, value, &text);
		else if (json_is(&doc, value, JSON_NUMBER) && member->type == CATALOG_INTEGER &&
		         !member->field->example)
			buffer_append(&text, doc.text + doc.tokens[value].start,
			              doc.tokens[value].end - doc.tokens[value].start);
		if (text.failed)
			return error_no_memory(err);
		bool is_own = json_is(&doc, value, JSON_NUMBER) ||
		              strncmp(buffer_text(&text), run_id, PROBE_RUN_ID_SIZE - 1) == 0 ||
		              (c->prefix[0] && strncmp(buffer_text(&text), c->prefix, PROBE_RUN_ID_SIZE - 1) == 0);
		if (text.length == 0 || !is_own)
			continue;
		if (strcmp(buffer_text(&text), shared) == 0)
			buffer_append_text(&role, name);
		else if (c->generation == 0)
			buffer_printf(&role, "%s of A%u", name, c->number);
		else
			buffer_printf(&role, "%s %u of A%u", name, c->generation + 1, c->number);
		if (role.failed)
			return error_no_memory(err);
		if (roles_add(m->roles, buffer_text(&text), buffer_text(&role), err) < 0)
			return -1;
	}
	return 0;
}

/* Puts JSON text into the details where the event has the field. */
static int put(struct delivery *d, const char *field, const char *value, struct error *err)
{
	LOCAL_BUFFER pointer = BUFFER_INIT;
	const struct catalog_event *event = d->kind.event;
	if (!catalog_member_named(event->details, event->detail_count, field, strlen(field)))
		return 0;
	buffer_printf(&pointer, "/details/%s", field);
	return pointer.failed ? error_no_memory(err) : json_splice_text(&d->body, buffer_text(&pointer), value, err);
}

/* An alertId or monitorId. Ten customers in a row have ten last digits. */
static uint64_t make_integer(const struct customer *c, uint64_t salt, const struct probe_maker *maker)
{
	const struct likeness *likeness = &c->likeness;
	struct random random;
	random_seed(&random, maker->seed ^ salt);
	uint64_t number = INTEGERS_FROM + random_below(&random, INTEGERS_MORE);
	if (c->integer > 0)
		return c->integer;
	if (likeness->of == 0)
		return number - number % 10 + c->number % 10;
	random_seed(&random, maker->seed ^ likeness->of);
	uint64_t shared = INTEGERS_FROM + random_below(&random, INTEGERS_MORE);
	if (likeness->place < ALIKE_LAST)
		return INTEGERS_FROM + shared % ALIKE_STEP + likeness->place * ALIKE_STEP;
	return shared - shared % 100 + (likeness->place - ALIKE_LAST) * 11 + 7;
}

/* Gives what begins a report a reportKey with the last digits of the others. */
static int put_report_key(struct delivery *d, const struct customer *c, struct probe_maker *maker, uint64_t salt,
                          struct error *err)
{
	struct random random;
	char uuid[RANDOM_UUID_SIZE], shared[RANDOM_UUID_SIZE], text[RANDOM_UUID_SIZE + 2];
	if (c->likeness.of == 0 || c->likeness.place >= ALIKE_LAST || !catalog_event_begins(d->kind.event, "reportKey"))
		return 0;
	random_seed(&random, maker->seed ^ salt);
	random_uuid(&random, uuid);
	memcpy(uuid, maker->run_id, PROBE_RUN_ID_SIZE - 1);
	random_seed(&random, maker->seed ^ c->likeness.of);
	random_uuid(&random, shared);
	memcpy(strrchr(uuid, '-'), strrchr(shared, '-'), strlen(strrchr(shared, '-')));
	snprintf(text, sizeof text, "\"%s\"", uuid);
	return put(d, "reportKey", text, err);
}

/* Fills the body, and names what is in it. */
static int fill(struct delivery *d, struct messenger *m, struct customer *c, bool second, struct error *err)
{
	struct probe_maker *maker = &m->player->maker;
	struct probe_session kept = maker->session;
	uint64_t salt = ++m->salt;
	char number[24];
	snprintf(number, sizeof number, "%llu", (unsigned long long)make_integer(c, salt, maker));
	maker->session = c->session;
	swap_prefix(maker, c);
	int code = probe_sample(maker, d->kind, salt, true, &d->body, err);
	swap_prefix(maker, c);
	c->session = maker->session;
	maker->session = kept;
	if (code == 0)
		code = put(d, "alertId", number, err);
	if (code == 0)
		code = put(d, "monitorId", number, err);
	if (code == 0)
		code = put_report_key(d, c, maker, salt, err);
	if (code == 0 && second)
		code = put(d, "enrollmentCode", "\"sample-other-code\"", err);
	if (code == 0 && second)
		code = put(d, "change", "\"-12\"", err);
	return code < 0 ? -1 : add_roles(d, m, c, err);
}

int delivery_make(struct delivery *d, struct messenger *m, struct customer *c, struct catalog_kind kind, bool second,
                  struct error *err)
{
	d->kind = kind;
	d->status = -1;
	d->customer = c->number;
	d->check = m->check;
	if (fill(d, m, c, second, err) == 0)
		return 0;
	if (err->code != EXIT_CODE_USAGE)
		return -1;
	buffer_clear(&d->body);
	probe_excerpt(err->message, strlen(err->message), m->unmade);
	return 0;
}

int delivery_vary(struct delivery *d, size_t index, struct error *err)
{
	struct buffer varied = BUFFER_INIT;
	struct variant variant;
	if (d->body.length == 0) /* it could not be made */
		return 0;
	variant_at(d->kind, index, &variant);
	int result = variant_apply(&variant, buffer_text(&d->body), d->body.length, &varied, err);
	return probe_replace(&d->body, &varied, result, err);
}

int delivery_put(struct delivery *d, const char *pointer, const char *text, struct error *err)
{
	LOCAL_BUFFER json = BUFFER_INIT;
	json_append_string(&json, text, strlen(text));
	if (json.failed)
		return error_no_memory(err);
	return d->body.length > 0 ? json_splice_text(&d->body, pointer, buffer_text(&json), err) : 0;
}

void delivery_release(struct delivery *d)
{
	buffer_release(&d->body);
}

/* Deliveries under way. */
struct sending {
	struct messenger *messenger;
	struct delivery *const *deliveries;
	size_t count, at;
	bool (*stop)(void *context, const struct delivery *delivery);
	void *context;
	bool is_stopped;
	unsigned connections;
	bool is_abreast; /* whether the listener has ended is looked at when all have */
};

static enum job_got next_delivery(void *context, struct job *job, struct error *err)
{
	struct sending *s = context;
	if (s->is_stopped || s->at == s->count || player_is_over(s->messenger->player))
		return JOB_NONE;
	if (s->is_abreast && !flight_goes_on(s->messenger->player))
		return JOB_NONE;
	if (!s->stop && !s->is_abreast && death_settle(s->messenger->player, err) < 0)
		return JOB_FAILED;
	if (recovery_interrupts(s->messenger->player))
		return JOB_NONE;
	while (s->at < s->count && s->deliveries[s->at]->body.length == 0)
		s->at++;
	if (s->at == s->count)
		return JOB_NONE;
	const struct delivery *d = s->deliveries[s->at++];
	catalog_kind_name(d->kind, job->name);
	buffer_append(&job->body, d->body.data, d->body.length);
	job->record = s->at;
	return job->body.failed ? (error_no_memory(err), JOB_FAILED) : JOB_FILLED;
}

static bool on_attempt(void *context, const struct job *job)
{
	struct sending *s = context;
	struct player *p = s->messenger->player;
	struct delivery *d = s->deliveries[job->record - 1];
	struct probe_sent sent = { .check = d->check, .kind = d->kind, .exchange = &job->exchange };
	d->status = job->exchange.status;
	s->messenger->last_ns = player_now(s->messenger->player);
	if (s->is_abreast)
		flight_note(p, &sent);
	if (!s->stop)
		presence_note(p, &sent);
	if (!s->is_abreast || delivery_accepted(d)) /* or else it comes again */
		probe_watch_add(&p->watch, sent.check, d->kind, &job->exchange, &p->maker, false);
	if (delivery_accepted(d))
		still_up_note(&p->still_up, d->body.length,
		              s->connections <= 1 ? job->exchange.finished_ns - job->exchange.sent_ns : 0);
	if (s->stop && !s->is_stopped)
		s->is_stopped = s->stop(s->context, d);
	return true;
}

int messenger_send(struct messenger *m, struct delivery *const *deliveries, size_t count, unsigned connections,
                   bool (*stop)(void *context, const struct delivery *delivery), void *context, struct error *err)
{
	struct sending s = { .messenger = m,
		             .deliveries = deliveries,
		             .count = count,
		             .stop = stop,
		             .context = context,
		             .connections = connections };
	int code;
	do {
		code = requests_send(m->player, next_delivery, on_attempt, &s, connections, NULL, err);
	} while (code == 0 && s.at < count && !s.is_stopped && !player_is_over(m->player));
	return code;
}

/* Takes those that come next of each customer of whom all before that was accepted; returns how many. */
static size_t take_next(struct delivery *const *deliveries, size_t count, size_t turn, struct delivery **taken)
{
	size_t found = 0, before = 0; /* of the same customer */
	bool is_due = true;
	for (size_t i = 0; i < count; i++) {
		bool is_same = i > 0 && deliveries[i]->customer == deliveries[i - 1]->customer;
		before = is_same ? before + 1 : 0;
		is_due = !is_same || (is_due && delivery_accepted(deliveries[i - 1]));
		if (before == turn && is_due)
			taken[found++] = deliveries[i];
	}
	return found;
}

static size_t take_refused(struct delivery *const *deliveries, size_t count, struct delivery **taken)
{
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		if (!delivery_accepted(deliveries[i]))
			taken[found++] = deliveries[i];
	return found;
}

int messenger_send_abreast(struct messenger *m, struct delivery *const *deliveries, size_t count, struct error *err)
{
	struct player *p = m->player;
	struct delivery **some = calloc(count + 1, sizeof *some);
	bool has_flown = false, has_ended;
	int code = some ? 0 : error_no_memory(err);
	for (size_t turn = 0; code == 0 && flight_width(p) > 1 && !player_is_over(p); turn++) {
		size_t next = take_next(deliveries, count, turn, some);
		if (next <= 1)
			break;
		struct sending s = { .messenger = m,
			             .deliveries = some,
			             .count = next,
			             .connections = flight_width(p),
			             .is_abreast = true };
		code = requests_send(p, next_delivery, on_attempt, &s, s.connections, NULL, err);
		has_flown = true;
	}
	if (code == 0 && has_flown)
		code = flight_land(p, &has_ended, err);
	size_t rest = code == 0 ? take_refused(deliveries, count, some) : 0;
	if (code == 0 && rest > 0 && !player_is_over(p))
		code = messenger_send(m, some, rest, 0, NULL, NULL, err);
	free(some);
	return code;
}
