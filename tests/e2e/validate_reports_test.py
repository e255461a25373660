#!/usr/bin/python3
"""Each report of `credhook validate` checked against its own format, over payloads and file names that want to break it.

JUnit by an XML parser, SARIF 2.1.0 by its structural rules, GitHub annotations by undoing their escapes. The verdicts in all of them have to be those of --json.

    CREDHOOK=build/credhook tests/e2e/validate_reports_test.py
"""
import json
import os
import re
import subprocess
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree as xml
from pathlib import Path

from reports import failures, junit_cases

CREDHOOK = os.path.abspath(os.environ.get("CREDHOOK", "build/credhook"))

HOSTILE = ["\x1b[31mred\x1b[0m", "]]>&<\"'", "::error::x", "a\nnot ok - b", "%0A%25", "\u202edrow", "\ufffe\uffff", "é日本",
           "\u0000", "# SKIP", "...", "---", "\x7f\x85", "😀"]
NAMES = [b"plain.json", b"a b&<>\"'.json", b"::error::x.json", b"line\nbreak.json", b"esc\x1b[31m.json", b"\xff\xfe.json",
         b"#skip \\ %41:,.json", "日本.json".encode(), b"-dash.json"]


def credhook(*args, cwd=None, text=None):
    return subprocess.run([CREDHOOK, *args], cwd=cwd, input=text, stdin=None if text is not None else subprocess.DEVNULL,
                          capture_output=True, timeout=240, check=False)


def built(event, *more):
    done = credhook("build", event, "--seed", "1", *more)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write_inputs(folder):
    """One file per hostile name, and one line per hostile text in a key, a value, a path and a method."""
    for number, name in enumerate(NAMES):
        payload = built("user-created")
        if number % 2:
            payload["details"][HOSTILE[number % len(HOSTILE)]] = 1
            del payload["details"]["appKey"]
        path = os.path.join(os.fsencode(folder), name)
        with open(path, "wb") as file:
            file.write(json.dumps(payload, ensure_ascii=False).encode())
    with open(folder / "texts.ndjson", "wb") as file:
        for text in HOSTILE:
            for place in ("key", "value", "path", "method", "status", "ok"):
                payload = built("bureau-alert" if place == "status" else "user-created")
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


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="credhook-reports-")
        cls.folder = Path(cls.holder.name)
        (cls.folder / "in").mkdir()
        write_inputs(cls.folder / "in")
        cls.arguments = ["validate", "-q", "in", "absent.json", "--report", "junit=out/a/j.xml", "--report", "sarif=out/s.sarif"]
        cls.json = credhook(*cls.arguments, "--json", cwd=cls.folder)
        cls.lines = [json.loads(line) for line in cls.json.stdout.decode().split("\n") if line]
        cls.findings = [finding for line in cls.lines for finding in line["findings"]]

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def read(self, name):
        return (self.folder / "out" / name).read_bytes().decode()  # UTF-8, or an error

    def test_every_input_is_told(self):
        self.assertEqual(self.json.returncode, 3)
        self.assertEqual(len(self.lines), len(NAMES) + 6 * len(HOSTILE) + 1)
        self.assertGreater(len(self.findings), 50)

    def test_junit(self):
        cases = junit_cases(self.read("a/j.xml"))
        root = xml.fromstring((self.folder / "out/a/j.xml").read_bytes())
        names = [suite.get("name") for suite in root]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(names), len(NAMES) + 2)  # texts.ndjson and absent.json
        self.assertEqual(len(cases), len(self.lines) + 1)
        failed = [case.find("failure") is not None for case in cases if case.find("error") is None]
        self.assertEqual(failed, [not line["valid"] for line in self.lines])
        self.assertEqual(int(root.get("errors")), 1)
        for case in cases:
            self.assertNotRegex(case.get("classname"), r"\.(json|ndjson|jsonl|gz)\Z")
        for _, kind, message, lines in failures(cases):
            self.assertTrue(message)
            self.assertIn(f"[{kind}]", "\n".join(lines))

    def test_sarif(self):
        text = self.read("s.sarif")
        log = json.loads(text)
        self.assertEqual(log["version"], "2.1.0")
        run, = log["runs"]
        driver = run["tool"]["driver"]
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        self.assertEqual(run["columnKind"], "unicodeCodePoints")
        self.assertRegex(driver["informationUri"], "^https?://")
        for rule in driver["rules"]:
            self.assertIn(rule["id"], rule["help"]["text"])
            self.assertTrue(rule["shortDescription"]["text"])
            self.assertIn(rule["defaultConfiguration"]["level"], ("none", "note", "warning", "error"))
        seen = []
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.assertTrue(result["message"]["text"])
            self.assertRegex(result["partialFingerprints"]["primaryLocationLineHash"], r"\A[0-9a-f]{16}:1\Z")
            location, = result["locations"]
            place = location["physicalLocation"]
            uri = place["artifactLocation"]["uri"]
            self.assertRegex(uri, r"^[A-Za-z0-9._~/%-]+$")
            self.assertTrue((os.path.exists(os.path.join(os.fsencode(self.folder), urllib.parse.unquote_to_bytes(uri)))))
            region = place["region"]
            self.assertTrue(all(isinstance(value, int) and value >= 1 for value in region.values()))
            self.assertGreaterEqual((region["endLine"], region["endColumn"]), (region["startLine"], region["startColumn"]))
            self.assertEqual(len(location["logicalLocations"]), 1)
            seen.append((result["ruleId"], result["level"], region["startLine"], region["startColumn"]))
        self.assertEqual(seen, [(f["finding"], f["severity"], f["line"], f["column"]) for f in self.findings])
        invocation, = run["invocations"]
        self.assertIs(invocation["executionSuccessful"], False)
        self.assertEqual(invocation["exitCode"], 3)
        self.assertEqual(len(invocation["toolExecutionNotifications"]), 1)
        self.assertIn("absent.json", invocation["toolExecutionNotifications"][0]["message"]["text"])

    def test_github(self):
        done = credhook("validate", "-q", "in", "--format", "github", cwd=self.folder)
        text = done.stdout.decode()
        self.assertNotRegex(text.replace("\n", ""), "[\x00-\x1f\x7f]")
        seen = []
        for line in filter(None, text.split("\n")):
            command = re.fullmatch(r"::(error|warning) ([^:]*)::(.*)", line)
            self.assertIsNotNone(command, line)
            properties = dict(item.split("=", 1) for item in command.group(2).split(","))
            self.assertLessEqual(set(properties), {"file", "line", "endLine", "col", "endColumn", "title"})
            self.assertTrue(command.group(3))
            seen.append((properties["title"], command.group(1), int(properties["line"]), int(properties["col"])))
        self.assertEqual(seen, [(f["finding"], f["severity"], f["line"], f["column"]) for f in self.findings])

    def test_findings_that_are_not_listed_are_counted(self):
        payload = built("monitoring-service-enrolled")
        payload["details"].update({f"k{number}": 1 for number in range(1500)})
        (self.folder / "many.ndjson").write_text(json.dumps(payload) + "\n" + json.dumps(built("bureau-alert")) + "\n"
                                                 + json.dumps(payload) + "\n")
        reports = [f"--report={form}=many.{form}" for form in ("sarif", "junit")]
        done = credhook("validate", "-q", "many.ndjson", "--format", "github", *reports, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = "and 500 more findings in this payload"
        lines = done.stdout.decode().splitlines()
        self.assertEqual(len(lines), 2002)
        self.assertEqual([line for line in lines if not line.startswith("::warning ")],
                         [f"::notice file=many.ndjson,line={line},title=unlisted::{words}" for line in (1, 3)])
        run, = json.loads((self.folder / "many.sarif").read_text())["runs"]
        self.assertEqual(len(run["results"]), 2002)
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertTrue(all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"]))
        for result, line in zip((result for result in run["results"] if result["ruleId"] == "unlisted"), (1, 3), strict=True):
            self.assertEqual((result["level"], result["message"]["text"]), ("note", words))
            place, = result["locations"]
            self.assertEqual(place["physicalLocation"], {"artifactLocation": {"uri": "many.ndjson"}, "region": {"startLine": line}})
        self.assertEqual((self.folder / "many.junit").read_text().count(words), 2)

    def test_code_scanning_gets_no_more_results_than_it_takes(self):
        payload = built("monitoring-service-enrolled")
        payload["details"].update({f"k{number}": 1 for number in range(999)})
        (self.folder / "lots.ndjson").write_text((json.dumps(payload) + "\n") * 26)
        credhook("validate", "-q", "lots.ndjson", "--report", "sarif=lots.sarif", cwd=self.folder)
        run, = json.loads((self.folder / "lots.sarif").read_text())["runs"]
        self.assertEqual(len(run["results"]), 25000)
        note, = run["invocations"][0]["toolExecutionNotifications"]
        self.assertEqual((note["level"], note["message"]["text"]),
                         ("note", "974 further results are left out: code scanning takes 25000 of a run"))

    def test_a_result_keeps_its_fingerprint_when_it_moves(self):
        lines = [json.dumps(built("user-created", "--break", f"missing-key:details.{key}"), ensure_ascii=False)
                 for key in ("appKey", "firstName")]

        def prints(text):
            done = credhook("validate", "-q", "-", "--lines", "--report", "sarif=-", text=text.encode())
            return [result["partialFingerprints"]["primaryLocationLineHash"]
                    for result in json.loads(done.stdout)["runs"][0]["results"]]
        first, second = prints(f"{lines[0]}\n{lines[1]}\n")
        self.assertNotEqual(first, second)
        self.assertEqual(prints(f"\n{lines[1]}\n\n\n{lines[0]}\n"), [second, first])

    def test_a_report_on_stdout_is_alone_there(self):
        for form, begins in (("junit", b"<?xml"), ("sarif", b'{"$schema"')):
            done = credhook("validate", "in/line\nbreak.json", "--report", f"{form}=-", cwd=self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stdout.startswith(begins), done.stdout)
            self.assertNotIn(b"  ^", done.stdout)
        suites = xml.fromstring(credhook("validate", "in/plain.json", "--report", "junit=-", cwd=self.folder).stdout)
        self.assertEqual(suites.get("tests"), "1")
        self.assertFalse((self.folder / "-").exists())
        for option in ("--json",), ("--format", "github"), ("--coverage",):
            done = credhook("validate", "in", *option, "--report", "sarif=-", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_names_are_those_that_ci_systems_know(self):
        for given, name in {"./in//plain.json": "in/plain.json", str(self.folder / "in/./plain.json"): str(self.folder / "in/plain.json"),
                            "../" + self.folder.name + "/in/plain.json": "../" + self.folder.name + "/in/plain.json"}.items():
            suites = xml.fromstring(credhook("validate", given, "--report", "junit=-", cwd=self.folder).stdout)
            self.assertEqual([suite.get("name") for suite in suites], [name])
        done = credhook("validate", "-", text=b"{}", cwd=self.folder)
        self.assertTrue(done.stdout.startswith(b"<stdin>:1:1: error: "), done.stdout)
        suites = xml.fromstring(credhook("validate", "--report", "junit=-", text=b"{}", cwd=self.folder).stdout)
        self.assertEqual([suite.get("name") for suite in suites], ["<stdin>"])

    def test_inputs_that_cannot_be_read_are_listed_within_bounds(self):
        name = "x" * 200
        inputs = [f"{name}{number}" for number in range(6000)]
        credhook("validate", "-q", "--format", "github", "--report", "sarif=absent.sarif", *inputs, cwd=self.folder)
        text = (self.folder / "absent.sarif").read_text()
        notices = json.loads(text)["runs"][0]["invocations"][0]["toolExecutionNotifications"]
        self.assertLess(len(text), 3 << 19)
        self.assertIn(f"'{name}...'", notices[0]["message"]["text"])
        self.assertEqual(notices[-1]["message"]["text"], "6000 inputs could not be read in all; the last ones may not be listed")

    def test_text_obeys_nobody(self):
        done = credhook("validate", "in", cwd=self.folder)
        self.assertNotRegex((done.stdout + done.stderr).decode().replace("\n", ""), "[\x00-\x1f\x7f\x80-\x9f\u202e]")

    def test_an_unfinished_run_leaves_no_report_and_no_rest(self):
        folder = self.folder / "full"
        folder.mkdir()
        (folder / "old.xml").write_text("as it was")
        done = subprocess.run(["sh", "-c", "ulimit -f 8; exec \"$0\" validate -q ../in ../in ../in ../in --format github "
                               "--report junit=old.xml >/dev/null", CREDHOOK], cwd=folder, capture_output=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(b"cannot write 'old.xml'", done.stderr)
        self.assertEqual((folder / "old.xml").read_text(), "as it was")
        self.assertEqual([path.name for path in folder.iterdir()], ["old.xml"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
