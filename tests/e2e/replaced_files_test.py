"""Files of others stay: inputs, captures and results are not replaced."""
# rooms: base capture

import fcntl
import gzip
import os
import subprocess

from captures import marks_of, record, write_capture
from support import (DEADLINE, FaultServer, Listener, answer, binary, credhook, environment, hang, launch, new_folder,
                     run)


def folder_state(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_refused(folder, *args, says="not replaced"):
    """Exit 2, and every file of the folder is as it was."""
    before = folder_state(folder)
    result = credhook(*args, cwd=folder).expect(2)
    assert says in result.err and "hint: " in result.err, result
    assert folder_state(folder) == before, result


def test_a_report_does_not_replace_an_input():
    folder = new_folder()
    capture = write_capture(2, folder=folder)
    os.link(capture, folder / "hard")
    (folder / "soft").symlink_to(capture)
    (folder / "payload.json").write_text("{}")
    (folder / "empty.json").write_text("")
    inside = folder / "in"
    inside.mkdir()
    (inside / "a.json").write_text("{}")
    for report in "capture.ndjson", "./capture.ndjson", "hard", "soft":
        for form in "junit", "sarif":
            assert_refused(folder, "validate", "capture.ndjson", "--report", f"{form}={report}")
        assert_refused(folder, "validate", "capture.ndjson", "--report", "junit=new/first.xml", "--report", f"sarif={report}")
    assert not (folder / "new").exists()
    assert_refused(folder, "validate", "payload.json", "empty.json", "--report", "junit=empty.json")
    assert_refused(folder, "validate", "in", "--report", "sarif=in/a.json")


def test_two_reports_do_not_go_to_one_file():
    """By whatever name, there already or not."""
    folder = new_folder()
    (folder / "payload.json").write_text("{}")
    (folder / "old").write_text("")
    (folder / "soft").symlink_to("old")
    (folder / "here").symlink_to(".")
    for first, second in (("new", "./new"), ("new", f"{folder}/new"), ("here/new", "new"), ("old", "./old"), ("soft", "old")):
        before = folder_state(folder)
        result = credhook("validate", "payload.json", "--report", f"junit={first}", "--report", f"sarif={second}",
                          cwd=folder).expect(2)
        assert f"two outputs go to '{second}'" in result.err and folder_state(folder) == before, result


def test_who_owned_a_file_that_is_replaced_owns_it_still():
    folder = new_folder()
    page = folder / "page.html"
    for _ in range(2):
        credhook("convert", write_capture(1), "-o", page, cwd=folder).expect(0)
        if os.geteuid() == 0:  # nobody else may give files away
            os.chown(page, 4711, 815)
    credhook("convert", write_capture(2), "-o", page, cwd=folder).expect(0)
    assert os.geteuid() != 0 or (page.stat().st_uid, page.stat().st_gid) == (4711, 815), page.stat()


def test_standard_input_is_an_input_too():
    folder = new_folder()
    (folder / "payload.json").write_text("{}")
    with open(folder / "payload.json", "rb") as given:
        done = subprocess.run([binary(), "validate", "--report", "sarif=payload.json"], stdin=given, cwd=folder,
                              env=environment(), capture_output=True, check=False)
    assert done.returncode == 2 and b"not replaced" in done.stderr, done
    assert (folder / "payload.json").read_text() == "{}"


def test_our_own_stdout_is_written_behind_what_it_has_unless_it_is_an_input():
    folder = new_folder()
    records = write_capture(2, folder=folder).read_bytes()
    (folder / "payload.json").write_text("{}")
    (folder / "other.ndjson").write_bytes(records)
    for args, output, code in (
        (["convert", "capture.ndjson", "-o", "/dev/stdout"], "other.ndjson", 0),
        (["validate", "payload.json", "--report", "junit=/dev/stdout"], "other.ndjson", 1),
        (["convert", "capture.ndjson", "-o", "/dev/stdout"], "capture.ndjson", 2),
        (["validate", "capture.ndjson", "--report", "junit=/dev/stdout"], "capture.ndjson", 2),
    ):
        before = (folder / output).read_bytes()
        with open(folder / output, "ab") as out:
            done = subprocess.run([binary(), *args], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                  cwd=folder, env=environment(), check=False)
        after = (folder / output).read_bytes()
        assert done.returncode == code and after.startswith(before) and (len(after) > len(before)) == (code != 2), done


def test_nothing_replaces_a_capture_or_results():
    folder = new_folder()
    write_capture(2, folder=folder)
    (folder / "payload.json").write_text("{}")
    with FaultServer(answer(200)) as server:
        credhook("send", "user-created", "--to", server.url, "--results", folder / "results").expect(0)
    (folder / "x.har").write_text('{"log":{"version":"1.2","creator":{},"entries":[]}}')
    (folder / "user-created.json").write_bytes(record(1))
    for name in "capture.ndjson", "results", "x.har":
        assert_refused(folder, "validate", "payload.json", "--report", f"junit={name}")
        assert_refused(folder, "listen", "0", "--limit", "1", "--ready-file", name)
    assert_refused(folder, "build", "user-created", "-o", "./")


def test_what_is_read_is_not_replaced():
    folder = new_folder()
    (folder / "bureau-alert.json").write_text('{"details":{"bureau":"b"}}')
    assert_refused(folder, "build", "bureau-alert", "--merge", "bureau-alert.json", "-o", "./")
    (folder / "body").write_text("hello")
    assert_refused(folder, "listen", "0", "--body", "@body", "--ready-file", "body")
    result = credhook("listen", "0", "--capture", "same", "--ready-file", "same", cwd=folder).expect(2)
    assert "this run" in result.err and not (folder / "same").exists(), result


def test_the_configuration_and_the_script_are_not_replaced():
    """Whether a command reads the configuration or not, by whatever way it is named, and whatever is in it."""
    folder = new_folder()
    (folder / "payload.json").write_text("{}")
    (folder / "config.json").write_text('{"environments":{"production":{"url":"http://h/"}}}')
    (folder / "soft").symlink_to("config.json")
    (folder / "empty").write_text("{}")
    (folder / "x" / "credhook").mkdir(parents=True)
    (folder / "x" / "credhook" / "config.json").write_text("{}")
    script = folder / "scenario"
    script.write_text("listen 0\nuse listener\nsend user-created\nexpect user-created\n")
    lines = script.read_text()
    for env, option, path in (({}, ["--config", "empty"], "empty"), ({"CREDHOOK_CONFIG": "empty"}, [], "./empty"),
                              ({"CREDHOOK_CONFIG": "empty"}, ["--no-config"], "empty"),
                              ({"XDG_CONFIG_HOME": folder / "x"}, [], "x/credhook/config.json"),
                              ({}, [], "config.json"), ({}, [], "soft"), ({}, [], "scenario")):
        before = folder_state(folder)
        commands = [["validate", "payload.json", "--report", f"junit={path}"],
                    ["listen", "0", "--timeout", "1ms", "--ready-file", path]]
        for args in commands if path != "scenario" else []:
            result = credhook(*option, *args, cwd=folder, env=env).expect(2)
            assert "not replaced" in result.err and folder_state(folder) == before, result
        script.write_text(lines + f"validate payload.json --report sarif={path}\n")
        before = folder_state(folder)
        result = credhook(*option, "shell", "-f", "scenario", cwd=folder, env=env).expect(2)
        assert "not replaced" in result.err and folder_state(folder) == before, result
        if path not in ("config.json", "scenario"):
            continue
        with open(script, "rb") as given:
            done = subprocess.run([binary(), *option, "shell"], stdin=given, cwd=folder, env=environment(env),
                                  capture_output=True, check=False)
        assert done.returncode == 2 and folder_state(folder) == before, done


# What -o of each command names, and what else it is given.
WRITERS = [
    ("one.json", ["build", "bureau-alert", "--seed", "1"]), ("lines.ndjson", ["build", "all", "--seed", "1"]),
    ("d/bureau-alert.json", ["build", "bureau-alert", "--seed", "1"]), ("x.ndjson", ["convert", "capture.ndjson"]),
    ("x.ndjson.gz", ["convert", "capture.ndjson"]), ("x.har", ["convert", "capture.ndjson"]),
    ("schema.json", ["schema"]), ("schema.json", ["schema", "--json"]),
    ("openapi.json", ["schema", "--format", "openapi"]),
]


def test_one_rule_for_a_file_that_is_there():
    """-o of build, convert and schema, without --force and with it."""
    folder = new_folder()
    write_capture(2, folder=folder)
    (folder / "d").mkdir()

    def written(name, args, code=0):
        output = "d/" if name.startswith("d/") else name
        return credhook(*args, "-o", output, cwd=folder).expect(code)

    own = {}
    for name, args in WRITERS:
        written(name, args)
        own[name, args[-1]] = (folder / name).read_bytes()
        (folder / name).unlink()
    credhook("convert", "capture.ndjson", "-o", "page.html", cwd=folder).expect(0)
    made = [None, b"", (folder / "page.html").read_bytes(), own["schema.json", "schema"], own["schema.json", "--json"],
            own["openapi.json", "openapi"]]
    others = [b"mine\n", record(1), own["x.har", "capture.ndjson"] + b" ", b'{"clientId":"a"}', b"<!DOCTYPE html>\n<title>x</title>",
              b'{"$schema":"https://json-schema.org/draft/2020-12/schema"}', record(1, "Made from the catalogue of credhook.")]
    for name, args in WRITERS:
        path, ours = folder / name, own[name, args[-1]]
        for there in made:
            path.unlink(missing_ok=True)
            if there is not None:
                path.write_bytes(there)
            written(name, args)
            assert path.read_bytes() == ours, (name, there)
        before = path.stat()
        assert ("unchanged" if args[0] != "schema" else "written to") in written(name, args).err, name
        assert args[0] == "schema" or (before.st_ino, before.st_mtime_ns) == (path.stat().st_ino, path.stat().st_mtime_ns), name
        edited = [ours + b"\n", ours[:-1], ours[:50] + bytes([ours[50] ^ 1]) + ours[51:]]
        for there in others if args[0] == "schema" else edited + others:
            path.write_bytes(there)
            state = folder_state(folder)
            result = written(name, args, 2)
            assert "not replaced" in result.err and "--force replaces it" in result.err, result
            assert folder_state(folder) == state, (name, there)
            written(name, [*args, "--force"])
            assert path.read_bytes() == ours, (name, there)
        path.unlink()


def test_what_no_force_replaces():
    folder = new_folder()
    write_capture(2, folder=folder)
    (folder / "config.json").write_text("{}")
    (folder / "d").mkdir()
    with FaultServer(answer(200)) as server:
        credhook("send", "user-created", "--to", server.url, "--results", folder / "results").expect(0)
    with open(folder / "used", "wb") as used:
        used.write(record(1))
        used.flush()
        fcntl.flock(used, fcntl.LOCK_EX)  # as a listener does
        for name in ("results", "config.json", "used", "capture.ndjson"):
            for _, args in WRITERS:
                if name == "capture.ndjson" and args[0] != "convert" or "all" in args or "--json" in args:
                    continue
                (folder / "d" / "bureau-alert.json").unlink(missing_ok=True)
                (folder / "d" / "bureau-alert.json").symlink_to(folder / name)
                for output in (name, "d/") if args[1:2] == ["bureau-alert"] else (name,):
                    more = ["--format", "ndjson"] if args[0] == "convert" else []
                    assert_refused(folder, "--config", "config.json", *args, *more, "-o", output, "--force")
    (folder / "patch").write_text("{}")
    assert_refused(folder, "build", "bureau-alert", "--merge", "patch", "-o", "./patch", "--force")


def assert_nothing_replaces(folder, name, says):
    """Neither -o, --force or not, nor a report or the file of a URL."""
    for args in (["build", "bureau-alert"], ["schema"], ["convert", "capture.ndjson", "--format", "har"]):
        for force in [], ["--force"]:
            assert_refused(folder, *args, "-o", name, *force, says=says)
    assert_refused(folder, "validate", "payload.json", "--report", f"junit={name}", says=says)
    assert_refused(folder, "listen", "0", "--limit", "1", "--ready-file", name, says=says)


def test_a_capture_that_is_empty_yet_is_not_replaced():
    folder = new_folder()
    write_capture(2, folder=folder)
    (folder / "payload.json").write_text("{}")
    with Listener("--capture", folder / "live") as listener:
        assert (folder / "live").read_bytes() == b""
        assert_nothing_replaces(folder, "live", "is written by another process; not replaced")
        listener.stop().expect(0)
    credhook("build", "user-created", "-o", "live", cwd=folder).expect(0)


def test_results_without_a_line_and_marks_are_not_replaced():
    """While the run lasts, and after it was killed."""
    folder = new_folder()
    write_capture(2, folder=folder)
    (folder / "payload.json").write_text("{}")
    with FaultServer(hang()) as server:
        process = launch("replay", "capture.ndjson", "--to", server.url, "--results", "rr", cwd=folder,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.wait_requests(1, DEADLINE)
        assert (folder / "rr").read_bytes() == b"" and marks_of(folder / "rr").exists()
        assert_nothing_replaces(folder, "rr", "is written by another process; not replaced")
        process.kill()
        process.wait()
    assert_nothing_replaces(folder, "rr", "has the results of an unfinished run; not replaced")
    assert_nothing_replaces(folder, "rr.inflight", "has what an unfinished run had in flight; not replaced")


def test_what_was_read_in_part_is_not_put_into_a_place():
    """An input that ends too early is exit 3; what can be read goes to stdout alone."""
    folder = new_folder()
    whole = gzip.compress(b"".join(record(n, os.urandom(500).hex()) for n in range(1000)))
    (folder / "cut.gz").write_bytes(whole[:len(whole) // 2])
    kept = write_capture(2, folder=folder).read_bytes()
    for args in (["capture.ndjson", "--force"], ["new.ndjson"], ["new.har.gz"], ["new.html"], ["new.ndjson", "--redact"]):
        result = credhook("convert", "cut.gz", "-o", *args, cwd=folder).expect(3)
        assert "not all of the input could be read" in result.err and f"'{args[0]}' not written" in result.err, result
        assert sorted(os.listdir(folder)) == ["capture.ndjson", "cut.gz"], result
        assert (folder / "capture.ndjson").read_bytes() == kept, result
    for args in ([], ["-o", "/dev/stdout"]):
        result = credhook("convert", "cut.gz", *args, cwd=folder).expect(3)
        assert result.out.count("\n") > 100 and "not written" not in result.err, result


def test_devices_are_never_there_and_a_name_says_how_many():
    folder = new_folder()
    write_capture(2, folder=folder)
    for _ in range(2):
        for args in (["build", "bureau-alert"], ["convert", "capture.ndjson"], ["schema"]):
            credhook(*args, "-o", "/dev/null", cwd=folder).expect(0)
            assert credhook(*args, "-o", "-", cwd=folder).expect(0).out
    for args, says in ((["all", "-o", "x.json"], "there are 25"), (["all", "-o", "new"], "end it with / for a file of each"),
                       (["bureau-alert", "--count", 2, "-o", "x.json"], "there are 2"),
                       (["all", "-o", "x.ndjson", "--pretty"], "--pretty does not go with lines"),
                       (["all", "--force"], "--force")):
        assert says in credhook("build", *args, cwd=folder).expect(2).err, args
    assert sorted(os.listdir(folder)) == ["capture.ndjson"]
    credhook("build", "all", "-o", "x.jsonl", cwd=folder).expect(0)
    credhook("build", "all", "-o", "new/", cwd=folder).expect(0)
    credhook("build", "bureau-alert", "-o", "one", cwd=folder).expect(0)
    assert (folder / "one").read_text().count("\n") > 5 and (folder / "x.jsonl").read_text().count("\n") == 25
    assert "25 valid" in credhook("validate", "x.jsonl", cwd=folder).expect(0).err and len(os.listdir(folder / "new")) == 25


def test_a_link_to_a_new_file_stays_one():
    folder = new_folder()
    (folder / "d").mkdir()
    (folder / "link").symlink_to("d/other")
    (folder / "d" / "other").symlink_to("../new")
    credhook("build", "bureau-alert", "-o", "link", cwd=folder).expect(0)
    assert (folder / "link").is_symlink() and (folder / "d" / "other").is_symlink()
    assert (folder / "new").read_text().startswith("{")


def test_names_that_are_empty_or_promise_compression_are_refused():
    folder = new_folder()
    (folder / "kept").write_text("kept")
    for args in (["build", "bureau-alert"], ["schema"]):
        assert_refused(folder, *args, "-o", "x.json.gz", says="not compressed")
    for args in (["build", "bureau-alert", "-o"], ["listen", "0", "--capture"], ["send", "bureau-alert", "--cacert"]):
        assert_refused(folder, *args, "", says="the name of a file is empty")


def test_how_many_were_written_before_one_is_refused():
    folder = new_folder()
    credhook("build", "all", "-o", "d/", cwd=folder).expect(0)
    files = sorted((folder / "d").iterdir())
    names = [line for line in credhook("build", "all", "-o", "e/", "-v", cwd=folder).expect(0).err.splitlines()]
    third = names[2].replace("/", "-").replace(" ", "-") + ".json"
    for path in files:
        path.unlink()
    (folder / "d" / third).write_text("other")
    error = credhook("build", "all", "-o", "d/", cwd=folder).expect(2).err
    assert "2 files written to d/" in error and third in error and len(list((folder / "d").iterdir())) == 3, error


def test_files_that_are_nobodys_are_replaced():
    folder = new_folder()
    (folder / "payload.json").write_text("{}")
    for _ in range(2):
        credhook("validate", "payload.json", "--report", "junit=r.xml", "--report", "sarif=r.sarif", cwd=folder).expect(1)
        credhook("build", "all", "-o", "fixtures/", "--force", cwd=folder).expect(0)
        credhook("validate", "fixtures", "--report", "sarif=fixtures/sarif", cwd=folder).expect(0)
    (folder / "url").write_text("http://127.0.0.1:1\n")
    with Listener("--ready-file", folder / "url") as listener:
        assert (folder / "url").read_text() == f"{listener.url}\n"
        listener.stop().expect(0)


if __name__ == "__main__":
    run()
