/*
 * The sender of a request that came through proxies: X-Forwarded-For, or Forwarded (RFC 7239). Both are read as one
 * list over all their lines, in order; each proxy adds the address that it saw at the end. Whatever stands before the
 * sender may be invented by it, and counts for nothing.
 */
#ifndef CREDHOOK_HTTP_SENDER_H
#define CREDHOOK_HTTP_SENDER_H

#include "http/address.h"
#include "http/message.h"

/* The sender, as the proxies in `trusted` saw it: the last address that is not one of theirs. A port and brackets are
 * dropped, but not an obfuscated port. Returns NULL, or why there is no sender, a constant text: no such header; one
 * whose element in this place is empty, obfuscated, unknown or anything else that is not an address; trusted addresses
 * only; both headers, and they differ. It is never taken for one of the proxies. */
const char *http_sender_find(const struct message *request, const struct http_networks *trusted, struct host *sender);

#endif
