/* What failed, by address: for `test --failed`. A file of each has the level and the time, and the ids, a line each. */
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/state_path.h"
#include "base/url.h"
#include "cmd/probe/probe.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BYTES_MOST ((size_t)1 << 20)

/* The URL with its port and path, so that it is one whether or not those that are meant without them were typed. */
static void append_url(struct buffer *out, const struct destination *to)
{
	struct url url;
	url_parse(buffer_text(&to->url), &url);
	url.port = to->address.port;
	url_append_origin(out, &url);
	buffer_printf(out, "%s%s", url.rest[0] == '/' ? "" : "/", url.rest);
}

/* Where it is: by the hash of the URL, which may hold a secret. False: nowhere. */
static bool append_path(struct buffer *path, const struct probe_command *run)
{
	LOCAL_BUFFER url = BUFFER_FOR(path);
	unsigned char whole[HASH_SHA256_SIZE];
	struct error unused;
	append_url(&url, &run->route.destination);
	struct evp_md_ctx_st *hash = hash_sha256_new(&unused);
	bool is_known = hash && hash_sha256_of(hash, buffer_text(&url), url.length, whole, &unused) == 0 &&
	                state_path_append(path, "test-");
	for (size_t i = 0; is_known && i < sizeof whole; i++)
		buffer_printf(path, "%02x", whole[i]);
	hash_sha256_free(hash);
	return is_known && !path->failed;
}

static const struct probe_check *find_check(const struct probe_plan *plan, struct text id)
{
	for (size_t i = 0; i < plan->count; i++)
		if (strlen(plan->checks[i].id) == id.length && memcmp(plan->checks[i].id, id.text, id.length) == 0)
			return &plan->checks[i];
	return NULL;
}

/* Reads the file. False: there is none that can be read. */
static bool read_file(const struct probe_command *run, struct buffer *text)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	struct stat st;
	struct error unused;
	return append_path(&path, run) && stat(buffer_text(&path), &st) == 0 && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size <= BYTES_MOST && file_read_whole(buffer_text(&path), text, NULL, &unused) == 0;
}

/* The level of the first line, and what is behind it; -1: it is not such a line. */
static int read_level(struct text line)
{
	for (int level = PROBE_QUICK; level <= PROBE_DEEP; level++) {
		size_t length = strlen(probe_depth_names[level]);
		if (line.length > length && memcmp(line.text, probe_depth_names[level], length) == 0 &&
		    line.text[length] == ' ')
			return level;
	}
	return -1;
}

int probe_failed_read(struct probe_command *run, int *level, struct error *err)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	struct text line;
	bool is_read = read_file(run, &text);
	const char *at = buffer_text(&text), *end = at + text.length;
	*level = is_read && text_next_line(&at, end, &line) ? read_level(line) : -1;
	if (*level < 0) {
		error_set(err, EXIT_CODE_USAGE, "what failed at '%s' is not known",
		          buffer_text(&run->route.masked_url));
		return error_hint(err, "test it without --failed first; a run that is cut short, or cannot see what "
		                       "is kept, counts only if a check fails");
	}
	while (text_next_line(&at, end, &line)) {
		struct buffer id = BUFFER_INIT; /* its bytes are the list's */
		buffer_append(&id, line.text, line.length);
		if (line.length > 0 && owned_texts_add(&run->failed_ids, id.failed ? NULL : id.data, err) < 0)
			return -1;
	}
	return 0;
}

static bool was_graded(const struct probe_check *check)
{
	return check->chosen && check->result.ended && check->result.verdict != GRADE_SKIP;
}

/* What failed when it was played last: of those that this run has not graded, too, as one that was interrupted. */
static void append_ids(struct buffer *out, const struct probe_plan *plan, const char *at, const char *end)
{
	struct text line;
	for (size_t i = 0; i < plan->count; i++)
		if (was_graded(&plan->checks[i]) && probe_has_failed(&plan->checks[i]))
			buffer_printf(out, "%s\n", plan->checks[i].id);
	while (text_next_line(&at, end, &line)) {
		const struct probe_check *check = find_check(plan, line);
		if (check && !was_graded(check))
			buffer_printf(out, "%s\n", check->id);
	}
}

bool probe_failed_write(const struct probe_command *run, bool is_whole)
{
	LOCAL_BUFFER path = BUFFER_INIT, before = BUFFER_INIT, text = BUFFER_INIT;
	char now[CLOCK_STAMP_SIZE];
	struct error unused;
	struct text line;
	struct stat st;
	int level = run->args->level;
	if (!append_path(&path, run) || (lstat(buffer_text(&path), &st) == 0 && !S_ISREG(st.st_mode)))
		return false; /* nobody may read a FIFO; what a link leads to is not ours */
	bool is_known = read_file(run, &before);
	const char *at = buffer_text(&before), *end = at + before.length;
	int level_before = is_known && text_next_line(&at, end, &line) ? read_level(line) : -1;
	bool is_part = run->wanted.count > 0 && level_before >= 0;
	level = is_part || level_before > level ? level_before : level;
	clock_format_local(clock_realtime_us(), now);
	buffer_printf(&text, "%s %s\n", probe_depth_names[level], now);
	size_t without = text.length;
	append_ids(&text, &run->checks, at, level_before >= 0 ? end : at);
	if (text.length == without && !is_whole) /* that nothing has failed would be said of what was not played */
		return false;
	mode_t mask = umask(077);
	int result = text.failed ? -1 : file_make_folders_above(buffer_text(&path), &unused);
	if (result == 0)
		result = file_write_whole(buffer_text(&path), buffer_text(&text), text.length, NULL, &unused);
	umask(mask);
	return result == 0;
}
