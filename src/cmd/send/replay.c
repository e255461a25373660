/* replay: deliver captured payloads again, byte for byte, in recorded order. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/shell_text.h"
#include "cmd/cmd.h"
#include "cmd/send/send.h"
#include "cmd/words/misplaced.h"
#include "cmd/words/notes.h"
#include "deliver/journal.h"
#include "deliver/past_results.h"
#include "deliver/retry.h"
#include "http/head.h"
#include "redact/redact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Records skipped in one go before the loop gets to look at the rest again. */
#define SKIPPED_AT_ONCE 1000

struct replayer {
	struct send_run run;
	const struct replay_args *args;
	struct selection selection;
	struct redactor *fresh; /* of the seed; NULL: none */
	struct buffer fresh_body;
	struct seed seed;                /* of --fresh-ids, also of the run that is repeated */
	struct dry_run_summary *summary; /* --dry-run */
	struct buffer chosen_by;         /* the options that choose, for the journal */
	bool is_over;                    /* the inputs have no more that is chosen */
	uint64_t taken;
	uint64_t left_out;            /* what --resume or --failed-only says is done */
	struct past_results *past;    /* --compare=RESULTS; NULL: none */
	uint64_t not_in_past;         /* taken, and not in them */
	uint64_t without_key;         /* taken, without a value at --keyed's PATH */
	uint64_t without_credentials; /* sent as recorded, but for these */
	bool has_key;                 /* of those that are chosen, one has it: sent now, or in another shard or run */
	struct capture_item *item;    /* under consideration, with its job */
	struct job *job;
	enum journal_skip skip; /* what the journal says of it */
	int64_t started_ns;
	size_t paced_file; /* of the inputs, from 1: that of the record before */
	int64_t last_received_us;
	int64_t offset_ns; /* of the record before, from the start */
};

/* When the record is due: the gap to the one before it, scaled and capped, behind that one. A file that begins earlier
 * than what was before it, such as one that is named twice, has its own gaps. */
static void pace(struct replayer *r, const struct capture_record *record, struct job *job)
{
	double speed = r->args->speed;
	if (speed <= 0 || record->received_us == 0)
		return;
	if (r->started_ns == 0 && !r->summary)
		r->started_ns = clock_monotonic_ns();
	if (r->run.inputs.at != r->paced_file && record->received_us < r->last_received_us)
		r->last_received_us = 0;
	r->paced_file = r->run.inputs.at;
	int64_t gap_us = r->last_received_us == 0 ? 0 : record->received_us - r->last_received_us;
	double gap_ns = gap_us > 0 ? (double)gap_us * 1000 / speed : 0;
	double most = r->args->max_wait > 0 ? (double)r->args->max_wait : 1e15;
	if (record->received_us > r->last_received_us)
		r->last_received_us = record->received_us;
	r->offset_ns += (int64_t)fmin(gap_ns, most);
	job->due_ns = r->started_ns + r->offset_ns;
}

/* The edited body; of what is not JSON no request is made, and the others go out. */
static int edit_body(struct replayer *r, const struct catalog_event *event, struct text body, struct job *job,
                     struct error *err)
{
	int code = edits_apply(&r->args->edits, event, body.text, body.length, &job->body, err);
	if (code == 0 || err->code != EXIT_CODE_FAILED)
		return code;
	if (!buffer_reserve(&job->bytes, strlen(err->message) + 1))
		return error_no_memory(err);
	job->exchange.unmade = text_copy(text_of(err->message), &job->bytes).text;
	return 0;
}

/* The body with fresh identifiers and edits. */
static int append_body(struct replayer *r, const struct capture_record *record, const struct catalog_event *event,
                       struct job *job, struct error *err)
{
	struct text body = record->request.body;
	enum redact_withheld withheld = REDACT_NOT_WITHHELD;
	buffer_clear(&r->fresh_body);
	if (r->fresh && body.length > 0) {
		if (redact_payload(r->fresh, body.text, body.length, &r->fresh_body, &withheld, err) < 0)
			return -1;
		/* What is not JSON has no identifiers that anybody could read. */
		if (withheld == REDACT_NOT_WITHHELD)
			body = (struct text){ buffer_text(&r->fresh_body), r->fresh_body.length };
	}
	if (r->args->edits.count > 0)
		return edit_body(r, event, body, job, err);
	buffer_append(&job->body, body.text, body.length);
	return 0;
}

/* Production's have no business elsewhere. */
static bool is_credential(const struct header *h)
{
	return header_is(h, "Authorization") || header_is(h, "Cookie") || header_is(h, "Proxy-Authorization");
}

/* The headers that are sent again, in their order, and the recorded path and query at the destination's scheme, host
 * and port. False: no memory. */
static bool copy_head(struct replayer *r, const struct message *from, struct job *job)
{
	const struct text *type = message_header(from, "Content-Type");
	const char *url = r->run.route.http.url;
	bool as_recorded = r->args->as_recorded, has_credential = false;
	const char *path = as_recorded && from->target.length > 0 ? http_target_path(from->target.text) : "";
	size_t origin = (size_t)(http_target_path(url) - url), room = origin + from->target.length + 1;
	for (size_t i = 0; i < from->header_count; i++)
		room += from->headers[i].name.length + from->headers[i].value.length + 2;
	bool good = buffer_reserve(&job->bytes, room);
	for (size_t i = 0; good && i < from->header_count; i++) {
		const struct header *h = &from->headers[i];
		/* A compressed body means nothing without its coding. */
		bool is_sent = header_is(h, "Content-Encoding") ||
		               (as_recorded ? !is_credential(h) : &h->value == type && type->length > 0);
		has_credential |= as_recorded && is_credential(h);
		if (is_sent)
			good = job_add_header(job, text_copy(h->name, &job->bytes), text_copy(h->value, &job->bytes));
	}
	r->without_credentials += has_credential;
	/* With '/' in front it cannot change the host; the deliverer refuses another than the plan's anyhow. */
	if (good && path[0] == '/') {
		struct text *target = &job->exchange.request.target;
		*target = (struct text){ job->bytes.data + job->bytes.length, origin };
		buffer_append(&job->bytes, url, origin);
		target->length +=
		        text_copy((struct text){ path, from->target.length - (size_t)(path - from->target.text) },
		                  &job->bytes)
		                .length;
	}
	return good;
}

static int fill_job(struct replayer *r, const struct capture_item *item, struct job *job, struct error *err)
{
	const struct capture_record *record = &item->record;
	const struct catalog_kind kind = r->selection.kind;
	job->input = r->run.inputs.reader.path;
	job->record = item->line;
	if (r->args->delivery.compare.given && !r->past) {
		job->has_recorded = record->status > 0;
		job->recorded_status = record->status;
	}
	/* Where there was no response, any is another. */
	job->has_expected = job->has_recorded && !r->args->delivery.expect_status.text;
	if (job->has_expected && (job->recorded_status > 0 || r->past))
		status_set_only(&job->expected, job->recorded_status);
	/* Than in an earlier run a 2xx is never worse; what was recorded may have been meant, but not that the listener
	 * failed or was busy. */
	if (job->has_expected && (r->past || job->recorded_status >= 500 || retry_is_for(job->recorded_status)))
		status_set_add_class(&job->expected, 2);
	if (kind.event)
		catalog_kind_name(kind, job->name);
	if (send_run_check_origin(&r->run, record, err) < 0 || append_body(r, record, kind.event, job, err) < 0)
		return send_run_refuse(&r->run, item, err);
	pace(r, record, job);
	bool failed = (!job->exchange.unmade && !copy_head(r, &record->request, job)) || job->body.failed ||
	              job->bytes.failed || job->key.failed;
	return failed ? error_no_memory(err) : 0;
}

static bool chooses_by_place(const struct replay_args *args)
{
	return args->select.limit < UINT64_MAX || args->select.records.count > 0 || args->select.distinct;
}

/* Part K of N, by key or else by content, so that it does not matter what came before. */
static bool is_in_shard(const struct replay_shard *shard, const struct job *job)
{
	uint64_t word =
	        job->keyed ? hash_bytes(buffer_text(&job->key), job->key.length) >> 16 : hash_word(job->id.bytes);
	return shard->count == 0 || word % shard->count == shard->number - 1;
}

/* Gives the job its id and key, and asks the earlier runs about it. 1, or 0: it is of another shard; -1: *err. */
static int look_up(struct replayer *r, struct error *err)
{
	struct job *job = r->job;
	job->keyed = r->selection.is_keyed;
	job->has_id = r->run.journal != NULL;
	r->has_key |= job->keyed;
	if ((job->has_id || r->past || (r->args->shard.count > 0 && !job->keyed)) &&
	    inputs_id(&r->run.inputs, r->item, &job->id, err) < 0)
		return -1;
	if (!is_in_shard(&r->args->shard, job))
		return 0;
	/* Also of one that is not sent again: the next with this id is the next there, too. */
	if (r->past)
		job->has_recorded = past_results_take(r->past, &job->id, &job->recorded_status);
	r->skip = journal_ask(r->run.journal, &job->id);
	return 1;
}

/* --failed-only chooses before --distinct and --limit do, or these would be used up by what was accepted. What --resume
 * skips was chosen by the same options, and keeps its place among what they choose. */
static int is_failed(void *context, struct error *err)
{
	struct replayer *r = context;
	int is_ours = look_up(r, err);
	bool is_one = r->skip == JOURNAL_WANTED || r->skip == JOURNAL_FINISHED;
	if (is_ours <= 0)
		return is_ours;
	r->left_out += !is_one;
	return is_one;
}

/* The next record that the options choose, with its id and key in the job; JOB_YIELD: another one was skipped. */
static enum job_got next_chosen(struct replayer *r, struct capture_item *item, struct job *job, struct error *err)
{
	enum inputs_got got = inputs_next(&r->run.inputs, item, err);
	if (got == INPUTS_FAILED)
		return JOB_FAILED;
	if (got == INPUTS_LATER)
		return JOB_LATER;
	if (got == INPUTS_NONE && !inputs_ended(&r->run.inputs))
		return JOB_YIELD; /* a signal is waiting, which is not for the source to take */
	enum selection_answer answer = SELECTION_ENOUGH;
	buffer_clear(&job->key);
	r->item = item;
	r->job = job;
	if (got == INPUTS_ITEM)
		answer =
		        selection_takes(&r->selection, &item->record, item->line, r->run.inputs.number, &job->key, err);
	r->run.taken = r->selection.taken;
	if (answer == SELECTION_FAILED)
		return JOB_FAILED;
	if (answer == SELECTION_ENOUGH) {
		r->is_over = true;
		return JOB_NONE;
	}
	if (answer == SELECTION_NO)
		return JOB_YIELD;
	int is_ours = r->selection.wants ? 1 : look_up(r, err);
	return is_ours < 0 ? JOB_FAILED : is_ours ? JOB_FILLED : JOB_YIELD;
}

static enum job_got next_job(void *context, struct job *job, struct error *err)
{
	struct replayer *r = context;
	struct capture_item item;
	for (int passed = 0; passed < SKIPPED_AT_ONCE; passed++) {
		enum job_got got = next_chosen(r, &item, job, err);
		bool is_done = got == JOB_FILLED && r->skip != JOURNAL_WANTED;
		r->left_out += is_done;
		if (got == JOB_YIELD || is_done)
			continue;
		if (got != JOB_FILLED)
			return got;
		r->taken++;
		r->not_in_past += r->past && !job->has_recorded;
		r->without_key += r->args->keyed && !job->keyed;
		if (fill_job(r, &item, job, err) < 0)
			return JOB_FAILED;
		if (r->summary)
			dry_run_summary_add(r->summary, &item.record, r->selection.kind, job);
		return JOB_FILLED;
	}
	return JOB_YIELD;
}

/* Whether the options that choose are these, beside --failed-only behind them. */
static bool chooses_as(const struct replayer *r, const char *selection)
{
	const char *own = buffer_text(&r->chosen_by);
	size_t length = strlen(selection);
	if (strncmp(own, selection, length) != 0)
		return false;
	own += length;
	return strncmp(own + (length > 0 && *own == ' '), "--failed-only", strlen("--failed-only")) == 0;
}

/* How many records were skipped since an earlier run has them, and why, and how many of its records are missing in the
 * inputs. Returns the exit code, which may be worse for it. */
static int report_past(const struct replayer *r, int code)
{
	const struct send_options *o = &r->args->delivery;
	const struct journal *journal = r->run.journal;
	struct terminal *t = r->run.context->terminal;
	const char *results = o->failed_only ? o->failed_only : o->resume;
	const uint64_t *skipped = journal_skipped(journal);
	uint64_t failed = skipped[JOURNAL_FINISHED] > 0 ? journal_not_accepted(journal) : 0;
	uint64_t records = journal_failed_records(journal);
	if (skipped[JOURNAL_ACCEPTED] > 0)
		terminal_note(t, "skipped %s accepted according to '%s'", COUNT_TEXT(skipped[JOURNAL_ACCEPTED]),
		              results);
	if (skipped[JOURNAL_UNKNOWN] > 0)
		terminal_announce(t, "skipped %s unknown according to '%s': --retry-unknown sends them again",
		                  COUNT_TEXT(skipped[JOURNAL_UNKNOWN]), results);
	if (skipped[JOURNAL_NOT_FINISHED] > 0)
		terminal_announce(t, "skipped %s not finished according to '%s'%s",
		                  COUNT_TEXT(skipped[JOURNAL_NOT_FINISHED]), results,
		                  chooses_as(r, journal_failed_selection(journal))
		                          ? ": --resume instead sends them"
		                          : ", whose run had other options that choose");
	if (skipped[JOURNAL_FINISHED] > 0)
		terminal_note(t, "skipped %s already finished according to '%s'", COUNT_TEXT(skipped[JOURNAL_FINISHED]),
		              o->resume);
	if (failed > 0 && records == 0)
		terminal_announce(t, "%s of '%s' were not accepted: made by 'send', which sends others",
		                  COUNT_TEXT(failed), o->resume);
	else if (failed > 0)
		terminal_announce(t,
		                  "%s of '%s' were not accepted: --failed-only instead sends %s again, with "
		                  "--retry-unknown the unknown ones too",
		                  COUNT_TEXT(failed), o->resume, records == failed ? "them" : "those of files");
	/* Which makes the whole no success. */
	if ((failed > 0 || skipped[JOURNAL_UNKNOWN] > 0) && o->dry_run == DRY_RUN_OFF)
		code = (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED);
	/* With --failed-only other options may choose fewer of its records. */
	bool has_all = !o->failed_only || strncmp(buffer_text(&r->chosen_by), "--failed-only", 13) == 0;
	uint64_t missing = r->is_over && has_all ? journal_missing(journal) : 0;
	if (missing == 0)
		return code;
	terminal_announce(t, "%s of the records of '%s' are not in the inputs", COUNT_TEXT(missing), results);
	/* The inputs of a run that has ended may hold less by now. */
	if (!o->failed_only && !journal_was_unfinished(journal) && !chooses_by_place(r->args))
		return code;
	/* What else their files hold was not sent either. */
	terminal_announce(t, "hint: name the files that have them too, by the names they have now");
	return (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED);
}

static void append_chosen_by(const struct replayer *r, bool masked, struct buffer *out)
{
	const struct replay_args *a = r->args;
	selection_append_given(replay_option_uses, REPLAY_OPTION_USES, a, r->run.context->words, masked, out);
	if (a->shard.count > 0 && a->keyed)
		shell_append_option(out, "--keyed", a->keyed);
}

static int replay_all(struct replayer *r, struct error *err)
{
	const struct replay_args *a = r->args;
	struct terminal *t = r->run.context->terminal;
	struct inputs *inputs = &r->run.inputs;
	struct dry_run_summary summary = { 0 };
	r->run.next = next_job;
	r->run.most_taken = a->select.limit < UINT64_MAX ? a->select.limit : 0;
	if (a->as_recorded) {
		/* The paths are the records' own. */
		r->run.recorded_paths = true;
		struct buffer *url = &r->run.route.masked_url;
		buffer_consume_end(url, strlen(http_target_path(buffer_text(url))));
	}
	if (r->fresh)
		terminal_note(t,
		              "identifiers are replaced: not the recorded bytes; --fresh-ids=%llu makes the same ones",
		              (unsigned long long)r->seed.value);
	if (a->edits.count > 0)
		terminal_note(t, "bodies are edited: not the recorded bytes");
	r->summary = a->delivery.dry_run == DRY_RUN_REQUEST ? &summary : NULL;
	LOCAL_BUFFER shown = BUFFER_INIT;
	int code = send_run_deliver(&r->run, err);
	append_chosen_by(r, true, &shown);
	if (r->run.reports.page && shown.length > 0)
		selection_append_part(&r->run.reports.page->part, buffer_text(&shown), r->taken, inputs->number,
		                      !r->is_over || r->selection.taken >= a->select.limit);
	if (code < 0)
		return -1;
	if (r->summary && code != EXIT_CODE_INTERRUPTED)
		dry_run_summary_print(&r->run, &summary, a->speed);
	selection_note(&r->selection, t);
	if (r->not_in_past > 0)
		terminal_announce(t, "%s record%s not in '%s': nothing to compare with", COUNT_TEXT(r->not_in_past),
		                  r->not_in_past == 1 ? " is" : "s are", a->delivery.compare.results);
	uint64_t left = r->past && r->is_over ? past_results_left(r->past) : 0;
	if (left > 0)
		terminal_announce(t, "%s record%s of '%s' %s not in this run", COUNT_TEXT(left), left == 1 ? "" : "s",
		                  a->delivery.compare.results, left == 1 ? "is" : "are");
	if (r->without_credentials > 0)
		terminal_announce(t, "%s had credentials, which were not sent: -H sends a header",
		                  COUNT_TEXT(r->without_credentials));
	if (r->without_key > 0 && r->has_key) {
		terminal_announce(t, "%s record%s without '%s', sent in any order", COUNT_TEXT(r->without_key),
		                  r->without_key == 1 ? "" : "s", a->keyed);
	} else if (r->without_key > 0) {
		/* The order was not kept at all: the path is wrong. */
		terminal_announce(t, "--keyed '%s': no record has a value there, so no order is kept", a->keyed);
		code = (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED);
	}
	code = report_past(r, code);
	if (r->taken == 0 && r->left_out == 0 && code == EXIT_CODE_OK && a->shard.count == 0 &&
	    (inputs->code == EXIT_CODE_OK || r->selection.refused.records > 0))
		return selection_nothing(&r->selection, "replay", inputs->code, err);
	return (int)exit_code_worse((enum exit_code)code, inputs->code);
}

static int init_selection(struct replayer *r, struct error *err)
{
	const struct replay_args *a = r->args;
	if (selection_init(&r->selection, &a->select, err) < 0)
		return -1;
	if (a->delivery.failed_only) {
		r->selection.wants = is_failed;
		r->selection.wants_context = r;
	}
	append_chosen_by(r, false, &r->chosen_by);
	if (r->chosen_by.failed)
		return error_no_memory(err);
	return a->keyed ? edit_place(a->keyed, &r->selection.key_pointer, err) : 0;
}

/* Before anything is sent: --limit, --record and --distinct choose by place, and what F has may not be there any more.
 * Pipes are looked at only once, so that it comes out at the end. */
static int check_chosen(const struct replayer *r, struct error *err)
{
	const struct send_options *o = &r->args->delivery;
	const struct journal_options options = { .results = o->results,
		                                 .resume = o->resume,
		                                 .failed_only = o->failed_only,
		                                 .selection = buffer_text(&r->chosen_by),
		                                 .retry_unknown = o->retry_unknown,
		                                 .read_only = true,
		                                 .signals = r->run.context->signals };
	struct context *context = r->run.context;
	struct replayer look = { .run.context = context, .args = r->args };
	struct capture_item item;
	struct job *job;
	int result = -1;
	if (!o->resume || o->failed_only || !chooses_by_place(r->args) || r->run.inputs.whole == 0)
		return 0;
	job = calloc(1, sizeof *job);
	if (!job)
		return error_no_memory(err);
	if (init_selection(&look, err) == 0 && journal_open(&look.run.journal, &options, err) == 0 &&
	    inputs_init(&look.run.inputs, context->operands, CAPTURE_ACCEPTS_NOTIFICATIONS, NULL, context->signals,
	                err) == 0) {
		enum job_got got = JOB_YIELD;
		while ((got == JOB_FILLED || got == JOB_YIELD) && signals_wait_input(context->signals, -1, 0)) {
			got = next_chosen(&look, &item, job, err);
			look.left_out += got == JOB_FILLED;
		}
		uint64_t missing = journal_missing(look.run.journal);
		result = got == JOB_NONE ? 0 : -1;
		if (got == JOB_FILLED || got == JOB_YIELD)
			error_set(err, EXIT_CODE_INTERRUPTED, "interrupted before anything was sent");
		if (got == JOB_NONE && missing > 0) {
			result = error_set(err, EXIT_CODE_USAGE,
			                   "%s of the records of '%s' are not among those chosen now",
			                   COUNT_TEXT(missing), o->resume);
			error_hint(err,
			           "--limit, --record and --distinct select by position: give the same inputs in the "
			           "same order");
		}
	}
	job_free(job);
	send_run_release(&look.run);
	selection_release(&look.selection);
	buffer_release(&look.chosen_by);
	return result;
}

/* --compare=RESULTS: reads them, and says where they are not all. */
static int open_past(struct replayer *r, struct error *err)
{
	struct context *context = r->run.context;
	const char *path = r->args->delivery.compare.results;
	if (!path)
		return 0;
	if (past_results_read(&r->past, path, context->signals, err) < 0)
		return -1;
	if (!past_results_are_whole(r->past))
		terminal_announce(context->terminal, "'%s' is of a run that did not come to its end", path);
	uint64_t bad = past_results_bad_lines(r->past);
	if (bad > 0)
		terminal_warn(context->terminal, "'%s': %s line%s not read: torn or not results", path, COUNT_TEXT(bad),
		              bad == 1 ? "" : "s");
	return 0;
}

/* What is sent of a run that had fresh identifiers has the same ones, asked for or not: the original ones would be
 * those of other customers, and real ones. */
static int init_fresh_ids(struct replayer *r, struct error *err)
{
	const struct fresh_ids *fresh = &r->args->fresh_ids;
	if (fresh->seed.given && r->seed.value != fresh->seed.value) {
		error_set(err, EXIT_CODE_USAGE, "the run that is continued has --fresh-ids=%llu",
		          (unsigned long long)r->seed.value);
		return error_hint(err, "leave the option out: its seed is used");
	}
	if (!r->seed.given)
		return 0;
	r->fresh = redactor_new(&r->seed.value, sizeof r->seed.value, true, err);
	return r->fresh ? 0 : -1;
}

static int open_inputs(struct replayer *r, const struct inputs_observer *observer, struct error *err)
{
	struct inputs *inputs = &r->run.inputs;
	struct signals *signals = r->run.context->signals;
	return inputs_init(inputs, r->run.files, CAPTURE_ACCEPTS_NOTIFICATIONS, observer, signals, err) < 0
	               ? -1
	               : inputs_check(inputs, err);
}

static int run_replay(struct context *context, void *args, struct error *err)
{
	struct replay_args *a = args;
	const struct text_list *files = context->operands;
	struct inputs_observer observer = input_notes_observer(context);
	struct replayer r = { .run = { .context = context, .options = &a->delivery, .files = files }, .args = a };
	int code = -1;
	struct random random;
	if (files->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "replay needs a FILE");
		return error_hint(err, "write 'credhook replay capture.ndjson --to :8080'; - is standard input");
	}
	if (edits_check(&a->edits, NULL, 0, err) < 0 || misplaced_operand(context, OPERAND_FILE, 0, err) < 0)
		return -1;
	selection_read_day(&a->select, files, 0, context->signals);
	random_seed_fresh(&random);
	r.seed = a->fresh_ids.seed;
	if (a->fresh_ids.given && !r.seed.given)
		r.seed = (struct seed){ true, random_next(&random) };
	if (init_selection(&r, err) == 0 && send_run_init(&r.run, err) == 0 && open_inputs(&r, &observer, err) == 0 &&
	    check_chosen(&r, err) == 0 && open_past(&r, err) == 0 &&
	    send_run_open(&r.run, buffer_text(&r.chosen_by), &r.seed, err) == 0 && init_fresh_ids(&r, err) == 0)
		code = report_files_finish(&r.run.reports, replay_all(&r, err), context->terminal, err);
	past_results_free(r.past);
	redactor_free(r.fresh);
	buffer_release(&r.fresh_body);
	buffer_release(&r.chosen_by);
	send_run_release(&r.run);
	selection_release(&r.selection);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook replay capture.ndjson --to sandbox", "everything, as fast as responses come" },
	{ "credhook replay capture.ndjson --to :8080 --speed 1 --max-wait 2s", "with the recorded gaps" },
	{ "credhook replay capture.ndjson --to :8080 --events bureau-alert", "one kind of event" },
	{ "credhook replay capture.ndjson --concurrency 64 --keyed details.clientKey",
	  "64 concurrent requests, in order per client" },
	{ "credhook replay capture.ndjson --to :8080 --results results.ndjson --retry 3",
	  "with a line of JSON per attempt" },
	{ "credhook replay capture.ndjson --to :8080 --dry-run", "what it would do" },
	{ NULL, NULL },
};

const struct command command_replay = {
	.name = "replay",
	.group = COMMAND_DELIVER,
	.also = (const struct command_also[]){ { "resend redeliver rerun again", "FILE --to WHERE" },
	                                       { "retry", "FILE --failed-only RESULTS --to WHERE" },
	                                       { NULL, NULL } },
	.usual = "FILE --to WHERE",
	.phrase = "send captured notifications again",
	.common = (const char *const[]){ "to", "events", "where", "speed", "concurrency", "set", "results", "resume",
	                                 "failed-only", "compare", NULL },
	.operands = "FILE...",
	.complete = COMPLETE_FILE,
	.summary = "Send captured payloads again, byte for byte, in recorded order.",
	.uses = replay_option_uses,
	.use_count = REPLAY_OPTION_USES,
	.args_size = sizeof(struct replay_args),
	.run = run_replay,
	.examples = examples,
};
