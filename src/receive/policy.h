/*
 * How a receiver works, as plain values: no option, no terminal. Everything is borrowed and must not change until
 * receiver_free(). Zero-initialise; `server` begins as http_server_defaults, `response.status` as 200.
 */
#ifndef CREDHOOK_RECEIVE_POLICY_H
#define CREDHOOK_RECEIVE_POLICY_H

#include "base/buffer.h"
#include "capture/writer.h"
#include "catalog/catalog.h"
#include "http/deliver.h"
#include "http/server.h"
#include "http/tls.h"
#include "payload/check.h"
#include "receive/response.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum receive_validate {
	RECEIVE_REPORT, /* checked and reported; the response stays as it is */
	RECEIVE_REJECT, /* 422 with the findings for a payload with an error */
	RECEIVE_OFF,
};

struct receive_capture {
	const char *path; /* NULL: none */
	enum capture_sync sync;
};

struct receive_tls {
	struct http_tls_options files; /* cert NULL, and not self_signed: plain HTTP */
	bool self_signed;
};

struct receive_policy {
	struct http_server_options server;
	const char *path;      /* NULL: every path */
	uint64_t max_events;   /* it ends after this many notifications; 0: never */
	uint64_t first_number; /* of the first notification, without a capture; 0: 1 */
	int64_t drain;         /* nanoseconds for open requests on shutdown */
	enum receive_validate validate;
	/* RECEIVE_REJECT: appends the body of the 422, which is JSON. */
	void (*append_rejection)(const struct verdict *verdict, const char *body, size_t length, struct buffer *out);
	struct response_policy response;
	const struct header *fields; /* of every response */
	size_t field_count;
	const char *body; /* JSON; NULL with a length of 0 */
	size_t body_length;
	struct receive_capture capture;
	const struct deliver_options *forward; /* where notifications are forwarded; NULL: nowhere */
	struct receive_tls tls;
};

#endif
