"""JUnit reports as their readers take them: by an XML parser and rules that both junit-10.xsd of Jenkins' xUnit plugin and
Surefire's surefire-test-report.xsd (each suite) have."""

import re
import xml.etree.ElementTree as xml

NUMBERS = ["tests", "failures", "errors"]
ATTRIBUTES = {
    "testsuites": (["name", "time", *NUMBERS], []),
    "testsuite": (["name", "time", *NUMBERS, "skipped", "timestamp"], []),
    "testcase": (["name", "classname", "time"], []),
    "failure": (["type"], ["message"]),
    "error": (["type"], ["message"]),
    "skipped": ([], ["message"]),
    "system-out": ([], []),
}
INNER = {"testsuites": {"testsuite"}, "testsuite": {"testcase"}, "testcase": {"failure", "error", "skipped", "system-out"}}


def _check_attributes(element):
    required, allowed = ATTRIBUTES[element.tag]
    names = set(element.keys())
    assert set(required) <= names <= {*required, *allowed}, (element.tag, names)
    for name in names & {*NUMBERS, "skipped"}:
        assert re.fullmatch("[0-9]+", element.get(name)), element.attrib
    if "time" in names:
        assert re.fullmatch(r"[0-9]+\.[0-9]{3}", element.get("time")), element.attrib
    if "timestamp" in names:
        assert re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z", element.get("timestamp")), element.attrib
    for name in names & {"name", "classname", "type"}:
        assert element.get(name), element.attrib
    assert {child.tag for child in element} <= INNER.get(element.tag, set()), element.tag
    for child in element:
        _check_attributes(child)


def _check_counts(element):
    found = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error", "skipped": "testcase/skipped"}
    for name in found.keys() & element.keys():
        assert int(element.get(name)) == len(element.findall(found[name])), (name, element.attrib)


def junit_cases(text):
    """The test cases of a report that is as it should be."""
    assert not re.search("  |\\s>", "".join(re.findall("<test[^>]*>", text if isinstance(text, str) else text.decode())))
    root = xml.fromstring(text)
    assert root.tag == "testsuites"
    _check_attributes(root)
    for suite in root:
        _check_counts(suite)
    for name in NUMBERS:
        assert int(root.get(name)) == sum(int(suite.get(name)) for suite in root), (name, root.attrib)
    total = sum(round(float(suite.get("time")) * 1000) for suite in root)
    assert abs(round(float(root.get("time")) * 1000) - total) <= len(root), (total, root.attrib)
    cases = root.findall("testsuite/testcase")
    assert all(len(case) <= 1 for case in cases)
    return cases


def failures(cases):
    """(name, type, message, lines) of those that failed."""
    found = [(case, case.find("failure")) for case in cases]
    return [(case.get("name"), failure.get("type"), failure.get("message"), (failure.text or "").splitlines())
            for case, failure in found if failure is not None]
