#!/usr/bin/python3
"""Every example of the manual, and so of the help, works as it stands: a line after '$' of any page in man/.

They run in a folder with the files that examples name, with a listener and a configuration; 8080 and 3000 become its
port.
"""
# rooms: all

import json
import os
import re
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

from manual_examples import BROKERS, examples
from support import DEADLINE, SOURCE, Listener, binary, credhook, environment, free_port, launch, new_folder, run

SHOWS_NOTHING = {"credhook shell"}  # no input, no terminal


def prepare(url):
    """A folder with what examples name: fixtures, captures, a policy, a configuration whose sandbox is `url`."""
    folder = new_folder()
    credhook("build", "all", "--seed", "7", "-o", "fixtures/", cwd=folder).expect(0)
    credhook("build", "all", "--break", "wrong-type", "-o", "broken/", cwd=folder).expect(0)
    for name, status in (("capture", 200), ("outage", 503)):
        with Listener("--capture", folder / f"{name}.ndjson", "--respond", status) as listener:
            for args in [["all"]] + [["user-created", "--break", "missing-key"]] * (name == "outage"):
                credhook("send", *args, "--to", listener.url, "--expect-status", status).expect(0)
            listener.stop()
    credhook("convert", "capture.ndjson", "--format", "har", "-o", "browser.har", cwd=folder).expect(0)
    (folder / "bin").mkdir()
    (folder / "bin" / "credhook").symlink_to(Path(binary()).resolve())
    if not (folder / "samples").exists():
        (folder / "samples").symlink_to(SOURCE / "samples")
    (folder / "hook.py").write_text(f"import runpy, sys\nsys.argv = ['hook.py', 'Store', '.']\n"
                                    f"runpy.run_path({str(Path(__file__).with_name('store_app.py'))!r}, run_name='__main__')\n")
    (folder / "hook.db").symlink_to("db")
    (folder / "hook.log").touch()
    (folder / "token.txt").write_text("Authorization: Bearer example\n")
    (folder / "key").write_text("f" * 64)
    (folder / "key").chmod(0o600)
    for name in "yesterday", "today":
        shutil.copy(folder / "capture.ndjson", folder / f"{name}.ndjson")
    credhook("convert", "capture.ndjson", "--distinct", "-o", "golden/", cwd=folder).expect(0)
    credhook("replay", "golden", "--to", url, "--results", "golden.results", cwd=folder).expect(0)
    (folder / "config.json").write_text(json.dumps({"environments": {"sandbox": {"url": url}}}))
    return folder


def leave_unfinished(folder):
    """results.ndjson of a run that has not sent everything."""
    process = launch("replay", "capture.ndjson", "--results", "results.ndjson", "--rate", "1/m", cwd=folder,
                     env={"CREDHOOK_CONFIG": folder / "config.json"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + DEADLINE
    while not (folder / "results.ndjson").exists() or b"\n" not in (folder / "results.ndjson").read_bytes():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE) == 130


def start(line, folder):
    env = environment({"CREDHOOK_CONFIG": folder / "config.json", "PATH": f'{folder / "bin"}:{os.environ["PATH"]}'})
    with open(folder / "stderr", "wb") as stderr:
        return subprocess.Popen(["bash", "-c", "set -o pipefail; " + line], cwd=folder, env=env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                                start_new_session=True)


def told(folder):
    return (folder / "stderr").read_text(encoding="utf-8", errors="replace")


def finish(process, folder):
    try:
        out, _ = process.communicate(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
        raise AssertionError(f"it does not end: {out}{told(folder)}") from None
    return process.returncode, out.decode("utf-8", "replace"), told(folder)


def run_listener(line, folder):
    """A listen example: gets every event, and is ended as by Ctrl-C where it does not end by itself."""
    port = free_port()
    line = re.sub(r"\blisten 0(?![.\d])", f"listen {port}", re.sub(r"\b8\d{3}\b", str(port), line))
    process = start(line, folder)
    end = time.monotonic() + DEADLINE
    while process.poll() is None and time.monotonic() < end and "listening on" not in told(folder):
        time.sleep(0.02)
    if process.poll() is None:
        credhook("send", "all", "--concurrency", 25, "-k", "--to", f"127.0.0.1:{port}/hook")
    # Whoever reads from the listener may only now begin, and a signal would end it.
    if (kept := re.search(r">> (\S+)$", line)):
        file = folder / kept.group(1)
        while process.poll() is None and time.monotonic() < end and not (file.exists() and file.stat().st_size):
            time.sleep(0.02)
    ends_by_itself = re.search(r" --(expect|limit)\b", line)
    if not ends_by_itself and process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    return finish(process, folder)


def problem_of(page, line, folder, port):
    """What is wrong with an example, in a folder of its own; None: nothing."""
    if "--resume" in line:
        leave_unfinished(folder)
    if "test --failed" in line:  # which asks for a run before it: none of the others need have ended
        credhook("test", "deliver", "--to", f":{port}/hook", cwd=folder).expect(0)
    # Of the captures here everything has just come.
    for day, days in (("2026-01-02", -1), ("2026-01-03", 1)):
        line = line.replace(day, (date.today() + timedelta(days)).isoformat())
    if re.search(r"\bcredhook listen\b", line):
        code, out, err = run_listener(line, folder)
    else:
        port = free_port() if " -- " in line else port
        code, out, err = finish(start(re.sub(r"\b(8080|3000)\b", str(port), line), folder), folder)
    # Nothing that the listener here receives changes that file.
    observes_nothing = "--observe 'cat hook.log'" in line
    if code != (3 if observes_nothing else 0) or observes_nothing != ("no notification changes" in out):
        return f"{page}: $ {line}\nexit {code}\n{out[-500:]}{err[-500:]}"
    if not out and not err and line not in SHOWS_NOTHING and " >" not in line:
        return f"{page}: $ {line}\nshows nothing"
    return None


def test_every_example():
    with Listener() as listener, ThreadPoolExecutor(4) as pool:
        prepared, runs = prepare(listener.url), []
        for line, page in {line: page for page, line in examples()}.items():
            if re.match(r"jq\b", line) and not shutil.which("jq"):
                print(f"  skipped without jq: {line}")
                continue
            if "sqlite3" in line and not shutil.which("sqlite3"):
                print(f"  skipped without sqlite3: {line}")
                continue
            if page == BROKERS and not line.startswith("credhook "):
                continue
            folder = new_folder() / "here"
            shutil.copytree(prepared, folder, symlinks=True)
            runs.append(pool.submit(problem_of, page, line, folder, listener.port))
        problems = list(filter(None, (one.result() for one in runs)))
    assert len(runs) >= 3 * 8, len(runs)
    assert not problems, "\n".join(problems)


if __name__ == "__main__":
    run()
