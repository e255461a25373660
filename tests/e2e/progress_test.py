"""The line that says how far a run has come, and how long it will take."""
# rooms: cmd/send deliver ui

import gzip
import os

from captures import record, write_capture
from screen import Seen
from support import FaultServer, answer, binary, credhook, environment, hang, new_folder, run

COUNTS = "1 not accepted; "
LEFT = r", \d+ s left"
PERHAPS = f"({LEFT})?"  # it is not told before a second is over
RATE = r"(\d+/s|one every \d+ s)"


def until_it_hangs(*args, share, of="", left=PERHAPS):
    """Of three deliveries the first is accepted, the second rejected; the third is answered once the line has said so."""
    with FaultServer([answer(200), answer(500), hang()]) as server:
        command = [binary(), *map(str, args), "--to", server.url]
        with Seen(command, environment(), new_folder(), 100, 30) as terminal:
            terminal.until_last(f"2{of} done, {COUNTS}{share}{RATE}{left}")
            lines = terminal.screen.text()
            assert lines[1].endswith("s") and "200  " in lines[1] and "500  " in lines[2], lines
            server.release()
            assert terminal.until_end() == 1
            lines = terminal.screen.text()
            assert not any(" done, " in line for line in lines), lines
            return lines


def done(percent):
    return f"{percent} %, "


def test_files_are_measured_in_bytes():
    lines = until_it_hangs("replay", write_capture(3), share=done(66), left=LEFT)
    assert any(line.startswith("2 accepted, 1 not accepted of 3 in ") for line in lines), lines
    until_it_hangs("replay", write_capture(4), share=done(50))
    until_it_hangs("replay", write_capture(2), write_capture(2), share=done(50))
    capture = write_capture(2)
    until_it_hangs("send", "-f", capture, "-f", capture, "--validate", "off", share=done(50))


def test_limit():
    until_it_hangs("replay", write_capture(9), "--limit", 3, share=done(66))
    until_it_hangs("replay", write_capture(5), "--limit", 9, share=done(40))


def test_packed_files_too():
    path = new_folder() / "capture.ndjson.gz"
    path.write_bytes(gzip.compress(b"".join(record(number) for number in range(1, 5))))
    until_it_hangs("replay", path, share="(49|50) %, ")


def test_a_pipe_has_no_end_in_sight():
    for extra, share, left in (((), "", ""), (("--limit", 6), done(33), PERHAPS)):
        fifo = new_folder() / "fifo"
        os.mkfifo(fifo)
        writer = os.open(fifo, os.O_RDWR)
        try:
            for number in range(1, 4):
                os.write(writer, record(number))
            with FaultServer([answer(200), answer(500), hang()]) as server:
                command = [binary(), "replay", str(fifo), "--to", server.url, *map(str, extra)]
                with Seen(command, environment(), new_folder(), 100, 30) as terminal:
                    terminal.until_last(f"2 done, {COUNTS}{share}{RATE}{left}")
        finally:
            os.close(writer)


def test_a_number_that_is_known():
    until_it_hangs("send", "user-created", "--count", 4, share=done(50), of=" of 4", left=LEFT)
    until_it_hangs("send", "user-created", "--file", write_capture(3), "--validate", "off", share="", left="")


if __name__ == "__main__":
    run()
