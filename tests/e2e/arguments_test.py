"""Words that stand where a file, a value or another option was meant: said before anything is read, written or sent."""
# rooms: cmd/args cmd/words

import ctypes
import os
import re

from captures import record, write_capture
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
        for words, hint in ((("show", "none", CAPTURE), ""), (("show", CAPTURE, "none", "--json"), ""),
                            (("show", CAPTURE, "none", "2"), ""), (("show", CAPTURE, "./3-1"), ""),
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


def test_what_is_written_as_a_number_is_no_file():
    folder = new_folder()
    (folder / "5-7").write_bytes(CAPTURE.read_bytes())
    assert "show needs a CAPTURE" in credhook("show", "5-7", cwd=folder).expect(2).err
    assert "3 records" in credhook("show", "./5-7", cwd=folder).expect(0).err
    assert "#2 " in credhook("show", CAPTURE, "2").expect(0).out


def test_a_number_may_have_the_sign_that_lists_print():
    for word in ("2", "first", "last", "last-1", "first-last", "2-last", "2-3", "first,last"):
        signed = re.sub(r"(^|,)(?=\w)", r"\1#", word)
        assert credhook("show", CAPTURE, signed).expect(0).out == credhook("show", CAPTURE, word).expect(0).out, signed


def test_nothing_is_opened_for_it():
    """Whoever opened this FIFO would wait for its writer."""
    fifo = new_folder() / "fifo"
    os.mkfifo(fifo)
    for words in (("show",), ("convert",), ("replay", "--to", ":1")):
        assert "'none'" in ended(words[0], fifo, "none", *words[1:])


def test_the_end_of_a_path_is_not_a_path():
    """It would match nothing, and keep no order: said before anything is sent."""
    with FaultServer(answer(200)) as server:
        for words in (("replay", CAPTURE, "--to", server.url, "--concurrency", "2", "--keyed", "{}"),
                      ("replay", CAPTURE, "--to", server.url, "--where", "{}=x"), ("show", CAPTURE, "--where", "{}!=x"),
                      ("convert", CAPTURE, "--where", "{}~x"), ("listen", "0", "--expect", "user-created,{}=x")):
            for path, whole in (("clientKey", "details.clientKey"), ("CLIENTKEY", "details.clientKey"),
                                ("city", "details.address.city"), ("address.city", "details.address.city")):
                told = ended(*(str(word).replace("{}", path) for word in words), code=2)
                assert f"no event has a field '{path}'" in told and f"write {whole};" in told, told
        # What is the end of none is taken: captures hold other payloads, too.
        assert not server.requests
        for path in ("n", "/clientKey", "ey", "x.clientKey", "details.bureu"):
            credhook("show", CAPTURE, "--where", f"{path}!=x").expect(0)


def test_a_key_that_no_record_has_is_a_failure():
    rows = [record(1), record(2, body='{"n":1,"key":"a"}'), record(3, body="not json")]
    with FaultServer(answer(200)) as server:
        for path, code, words in (("nowhere", 1, "--keyed 'nowhere': no record has a value there"), ("n", 0, "1 record without 'n'"),
                                  ("key", 0, "2 records without 'key'"), ("/key", 0, "2 records without '/key'")):
            capture = write_capture(3, lambda number: rows[number - 1])
            for more in ([], ["--dry-run"]):
                assert words in credhook("replay", capture, "--to", server.url, "--keyed", path, *more).expect(code).err, path
    assert len(server.requests) == 12


def test_a_delay_is_said_in_seconds():
    for value, words in (("500", "delay 500 s"), ("500ms", "delay 0.5 s"), ("2m", "delay 120 s"), ("1..2m", "delay 1 s to 120 s"), ("0", "delay 0 s")):
        lines = credhook("listen", "0", "--delay", value, "--timeout", "1ms").expect(0).err.splitlines()
        assert lines[0].startswith("listening on http://127.0.0.1:") and lines[1] == words, lines
    assert "delay" not in credhook("listen", "0", "--timeout", "1ms").expect(0).err


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
