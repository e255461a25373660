"""See listen.sh."""

import os
import re
import resource
import selectors
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support import Listener, Nginx, binary, credhook, environment  # pylint: disable=wrong-import-position

CONNECTIONS, IDLE, DRIPPING = 64, 10000, 1000
ROUNDS = 3
SECONDS = int(sys.argv[1])
FOLDER = Path(os.environ.get("BENCH_FOLDER", "/tmp"), f"credhook-bench.{os.getpid()}")
NODE = """
const http = require('http'), fs = require('fs'), file = fs.createWriteStream(process.argv[1], { flags: 'a' });
http.createServer((request, response) => {
  let body = '';
  request.on('data', piece => { body += piece; });
  request.on('end', () => {
    JSON.parse(body);
    file.write(JSON.stringify({ at: new Date().toISOString(), headers: request.rawHeaders, body }) + '\\n');
    response.statusCode = 204;
    response.end();
  });
}).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
"""
failed = []


def figure(name, value, least, unit=""):
    good = value >= least
    print(f"{'ok  ' if good else 'LOW '} {name}: {value:.2f}{unit} (at least {least:.2f})", flush=True)
    if not good:
        failed.append(name)


def wrk(url):
    """Answers a second."""
    done = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", FOLDER / "post.lua", url],
                          capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        failed.append(f"errors at {url}")
        print(done.stdout)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))


def listening(*args):
    """wrk's rate at a listener whose lines go to /dev/null."""
    ready = FOLDER / "url"
    ready.unlink(missing_ok=True)
    with subprocess.Popen([binary(), "listen", "0", "--ready-file", ready, *args], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=environment()) as process:
        while not ready.exists():
            time.sleep(0.01)
        rate = wrk(ready.read_text().strip())
        process.terminate()
    return rate


def node_rate():
    with subprocess.Popen(["node", "-e", NODE, FOLDER / "node.ndjson"], stdout=subprocess.PIPE, text=True) as process:
        rate = wrk(f"http://127.0.0.1:{int(process.stdout.readline())}/")
        process.kill()
    return rate


def sync_time():
    """Seconds that one fdatasync of 64 records takes, the mean."""
    batch, times = b"x" * (CONNECTIONS * 800), []
    fd = os.open(FOLDER / "sync", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for _ in range(200):
        os.write(fd, batch)
        began = time.perf_counter()
        os.fdatasync(fd)
        times.append(time.perf_counter() - began)
    os.close(fd)
    return sum(times) / len(times)


def throughput():
    """Each figure is that of the best of some rounds, each of which compares what ran right after one another: whatever
    else the machine does meanwhile only ever makes a round worse."""
    best = {}
    for number in range(ROUNDS):
        with Nginx() as server:
            nginx = wrk(server.url + "/")
        none = listening("--capture", str(FOLDER / f"none{number}.ndjson"), "--sync", "none")
        node = node_rate()
        sync = sync_time()
        batch = listening("--capture", str(FOLDER / f"batch{number}.ndjson"))
        sync = (sync + sync_time()) / 2
        print(f"one fdatasync {sync * 1000:.2f} ms; answers a second: nginx {nginx:.0f}, listen {batch:.0f}, --sync none "
              f"{none:.0f}, Node.js {node:.0f}", flush=True)
        # A disk between the two is held to what nginx does: no server answers more than it can.
        by_nginx = sync < 0.0003 or 0.8 * CONNECTIONS / sync > 0.5 * nginx
        batch_share = batch / nginx / 0.5 if by_nginx else batch * sync / CONNECTIONS / 0.8
        for name, value in (("batch", batch_share), ("none", none / nginx), ("node", none / node)):
            best[name] = max(best.get(name, 0), value)
    figure("--sync batch, of what is asked (half of nginx, or 0.8 of 64 per sync)", best["batch"], 1)
    figure("--sync none, of nginx", best["none"], 0.65)
    figure("--sync none, of Node.js without sync", best["node"], 2)


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
