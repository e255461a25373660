#!/usr/bin/python3
"""A 2xx means that its record is in the file one named, even if that is deleted, replaced or moved meanwhile."""
# rooms: capture cmd/listen receive

import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

from support import DEADLINE, Listener, failing_disk, new_folder, request, run


def body(number):
    return b'{"id":%d}' % number


def ids(text):
    return [json.loads(json.loads(line)["body"])["id"] for line in text.splitlines()]


def lost(result):
    """What the summary says, in JSON and in words."""
    count = result.json()[-1]["lost_records"]
    words = re.search(r", (\d+) records? lost$", result.err)
    assert int(words.group(1) if words else 0) == count, result
    return count


def wait_until(happened):
    end = time.monotonic() + DEADLINE
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.001)


class Steady:
    """A client that posts one number after the other, and knows which were accepted."""

    def __init__(self, listener):
        self.accepted, self._changed, self._ended = [], threading.Condition(), False
        self._thread = threading.Thread(target=self._run, args=(listener,), daemon=True)
        self._thread.start()

    def _run(self, listener):
        with listener.connect() as client:
            while not self._ended:
                client.sendall(request(body(len(self.accepted) + 1)))
                assert client.recv(1000).startswith(b"HTTP/1.1 200")
                with self._changed:
                    self.accepted.append(len(self.accepted) + 1)
                    self._changed.notify_all()

    def wait_more(self, count):
        """The number of the last accepted, once `count` more are."""
        with self._changed:
            end = len(self.accepted) + count
            assert self._changed.wait_for(lambda: len(self.accepted) >= end, 20)
            return len(self.accepted)

    def end(self):
        self._ended = True
        self._thread.join()
        return self.accepted


def test_a_capture_that_is_deleted_is_made_again():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        assert listener.status(body(1)) == 200
        capture.unlink()
        assert listener.status(body(2)) == 200
        assert ids(capture.read_text()) == [2]
        assert capture.stat().st_mode & 0o777 == 0o600
        result = listener.stop().expect(3)
    assert lost(result) == 1 and f"'{capture}' was deleted or replaced; opened it again" in result.err, result


def test_one_replaced_that_has_another_name_yet_loses_nothing():
    """sed -i.bak, or sed -i on a file with a hard link: what follows goes to the file of the name."""
    folder = new_folder()
    capture, backup = folder / "capture.ndjson", folder / "backup"
    with Listener("--capture", capture) as listener:
        assert listener.status(body(1)) == 200
        os.link(capture, backup)
        shutil.copy(capture, folder / "new")
        os.rename(folder / "new", capture)
        assert [listener.status(body(2)), listener.status(body(3))] == [200, 200]
        assert (ids(capture.read_text()), ids(backup.read_text())) == ([1, 2, 3], [1])
        assert lost(listener.stop().expect(0)) == 0


def test_one_deleted_before_anything_came_loses_nothing():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        capture.unlink()
        assert listener.status(body(1)) == 200
        assert ids(capture.read_text()) == [1]
        assert lost(listener.stop().expect(0)) == 0


def test_one_deleted_at_the_end_is_counted():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        assert listener.status(body(1)) == 200
        capture.unlink()
        result = listener.stop().expect(3)
    assert lost(result) == 1 and f"'{capture}' was deleted or replaced; records lost" in result.err, result


def test_one_deleted_while_it_is_synced():
    """Between the write and the answer."""
    folder = new_folder()
    capture, trigger = folder / "capture.ndjson", folder / "now"
    env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "stuck", "FAIL_PATH": capture, "FAIL_WHEN": trigger}
    with Listener("--capture", capture, env=env) as listener:
        trigger.touch()
        with listener.connect() as client:
            client.sendall(request(body(1)))
            wait_until(lambda: capture.stat().st_size > 0)
            capture.unlink()
            trigger.unlink()
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
            assert ids(capture.read_text()) == [1]
        assert lost(listener.stop().expect(0)) == 0


def replace(capture):
    """As an editor does, or `mv`: a copy that lacks what came since takes the name."""
    copy = capture.with_name("copy")
    shutil.copyfile(capture, copy)
    copy.rename(capture)


def test_what_was_accepted_after_a_change_is_in_the_file():
    """Under load, with the old file held open to see what went there."""
    for change in (os.unlink, replace, lambda path: subprocess.run(["sed", "-i", "1d", path], check=True)):
        capture = new_folder() / "capture.ndjson"
        with Listener("--capture", capture) as listener:
            load = Steady(listener)
            load.wait_more(20)
            with open(capture, encoding="utf-8") as old:
                change(capture)
                after = load.wait_more(20)
                accepted = load.end()
                gone, kept = ids(old.read()), ids(capture.read_text())
            result = listener.stop().expect(3)
        assert set(range(after - 18, len(accepted) + 1)) <= set(kept), (after, kept)
        assert set(accepted) == set(gone) | set(kept)
        assert lost(result) in (len(gone), len(gone) - 1), (gone, result)  # the last one was written again, perhaps


def test_a_capture_that_cannot_be_made_again():
    folder = new_folder()
    capture = folder / "sub" / "capture.ndjson"
    capture.parent.mkdir()
    with Listener("--capture", capture) as listener:
        assert listener.status(body(1)) == 200
        shutil.rmtree(capture.parent)
        assert [listener.status(body(number)) for number in (2, 3)] == [503, 503]
        result = listener.stop().expect(3)
    assert lost(result) == 1 and "was deleted or replaced, and cannot be reopened" in result.err, result


def test_one_emptied_by_a_copy_loses_nothing():
    folder = new_folder()
    capture, copy = folder / "capture.ndjson", folder / "copy"
    with Listener("--capture", capture) as listener:
        assert listener.status(body(1)) == 200
        shutil.copyfile(capture, copy)
        os.truncate(capture, 0)
        assert listener.status(body(2)) == 200
        assert (ids(copy.read_text()), ids(capture.read_text())) == ([1], [2])
        result = listener.stop().expect(0)
    assert lost(result) == 0 and "deleted" not in result.err


def test_reopening_is_tried_again_until_it_works():
    folder = new_folder()
    capture, moved = folder / "capture.ndjson", folder / "moved.ndjson"
    with Listener("--capture", capture) as listener:
        assert listener.status(body(1)) == 200
        capture.rename(moved)
        capture.mkdir()
        listener.send_signal(signal.SIGHUP)
        listener.wait_stderr("still writing to the old file")
        assert listener.status(body(2)) == 200
        capture.rmdir()
        listener.wait_stderr("reopened")
        assert listener.status(body(3)) == 200
        result = listener.stop().expect(0)
    assert result.err.count("still writing") == 1 and lost(result) == 0, result
    assert (ids(moved.read_text()), ids(capture.read_text())) == ([1, 2], [3])


def test_what_a_last_hangup_asked_for_is_done_at_the_end():
    """Whose client is gone is drained at once, and the loop ends while its record is synced."""
    folder = new_folder()
    capture, moved, trigger = folder / "capture.ndjson", folder / "moved.ndjson", folder / "now"
    env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "stuck", "FAIL_PATH": capture, "FAIL_WHEN": trigger}
    with Listener("--capture", capture, env=env) as listener:
        trigger.touch()
        with listener.connect() as client:
            client.sendall(request(body(1)))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            wait_until(lambda: capture.stat().st_size > 0)
        capture.rename(moved)
        listener.send_signal(signal.SIGHUP)
        listener.send_signal(signal.SIGTERM)
        wait_until(lambda: not listener.is_listening())
        trigger.unlink()
        listener.wait().expect(0)
    assert (ids(moved.read_text()), capture.read_text()) == ([1], "")


if __name__ == "__main__":
    run()
