/*
 * What was typed, in a line to type again. What may be secret is not shown; what stands for it is refused.
 */
#ifndef CREDHOOK_CMD_WORDS_AGAIN_H
#define CREDHOOK_CMD_WORDS_AGAIN_H

#include "base/buffer.h"
#include "http/secrets.h"
#include "ui/options.h"

/* A word, behind the word `before` (NULL: none), masked as in base/quoted.h; `secrets` are masked, too (NULL: none). */
void again_append_masked(struct buffer *out, const struct echoes *secrets, const char *word, const char *before);
/* The same to be typed: quoted where it has to be; VALUE, or of NAME=VALUE, which env(1) takes for no command,
 * NAME=..., where it hides something. */
void again_append_word(struct buffer *out, const struct echoes *secrets, const char *word, const char *before);
/* A blank, and an option with its value; VALUE where that hides something: PATH=... would be an edit that is made. */
void again_append_option(struct buffer *out, const struct echoes *secrets, const struct option_word *word);

#endif
