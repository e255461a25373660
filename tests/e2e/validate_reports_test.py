#!/usr/bin/python3
"""Each report of `credhook validate` checked against its own format, over payloads and file names that want to break it.

JUnit by an XML parser, SARIF 2.1.0 by its structural rules, GitHub annotations by undoing their escapes. The verdicts in
all of them have to be those of --json.
"""
# rooms: cmd/validate json payload report
import json
import os
import re
import subprocess
import urllib.parse
import xml.etree.ElementTree as xml

from captures import entry, har
from reports import failures, junit_cases
from support import binary, built, credhook, environment, failing_disk, new_folder, run

HOSTILE = ["\x1b[31mred\x1b[0m", "]]>&<\"'", "::error::x", "a\nnot ok - b", "%0A%25", "\u202edrow", "\ufffe\uffff", "é日本",
           "\u0000", "# SKIP", "...", "---", "\x7f\x85", "😀"]
NAMES = [b"plain.json", b"a b&<>\"'.json", b"::error::x.json", b"line\nbreak.json", b"esc\x1b[31m.json", b"\xff\xfe.json",
         b"#skip \\ %41:,.json", "日本.json".encode(), b"-dash.json"]


def write_inputs(folder):
    """One file per hostile name, and one line per hostile text in a key, a value, a path and a method."""
    for number, name in enumerate(NAMES):
        payload = json.loads(built("user-created"))
        if number % 2:
            payload["details"][HOSTILE[number % len(HOSTILE)]] = 1
            del payload["details"]["appKey"]
        path = os.path.join(os.fsencode(folder), name)
        with open(path, "wb") as file:
            file.write(json.dumps(payload, ensure_ascii=False).encode())
    with open(folder / "texts.ndjson", "wb") as file:
        for text in HOSTILE:
            for place in ("key", "value", "path", "method", "status", "ok"):
                payload = json.loads(built("bureau-alert" if place == "status" else "user-created"))
                if place == "key":
                    payload[text] = text
                elif place == "value":
                    payload["details"]["appKey"] = text
                elif place == "status":
                    payload["details"]["alertDetails"]["disputeStatus"] = text
                elif place != "ok":
                    payload[place] = text
                file.write(json.dumps(payload, ensure_ascii=text != "\u0000").encode("utf-8", "surrogatepass") + b"\n")
        file.write(b'{"a\x1b\xff\n\n')


FOLDER = new_folder()
(FOLDER / "in").mkdir()
write_inputs(FOLDER / "in")
JSON = credhook("validate", "-q", "in", "absent.json", "--report", "junit=out/a/j.xml", "--report", "sarif=out/s.sarif",
                "--json", cwd=FOLDER)
LINES = JSON.json()
FINDINGS = [finding for line in LINES for finding in line["findings"]]


def read(name):
    return (FOLDER / "out" / name).read_bytes().decode()  # UTF-8, or an error


def test_every_input_is_told():
    assert JSON.code == 3
    assert len(LINES) == len(NAMES) + 6 * len(HOSTILE) + 1
    assert len(FINDINGS) > 50


def test_junit():
    cases = junit_cases(read("a/j.xml"))
    root = xml.fromstring((FOLDER / "out/a/j.xml").read_bytes())
    names = [suite.get("name") for suite in root]
    assert len(names) == len(set(names))
    assert len(names) == len(NAMES) + 2  # texts.ndjson and absent.json
    assert len(cases) == len(LINES) + 1
    failed = [case.find("failure") is not None for case in cases if case.find("error") is None]
    assert failed == [not line["valid"] for line in LINES]
    assert sum(int(suite.get("errors")) for suite in root) == 1
    for case in cases:
        assert not re.search(r"\.(json|ndjson|jsonl|gz)\Z", case.get("classname"))
    for _, kind, message, lines in failures(cases):
        assert message
        assert f"[{kind}]" in "\n".join(lines)


def test_junit_names_file_and_line_of_each_case():
    """Some readers show nothing else, and keep one of those of one name."""
    folder = new_folder()
    for name in "a.json", "b.json":
        (folder / name).write_text("{}")
    (folder / "c.ndjson").write_text("{}\n{}\n")
    (folder / "d.json").write_bytes(built("user-created"))
    (folder / "e.har").write_text(har(*(entry(built("bureau-alert").decode()) for _ in range(2))))
    files = "a.json", "b.json", "c.ndjson", "d.json", "e.har"
    cases = junit_cases(credhook("validate", *files, "--report", "junit=-", cwd=folder).expect(1).out)
    names = [case.get("name") for case in cases]
    assert names[:5] == ["a.json:1: unknown event", "b.json:1: unknown event", "c.ndjson:1: unknown event",
                         "c.ndjson:2: unknown event", "d.json:1: user-created"], names
    assert len(set(names)) == 7 and all(re.fullmatch(r"e\.har:1:\d+: bureau-alert", name) for name in names[5:]), names


def test_a_failure_is_an_error_whatever_stands_before_it():
    payload = b'{"x":1,' + built("credit-report-ordered", "--break", "wrong-type:details.offCycle")[1:]
    result = credhook("validate", "-", "--report", "junit=-", stdin=payload).expect(1)
    failure = xml.fromstring(result.out_bytes).find(".//failure")
    assert failure.get("type") == "wrong-type" and failure.get("message").startswith("offCycle is a boolean"), result
    assert failure.text.index("[unknown-key]") < failure.text.index("[wrong-type]"), "all of them by place"


def test_sarif():
    text = read("s.sarif")
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    run, = log["runs"]
    driver = run["tool"]["driver"]
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules))
    assert run["columnKind"] == "unicodeCodePoints"
    for rule in driver["rules"]:
        assert rule["id"] in rule["help"]["text"]
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    seen = []
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        assert re.search(r"\A[0-9a-f]{16}:1\Z", result["partialFingerprints"]["primaryLocationLineHash"])
        location, = result["locations"]
        place = location["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert re.search(r"^[A-Za-z0-9._~/%-]+$", uri)
        assert os.path.exists(os.path.join(os.fsencode(FOLDER), urllib.parse.unquote_to_bytes(uri)))
        region = place["region"]
        assert all(isinstance(value, int) and value >= 1 for value in region.values())
        assert (region["endLine"], region["endColumn"]) >= (region["startLine"], region["startColumn"])
        assert len(location["logicalLocations"]) == 1
        seen.append((result["ruleId"], result["level"], region["startLine"], region["startColumn"]))
    assert seen == [(f["finding"], f["severity"], f["line"], f["column"]) for f in FINDINGS]
    invocation, = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 3
    assert len(invocation["toolExecutionNotifications"]) == 1
    assert "absent.json" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_github():
    done = credhook("validate", "-q", "in", "--report", "github=-", cwd=FOLDER)
    text = done.out_bytes.decode()
    assert not re.search("[\x00-\x1f\x7f]", text.replace("\n", ""))
    seen = []
    for line in filter(None, text.split("\n")):
        command = re.fullmatch(r"::(error|warning) ([^:]*)::(.*)", line)
        assert command is not None, line
        properties = dict(item.split("=", 1) for item in command.group(2).split(","))
        assert set(properties) <= {"file", "line", "endLine", "col", "endColumn", "title"}
        assert command.group(3)
        seen.append((properties["title"], command.group(1), int(properties["line"]), int(properties["col"])))
    assert seen == [(f["finding"], f["severity"], f["line"], f["column"]) for f in FINDINGS]


def test_findings_that_are_not_listed_are_counted():
    payload = json.loads(built("monitoring-service-enrolled"))
    payload["details"].update({f"k{number}": 1 for number in range(1500)})
    (FOLDER / "many.ndjson").write_text(json.dumps(payload) + "\n" + json.dumps(json.loads(built("bureau-alert"))) + "\n"
                                             + json.dumps(payload) + "\n")
    reports = [f"--report={form}=many.{form}" for form in ("sarif", "junit")]
    done = credhook("validate", "-q", "many.ndjson", "--report", "github=-", *reports, cwd=FOLDER)
    assert done.code == 0, done.err_bytes
    words = "and 500 more findings in this payload"
    lines = done.out_bytes.decode().splitlines()
    assert len(lines) == 2002
    assert [line for line in lines if not line.startswith("::warning ")] == [
        f"::notice file=many.ndjson,line={line},title=unlisted::{words}" for line in (1, 3)]
    run, = json.loads((FOLDER / "many.sarif").read_text())["runs"]
    assert len(run["results"]) == 2002
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    for result, line in zip((result for result in run["results"] if result["ruleId"] == "unlisted"), (1, 3), strict=True):
        assert (result["level"], result["message"]["text"]) == ("note", words)
        place, = result["locations"]
        assert place["physicalLocation"] == {"artifactLocation": {"uri": "many.ndjson"}, "region": {"startLine": line}}
    assert (FOLDER / "many.junit").read_text().count(words) == 2


def test_code_scanning_gets_no_more_results_than_it_takes():
    payload = json.loads(built("monitoring-service-enrolled"))
    payload["details"].update({f"k{number}": 1 for number in range(999)})
    (FOLDER / "lots.ndjson").write_text((json.dumps(payload) + "\n") * 26)
    credhook("validate", "--json", "lots.ndjson", "--report", "sarif=lots.sarif", cwd=FOLDER)
    run, = json.loads((FOLDER / "lots.sarif").read_text())["runs"]
    assert len(run["results"]) == 25000
    note, = run["invocations"][0]["toolExecutionNotifications"]
    assert (note["level"], note["message"]["text"]) == (
        "note", "974 further results are left out: code scanning takes 25000 of a run")


def test_a_result_keeps_its_fingerprint_when_it_moves():
    lines = [json.dumps(json.loads(built("user-created", "--break", f"missing-key:details.{key}")), ensure_ascii=False)
             for key in ("appKey", "firstName")]

    def prints(text):
        done = credhook("validate", "-q", "-", "--lines", "--report", "sarif=-", stdin=text)
        return [result["partialFingerprints"]["primaryLocationLineHash"]
                for result in json.loads(done.out_bytes)["runs"][0]["results"]]
    first, second = prints(f"{lines[0]}\n{lines[1]}\n")
    assert first != second
    assert prints(f"\n{lines[1]}\n\n\n{lines[0]}\n") == [second, first]


def test_a_report_on_stdout_is_alone_there():
    for form, begins in (("junit", b"<?xml"), ("sarif", b'{"$schema"'), ("html", b"<!DOCTYPE html>")):
        done = credhook("validate", "in/line\nbreak.json", "--report", f"{form}=-", cwd=FOLDER)
        assert done.code == 1
        assert done.out_bytes.startswith(begins), done.out_bytes
        assert b"  ^" not in done.out_bytes
    suites = xml.fromstring(credhook("validate", "in/plain.json", "--report", "junit=-", cwd=FOLDER).out_bytes)
    assert [suite.get("tests") for suite in suites] == ["1"]
    assert not (FOLDER / "-").exists()
    for option in ("--json",), ("--report", "github=-"), ("--coverage",):
        done = credhook("validate", "in", *option, "--report", "sarif=-", cwd=FOLDER)
        assert (done.code, done.out_bytes) == (2, b"")


def test_names_are_those_that_ci_systems_know():
    for given, name in {"./in//plain.json": "in/plain.json", str(FOLDER / "in/./plain.json"): str(FOLDER / "in/plain.json"),
                        "../" + FOLDER.name + "/in/plain.json": "../" + FOLDER.name + "/in/plain.json"}.items():
        suites = xml.fromstring(credhook("validate", given, "--report", "junit=-", cwd=FOLDER).out_bytes)
        assert [suite.get("name") for suite in suites] == [name]
    done = credhook("validate", "-", stdin=b"{}", cwd=FOLDER)
    assert done.out_bytes.startswith(b"<stdin>:1:1: error: "), done.out_bytes
    suites = xml.fromstring(credhook("validate", "--report", "junit=-", stdin=b"{}", cwd=FOLDER).out_bytes)
    assert [suite.get("name") for suite in suites] == ["<stdin>"]


def test_sarif_names_a_file_by_its_shortest_path():
    (folder := new_folder()).joinpath("x").write_text("{}")
    for given, uri in (("./x", "x"), ("x", "x"), (".//./x", "x"), (f"{folder}/./x", f"file://{folder}/x"),
                       (f"../{folder.name}/x", f"../{folder.name}/x")):
        [log] = json.loads(credhook("validate", given, "--report", "sarif=-", cwd=folder).expect(1).out_bytes)["runs"]
        uris = {place["physicalLocation"]["artifactLocation"]["uri"] for result in log["results"] for place in result["locations"]}
        assert uris == {uri}, (given, uris)


def test_inputs_that_cannot_be_read_are_listed_within_bounds():
    name = "x" * 200
    inputs = [f"{name}{number}" for number in range(6000)]
    credhook("validate", "-q", "--report", "github=-", "--report", "sarif=absent.sarif", *inputs, cwd=FOLDER)
    text = (FOLDER / "absent.sarif").read_text()
    notices = json.loads(text)["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert len(text) < 3 << 19
    assert f"'{name}...'" in notices[0]["message"]["text"]
    assert notices[-1]["message"]["text"] == "6000 inputs could not be read in all; the last ones may not be listed"


def test_text_obeys_nobody():
    done = credhook("validate", "in", cwd=FOLDER)
    assert not re.search("[\x00-\x1f\x7f\x80-\x9f\u202e]", (done.out_bytes + done.err_bytes).decode().replace("\n", ""))


def test_an_unfinished_run_leaves_no_report_and_no_rest():
    folder = FOLDER / "full"
    folder.mkdir()
    old = '<testsuites name="credhook validate">'
    (folder / "old.xml").write_text(old)
    done = subprocess.run(["sh", "-c", "ulimit -f 8; exec \"$0\" validate -q \"$@\" --report github=- "
                           "--report junit=old.xml >/dev/null", binary(), *["../in/plain.json"] * 80], cwd=folder, env=environment(),
                          capture_output=True, check=False)
    assert done.returncode == 3, done.stderr
    assert b"cannot write 'old.xml'" in done.stderr
    assert (folder / "old.xml").read_text() == old
    assert [path.name for path in folder.iterdir()] == ["old.xml"]


def assert_reports_need_no_temporary_folder(folder, **extra):
    env = {"TMPDIR": str(folder / "missing"), **extra}
    for report in "junit", "sarif", "html":
        args = "validate", "-q", "in/plain.json", "--report"
        credhook(*args, f"{report}={folder / report}/r", env=env, cwd=FOLDER).expect(0)
        assert [path.name for path in (folder / report).iterdir()] == ["r"]
        assert (folder / report / "r").stat().st_size > 0
        for path in "-", "/dev/null":
            credhook(*args, f"{report}={path}", env=env, cwd=FOLDER).expect(3)


def test_a_report_to_a_file_needs_no_temporary_folder():
    assert_reports_need_no_temporary_folder(new_folder())


def test_nor_does_it_where_each_file_has_a_name():
    assert_reports_need_no_temporary_folder(new_folder(), LD_PRELOAD=failing_disk(), FAIL_CALL="tmpfile")


if __name__ == "__main__":
    run()
