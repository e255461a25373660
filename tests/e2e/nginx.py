"""nginx as a receiver: one that was not written together with credhook.

    with Nginx(record=True) as nginx:
        ... deliver to nginx.url ...
        (request,) = nginx.requests(1)
        assert request["body"] == b"{}"
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fault_server import DEADLINE

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from ports import free_port  # pylint: disable=wrong-import-position

# Single process, everything in its folder, so that it runs for anybody and leaves nothing behind. Bodies are only there
# to be logged where something reads them, hence the way over a second server.
CONFIG = """
daemon off;
master_process off;
pid nginx.pid;
error_log error.log warn;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
  client_max_body_size 64m;
  client_body_buffer_size 4m;
  client_body_in_single_buffer on;
  keepalive_requests 1000000;
  log_format record escape=json '{{"method":"$request_method","target":"$request_uri","protocol":"$server_protocol",'
    '"host":"$http_host","content_type":"$http_content_type","content_length":"$http_content_length",'
    '"user_agent":"$http_user_agent","connection":$connection,"nth":$connection_requests,"body":"$request_body"}}';
  server {{
    listen 127.0.0.1:{port}{ssl};
    {tls}
    {extra}
    location / {{ {action} }}
  }}
  {sink}
  {http}
}}
"""


class Nginx:
    """Answers every request with `status`. record: keeps the requests for requests(); without, bodies are dropped and
    it is as fast as nginx gets. certificate: an object with .cert and .key, for TLS; client_ca: the file of the CA
    whose clients alone it takes. extra: further lines of its `server` block; http: of the block around it."""

    def __init__(self, status=204, record=False, certificate=None, client_ca=None, extra="", http=""):
        self._folder = tempfile.TemporaryDirectory(prefix="credhook-nginx.")
        self.folder = Path(self._folder.name)
        self._process = None
        try:
            for _ in range(5):  # somebody else may take the port that was free
                self.port = free_port()
                if self._start(status, record, certificate, client_ca, extra, http):
                    break
            else:
                raise AssertionError(f"nginx does not start:\n{self.log()}")
        except BaseException:
            self.stop()
            raise
        self.host = "127.0.0.1"
        self.url = f"{'https' if certificate else 'http'}://{self.host}:{self.port}"

    def _configure(self, status, record, certificate, client_ca, extra, http):
        tls = ""
        if certificate:
            tls = f"ssl_certificate {certificate.cert}; ssl_certificate_key {certificate.key};"
        if client_ca:
            tls += f" ssl_client_certificate {client_ca}; ssl_verify_client on;"
        action, sink = f"return {status};", ""
        if record:
            action = "access_log record.log record; proxy_pass http://unix:sink.sock:;"
            sink = f"server {{ listen unix:sink.sock; location / {{ return {status}; }} }}"
        text = CONFIG.format(port=self.port, ssl=" ssl" if certificate else "", tls=tls, extra=extra, action=action,
                             sink=sink, http=http)
        (self.folder / "nginx.conf").write_text(text)
        (self.folder / "temp").mkdir(exist_ok=True)
        (self.folder / "record.log").touch()

    def _start(self, status, record, certificate, client_ca, extra, http):
        """False: the port was taken meanwhile."""
        self._configure(status, record, certificate, client_ca, extra, http)
        program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if not program:
            raise AssertionError("nginx is not installed")
        command = [program, "-p", f"{self.folder}/", "-c", "nginx.conf", "-e", "error.log"]
        with open(self.folder / "output.log", "ab") as output:
            self._process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output,
                                             stderr=output)
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            if self._process.poll() is not None:
                if "Address already in use" in self.log():
                    return False
                raise AssertionError(f"nginx ended with {self._process.returncode}:\n{self.log()}")
            # The pid is written once the ports are bound: whoever accepts is this one and no other.
            pid = self.folder / "nginx.pid"
            if pid.exists() and pid.read_text().strip() and self._accepts():
                return True
            time.sleep(0.005)
        raise AssertionError(f"nginx does not accept after {DEADLINE} s:\n{self.log()}")

    def _accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def log(self):
        """What nginx complained about."""
        paths = [self.folder / name for name in ("output.log", "error.log")]
        return "".join(path.read_text(errors="replace") for path in paths if path.exists())

    def requests(self, count=0, timeout=DEADLINE):
        """The recorded requests, once there are at least `count`: dicts of the names in CONFIG, body as bytes. nginx
        logs a request after it was answered, so say how many there must be."""
        end = time.monotonic() + timeout
        while True:
            text = (self.folder / "record.log").read_text(encoding="utf-8", errors="surrogateescape")
            lines = text[: text.rfind("\n") + 1].split("\n")[:-1]
            if len(lines) >= count:
                break
            if time.monotonic() > end:
                raise AssertionError(f"{len(lines)} of {count} requests after {timeout} s")
            time.sleep(0.005)
        found = []
        for line in lines:
            request = json.loads(line)
            request["body"] = request["body"].encode("utf-8", "surrogateescape")
            found.append(request)
        return found

    def stop(self):
        if self._process and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
