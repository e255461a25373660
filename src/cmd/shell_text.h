/* Text for a shell: commands that a user copies and runs, without a secret in them. */
#ifndef CREDHOOK_CMD_SHELL_TEXT_H
#define CREDHOOK_CMD_SHELL_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHELL_SECRETS_MAX 512

/*
 * The variables that stand for secrets in several commands, so that none stands for two values: the first value is
 * $NAME, the next one $NAME_2, and so on. Of values only hashes are kept; those beyond SHELL_SECRETS_MAX get a variable
 * each time. Zero-initialise; release `fresh`.
 */
struct shell_secrets {
	bool any; /* a variable stands for a secret */
	struct buffer
	        fresh; /* "$NAME_2, $OTHER_3": those with a number that are new; the caller prints and clears them */
	size_t count;
	uint64_t beyond;
	struct shell_secret {
		uint64_t name, value;
	} seen[SHELL_SECRETS_MAX];
};

/* In single quotes; plain where that needs no quotes, and "$(printf '...')" where a terminal would obey a character
 * (utf8_is_unsafe()) or it is not UTF-8. It contains no NUL. */
void shell_append(struct buffer *out, const char *text, size_t length);
/* In single quotes whatever it is, one of which is written '\''. No NUL may be in it. */
void shell_append_quoted(struct buffer *out, const char *text, size_t length);
/* Whether a terminal obeys none of it but newlines and tabs. */
bool shell_is_shown(const char *text, size_t length);
/* A space, the option, a space and its value. */
void shell_append_option(struct buffer *out, const char *option, const char *value);
/* A header as an -H option. "@FILE" stays so; a secret's value becomes a variable: -H 'X-Token: '"$X_TOKEN".
 * `secrets` may be NULL, here and below, where there is one command only. */
void shell_append_header(struct buffer *out, const char *line, struct shell_secrets *secrets);
/* A URL; "$NAME" where it holds a secret. */
void shell_append_url(struct buffer *out, const char *url, const char *name, struct shell_secrets *secrets);
/* A printf command whose output is exactly these bytes, whatever they are; a terminal obeys none of it. */
void shell_append_printf(struct buffer *out, const char *bytes, size_t length);

#endif
