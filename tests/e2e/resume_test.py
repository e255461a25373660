"""--resume after kill -9: nothing accepted goes out again, nothing is skipped, what was in flight is told."""

from captures import numbers, read_results, write_capture
from killed_run import kill_and_resume
from support import FaultServer, answer, binary, credhook, environment, hang, new_folder, run

import os
import signal
import subprocess


def test_kill_9_at_random_moments():
    for seed in range(10):
        kill_and_resume(seed, threads=1 + seed % 2)


def hung(capture, results, server):
    process = subprocess.Popen([binary(), "replay", capture, "--to", server.url, "--results", results],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    server.wait_requests(2)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_what_was_in_flight_is_the_user_s_choice():
    for options, expected in ((), [1, 2, 3]), (("--retry-unknown",), [1, 2, 2, 3]):
        capture, results = write_capture(3), new_folder() / "results.ndjson"
        with FaultServer([answer(200), hang()], answer(200)) as server:
            hung(capture, results, server)
            fresh = credhook("replay", capture, "--to", server.url, "--results", results).expect(2)
            assert "cut off with 1 in flight" in fresh.err and "--resume" in fresh.err
            result = credhook("replay", capture, "--to", server.url, "--resume", results, *options).expect(0 if options else 1)
            assert f"in flight when the run was cut off, so its outcome is unknown: {capture}:2" in result.err
            assert numbers(server) == expected
        lines = read_results(results)
        assert [line["outcome"] for line in lines if line["record"] == 2][0] == "unknown"
        assert sorted(line["record"] for line in lines if line["final"]) == [1, 2, 3]


def test_what_was_in_flight_is_known_by_any_name():
    for name in (b"x" * 200 + b"/" + b"y" * 200 + b".ndjson", b"\xff\xc3.ndjson", "é漢🙂.ndjson".encode()):
        folder, results = new_folder(), new_folder() / "results.ndjson"
        capture = os.path.join(os.fsencode(folder), name)
        os.makedirs(os.path.dirname(capture), exist_ok=True)
        os.rename(write_capture(3), capture)
        with FaultServer([answer(200), hang()], answer(200)) as server:
            hung(capture, results, server)
            for code in (1, 0):
                done = subprocess.run([binary(), "replay", capture, "--to", server.url, "--resume", results],
                                      env=environment(), capture_output=True, timeout=30, check=False)
                assert done.returncode == code and numbers(server) == [1, 2, 3], (name, done)


def test_two_runs_do_not_share_results():
    capture, results = write_capture(3), new_folder() / "results.ndjson"
    with FaultServer([answer(200), hang()]) as server:
        process = subprocess.Popen([binary(), "replay", capture, "--to", server.url, "--results", results],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        server.wait_requests(2)
        for option in ("--results", "--resume"):
            result = credhook("replay", capture, "--to", server.url, option, results).expect(2)
            assert "another run writes" in result.err
        server.release()
        assert process.wait(20) == 0


if __name__ == "__main__":
    run()
