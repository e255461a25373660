#include "ui/progress.h"

#include "base/clock.h"
#include "ui/fit.h"

#include <stdarg.h>
#include <stdio.h>

#define FIRST_NS (CLOCK_NS_PER_S / 2)
#define EVERY_NS (CLOCK_NS_PER_S / 4)

void progress_init(struct progress *progress, const struct terminal *terminal)
{
	*progress = (struct progress){ .on = terminal->err_is_tty && !terminal->quiet };
	if (progress->on)
		progress->next_ns = clock_monotonic_ns() + FIRST_NS;
}

bool progress_due(const struct progress *progress)
{
	return progress->on && clock_monotonic_ns() >= progress->next_ns;
}

void progress_show(struct progress *progress, const char *format, ...)
{
	struct buffer words = BUFFER_INIT, line = BUFFER_INIT;
	va_list args;
	va_start(args, format);
	buffer_vprintf(&words, format, args);
	va_end(args);
	/* Cut to the terminal, since a line that wraps cannot be erased. */
	int room = terminal_width() - 1;
	const char *at = buffer_text(&words), *end = at + words.length;
	buffer_append_text(&line, "\r");
	while (at < end && room > 0) {
		int columns;
		at += fit_append_character(&line, at, (size_t)(end - at), &columns);
		room -= columns;
	}
	buffer_append_text(&line, "\033[K");
	fwrite(buffer_text(&line), 1, line.length, stderr);
	fflush(stderr);
	buffer_release(&words);
	buffer_release(&line);
	progress->shown = true;
	progress->next_ns = clock_monotonic_ns() + EVERY_NS;
}

void progress_erase(struct progress *progress)
{
	if (!progress->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->shown = false;
}
