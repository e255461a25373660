#include "http/stack.h"

#include "base/ascii.h"
#include "base/find.h"
#include "http/head.h"

#include <stdio.h>
#include <string.h>

/* What ends the name of a source file, and what follows it before the number of the line. */
static const char *const endings[] = { ".js",    ".mjs",    ".cjs", ".ts", ".jsx", ".tsx", ".py", ".rb",
	                               ".php",   ".java",   ".kt",  ".go", ".rs",  ".cs",  ".ex", ".exs",
	                               ".scala", ".groovy", ".erb", ".pl", ".vue", ".mts", ".cts" };
static const char *const before_lines[] = { ":line ", ":", "(", "\", line ", "\" line ", " on line ", " line " };

/* What the lines of frames have that are not the application's. */
static const char *const of_libraries[] = {
	"node_modules",
	"node:",
	"(internal/",
	" internal/",
	"site-packages",
	"dist-packages",
	"/lib/python",
	"<frozen ",
	"/vendor/",
	"/gems/",
	"/lib/ruby/",
	"<internal:",
	"rubygems",
	"/usr/local/go/",
	"/usr/lib/go",
	"/pkg/mod/",
	"/libexec/src/",
	"/rustc/",
	"/.cargo/",
	"java.base/",
	"at java.",
	"at javax.",
	"at jakarta.",
	"at jdk.",
	"at sun.",
	"at com.sun.",
	"at org.springframework.",
	"at org.apache.",
	"at org.eclipse.",
	"at org.hibernate.",
	"at org.jboss.",
	"at io.netty.",
	"at io.undertow.",
	"at io.vertx.",
	"at io.quarkus.",
	"at io.micronaut.",
	"at reactor.",
	"at kotlin.",
	"at kotlinx.",
	"at scala.",
	"at akka.",
	"at com.fasterxml.",
	"at Microsoft.",
	"at System.",
	"/go/src/runtime/",
	"/go/src/net/http/",
};

/* What names an error in a line. */
static const char *const of_errors[] = {
	"Error: ", "Exception: ",    "Error - ",     "Exception - ",  "Error)",         "Exception)", "Error (",
	"panic: ", "panic serving ", "panicked at ", "Fatal error: ", "Fatal error:  ", "Uncaught "
};

static bool has(struct text line, const char *word)
{
	return find_text(line.text, line.length, word, strlen(word)) != NULL;
}

static bool has_any(struct text line, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (has(line, words[i]))
			return true;
	return false;
}
#define HAS_ANY(line, words) has_any(line, words, sizeof(words) / sizeof(words)[0])

static bool begins(struct text line, const char *word)
{
	return line.length >= strlen(word) && memcmp(line.text, word, strlen(word)) == 0;
}

static bool ends(struct text line, const char *word)
{
	size_t length = strlen(word);
	return line.length >= length && memcmp(line.text + line.length - length, word, length) == 0;
}

/* "Error" and "Internal Server Error" name none. */
bool stack_names_error(struct text line)
{
	struct text word = { line.text + line.length, 0 };
	for (; word.length < line.length && word.text[-1] != ' '; word.length++)
		word.text--;
	bool is_whole = word.length == line.length || memchr(word.text, '.', word.length);
	return HAS_ANY(line, of_errors) ||
	       (is_whole && word.length > strlen("Exception") && (ends(word, "Error") || ends(word, "Exception")));
}

/* A place in a source file, as it stands in a line. */
struct place {
	struct text file; /* its name, without folders */
	const char *path; /* where that begins */
	struct text line; /* "11:21" */
};

static bool ends_path(char c)
{
	return strchr(" \t\"'()[]<>", c) != NULL;
}

/* The digits behind what the file's name ends with, and those of a column. */
static struct text read_line(struct text line, const char *at)
{
	const char *end = line.text + line.length, *from = NULL;
	for (size_t i = 0; i < sizeof before_lines / sizeof before_lines[0] && !from; i++) {
		size_t length = strlen(before_lines[i]);
		bool is_there = (size_t)(end - at) > length && memcmp(at, before_lines[i], length) == 0;
		from = is_there && ascii_is_digit(at[length]) ? at + length : NULL;
	}
	if (!from)
		return text_of(NULL);
	at = from;
	while (at < end && ascii_is_digit(*at))
		at++;
	if (at + 1 < end && *at == ':' && ascii_is_digit(at[1]))
		for (at++; at < end && ascii_is_digit(*at);)
			at++;
	return (struct text){ from, (size_t)(at - from) };
}

/* The last place in the line: of a frame that is the one in parentheses. */
static bool find_place(struct text line, struct place *place)
{
	const char *last = NULL, *behind = NULL;
	for (const char *dot = line.text, *end = line.text + line.length; dot < end; dot++) {
		if (*dot != '.')
			continue;
		for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
			size_t length = strlen(endings[i]);
			if ((size_t)(end - dot) < length || memcmp(dot, endings[i], length) != 0)
				continue;
			struct text digits = read_line(line, dot + length);
			if (!digits.text)
				continue;
			last = dot;
			behind = dot + length;
			place->line = digits;
		}
	}
	if (!last)
		return false;
	/* Once a line, not at each place: it may be long. */
	const char *name = last;
	while (name > line.text && !ends_path(name[-1]) && name[-1] != '/' && name[-1] != '\\')
		name--;
	place->file = (struct text){ name, (size_t)(behind - name) };
	for (place->path = name; place->path > line.text && !ends_path(place->path[-1]);)
		place->path--;
	return name < last;
}

/* Whether the line is a frame: it begins as one, or with the place. */
static bool is_frame(struct text line, const struct place *place)
{
	const char *end = place->line.text + place->line.length, *after = line.text + line.length;
	bool is_numbered = line.text[0] == '#' && line.length > 1 && ascii_is_digit(line.text[1]);
	/* In Ruby's, the one that the error stands in has more behind it. */
	bool leads =
	        place->path == line.text && !(end < after && has((struct text){ end, (size_t)(after - end) }, "': "));
	return begins(line, "at ") || begins(line, "from ") || begins(line, "File \"") || is_numbered || leads ||
	       begins(line, "(");
}

static bool is_head(struct text line)
{
	return begins(line, "Stack trace:") || begins(line, "goroutine ") || begins(line, "Traceback ") ||
	       begins(line, "Backtrace") || begins(line, "During handling of ") ||
	       begins(line, "The above exception was ") || begins(line, "stack backtrace:");
}

struct search {
	struct stack *stack;
	struct place own, any; /* frames: the application's, and any */
	bool has_own, has_any;
	bool in_traceback;  /* of Python */
	bool wants_message; /* Rust's is on the next line */
	struct text before; /* the last line that is neither a frame nor the head of some */
};

/* The error without the place that is in its line, and what leads to that. */
static void set_error(struct search *s, struct text line)
{
	struct place place;
	const char *end = line.text + line.length;
	s->stack->error = line;
	if (!find_place(line, &place))
		return;
	bool is_own = !HAS_ANY(line, of_libraries);
	if (is_own && !s->has_own) {
		s->own = place;
		s->has_own = true;
	}
	const char *before = place.path;
	if (before == line.text) { /* app.rb:11:in 'post': undefined method */
		const char *behind = find_text(before, line.length, "': ", 3);
		if (behind)
			s->stack->error = (struct text){ behind + 3, (size_t)(end - behind - 3) };
		return;
	}
	static const char *const leads[] = { " in ", " at ", ", " };
	for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++) {
		size_t length = strlen(leads[i]);
		if ((size_t)(before - line.text) > length && memcmp(before - length, leads[i], length) == 0)
			s->stack->error.length = (size_t)(before - length - line.text);
	}
	s->wants_message = ends(s->stack->error, "panicked");
}

static void take_frame(struct search *s, struct text line, const struct place *place)
{
	bool is_file = begins(line, "File \"");
	s->in_traceback = s->in_traceback || is_file;
	if (!s->has_any && s->stack->error.length == 0 && !is_file && s->before.length > 0)
		set_error(s, s->before);
	if (!HAS_ANY(line, of_libraries) && (!s->has_own || is_file)) {
		s->own = *place;
		s->has_own = true;
	}
	if (!s->has_any || is_file)
		s->any = *place;
	s->has_any = true;
}

/* What follows is of another error, which counts: a frame of this one only where that has none of the application. */
static void begin_other(struct search *s)
{
	s->any = s->has_own ? s->own : s->any;
	s->has_any |= s->has_own;
	s->has_own = false;
}

static void take_line(struct search *s, struct text line, bool is_indented, bool is_page)
{
	static const char cause[] = "Caused by: ";
	struct place place;
	if (s->wants_message) {
		s->wants_message = false;
		s->stack->error = line;
	} else if (begins(line, "Traceback ")) {
		s->in_traceback = true;
		begin_other(s);
	} else if (find_place(line, &place) && is_frame(line, &place)) {
		take_frame(s, line, &place);
	} else if (begins(line, cause)) {
		begin_other(s);
		set_error(s, (struct text){ line.text + strlen(cause), line.length - strlen(cause) });
	} else if (s->in_traceback) {
		/* Its error is behind its frames, each with a line of source. */
		bool is_end = is_page ? stack_names_error(line) : !is_indented && s->has_any;
		if (is_end)
			set_error(s, line);
		s->in_traceback = !is_end || is_page;
	} else if (!is_head(line)) {
		/* Its name alone, as a value or a title, says less than a later line. */
		const struct text *error = &s->stack->error;
		bool is_name = error->length == 0 || (!s->has_any && !memchr(error->text, ' ', error->length));
		if (is_name && stack_names_error(line))
			set_error(s, line);
		s->before = line;
	}
}

static void set_place(struct stack *stack, const struct place *place)
{
	int file = place->file.length < 60 ? (int)place->file.length : 60;
	int line = place->line.length < 20 ? (int)place->line.length : 20;
	snprintf(stack->place, sizeof stack->place, "%.*s:%.*s", file, place->file.text, line, place->line.text);
}

bool stack_find(struct text text, bool is_page, struct stack *stack)
{
	struct search s = { .stack = stack };
	*stack = (struct stack){ .error = { NULL, 0 } };
	const char *at = text.text, *end = at + text.length;
	for (struct text line; text_next_line(&at, end, &line);) {
		const char *from = line.text, *to = from + line.length;
		http_trim(&from, &to);
		if (from < to)
			take_line(&s, (struct text){ from, (size_t)(to - from) }, from > line.text, is_page);
	}
	if (!s.has_own && !s.has_any)
		return false;
	set_place(stack, s.has_own ? &s.own : &s.any);
	return stack->error.length > 0;
}
