#!/usr/bin/python3
"""An answer of 2xx means that the record is on disk: the order of the system calls, failing disks, kill -9 under load,
files moved away.

KILL_ROUNDS: how often the loaded listener is killed (tests/long/kill.sh says 200)."""
# rooms: base capture cmd/listen receive

import http.client
import json
import os
import select
import signal
import threading

from support import Listener, credhook, failing_disk, new_folder, records, run
from tracing import completed, traced

ROUNDS = int(os.environ.get("KILL_ROUNDS", "20"))


class Load:
    """Clients that post bodies that say who they are, each only once, and remember which were answered with 2xx."""

    def __init__(self, listener, name, clients=8, most=None):
        self.accepted, self._stop, self._lock = [], threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._run, args=(listener, f"{name}-{i}", most), daemon=True)
                         for i in range(clients)]
        for thread in self._threads:
            thread.start()

    def _run(self, listener, name, most):
        connection = http.client.HTTPConnection(listener.host, listener.port)
        number = 0
        while not self._stop.is_set() and (most is None or number < most):
            number += 1
            try:
                connection.request("POST", "/", json.dumps({"id": f"{name}-{number}"}))
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                return
            if 200 <= answer.status < 300:
                with self._lock:
                    self.accepted.append(f"{name}-{number}")

    def wait_accepted(self, count):
        while len(self.accepted) < count and any(thread.is_alive() for thread in self._threads):
            self._threads[0].join(0.002)
        assert len(self.accepted) >= count, f"{len(self.accepted)} of {count} accepted"

    def stop(self):
        self._stop.set()
        self.join()

    def join(self):
        for thread in self._threads:
            thread.join()
            assert not thread.is_alive()


def hold_to_promises(accepted, found):
    """Every accepted body has its record, none has two, and the numbers go up one by one."""
    ids = [json.loads(record["body"])["id"] for record in found]
    assert len(ids) == len(set(ids)), "a record stands twice"
    assert set(accepted) <= set(ids), f"accepted and not recorded: {sorted(set(accepted) - set(ids))[:5]}"
    assert [record["seq"] for record in found] == list(range(1, len(found) + 1))


def test_no_2xx_leaves_before_its_fdatasync_returned():
    capture = new_folder() / "capture.ndjson"
    with traced("write,fdatasync,fsync,sendto") as trace:
        with Listener("--capture", capture) as listener:
            load = Load(listener, "order", clients=4, most=15)
            load.join()
            listener.stop().expect(0)
            accepted = load.accepted
    assert len(accepted) == 60
    events = []
    for call, arguments, began, ended, result in completed(trace):
        count = arguments.count('{\\"v\\":1,\\"seq\\":')
        if call == "write" and count:
            events.append((ended, "written", count))
        elif call == "fdatasync":
            assert result == 0
            events += [(began, "sync begins", 0), (ended, "sync ended", 0)]
        elif call == "fsync" and not events:
            events.append((ended, "directory", 0))
        elif call == "sendto" and '"HTTP/1.1 2' in arguments:
            events.append((began, "2xx", 1))
    written = syncing = durable = sent = 0
    assert min(events)[1] == "directory", "the new file's directory was not synced first"
    for _, what, count in sorted(events):
        if what == "written":
            written += count
        elif what == "sync begins":
            syncing = written
        elif what == "sync ended":
            durable = syncing
        elif what == "2xx":
            sent += 1
            assert sent <= durable, f"the 2xx number {sent} left when {durable} records were synced"
    assert sent == written == durable == 60, (sent, written, durable)


def fail_disk(call, error, expected):
    folder = new_folder()
    capture, trigger = folder / "capture.ndjson", folder / "now"
    env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": call, "FAIL_ERRNO": error, "FAIL_PATH": capture,
           "FAIL_WHEN": trigger}
    with Listener("--capture", capture, env=env) as listener:
        assert listener.status(b'{"id":"before"}') == 200
        trigger.touch()
        load = Load(listener, "failing", clients=4, most=5)
        load.join()
        assert load.accepted == []
        assert listener.status() == expected
        result = listener.stop().expect(3)
    assert result.err.count(str(capture)) == 1, result
    assert f"senders get {expected}" in result.err, result
    hold_to_promises(["before"], records(capture))
    assert len(records(capture)) == 1
    summary = result.json()[-1]
    assert (summary["type"], summary["received"]) == ("summary", 1)
    assert {event["response"]["status"] for event in result.json()[2:-1]} == {expected}


def test_when_fdatasync_fails_no_2xx_leaves():
    fail_disk("fdatasync", "EIO", 503)
    fail_disk("fdatasync", "ENOSPC", 507)


def test_when_write_fails_no_2xx_leaves():
    fail_disk("write", "EIO", 503)
    fail_disk("write", "ENOSPC", 507)


def fail_under_load(call):
    """Exactly what is on disk was accepted: nothing more, and nothing that is there has its sender send it again."""
    folder = new_folder()
    capture, trigger = folder / "capture.ndjson", folder / "now"
    env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": call, "FAIL_ERRNO": "ENOSPC", "FAIL_PATH": capture,
           "FAIL_WHEN": trigger}
    with Listener("--capture", capture, env=env) as listener:
        load = Load(listener, "failing")
        load.wait_accepted(40)
        trigger.touch()
        listener.wait_stderr("senders get 507")
        load.stop()
        listener.stop().expect(3)
    hold_to_promises(load.accepted, records(capture))
    assert len(records(capture)) == len(load.accepted)


def test_what_was_synced_before_the_disk_failed_is_accepted():
    fail_under_load("write")
    fail_under_load("fdatasync")


def test_a_short_write_is_undone():
    fail_disk("short", "ENOSPC", 507)


def test_a_disk_that_is_stuck_stops_the_answers_and_not_the_reading():
    folder = new_folder()
    capture, trigger = folder / "capture.ndjson", folder / "now"
    env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "stuck", "FAIL_PATH": capture, "FAIL_WHEN": trigger}
    with Listener("--capture", capture, env=env) as listener:
        trigger.touch()
        clients = [listener.connect() for _ in range(20)]
        for number, client in enumerate(clients):
            data = b'{"id":"stuck-%02d"}' % number
            client.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(data))
            assert client.recv(1000).startswith(b"HTTP/1.1 100")
            client.sendall(data)
        assert listener.ask(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")[0].status == 200
        assert select.select(clients, [], [], 0.2)[0] == [] and listener.events() == []
        trigger.unlink()
        for client in clients:
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
        listener.stop().expect(0)
    hold_to_promises([f"stuck-{number:02d}" for number in range(20)], records(capture))


def test_killed_under_load_it_has_every_record_it_answered_for():
    folder = new_folder()
    capture = folder / "capture.ndjson"
    accepted, torn = [], 0
    for number in range(ROUNDS):
        with Listener("--capture", capture) as listener:
            load = Load(listener, f"round{number}")
            load.wait_accepted(20)
            listener.kill()
            load.join()
            accepted += load.accepted
        if number % 3 == 0 and capture.read_bytes().endswith(b"\n"):
            with open(capture, "ab") as tail:  # what a crash within a write leaves
                tail.write(b'{"v":1,"seq":%d,"rec' % number)
            torn += 1
    with Listener("--capture", capture) as listener:
        assert listener.stop().expect(0)
    hold_to_promises(accepted, records(capture))
    aside = list(folder.glob("capture.ndjson.torn-*"))
    assert len(aside) >= torn, f"{len(aside)} torn tails set aside of {torn}"


def test_a_file_moved_away_is_reopened_at_sighup_without_a_gap():
    folder = new_folder()
    capture, moved = folder / "capture.ndjson", folder / "moved.ndjson"
    with Listener("--capture", capture) as listener:
        load = Load(listener, "moved")
        load.wait_accepted(20)
        capture.rename(moved)
        load.wait_accepted(len(load.accepted) + 20)
        listener.send_signal(signal.SIGHUP)
        listener.wait_stderr("reopened")
        load.wait_accepted(len(load.accepted) + 20)
        load.stop()
        listener.stop().expect(0)
    assert records(capture) and records(moved)
    assert capture.stat().st_mode & 0o777 == 0o600
    hold_to_promises(load.accepted, records(moved, capture))


def test_sighup_without_a_move_changes_nothing():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        assert listener.status(b'{"id":1}') == 200
        listener.send_signal(signal.SIGHUP)
        assert listener.status(b'{"id":2}') == 200
        assert "reopened" not in listener.stop().expect(0).err
    hold_to_promises([1, 2], records(capture))


def test_a_second_writer_is_refused():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        assert "another credhook" in credhook("listen", "0", "--capture", capture).expect(3).err


def test_a_second_signal_ends_at_once():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener, listener.connect() as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 100")  # and this request keeps it from ending at the first
        assert listener.status(b'{"id":"answered"}') == 200
        listener.send_signal(signal.SIGINT)
        listener.send_signal(signal.SIGTERM)
        listener.wait(10).expect(130)
    hold_to_promises(["answered"], records(capture))


def test_a_first_signal_is_no_second_one_where_it_ends_by_itself():
    with Listener("--limit", 2, "--rule", "event=unknown,delay=60s,times=1") as listener:
        waiting = threading.Thread(target=listener.post, args=(b'{"id":"held"}',), daemon=True)
        waiting.start()
        listener.events(1)
        assert listener.status(b'{"id":"last"}') == 200  # and what is held keeps it from ending at once
        listener.send_signal(signal.SIGINT)
        listener.wait(10).expect(0)
        waiting.join(10)


def test_limit_is_exact_under_load():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture, "--limit", 25) as listener:
        load = Load(listener, "most")
        listener.wait().expect(0)
        load.stop()
    assert len(load.accepted) == 25
    hold_to_promises(load.accepted, records(capture))


if __name__ == "__main__":
    run()
