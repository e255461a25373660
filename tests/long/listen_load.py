"""See load.sh."""

import atexit
import json
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support import binary, certificate, credhook, environment, new_folder  # pylint: disable=wrong-import-position

# Valid and invalid notifications, and what is no acceptable request: the connection is closed then, which wrk counts.
MIXED = """
local requests, counter, at = {}, 0, 0
local function post(body, head)
  return "POST /hook HTTP/1.1\\r\\nHost: h\\r\\n" .. (head or "") .. "Content-Length: " .. #body .. "\\r\\n\\r\\n" .. body
end
function init(args)
  for line in io.lines(args[1]) do
    requests[#requests + 1] = post(line, "Content-Type: application/json\\r\\n")
  end
  requests[#requests + 1] = post("{")
  requests[#requests + 1] = post('{"a":"\\\\ud800"}', "Content-Type: text/plain\\r\\nAuthorization: Bearer secret\\r\\n")
  requests[#requests + 1] = "POST /hook HTTP/1.1\\r\\nHost: h\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n2\\r\\n{}\\r\\n0\\r\\n\\r\\n"
  requests[#requests + 1] = "GET /hook HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"
  requests[#requests + 1] = "PUT /hook HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 0\\r\\n\\r\\n"
  requests[#requests + 1] = "POST /else HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 0\\r\\n\\r\\n"
  requests[#requests + 1] = post(string.rep("x", 20000))
  requests[#requests + 1] = post("{}", "Bad : field\\r\\n")
end
function request()
  counter = counter + 1
  if counter % 3 == 0 then
    return post('{"id":' .. counter .. '}')
  end
  at = at % #requests + 1
  return requests[at]
end
"""
ANSWERS = ["--rule", "event=bureau-alert,status=503", "--rule", "event=user-created,delay=1ms..5ms",
           "--rule", "valid=no,fault=truncate,times=50", "--rule", "event=monitored-element-added,fault=drip,times=5",
           "--rule", "fault=hang,times=5", "--fault", "reset:0.5%", "--fault", "500:2%"]


class Running:
    """A listener whose lines go to a file, as those of a thousand requests a second have to."""

    def __init__(self, folder, name, *args):
        self.capture, self.told, self._ready = folder / f"{name}.ndjson", folder / f"{name}.err", folder / f"{name}.url"
        with open(self.told, "wb") as errors:
            self.process = subprocess.Popen([binary(), "listen", "0", "--capture", self.capture, "--ready-file", self._ready,
                                             *map(str, args)], stdout=subprocess.DEVNULL, stderr=errors, env=environment())
        atexit.register(self.process.kill)  # where an assertion ends all
        while not self._ready.exists():
            assert self.process.poll() is None, self.told.read_text()
            time.sleep(0.01)
        self.url = self._ready.read_text().strip()

    def resident(self):
        """KiB now, and at the most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return [int(re.search(rf"{name}:\s+(\d+)", status).group(1)) for name in ("VmRSS", "VmHWM")]

    def last_seq(self):
        with open(self.capture, "rb") as file:
            file.seek(max(0, self.capture.stat().st_size - 65536))
            whole = file.read().rpartition(b"\n")[0].rpartition(b"\n")[2]
        return json.loads(whole)["seq"] if whole else 0

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(60)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end: {self.told.read_text(errors='replace')[-5000:]}") from None
        said = self.told.read_text(errors="replace")
        assert code == 0 and "Sanitizer" not in said and "runtime error" not in said, f"exit {code}: {said[-5000:]}"
        return re.search(r"^\d+ received: .*$", said, re.MULTILINE).group(0)


def wrk(url, seconds, connections, script, *args):
    subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script, url, "--", *args],
                   stdout=subprocess.DEVNULL, check=True)


def ab(folder, url, seconds):
    """Kept-alive TLS of another kind than wrk's."""
    (folder / "body").write_text('{"ab":1}')
    subprocess.run(["ab", "-q", "-r", "-k", "-t", str(seconds), "-n", "100000000", "-c", "8", "-p", folder / "body", "-T",
                    "application/json", f"{url}/hook"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def seqs(paths):
    return [json.loads(line)["seq"] for path in paths for line in path.read_bytes().splitlines()]


def sanitized(seconds):
    folder = new_folder()
    (folder / "valid").write_bytes(credhook("build", "all", "--seed", "1").expect(0).out_bytes)
    (folder / "mixed.lua").write_text(MIXED)
    own = certificate(folder, "server")
    plain = Running(folder, "plain", "--path", "/hook", "--max-body", "10K", "--validate", "reject", *ANSWERS)
    secure = Running(folder, "secure", "--tls-cert", own.cert, "--tls-key", own.key, "-v", "--delay", "0..3ms")
    passing = Running(folder, "passing", "--forward-to", plain.url)
    everyone = plain, secure, passing
    moved = {one: [] for one in everyone}
    load = [threading.Thread(target=wrk, args=(one.url, seconds, 16, folder / "mixed.lua", folder / "valid"))
            for one in everyone]
    load.append(threading.Thread(target=ab, args=(folder, secure.url, seconds)))
    for thread in load:
        thread.start()
    while running := [thread for thread in load if thread.is_alive()]:
        running[0].join(0.3)
        for one in everyone:
            if one.capture.exists():
                moved[one].append(one.capture.with_suffix(f".{len(moved[one])}"))
                one.capture.rename(moved[one][-1])
            one.process.send_signal(signal.SIGHUP)
    for name, one in ("plain", plain), ("TLS", secure), ("passing on", passing):
        print(f"{name}: {one.stop()}", flush=True)
        found = seqs([*moved[one], one.capture])
        assert len(found) > 1000 and found == list(range(found[0], found[0] + len(found))), (name, found[:3], len(found))
        assert found[0] == 1, found[0]


UNLIKE = """
local counter = 0
function request()
  counter = counter + 1
  local body = '{"run":"' .. wrk.path .. '","number":' .. counter .. ',"text":"' .. string.rep("x", counter % 300) .. '"}'
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end
"""


def flat(requests):
    folder = new_folder()
    (folder / "unlike.lua").write_text(UNLIKE)
    listener = Running(folder, "flat")
    sizes, run, last = {}, 0, 0
    for most in (requests // 10, requests):
        while last < most:
            run += 1
            wrk(f"{listener.url}/{run}", 2, 64, folder / "unlike.lua")
            last = listener.last_seq()
            if listener.capture.stat().st_size > 50 << 20:
                listener.capture.replace(folder / "moved")
                listener.process.send_signal(signal.SIGHUP)
        sizes[most] = (last, *listener.resident())
        print("after {} notifications: {} KiB resident, {} KiB at the most".format(*sizes[most]), flush=True)
    (_, before, before_most), (_, after, after_most) = sizes.values()
    assert after <= before + 1024 and after_most <= before_most + 1024, sizes
    print(listener.stop())


if __name__ == "__main__":
    {"sanitized": sanitized, "flat": flat}[sys.argv[1]](int(sys.argv[2]))
