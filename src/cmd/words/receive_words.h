/* What a receiver reports besides notifications, in words, for `listen` and for the shell's listener. */
#ifndef CREDHOOK_CMD_WORDS_RECEIVE_WORDS_H
#define CREDHOOK_CMD_WORDS_RECEIVE_WORDS_H

#include "base/error.h"
#include "cmd/args/receive_setup.h"
#include "receive/receiver.h"
#include "ui/terminal.h"

enum receive_level {
	RECEIVE_NOTE,
	RECEIVE_WARNING,
	RECEIVE_ERROR,
};

/* A value that can be kept and copied. */
struct receive_words {
	enum receive_level level;
	char text[ERROR_MESSAGE_SIZE]; /* of a note or a warning; empty: there is nothing to say */
	struct error error;            /* of a RECEIVE_ERROR */
};

void receive_words_of_refusal(struct receive_words *words, const struct refusal *refusal,
                              const struct receive_args *args);
void receive_words_of_notice(struct receive_words *words, const struct receive_notice *notice,
                             const struct receive_args *args);
/* To stderr. */
void receive_print_words(struct terminal *terminal, const struct receive_words *words);
/* Where it listens and forwards, how to trust its certificate, and who can connect. */
void receive_print_ready(struct terminal *terminal, const struct receiver *receiver, const struct receive_setup *setup);

#endif
