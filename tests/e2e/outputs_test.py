"""Every output of every command, beside every kind of file that may be there: what is replaced, and what is refused."""
# rooms: capture cmd/args report

import os
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from captures import marks_of, write_capture
from support import FaultServer, Listener, Skip, answer, binary, credhook, environment, failing_disk, is_portable, new_folder, run

REPORTS = ["junit", "sarif", "github", "html"]
# Options whose file a command writes.
WRITING = {"output", "report", "results", "capture", "ready-file"}


class Output(NamedTuple):
    """An output. In `args` OUT is its file, TO a listener, and USED a file that the same run reads. The kinds of files
    that it replaces, or adds to; any other is refused."""

    command: str
    option: str
    args: list
    replaces: set
    used: str = ""  # what is in USED
    compressed: bool = False  # it takes a name with .gz
    format: str = ""


def report(command, format_name, *args, used=""):
    return Output(command, "report", [*args, "--report", f"{format_name}=OUT"], {format_name}, used, False, format_name)


OUTPUTS = [
    *(report("validate", name, "USED") for name in REPORTS),
    *(report(command, name, *args, "--to", "TO", "-H", "@USED") for name in ("junit", "html") for command, args in
      (("send", ["bureau-alert"]), ("replay", ["capture"]), ("test", ["deliver/bureau-alert"]))),
    *(report("listen", name, "0", "--limit", "1", "--timeout", "1ms", "--body", "@USED") for name in ("junit", "html")),
    Output("send", "results", ["bureau-alert", "--to", "TO", "-H", "@USED", "--results", "OUT"], set()),
    Output("replay", "results", ["capture", "--to", "TO", "-H", "@USED", "--results", "OUT"], set()),
    Output("build", "output", ["bureau-alert", "--merge", "USED", "-o", "OUT"], {"html", "schema"}, "{}"),
    Output("schema", "output", ["--config", "USED", "-o", "OUT"], {"html", "schema"}, "{}"),
    Output("convert", "output", ["capture", "--format", "har", "--redact", "--redact-key", "USED", "-o", "OUT"],
           {"html", "schema"}, "k" * 64, True),
    Output("convert", "output", ["capture", "--format", "html", "--redact", "--redact-key", "USED", "-o", "OUT"],
           {"html", "schema"}, "k" * 64),
    Output("listen", "ready-file", ["0", "--limit", "1", "--timeout", "1ms", "--body", "@USED", "--ready-file", "OUT"],
           {"url"}, compressed=True),
    Output("listen", "capture", ["0", "--limit", "1", "--timeout", "1ms", "--body", "@USED", "--capture", "OUT"], {"capture"},
           "{}"),
]


def samples():
    """Files of every kind, by name: our own, and somebody's."""
    folder = new_folder()
    write_capture(1, folder=folder).rename(folder / "capture")
    (folder / "invalid.json").write_text("{}")
    for name in REPORTS:
        credhook("validate", "invalid.json", "--report", f"{name}={name}", cwd=folder).expect(1)
    (folder / "invalid.json").unlink()
    credhook("schema", "-o", "schema", cwd=folder).expect(0)
    with FaultServer(answer(200)) as server:
        credhook("send", "user-created", "--to", server.url, "--results", "results", cwd=folder).expect(0)
    (folder / "notes").write_text("# <testsuites name=\"credhook\n::error\n<title>credhook\n")
    (folder / "xml").write_text('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="pytest">\n</testsuites>\n')
    (folder / "page").write_text("<!DOCTYPE html>\n<title>mine</title>\n")
    (folder / "other.sarif").write_text('{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[]}')
    (folder / "url").write_text("http://127.0.0.1:1\n")
    (folder / "key").write_text("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


SAMPLES = samples()


def arguments(output, name, to):
    """Its command line, with `name` as its output."""
    more = {"OUT": str(name), "TO": to, "USED": "used.json"}
    args = [output.command]
    for arg in output.args:
        for word, text in more.items():
            arg = arg.replace(word, text)
        args.append(arg)
    return args


def played(output, name, to, folder, env=None):
    return credhook(*arguments(output, name, to), cwd=folder, env=env)


def prepared(output):
    folder = new_folder()
    (folder / "capture").write_bytes(SAMPLES["capture"])
    (folder / "used.json").write_text(output.used)
    (folder / "used.json").chmod(0o600)  # one is a key
    return folder


def assert_refused(output, name, to, folder):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    result = played(output, name, to, folder).expect(2)
    assert "hint: " in result.err and {path: path.read_bytes() for path in folder.iterdir()} == before, result
    return result


def test_the_table_has_every_output():
    found = set()
    for page in credhook("--help", "--json").expect(0).json():
        found |= {(page["name"], option["name"]) for option in page["options"] if option["name"] in WRITING}
    assert found == {(output.command, output.option) for output in OUTPUTS}, found


def test_what_is_there_is_replaced_or_refused():
    with FaultServer(answer(200)) as server:
        for output in OUTPUTS:
            folder, sent = prepared(output), len(server.requests)
            for kind, content in {None: None, "empty": b"", **SAMPLES}.items():
                (folder / "out").unlink(missing_ok=True)
                if content is not None:
                    (folder / "out").write_bytes(content)
                if kind in {None, "empty"} | output.replaces:
                    result = played(output, "out", server.url, folder)
                    there = (folder / "out").read_bytes() if (folder / "out").exists() else None
                    assert result.code in (0, 1), (kind, result)
                    # listen makes a capture that stays empty, and takes back the URL of --ready-file.
                    assert output.command == "listen" or (there and (kind == "schema" or there != content)), (kind, result)
                    marks_of(folder / "out").unlink(missing_ok=True)
                    sent = len(server.requests)
                else:
                    assert_refused(output, "out", server.url, folder)
            assert len(server.requests) == sent, f"{output} sent something before it was refused"


def test_a_report_says_what_to_do():
    for output in OUTPUTS:
        if output.option == "report":
            folder = prepared(output)
            (folder / "out").write_bytes(SAMPLES["notes"])
            result = assert_refused(output, "out", ":1", folder)
            assert f"is not a report of credhook ({output.format}); not replaced" in result.err, result
            assert "remove or empty it, or name another file" in result.err, result


def test_nothing_replaces_what_the_run_reads():
    """By another name, as a link, and with --force."""
    for output in OUTPUTS:
        folder = prepared(output)
        os.link(folder / "used.json", folder / "hard")
        (folder / "soft").symlink_to("used.json")
        for name in "used.json", "hard", "soft", "./used.json":
            forced = output._replace(args=[*output.args, "--force"]) if output.option == "output" else output
            result = assert_refused(forced, name, ":1", folder)
            assert "this run" in result.err or output.option == "capture", result


def test_a_link_in_a_folder_leads_nowhere():
    """The user named the folder, and we the files in it."""
    for args, name in ((["build", "user-created", "--force"], "user-created.json"), (["convert", "capture", "--force"], "unknown-1.json")):
        for target in "../mine", "../nothing":
            folder = new_folder()
            (folder / "capture").write_bytes(SAMPLES["capture"])
            (folder / "mine").write_bytes(b"mine")
            (folder / "out").mkdir()
            (folder / "out" / name).symlink_to(target)
            result = credhook(*args, "-o", "out/", cwd=folder).expect(2)
            assert f"'out/{name}' is a link" in result.err, result
            assert (folder / "mine").read_bytes() == b"mine" and not (folder / "nothing").exists(), result
        (folder / "out" / name).unlink()
        os.mkfifo(folder / "out" / name)
        assert "not a plain file" in credhook(*args, "-o", "out/", cwd=folder).expect(2).err


def test_nor_what_the_run_writes_besides():
    """Whether the files are there already or not."""
    for first in ["--results", "r"], ["--resume", "r"], ["--failed-only", "r"]:
        for name in "r", "r.inflight", "./r.inflight":
            for content in None, b"":
                folder = new_folder()
                (folder / "capture").write_bytes(SAMPLES["capture"])
                if first[0] != "--results":
                    (folder / "r").write_bytes(SAMPLES["results"])
                elif content is not None:
                    (folder / name).write_bytes(content)
                before = sorted(os.listdir(folder))
                result = credhook("replay", "capture", "--to", ":1", *first, "--report", f"html={name}", cwd=folder).expect(2)
                assert "this run" in result.err and sorted(os.listdir(folder)) == before, result
    for name in "same", "./same":
        result = credhook("listen", "0", "--capture", "same", "--ready-file", name, cwd=(folder := new_folder())).expect(2)
        assert "this run" in result.err and not os.listdir(folder), result


def test_the_names_of_keys_and_certificates_are_not_taken():
    folder = new_folder()
    for option in "--cert", "--cacert", "--key":
        (folder / "k.pem").write_bytes(SAMPLES["junit"])
        result = credhook("send", "bureau-alert", "--to", "https://127.0.0.1:1", "--cert", "k.pem", option, "k.pem",
                          "--report", "junit=k.pem", cwd=folder).expect(2)
        assert "this run" in result.err and (folder / "k.pem").read_bytes() == SAMPLES["junit"], result
    for options in ["--tls-cert", "k.pem"], ["--tls-cert", "c.pem", "--tls-key", "k.pem"], \
            ["--tls-self-signed", "--tls-client-ca", "k.pem"]:
        result = credhook("listen", "0", *options, "--ready-file", "k.pem", cwd=folder).expect(2)
        assert "this run" in result.err and (folder / "k.pem").read_bytes() == SAMPLES["junit"], result


def test_no_name_promises_compression():
    for output in OUTPUTS:
        for name in "out.gz", "out.GZ", "out.json.gz":
            folder = prepared(output)
            if output.compressed:
                assert played(output, name, ":1", folder).code in (0, 1), output
            else:
                result = assert_refused(output, name, ":1", folder)
                assert "compressed" in result.err and "hint: " in result.err, result


def test_devices_and_fifos_are_written():
    with FaultServer(answer(200)) as server:
        for output in OUTPUTS:
            folder = prepared(output)
            assert played(output, "/dev/null", server.url, folder).code in (0, 1), output
            os.mkfifo(folder / "fifo")
            kept = os.open(folder / "fifo", os.O_RDWR)  # or its reader may come too late
            with subprocess.Popen(["cat", "fifo"], cwd=folder, stdout=subprocess.PIPE) as reader:
                result = played(output, "fifo", server.url, folder)
                os.close(kept)
                assert result.code in (0, 1), result
                # A capture without a notification has nothing.
                assert (reader.communicate()[0] != b"") == (output.option != "capture"), result


def assert_is_whole(output, path):
    """It is one report, page, document, and not two."""
    there = path.read_bytes()
    if output.option in ("report", "output"):
        assert there and (there.count(there[:24]) == 1 or output.format == "github"), (output, there)


def test_a_folder_below_dev_is_a_folder():
    """What a file is the file says, not the name of its folder."""
    with FaultServer(answer(200)) as server, tempfile.TemporaryDirectory(dir="/dev/shm") as shm:
        for path in Path(shm, "out"), Path("/proc/self/cwd/out"):
            for output in OUTPUTS:
                folder = prepared(output)
                there = folder / "out" if path.is_relative_to("/proc") else path
                for turn in range(2):
                    if turn == 1 and output.option in ("results", "output"):
                        there.unlink()
                    result = played(output, path, server.url, folder)
                    assert result.code in (0, 1), result
                    if output.option != "ready-file":
                        assert_is_whole(output, there)
                for left in there.parent.glob("out*"):
                    assert left.name == "out", left
                    left.unlink()


def mounted(output, to, folder, more=""):
    """Runs it where `out` is a file of its own file system's, as with -v FILE:FILE of a container."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode != 0:
        raise Skip("no namespaces here")
    script = f'touch out && mount --bind file out {more} && exec "$@"'
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", binary(), *arguments(output, "out", to)], cwd=folder,
                          env=environment(), capture_output=True, check=False)
    assert (folder / "out").read_bytes() == b"", output
    return done


def test_what_is_mounted_alone_is_written_where_it_is():
    with FaultServer(answer(200)) as server:
        for output in OUTPUTS:
            folder = prepared(output)
            file = folder / "file"
            for kind in ["empty", "notes", *sorted(output.replaces)]:
                content = SAMPLES.get(kind, b"")
                file.write_bytes(content)
                before = len(server.requests)
                done = mounted(output, server.url, folder)
                if kind in {"empty"} | output.replaces:
                    assert done.returncode in (0, 1), (kind, done)
                    if output.option == "ready-file":
                        assert file.read_bytes() == b"", done
                    elif output.option != "capture":
                        assert_is_whole(output, file)
                else:
                    assert done.returncode == 2 and file.read_bytes() == content, (kind, done)
                    assert len(server.requests) == before, done
            assert {path.name for path in folder.iterdir()} <= {"out", "out.inflight", "file", "capture", "used.json"}
            if output.option == "report":
                file.write_bytes(b"")
                before = len(server.requests)
                done = mounted(output, server.url, folder, "&& mount -o remount,bind,ro out")
                assert done.returncode == 3 and b"Read-only file system" in done.stderr, done
                assert is_portable() or len(server.requests) == before, done  # elsewhere it shows at the end


def test_a_mount_that_only_shows_at_the_end():
    """Where the system does not say which files are mounted."""
    with FaultServer(answer(200)) as server:
        for output in OUTPUTS:
            if output.option in ("report", "output"):
                folder = prepared(output)
                (folder / "out").write_bytes(b"")
                env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "mounted", "FAIL_PATH": folder / "out"}
                inode = (folder / "out").stat().st_ino
                assert played(output, "out", server.url, folder, env).code in (0, 1), output
                assert_is_whole(output, folder / "out")
                assert (folder / "out").stat().st_ino == inode
                assert {path.name for path in folder.iterdir()} <= {"out", "capture", "used.json"}


def test_a_file_system_without_locks():
    """What two processes could write at once is not written; what is only read is. Its type is named where it is mounted in
    sight: in a root that is a folder of it, it is not."""
    device = new_folder().stat().st_dev
    is_known = not is_portable() and f" {os.major(device)}:{os.minor(device)} " in Path("/proc/self/mountinfo").read_text()
    with FaultServer(answer(200)) as server:
        for name, words in ("ENOLCK", "No locks available"), ("ENOSYS", "Function not implemented"), ("EOPNOTSUPP", "Operation not supported"):
            for output in OUTPUTS:
                if name != "ENOLCK" and output.option not in ("results", "capture"):
                    continue
                folder = prepared(output)
                out = folder / "out"
                env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "flock", "FAIL_ERRNO": name, "FAIL_PATH": out, "FAIL_WHEN": folder}
                sent = len(server.requests)
                result = played(output, "out", server.url, folder, env)
                if output.option in ("results", "capture"):
                    assert result.code == 3 and len(server.requests) == sent, result
                    assert f"cannot lock 'out': {words}{' (' if is_known else chr(10)}" in result.err, result
                    assert "hint: name a file on a file system" in result.err, result
                    assert not out.exists(), "what was made is left behind"
                else:
                    assert result.code in (0, 1), result
            # Results and captures that are there can be read.
            (folder / "out").write_bytes(SAMPLES["results"])
            env["FAIL_PATH"] = folder / "out"
            credhook("replay", "capture", "--failed-only", "out", "--dry-run", "--to", ":1", cwd=folder, env=env).expect(0)
            credhook("replay", "capture", "--resume", "out", "--to", server.url, cwd=folder, env=env).expect(3)


def test_a_descriptor_is_added_to():
    """/dev/fd/N, whatever is there; but not what the run reads."""
    folder = new_folder()
    (folder / "invalid.json").write_text("{}")
    for name in REPORTS:
        for there, code in (("notes", 1), ("invalid.json", 2)):
            before = (folder / there).read_bytes() if (folder / there).exists() else b""
            with open(folder / there, "ab") as out:
                done = subprocess.run([binary(), "validate", "invalid.json", "--report", f"{name}=/dev/fd/{out.fileno()}"],
                                      pass_fds=[out.fileno()], cwd=folder, env=environment(), capture_output=True, check=False)
            after = (folder / there).read_bytes()
            assert done.returncode == code and after.startswith(before) and (len(after) > len(before)) == (code == 1), done


def test_a_listener_that_runs_has_its_files():
    """What --ready-file names is written over again by the next one."""
    folder = new_folder()
    for _ in range(2):
        with Listener("--ready-file", folder / "url") as listener:
            assert (folder / "url").read_text() == f"{listener.url}\n"
            listener.kill()


def test_the_url_of_a_listener_replaces_no_other_text():
    folder = new_folder()
    notes = folder / "notes.txt"
    for text in "precious\n", "http://127.0.0.1:1", "http://127.0.0.1:1\nprecious\n", "http://127.0.0.1:1 precious\n":
        notes.write_text(text)
        result = credhook("listen", "0", "--timeout", "1ms", "--ready-file", "notes.txt", cwd=folder).expect(2)
        assert "is not the URL of a listener; not replaced" in result.err and notes.read_text() == text, result
    for text in "", "https://[::1]:65535\n":
        notes.write_text(text)
        credhook("listen", "0", "--timeout", "1ms", "--ready-file", "notes.txt", cwd=folder).expect(0)
        assert not notes.exists()


if __name__ == "__main__":
    run()
