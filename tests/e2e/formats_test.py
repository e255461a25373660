"""Other tools' captures are read: their notifications, in order, with the places of findings; the rest is counted."""
# rooms: capture cmd/args

import base64
import gzip
import json
import subprocess

from captures import alert, entry, har, other, sent, write
from support import SANITIZE, FaultServer, answer, binary, credhook, environment, new_folder, run

def test_only_notifications_are_sent():
    text = har(other(), entry(alert(1), 1), other("POST", 2), other("OPTIONS", 3), entry(alert(2), 4),
               other("POST", 5, "a=1", postData={"mimeType": "application/x-www-form-urlencoded", "text": "a=1"}))
    bodies, result = sent(write(text, "x.har"))
    assert bodies == [alert(1), alert(2)], result
    assert "6 entries: 2 notifications, 4 others" in result.err, result
    assert "s3cret" not in result.out + result.err


def test_any_name_any_way():
    text = har(entry(alert(1)), other())
    for path in (write(text, "capture"), write(text, "x.json"), write(text, "x.ndjson"), write("\ufeff \n" + text, "x.har"),
                 write(gzip.compress(text.encode()), "x.har.gz")):
        assert sent(path)[0] == [alert(1)], path
        assert "1 payload: 1 valid" in credhook("validate", path).expect(0).err
        with FaultServer(answer(200)) as server:
            credhook("send", "--file", path, "--to", server.url).expect(0)
            assert [request.body.decode() for request in server.requests] == [alert(1)]
    assert sent("-", stdin=text)[0] == [alert(1)]
    assert "1 entry" in credhook("validate", "-", stdin=har(entry(alert(1)))).expect(0).err


def test_other_browsers():
    firefox = entry(alert(1), startedDateTime="x", httpVersion="HTTP/1.1",
                    headers=[{"name": "Host", "value": "hooks.example"}, {"name": "Content-Type", "value": "application/json"},
                             {"name": "Content-Length", "value": str(len(alert(1)))}], bodySize=len(alert(1)),
                    postData={"mimeType": "application/json", "params": [], "text": alert(1)})
    firefox["startedDateTime"] = "2026-01-02T04:04:05.123+01:00"
    safari = entry(alert(2), headers=[{"name": "Content-Type", "value": "application/json"}], bodySize=-1)
    safari["startedDateTime"] = "2026-01-02T03:04:06.001Z"
    pairs = entry(alert(3), 7, headers=[["Content-Type", "application/json;charset=utf-8"]])
    no_type = entry(alert(4), 8, headers=[])
    text = har(firefox, safari, pairs, no_type, indent=2)
    bodies, result = sent(write(text, "x.har"), "--dry-run", env={"TZ": "UTC"})
    assert "received from 2026-01-02 03:04:05 to 2026-01-02 03:04:08" in result.out, result
    assert sent(write(text, "x.har"))[0] == [alert(n) for n in (1, 2, 3, 4)]


def test_bodies_in_base64():
    encoded = base64.b64encode(alert(1).encode()).decode()
    bytes_ = b'{"service":"\xff","details":{}}'
    lossy = {"text": base64.b64encode(bytes_).decode(), "encoding": "base64", "size": len(bytes_)}
    text = har(entry(alert(1), postData={"mimeType": "application/json", "text": encoded, "encoding": "base64"}),
               entry(bytes_.decode("latin-1"), bodySize=len(bytes_), _content=lossy, postData={"mimeType": "application/json"},
                     headers=[]))
    bodies, _ = sent(write(text, "x.har"))
    assert bodies == [alert(1), bytes_.decode("utf-8", "surrogateescape")], bodies


def test_the_order_of_the_file_stays():
    """And a note where it is not the order of time."""
    numbers = [5, 3, 3, 9, 1, 7]
    text = har(*(entry(alert(index), second) for index, second in enumerate(numbers)), other(second=2))
    for path, stdin in ((write(text, "x.har"), None), ("-", text), (write(gzip.compress(text.encode()), "x.har.gz"), None)):
        bodies, result = sent(path, stdin=stdin)
        assert bodies == [alert(index) for index in range(6)] and "not in the order of time" in result.err, result
    _, result = sent(write(har(*(entry(alert(1), second) for second in (1, 2, 2))), "x.har"))
    assert "order of time" not in result.err, result


def test_selection_and_resume():
    path = write(har(*(entry(alert(second), second) for second in (4, 1, 2, 3)), other(second=9)), "x.har")
    assert sent(path, "--since", "2026-01-02T03:04:03Z")[0] == [alert(4), alert(3)]
    assert sent(path, "--record", "1,2")[0] == [alert(4), alert(1)]
    assert sent(path, "--where", "details.alertId=2")[0] == [alert(2)]
    results = new_folder() / "results.ndjson"
    first = write(har(*(entry(alert(second), second) for second in (4, 1))), "first.har")
    assert sent(first, "--results", results)[0] == [alert(4), alert(1)]
    bodies, result = sent(path, "--resume", results)
    assert bodies == [alert(2), alert(3)] and "skipped 2 already finished" in result.err, result


def test_the_recorded_response_is_compared():
    one, two = entry(alert(1), 1), entry(alert(2), 2)
    two["response"]["status"] = 0  # blocked
    _, result = sent(write(har(one, two), "x.har"), "--compare", status=200)
    assert "1 of" not in result.out, result
    one["response"]["status"] = 422
    _, result = sent(write(har(one, two), "x.har"), "--compare", code=1, status=200)
    assert "different status" in result.out + result.err, result


BAD = {
    "its body is not in the file": entry(alert(1), postData={"mimeType": "application/json", "text": ""}),
    "lost the bytes that are not UTF-8": entry(alert(1, x="\ufffd"), bodySize=3, headers=[]),
    "bytes, more than were captured": entry(alert(1), headers=[["Content-Length", "12"]], bodySize=12),
    "its body is not base64": entry(alert(1), postData={"mimeType": "application/json", "text": "?", "encoding": "base64"}),
    "its header 2 is not a valid HTTP header": entry(alert(1), headers=[["A", "b"], ["X-Y", "1\r\nHost: evil"]]),
    "its header 1 is not a valid HTTP header": entry(alert(1), url="http://b/hook", headers=[{"name": "Host"}]),
    "its URL contains a space": entry(alert(1), url="http://a/ HTTP/1.1\r\nX: y"),
    "it has no URL": entry(alert(1), url=None),
    "its headers are not an array": entry(alert(1), headers={"A": "b"}),
    "its Content-Length is not a number": entry(alert(1), headers=[["Content-Length", "1" * 20]]),
    "its body is not a string": entry(alert(1), bodySize=-1, headers=[["Content-Length", "5"]], postData={"text": 1}),
}


def test_what_cannot_be_read_is_named_and_never_sent():
    for words, bad in BAD.items():
        path = write(har(entry(alert(7), 1), bad, entry(alert(8), 2), indent=1), "x.har")
        bodies, result = sent(path, code=1)
        if words == "its body is not a string":
            words = "its body is not in the file"
        assert bodies == [alert(7), alert(8)], (words, bodies)
        assert "x.har: entry 2: skipped: line " in result.err and words in result.err, result
        result = credhook("validate", path).expect(1)
        assert "3 payloads: 2 valid, 1 invalid" in result.err and words in result.out, result


def test_a_body_that_is_not_there_is_missed():
    """What says that it is JSON has one, whatever its exporter leaves out; unless its length is 0."""
    kind = {"mimeType": "application/json"}
    absent = entry(alert(1), bodySize=-1)
    del absent["request"]["postData"]
    gone = [absent] + [entry(alert(1), bodySize=-1, postData=post) for post in ({}, None, "", {**kind, "params": []}, {**kind, "text": ""})]
    gone.append(entry(alert(1), bodySize=-1, headers=[], postData={**kind, "params": []}))
    text = har(entry(alert(4), 4), *gone, entry(alert(1), bodySize=0, postData=None))
    bodies, result = sent(write(text, "x.har"), code=1)
    assert bodies == [alert(4)] and "9 entries: 1 notification, 1 other, 7 not readable" in result.err, result
    assert result.err.count("its body is not in the file") == 7, result
    assert credhook("validate", write(text, "x.har")).expect(1).out.count("its body is not in the file") >= 3


def test_bodies_in_other_files_are_said_once():
    """Playwright's recordHar with content: 'attach'."""
    attached = {"mimeType": "application/json", "text": "", "params": [], "_file": "1f0a.json"}
    text = har(other(), *(entry(alert(number), number, postData=attached, bodySize=size) for number in (1, 2, 3) for size in (-1, 99)),
               entry(alert(4), 4))
    bodies, result = sent(write(text, "x.har"), code=1)
    assert bodies == [alert(4)] and "8 entries: 1 notification, 1 other, 6 not readable" in result.err, result
    assert result.err.count("skipped: ") == 1 and "its body is in another file" in result.err, result
    assert "content: 'embed'" in result.err, result
    result = credhook("validate", write(text, "x.har")).expect(1)
    assert result.out.count("its body is in another file") == 1 and "fix: record it with content: 'embed'" in result.out, result


def test_a_time_that_is_none():
    bad = entry(alert(1))
    bad["startedDateTime"] = "yesterday"
    bodies, result = sent(write(har(bad, entry(alert(2))), "x.har"), code=1)
    assert bodies == [alert(2)] and "entry 1: skipped: " in result.err and "is not a time" in result.err, result


def test_replaced_characters_that_were_there():
    body = alert(1, x="\ufffd")
    assert sent(write(har(entry(body)), "x.har"))[0] == [body]


def test_broken_files():
    text = har(entry(alert(1), 1), entry(alert(2), 2), other())
    for cut in (len(text) - 1, len(text) - 3, text.index('"alertId\\":2') + 3, text.rindex("GET")):
        bodies, result = sent(write(text[:cut], "x.har"), code=1)
        assert bodies[:1] == [alert(1)] and "the file is cut off" in result.err, (cut, result)
    bodies, result = sent(write(text.replace('}, {"_conn', '} {"_conn'), "x.har"), code=1)
    assert bodies == [alert(1)] and "expected ',' or ']'; the rest of the file is skipped" in result.err, result
    bodies, result = sent(write(text + " x", "x.har"), code=1)
    assert bodies == [alert(1), alert(2)] and "entry 4: skipped: " in result.err and "expected '{'" in result.err, result
    bodies, result = sent(write(f"{text}\n{alert(3)}\n", "x.har"), code=1)
    assert bodies == [alert(1), alert(2)] and "entry 4: skipped: " in result.err and "another kind" in result.err, result
    bodies, result = sent(write(text.replace('"time": 3.5', '"time": 03.5', 1), "x.har"), code=1)
    assert bodies == [alert(2)] and "entry 1: skipped: " in result.err and "cannot begin with 0" in result.err, result
    deep = text.replace('"cache": {}', '"cache": ' + "[" * 100000 + "]" * 100000, 1)
    bodies, result = sent(write(deep, "x.har"), code=1)
    assert bodies == [alert(2)] and "nesting deeper than 64" in result.err, result
    many = entry(alert(1), headers=[["A", "b"]] * (10000 if SANITIZE else 1000000))
    assert sent(write(har(many, entry(alert(2))), "x.har"))[0] == [alert(1), alert(2)]


def test_places_of_findings():
    """The line and the column of the escaped body in the file."""
    broken = alert(1).replace('"alertId":1', '"alertId":"1"')
    for indent in (None, 2):
        text = har(other(), entry(alert(1)), entry(broken), indent=indent)
        at = text.rindex(json.dumps('"1"')[1:-1])
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        result = credhook("validate", write(text, "x.har"), "--json").expect(1)
        found = [row["findings"] for row in result.json()]
        assert found[0] == [] and found[1][0]["finding"] == "wrong-type", found
        assert (found[1][0]["line"], found[1][0]["column"]) == (line, column), (found, line, column)


def test_send_checks_them():
    broken = alert(1).replace('"alertId":1', '"alertId":"1"')
    path = write(har(other(), entry(broken), entry(alert(2)), indent=1), "x.har")
    with FaultServer(answer(200)) as server:
        result = credhook("send", "--file", path, "--to", server.url).expect(1)
        assert f"{path} entry 2: invalid, not sent (--validate report sends it)" in result.err, result
        column = broken.index('"1"') + 1
        assert f"{path} entry 2:1:{column}: error: " in result.err, result
        row = next(row for row in credhook("send", "--file", path, "--to", server.url, "--json").expect(1).json()
                   if row["type"] == "not_sent")
        assert (row["input"], row["record"]) == (str(path), 2), row
        assert [request.body.decode() for request in server.requests] == [alert(2)] * 2


def test_from_a_pipe_that_stays_open_nothing_is_lost():
    text = har(*(entry(alert(number), number % 60) for number in range(300)))
    bodies, _ = sent("-", stdin=text)
    assert bodies == [alert(number) for number in range(300)]


def test_what_comes_before_truncated_gzip_data_is_sent():
    packed = gzip.compress(har(entry(alert(1)), entry(alert(2))).encode())[:-9]
    bodies, result = sent(write(packed, "x.har.gz"), code=3)
    assert bodies == [alert(1), alert(2)] and "the gzip data is truncated" in result.err, result


def test_times_far_apart():
    far = entry(alert(2))
    far["startedDateTime"] = "9999-12-31T23:59:59Z"
    assert "9999-12-31" in sent(write(har(entry(alert(1)), far), "x.har"), "--dry-run")[1].out


def test_compressed_bodies_stay():
    packed = gzip.compress(alert(1).encode())
    content = {"text": base64.b64encode(packed).decode(), "encoding": "base64", "size": len(packed)}
    coded = entry("", bodySize=len(packed), _content=content, postData={"mimeType": "application/json"},
                  headers=[["Content-Type", "application/json"], ["Content-Encoding", "gzip"]])
    path = write(har(coded, entry(alert(2), 1)), "x.har")
    assert ["Content-Encoding", "gzip"] in credhook("convert", path, "--format", "ndjson").expect(0).json()[0]["headers"]
    with FaultServer(answer(200)) as server:
        result = credhook("replay", path, "--to", server.url).expect(0)
        assert [request.body for request in server.requests] == [packed, alert(2).encode()]
    assert "2 entries: 2 notifications" in result.err, result


def test_bodies_that_the_exporter_decoded_lose_the_headers_of_the_coding():
    """Browsers show what was sent, and keep the headers of how it was sent."""
    length = str(len(alert(1)))
    type_, host = ["content-type", "application/json"], ["Host", "hooks.example"]
    plain = [["x-a", "1"], ["content-encoding", "identity"], type_, ["content-length", length], ["x-b", "2"]]
    for coding in ("gzip", "br"):
        coded = [["x-a", "1"], ["content-encoding", coding], type_, ["content-length", "99"], ["x-b", "2"]]
        for headers, size, expected in ((coded, 99, [["x-a", "1"], type_, ["x-b", "2"], host]), (plain, int(length), [*plain, host])):
            path = write(har(entry(alert(1), headers=headers, bodySize=size)), "x.har")
            row, = credhook("convert", path, "--format", "ndjson").expect(0).json()
            assert (row["body"], row["headers"]) == (alert(1), expected), row
            assert sent(path)[0] == [alert(1)]


def test_findings_of_a_pipe_are_printed_as_they_come():
    command = [binary(), "validate", "-"]
    begin = har()[:-len("]}}")].replace('"pages"', f'"comment": "{"x" * 65536}", "pages"')  # longer than the look
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment()) as process:
        for number in (1, 2):
            one = json.dumps(entry(alert(number).replace('"bureau":"b"', '"bureau":1')))
            process.stdin.write(((begin if number == 1 else ",\n") + one).encode())
            process.stdin.flush()
            while b"wrong-type" not in process.stdout.readline():
                assert process.poll() is None
        process.stdin.write(b"]}}")
        process.stdin.close()
        assert process.wait() == 1 and b"2 entries: 2 notifications" in process.stderr.read()


def test_nothing_but_others():
    path = write(har(other()), "x.har")
    _, result = sent(path, code=1)
    assert "nothing to replay: no notification in the inputs" in result.err, result
    result = credhook("validate", path).expect(1)
    assert "no payload in the inputs" in result.err and "hint" not in result.err, result


if __name__ == "__main__":
    run()
