/* Listeners that keep what they get in right ways and in wrong ones, each a function: the rows are in keeps.h. */
#ifndef CREDHOOK_TESTS_PROBE_KEEPS_LISTENERS_H
#define CREDHOOK_TESTS_PROBE_KEEPS_LISTENERS_H

#include "base/hash.h"
#include "keeper_run.h"

/* Right ones. */

static inline void show_hashes(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++) {
		uint64_t hash = hash_fnv1a(HASH_FNV1A, k->kept[i].body, strlen(k->kept[i].body));
		for (int n = 0; n < 4; n++, hash = hash_fnv1a(hash, "x", 1))
			buffer_printf(out, "%016llx", (unsigned long long)hash);
		buffer_append_byte(out, '\n');
	}
}

static inline void show_document(struct keeper *k, struct buffer *out)
{
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%s%s", i > 0 ? ", " : "", k->kept[i].body);
	buffer_append_text(out, "]\n");
}

static inline int keep_and_count(struct keeper *k, struct visit *v)
{
	struct entry *e = find(k, v->body);
	if (e)
		e->times++;
	else
		add(k, v->body, 0, true);
	return 200;
}

static inline void show_times(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%zu|%s|%u\n", i + 1, k->kept[i].body, k->kept[i].times);
}

/* One entry for each `name`, whose text is replaced. */
static inline void keep_as(struct keeper *k, const char *name, const char *text)
{
	size_t length = strlen(name);
	char line[BODY_SIZE];
	snprintf(line, sizeof line, "%.100s|%.*s", name, BODY_SIZE - 110, text);
	for (size_t i = 0; i < k->count; i++)
		if (strncmp(k->kept[i].body, name, length) == 0 && k->kept[i].body[length] == '|') {
			snprintf(k->kept[i].body, BODY_SIZE, "%s", line);
			return;
		}
	add(k, line, 0, true);
}

static inline int keep_customers(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	keep_as(k, value_of(v->body, "clientKey", client), v->body);
	return 200;
}

static inline int keep_enrolled(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], path[BODY_SIZE], method[BODY_SIZE];
	value_of(v->body, "method", method);
	if (strcmp(value_of(v->body, "path", path), "/api/monitoring/v2") == 0)
		keep_as(k, value_of(v->body, "clientKey", client),
		        strcmp(method, "post") == 0 ? "enrolled" : "cancelled");
	return 200;
}

static inline struct entry *find_named(struct keeper *k, const char *name)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < k->count; i++)
		if (strncmp(k->kept[i].body, name, length) == 0 && k->kept[i].body[length] == '|')
			return &k->kept[i];
	return NULL;
}

/* The first one of each name, and how many different ones there were. */
static inline void keep_first(struct keeper *k, const char *name, const char *text, const char *body)
{
	char line[BODY_SIZE];
	struct entry *e = find_named(k, name);
	if (!mark(k, body))
		return;
	if (e) {
		e->times++;
		return;
	}
	snprintf(line, sizeof line, "%.150s|%.*s", name, BODY_SIZE - 160, text);
	add(k, line, 0, true);
}

static inline int keep_firsts(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE], name[160];
	snprintf(name, sizeof name, "%.60s %.60s", value_of(v->body, "service", service),
	         value_of(v->body, "clientKey", client));
	keep_first(k, name, v->body, v->body);
	return 200;
}

static inline void kind_of_body(const char *body, char out[128])
{
	char service[BODY_SIZE], method[BODY_SIZE], path[BODY_SIZE];
	snprintf(out, 128, "%.30s %.20s %.60s", value_of(body, "service", service), value_of(body, "method", method),
	         value_of(body, "path", path));
}

static inline int keep_tally(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], kind[128], name[200];
	kind_of_body(v->body, kind);
	snprintf(name, sizeof name, "%.40s %.100s", value_of(v->body, "clientKey", client), kind);
	keep_first(k, name, "", v->body);
	return 200;
}

static inline int keep_tally_of_kinds(struct keeper *k, struct visit *v)
{
	char kind[128];
	kind_of_body(v->body, kind);
	keep_first(k, kind, "", v->body);
	return 200;
}

static inline void show_tally(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%s|%u\n", k->kept[i].body, k->kept[i].times);
}

static inline int keep_alerts(struct keeper *k, struct visit *v)
{
	char service[BODY_SIZE];
	return strcmp(value_of(v->body, "service", service), "alerts") == 0 ? keep(k, v) : 200;
}

static inline int keep_all(struct keeper *k, struct visit *v)
{
	add(k, v->body, 0, true);
	return 200;
}

/* A log, whose repeats are dropped when it is read. */
static inline void show_distinct(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (find(k, k->kept[i].body) == &k->kept[i])
			buffer_printf(out, "%s\n", k->kept[i].body);
}

/* On disk, and worked off a second later. */
static inline int keep_queued(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, CLOCK_NS_PER_S, true);
	return 200;
}

/* Wrong ones. */

static inline int keep_late(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, 250 * MS, false);
	return 200;
}

static inline int keep_flushed(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, 700 * MS - k->now_ns % (700 * MS), false);
	return 200;
}

static inline void mark_first(struct keeper *k, struct visit *v)
{
	v->is_known = !mark(k, v->body);
}

static inline void look_first(struct keeper *k, struct visit *v)
{
	v->is_known = find(k, v->body) != NULL;
}

static inline int keep_unless_known(struct keeper *k, struct visit *v)
{
	if (!v->is_known)
		add(k, v->body, 0, true);
	return 200;
}

/* Its work is done in one step, and marked as done in another one, a second later. */
static inline int keep_undone(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, 10 * MS, true)->done_ns = k->now_ns + CLOCK_NS_PER_S;
	return 200;
}

static inline void redo(struct keeper *k)
{
	for (size_t i = 0, count = k->count; i < count; i++)
		if (k->kept[i].done_ns > k->now_ns) {
			k->kept[i].done_ns = 0;
			add(k, k->kept[i].body, 0, true);
		}
}

/* Each line has a random key, so that no two are alike. */
static inline void show_keyed(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%016llxab|%s\n", (unsigned long long)hash_fnv1a(HASH_FNV1A, &i, sizeof i),
		              k->kept[i].body);
}

static inline void forget(struct keeper *k)
{
	k->count = 0;
}

/* Reads all, and writes it anew: what others have written meanwhile is lost. */
static inline void read_all(struct keeper *k, struct visit *v)
{
	v->seen = k->count;
	v->is_known = find(k, v->body) != NULL;
}

static inline int write_all(struct keeper *k, struct visit *v)
{
	k->count = v->seen < k->count ? v->seen : k->count;
	return keep_unless_known(k, v);
}

static inline int keep_by_path(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], path[BODY_SIZE], key[BODY_SIZE];
	snprintf(key, sizeof key, "%.100s%.100s", value_of(v->body, "path", path),
	         value_of(v->body, "clientKey", client));
	if (mark(k, key))
		add(k, v->body, 0, true);
	return 200;
}

static inline int keep_by_service(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE], key[BODY_SIZE];
	snprintf(key, sizeof key, "%.100s%.100s", value_of(v->body, "service", service),
	         value_of(v->body, "clientKey", client));
	if (mark(k, key))
		add(k, v->body, 0, true);
	return 200;
}

static inline int keep_of_known(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE];
	bool is_known = strcmp(value_of(v->body, "service", service), "user") == 0;
	value_of(v->body, "clientKey", client);
	for (size_t i = 0; i < k->count; i++)
		is_known |= strstr(k->kept[i].body, client) != NULL;
	return is_known ? keep(k, v) : 200;
}

static inline int keep_valid(struct keeper *k, struct visit *v)
{
	bool is_payload = strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {");
	return is_payload ? keep(k, v) : 400;
}

/* Who has opted in gets a mail of each alert, which is a line more; or a third of all is sampled. The salt says who. */
static unsigned keeper_salt;

static inline unsigned salted(const char *text)
{
	return (unsigned)(hash_fnv1a(HASH_FNV1A + keeper_salt, text, strlen(text)) >> 20);
}

/* `of`: what the line more is about; NULL: there is none. */
static inline int keep_with(struct keeper *k, struct visit *v, const char *what, const char *of)
{
	char line[BODY_SIZE];
	bool is_known = find(k, v->body) != NULL;
	int status = keep_valid(k, v);
	if (status != 200 || is_known || !of)
		return status;
	snprintf(line, sizeof line, "%s %.*s", what, BODY_SIZE - 40, of);
	add(k, line, 0, true);
	return status;
}

static inline int keep_and_mail(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE];
	bool is_mailed = strcmp(value_of(v->body, "service", service), "alerts") == 0 &&
	                 salted(value_of(v->body, "clientKey", client)) % 2;
	return keep_with(k, v, "mail to", is_mailed ? client : NULL);
}

/* Wrong ones, too: behind look_first(), and like keep_undone(). */
static inline int keep_twice_and_mail(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], line[BODY_SIZE];
	if (v->is_known)
		return 200;
	add(k, v->body, 0, true);
	snprintf(line, sizeof line, "mail to %.60s", value_of(v->body, "clientKey", client));
	if (salted(client) % 2)
		add(k, line, 0, true);
	return 200;
}

static inline int keep_undone_and_mail(struct keeper *k, struct visit *v)
{
	size_t first = k->count;
	v->is_known = find(k, v->body) != NULL;
	keep_twice_and_mail(k, v);
	if (k->count > first)
		k->kept[first].done_ns = k->now_ns + CLOCK_NS_PER_S;
	return 200;
}

static inline int keep_and_sample(struct keeper *k, struct visit *v)
{
	return keep_with(k, v, "sample", salted(v->body) % 3 == 0 ? v->body : NULL);
}

static inline void without_spaces(const char *body, char out[BODY_SIZE])
{
	for (; *body; body++)
		if (*body != ' ')
			*out++ = *body;
	*out = '\0';
}

/* A right one: it knows a repeat, however that is written. */
static inline int keep_normalised(struct keeper *k, struct visit *v)
{
	char text[BODY_SIZE], other[BODY_SIZE];
	without_spaces(v->body, text);
	for (size_t i = 0; i < k->count; i++) {
		without_spaces(k->kept[i].body, other);
		if (strcmp(text, other) == 0)
			return 200;
	}
	return keep_valid(k, v);
}

static inline int clash(struct keeper *k, struct visit *v)
{
	if (find(k, v->body))
		return 500;
	return keep(k, v);
}

static inline int conflict(struct keeper *k, struct visit *v)
{
	return clash(k, v) == 500 ? 409 : 200;
}

static inline int keep_last(struct keeper *k, struct visit *v)
{
	k->count = 0;
	return keep(k, v);
}

static inline int keep_nothing(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 200;
}

/* All, of which it shows the last ones. */
static inline void show_window(struct keeper *k, struct buffer *out)
{
	for (size_t i = k->count > 12 ? k->count - 12 : 0; i < k->count; i++)
		buffer_printf(out, "%s\n", k->kept[i].body);
}

static inline int drop_seventh(struct keeper *k, struct visit *v)
{
	bool is_dropped = k->starts > 1 && k->requests % 7 == 0;
	return is_dropped ? 200 : keep_valid(k, v);
}

static inline int keep_by_service_but_tokens(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "/authenticate/v2/authtoken\"") ? 200 : keep_by_service(k, v);
}

#endif
