#include "payload/build.h"
#include "probe/play/maker.h"

#include <string.h>

/* Integers of 31 bits, so that two of a run are hardly ever the same. */
#define NUMBERS_BELOW 2147483647

/* The fields that tie events together: those that an event begins (catalog_event_begins()), and the application's. */
static const struct {
	const char *field;
	bool is_open; /* its values are the listener's own: they stay as they are */
} links[PROBE_LINKS] = {
	{ "clientKey", false },    { "userId", false },        { "authToken", false }, { "reportKey", false },
	{ "displayToken", false }, { "enrollmentCode", true }, { "appKey", false }, /* one application per run, unless
	                                                                               the user has one */
};
#define USER        1
#define APPLICATION PROBE_APPLICATION

static void run_uuid(const struct probe_maker *maker, struct random *random, char out[RANDOM_UUID_SIZE])
{
	random_uuid(random, out);
	memcpy(out, maker->run_id, PROBE_RUN_ID_SIZE - 1);
}

static void seed_for(const struct probe_maker *maker, uint64_t salt, struct random *random)
{
	random_seed(random, maker->seed);
	random_seed(random, random_next(random) ^ salt);
}

void probe_session_init(struct probe_maker *maker, uint64_t salt)
{
	struct random random;
	seed_for(maker, salt, &random);
	for (size_t i = 0; i < APPLICATION; i++)
		run_uuid(maker, &random, maker->session.values[i]);
	memcpy(maker->session.values[USER], maker->session.values[PROBE_CUSTOMER], RANDOM_UUID_SIZE);
}

void probe_session_take_customer(struct probe_session *session, const struct probe_session *of)
{
	memcpy(session->values[PROBE_CUSTOMER], of->values[PROBE_CUSTOMER], RANDOM_UUID_SIZE);
	memcpy(session->values[USER], of->values[USER], RANDOM_UUID_SIZE);
}

void probe_maker_init(struct probe_maker *maker, uint64_t seed, const char *url)
{
	struct random random;
	*maker = (struct probe_maker){ .seed = seed, .url = url };
	random_seed(&random, seed);
	for (size_t i = 0; i < PROBE_RUN_ID_SIZE - 1; i++)
		maker->run_id[i] = (char)('a' + random_below(&random, 6));
	probe_session_init(maker, 0);
	seed_for(maker, 1, &random);
	run_uuid(maker, &random, maker->session.values[APPLICATION]);
}

static int link_of(const char *field)
{
	for (int i = 0; i < PROBE_LINKS; i++)
		if (strcmp(links[i].field, field) == 0)
			return i;
	return -1;
}

bool probe_refers_to(const struct catalog_event *event, const struct catalog_event *beginning)
{
	for (size_t i = 0; i < event->detail_count; i++) {
		const char *field = event->details[i].field->name;
		if (catalog_event_refers(event, field) && catalog_beginning_of(field) == beginning)
			return true;
	}
	return false;
}

int probe_replace(struct buffer *payload, struct buffer *edited, int result, struct error *err)
{
	if (result == 0 && edited->failed)
		result = error_no_memory(err);
	if (result == 0)
		buffer_swap(payload, edited);
	buffer_release(edited);
	return result;
}

struct sample {
	struct probe_maker *maker;
	const struct catalog_event *event;
	struct random random;
	bool begin; /* what the event begins is put into the session */
};

static bool append_value(void *context, const struct catalog_member *member, struct buffer *out)
{
	struct sample *s = context;
	struct probe_session *session = &s->maker->session;
	char uuid[RANDOM_UUID_SIZE];
	int link = link_of(member->field->name);
	if (link >= 0 ? links[link].is_open : member->type != CATALOG_UUID) {
		bool is_number = link < 0 && member->type == CATALOG_INTEGER && !member->field->example;
		if (is_number)
			buffer_append_number(out, 1 + random_below(&s->random, NUMBERS_BELOW));
		return is_number;
	}
	bool refers = link >= 0 && !catalog_event_begins(s->event, member->field->name);
	run_uuid(s->maker, &s->random, uuid);
	if (s->begin && link >= 0 && !refers)
		memcpy(session->values[link], uuid, sizeof uuid);
	if (s->begin && link == PROBE_CUSTOMER && !refers)
		memcpy(session->values[USER], uuid, sizeof uuid);
	buffer_printf(out, "\"%s\"", refers ? session->values[link] : uuid);
	return true;
}

int probe_sample(struct probe_maker *maker, struct catalog_kind kind, uint64_t salt, bool begin, struct buffer *out,
                 struct error *err)
{
	struct sample sample = { .maker = maker, .event = kind.event, .begin = begin };
	const struct story story = { .seed = maker->seed,
		                     .customer = 1,
		                     .serial = 1,
		                     .suffix = maker->run_id,
		                     .append_value = append_value,
		                     .context = &sample };
	seed_for(maker, salt, &sample.random);
	buffer_clear(out);
	if (build_payload(kind, &story, out, err) < 0)
		return -1;
	for (size_t i = 0; i < PROBE_EDITS_MAX; i++) {
		struct buffer edited = BUFFER_INIT;
		if (!maker->edits[i] || maker->edits[i]->count == 0)
			continue;
		int result = edits_apply(maker->edits[i], kind.event, out->data, out->length, &edited, err);
		if (probe_replace(out, &edited, result, err) < 0)
			return -1;
	}
	return out->failed ? error_no_memory(err) : 0;
}
