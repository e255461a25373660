#include "base/clock.h"
#include "cmd/send/send.h"
#include "cmd/words/curl.h"
#include "cmd/words/notes.h"
#include "http/secrets.h"
#include "json/json_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A request that send made: its own headers, then the route's. */
static void append_request(const struct send_run *run, struct job *job, struct buffer *out)
{
	const struct route *route = &run->route;
	bool json = run->context->global->json, good = true;
	char length[24];
	snprintf(length, sizeof length, "%zu", job->body.length);
	if (!route->has_content_type)
		good = job_add_header(job, (struct text)TEXT("Content-Type"), (struct text)TEXT(DELIVER_TYPE));
	for (size_t i = 0; i < route->header_count; i++)
		good = good && job_add_header(job, route->headers[i].name, route->headers[i].value);
	if (!json && !message_header(job_request(job), "Transfer-Encoding"))
		good = good && job_add_header(job, (struct text)TEXT("Content-Length"), text_of(length));
	struct message head = *job_request(job);
	head.method = (struct text)TEXT("POST");
	head.target = text_of(route->http.url);
	buffer_fail_if(out, !good);
	if (!json) {
		message_append_head(&head, true, out);
		buffer_append_byte(out, '\n');
		buffer_append(out, buffer_text(&job->body), job->body.length);
		buffer_append_text(out, "\n\n");
		return;
	}
	json_line_begin_type(out, "request");
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "method", "POST");
	json_line_text(out, "url", buffer_text(&route->masked_url));
	json_line_array(out, "headers");
	for (const struct header *h = head.headers; h < head.headers + head.header_count; h++) {
		const struct text value = header_is_secret(h) ? text_of(SECRET_MASK) : h->value;
		if (!value.text)
			continue;
		json_line_comma(out);
		buffer_append_byte(out, '[');
		json_line_string(out, h->name.text, h->name.length);
		json_line_comma(out);
		json_line_string(out, value.text, value.length);
		json_line_array_end(out);
	}
	json_line_array_end(out);
	json_line_bytes(out, "body", buffer_text(&job->body), job->body.length);
	json_line_finish(out);
}

int send_dry_run(struct send_run *run, struct error *err)
{
	struct context *context = run->context;
	bool is_curl = run->options->dry_run == DRY_RUN_CURL, shows = is_curl || run->maker;
	if (is_curl && context->global->json) {
		error_set(err, EXIT_CODE_USAGE, "--dry-run=curl writes commands, not JSON");
		return error_hint(err, "leave out --json, or write --dry-run alone for the requests");
	}
	/* Refuses what a run would refuse before its first delivery: a bad header, a certificate that cannot be read.
	 */
	struct loop *loop = loop_new(err);
	struct deliverer *deliverer = loop ? deliverer_new(loop, &run->route.http, err) : NULL;
	bool is_ready = deliverer != NULL;
	deliverer_free(deliverer);
	loop_free(loop);
	if (!is_ready)
		return -1;
	struct job *job = calloc(1, sizeof *job);
	struct curl_lines lines = { .terminal = context->terminal };
	int got = job ? JOB_YIELD : error_no_memory(err);
	uint64_t count = 0;
	while ((got == JOB_FILLED || got == JOB_YIELD) && !terminal_is_closed(context->terminal) &&
	       signals_wait_input(context->signals, -1, 0)) {
		job_clear(job);
		got = run->next(run, job, err);
		count += got == JOB_FILLED;
		if (got != JOB_FILLED || !shows)
			continue;
		/* A file or another program gets the very bytes. */
		LOCAL_BUFFER out = BUFFER_INIT, place = BUFFER_INIT;
		buffer_printf(&place, "%s:%llu", job->input ? input_name(job->input) : job->name,
		              (unsigned long long)job->record);
		if (job->exchange.unmade) {
			terminal_warn(context->terminal, "%s: %s", buffer_text(&place), job->exchange.unmade);
			lines.has_refused = true;
		} else if (!is_curl)
			append_request(run, job, &out);
		else if (curl_append(&lines, job_request(job), buffer_text(&place), &run->route, &run->options->route,
		                     &out, err) < 0)
			got = -1;
		terminal_write_lines(context->terminal, &out);
	}
	enum exit_code code = curl_end(&lines);
	job_free(job);
	if (got > 0 && signals_take(context->signals) != 0) {
		interrupted_after(context->terminal, count, "request", NULL);
		return EXIT_CODE_INTERRUPTED;
	}
	return got < 0 ? -1 : (int)code;
}

void dry_run_summary_add(struct dry_run_summary *s, const struct capture_record *record, struct catalog_kind kind,
                         const struct job *job)
{
	s->count++;
	s->bytes += job->body.length;
	if (record->received_us > s->last_us)
		s->last_us = record->received_us;
	if (record->received_us != 0 && (s->first_us == 0 || record->received_us < s->first_us))
		s->first_us = record->received_us;
	if (job->due_ns > s->pace_ns)
		s->pace_ns = job->due_ns;
	if (kind.event)
		s->kinds[catalog_kind_index(kind)]++;
	else
		s->unknown++;
}

static void append_summary_as_json(struct buffer *out, const struct send_run *run, const struct dry_run_summary *s,
                                   double estimated_ns)
{
	json_line_begin_type(out, "dry-run");
	json_line_text(out, "to", buffer_text(&run->route.masked_url));
	json_line_number(out, "records", (int64_t)s->count);
	json_line_number(out, "bytes", (int64_t)s->bytes);
	json_line_number(out, "malformed", (int64_t)run->inputs.bad);
	json_line_object(out, "events");
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (s->kinds[i] > 0)
			json_line_number(out, KIND_NAME(catalog_kind_at(i)), (int64_t)s->kinds[i]);
	json_line_end(out);
	json_line_number(out, "unknown_events", (int64_t)s->unknown);
	json_line_text(out, "first", s->first_us ? STAMP_TEXT(s->first_us) : NULL);
	json_line_text(out, "last", s->last_us ? STAMP_TEXT(s->last_us) : NULL);
	json_line_decimal(out, "span_seconds", (double)(s->last_us - s->first_us) / 1e6);
	json_line_decimal(out, "estimated_seconds", estimated_ns / 1e9);
	json_line_finish(out);
}

void dry_run_summary_print(const struct send_run *run, const struct dry_run_summary *s, double speed)
{
	LOCAL_BUFFER out = BUFFER_INIT;
	int64_t span_us = s->last_us - s->first_us;
	double interval_ns = run->options->interval_ns, by_rate = interval_ns * (double)(s->count - (s->count > 0));
	double estimated_ns = fmax(by_rate, (double)s->pace_ns);
	if (interval_ns <= 0 && speed <= 0)
		estimated_ns = (double)NAN; /* as long as the responses take */
	if (run->context->global->json) {
		append_summary_as_json(&out, run, s, estimated_ns);
		terminal_write_buffer(run->context->terminal, &out);
		return;
	}
	buffer_printf(&out, "would send %s record%s, %s bytes, to %s\n", COUNT_TEXT(s->count), s->count == 1 ? "" : "s",
	              COUNT_TEXT(s->bytes), buffer_text(&run->route.masked_url));
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (s->kinds[i] > 0)
			buffer_printf(&out, "  %10s  %s\n", COUNT_TEXT(s->kinds[i]), KIND_NAME(catalog_kind_at(i)));
	if (s->unknown > 0)
		buffer_printf(&out, "  %10s  (unknown)\n", COUNT_TEXT(s->unknown));
	if (run->inputs.bad > 0)
		buffer_printf(&out, "malformed, skipped: %s\n", COUNT_TEXT(run->inputs.bad));
	if (s->first_us != 0) {
		char first[CLOCK_STAMP_SIZE], last[CLOCK_STAMP_SIZE];
		clock_format_local(s->first_us, first);
		clock_format_local(s->last_us, last);
		buffer_printf(&out, "received from %s to %s: %s\n", first, last,
		              DURATION_TEXT(span_us > INT64_MAX / 1000 ? INT64_MAX : span_us * 1000));
	}
	if (!isnan(estimated_ns))
		buffer_printf(&out, "estimated time: %s\n", DURATION_TEXT((int64_t)estimated_ns));
	terminal_write_buffer(run->context->terminal, &out);
}
