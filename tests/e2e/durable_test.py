"""What is promised to be on disk is there before the power goes: a model of the disk that reads the system calls of
whatever promises it."""
# rooms: base capture deliver

import os
import re
import signal
from pathlib import Path

from captures import record, write_capture
from support import FaultServer, Listener, answer, credhook, new_folder, run
from tracing import completed, traced

CALLS = "?open,openat,write,pwrite64,ftruncate,fallocate,fsync,fdatasync,?rename,?renameat,?renameat2,?unlink,?unlinkat"


class Disk:
    """Files with bytes, and folders with names, that a power cut would take."""

    def __init__(self, folder):
        self.folder, self.files, self.folders, self.steps = folder, set(), set(), []

    def _is_ours(self, path):
        return path is not None and self.folder in [path, *path.parents]

    def take(self, call, arguments):
        """One call that succeeded. What gets a name is on disk before, as is a copy before the original is cut."""
        on = re.match(r"\d+<([^>]*)>", arguments)
        path = Path(on[1]) if on else None
        names = [Path(name) for name in re.findall(r'"([^"]*)"', arguments)] if not on else []
        if call in ("open", "openat") and "O_CREAT" in arguments and self._is_ours(names[0]):
            self.folders.add(names[0].parent)
        elif call.startswith("rename") and self._is_ours(names[1]):
            assert names[0] not in self.files, f"'{names[1]}' is not on disk when it gets its name: {self.steps}"
            self.folders.add(names[1].parent)
        elif call.startswith("unlink"):
            self.files.discard(names[0])
        elif not self._is_ours(path):
            return
        elif call in ("fsync", "fdatasync"):
            self.files.discard(path)
            self.folders.discard(path)
        else:
            if call == "ftruncate" and not arguments.endswith(", 0"):
                assert not self.files | self.folders, f"'{path}' is cut before {self.files | self.folders} is on disk"
            self.files.add(path)
        self.steps.append(f"{call} {path.name if path else [name.name for name in names]}")

    def read(self, trace):
        for call, arguments, _, _, result in completed(trace):
            if result >= 0:
                self.take(call, arguments)
        assert self.steps, trace.read_text()
        assert not self.files | self.folders, f"a power cut takes {self.files | self.folders}: {self.steps}"


def played(folder, command):
    with traced(CALLS) as trace:
        command()
    Disk(folder).read(trace)


def test_a_capture():
    """A new one, one that is opened again for logrotate, and one that is continued."""
    folder = new_folder()
    capture = folder / "capture"

    def listen():
        with Listener("--capture", capture) as listener:
            assert listener.status() == 200
            capture.rename(folder / "capture.1")
            listener.send_signal(signal.SIGHUP)
            listener.wait_stderr("reopened")
            assert listener.status() == 200
            listener.stop().expect(0)

    played(folder, listen)
    played(folder, lambda: credhook("listen", "0", "--capture", capture, "--limit", "1", "--timeout", "1ms").expect(1))


def test_a_torn_tail():
    """It is cut off when its copy, and the name of that, are on disk."""
    for torn in b'{"v":1,"seq":3,"rece', b'\0' * 5000:
        folder = new_folder()
        capture = write_capture(2, folder=folder)
        with open(capture, "ab") as file:
            file.write(torn)
        played(folder, lambda path=capture: credhook("listen", "0", "--capture", path, "--timeout", "1ms").expect(0))
        [copy] = folder.glob("*.torn-*")
        assert copy.read_bytes() == torn and capture.read_bytes() == record(1) + record(2)


def test_what_convert_writes():
    """A new file, and one that is replaced: with the old one gone, the new one is there."""
    for name in "x.ndjson", "x.har.gz", "x.html":
        folder = new_folder()
        capture, more = write_capture(3, folder=folder), write_capture(4)
        for source in capture, more:
            played(folder, lambda path=source, to=folder / name: credhook("convert", path, "-o", to, "--force").expect(0))


def test_what_is_replaced():
    folder = new_folder()
    for name, args in (("fixture.json", ["build", "bureau-alert", "--force"]), ("schema.json", ["schema", "--force"])):
        (folder / name).write_text("mine\n")
        played(folder, lambda path=folder / name, words=args: credhook(*words, "-o", path).expect(0))


def test_results():
    """Of a run, and of one that is continued."""
    folder = new_folder()
    capture, results = write_capture(3, folder=folder), folder / "r"
    with FaultServer(answer(200)) as server:
        for option in "--results", "--resume":
            played(folder, lambda word=option: credhook("replay", capture, "--to", server.url, word, results).expect(0))
    assert os.listdir(folder) and results.read_bytes().count(b"\n") == 3


if __name__ == "__main__":
    run()
