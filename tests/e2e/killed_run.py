"""A run of deliveries that is killed at a random moment and resumed: what test and long run share."""

import random
import signal
import subprocess
import threading
import time
from collections import Counter

from captures import content_id, numbers, record, write_capture
from support import DEADLINE, FaultServer, answer, credhook, launch, new_folder, step
from support import records as lines_of


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
        command = ["replay", *[capture] * loops, "--to", server.url, "--concurrency", concurrency, *options]
        stop_at = random.randrange(records * loops)
        process = launch(*command, "--results", results, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.wait_requests(stop_at, DEADLINE)
        time.sleep(random.random() * 0.003)
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = credhook(*command, "--resume", results)
        arrived = numbers(server)
    lines = lines_of(results)
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
    """A capture that is written and rotated: c.ndjson, c.ndjson.1 and so on, the oldest last. Some records come again."""

    def __init__(self, folder):
        self.path, self.rotated, self.written, self.lock = folder / "c.ndjson", 0, Counter(), threading.Lock()

    def write(self, count):
        with self.lock, open(self.path, "ab") as file:
            for _ in range(count):
                number = random.randrange(1, len(self.written) + 2)
                number = len(self.written) + 1 if random.random() < 0.8 else number
                self.written[number] += 1
                file.write(record(number))

    def rotate(self):
        with self.lock:
            if self.path.stat().st_size == 0:
                return
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


def _keep_writing(capture, over, rotates):
    while not over.wait(random.random() * 0.05):
        capture.write(10)
        if rotates and random.random() < 0.4:
            capture.rotate()


def kill_while_rotating(seed, kills, concurrency=4):
    """A run that is killed and resumed several times while its inputs are written, and rotated: meanwhile, or between the
    runs, which then get them in any order. Fails where a record is sent more often than it was written, or neither sent
    nor reported as unknown."""
    random.seed(seed)
    folder, over, rotates = new_folder(), threading.Event(), seed % 2 == 0
    results, capture = folder / "results.ndjson", Rotated(folder)
    capture.write(40)
    writer = threading.Thread(target=_keep_writing, args=(capture, over, rotates))
    with FaultServer(step(_answer_late)) as server:
        def arguments():
            names = capture.names()
            if not rotates:
                random.shuffle(names)
            return ["replay", *names, "--to", server.url, "--concurrency", concurrency, "--results", results, "--resume", results]

        writer.start()
        for _ in range(kills):
            process = launch(*arguments(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.random() * 0.15)
            process.send_signal(signal.SIGKILL)
            process.wait()
            if not rotates:
                capture.rotate()
        over.set()
        writer.join()
        last = credhook(*arguments())
        arrived = Counter(numbers(server))
    lines = lines_of(results)
    unknown = [line for line in lines if line["outcome"] == "unknown"]
    assert last.code == (1 if unknown else 0), f"seed {seed}: {last}"
    assert not arrived - capture.written, f"seed {seed}: sent too often: {arrived - capture.written}: {last}"
    missing = (capture.written - arrived).total()
    assert missing <= len(unknown) <= kills * most_cut(concurrency), f"seed {seed}: {missing}: {last}"
    finals = Counter(line["id"] for line in lines if line["final"])
    assert finals == Counter({content_id(record(number).rstrip()): times for number, times in capture.written.items()}), last
    assert len({line["number"] for line in lines}) == len(lines), f"seed {seed}: {last}"
    return len(unknown)
