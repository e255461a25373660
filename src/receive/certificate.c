#include "receive/certificate.h"

#include "base/file.h"
#include "http/address.h"

#include <stdlib.h>
#include <unistd.h>

/* `host` is for one that is made. */
static struct http_tls *load(const struct receive_tls *policy, const char *host, struct error *err)
{
	struct http_tls_options options = policy->files;
	options.host = host;
	return http_tls_new(&options, err);
}

/* The certificate in a file of its own, for --cacert. */
static int write_certificate(struct certificate *c, struct error *err)
{
	LOCAL_BUFFER pem = BUFFER_INIT;
	struct buffer path = BUFFER_INIT;
	http_tls_append_certificate(c->tls, &pem);
	int result = pem.failed ? error_no_memory(err)
	                        : file_write_temporary(&path, ".pem", 0644, pem.data, pem.length, err);
	if (result == 0)
		c->file = path.data;
	else
		buffer_release(&path);
	return result;
}

int certificate_use(struct certificate *c, const struct receive_tls *policy, struct http_server *server,
                    const char *address, struct error *err)
{
	struct http_address parsed;
	if (!policy->files.cert && !policy->self_signed)
		return 0;
	if (http_address_parse(address, &parsed, err) < 0)
		return -1;
	c->tls = load(policy, parsed.host.text, err);
	if (!c->tls)
		return -1;
	http_server_use_tls(server, c->tls);
	if (!policy->self_signed)
		return 0;
	http_tls_fingerprint(c->tls, c->fingerprint);
	return write_certificate(c, err);
}

void certificate_renew(struct certificate *c, const struct receive_tls *policy, struct http_server *server,
                       const struct receive_observer *observer)
{
	struct error err;
	if (!policy->files.cert)
		return;
	struct http_tls *tls = load(policy, NULL, &err);
	if (!tls) {
		observer_notice(observer, &(struct receive_notice){ .kind = NOTICE_CERTIFICATE_FAILED, .error = &err });
		return;
	}
	http_server_use_tls(server, tls);
	http_tls_free(c->tls);
	c->tls = tls;
	observer_notice(observer, &(struct receive_notice){ .kind = NOTICE_CERTIFICATE_READ });
}

void certificate_release(struct certificate *c)
{
	if (c->file)
		unlink(c->file);
	free(c->file);
	http_tls_free(c->tls);
	*c = (struct certificate){ .tls = NULL };
}
