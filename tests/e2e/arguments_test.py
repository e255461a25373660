"""Words that stand where a file, a value or another option was meant: said before anything is read, written or sent."""

import ctypes
import os

from captures import write_capture
from support import FaultServer, Skip, answer, credhook, launch, new_folder, run

CAPTURE = write_capture(3)


def ended(*args, code=3, **more):
    """What it said, and nothing else: no record was printed."""
    result = credhook(*args, **more).expect(code)
    assert not result.out, result
    return result.err


def test_a_name_that_is_not_there_ends_it_before_its_first_output():
    folder = new_folder()
    with FaultServer(answer(200)) as server:
        for words, hint in ((("show", CAPTURE, "5-7"), "--record 5-7"), (("show", CAPTURE, "1,3"), "--record 1,3"),
                            (("show", "none", CAPTURE), ""), (("show", CAPTURE, "none", "--json"), ""),
                            (("show", CAPTURE, "none", "2"), ""), (("show", CAPTURE, "last-1"), ""),
                            (("convert", CAPTURE, "out.har"), "-o out.har"), (("convert", CAPTURE, "none/x"), "does not exist"),
                            (("convert", CAPTURE, "out.ndjson", "--redact"), "-o out.ndjson"),
                            (("convert", "out.har"), ""), (("convert", CAPTURE, "out.har", "-o", "x.har"), ""),
                            (("convert", CAPTURE, "out.txt"), ""), (("convert", "none", "--from", "har"), ""),
                            (("send", "--file", CAPTURE, "--file", "none", "--to", server.url), ""),
                            (("replay", CAPTURE, "none", "--to", server.url, "--results", folder / "results"), "")):
            told = ended(*words, cwd=folder)
            assert (f"hint: to" in told or "does not exist" in told) == bool(hint) and hint in told, told
        assert not server.requests and not list(folder.iterdir())
        # The check of other files goes on.
        result = credhook("validate", "none", CAPTURE).expect(3)
        assert "cannot open 'none'" in result.err and "3 payloads" in result.err, result
        for word in (":9", "localhost:9", "http://127.0.0.1:9/x"):
            assert f"--to {word}" in ended("replay", CAPTURE, word, code=2)


def test_a_number_is_a_file_only_where_there_is_one():
    folder = new_folder()
    (folder / "5-7").write_bytes(CAPTURE.read_bytes())
    assert "3 records" in credhook("show", "5-7", cwd=folder).expect(0).err
    assert "#2 " in credhook("show", CAPTURE, "2").expect(0).out


def test_nothing_is_opened_for_it():
    """Whoever opened this FIFO would wait for its writer."""
    fifo = new_folder() / "fifo"
    os.mkfifo(fifo)
    for words in (("show",), ("convert",), ("replay", "--to", ":1")):
        assert "'none'" in ended(words[0], fifo, "none", *words[1:])


def drop_rights():
    """Of root to read everything, before the program starts."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if os.getuid() == 0 and ctypes.CDLL(None).prctl(24, capability, 0, 0, 0) != 0:
            os._exit(99)


def test_a_file_that_may_not_be_read():
    folder = new_folder()
    (folder / "sub").mkdir()
    for name in ("a.ndjson", "sub/b.ndjson"):
        (folder / name).write_bytes(CAPTURE.read_bytes())
    (folder / "sub/b.ndjson").chmod(0)
    for names in (("sub/b.ndjson",), ("a.ndjson", "sub/b.ndjson"), (".",)):
        for words in (("show",), ("convert",), ("replay", "--to", ":1")):
            with launch(words[0], *names, *words[1:], cwd=folder, preexec_fn=drop_rights) as process:
                out, err = process.communicate()
            if process.returncode == 99:
                raise Skip("root may not give up its rights here")
            assert process.returncode == 3 and not out, (out, err)
            assert b"b.ndjson': Permission denied" in err, err


if __name__ == "__main__":
    run()
