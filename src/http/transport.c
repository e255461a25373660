#include "http/transport.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static ssize_t outcome(ssize_t result)
{
	if (result >= 0)
		return result;
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? HTTP_TRANSPORT_AGAIN : HTTP_TRANSPORT_FAILED;
}

ssize_t http_transport_receive(struct http_transport *transport, char *bytes, size_t size)
{
	return outcome(recv(transport->fd, bytes, size, 0));
}

ssize_t http_transport_send(struct http_transport *transport, const char *bytes, size_t length)
{
	return outcome(send(transport->fd, bytes, length, MSG_NOSIGNAL));
}

void http_transport_shut(struct http_transport *transport)
{
	shutdown(transport->fd, SHUT_WR);
}

void http_transport_close(struct http_transport *transport, bool reset)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	if (reset)
		setsockopt(transport->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close(transport->fd);
	transport->fd = -1;
}
