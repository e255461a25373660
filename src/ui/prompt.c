#include "ui/prompt.h"

#include "base/signal_watch.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define REMEMBERED 1000
#define ESCAPE     0x1B
#define CTRL_V     0x16

/* Characters no keyboard sends (C1 controls), by which the reader of characters calls functions of ours. */
#define CALL_REDRAW    0x80
#define CALL_INTERRUPT 0x81

struct prompt {
	struct prompt_handler handler;
	EditLine *editor;
	History *history;
	struct signal_watch signals; /* SIGTSTP, SIGCONT and SIGWINCH, while a line is read */
	mbstate_t shift;
	struct buffer words;
	struct buffer above; /* waits to be shown */
	bool cleared;        /* the lines of the prompt were just erased: `above` may be printed */
	bool interrupted;
	bool in_sequence; /* an escape or a quoting key came, and what belongs to it has not */
};

static struct prompt *prompt_of(EditLine *editor)
{
	void *prompt = NULL;
	el_get(editor, EL_CLIENTDATA, &prompt);
	return prompt;
}

static void print_above(struct prompt *p)
{
	fwrite(buffer_text(&p->above), 1, p->above.length, stdout);
	buffer_clear(&p->above);
}

/* libedit asks for the prompt's words each time it draws. Behind CC_REDISPLAY it has erased every line of the old
 * picture, wrapped ones too, and the cursor is where the prompt began: the lines above are written there, and
 * the new picture follows below it. */
static char *words_to_draw(EditLine *editor)
{
	struct prompt *p = prompt_of(editor);
	if (p->cleared && p->above.length > 0)
		print_above(p);
	p->cleared = false;
	return p->words.data;
}

static unsigned char redraw(EditLine *editor, int key)
{
	(void)key;
	prompt_of(editor)->cleared = true;
	return CC_REDISPLAY;
}

/* The cursor goes to the end, so that the next output begins on a line of its own. */
static unsigned char interrupt(EditLine *editor, int key)
{
	(void)key;
	prompt_of(editor)->interrupted = true;
	el_cursor(editor, 1 << 20);
	return CC_CURSOR;
}

static unsigned char complete(EditLine *editor, int key)
{
	struct prompt *p = prompt_of(editor);
	LOCAL_BUFFER insert = BUFFER_INIT;
	const LineInfo *line = el_line(editor);
	size_t waiting = p->above.length;
	p->handler.complete(p->handler.context, line->buffer, (size_t)(line->cursor - line->buffer), &insert,
	                    &p->above);
	if (insert.length > 0 && el_insertstr(editor, buffer_text(&insert)) == 0)
		return CC_REFRESH;
	return p->above.length > waiting ? redraw(editor, key) : CC_ERROR;
}

static void handle_signals(struct prompt *p)
{
	bool handled = false;
	for (int number; (number = signal_watch_take(&p->signals)) != 0;) {
		if (number == SIGTSTP) {
			/* Stops as Ctrl-Z asks for, with the terminal as the shell wants it; SIGCONT makes it raw
			 * again. */
			sigset_t stop;
			el_set(p->editor, EL_PREP_TERM, 0);
			sigemptyset(&stop);
			sigaddset(&stop, SIGTSTP);
			raise(SIGTSTP);
			pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* stops in here */
			pthread_sigmask(SIG_BLOCK, &stop, NULL);
		}
		handled = true;
	}
	if (handled) {
		/* After a stop what the shell did to the terminal meanwhile is not known; nor is where the cursor is,
		 * and after another width where a wrapped line begins. */
		el_set(p->editor, EL_PREP_TERM, 0);
		el_set(p->editor, EL_PREP_TERM, 1);
		el_resize(p->editor);
		fputs("\r\033[J", stdout);
		el_set(p->editor, EL_REFRESH);
	}
}

/* One byte of standard input: 1; 0: there was only a signal; -1: no more comes. */
static int read_byte(struct prompt *p, char *byte)
{
	struct pollfd input = { STDIN_FILENO, POLLIN, 0 };
	handle_signals(p);
	if (poll(&input, 1, 0) <= 0)
		return 0;
	ssize_t got = read(STDIN_FILENO, byte, 1);
	if (got == 1)
		return 1;
	return got < 0 && (errno == EINTR || errno == EAGAIN) ? 0 : -1;
}

/* Whether the byte ended a character: then *c is it. */
static bool decode(struct prompt *p, char byte, wchar_t *c)
{
	size_t size = mbrtowc(c, &byte, 1, &p->shift);
	if (size == (size_t)-2)
		return false;
	if (size == (size_t)-1) {
		memset(&p->shift, 0, sizeof p->shift);
		return false;
	}
	return *c < 0x80 || *c > 0x9F;
}

static int next_character(EditLine *editor, wchar_t *c)
{
	struct prompt *p = prompt_of(editor);
	char byte;
	while (!p->interrupted) {
		bool busy = p->in_sequence || !mbsinit(&p->shift);
		switch (p->handler.wait(p->handler.context, p->signals.fd, busy)) {
		case PROMPT_SHOW:
			*c = CALL_REDRAW;
			return 1;
		case PROMPT_INTERRUPT:
			*c = CALL_INTERRUPT;
			return 1;
		case PROMPT_LEAVE:
			return 0;
		case PROMPT_INPUT:
		case PROMPT_TIME:
			break;
		}
		int got = read_byte(p, &byte);
		if (got < 0)
			return 0;
		if (got > 0 && decode(p, byte, c)) {
			/* Follows ESC [ 1 ; 5 C and the like: until its last byte nothing may come in between. */
			p->in_sequence =
			        *c == ESCAPE || *c == CTRL_V || (p->in_sequence && wcschr(L"[O?;0123456789", *c));
			return 1;
		}
	}
	fputs("^C\n", stdout);
	return 0;
}

static void fill_handled(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTSTP);
	sigaddset(set, SIGCONT);
	sigaddset(set, SIGWINCH);
}

static int open_editor(struct prompt *p, struct error *err)
{
	HistEvent event;
	p->editor = el_init("credhook", stdin, stdout, stderr);
	p->history = history_init();
	if (!p->editor || !p->history)
		return error_no_memory(err);
	history(p->history, &event, H_SETSIZE, REMEMBERED);
	history(p->history, &event, H_SETUNIQUE, 1);
	el_set(p->editor, EL_CLIENTDATA, p);
	el_set(p->editor, EL_PROMPT_ESC, words_to_draw, '\1');
	el_set(p->editor, EL_EDITOR, "emacs");
	el_set(p->editor, EL_SIGNAL, 0);
	el_set(p->editor, EL_HIST, history, p->history);
	el_source(p->editor, NULL); /* the person's own ~/.editrc */
	el_set(p->editor, EL_GETCFN, next_character);
	/* Wide, since it keeps these pointers, and the narrow el_set() would leak copies. */
	el_wset(p->editor, EL_ADDFN, L"credhook-redraw", L"Show what has arrived", redraw);
	el_wset(p->editor, EL_ADDFN, L"credhook-interrupt", L"Clear the line", interrupt);
	el_wset(p->editor, EL_ADDFN, L"credhook-complete", L"Complete the word", complete);
	el_set(p->editor, EL_BIND, "\\200", "credhook-redraw", NULL);
	el_set(p->editor, EL_BIND, "\\201", "credhook-interrupt", NULL);
	el_set(p->editor, EL_BIND, "^I", "credhook-complete", NULL);
	/* libedit takes the NUL of a disabled "literal next" for a key: Ctrl-Space would quote what follows. */
	el_set(p->editor, EL_BIND, "^@", "em-set-mark", NULL);
	el_set(p->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(p->editor, EL_BIND, "\\e[1;5C", "em-next-word", NULL);
	el_set(p->editor, EL_BIND, "\\e[1;5D", "ed-prev-word", NULL);
	return 0;
}

struct prompt *prompt_new(const struct prompt_handler *handler, struct error *err)
{
	struct prompt *p = calloc(1, sizeof *p);
	if (!p)
		return error_no_memory_null(err);
	p->handler = *handler;
	if (open_editor(p, err) == 0)
		return p;
	prompt_free(p);
	return NULL;
}

void prompt_free(struct prompt *p)
{
	if (!p)
		return;
	if (p->editor)
		el_end(p->editor);
	if (p->history)
		history_end(p->history);
	buffer_release(&p->words);
	buffer_release(&p->above);
	free(p);
}

static void set_words(struct prompt *p, const char *words)
{
	buffer_clear(&p->words);
	buffer_append_text(&p->words, words);
	buffer_append(&p->words, "", 0);
}

enum prompt_result prompt_read(struct prompt *p, const char *words, struct buffer *line, struct error *err)
{
	struct signal_watch_policy signals = { .wake = SIGUSR1 };
	sigset_t before;
	int count = 0;
	fill_handled(&signals.set);
	set_words(p, words);
	buffer_clear(line);
	if (p->words.failed || !p->words.data) {
		error_no_memory(err);
		return PROMPT_FAILED;
	}
	p->interrupted = p->in_sequence = p->cleared = false;
	memset(&p->shift, 0, sizeof p->shift);
	pthread_sigmask(SIG_BLOCK, &signals.set, &before);
	if (signal_watch_open(&p->signals, &signals, err) < 0) {
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		return PROMPT_FAILED;
	}
	el_resize(p->editor); /* the terminal may have changed while something else ran */
	/* el_gets() itself would draw first: what is typed meanwhile would be echoed into the picture. */
	el_set(p->editor, EL_PREP_TERM, 1);
	const char *typed = el_gets(p->editor, &count);
	signal_watch_close(&p->signals);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (p->above.length > 0) {
		print_above(p);
		fflush(stdout);
	}
	if (p->interrupted)
		return PROMPT_CLEARED;
	if (!typed || count <= 0)
		return PROMPT_END;
	size_t length = strlen(typed);
	buffer_append(line, typed, length > 0 && typed[length - 1] == '\n' ? length - 1 : length);
	if (!line->failed)
		return PROMPT_LINE;
	error_no_memory(err);
	return PROMPT_FAILED;
}

void prompt_show_above(struct prompt *p, const char *lines, size_t length, const char *words)
{
	buffer_append(&p->above, lines, length);
	if (words)
		set_words(p, words);
}

void prompt_remember(struct prompt *p, const char *line)
{
	HistEvent event;
	history(p->history, &event, H_ENTER, line);
}
