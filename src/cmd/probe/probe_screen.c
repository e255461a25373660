/* The text for people at a terminal: what a run came to, on one screen. The blocks come worst first; of all that does
 * not fit the number is said, and -v shows it. */
#include "base/clock.h"
#include "base/fit.h"
#include "cmd/probe/probe.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_LEAST    24 /* of a terminal; a smaller one gets what a pipe gets */
#define COLUMNS_LEAST 80
#define BLOCK_ROWS    4  /* of a block at most, where others have to wait for theirs */
#define BLOCK_LINES   16 /* of a block at most */
#define BLOCKS_LEAST  4  /* rows for blocks, whatever else is there */
#define TAIL_MOST     8  /* lines below the blocks, but for the one to type */
#define WHERE_COLUMNS 20 /* of what names the checks of a block, at the end of its first line */
#define WHERE_LEAST   12 /* the same, where what is lost would be cut */
#define GAP           2  /* columns before it */

struct screen_block {
	const struct probe_block *block;
	struct buffer lines[BLOCK_LINES];
	size_t written, wanted, given; /* lines: so far, for all that it has to say, and of the screen */
};

struct screen {
	struct probe_command *run;
	int width;
	struct screen_block *blocks;
	size_t count, musts;
};

bool probe_screen_fits(const struct terminal *t)
{
	return terminal_out_rows(t) >= ROWS_LEAST && terminal_out_width(t) >= COLUMNS_LEAST && !t->verbose;
}

void probe_screen_say(const struct probe_command *run, const char *text)
{
	struct terminal *t = run->context->terminal;
	LOCAL_BUFFER line = BUFFER_FOR(&t->lost);
	if (!run->is_screen)
		terminal_note(t, "%s", text);
	if (!run->is_screen || t->quiet)
		return;
	/* In the middle: which script a command runs is at its end. */
	fit_append(&line, text, strlen(text), terminal_err_width(t));
	buffer_append_byte(&line, '\n');
	terminal_lines(t, &line);
}

/* The first line. Of a failed must, what came goes to `below` where it does not fit. */
static void append_first(struct screen *s, struct screen_block *sb, size_t number, size_t digits, struct buffer *below)
{
	const struct terminal *t = s->run->context->terminal;
	const struct probe_block *b = sb->block;
	struct buffer *out = &sb->lines[0];
	LOCAL_BUFFER words = BUFFER_FOR(out), came = BUFFER_FOR(out), where = BUFFER_FOR(out), right = BUFFER_FOR(out);
	probe_block_append_loss(&words, b);
	bool is_all = probe_block_append_came(&came, s->run, b);
	probe_block_append_where(&where, b);
	int room = s->width - style_sign_columns(terminal_has_signs(t)) - GAP;
	int least = fit_columns(buffer_text(&where), where.length);
	least = least < WHERE_COLUMNS ? least : WHERE_COLUMNS;
	int both = fit_columns(buffer_text(&words), words.length) + 2 + fit_columns(buffer_text(&came), came.length);
	if (is_all && b->grade == GRADE_FAIL && both + least + (int)digits + 1 > room)
		buffer_append(below, came.data, came.length);
	else if (came.length > 0)
		buffer_printf(&words, ": %s", buffer_text(&came));
	if (b->grade == GRADE_FAIL) {
		buffer_printf(out, "%*zu ", (int)digits, number);
		room -= (int)digits + 1;
	}
	style_append_sign(out, t->color_out, terminal_has_signs(t), b->grade);
	/* What the words leave is for the names, and a part of the line in any case. */
	int used = fit_columns(buffer_text(&words), words.length), most = WHERE_LEAST;
	most = room - used > most ? room - used : most;
	room -= fit_append(&right, buffer_text(&where), where.length, most);
	fit_append_cut(out, buffer_text(&words), room);
	used = used < room ? used : room;
	buffer_append_repeat(out, ' ', (size_t)(room - used + GAP));
	style_append(out, t->color_out, STYLE_FAINT, "%s", buffer_text(&right));
}

/* The error in what the listener printed, or else what it responded, or where its own log says it. */
static void append_evidence(struct buffer *out, const struct screen *s, const struct probe_block *b, int width)
{
	const struct probe_check *check = probe_block_first(b);
	const struct probe_result *r = &check->result;
	const struct cause *cause = b->cause > 0 ? &s->run->causes[b->cause - 1] : NULL;
	const char *words = cause ? cause->words : r->reason;
	int status = cause ? cause->status : r->status;
	if (probe_append_log_line(out, check, width))
		return;
	if (words[0] && probe_is_of_status(check, status) && (cause || !check->row->observes))
		buffer_append_text(out, b->varies ? buffer_text(&b->key) : words);
	else if (r->broke_ns != 0 && r->log.length == 0)
		probe_append_log_time(out, check);
}

/* What is said of the checks, which their first line has not. */
static void append_why(struct buffer *out, const struct screen *s, const struct probe_block *b)
{
	LOCAL_BUFFER unused = BUFFER_FOR(out);
	const struct probe_check *check = probe_block_first(b);
	if (b->cause > 0) {
		buffer_append_text(out, out->length > 0 ? "; " : "");
		probe_append_cause(out, s->run, b->cause, b->count > 1);
	} else if (check->row->observes && !probe_block_append_came(&unused, s->run, b))
		buffer_append_text(out, b->varies ? buffer_text(&b->key) : check->result.reason);
}

static struct buffer *new_line(struct screen_block *sb, int indent)
{
	struct buffer *line = &sb->lines[sb->written++];
	buffer_append_repeat(line, ' ', (size_t)indent);
	return line;
}

/* Adds the text in as many lines as there are, the last one cut. */
static void add_lines(const struct screen *s, struct screen_block *sb, const char *text, int indent, size_t most)
{
	LOCAL_BUFFER wrapped = BUFFER_FOR(&s->run->text.out);
	fit_append_wrapped(&wrapped, text, indent, indent, s->width);
	const char *at = buffer_text(&wrapped), *end = at + wrapped.length;
	for (struct text line; most > 0 && text_next_line(&at, end, &line); most--) {
		LOCAL_BUFFER last = BUFFER_FOR(&wrapped);
		buffer_append(&last, line.text, line.length);
		for (struct text more; most == 1 && text_next_line(&at, end, &more);) {
			buffer_append_byte(&last, ' ');
			buffer_append(&last, more.text + indent, more.length - (size_t)indent);
		}
		const char *words = buffer_text(&last);
		words += strspn(words, " ");
		fit_append_cut(new_line(sb, indent), words, s->width - indent);
	}
}

static int rows_of(const struct screen *s, const char *text, int indent)
{
	LOCAL_BUFFER wrapped = BUFFER_FOR(&s->run->text.out);
	fit_append_wrapped(&wrapped, text, indent, indent, s->width);
	int rows = 1;
	for (size_t i = 0; i < wrapped.length; i++)
		rows += wrapped.data[i] == '\n';
	return rows;
}

/* Writes the lines of a block, `most` of them at most: what is lost, what came, why and what to do. */
static void write_block(struct screen *s, struct screen_block *sb, size_t number, size_t digits, size_t most)
{
	const struct probe_block *b = sb->block;
	LOCAL_BUFFER came = BUFFER_FOR(&s->run->text.out), why = BUFFER_FOR(&came), fix = BUFFER_FOR(&came),
	             both = BUFFER_FOR(&came);
	int indent = (int)digits + 1 + style_sign_columns(terminal_has_signs(s->run->context->terminal));
	indent -= b->grade == GRADE_FAIL ? 0 : (int)digits + 1;
	for (sb->written = 0; sb->written < BLOCK_LINES; sb->written++)
		buffer_clear(&sb->lines[sb->written]);
	append_first(s, sb, number, digits, &why);
	sb->written = 1;
	append_evidence(&came, s, b, s->width - indent);
	append_why(&why, s, b);
	probe_block_append_fix(&fix, s->run, b);
	if (came.length > 0)
		add_lines(s, sb, buffer_text(&came), indent, most > 1);
	size_t left = most - sb->written;
	buffer_printf(&both, "%s%s%s", buffer_text(&why), why.length > 0 && fix.length > 0 ? "; " : "",
	              buffer_text(&fix));
	if (both.length == 0)
		return;
	/* Where both are too much, what to do has room besides why. */
	bool is_long = rows_of(s, buffer_text(&both), indent) > (int)left && rows_of(s, buffer_text(&why), indent) > 1;
	if (is_long && fix.length > 0) {
		size_t of_fix = (size_t)rows_of(s, buffer_text(&fix), indent),
		       of_why = left > of_fix ? left - of_fix : left > 0;
		add_lines(s, sb, buffer_text(&why), indent, of_why);
		add_lines(s, sb, buffer_text(&fix), indent, left - of_why);
	} else {
		add_lines(s, sb, buffer_text(&both), indent, left);
	}
}

/* A group that --observe is for, and of which all was skipped, says why. */
static bool is_missed(const struct probe_command *run, const struct probe_block *b)
{
	bool is_skipped = b->cause == 0 && b->checks[0]->result.verdict == GRADE_SKIP;
	for (size_t i = 0; is_skipped && i < run->checks.count; i++) {
		const struct probe_check *check = &run->checks.checks[i];
		bool counts = check->chosen && check->result.ended && !check->after;
		if (counts && strcmp(check->row->group, b->group) == 0)
			is_skipped = check->result.verdict == GRADE_SKIP;
	}
	return is_skipped && run->args->observe && run->listener.words && b->checks[0]->row->observes;
}

/* How much is lost over a failed must: where the listener ends over it or refuses it all that comes so, behind a 2xx
 * what nobody sends again, and nothing where it is kept twice, or where only the user expects another status. */
enum harm { HARM_ALL, HARM_UNSEEN, HARM_DOUBLE, HARM_NONE };

static enum harm harm_of(const struct probe_block *b)
{
	const struct probe_check *check = probe_block_first(b);
	if (check->result.is_contrary)
		return HARM_NONE;
	if (check->result.ended_listener || !check->row->observes)
		return HARM_ALL;
	return check->result.is_double ? HARM_DOUBLE : HARM_UNSEEN;
}

/* Puts those that failed a must in order, the worst first: of one harm those of most musts. */
static void sort_musts(struct screen *s)
{
	for (size_t i = 1; i < s->musts; i++)
		for (size_t at = i; at > 0; at--) {
			const struct probe_block *before = s->blocks[at - 1].block, *b = s->blocks[at].block;
			bool is_worse = harm_of(b) != harm_of(before)
			                        ? harm_of(b) < harm_of(before)
			                        : probe_block_musts(b) > probe_block_musts(before);
			if (!is_worse)
				break;
			s->blocks[at - 1].block = b;
			s->blocks[at].block = before;
		}
}

static void collect(struct screen *s)
{
	const struct probe_command *run = s->run;
	bool is_quiet = run->context->global->quiet;
	s->blocks = calloc(run->block_count + 1, sizeof *s->blocks);
	buffer_fail_if(&s->run->text.out, !s->blocks);
	for (int turn = 0; s->blocks && turn < (is_quiet ? 1 : 3); turn++)
		for (size_t i = 0; i < run->block_count; i++) {
			const struct probe_block *b = &run->blocks[i];
			bool is_due = turn == 2 ? is_missed(run, b)
			                        : b->grade == (turn == 0 ? GRADE_FAIL : GRADE_WARN) &&
			                                  b->checks[0]->result.verdict != GRADE_SKIP;
			if (is_due)
				s->blocks[s->count++].block = b;
			s->musts += is_due && turn == 0;
		}
	sort_musts(s);
}

/* Gives more rows to those that are shown, the first of them first: up to `most` of a block, or where it is `whole`
 * only if that is all that it has to say. Returns how many are left. */
static size_t give_more(struct screen *s, size_t shown, size_t room, size_t most, bool whole)
{
	for (size_t i = 0; i < shown; i++) {
		struct screen_block *sb = &s->blocks[i];
		size_t wanted = sb->wanted < most ? sb->wanted : most,
		       more = wanted > sb->given ? wanted - sb->given : 0;
		more = more <= room ? more : whole ? 0 : room;
		sb->given += more;
		room -= more;
	}
	return room;
}

/* Gives the rows to the blocks: a failed must has BLOCK_ROWS, as long as there is room, and the others a line; what is
 * left over goes to the first ones that have more to say. Returns how many blocks have none. */
static size_t give_rows(struct screen *s, size_t rows)
{
	size_t shown = 0, used = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct screen_block *sb = &s->blocks[i];
		size_t wanted = sb->block->grade != GRADE_FAIL ? 1 : sb->wanted < BLOCK_ROWS ? sb->wanted : BLOCK_ROWS;
		size_t room = rows - used, more = i + 1 < s->count; /* a line that says that there are more */
		sb->given = room >= wanted + more ? wanted : room >= 1 + more ? 1 : 0;
		if (sb->given == 0)
			break;
		used += sb->given;
		shown++;
	}
	size_t room = give_more(s, shown, rows - used - (shown < s->count), BLOCK_ROWS, true);
	give_more(s, shown, room, BLOCK_LINES, false);
	return s->count - shown;
}

static size_t count_lines(const struct buffer *text)
{
	size_t count = 0;
	for (size_t i = 0; i < text->length; i++)
		count += text->data[i] == '\n';
	return count;
}

/* Appends the lines, broken at the width, `most` of them at most: the last ones. */
static void append_lines(struct buffer *out, const struct buffer *lines, size_t most, int width)
{
	const char *at = buffer_text(lines), *end = at + lines->length;
	LOCAL_BUFFER broken = BUFFER_FOR(out);
	for (struct text line; text_next_line(&at, end, &line);) {
		LOCAL_BUFFER one = BUFFER_FOR(out);
		buffer_append(&one, line.text, line.length);
		if (fit_columns(line.text, line.length) > width)
			fit_append_wrapped(&broken, buffer_text(&one), 0, 2, width);
		else
			buffer_append(&broken, line.text, line.length); /* with its blanks */
		buffer_append_byte(&broken, '\n');
	}
	const char *from = buffer_text(&broken);
	for (size_t count = broken.failed ? 0 : count_lines(&broken); count > most; count--)
		from = strchr(from, '\n') + 1;
	buffer_append_text(out, from);
}

/* The block's lines, which are released. */
static void append_block(struct buffer *out, struct screen_block *sb)
{
	for (size_t line = 0; line < BLOCK_LINES; line++) {
		struct buffer *text = &sb->lines[line];
		buffer_fail_if(out, text->failed);
		if (line < sb->given && line < sb->written)
			buffer_printf(out, "%s\n", buffer_text(text));
		buffer_release(text);
	}
}

void probe_screen_append(struct buffer *out, struct probe_command *run, const struct probe_screen *frame, size_t rows)
{
	const struct terminal *t = run->context->terminal;
	struct screen s = { .run = run, .width = probe_report_width(run) };
	LOCAL_BUFFER tail = BUFFER_FOR(out);
	size_t digits = 1;
	collect(&s);
	for (size_t i = s.musts; i >= 10; i /= 10)
		digits++;
	append_lines(&tail, &frame->lines, TAIL_MOST, s.width);
	/* It is the terminal that breaks it, which copies it as one line. */
	size_t columns = (size_t)fit_columns(buffer_text(&frame->next), strcspn(buffer_text(&frame->next), "\n")),
	       width = (size_t)terminal_out_width(t), next_rows = (columns + width - 1) / width;
	/* What was said before, the verdict, the lines behind the blocks, and the next prompt. */
	size_t fixed = t->err_rows + 1 + count_lines(&tail) + next_rows + frame->rows_behind + 1;
	rows = rows > fixed + BLOCKS_LEAST ? rows - fixed : BLOCKS_LEAST;
	for (size_t i = 0; i < s.count; i++) {
		write_block(&s, &s.blocks[i], i + 1, digits, BLOCK_LINES);
		s.blocks[i].wanted = s.blocks[i].written;
	}
	size_t missing = give_rows(&s, rows), used = missing > 0;
	for (size_t i = 0; i < s.count; i++) {
		if (s.blocks[i].given > 0)
			write_block(&s, &s.blocks[i], i + 1, digits, s.blocks[i].given);
		used += s.blocks[i].given;
	}
	bool is_airy = rows >= used + 2;
	style_append_sign(out, t->color_out, terminal_has_signs(t), frame->grade);
	fit_append_cut(out, buffer_text(&frame->verdict), s.width - style_sign_columns(terminal_has_signs(t)));
	buffer_append_text(out, is_airy && used > 0 ? "\n\n" : "\n");
	for (size_t i = 0; i < s.count; i++)
		append_block(out, &s.blocks[i]);
	if (missing > 0)
		buffer_printf(out, "%zu more: -v\n", missing);
	buffer_append_text(out, is_airy && tail.length + frame->next.length > 0 ? "\n" : "");
	buffer_append(out, tail.data, tail.length);
	buffer_append(out, frame->next.data, frame->next.length);
	buffer_fail_if(out, run->text.out.failed);
	free(s.blocks);
}
