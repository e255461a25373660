"""See listen.sh."""

import os
import re
import resource
import selectors
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support import Listener, Nginx, binary, credhook, environment, free_port  # pylint: disable=wrong-import-position

IDLE, DRIPPING = 10000, 1000
ROUNDS = 3
SECONDS = int(sys.argv[1])
FOLDER = Path(os.environ.get("BENCH_FOLDER", "/tmp"), f"credhook-bench.{os.getpid()}")
failed = []


def figure(name, value, least, unit=""):
    good = value >= least
    print(f"{'ok  ' if good else 'LOW '} {name}: {value:.2f}{unit} (at least {least:.2f})", flush=True)
    if not good:
        failed.append(name)


def wrk(url, connections):
    """Answers a second."""
    done = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "-s", FOLDER / "post.lua", url],
                          capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        failed.append(f"errors at {url}")
        print(done.stdout)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))


def listening(connections, *args):
    """wrk's rate at a listener whose lines go to /dev/null."""
    ready = FOLDER / "url"
    ready.unlink(missing_ok=True)
    with subprocess.Popen([binary(), "listen", "0", "--ready-file", ready, *args], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=environment()) as process:
        while not ready.exists():
            time.sleep(0.01)
        rate = wrk(ready.read_text().strip(), connections)
        process.terminate()
    return rate


def is_open(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def redis():
    """The port of a server that answers when what it took is on disk."""
    port, folder = free_port(), FOLDER / "redis"
    folder.mkdir(exist_ok=True)
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes",
               "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0", "--save", ""]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while not is_open(port):
            assert process.poll() is None, "redis-server did not start"
            time.sleep(0.01)
        yield port
        process.terminate()
    subprocess.run(["rm", "-rf", folder], check=True)


def redis_rate(connections):
    """Values that are stored a second: a first round says how many are stored in the time."""
    with redis() as port:
        count = 20000
        for _ in range(2):
            done = subprocess.run(["redis-benchmark", "-h", "127.0.0.1", "-p", str(port), "-t", "set", "-d", "350", "-c",
                                   str(connections), "-n", str(count), "--csv"], capture_output=True, text=True, check=True)
            rate = float(re.search(r'"SET","([\d.]+)"', done.stdout).group(1))
            count = int(rate * SECONDS)
    return rate


def throughput():
    """Each figure is that of the best of some rounds, each of which compares what ran right after one another: whatever
    else the machine does meanwhile only ever makes a round worse."""
    best = {}
    for number in range(ROUNDS):
        with Nginx() as server:
            nginx = wrk(server.url + "/", 64)
        none = listening(64)
        rows = {"none": none / nginx}
        print(f"answers a second: nginx {nginx:.0f}, listen {none:.0f}", flush=True)
        for connections in 64, 256:
            stored = redis_rate(connections)
            kept = listening(connections, "--capture", str(FOLDER / f"{connections}-{number}.ndjson"), "--validate", "report")
            rows[connections] = kept / stored
            print(f"on disk a second, {connections} connections: Redis {stored:.0f}, listen {kept:.0f}", flush=True)
        best = {name: max(best.get(name, 0), value) for name, value in rows.items()}
    for connections in 64, 256:
        figure(f"--capture, {connections} connections, of Redis with appendfsync always", best[connections], 0.8)
    figure("without --capture, of nginx", best["none"], 0.65)


def percentile(listener, count=2000):
    """The 99th of the seconds that answers take, one request after the other."""
    body = (FOLDER / "body").read_bytes()
    request = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    times = []
    with socket.create_connection((listener.host, listener.port)) as sock:
        for _ in range(count):
            began = time.perf_counter()
            sock.sendall(request)
            assert sock.recv(4096).startswith(b"HTTP/1.1 200")
            times.append(time.perf_counter() - began)
    return sorted(times)[count * 99 // 100]


def resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def be_a_crowd(port):
    """In a process of its own: connections that idle and connections that drip, each a byte a second, until each of
    the latter was told 408 and closed; then says how many were."""
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(IDLE)]
    dripping = [socket.create_connection(("127.0.0.1", port)) for _ in range(DRIPPING)]
    for sock in dripping:
        sock.sendall(b"POST / HTTP/1.1\r\nHost: h\r\nA: ")
    print("ready", flush=True)
    end, at = time.monotonic() + 4, 0
    while time.monotonic() < end:
        for sock in dripping[at:at + DRIPPING // 100]:
            sock.send(b"x")
        at = (at + DRIPPING // 100) % DRIPPING
        time.sleep(0.01)
    with selectors.DefaultSelector() as selector:
        for sock in dripping:
            selector.register(sock, selectors.EVENT_READ)
        gone, end = 0, time.monotonic() + 10
        while gone < DRIPPING and time.monotonic() < end:
            for key, _ in selector.select(1):
                gone += key.fileobj.recv(1000).startswith(b"HTTP/1.1 408")
                selector.unregister(key.fileobj)
    print(gone, len(idle), flush=True)


def crowd():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < IDLE + DRIPPING + 100:
        print(f"skipped: {IDLE} connections, since only {hard} files may be open")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20000), hard))
    with Listener("-q") as listener:
        quiet = min(percentile(listener) for _ in range(3))
        command = [sys.executable, __file__, "0", str(listener.port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as others:
            others.stdout.readline()
            busy = min(percentile(listener) for _ in range(5))
            memory = resident(listener.pid)
            gone = int(others.stdout.readline().split()[0])
    print(f"{IDLE} idle and {DRIPPING} dripping: 99th percentile {busy * 1e6:.0f} us (alone {quiet * 1e6:.0f} us), "
          f"{memory >> 20} MiB, {gone} drippers gone after the deadline")
    figure("99th percentile, alone to crowded", quiet / busy, 0.1)
    figure("256 MiB to memory", (256 << 20) / memory, 1)
    figure("drippers gone", gone / DRIPPING, 1)


def main():
    FOLDER.mkdir()
    body = credhook("build", "user-created", "--seed", 1).expect(0).out.strip()
    body = body[:-1] + " " * (400 - len(body)) + body[-1]
    (FOLDER / "body").write_text(body)
    (FOLDER / "post.lua").write_text(f'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
                                     f"wrk.body = [==[{body}]==]\n")
    try:
        throughput()
        crowd()
    finally:
        subprocess.run(["rm", "-rf", FOLDER], check=False)
    if failed:
        sys.exit(f"below the figure: {', '.join(failed)}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        be_a_crowd(int(sys.argv[2]))
    else:
        main()
