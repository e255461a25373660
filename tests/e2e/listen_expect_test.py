#!/usr/bin/python3
"""`listen --expect EVENT,PATH=VALUE`: which notifications count, and what is said of those that are missing."""

from support import Listener, credhook, run


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
        send(listener, "bureau-alert", "details.bureau=secret", "details.alertType=t")
        send(listener, "bureau-alert", "details.bureau=secret")
        credhook("send", "bureau-alert", "--break", "wrong-type:details.bureau", "--to", listener.url).expect(0)
        result = listener.stop().expect(1)
    assert missing(result) == [
        "bureau-alert,details.bureau=abc: 0 of 1 (2 came with other values; 1 invalid)", "user-created: 0 of 2",
        "bureau-alert,details.bureau=abc,details.alertType=t: 0 of 1 (2 came with other values; 1 invalid)",
        "user-created,details.clientKey=u: 0 of 1"], result
    assert "secret" not in result.err, result


def test_in_the_shell():
    lines = ["listen 127.0.0.1:0", "use listener", "send bureau-alert --set details.bureau=abc",
             "expect bureau-alert,details.bureau=abc", "expect bureau-alert,details.bureau=abc --within 1ms"]
    result = credhook("shell", "-q", stdin="\n".join(lines) + "\n").expect(1)
    assert "expected 1 valid bureau-alert,details.bureau=abc, 0 arrived within 1.0 ms" in result.err, result
    assert "no field" in credhook("shell", stdin="expect bureau-alert,details.burea=abc\n").expect(2).err


if __name__ == "__main__":
    run()
