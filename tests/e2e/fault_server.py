"""A receiver that misbehaves on demand, and remembers every request it got.

    with FaultServer(reset(), answer(503), [answer(200), close_without_answer()]) as server:
        ... deliver to server.url ...
        assert len(server.requests) == 3

Each argument is the script of one connection, in the order they are accepted; the last one serves all further ones.
A script is a step or a list of steps. A step deals with one request; the last one of a script is repeated as long as
the connection lives. A step of one's own is a function that takes a Connection and returns whether it stays open.

A request is recorded when it was read whole, before anything is answered: a client that has its answer finds the
request in the list, and a request that is there once went out once.
"""

import socket
import ssl
import struct
import threading
from dataclasses import dataclass, field

# Seconds after which something does not happen any more. Nothing is expected to take as long: a machine may be busy.
DEADLINE = 600


@dataclass
class Request:
    connection: int  # the number of its connection, from 0
    method: str
    target: str
    version: str
    headers: list  # (name, value) as sent, in order
    body: bytes = b""
    trailers: list = field(default_factory=list)

    def header(self, name):
        """The value of the first header of that name, in any case; None: there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class Connection:
    """One accepted connection, as the steps see it."""

    def __init__(self, server, number, sock):
        self.server = server
        self.number = number
        self.socket = sock
        self.unread = b""

    def _read_more(self):
        """False: the peer has closed."""
        piece = self.socket.recv(65536)
        self.unread += piece
        return bool(piece)

    def _take(self, size):
        while len(self.unread) < size:
            if not self._read_more():
                raise EOFError
        taken, self.unread = self.unread[:size], self.unread[size:]
        return taken

    def _take_until(self, mark):
        while mark not in self.unread:
            if not self._read_more():
                raise EOFError
        taken, self.unread = self.unread.split(mark, 1)
        return taken

    def _take_chunks(self, request):
        while True:
            size = int(self._take_until(b"\r\n").split(b";")[0], 16)
            if size == 0:
                break
            request.body += self._take(size)
            if self._take(2) != b"\r\n":
                raise ValueError("a chunk does not end with CRLF")
        while line := self._take_until(b"\r\n"):
            request.trailers.append(_header(line.decode("latin-1")))

    def read_request(self):
        """Reads and records one request; None: the peer has closed before the first byte of one."""
        if not self.unread and not self._read_more():
            return None
        try:
            lines = self._take_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
            method, target, version = lines[0].split(" ")
            request = Request(self.number, method, target, version, [_header(line) for line in lines[1:]])
            if (request.header("Expect") or "").lower() == "100-continue":
                self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            if "chunked" in (request.header("Transfer-Encoding") or "").lower():
                self._take_chunks(request)
            else:
                request.body = self._take(int(request.header("Content-Length") or 0))
        except EOFError:
            self.server.note_torn(self.number)
            raise
        self.server.record(request)
        return request

    def send(self, data):
        self.socket.sendall(data)

    def close(self):
        """Ends the connection for both sides; what the peer has not read yet still reaches it."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


def _header(line):
    name, colon, value = line.partition(":")
    if not colon or not name or name != name.strip():
        raise ValueError(f"not a header: {line!r}")
    return name, value.strip(" \t")


def answer_bytes(status=200, headers=(), body=b""):
    """An HTTP/1.1 answer with a Content-Length."""
    head = [f"HTTP/1.1 {status} Status"] + [f"{name}: {value}" for name, value in headers]
    if status >= 200 and status != 204:
        head.append(f"Content-Length: {len(body)}")
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body


def step(function):
    """Makes a step of what is done with a request that was read whole: function(connection) -> stays open."""

    def perform(connection):
        return connection.read_request() is not None and function(connection)

    return perform


def answer(status=200, headers=(), body=b"", close=False):
    """A decent answer; the connection stays open unless close."""

    def give(connection):
        extra = [*headers, ("Connection", "close")] if close else headers
        connection.send(answer_bytes(status, extra, body))
        return not close

    return step(give)


def close_without_answer():
    """Takes the request whole and closes in order."""
    return step(lambda connection: False)


def close_at_once():
    """Closes before anything is read."""
    return lambda connection: False


def reset():
    """Takes the request whole and answers with a TCP reset."""

    def give(connection):
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.socket.close()
        return False

    return step(give)


def garbage(data=b"\x00\xff\x13 this is no HTTP\r\n\r\n"):
    """Answers with something else than HTTP, then closes."""

    def give(connection):
        connection.send(data)
        return False

    return step(give)


def half_answer(status=200, body=b"half of", length=100):
    """Promises `length` bytes of body, sends fewer, then closes."""

    def give(connection):
        connection.send(f"HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\n\r\n".encode() + body)
        return False

    return step(give)


def hang(status=200):
    """Does not answer until the server's release() (or its end), then answers with `status`."""

    def give(connection):
        connection.server.released.wait()
        connection.send(answer_bytes(status))
        return True

    return step(give)


def drip(status=200, body=b"slowly", pause=0.02):
    """Sends a decent answer byte by byte with a pause after each."""

    def give(connection):
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in answer_bytes(status, (), body):
            connection.send(bytes([byte]))
            if connection.server.stopping.wait(pause):
                return False
        return True

    return step(give)


def endless_header(line=b"X-More: " + b"x" * 1000):
    """Sends header lines until the client has enough."""

    def give(connection):
        connection.send(b"HTTP/1.1 200 OK\r\n")
        while not connection.server.stopping.is_set():
            connection.send(line + b"\r\n")
        return False

    return step(give)


def close_after_request_on_kept_alive(answered=1):
    """The script of a server whose idle limit strikes at the wrong moment: it answers the first request or requests of
    a connection, takes the next one whole, and closes. A client must not send that one again by itself."""
    return [answer()] * answered + [close_without_answer()]


class FaultServer:
    """See the module's text. certificate: an object with .cert and .key, for TLS."""

    def __init__(self, *scripts, certificate=None):
        self.scripts = [script if isinstance(script, list) else [script] for script in scripts or (answer(),)]
        self.released = threading.Event()
        self.stopping = threading.Event()
        self._changed = threading.Condition()
        self._requests = []
        self._torn = []
        self._errors = []
        self._open = {}
        self._threads = []
        self.connections = 0  # accepted so far
        self._tls = None
        if certificate:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate.cert, certificate.key)
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.host, self.port = self._listening.getsockname()
        self.url = f"{'https' if certificate else 'http'}://{self.host}:{self.port}"
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    @property
    def requests(self):
        """Those read whole so far, in the order they were complete."""
        with self._changed:
            return list(self._requests)

    @property
    def torn(self):
        """The numbers of the connections that ended in the middle of a request."""
        with self._changed:
            return list(self._torn)

    def wait_requests(self, count, timeout=DEADLINE):
        """The requests, once there are at least `count`."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._requests) >= count, timeout):
                raise AssertionError(f"{len(self._requests)} of {count} requests after {timeout} s")
            return list(self._requests)

    def release(self):
        """Lets those that hang go on."""
        self.released.set()

    def record(self, request):
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()

    def note_torn(self, number):
        with self._changed:
            self._torn.append(number)
            self._changed.notify_all()

    def _accept(self):
        while not self.stopping.is_set():
            try:
                sock, _ = self._listening.accept()
            except OSError:
                return
            with self._changed:
                connection = Connection(self, self.connections, sock)
                self.connections += 1
                self._open[connection.number] = connection
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                self._threads.append(thread)
                self._changed.notify_all()
            thread.start()

    def _serve(self, connection):
        script = self.scripts[min(connection.number, len(self.scripts) - 1)]
        try:
            if self._tls:
                connection.socket = self._tls.wrap_socket(connection.socket, server_side=True)
            at = 0
            while script[min(at, len(script) - 1)](connection):
                at += 1
        except (OSError, EOFError):
            pass  # the client disconnected, which is its right
        except Exception as error:  # pylint: disable=broad-except
            with self._changed:
                self._errors.append(error)
        finally:
            connection.close()
            with self._changed:
                del self._open[connection.number]

    def stop(self):
        """Ends every connection. Raises what went wrong in a step, or in reading a request that is no HTTP."""
        self.stopping.set()
        self.released.set()
        try:
            self._listening.shutdown(socket.SHUT_RDWR)  # wakes accept()
        except OSError:
            pass
        self._acceptor.join(DEADLINE)
        self._listening.close()
        with self._changed:
            waiting = list(self._open.values())
        for connection in waiting:
            try:
                connection.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self._threads:
            thread.join(DEADLINE)
        if self._errors:
            raise self._errors[0]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            self.stop()
        except Exception:
            if kind is None:  # else the failure of the test tells more
                raise
