/* The certificate of the listener: from files, read again at SIGHUP, or made for this session. */
#include "cmd/listen/listen.h"
#include "http/address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct http_tls *load(const struct listen_args *a, struct error *err)
{
	struct http_tls_options options = { .cert = a->tls_cert, .key = a->tls_key, .client_ca = a->tls_client_ca };
	return http_tls_new(&options, err);
}

/* The certificate in a file of its own, for --cacert. */
static int write_certificate(struct listener *l, struct error *err)
{
	const char *folder = getenv("TMPDIR");
	struct buffer pem = BUFFER_INIT, path = BUFFER_INIT;
	buffer_printf(&path, "%s/credhook-XXXXXX.pem", folder && *folder ? folder : "/tmp");
	http_tls_append_certificate(l->tls, &pem);
	int fd = path.failed || pem.failed ? -1 : mkstemps(path.data, 4);
	int result = 0;
	if (fd < 0) {
		result = error_set(err, EXIT_CODE_IO, "cannot make '%s': %s", buffer_text(&path), strerror(errno));
	} else {
		if (write(fd, pem.data, pem.length) != (ssize_t)pem.length || fchmod(fd, 0644) < 0)
			result = error_set(err, EXIT_CODE_IO, "cannot write '%s': %s", path.data, strerror(errno));
		close(fd);
		l->tls_file = strdup(path.data);
	}
	buffer_release(&pem);
	buffer_release(&path);
	return result;
}

int listen_secure(struct listener *l, const char *address, struct error *err)
{
	const struct listen_args *a = l->args;
	struct http_address parsed;
	if (a->tls_cert) {
		l->tls = load(a, err);
	} else if (a->tls_self_signed) {
		if (http_address_parse(address, &parsed, err) < 0)
			return -1;
		l->tls = http_tls_new_self_signed(parsed.is_unix ? NULL : parsed.host, a->tls_client_ca, err);
	} else {
		return 0;
	}
	if (!l->tls)
		return -1;
	http_server_use_tls(l->server, l->tls);
	return a->tls_self_signed ? write_certificate(l, err) : 0;
}

void listen_secure_again(struct listener *l)
{
	struct error err;
	if (!l->args->tls_cert)
		return;
	struct http_tls *tls = load(l->args, &err);
	if (!tls) {
		terminal_warn(l->context->terminal, "%s; going on with the certificate it was", err.message);
		return;
	}
	http_server_use_tls(l->server, tls);
	http_tls_free(l->tls);
	l->tls = tls;
	terminal_note(l->context->terminal, "read the certificate '%s' again", l->args->tls_cert);
}

void listen_secure_end(struct listener *l)
{
	if (l->tls_file)
		unlink(l->tls_file);
	free(l->tls_file);
	http_tls_free(l->tls);
}
