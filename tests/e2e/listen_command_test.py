#!/usr/bin/python3
"""`listen ... -- COMMAND ARG...`: what COMMAND gets, when listen ends, and what its exit code is."""
# rooms: base cmd/args cmd/listen receive

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from interactive import Interactive
from support import DEADLINE, LONG, Listener, Skip, binary, credhook, environment, kinds, launch, new_folder, run

# Each line is one write, since listen writes to the same terminal. (print() makes several where PYTHONUNBUFFERED is set.)
SAY = """import os
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())
"""
# Says at the end, which comes with the end of its standard input, which signals it got. Its handler prints nothing: Python
# refuses a print that interrupts another one.
COUNTER = SAY + """import signal, sys
got = []
for number in signal.SIGINT, signal.SIGTERM:
    signal.signal(number, lambda number, frame: got.append(number))
say("up")
for line in sys.stdin:
    say("read", line.rstrip())
say("signals:", *map(int, got))
"""
# Ignores them, and does not end.
DEAF = SAY + """import signal
for number in signal.SIGINT, signal.SIGTERM:
    signal.signal(number, signal.SIG_IGN)
signal.alarm(60)
say("up", os.getpid())
signal.pause()
"""


def sh(script, *options, **more):
    return credhook("listen", "0", *options, "--", "sh", "-c", script, env={"CH": binary()}, **more)


def is_gone(pid):
    return not Path(f"/proc/{pid}").exists()


def test_its_exit_code_is_passed_on():
    for code in 1, 3, 130, 255:  # at once: nobody waits for what one that failed has not sent
        result = sh(f"exit {code}", "--expect", "user-created", "--timeout", "60s").expect(code)
        assert result.err.endswith(f"0 received\n'sh' exited with {code}\nmissing: user-created: 0 of 1\n"), result
    for number in signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE:
        assert f"'sh' was ended by signal {number:d}\n" in sh(f"kill -{number:d} $$").expect(128 + number).err
    sh("exit 0").expect(0)


def test_what_it_gets():
    for options, path in ([], ""), (["--path", "/"], ""), (["--path", "/a/b"], "/a/b"):
        result = sh('echo "$CREDHOOK_URL" $0', *options).expect(0)
        url = re.search("listening on (.*)", result.err).group(1)
        assert result.out == f"{url}{path} sh\n", result
    assert credhook("listen", "0", "--", "printf", "<%s>", "-h", "--", "a b").expect(0).out == "<-h><--><a b>"
    assert credhook("listen", "0", "--", "cat", stdin="a line\n").expect(0).out == "a line\n"


def test_it_gets_the_signals_limits_and_descriptors_of_listen():
    look = "ulimit -n; grep -E 'Sig(Blk|Ign)' /proc/self/status; for fd in /proc/$$/fd/*; do echo $fd; done"
    folder = new_folder()
    whole = f"ulimit -S -n 300; trap '' INT PIPE; exec '{binary()}' listen 0 -q --capture c --tls-self-signed -- sh -c"
    done = subprocess.run(["sh", "-c", f'{whole} "$0"', look], env=environment(), cwd=folder, capture_output=True, text=True,
                          timeout=DEADLINE, check=True)
    limit, blocked, ignored, *descriptors = done.stdout.split("\n")
    alone = subprocess.run(["sh", "-c", look], env=environment(), capture_output=True, text=True, check=True).stdout
    mask = int(ignored.split()[1], 16)
    assert limit == "300" and int(blocked.split()[1], 16) == 0, done
    assert not any(mask >> number - 1 & 1 for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ)), done
    assert [fd.rsplit("/")[-1] for fd in descriptors] == [fd.rsplit("/")[-1] for fd in alone.split("\n")[3:]], (done, alone)


def test_an_exit_code_that_the_caller_ignores():
    done = subprocess.run(["sh", "-c", f"trap '' CHLD; exec '{binary()}' listen 0 -- sh -c 'exit 3'"], env=environment(),
                          capture_output=True, timeout=DEADLINE, check=False)
    assert done.returncode == 3, done


def test_what_it_sends_is_expected():
    result = sh('"$CH" send all --to "$CREDHOOK_URL" -q && echo sent', "--expect", "all", "-q").expect(0)
    assert result.out == "sent\n" and "missing" not in result.err, result
    # The listener is there to its end, also for what comes after the last expected one.
    result = sh('"$CH" send user-created bureau-alert all -q --count 20 --to "$CREDHOOK_URL"', "--expect", "user-created").expect(0)
    count = 20 * (2 + len(kinds()))  # a round's single event is in its `all` again
    assert f"{count} received: {count} valid, 20 repeated\n" in result.err, result
    sh('"$CH" send -q user-created --to "$CREDHOOK_URL"', "--limit", "1").expect(0)


def wait_for_end(listener):
    """Until COMMAND, which prints its number, is gone."""
    listener.wait_stderr("pid ")
    pid = re.search("pid ([0-9]+)\n", listener.errors()).group(1)
    while not is_gone(pid):
        time.sleep(0.01)


def test_what_comes_after_its_end():
    fifo = new_folder() / "fifo"
    os.mkfifo(fifo)
    late = '(read -r line <"$FIFO"; exec "$CH" send -q user-created --to "$CREDHOOK_URL") >/dev/null 2>&1 & echo "pid $$"'
    with Listener("--expect", "user-created", "--", "sh", "-c", late, env={"CH": binary(), "FIFO": fifo}) as listener:
        wait_for_end(listener)
        fifo.write_text("now\n")
        result = listener.wait().expect(0)
        assert result.json()[-1]["expected"][0]["arrived"] == 1, result
    for options, words in (["--expect", "user-created"], "missing: user-created: 0 of 1"), (["--limit", "1"], "0 of 1 notif"):
        with Listener(*options, "--", "sh", "-c", 'echo "pid $$"') as listener:
            wait_for_end(listener)
            assert words in listener.stop().expect(1).err
    result = sh("exit 0", "--expect", "user-created", "--timeout", "1s").expect(1)
    assert result.err.endswith("0 received\ntimed out after 1.0 s\nmissing: user-created: 0 of 1\n"), result


def test_signals_are_passed_on():
    for number in signal.SIGINT, signal.SIGTERM:
        with Listener("--", "sh", "-c", f'trap "exit 0" {number:d}; echo up; while :; do sleep 0.01; done') as listener:
            listener.wait_stderr("up\n")
            result = listener.stop(number).expect(0)
            assert "waiting for 'sh' to end; a second signal ends it at once\n" in result.err, result
        with Listener("--expect", "user-created", "--", "sh", "-c", "echo up; exec sleep 60") as listener:
            listener.wait_stderr("up\n")
            assert "missing: user-created" in listener.stop(number).expect(128 + number).err


def test_a_second_signal_ends_it_whatever_it_does():
    with Listener("--", sys.executable, "-c", DEAF) as listener:
        listener.wait_stderr("up ")
        listener.send_signal(signal.SIGTERM)
        listener.wait_stderr("a second signal")
        result = listener.stop(signal.SIGINT).expect(130)  # another SIGTERM might be the first one
        assert is_gone(re.search("up ([0-9]+)", result.err).group(1)), result


def test_a_command_that_runs_too_long():
    result = sh("exec sleep 60", "--timeout", "200ms").expect(143)
    assert result.err.endswith("timed out after 200 ms\n'sh' was ended by signal 15: it ran longer than --timeout\n"), result
    result = sh('trap "exit 0" TERM; while :; do sleep 0.01; done', "--expect", "user-created", "--timeout", "5s").expect(1)
    assert result.err.endswith("timed out after 5.0 s\nmissing: user-created: 0 of 1\n"), result


def test_all_that_it_started_gets_them():
    """Where stdin is not a terminal: also what is stopped, and what would stay behind."""
    folder = new_folder()
    os.mkfifo(folder / "open")
    script = 'exec 3>"$F"; sh -c "trap \\"echo got it\\" TERM; kill -STOP \\$\\$; wait" & echo up; wait'
    deaf = 'exec 3>"$F"; (trap "" TERM; exec sleep 60) & echo up; wait'
    for signals, options, which, code in (([signal.SIGTERM], [], script, 143), ([], ["--timeout", "3s"], deaf, 143),
                                          ([signal.SIGTERM, signal.SIGINT], [], 'trap "" TERM; ' + deaf, 130)):
        with Listener(*options, "--", "sh", "-c", which, env={"F": folder / "open"}) as listener, \
                open(folder / "open", "rb") as whoever:
            listener.wait_stderr("up\n")
            for number in signals:
                listener.send_signal(number)
                listener.wait_stderr("a second signal")
            listener.wait().expect(code)
            assert whoever.read() == b""  # at the end of the last one that holds it open


def zombies(parent):
    """How many children of it have ended and were not reaped."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, its_parent = path.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):  # it is gone
            continue
        count += state == "Z" and int(its_parent) == parent
    return count


def test_what_it_leaves_behind_is_reaped():
    """It adopts what COMMAND leaves, in its group or not."""
    folder = new_folder()
    script = f"i=0; while [ $i -lt 100 ]; do (true &); (setsid true &); i=$((i+1)); done; touch {folder}/done; exec sleep 600"
    with launch("listen", "0", "--", "sh", "-c", script) as process:
        while not (folder / "done").exists() or zombies(process.pid):
            assert process.poll() is None
            time.sleep(0.01)
        process.terminate()
        process.communicate()
    assert process.returncode == 128 + signal.SIGTERM, process.returncode


def test_a_third_signal_leaves_nothing():
    folder = new_folder()
    process = launch("listen", "0", "--", sys.executable, "-c", DEAF, stdout=(folder / "out").open("wb"))
    while not (folder / "out").read_text():
        assert process.poll() is None
        time.sleep(0.01)
    while process.poll() is None:
        process.terminate()
        time.sleep(0.001)
    process.communicate()
    pid = (folder / "out").read_text().split()[1]
    while not is_gone(pid) and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        time.sleep(0.01)


def test_a_command_that_cannot_be_run():
    folder = new_folder()
    (folder / "plain").write_text("echo hello\n")
    (folder / "bare").write_text("echo hello\n")
    (folder / "bare").chmod(0o755)
    for command, code, words in (("nonsense", 127, "No such file"), ("./nonsense", 127, "No such file"),
                                 ("./plain", 126, "Permission denied"), ("./bare", 126, "#!/bin/sh"),
                                 ("echo a", 127, "-- sh -c")):
        result = credhook("listen", "0", "--ready-file", "url", "--", command, cwd=folder).expect(code)
        assert f"cannot run '{command}'" in result.err and words in result.err, result
        assert not (folder / "url").exists()
    result = credhook("listen", "0", "--json", "--", "nonsense").expect(127)
    assert '{"error":{"exit":127,"message":"cannot run' in result.err, result
    for words in (["--"], ["8080", "--"], ["0", "-q", "--"]):
        assert "missing COMMAND after '--'" in credhook("listen", *words).expect(2).err
    assert "write -- before it" in credhook("listen", "0", "pytest", "tests").expect(2).err
    result = credhook("shell", stdin="listen 0 -- true\n").expect(2)
    assert "too many arguments" in result.err and "listening" not in result.err, result


def test_json_keeps_stdout():
    result = sh('echo out; echo err >&2; "$CH" send -q user-created --to "$CREDHOOK_URL"; exit 3', "--json").expect(3)
    types = [line["type"] for line in result.json()]
    assert types == ["ready", "event", "summary"] and result.json()[-1]["command_exit"] == 3, result
    assert result.json()[-1]["events"] == {"user-created": 1}, result
    assert "out\n" in result.err and "err\n" in result.err, result
    assert "command_exit" not in credhook("listen", "0", "--json", "--timeout", "10ms").expect(0).json()[-1]


def test_nobody_reads_stdout():
    reading, writing = os.pipe()
    os.close(reading)
    script = 'read -r line; "$CH" send -q user-created --to "$CREDHOOK_URL" >&2'
    with launch("listen", "0", "--", "sh", "-c", script, stdin=subprocess.PIPE, stdout=writing, text=True,
                env={"CH": binary()}) as process:
        os.close(writing)
        while "still listening" not in process.stderr.readline():
            pass
        _, err = process.communicate("go\n", DEADLINE)
        assert process.returncode == 0 and "1 received: 1 valid" in err, err


def test_how_long_it_waits():
    if not LONG:
        raise Skip("takes 11 s: tests/run.sh --long")
    began = time.monotonic()
    result = sh("exit 0", "--expect", "user-created").expect(1)
    assert "timed out 5.0 s after the end of the command\nmissing: user-created: 0 of 1\n" in result.err, result
    assert 5 <= time.monotonic() - began < 8
    began = time.monotonic()
    result = credhook("listen", "0", "--timeout", "1s", "--", sys.executable, "-c", DEAF).expect(137)
    assert "' was ended by signal 9: it ran longer than --timeout\n" in result.err, result
    assert 6 <= time.monotonic() - began < 9


def at_terminal(*args):
    return Interactive([binary(), "listen", "0", *args], environment({"TERM": "dumb"}), new_folder())


def test_ctrl_c_reaches_it_once():
    with at_terminal("--", sys.executable, "-c", COUNTER) as terminal:
        terminal.wait_for("up\r")
        terminal.type("hello\n")
        terminal.wait_for("read hello")
        terminal.type("\x03")
        terminal.wait_for("waiting for [^ ]* to end")
        terminal.type("\x04")  # it reads on: the end of its input
        terminal.wait_for(r"signals: 2\r")


def test_ctrl_c_and_one_that_left_the_foreground():
    leaves = COUNTER.replace("import signal, sys", "import os, signal, sys, time; os.setpgid(0, 0)")
    leaves = leaves.replace('for line in sys.stdin:\n    say("read", line.rstrip())', "while not got:\n    time.sleep(0.01)")
    with at_terminal("--", sys.executable, "-c", leaves) as terminal:
        terminal.wait_for("up\r")
        terminal.type("\x03")
        terminal.wait_for(r"signals: 2\r")


def test_a_second_ctrl_c():
    with at_terminal("--", sys.executable, "-c", DEAF) as terminal:
        pid = terminal.wait_for(r"up ([0-9]+)\r").group(1)
        terminal.type("\x03")
        terminal.wait_for("a second signal")
        terminal.type("\x03")
        terminal.wait_for("0 received")
        assert is_gone(pid), pid


def test_job_control():
    # A thread waits for the signal: a handler of Python's would not run where it arrives just before read(2).
    reads = SAY + """import signal, sys, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT])
def tell():
    signal.sigwait([signal.SIGCONT])
    say("continued")
threading.Thread(target=tell, daemon=True).start()
say("up", os.getpid())
for line in sys.stdin:
    say("read", line.rstrip())
"""
    folder = new_folder()
    (folder / "reads.py").write_text(reads)
    with Interactive(["/bin/bash", "--norc", "--noprofile", "-i"], environment({"TERM": "dumb", "PS1": "bash> "}), folder) as shell:
        shell.wait_for("bash> ")
        shell.type(f"'{binary()}' listen 0 -- '{sys.executable}' reads.py\n")
        pid = shell.wait_for(r"up ([0-9]+)\r").group(1)
        shell.type("one\n")
        shell.wait_for("read one\r")
        shell.type("\x1a")
        shell.wait_for("Stopped.*bash> ")
        # The shell says so when listen has stopped. Until the command has, too, what is typed may be read by it.
        while Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] != "T":
            time.sleep(0.01)
        shell.type("fg\n")
        shell.wait_for("continued\r")
        shell.type("two\n")
        shell.wait_for("read two\r")
        shell.type("\x04")
        shell.wait_for("0 received.*bash> ")
        shell.type("echo code=$?\n")
        shell.wait_for(r"code=0\r")


if __name__ == "__main__":
    run()
