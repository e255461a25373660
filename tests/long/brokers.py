"""What brokers.sh runs: see there."""

import base64
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from contextlib import contextmanager

from captures import record
from manual_examples import BROKERS, examples
from support import SOURCE, FaultServer, Skip, binary, credhook, environment, free_port, new_folder, records, run

RECORDS = 3000
LIMIT = 120  # seconds for what a broker, a sender or the workers do
ODD = ["plain", "it's \"quoted\" \\ \\u0041", "\u007f\u0085\u2028", "Zoë 信用 😀", "\ttab"]


def body_of(number):
    """Bodies that a shell, jq or a broker's command line could change; some have no key."""
    details = {} if number % 50 == 0 else {"clientKey": f"{ODD[number % 5]} {number % 37}"}
    return json.dumps({"n": number, "details": {**details, "text": ODD[number % 4]}}, ensure_ascii=number % 2 == 0)


def example(start):
    """The command of the manual page that begins so."""
    (line,) = {line for page, line in examples() if page == BROKERS and line.startswith(start)}
    return line


def worker_lines(script, folder, parts):
    """What the page runs, for each of the parts."""
    shell, _, _, *more = example(f"TO=sandbox {script}").split()[1:]
    return [[shell, folder / script.split()[1], str(part), *more] for part in parts]


def number_of(line):
    """That of the record in a line of the capture."""
    return json.loads(line)["seq"]


def make_capture(path):
    with open(path, "wb") as file:
        for number in range(1, RECORDS + 1):
            line = json.loads(record(number, body=body_of(number)))
            if number % 40 == 0:
                line["body_base64"] = base64.b64encode(line.pop("body").encode()).decode()
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


class Receiver(FaultServer):
    """Takes its time, and holds the response to one record back until released. Each worker sends to a path of its own."""

    def __init__(self, held):
        self.held, self.holds = held, threading.Event()
        super().__init__(self._respond)

    def _respond(self, connection):
        if (request := connection.read_request()) is None:
            return False
        if json.loads(request.body)["n"] == self.held and not self.holds.is_set():
            self.holder = request.target[1:]
            self.holds.set()
            self.released.wait(LIMIT)
        time.sleep(random.random() * 0.002)
        connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
        return True


class Worker:
    """SHELL SCRIPT PART..., in a folder of its own, as on a machine of its own."""

    def __init__(self, line, server, env):
        self.line, self.folder, self.name = line, new_folder(), line[2]
        self.found = []
        self.env = {**env, "TO": f"{server.url}/{self.name}"}
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.line, cwd=self.folder, env=self.env, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)

    def kill(self):
        """With all that it has started, as when its machine runs out of memory."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def unknown(self):
        """(file of results, line in it) of each record whose outcome is unknown, which the page's command finds too."""
        self.found = [(path, line) for path in sorted(self.folder.glob("*.results")) for line in records(path)
                      if line["outcome"] == "unknown"]
        listed = subprocess.run(["bash", "-c", example("jq -c")], cwd=self.folder, stdout=subprocess.PIPE, check=True).stdout
        assert [json.loads(line) for line in listed.splitlines()] == [line for _, line in self.found]
        return self.found


def missing_of(server):
    """None twice, each as it was captured, those of a key in their order. Returns the numbers that are missing."""
    arrived = [json.loads(request.body)["n"] for request in server.requests]
    assert not [number for number, times in Counter(arrived).items() if times > 1]
    assert all(request.body == body_of(number).encode() for request, number in zip(server.requests, arrived))
    last = {}
    for number in arrived:
        key = json.loads(body_of(number))["details"].get("clientKey")
        assert key is None or last.get(key, 0) < number, f"{key}: {number} after {last[key]}"
        last[key] = number
    return sorted(set(range(1, RECORDS + 1)) - set(arrived))


def kill_two_and_go_on(workers, server):
    """One with a delivery in flight that has arrived, another whenever it is."""
    assert server.holds.wait(LIMIT), "the workers have not sent what is held"
    (first,) = [worker for worker in workers if worker.name == server.holder]
    second = random.choice([worker for worker in workers if worker is not first])
    first.kill()
    second.kill()
    server.release()
    first.start()
    second.start()
    for worker in workers:
        assert worker.process.wait(LIMIT) in (0, 1), worker.line


def play(lines, env, stored, seed):
    """Replays with a worker per line. stored(worker, results) is a file of the records that these results are of."""
    random.seed(seed)
    with Receiver(RECORDS // 3 + seed) as server:
        workers = [Worker(line, server, env) for line in lines]
        try:
            kill_two_and_go_on(workers, server)
            missing = missing_of(server)
            unknown = [(worker, *found) for worker in workers for found in worker.unknown()]
            assert len(missing) <= len(unknown) - 1 and len(unknown) <= 2, (missing, unknown)
            for worker, path, line in unknown:
                records = stored(worker, path)
                number = number_of(records.read_bytes().split(b"\n")[line["record"] - 1])
                if number in missing:  # the receiver knows
                    credhook("replay", records, "--record", line["record"], "--to", server.url).expect(0)
            arrived = sorted(json.loads(request.body)["n"] for request in server.requests)
            assert arrived == list(range(1, RECORDS + 1))
            print(f"  {len(lines)} workers, {len(unknown)} deliveries in flight at a kill, {len(missing)} had not arrived")
            return workers
        finally:
            for worker in workers:
                worker.kill()


def lose_the_broker(process, line, env):
    """A worker whose broker ends does not pass for one that has sent everything."""
    with Receiver(RECORDS // 3) as server:
        worker = Worker(line, server, env)
        try:
            assert server.holds.wait(LIMIT)
            process.kill()
            server.release()
            assert worker.process.wait(LIMIT) != 0
        finally:
            worker.kill()


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")


def prepared(**more):
    """(a folder with the capture, the scripts and credhook; the environment)"""
    folder = new_folder()
    make_capture(folder / "capture.ndjson")
    shutil.copytree(SOURCE / "samples" / "brokers", folder, dirs_exist_ok=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "credhook").symlink_to(binary())
    return folder, environment({"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **more})


@contextmanager
def broker(*command, port, stdin=subprocess.DEVNULL, **more):
    process = subprocess.Popen(list(map(str, command)), stdin=stdin, stdout=subprocess.DEVNULL, **more)
    try:
        while port:
            assert process.poll() is None, f"{command[0]} has ended"
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def do(line, folder, env):
    subprocess.run(["bash", "-c", line], cwd=folder, env=env, stdin=subprocess.DEVNULL, check=True, timeout=LIMIT)


def test_redis():
    needs("redis-server", "redis-cli", "jq")
    port = free_port()
    folder, env = prepared(REDIS=f"redis://127.0.0.1:{port}")
    command = ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", new_folder()]
    lines = worker_lines("sh redis-worker.sh", folder, range(1, 5))
    for seed in (1, 2):
        with broker(*command, port=port):
            do(example("sh redis-send.sh"), folder, env)
            play(lines, env, lambda worker, path: path.with_suffix(".ndjson"), seed)
    with broker(*command, port=port) as redis:
        do("sh redis-send.sh capture.ndjson 1", folder, env)
        lose_the_broker(redis, lines[0], env)


def test_nats():
    needs("nats-server", "node", "npm", "jq")
    port = free_port()
    folder, env = prepared(NATS_URL=f"127.0.0.1:{port}")
    try:
        do(example("npm install") + " --silent --no-audit --no-fund", folder, env)
    except subprocess.SubprocessError as error:
        raise Skip("npm cannot install the client of NATS") from error
    with broker("nats-server", "-a", "127.0.0.1", "-p", port, "-js", "-sd", new_folder(), port=port,
                stderr=subprocess.DEVNULL) as nats:
        do(example("node nats-lines.mjs put"), folder, env)
        for seed in (1, 2):
            play(worker_lines("bash nats-worker.sh", folder, range(1, 5)), env,
                 lambda worker, path: folder / "capture.ndjson", seed)
        lose_the_broker(nats, ["bash", folder / "nats-worker.sh", "1", "1"], env)


def kafka_address(process):
    """Where the broker in kcat's library listens, which it says in its log."""
    for line in process.stderr:
        if found := re.search(rb"bootstrap.servers=(127\.0\.0\.1:[0-9]+)", line):
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[1].decode()
    raise Skip("kcat's library has no broker for tests")


def test_kafka():
    needs("kcat", "jq")
    folder, env = prepared()
    for seed in (1, 2):
        with broker("kcat", "-P", "-b", "none", "-t", "none", "-X", "test.mock.num.brokers=1", "-d", "mock", port=None,
                    stdin=subprocess.PIPE, stderr=subprocess.PIPE) as kafka:
            env["KAFKA"] = kafka_address(kafka)
            do(example("bash kafka-send.sh"), folder, env)

            def partition(worker, path):
                file = new_folder() / "partition.ndjson"
                with open(file, "wb") as out:
                    subprocess.run(["kcat", "-C", "-q", "-b", env["KAFKA"], "-t", "capture", "-p", worker.name, "-o",
                                    "beginning", "-e"], stdout=out, check=True, timeout=LIMIT)
                return file

            workers = play(worker_lines("bash kafka-worker.sh", folder, range(4)), env, partition, seed)
            with FaultServer() as server:
                (folder / "config.json").write_text(json.dumps({"environments": {"sandbox": {"url": server.url}}}))
                do(example("kcat -C"), workers[0].folder, {**env, "CREDHOOK_CONFIG": str(folder / "config.json")})
                assert len(server.requests) == len(workers[0].found)


if __name__ == "__main__":
    run()
