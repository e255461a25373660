/* Listeners that keep, show and respond in ways of their own, each a function: the rows are in said_test.c. */
#ifndef CREDHOOK_TESTS_PROBE_SAID_LISTENERS_H
#define CREDHOOK_TESTS_PROBE_SAID_LISTENERS_H

#include "keeper_run.h"
#include "keeps_listeners.h"

static inline bool is_alert(const char *body)
{
	return strstr(body, "\"alertId\"");
}

/* A repeat is kept three times. */
static inline int keep_repeats_thrice(struct keeper *k, struct visit *v)
{
	bool is_known = find(k, v->body) != NULL;
	for (int i = 0; is_known && i < 2; i++)
		add(k, v->body, 0, true);
	return keep_all(k, v);
}

static inline int take_status_of_repeats(struct keeper *k, struct visit *v, int status)
{
	return find(k, v->body) ? status : keep(k, v);
}

static inline int be_busy_at_repeats(struct keeper *k, struct visit *v)
{
	return take_status_of_repeats(k, v, 503);
}

static inline int be_silent_at_repeats(struct keeper *k, struct visit *v)
{
	return take_status_of_repeats(k, v, 0);
}

static inline void show_counts(struct keeper *k, struct buffer *out)
{
	size_t times = 0;
	for (size_t i = 0; i < k->count; i++)
		times += k->kept[i].times;
	buffer_printf(out, "customers: %zu, deliveries: %zu\n", k->count, times);
}

/* A second alert of a customer takes the place of the first one. */
static inline int keep_last_alerts(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	if (!is_alert(v->body))
		return keep_valid(k, v);
	keep_as(k, value_of(v->body, "clientKey", client), v->body);
	return 200;
}

static inline int refuse_second_alerts(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	bool is_second = is_alert(v->body) && !find(k, v->body) && !mark(k, value_of(v->body, "clientKey", client));
	return is_second ? 422 : keep_valid(k, v);
}

static inline void mark_again(const char *body, char out[BODY_SIZE])
{
	snprintf(out, BODY_SIZE, "again %.*s", BODY_SIZE - 10, body);
}

static inline void mark_both(struct keeper *k, struct visit *v)
{
	char again[BODY_SIZE];
	mark_again(v->body, again);
	if (!mark(k, v->body))
		mark(k, again);
}

/* One that comes on several connections gets 409 on each. */
static inline int refuse_all_of_many(struct keeper *k, struct visit *v)
{
	char again[BODY_SIZE];
	mark_again(v->body, again);
	for (size_t i = 0; i < k->known_count; i++)
		if (strcmp(k->known[i], again) == 0)
			return 409;
	return keep_valid(k, v);
}

static inline void count_visit(struct keeper *k, struct visit *v)
{
	v->seen = k->requests;
}

static inline int refuse_non_ascii(struct keeper *k, struct visit *v)
{
	for (const char *at = v->body; *at; at++)
		if ((unsigned char)*at >= 0x80)
			return 422;
	return keep_valid(k, v);
}

static inline int drop_off_cycle(struct keeper *k, struct visit *v)
{
	char off_cycle[BODY_SIZE];
	return strcmp(value_of(v->body, "offCycle", off_cycle), "true") == 0 ? 200 : keep_valid(k, v);
}

static inline int keep_last_of_kinds(struct keeper *k, struct visit *v)
{
	char kind[128];
	kind_of_body(v->body, kind);
	keep_as(k, kind, v->body);
	return 200;
}

static inline int refuse_unknown(struct keeper *k, struct visit *v)
{
	size_t count = k->count;
	int status = keep_of_known(k, v);
	return is_alert(v->body) && k->count == count ? 404 : status;
}

/* What is removed of a customer is gone. */
static inline int keep_until_removed(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], path[BODY_SIZE], method[BODY_SIZE], name[160];
	if (strcmp(value_of(v->body, "method", method), "delete") != 0)
		return keep_valid(k, v);
	value_of(v->body, "clientKey", client);
	snprintf(name, sizeof name, "%.90s", value_of(v->body, "path", path));
	for (size_t i = 0; i < k->count; i++)
		if (strstr(k->kept[i].body, name) && strstr(k->kept[i].body, client))
			k->kept[i--] = k->kept[--k->count];
	return 200;
}

/* What had the same path is deleted. */
static inline int delete_path(struct keeper *k, struct visit *v)
{
	char path[BODY_SIZE], other[BODY_SIZE], method[BODY_SIZE];
	size_t left = 0;
	bool is_removal = strcmp(value_of(v->body, "method", method), "delete") == 0;
	value_of(v->body, "path", path);
	for (size_t i = 0; is_removal && i < k->count; i++)
		if (strcmp(value_of(k->kept[i].body, "path", other), path) != 0)
			k->kept[left++] = k->kept[i];
	k->count = is_removal ? left : k->count;
	return keep_valid(k, v);
}

/* What is cancelled of one customer is removed of all, with its elements. */
static inline int delete_all(struct keeper *k, struct visit *v)
{
	char method[BODY_SIZE];
	size_t left = 0;
	if (strcmp(value_of(v->body, "method", method), "delete") != 0)
		return keep_valid(k, v);
	for (size_t i = 0; i < k->count; i++)
		if (!strstr(k->kept[i].body, "/api/monitoring/v2"))
			k->kept[left++] = k->kept[i];
	k->count = left;
	return 200;
}

static inline void show_fresh(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->kept[i].due_ns + 5 * CLOCK_NS_PER_S > k->now_ns)
			buffer_printf(out, "%s\n", k->kept[i].body);
}

static inline int accept_all(struct keeper *k, struct visit *v)
{
	return keep_valid(k, v) == 200 ? 200 : 202;
}

/* One for each digit at the place in an alertId, or for the digits from there on. */
static inline int keep_by_digits(struct keeper *k, struct visit *v, size_t from_end, int digits)
{
	char id[BODY_SIZE], name[16];
	value_of(v->body, "alertId", id);
	if (!id[0])
		return keep_valid(k, v);
	snprintf(name, sizeof name, "slot %.*s", digits, id + strlen(id) - from_end);
	keep_as(k, name, v->body);
	return 200;
}

static inline int keep_in_hundred_slots(struct keeper *k, struct visit *v)
{
	return keep_by_digits(k, v, 2, 2);
}

static inline int keep_in_ten_slots(struct keeper *k, struct visit *v)
{
	return keep_by_digits(k, v, 4, 1);
}

/* The last five are gone after a start. */
static inline void forget_five(struct keeper *k)
{
	k->count -= k->count > 5 ? 5 : k->count;
}

static inline int refuse_fifth(struct keeper *k, struct visit *v)
{
	return is_alert(v->body) && k->requests % 5 == 4 ? 422 : keep_valid(k, v);
}

/* As soon as two come at the same time. */
static inline int be_busy_in_crowd(struct keeper *k, struct visit *v)
{
	return v->seen != k->requests && is_alert(v->body) ? 503 : keep_valid(k, v);
}

/* A second line of each, a moment later. */
static inline int keep_and_mail_late(struct keeper *k, struct visit *v)
{
	char line[BODY_SIZE];
	if (find(k, v->body))
		return 200;
	keep_valid(k, v);
	snprintf(line, sizeof line, "mail %.*s", BODY_SIZE - 10, v->body);
	add(k, line, 60 * MS, true);
	return 200;
}

/* Alerts as they came, of others whom they are about and of what kind they are. */
static inline void show_alerts_whole(struct keeper *k, struct buffer *out)
{
	char client[BODY_SIZE], kind[128];
	for (size_t i = 0; i < k->count; i++) {
		kind_of_body(k->kept[i].body, kind);
		if (is_alert(k->kept[i].body))
			buffer_printf(out, "%s\n", k->kept[i].body);
		else
			buffer_printf(out, "%s %s\n", value_of(k->kept[i].body, "clientKey", client), kind);
	}
}

static inline int keep_users(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "\"service\":\"user\"") ? keep_valid(k, v) : 200;
}

/* One alert of a customer, with a second line a moment later. */
static inline int keep_first_alerts_and_mail_late(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], line[BODY_SIZE];
	if (!is_alert(v->body))
		return keep_valid(k, v);
	snprintf(line, sizeof line, "mail %.*s", BODY_SIZE - 10, v->body);
	if (mark(k, value_of(v->body, "clientKey", client))) {
		add(k, v->body, 0, true);
		add(k, line, 5 * MS, true);
	}
	return 200;
}

/* Of alerts that of one customer, as often as it comes. */
static inline int keep_all_of_one(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	if (!is_alert(v->body))
		return keep_valid(k, v);
	value_of(v->body, "clientKey", client);
	for (size_t i = 0; i < k->count; i++)
		if (is_alert(k->kept[i].body) && !strstr(k->kept[i].body, client))
			return 422;
	return keep_all(k, v);
}

/* Two are gone at the third of three rounds, and in another one behind that. */
static inline void forget_two_late(struct keeper *k)
{
	k->count -= k->starts == 5 || k->starts == 7 ? 2 : 0;
}

static inline void forget_two_once(struct keeper *k)
{
	k->count -= k->starts == 5 ? 2 : 0;
}

/* Does the last two again at a start. */
static inline void double_two(struct keeper *k)
{
	for (size_t i = k->count - 2, end = k->count; i < end; i++)
		add(k, k->kept[i].body, 0, true);
}

static inline void double_once(struct keeper *k)
{
	if (k->starts == 3)
		double_two(k);
}

static inline void double_at_two_kills(struct keeper *k)
{
	if (k->starts == 3 || k->starts == 4)
		double_two(k);
}

static inline void double_at_a_kill_and_a_stop(struct keeper *k)
{
	if (k->starts == 3 || k->starts == 6)
		double_two(k);
}

/* Repeats of the alerts of one customer in three are refused. */
static inline int clash_with_some(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	size_t at = 0;
	if (!is_alert(v->body))
		return keep_valid(k, v);
	mark(k, value_of(v->body, "clientKey", client));
	while (strcmp(k->known[at], client) != 0)
		at++;
	return at % 3 == 1 ? clash(k, v) : keep_valid(k, v);
}

#endif
