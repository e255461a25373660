#!/usr/bin/python3
"""`listen --expect EVENT,PATH=VALUE`: which notifications count, and what is said of those that are missing."""
# rooms: cmd/args cmd/listen receive

from reports import junit_cases
from support import Listener, binary, built, credhook, new_folder, run


def send(listener, event, *settings):
    credhook("send", event, "--to", listener.url, *(word for text in settings for word in ("--set", text))).expect(0)


def missing(result):
    return [line.removeprefix("missing: ") for line in result.err.splitlines() if line.startswith("missing: ")]


def test_values_count():
    with Listener("--expect", "bureau-alert:2,details.bureau=abc", "--timeout", "60s") as listener:
        for bureau in ("abc", "other", "abcd", "abc"):
            send(listener, "bureau-alert", f"details.bureau={bureau}")
        rows = listener.wait().expect(0).json()[-1]["expected"]
        assert rows == [{"event": "bureau-alert", "wanted": 2, "arrived": 2, "invalid": 0, "others": 2,
                         "instead": [{"values": "details.bureau=other", "count": 1}, {"values": "details.bureau=abcd", "count": 1}],
                         "where": ["details.bureau=abc"]}], rows


def test_each_operator_and_type():
    for value, sent, counts in (
            ("details.alertId=17", "details.alertId=17", True), ("details.alertId=17", "details.alertId=170", False),
            ("details.alertId!=17", "details.alertId=18", True), ("details.alertId!=17", "details.alertId=17", False),
            ("/details/bureau~b", "details.bureau=abc", True), ("details.bureau~b", "details.bureau=ac", False),
            ("details.alertDetails.note=x", "details.alertDetails.note:=\"x\"", True),
            ("details.alertDetails.note=null", "details.alertDetails.note:=null", True),
            ("details.bureau=x:y", "details.bureau=x:y", True), ("details.bureau=\u00e9", "details.bureau:=\"\\u00e9\"", True)):
        with Listener("--expect", f"bureau-alert,{value}") as listener:
            send(listener, "bureau-alert", sent)
            result = listener.wait().expect(0) if counts else listener.stop().expect(1)
            assert bool(missing(result)) != counts, (value, sent, result)


def test_what_is_missing_is_a_line_each():
    with Listener("--expect", "bureau-alert,details.bureau=abc,user-created:2",
                  "--expect", "bureau-alert,details.bureau=abc,details.alertType=t,user-created,details.clientKey=u") as listener:
        send(listener, "bureau-alert", "details.bureau=xyz", "details.alertType=t")
        send(listener, "bureau-alert", "details.bureau=xyz", "details.alertType=s")
        credhook("send", "bureau-alert", "--break", "wrong-type:details.bureau", "--to", listener.url).expect(0)
        result = listener.stop().expect(1)
    assert missing(result) == [
        "bureau-alert,details.bureau=abc: 0 of 1 (came instead: details.bureau=xyz, 2 times; 1 invalid)", "user-created: 0 of 2",
        "bureau-alert,details.bureau=abc,details.alertType=t: 0 of 1 (came instead: details.bureau=xyz, once; "
        "details.bureau=xyz, details.alertType=s, once; 1 invalid)", "user-created,details.clientKey=u: 0 of 1"], result


def test_only_codes_are_named_which_are_few_and_short():
    with Listener("--expect", "user-created,details.clientKey=u", "--expect", "bureau-alert,details.bureau=abc",
                  "--expect", "bureau-alert,details.alertDetails.note=x") as listener:
        send(listener, "user-created", "details.clientKey=5ec7e7aa-0000-4000-8000-000000000000")
        for bureau in ("x1", "x2", "x3", "x4", "x5", "secret" + "-" * 35, "x1", "line\\u001b[31m"):
            send(listener, "bureau-alert", f'details.bureau:="{bureau}"', "details.alertDetails.note:=\"secret\"")
        result = listener.stop().expect(1)
    assert missing(result) == [
        "user-created,details.clientKey=u: 0 of 1 (came instead: other details.clientKey, once)",
        "bureau-alert,details.bureau=abc: 0 of 1 (came instead: details.bureau=x1, 2 times; details.bureau=x2, once; "
        "details.bureau=x3, once; other values, 4 times)",
        "bureau-alert,details.alertDetails.note=x: 0 of 1 (came instead: other details.alertDetails.note, 8 times)"], result
    assert "secret" not in result.err and "5ec7e7" not in result.err, result


def test_reports_have_a_case_for_each():
    folder = new_folder()
    with Listener("--expect", "bureau-alert:2,details.bureau=abc,user-created", "--limit", "9", "--report", f"junit={folder / 'j'}",
                  "--report", f"html={folder / 'h.html'}") as listener:
        send(listener, "user-created")
        send(listener, "bureau-alert", "details.bureau=xyz")
        listener.stop().expect(1)
    cases = junit_cases((folder / "j").read_text())
    assert [(one.get("classname"), one.get("name")) for one in cases] == [
        ("expect", "bureau-alert:2,details.bureau=abc"), ("expect", "user-created"), ("limit", "--limit 9")]
    failed, passed, limit = cases
    assert failed.find("failure").get("message") == "0 of 2 arrived" and failed.find("failure").text == "came instead: details.bureau=xyz, once"
    assert passed.find("failure") is None and limit.find("failure").get("message") == "2 of 9 arrived"
    page = (folder / "h.html").read_text()
    assert "this page has no payloads" in page and "details.bureau=xyz, once" in page and "2 of 3 expectations are not met" in page, page


def test_a_report_is_green_only_where_it_ended_well():
    for options, code, names in ((["--", "sh", "-c", "exit 7"], 7, ["expect", "command"]), (["--", "/absent"], 127, ["credhook listen"]),
                                 (["--validate", "off"], 2, None), (["--ready-file", "/dev/null/x"], 3, ["credhook listen"])):
        file = new_folder() / "j"
        result = credhook("listen", "0", "--expect", "user-created", "--report", f"junit={file}", *options).expect(code)
        bad = [one.get("classname") for one in junit_cases(file.read_text()) if len(one)] if file.exists() else None
        assert bad == names, (options, bad, result)
        if code == 7:
            types = [one.find("failure").get("type") for one in junit_cases(file.read_text())]
            assert types == ["missing", "command-failed"], types


def test_a_report_on_stdout_has_it_alone():
    result = credhook("listen", "0", "--expect", "user-created", "--report", "junit=-", "--", "sh", "-c",
                      f"{binary()} send user-created --to $CREDHOOK_URL").expect(0)
    assert result.out.startswith("<?xml") and "200  user-created" in result.err, result
    assert "--json" in credhook("listen", "0", "--json", "--expect", "user-created", "--report", "junit=-").expect(2).err
    assert "--expect" in credhook("listen", "0", "--report", "junit=x", cwd=new_folder()).expect(2).err


def test_in_the_shell():
    lines = ["listen 127.0.0.1:0", "use listener", "send bureau-alert --set details.bureau=abc",
             "expect bureau-alert,details.bureau=abc", "expect bureau-alert,details.bureau=abc --within 1ms"]
    result = credhook("shell", "-q", stdin="\n".join(lines) + "\n").expect(1)
    assert "expected 1 valid bureau-alert,details.bureau=abc, 0 arrived within 1.0 ms" in result.err, result
    assert "no field" in credhook("shell", stdin="expect bureau-alert,details.burea=abc\n").expect(2).err


def test_many_events_that_are_missing_are_one_line():
    names = ["user-created", "user-token-generated", "bureau-alert:3", "credit-report-ordered", "credit-score-simulated"]
    with Listener(*[word for name in names for word in ("--expect", name)], "--expect", "bureau-alert,details.bureau=abc",
                  "--timeout", "1s") as listener:
        listener.post(built("credit-score-simulated"))
        result = listener.wait().expect(1)
    assert missing(result)[-1] == ("user-created, user-token-generated, bureau-alert:3, credit-report-ordered, "
                                   "bureau-alert,details.bureau=abc: none of them came"), result
    assert len(missing(result)) == 1, result


if __name__ == "__main__":
    run()
