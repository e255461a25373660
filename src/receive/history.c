#include "receive/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void notification_free(struct notification *arrival)
{
	if (!arrival)
		return;
	free(arrival->first);
	free(arrival->record);
	free(arrival);
}

void history_release(struct history *received)
{
	for (size_t i = 0; i < received->count; i++)
		notification_free(received->items[i]);
	received->count = received->bytes = 0;
}

static void drop_oldest(struct history *received)
{
	received->bytes -= received->items[0]->length;
	notification_free(received->items[0]);
	received->count--;
	memmove(received->items, received->items + 1, received->count * sizeof received->items[0]);
}

void history_add(struct history *received, struct notification *arrival)
{
	while (received->count > 0 &&
	       (received->count == HISTORY_COUNT_MAX || received->bytes + arrival->length > HISTORY_BYTES_MAX))
		drop_oldest(received);
	received->items[received->count++] = arrival;
	received->bytes += arrival->length;
	if (arrival->valid)
		received->valid++;
	else
		received->invalid++;
}

struct notification *history_find(const struct history *received, uint64_t number)
{
	for (size_t i = received->count; i > 0; i--)
		if (received->items[i - 1]->number == number)
			return received->items[i - 1];
	return NULL;
}

struct notification *received_named(const struct history *received, const char *word, struct error *err)
{
	const char *digits = word[0] == '#' ? word + 1 : word;
	char *end;
	if (received->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "nothing has arrived yet");
		error_hint(err, "'listen 8080' receives in the background");
		return NULL;
	}
	if (strcmp(word, "last") == 0)
		return received->items[received->count - 1];
	errno = 0;
	unsigned long long number = strtoull(digits, &end, 10);
	bool is_number = digits[0] >= '0' && digits[0] <= '9' && *end == '\0' && errno == 0;
	struct notification *found = is_number ? history_find(received, number) : NULL;
	if (found)
		return found;
	if (is_number)
		error_set(err, EXIT_CODE_USAGE, "there is no notification #%llu", number);
	else
		error_set(err, EXIT_CODE_USAGE, "'%s' is no number of a notification", word);
	error_hint(err, "there are #%llu to #%llu; 'received' lists them, 'last' is the latest",
	           (unsigned long long)received->items[0]->number,
	           (unsigned long long)received->items[received->count - 1]->number);
	return NULL;
}
