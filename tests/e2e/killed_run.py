"""A run of deliveries that is killed at a random moment and resumed: what test and long run share."""

import random
import signal
import subprocess
import threading
import time
from collections import Counter

from captures import numbers, read_results, record, write_capture
from support import DEADLINE, FaultServer, answer, binary, credhook, environment, new_folder, step


def _answer_late(connection):
    time.sleep(random.random() * 0.004)
    connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
    return True


def most_cut(concurrency):
    """How many may be under way at most. From 16 on there are threads, and so those too that lie ready or have ended whose
    line is still to be written: the thread that writes them may get no processor while the others go on."""
    return concurrency if concurrency < 16 else concurrency + concurrency // 2 + 1


def kill_and_resume(seed, records=300, loops=1, concurrency=8, options=()):
    """Sends each of the records so many times, or with options as often as a whole run does. Fails where one of these
    times was sent again or skipped."""
    random.seed(seed)
    folder = new_folder()
    capture, results = write_capture(records, folder=folder), folder / "results.ndjson"
    wanted = Counter({number: loops for number in range(1, records + 1)})
    if options:
        with FaultServer(answer(204)) as server:
            credhook("replay", capture, "--to", server.url, *options).expect(0)
            wanted = Counter(numbers(server))
    with FaultServer(step(_answer_late)) as server:
        command = ["replay", capture, "--to", server.url, "--concurrency", concurrency,
                   "--loop", loops, *options]
        stop_at = random.randrange(records * loops)
        process = subprocess.Popen([binary(), *map(str, command), "--results", str(results)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        server.wait_requests(stop_at, DEADLINE)
        time.sleep(random.random() * 0.003)
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = credhook(*command, "--resume", results)
        arrived = numbers(server)
    lines = read_results(results)
    ended = Counter(line["record"] for line in lines if line["final"])
    cut = [line["record"] for line in lines if line["outcome"] == "unknown"]
    assert ended == wanted, f"seed {seed}: {result}"
    assert not Counter(arrived) - wanted, f"seed {seed}: sent too often: {Counter(arrived) - wanted}: {result}"
    skipped = wanted - Counter(arrived) - Counter(cut)
    assert not skipped, f"seed {seed}: skipped: {skipped}: {result}"
    assert len(cut) <= most_cut(concurrency), f"seed {seed}: more cut than were under way: {cut}"
    assert result.code == (1 if cut else 0), result
    return len(cut)


class Rotated:
    """A capture that is written and rotated: c.ndjson, c.ndjson.1 and so on, the oldest last."""

    def __init__(self, folder):
        self.path, self.rotated, self.written, self.lock = folder / "c.ndjson", 0, 0, threading.Lock()

    def write(self, count):
        with self.lock, open(self.path, "ab") as file:
            for _ in range(count):
                self.written += 1
                file.write(record(self.written))

    def rotate(self):
        with self.lock:
            for number in range(self.rotated, 0, -1):
                self._name(number).rename(self._name(number + 1))
            self.path.rename(self._name(1))
            self.path.touch()
            self.rotated += 1

    def _name(self, number):
        return self.path.with_name(f"c.ndjson.{number}")

    def names(self):
        """The oldest first."""
        with self.lock:
            return [*map(self._name, range(self.rotated, 0, -1)), self.path]


def _keep_rotating(capture, over):
    while not over.wait(random.random() * 0.05):
        capture.write(10)
        if random.random() < 0.4:
            capture.rotate()


def kill_while_rotating(seed, kills, concurrency=4):
    """A run that is killed and resumed several times while its inputs are written and rotated. Fails where a record is
    sent twice, or neither sent nor reported as unknown."""
    random.seed(seed)
    folder, over = new_folder(), threading.Event()
    results, capture = folder / "results.ndjson", Rotated(folder)
    capture.write(40)
    writer = threading.Thread(target=_keep_rotating, args=(capture, over))
    with FaultServer(step(_answer_late)) as server:
        def arguments():
            begun = results.exists() and (results.stat().st_size > 0 or results.with_name("results.ndjson.inflight").exists())
            return ["replay", *capture.names(), "--to", server.url, "--concurrency", concurrency,
                    "--resume" if begun else "--results", results]

        writer.start()
        for _ in range(kills):
            process = subprocess.Popen([binary(), *map(str, arguments())], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=environment())
            time.sleep(random.random() * 0.15)
            process.send_signal(signal.SIGKILL)
            process.wait()
        over.set()
        writer.join()
        last = credhook(*arguments())
        arrived = numbers(server)
    unknown = [line for line in read_results(results) if line["outcome"] == "unknown"]
    assert last.code == (1 if unknown else 0), f"seed {seed}: {last}"
    assert len(arrived) == len(set(arrived)), f"seed {seed}: sent twice: {last}"
    missing = set(range(1, capture.written + 1)) - set(arrived)
    assert len(missing) <= len(unknown) <= kills * most_cut(concurrency), f"seed {seed}: {missing}: {last}"
    places = [(line["hash"]) for line in read_results(results) if line["final"]]
    assert len(places) == len(set(places)) == capture.written, f"seed {seed}: {last}"
    return len(unknown)
