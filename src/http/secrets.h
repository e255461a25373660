/* Which parts of a request are secret, and the mask over them wherever they are printed, also in what a server echoes.
 */
#ifndef CREDHOOK_HTTP_SECRETS_H
#define CREDHOOK_HTTP_SECRETS_H

#include "base/buffer.h"
#include "http/deliver.h"

#include <stdbool.h>
#include <stddef.h>

#define SECRET_MASK "***" /* printed instead of a secret */

/* Whether the value of this header (name in any case) is masked: all are, except a list of harmless ones (Accept,
 * Content-Type, User-Agent, ...), since an unknown name may be that of a key. */
bool header_name_is_secret(const char *name, size_t length);

/* Whether its value is to be masked: there is one, and the name is not harmless. */
bool header_is_secret(const struct header *header);

/* Appends the head as lines: "METHOD TARGET", and "Name: value" of the headers that are not absent. `masked`: without
 * its secrets, and safe to print. */
void message_append_head(const struct message *message, bool masked, struct buffer *out);

/* The same, masked and without a line end behind it: what deliver_request() makes of a request; the status and
 * Content-Type that came. */
void secrets_append_request(const struct deliver_options *options, const struct message *request, struct buffer *out);
void secrets_append_response(const struct exchange *exchange, struct buffer *out);

/* The secrets of a request in each spelling that a server may echo: as they are and in base64 wherever it begins, each
 * however it is escaped (http/spelling.h). Zero-initialise. */
struct echoes {
	struct buffer spellings; /* C strings, one after the other */
};

#define ECHO_LEAST 8 /* bytes of a value: a shorter one is also an ordinary word */

/* Adds the value, but for Accept, Content-Type, User-Agent and Host; of Authorization and Proxy-Authorization the part
 * behind the scheme, and of Basic also "user:password" and the password; of Cookie also the value of each. */
void echoes_add_header(struct echoes *echoes, const struct header *header);
/* Adds user and password of the URL, and the values of its query, each also percent-decoded. */
void echoes_add_url(struct echoes *echoes, const char *url);
/* Adds what is secret in a request that came from elsewhere: the values of the headers that are not harmless, and of
 * the query of its target, a C string. */
void echoes_add_message(struct echoes *echoes, const struct message *message);
/* Where more stood than there is in a text: there a secret may be cut. */
enum {
	ECHOES_CUT_BEFORE = 1,
	ECHOES_CUT_BEHIND = 2,
};
/* Replaces each by SECRET_MASK, and removes what may be a part of one where the text is cut. Without memory nothing of
 * the text is left. */
void echoes_mask(const struct echoes *echoes, struct buffer *text, unsigned cuts);
void echoes_release(struct echoes *echoes);

/* The secrets of all requests, and the mask over them in what came of one, with those that it has besides. */
void echoes_collect(const struct deliver_options *options, struct echoes *echoes);
void echoes_mask_exchange(const struct deliver_options *options, const struct echoes *echoes,
                          struct exchange *exchange);

#endif
