#include "cmd/show/convert_output.h"

#include "base/text.h"
#include "capture/format.h"
#include "capture/gzip.h"

#include <string.h>

const char *const convert_to_names[] = { "auto", FORMAT_RECORD, "har", "html", NULL };

/* What the end of a name says. */
static const struct name_end {
	const char *text;
	enum convert_to to;
} ends[] = {
	{ ".ndjson", CONVERT_RECORDS }, { ".jsonl", CONVERT_RECORDS },     { ".har", CONVERT_HAR },
	{ ".html", CONVERT_PAGE },      { ".ndjson.gz", CONVERT_RECORDS }, { ".jsonl.gz", CONVERT_RECORDS },
	{ ".har.gz", CONVERT_HAR },
};

static const struct name_end *end_of(const char *path)
{
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (text_ends_with(path, strlen(path), ends[i].text))
			return &ends[i];
	return NULL;
}

bool convert_output_is_name(const char *path)
{
	return end_of(path) != NULL;
}

int convert_output_init(struct convert_output *o, struct terminal *terminal, const char *path, enum convert_to to,
                        struct error *err)
{
	*o = (struct convert_output){ .terminal = terminal, .to = to };
	o->path = path && strcmp(path, "-") != 0 ? path : NULL;
	const char *slash = o->path ? strrchr(o->path, '/') : NULL, *name = slash ? slash + 1 : o->path ? o->path : "";
	const struct name_end *end = end_of(name);
	bool is_packed = text_ends_with(name, strlen(name), ".gz"), is_bare = !strchr(name + (name[0] == '.'), '.');
	if (to == CONVERT_AUTO && !end && !is_bare) {
		error_set(err, EXIT_CODE_USAGE, "the name '%s' does not say a format", path);
		return error_hint(err, "end it with .ndjson, .jsonl, .har (also with .gz) or .html, or add --format");
	}
	if (to == CONVERT_AUTO)
		o->to = end ? end->to : CONVERT_RECORDS;
	if (is_packed && o->to == CONVERT_PAGE)
		return error_set(err, EXIT_CODE_USAGE, "'%s': a page is not compressed", path);
	if (is_packed)
		o->gzip = gzip_new(err);
	return is_packed && !o->gzip ? -1 : 0;
}

int convert_output_open(struct convert_output *o, bool force, const struct source_files *in_use,
                        struct signals *signals, struct error *err)
{
	o->file = (struct output_file){
		.path = o->path, .is_private = true, .force = force, .in_use = in_use, .signals = signals
	};
	return o->path ? output_begin(&o->file, err) : 0;
}

int convert_output_write(struct convert_output *o, struct buffer *bytes, bool are_last, struct error *err)
{
	const struct buffer *out = o->gzip ? &o->packed : bytes;
	int result = bytes->failed ? error_no_memory(err) : 0;
	if (result == 0 && o->gzip)
		result = gzip_append(o->gzip, buffer_text(bytes), bytes->length, are_last, &o->packed, err);
	if (result == 0 && o->file.is_open)
		result = output_append(&o->file, buffer_text(out), out->length, err);
	else if (result == 0)
		terminal_write_lines(o->terminal, bytes);
	buffer_clear(bytes);
	buffer_clear(&o->packed);
	return result;
}

bool convert_output_is_pending(const struct convert_output *o)
{
	return o->file.is_open && (o->file.there >= 0 || o->file.writer.temporary);
}

int convert_output_keep(struct convert_output *o, struct error *err)
{
	int result = o->file.is_open ? output_finish(&o->file, err) : 1;
	o->is_same = result == 0;
	return result < 0 ? -1 : 0;
}

void convert_output_release(struct convert_output *o)
{
	output_abandon(&o->file);
	gzip_free(o->gzip);
	buffer_release(&o->packed);
}
