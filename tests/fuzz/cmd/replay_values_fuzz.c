/* What a user writes behind --where, --since, --rate and their kin: the first byte says which, the rest is the value,
 * and for --where a payload behind its first newline. A value that is taken means something in range. */
#include "../fuzz.h"
#include "base/clock.h"
#include "cmd/args/where.h"
#include "cmd/send/send.h"

static void try_where(char *value)
{
	struct where_list list = { NULL, 0, 0 };
	struct buffer scratch = BUFFER_INIT;
	struct json_doc doc;
	struct json_fault fault;
	struct error err;
	char *payload = strchr(value, '\n');
	if (payload)
		*payload++ = '\0';
	doc = JSON_DOC_INIT;
	if (where_add(&list, value, &err) == 0) {
		const char *text = payload ? payload : "{}";
		json_read(&doc, text, strlen(text), &fault);
		bool holds = where_matches(&list, &doc, &scratch);
		struct where *where = &list.items[0];
		if (where->how != WHERE_CONTAINS) { /* the opposite holds otherwise */
			where->how = where->how == WHERE_IS ? WHERE_IS_NOT : WHERE_IS;
			require(where_matches(&list, &doc, &scratch) != holds);
		}
	} else {
		require(err.code == EXIT_CODE_USAGE && err.message[0]);
	}
	where_release(&list);
	buffer_release(&scratch);
	json_doc_release(&doc);
}

static void try_numbers(const char *value)
{
	struct error err;
	double interval_ns;
	double speed;
	struct replay_shard shard;
	struct selection_records records = { NULL, 0, 0 };
	if (send_parse_rate(&interval_ns, value, &err) == 0)
		require(interval_ns > 0 && interval_ns <= 3600e9 * 1000);
	if (replay_parse_speed(&speed, value, &err) == 0)
		require(speed >= 0);
	if (replay_parse_shard(&shard, value, &err) == 0)
		require(shard.number >= 1 && shard.number <= shard.count);
	if (selection_parse_records(&records, value, &err) == 0)
		require(records.count > 0 && records.ranges[0].first > 0 &&
		        records.ranges[0].first <= records.ranges[0].last);
	free(records.ranges);
}

static void try_time(const char *value)
{
	int64_t us, again, duration, now = INT64_C(1767323045000000);
	char text[CLOCK_STAMP_SIZE];
	if (!clock_parse_time(value, now, &us, NULL))
		return;
	if (clock_parse_duration(value, &duration)) {
		require(duration >= 0 && (us <= now || strlen(value) == 8)); /* eight digits may be a date */
		clock_format_duration(duration, text);
	}
	if (us < 0 || us >= INT64_C(253402300800000000)) /* the years 1970 to 9999 */
		return;
	clock_format_local(us, text); /* what is printed is accepted: the same second, or its first that reads so */
	require(clock_parse_time(text, now, &again, NULL) && again <= us);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	char *value = malloc(size);
	memcpy(value, data + 1, size - 1);
	value[size - 1] = '\0';
	if (data[0] % 3 == 0)
		try_where(value);
	else if (data[0] % 3 == 1)
		try_numbers(value);
	else
		try_time(value);
	free(value);
	return 0;
}
