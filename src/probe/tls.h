/* What TLS has to say of a listener: of checks that send nothing. */
#ifndef CREDHOOK_PROBE_TLS_H
#define CREDHOOK_PROBE_TLS_H

#include "http/deliver.h"
#include "probe/plan.h"

/* Ends tls/trust or tls/expiry, for which it makes a connection. */
void probe_tls_end(struct probe_check *check, const struct deliver_options *http);

#endif
