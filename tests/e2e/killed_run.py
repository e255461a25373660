"""A run of deliveries that is killed at a random moment and resumed: what test and long run share."""

import random
import signal
import subprocess
import time

from captures import numbers, read_results, write_capture
from support import DEADLINE, FaultServer, binary, credhook, environment, new_folder, step


def _answer_late(connection):
    time.sleep(random.random() * 0.004)
    connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")
    return True


def most_cut(concurrency, threads):
    """How many may be under way at most. With threads, those too that lie ready or have ended whose line is still to be
    written: the thread that writes them may get no processor while the others go on."""
    return concurrency if threads == 1 else concurrency + concurrency // 2 + 1


def kill_and_resume(seed, records=300, concurrency=8, threads=1):
    """Fails where something accepted was sent again, or something was skipped or sent twice."""
    random.seed(seed)
    folder = new_folder()
    capture, results = write_capture(records, folder=folder), folder / "results.ndjson"
    with FaultServer(step(_answer_late)) as server:
        command = ["replay", capture, "--to", server.url, "--concurrency", concurrency, "--threads", threads]
        stop_at = random.randrange(records)
        process = subprocess.Popen([binary(), *map(str, command), "--results", str(results)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        server.wait_requests(stop_at, DEADLINE)
        time.sleep(random.random() * 0.003)
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = credhook(*command, "--resume", results)
        arrived = numbers(server)
    lines = read_results(results)
    ended = [line["record"] for line in lines if line["final"]]
    cut = [line["record"] for line in lines if line["outcome"] == "unknown"]
    assert sorted(ended) == list(range(1, records + 1)), f"seed {seed}: {result}"
    assert len(arrived) == len(set(arrived)), f"seed {seed}: sent twice: {result}"
    missing = set(range(1, records + 1)) - set(arrived)
    assert missing <= set(cut), f"seed {seed}: skipped: {missing - set(cut)}: {result}"
    assert len(cut) <= most_cut(concurrency, threads), f"seed {seed}: more cut than were under way: {cut}"
    assert result.code == (1 if cut else 0), result
    return len(cut)
