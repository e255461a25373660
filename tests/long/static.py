#!/usr/bin/python3
"""The static binary, made in a bare Debian and used where there is nothing else: see static.sh."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from getting import SOURCE, Base, Getting, Root, sh
from interactive import Interactive
from support import certificate

PLACES = ("etc/ssl/certs/ca-certificates.crt", "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "etc/ssl/cert.pem",
          "etc/ssl/ca-bundle.pem")
PROMPT = r"credhook\S*> "
# Scripts and cases that cannot be run with it as they are; single tests say so themselves.
NOT_HERE = {"cli/output-full": "musl writes stdout in pieces of 1 KiB, so that a full disk is noticed before the summary"}
# A listener at a free port, its URL in $url; the script goes on once it listens.
LISTEN = """listen() {
	rm -f url
	credhook listen 0 --ready-file url "$@" >listened 2>&1 &
	listener=$!
	until [ -s url ]; do kill -0 $listener; sleep 0.05; done
	url=$(cat url)
}
stop() { kill $listener; wait $listener || :; }
"""


class Static(unittest.TestCase):
    base = builder = None

    @classmethod
    def setUpClass(cls):
        cls.holder = cls("run")  # whose roots last as long as the class
        cls.builder = Root(cls.holder)
        cls.work = Path(tempfile.mkdtemp(dir=cls.base.debs.parent))
        cls.made = ([Path(os.environ["MADE"])] if "MADE" in os.environ else
                    [cls.make("/root/credhook"), cls.make("/srv/other/name")])
        sh("tar", "-C", cls.work, "-xzf", cls.made[0])
        cls.folder, = cls.work.glob("credhook-*")
        cls.binary = cls.folder / "bin/credhook"

    @classmethod
    def tearDownClass(cls):
        cls.holder.doCleanups()
        shutil.rmtree(cls.work)

    @classmethod
    def make(cls, place):
        """The tarball that is made of a checkout there."""
        cls.builder.put(Getting.checkout, place)
        began = time.monotonic()
        out = cls.builder.run("sh samples/ci/static.sh", cwd=place)
        print(f"made in {time.monotonic() - began:.0f} s", flush=True)
        return cls.builder.path / out.splitlines()[-1].lstrip("/")

    def bare(self):
        root = Root(self, empty=True)
        root.add_busybox(self.builder)
        shutil.copy(self.binary, root.path / "bin/credhook")
        (root.path / "tmp").chmod(0o1777)
        return root

    def place(self, root, file, name):
        (root.path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, root.path / name)

    # The file

    def test_the_same_twice(self):
        first, *others = (file.read_bytes() for file in self.made)
        self.assertTrue(all(other == first for other in others))

    def test_what_it_is(self):
        self.assertIn("static-pie linked", sh("file", self.binary))
        self.assertRegex(subprocess.run(["ldd", self.binary], capture_output=True, text=True, check=False).stdout,
                         "statically linked")
        said = sh("readelf", "-Wdl", self.binary)
        self.assertNotRegex(said, r"INTERP|\(NEEDED\)|TEXTREL")
        self.assertRegex(said, r"FLAGS_1.* NOW.* PIE")
        self.assertIn("GNU_RELRO", said)
        self.assertRegex(said, r"GNU_STACK +0x0+ 0x0+ 0x0+ 0x0+ 0x0*800000 RW ", "threads have 8 MiB, which nobody executes")
        self.assertGreater(sh("objdump", "-d", self.binary).count("%fs:0x28"), 1000, "guards of the stack")
        self.assertLess(self.binary.stat().st_size, 8_000_000)
        self.assertEqual(re.findall(r".*(?:/root/credhook|/srv/other|/tmp/tmp\.).*", sh("strings", self.binary)), [])

    def test_what_belongs_to_it(self):
        names = {path.name for path in self.folder.rglob("*") if path.is_file()}
        self.assertLessEqual({"README.md", "LICENSE", "credhook.1.gz", "_credhook", "credhook.fish", "output-listen.json"}, names)
        licences = {path.name for path in self.folder.glob("share/doc/credhook/licences/*")}
        self.assertEqual(licences, {"curl", "glibc", "json-c", "libedit", "libidn2", "musl", "ncurses",
                                    "openssl", "zlib"})

    # Where there is nothing else

    def test_whole_path(self):
        root = self.bare()
        root.put(SOURCE / "tests/long/whole-path", "/tmp/whole-path")
        self.assertRegex(root.run("sh /tmp/whole-path", "runner", "/tmp", alone=True, HOME="/tmp"), r"features: .*\bstatic\n")

    def test_tls_both_ways(self):
        root = self.bare()
        files = root.path / "tmp"
        server, client = certificate(files, "server"), certificate(files, "client")
        for path in files.glob("*.key"):
            path.chmod(0o644)
        listen = LISTEN + "listen --tls-cert server.pem --tls-key server.key"
        send = "credhook send user-created --to $url"

        def run(script, **variables):
            return root.run(script, "runner", "/tmp", alone=True, HOME="/tmp", **variables)

        run(f"{listen} --tls-client-ca client.pem\n{send} --cacert server.pem --cert client.pem --key client.key\n"
            f"{send} --cacert server.pem && exit 1\nstop")
        said = run(f"{listen}\n{send} || [ $? -eq 4 ]\nstop")
        self.assertIn("this machine has no certificate authorities", said)
        for place in PLACES:
            self.place(root, server.cert, place)
            run(f"{listen}\n{send}\nstop")
            (root.path / place).unlink()
        self.place(root, client.cert, PLACES[0])
        self.assertIn("--cacert", run(f"{listen}\n{send} || [ $? -eq 4 ]\nstop"))
        run(f"{listen}\n{send}\nstop", SSL_CERT_FILE="/tmp/server.pem")
        (files / "authorities").mkdir()
        shutil.copy(server.cert, files / "authorities/server.pem")
        sh("openssl", "rehash", files / "authorities")
        run(f"{listen}\n{send}\nstop", SSL_CERT_DIR="/tmp/authorities")
        # Whatever is said there, it is not read.
        for place in "etc/ssl/openssl.cnf", "usr/lib/ssl/openssl.cnf", "nonexistent/openssl.cnf":
            self.place(root, SOURCE / "README.md", place)
        run(f"{listen}\n{send}\nstop", SSL_CERT_FILE="/tmp/server.pem", OPENSSL_CONF="/etc/ssl/openssl.cnf")

    def test_names(self):
        root = self.bare()
        (root.path / "etc").mkdir()
        (root.path / "etc/hosts").write_text("127.0.0.1 here.example\n")
        said = root.run(LISTEN + """listen --capture c.ndjson
            port=${url##*:}
            credhook send user-created --to http://here.example:$port/
            credhook send user-created --to http://b\u00fccher.example/ --connect-to ::127.0.0.1:$port
            stop
            cat c.ndjson""", "runner", "/tmp", alone=True, HOME="/tmp", LC_ALL="C.UTF-8")
        self.assertRegex(said, r'"Host","here\.example:\d+"')
        self.assertIn('"Host","xn--bcher-kva.example"', said)

    def test_test_convert_resume(self):
        root = self.bare()
        root.run(LISTEN + """listen --capture c.ndjson
            credhook test --level quick --to $url >tested || [ $? -eq 1 ]
            grep -q 'must [0-9]* of' tested
            stop
            rm c.ndjson
            listen --capture c.ndjson
            credhook send all --count 4 --to $url -q
            stop
            credhook convert c.ndjson --redact -o shared.ndjson 2>&1 | grep 'none found in its own record'
            credhook validate -q shared.ndjson
            listen --capture again.ndjson
            timeout -s INT 1 credhook replay c.ndjson --rate 50/s --to $url --results r.ndjson || [ $? -eq 130 ] || [ $? -eq 124 ]
            credhook replay c.ndjson --to $url --resume r.ndjson
            stop
            [ $(wc -l <again.ndjson) -eq 100 ]
            credhook validate --require all again.ndjson""", "runner", "/tmp", alone=True, HOME="/tmp")

    def test_prompt(self):
        """A terminal that no terminfo describes: completion, UTF-8, and the history of the last session."""
        root = self.bare()
        shell = ["/usr/sbin/chroot", str(root.path), "/bin/credhook", "shell", "--no-config"]
        for terminal in "xterm-256color", "tmux", "vt100":
            home = f"/tmp/{terminal}"
            (root.path / home.lstrip("/")).mkdir()
            variables = {"TERM": terminal, "HOME": home, "LC_ALL": "C.UTF-8", "PATH": "/bin"}
            with Interactive(shell, variables, "/") as session:
                session.wait_for(PROMPT)
                session.type("expl\tbureau-a\t\r")
                session.wait_for(r"\(event\)")
                session.wait_for(PROMPT)
                session.type("explain \u00fc\x7f\x7f offCycle\r")
                session.wait_for(r"\u00fc.*offCycle.*" + PROMPT)
                session.type("exit\r")
                session.wait_for_end()
            with Interactive(shell, variables, "/") as session:
                session.wait_for(PROMPT)
                session.type("\x1b[A\x1b[A")
                session.wait_for("offCycle")

    # What is tested of every binary

    def test_cases_and_scripts(self):
        variables = {**os.environ, "CREDHOOK": str(self.binary), "SOURCE": str(SOURCE), "FAIL_DISK": "", "FAIL_MEMORY": "",
                     "FAKE_TIME": ""}
        jobs = {f"cli/{folder.name}": ["sh", SOURCE / "tests/cli/run-case", folder]
                for folder in sorted((SOURCE / "tests/cli").iterdir()) if folder.is_dir()}
        jobs.update({f"e2e/{script.stem}": ["/usr/bin/python3", script]
                     for script in sorted((SOURCE / "tests/e2e").glob("*_test.py"))})
        for name, reason in NOT_HERE.items():
            del jobs[name]
            print(f"left out {name}: {reason}")

        def done(job):
            name, command = job
            result = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, timeout=1800, check=False)
            return name, result.returncode, result.stdout

        failed = {}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, code, out in pool.map(done, jobs.items()):
                for line in re.findall(r"^skipped .*", out, re.M):
                    print(f"{name}: {line}", flush=True)
                if code != 0:
                    failed[name] = out[-3000:]
        print(f"{len(jobs) - len(failed)} of {len(jobs)} cases and scripts pass", flush=True)
        self.assertFalse(failed, "\n".join(f"{name}\n{out}" for name, out in failed.items()))


def main():
    names = sys.argv[2:3] if sys.argv[1:2] == ["-k"] else []
    with tempfile.TemporaryDirectory(prefix="credhook-static-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        Getting.checkout = folder / "checkout"
        sh("git", "clone", "-q", "--no-hardlinks", SOURCE, Getting.checkout)
        try:
            Static.base = Base("bookworm", folder)
        except subprocess.CalledProcessError as error:
            print(f"skip: no root can be made: {error.stdout[-300:]}")
            return 0
        tests = unittest.TestLoader()
        tests.testNamePatterns = [f"*{part}*" for part in names] or None
        suite = tests.loadTestsFromTestCase(Static)
        return 0 if unittest.TextTestRunner(sys.stdout, verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
