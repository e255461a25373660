#include "http/transport.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int http_transport_open(struct http_transport *transport, int fd, const struct http_tls *tls)
{
	*transport = (struct http_transport){ .fd = fd, .want = EPOLLIN };
	if (!tls)
		return 0;
	transport->ssl = http_tls_accept(tls, fd);
	if (transport->ssl)
		return 0;
	http_transport_close(transport, false);
	return -1;
}

static ssize_t outcome(struct http_transport *transport, ssize_t result, uint32_t want)
{
	transport->want = want;
	if (result >= 0)
		return result;
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? HTTP_TRANSPORT_AGAIN : HTTP_TRANSPORT_FAILED;
}

static ssize_t fail_tls(struct http_transport *t)
{
	if (!t->handshaken && !t->failure) {
		const char *reason = ERR_reason_error_string(ERR_peek_last_error());
		t->failure = reason ? reason : "the client disconnected";
	}
	t->raw = true;
	return HTTP_TRANSPORT_FAILED;
}

/* The result of a call of SSL_read() or SSL_write(). */
static ssize_t tls_outcome(struct http_transport *t, int result, uint32_t want)
{
	if (SSL_is_init_finished(t->ssl))
		t->handshaken = true;
	t->want = want;
	if (result > 0)
		return result;
	ssize_t came = HTTP_TRANSPORT_AGAIN;
	switch (SSL_get_error(t->ssl, result)) {
	case SSL_ERROR_WANT_READ:
		t->want = EPOLLIN;
		break;
	case SSL_ERROR_WANT_WRITE:
		t->want = EPOLLOUT;
		break;
	case SSL_ERROR_ZERO_RETURN:
		came = t->handshaken ? 0 : fail_tls(t);
		break;
	default:
		came = fail_tls(t);
	}
	ERR_clear_error();
	return came;
}

static int as_int(size_t length)
{
	return length > INT_MAX ? INT_MAX : (int)length;
}

/* Reads one record and what OpenSSL has already decrypted, but not all that the socket has, so that one busy client
 * does not delay the others. */
static ssize_t receive_tls(struct http_transport *t, char *bytes, size_t size)
{
	ERR_clear_error();
	ssize_t count = tls_outcome(t, SSL_read(t->ssl, bytes, as_int(size)), EPOLLIN);
	while (count > 0 && (size_t)count < size && SSL_pending(t->ssl) > 0) {
		int more = SSL_read(t->ssl, bytes + count, as_int(size - (size_t)count));
		if (more <= 0)
			break;
		count += more;
	}
	return count;
}

ssize_t http_transport_receive(struct http_transport *transport, char *bytes, size_t size)
{
	if (transport->ssl && !transport->raw)
		return receive_tls(transport, bytes, size);
	return outcome(transport, recv(transport->fd, bytes, size, 0), EPOLLIN);
}

ssize_t http_transport_send(struct http_transport *transport, const char *bytes, size_t length)
{
	if (!transport->ssl)
		return outcome(transport, send(transport->fd, bytes, length, MSG_NOSIGNAL), EPOLLOUT);
	if (transport->raw)
		return HTTP_TRANSPORT_FAILED;
	ERR_clear_error();
	return tls_outcome(transport, SSL_write(transport->ssl, bytes, as_int(length)), EPOLLOUT);
}

/* Sends close_notify, once, if that is possible without waiting. */
static void send_close_notify(struct http_transport *t)
{
	if (!t->ssl || !t->handshaken || t->raw)
		return;
	SSL_shutdown(t->ssl);
	ERR_clear_error();
	t->raw = true;
}

void http_transport_shut(struct http_transport *transport)
{
	send_close_notify(transport);
	shutdown(transport->fd, SHUT_WR);
}

void http_transport_close(struct http_transport *transport, bool reset)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	if (reset)
		setsockopt(transport->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	else
		send_close_notify(transport);
	SSL_free(transport->ssl);
	transport->ssl = NULL;
	close(transport->fd);
	transport->fd = -1;
}
