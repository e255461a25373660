"""Spellings of a protected address and detours to it: those that some reader takes for it, whatever ours does.

A case is the arguments for `send` or `replay`. Each of them must end with 2, or go somewhere that is not protected:
`http://127.0.0.1/:8099/` is port 80.
"""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

from support import credhook, new_folder

HOSTS = [
    "127.0.0.1", "localhost", "LOCALHOST.", "x.localhost", "127.0.0.2", "127.255.255.9", "0.0.0.0", "127.1", "127.0.1",
    "0", "0x7f.1", "0x7f000001", "0X7F.0.0.1", "2130706433", "017700000001", "0177.0.0.1", "127.0.0.01", "127.0.0.1.",
    "[127.0.0.1]", "[127.1]", "[0.0.0.0]", "[0]", "[localhost]", "[::1]", "[::1]x", "[::1", "[0:0:0:0:0:0:0:1]", "[::]",
    "[::0001]", "[::1%lo]", "[::1%25lo]", "[::ffff:7f00:1]", "[::ffff:127.0.0.1]", "[::ffff:0:0]", "%31%32%37.0.0.1",
    "127.0.0.1%00", "127.0.0.1%2e", " 127.0.0.1", "127.0.0.1 ", "\t127.0.0.1", "127.0.0.1/", "127.0.0.1#", "127.0.0.1?",
    "x@127.0.0.1", "x@y@127.0.0.1", "127.0.0.1\\", "127.0.0.1\u00ad", "\uff11\uff12\uff17.0.0.1",
    "127\u30020\u30020\u30021",
]
PORTS = ["{}", "+{}", " {}", "\t{}", "0{}", "{} ", "{}x", "{}.", "{}/", "{}#", "%3{}", "{};", "{}:", "-{}"]
FORMS = [
    lambda host, port, plain: ["--to", f"http://{host}:{port}/hook"],
    lambda host, port, plain: ["--to", f"HTTP://me:pw@{host}:{port}"],
    lambda host, port, plain: ["--to", f"{host}:{port}"],
    lambda host, port, plain: ["--to", "http://a.invalid", "--connect-to", f"::{host}:{port}"],
    lambda host, port, plain: ["--to", "http://a.invalid", "--connect-to", f"A.Invalid:80:{host}:{port}"],
    lambda host, port, plain: ["--to", f"http://a.invalid:{plain}", "--connect-to", f"::{host}:"],
    lambda host, port, plain: ["--to", "http://a.invalid", "-x", f"{host}:{port}"],
    lambda host, port, plain: ["--to", "http://a.invalid", "-x", f"http://{host}:{port}"],
    lambda host, port, plain: ["--to", "http://a.invalid", "-x", f"http:/{host}:{port}"],
    lambda host, port, plain: ["--to", "http://a.invalid", "-x", f"http:///{host}:{port}"],
    lambda host, port, plain: ["--to", "http://a.invalid", "-x", f"socks5://me:pw@{host}:{port}/"],
]


def spellings(port):
    """The port, as some reader takes it."""
    return [spelled.format(port) for spelled in PORTS] + [hex(port), str(port + 65536), str(port - 65536)]


def told(port):
    """What once got by."""
    hosts = ["[127.0.0.1]", "[127.1]", "[0.0.0.0]", "[0]", "[::1]x"]
    ports = [f"+{port}", f" {port}", f"\t{port}"]
    return ([["--to", "sandbox", "--connect-to", f"::127.0.0.1:{spelled}"] for spelled in ports]
            + [["--to", "sandbox", "--connect-to", f"::{host}:{port}"] for host in hosts]
            + [["--to", "sandbox", "-x", f"http:/127.0.0.1:{port}"],
               ["--to", f"http://127.0.0.2:{port}/"],
               ["--to", "sandbox", "-x", f"socks5h://localhost/run/{port}"]])


def table(port):
    """All hosts with all ports in all forms."""
    return told(port) + [form(host, spelled, port)
                         for form in FORMS for host in HOSTS for spelled in spellings(port)]


def sample(port):
    """All hosts and all ports, apart, in the forms that are read differently: each in every other of them, in turn."""
    forms = [FORMS[0], FORMS[3], FORMS[4], FORMS[6], FORMS[7], FORMS[8], FORMS[10]]
    some = [(form, at) for number, form in enumerate(forms) for at in range(max(len(HOSTS), len(spellings(port)))) if (number + at) % 2 == 0]
    return told(port) + [form(HOSTS[at], port, port) for form, at in some if at < len(HOSTS)] + [
        form("127.0.0.1", spellings(port)[at], port) for form, at in some if at < len(spellings(port))]


class Protected:
    """A port of all of this machine's addresses, and a configuration that protects it."""

    def __init__(self):
        dual = socket.has_dualstack_ipv6()
        self._socket = socket.create_server(("::" if dual else "", 0), dualstack_ipv6=dual,
                                            family=socket.AF_INET6 if dual else socket.AF_INET)
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]
        self.config = new_folder() / "config.json"
        self.config.write_text(json.dumps({"environments": {
            "sandbox": {"url": "http://sandbox.invalid/"}, "production": {"url": f"http://127.0.0.1:{self.port}/"}}}))

    def was_reached(self):
        try:
            self._socket.accept()[0].close()
            return True
        except BlockingIOError:
            return False

    def problem(self, case):
        """What is wrong with the case; None: nothing."""
        result = credhook("send", "user-created", "--config", self.config, "-m", "1s", *case)
        if self.was_reached():
            return f"reached: {result}"
        return None if result.code in (2, 4) else f"neither refused nor elsewhere: {result}"

    def close(self):
        self._socket.close()


def run_cases(cases_of, workers=2):
    """Runs the cases, which cases_of(port) makes, in as many places at once. Returns how many, and the problems."""
    def work(index):
        protected = Protected()
        cases = cases_of(protected.port)[index::workers]
        found = [problem for problem in map(protected.problem, cases) if problem]
        protected.close()
        return len(cases), found

    with ThreadPoolExecutor(workers) as pool:
        done = list(pool.map(work, range(workers)))
    return sum(count for count, _ in done), [problem for _, found in done for problem in found]
