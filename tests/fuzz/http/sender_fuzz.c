/* Lines of X-Forwarded-For (x...) and Forwarded (anything else), as a client may send them: what a trusted proxy adds
 * is the sender or there is none, and no sender is a proxy. */
#include "http/address.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES 6

static const struct http_network proxies[] = { { 104, { [10] = 0xff, 0xff, 10 } }, { 8, { 0xfd } } };
static const struct http_networks trusted = { proxies, 2 };

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* Of the lines with `added` as the last element of the last one of that name. */
static void check_added(const struct message *request, const char *name, const char *added, const char *sender,
                        bool is_always_read)
{
	struct header headers[LINES + 1];
	struct message changed = { .headers = headers };
	char *text = NULL;
	struct header *last = NULL;
	for (size_t i = 0; i < request->header_count; i++) {
		bool is_of_name = request->headers[i].name.length == strlen(name);
		if (is_of_name)
			last = &headers[changed.header_count];
		if (is_of_name)
			headers[changed.header_count++] = request->headers[i];
	}
	if (!last)
		return;
	text = malloc(last->value.length + strlen(added));
	require(text != NULL);
	memcpy(text, last->value.text, last->value.length);
	memcpy(text + last->value.length, added, strlen(added));
	last->value = (struct text){ text, last->value.length + strlen(added) };
	struct host found;
	const char *why = http_sender_find(&changed, &trusted, &found);
	require(!why || !is_always_read);
	require(why || strcmp(found.text, sender) == 0);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct header headers[LINES];
	struct message request = { .headers = headers };
	struct host found;
	const char *at = (const char *)data, *end = at + size;
	while (at < end && request.header_count < LINES) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		bool is_listed = *at == 'x';
		at += is_listed;
		headers[request.header_count++] = (struct header){ text_of(is_listed ? "X-Forwarded-For" : "Forwarded"),
			                                           { at, (size_t)(stop - at) } };
		at = stop < end ? stop + 1 : end;
	}
	if (!http_sender_find(&request, &trusted, &found))
		require(!http_networks_contain(&trusted, &found));
	check_added(&request, "X-Forwarded-For", ", 203.0.113.9", "203.0.113.9", true);
	check_added(&request, "X-Forwarded-For", ", [2001:db8::7]:80, fd00::1", "2001:db8::7", true);
	check_added(&request, "Forwarded", ", for=203.0.113.9", "203.0.113.9", false);
	check_added(&request, "Forwarded", ", for=\"[2001:db8::7]:80\";proto=https", "2001:db8::7", false);
	check_added(&request, "Forwarded", ", by=10.0.0.1;for=\"203.0.113.9:80\", for=10.0.0.1", "203.0.113.9", false);
	return 0;
}
