/* The certificate of a receiver: from files, read again on demand, or made for the session. */
#ifndef CREDHOOK_RECEIVE_CERTIFICATE_H
#define CREDHOOK_RECEIVE_CERTIFICATE_H

#include "base/error.h"
#include "http/server.h"
#include "http/tls.h"
#include "receive/observer.h"
#include "receive/policy.h"

/* Zero-initialise. */
struct certificate {
	struct http_tls *tls;                    /* NULL: plain */
	char *file;                              /* made for this session; owned. NULL: none */
	char fingerprint[HTTP_FINGERPRINT_SIZE]; /* of that */
};

/* Before the server listens at the address. */
int certificate_use(struct certificate *certificate, const struct receive_tls *policy, struct http_server *server,
                    const char *address, struct error *err);
/* Reads the files again, where it is from files; the observer gets a notice. */
void certificate_renew(struct certificate *certificate, const struct receive_tls *policy, struct http_server *server,
                       const struct receive_observer *observer);
/* Deletes the file of a certificate made for the session. After the server is freed. */
void certificate_release(struct certificate *certificate);

#endif
