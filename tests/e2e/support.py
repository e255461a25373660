"""What the end-to-end tests share: running credhook, listening with it, and servers for it to deliver to.

A test is a script NAME_test.py beside this file, which says after its docstring whose changes it would notice
(tests/CMakeLists.txt):

    # rooms: cmd/send deliver
    from support import credhook, run, FaultServer, reset

    def test_a_reset_is_an_unknown_outcome():
        with FaultServer(reset()) as server:
            result = credhook("send", "user-created", "--to", server.url).expect(4)
            assert "unknown" in result.out
            assert len(server.requests) == 1

    if __name__ == "__main__":
        run()

Nothing here uses a fixed port or waits by the clock for something to have happened: servers bind port 0, and whoever
waits does so for a line, a record or a connection, up to a deadline. CREDHOOK is the binary, SOURCE the project folder.
"""

import atexit
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

# pylint: disable=unused-import
from fault_server import (DEADLINE, FaultServer, Request, answer, answer_bytes, close_after_request_on_kept_alive, close_at_once,
                          close_without_answer, drip, endless_header, garbage, half_answer, hang, reset, step)
from nginx import Nginx, free_port

SOURCE = Path(os.environ.get("SOURCE") or Path(__file__).resolve().parents[2])
SANITIZE = os.environ.get("SANITIZE", "")  # for a test that is too slow, or measures, under sanitizers
LONG = bool(os.environ.get("LONG"))  # tests/run.sh --long: every planted listener, not one a kind
RUN_LIMIT = 1790  # for a script: it ends, and cleans up, before ctest kills it

_scratch = tempfile.TemporaryDirectory(prefix="credhook-e2e.")
if os.environ.get("KEEP_FOLDERS"):  # tests/tools/stress.py keeps those of one that fails
    _scratch._finalizer.detach()  # pylint: disable=protected-access
else:
    atexit.register(_scratch.cleanup)


def new_folder():
    """An empty folder of one's own, gone when the script ends."""
    return Path(tempfile.mkdtemp(dir=_scratch.name))


def binary():
    path = os.environ.get("CREDHOOK")
    if not path:
        raise AssertionError("CREDHOOK is not set: the path of the binary")
    return path


def environment(extra=None):
    """The environment for credhook: no proxies, nobody's configuration, UTF-8; then `extra` (None takes one out)."""
    clean = {name: value for name, value in os.environ.items()
             if not name.lower().endswith("_proxy") and not name.startswith(("CREDHOOK", "XDG_", "NO_COLOR", "FORCE_COLOR", "CLICOLOR"))}
    home = Path(_scratch.name, "home")
    home.mkdir(exist_ok=True)
    clean.update(HOME=str(home), XDG_CONFIG_HOME=str(home / "config"), XDG_STATE_HOME=str(home / "state"),
                 LC_ALL="C.UTF-8")
    for name, value in (extra or {}).items():
        clean.pop(name, None)
        if value is not None:
            clean[name] = str(value)
    return clean


@dataclass
class Result:
    """How a run ended."""

    args: list
    code: int  # negative: killed by that signal
    out_bytes: bytes
    err_bytes: bytes

    @property
    def out(self):
        return self.out_bytes.decode("utf-8", "replace")

    @property
    def err(self):
        return self.err_bytes.decode("utf-8", "replace")

    def json(self):
        """The lines of stdout, each a JSON document."""
        return [json.loads(line) for line in self.out_bytes.splitlines()]

    def expect(self, code):
        """Fails, showing everything, unless it ended with `code`; returns the result itself."""
        assert self.code == code, f"expected exit {code}: {self}"
        return self

    def __str__(self):
        command = " ".join(map(str, self.args))
        return f"credhook {command}\nexit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def launch(*args, env=None, **more):
    """credhook in the background, for Popen's own ways: nothing to read, its output in pipes, unless told otherwise."""
    words = [arg if isinstance(arg, bytes) else str(arg) for arg in args]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([binary(), *words], env=environment(env), **{**streams, **more})


def credhook(*args, stdin=None, timeout=DEADLINE, env=None, cwd=None):
    """Runs credhook to its end. stdin: text or bytes; None: empty. env: see environment(). cwd: default an empty
    folder. A run that takes longer than `timeout` seconds is killed and fails the test."""
    data = stdin.encode() if isinstance(stdin, str) else stdin or b""
    process = launch(*args, stdin=subprocess.PIPE, env=env, cwd=cwd or new_folder())
    try:
        out, err = process.communicate(data, timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        result = Result(list(args), process.returncode, out, err)
        raise AssertionError(f"not done after {timeout} s: {result}") from None
    except BaseException:
        process.kill()
        process.wait()
        raise
    return Result(list(args), process.returncode, out, err)


def built(*args, seed=1):
    """The bytes of one that build makes."""
    return credhook("build", *args, "--seed", seed).expect(0).out_bytes.splitlines()[0]


def is_portable():
    """Whether it is built with nothing that Linux has beyond POSIX."""
    return "portable" in credhook("version", "--json").expect(0).json()[0]["features"]


def choices(command, option):
    """What an option may be, but for `auto`."""
    [page] = credhook("help", command, "--json").expect(0).json()
    [words] = [row["choices"] for row in page["options"] if row["name"] == option]
    return [word for word in words if word != "auto"]


def defects():
    """The findings that `--break` makes, but for too-long, of 64 MiB."""
    rows = credhook("explain", "findings", "--json").expect(0).json()
    return [row["topic"] for row in rows if "--break" in row.get("try", "") and row["topic"] != "too-long"]


def records(*paths):
    """The lines of captures, results and the like, each a JSON document."""
    whole = [Path(path).read_bytes() for path in paths]
    assert all(data == b"" or data.endswith(b"\n") for data in whole), paths
    return [json.loads(line) for data in whole for line in data.splitlines()]


def kinds():
    """The names of what `all` makes one each of: the events, and instead of one with elements these."""
    return [f"{event['name']}/{path.rsplit('/', 1)[1]}" if len(paths) > 1 else event["name"]
            for event in credhook("events", "--json").expect(0).json()
            for paths in [event.get("paths") or [None]] for path in paths]


class Listener:
    """`credhook listen --json ADDRESS args...`, running in the background from its ready line on.

    url, host, port, pid come from the ready line. As a context manager it is killed at the end if it still runs."""

    def __init__(self, *args, address="127.0.0.1:0", env=None, cwd=None, timeout=DEADLINE):
        self.args = ["listen", "--json", address, *map(str, args)]
        self._changed = threading.Condition()
        self._lines, self._errors = [], []
        self._ended = 0  # streams that are at their end
        self._process = launch(*self.args, env=env, cwd=cwd or new_folder())
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self._process.stdout, self._lines), (self._process.stderr, self._errors))]
        for reader in self._readers:
            reader.start()
        try:
            ready = self._first_message(timeout)
        except BaseException:
            self.kill()
            raise
        self.url, self.pid = ready["url"], ready["pid"]
        self.host, self.port = urlsplit(self.url).hostname, urlsplit(self.url).port

    def _read(self, stream, lines):
        for line in stream:
            with self._changed:
                lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._ended += 1
            self._changed.notify_all()

    def _output(self):
        with self._changed:
            return Result(self.args, self._process.poll(), b"".join(self._lines), b"".join(self._errors))

    def _wait(self, happened, timeout, what):
        """Until happened(), which runs under the lock; fails when that takes too long or credhook ends before."""
        with self._changed:
            self._changed.wait_for(lambda: happened() or self._ended == 2, timeout)
            if happened():
                return
            ended = self._ended == 2
        if ended:
            self._process.wait(DEADLINE)
        raise AssertionError(f"{'ended' if ended else f'{timeout} s passed'} without {what}: {self._output()}")

    def _first_message(self, timeout):
        self._wait(lambda: self._lines, timeout, "a ready line")
        try:
            ready = json.loads(self._lines[0])
            assert ready["type"] == "ready" and ready["url"] and ready["pid"] == self._process.pid
        except (ValueError, KeyError, TypeError, AssertionError):
            raise AssertionError(f"the first line is no ready line: {self._output()}") from None
        return ready

    def messages(self, kind=None):
        """What it has written to stdout so far, one object per line; only those of one type: kind."""
        with self._changed:
            found = [json.loads(line) for line in self._lines if line.endswith(b"\n")]
        return [message for message in found if kind in (None, message["type"])]

    def events(self, count=0, timeout=DEADLINE):
        """The events reported so far, once there are at least `count`."""
        self._wait(lambda: len(self.messages("event")) >= count, timeout, f"{count} events")
        return self.messages("event")

    def wait_stderr(self, text, timeout=DEADLINE):
        """Until `text` stands in what it wrote to stderr."""
        self._wait(lambda: text.encode() in b"".join(self._errors), timeout, f"'{text}' on stderr")

    def errors(self):
        """What it has written to stderr so far."""
        return self._output().err

    def ask(self, data, count=1, **more):
        """The answers to `data`, `count` of them at least; see raw()."""
        got = answers(raw(self.host, self.port, data, count=count, **more))
        assert len(got) >= count, got
        return got

    def post(self, body=b"{}", target="/", extra=""):
        """The answer to a notification; see request()."""
        return self.ask(request(body, target, extra))[0]

    def status(self, body=b"{}", target="/", extra=""):
        """None: it closed the connection without an answer."""
        found = answers(raw(self.host, self.port, request(body, target, extra), count=1))
        return found[0].status if found else None

    def connect(self):
        return socket.create_connection((self.host, self.port), DEADLINE)

    def is_listening(self):
        """Whether it takes connections still."""
        try:
            self.connect().close()
        except ConnectionRefusedError:
            return False
        except ConnectionResetError:
            pass  # it ended meanwhile
        return True

    def send_signal(self, number):
        self._process.send_signal(number)

    def wait(self, timeout=DEADLINE):
        """Its result, once it has ended by itself (--expect, --timeout)."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running after {timeout} s: {self._output()}") from None
        for reader in self._readers:
            reader.join(DEADLINE)
        return self._output()

    def stop(self, number=signal.SIGTERM, timeout=DEADLINE):
        """Sends a signal and waits for the end."""
        self._process.send_signal(number)
        return self.wait(timeout)

    def kill(self):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join(DEADLINE)
        self._process.stdout.close()
        self._process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """By SIGTERM where that is heeded at once, so that leaks are looked for and coverage is written down."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(2)
            except subprocess.TimeoutExpired:
                pass
        self.kill()
        assert b"Sanitizer: " not in b"".join(self._errors), self._output()


def request(body=b"{}", target="/", extra="", method="POST"):
    """The bytes of a request; extra: further lines of its head."""
    return f"{method} {target} HTTP/1.1\r\nHost: h\r\nContent-Length: {len(body)}\r\n{extra}\r\n".encode() + body


def has_ipv6_loopback():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


class Answer(NamedTuple):
    status: int
    reason: str
    headers: list  # (name, value)
    body: bytes

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def answers(data, head=False):
    """The complete HTTP answers with which `data` begins, interim ones (1xx) too. Without Content-Length or chunks the
    body is all that follows. head: they answer HEAD and have no bodies."""
    found = []
    while b"\r\n\r\n" in data:
        fields, rest = data.split(b"\r\n\r\n", 1)
        lines = fields.decode("latin-1").split("\r\n")
        _, status, reason = (lines[0] + " ").split(" ", 2)
        headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        entry = Answer(int(status), reason.strip(), headers, b"")
        body, rest = (b"", rest) if head else _body(entry, rest)
        if body is None:
            break
        found.append(entry._replace(body=body))
        data = rest
    return found


def _body(entry, rest):
    """(body, what follows it); (None, ...): it is not all there."""
    if entry.status < 200 or entry.status in (204, 304):
        return b"", rest
    if "chunked" in (entry.header("Transfer-Encoding") or ""):
        body = b""
        while b"\r\n" in rest:
            size, rest = rest.split(b"\r\n", 1)
            size = int(size.split(b";")[0], 16)
            if size == 0:
                return (body, rest[2:]) if rest.startswith(b"\r\n") else (None, rest)
            if len(rest) < size + 2:
                break
            body, rest = body + rest[:size], rest[size + 2:]
        return None, rest
    length = entry.header("Content-Length")
    if length is None:
        return rest, b""
    return (rest[:int(length)], rest[int(length):]) if len(rest) >= int(length) else (None, rest)


def _shut_sending(sock):
    try:
        sock.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # reset by the peer meanwhile: reading tells


def raw(host, port, data, shutdown=False, timeout=DEADLINE, count=None):
    """Sends bytes as they are and returns what comes back until the peer closes or resets, or nothing has happened for
    `timeout` seconds. shutdown: says after the last byte that no more will come. count: is content with that many
    complete answers, for a connection that stays open; see answers()."""
    received = b""
    with socket.create_connection((host, port), timeout) as sock, selectors.DefaultSelector() as selector:
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ | selectors.EVENT_WRITE)
        unsent = memoryview(data)
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            if not unsent and selector.get_key(sock).events & selectors.EVENT_WRITE:
                selector.modify(sock, selectors.EVENT_READ)
                if shutdown:
                    _shut_sending(sock)
            for _, ready in selector.select(left):
                try:
                    if ready & selectors.EVENT_WRITE and unsent:
                        unsent = unsent[sock.send(unsent[:262144]):]
                except OSError:
                    unsent = unsent[:0]  # refused: its answer may still be read
                if ready & selectors.EVENT_READ:
                    try:
                        piece = sock.recv(262144)
                    except ConnectionError:
                        piece = b""
                    received += piece
                    if not piece or (count and len(answers(received)) >= count):
                        return received
                end = time.monotonic() + timeout
    return received


class Certificate(NamedTuple):
    cert: Path
    key: Path


def certificate(folder, name, ca=None, hosts=("DNS:localhost", "IP:127.0.0.1", "IP:::1"), days=2):
    """Makes folder/name.pem and folder/name.key with openssl, good for `days` and for `hosts`. Signed by `ca`,
    another Certificate; without one it is self-signed, may sign others, and serves as its own CA."""
    made = Certificate(Path(folder, f"{name}.pem"), Path(folder, f"{name}.key"))
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-days", str(days), "-subj", f"/CN={name}", "-addext", "subjectAltName=" + ",".join(hosts),
               "-keyout", made.key, "-out", made.cert]
    if ca:
        command += ["-CA", ca.cert, "-CAkey", ca.key, "-addext", "basicConstraints=critical,CA:FALSE"]
    else:  # Python 3.13 does not trust a CA that does not say so
        command += ["-addext", "keyUsage=critical,keyCertSign,digitalSignature"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"openssl cannot make '{name}': {done.stderr}")
    return made


class Skip(Exception):
    """Raised by a test that cannot run here; the text says why."""


def failing_disk():
    """The library that makes calls fail, for LD_PRELOAD: e2e/fail_disk.c. FAIL_DISK is empty where no binary would load it."""
    if not os.environ["FAIL_DISK"]:
        raise Skip("LD_PRELOAD does not reach a static binary")
    return os.environ["FAIL_DISK"]


def failing_memory():
    """The library that makes an allocation fail, likewise: e2e/fail_memory.c."""
    if SANITIZE:
        raise Skip("sanitizers have allocations of their own")
    if not os.environ["FAIL_MEMORY"]:
        raise Skip("LD_PRELOAD does not reach a static binary")
    return os.environ["FAIL_MEMORY"]


def fake_time():
    """The library whose clocks are not the kernel's, likewise: e2e/fake_time.c."""
    if not os.environ["FAKE_TIME"]:
        raise Skip("LD_PRELOAD does not reach a static binary")
    return os.environ["FAKE_TIME"]


class _OutOfTime(BaseException):
    """No Exception, so that no test takes it for its own."""


def _out_of_time(*_):
    raise _OutOfTime


def _outcome(function):
    """Runs one test and prints how it ended, which it also returns: ok, skipped or failed."""
    started = time.monotonic()
    try:
        function()
    except Skip as reason:
        print(f"skipped {function.__name__}: {reason}", flush=True)
        return "skipped"
    except _OutOfTime:
        print(f"FAILED {function.__name__}: out of time\n{traceback.format_exc()}", flush=True)
        sys.exit(1)
    except Exception:  # pylint: disable=broad-except
        print(f"FAILED {function.__name__}\n{traceback.format_exc()}", flush=True)
        return "failed"
    print(f"ok {function.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
    return "ok"


def _outcomes(tests, wanted, at_once):
    """How each ended, by name."""
    waiting, outcomes = iter(wanted), {}

    def work():
        for name in waiting:
            outcomes[name] = _outcome(tests[name])

    threads = [threading.Thread(target=work, daemon=True) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except _OutOfTime:
        print(f"FAILED {' '.join(name for name in wanted if name not in outcomes)}: out of time", flush=True)
        sys.exit(1)
    return {name: outcomes[name] for name in wanted}


def run(module="__main__", at_once=1):
    """Runs the functions test_* and check_* of the script in the order they stand there, or those named on the command
    line, and exits: 0 if none failed, 1 if one did. Those that wait more than they work may run several at once."""
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.alarm(RUN_LIMIT)
    tests = {name: value for name, value in vars(sys.modules[module]).items()
             if name.startswith(("test_", "check_")) and callable(value)}
    wanted = sys.argv[1:] or list(tests)
    unknown = [name for name in wanted if name not in tests]
    if unknown or not wanted:
        sys.exit(f"no such test: {' '.join(unknown) or '(there is none)'}")
    outcomes = _outcomes(tests, wanted, at_once) if at_once > 1 else {name: _outcome(tests[name]) for name in wanted}
    failed = [name for name, outcome in outcomes.items() if outcome == "failed"]
    counts = [f"{list(outcomes.values()).count(kind)} {kind}" for kind in ("ok", "skipped", "failed")]
    print(", ".join(counts) + (": " + " ".join(failed) if failed else ""))
    sys.exit(1 if failed else 0)
