/* Any line: what can be read as a record is written and read again as an equal one, and written the same once more. */
#include "../fuzz.h"
#include "base/buffer.h"
#include "capture/record.h"

/* Absent and empty are one, for the texts that are always written. */
static bool same_bytes(struct text a, struct text b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.text, b.text, a.length) == 0);
}

static bool same_text(struct text a, struct text b)
{
	return !a.text == !b.text && same_bytes(a, b);
}

static void require_equal(const struct capture_record *a, const struct capture_record *b)
{
	require(a->seq == b->seq && a->received_us == b->received_us && a->valid == b->valid && a->status == b->status);
	require(same_text(a->received_at, b->received_at) && same_text(a->request.body, b->request.body));
	require(same_text(a->event, b->event) && same_text(a->fault, b->fault));
	require(same_bytes(a->remote, b->remote) && same_bytes(a->request.method, b->request.method) &&
	        same_bytes(a->request.target, b->request.target));
	require(a->request.header_count == b->request.header_count);
	for (size_t i = 0; i < a->request.header_count; i++)
		require(same_text(a->request.headers[i].name, b->request.headers[i].name) &&
		        same_text(a->request.headers[i].value, b->request.headers[i].value));
	require(a->request.body.text[a->request.body.length] == '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_scratch scratch, again;
	struct capture_record record, back;
	struct buffer line = BUFFER_INIT, second = BUFFER_INIT;
	struct error err;
	scratch = CAPTURE_SCRATCH_INIT;
	again = CAPTURE_SCRATCH_INIT;
	if (capture_record_parse(&scratch, (const char *)data, size, &record, &err) == 0) {
		capture_record_append(&record, &line);
		require(memchr(line.data, '\n', line.length) == line.data + line.length - 1);
		require(capture_record_parse(&again, line.data, line.length, &back, &err) == 0);
		require_equal(&record, &back);
		capture_record_append(&back, &second);
		require(line.length == second.length && memcmp(line.data, second.data, line.length) == 0);
	} else {
		require(err.message[0] != '\0');
	}
	buffer_release(&line);
	buffer_release(&second);
	capture_scratch_release(&scratch);
	capture_scratch_release(&again);
	return 0;
}
