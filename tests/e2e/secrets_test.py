"""Secrets are nowhere in what is printed, however their header is called; and nothing hostile reaches a reader."""
# rooms: cmd/args config http

import base64
import html
import json
from urllib.parse import quote

from captures import record, write_capture
from support import FaultServer, Listener, answer, credhook, new_folder, run, step

SECRET = "s3cret-v4lue"
HEADERS = ("X-Team", "X-Any-Name", "Authorization", "Cookie", "X-Hub-Signature-256", "Idempotency-Key", "Referer")


def given(names=HEADERS):
    return [word for name in names for word in ("-H", f"{name}: {SECRET}")]


def assert_hidden(result):
    assert SECRET not in result.out + result.err, result


def test_no_value_of_a_header_is_printed():
    with FaultServer(*[answer(500)] * 8) as server:
        for args in ([], ["-v"], ["--json"], ["--json", "-v"], ["--retry", "1", "--retry-delay", "0"]):
            assert_hidden(credhook("send", "user-created", "--to", server.url, *given(), *args).expect(1))
        for request in server.requests:
            assert [value for name, value in request.headers if name in HEADERS] == [SECRET] * len(HEADERS)
    for args in (["--dry-run"], ["--dry-run", "--json"], ["--dry-run=curl"]):
        result = credhook("send", "user-created", "--to", ":1", *given(), *args).expect(0)
        assert_hidden(result)
        assert all(name in result.out for name in HEADERS), result


def echo(connection):
    """Sends back what came, as error pages of frameworks do."""
    request = connection.server.requests[-1]
    values = [value for _, value in request.headers] + [request.target]
    text = " ".join([*values, *map(repr, values), *(repr(value.encode()) for value in values), json.dumps(repr(values)), *map(quote, values), *map(html.escape, values), json.dumps(values)]
                    + [base64.b64encode(f"{pad}{value}".encode()).decode() for value in values for pad in ("", "x", "xy")])
    body = text.encode() * 20
    connection.send(b"HTTP/1.1 500 No\r\nContent-Length: %d\r\nServer: %b\r\n\r\n%b" % (len(body), values[-2].encode(), body))
    return True


def test_what_a_listener_echoes_is_hidden():
    secret, folder = 's3cret"<v4lue>&mo\\\'re', new_folder()
    spellings = (secret, repr(secret)[1:-1], json.dumps(repr(secret))[2:-2], "<v4lue>", quote(secret), html.escape(secret), json.dumps(secret)[1:-1], "s3cret", "v4lue",
                 *(base64.b64encode(f"{pad}Bearer {secret}".encode()).decode()[12:24] for pad in ("", "x", "xy")))
    given = ("-H", f"Authorization: Bearer {secret}", "-H", f"X-Key: {secret}")
    capture = write_capture(2, lambda number: record(number, headers=[["X-Recorded", secret]]))
    with FaultServer(step(echo)) as server:
        where = ("--to", f"{server.url.replace('//', '//user:s3cretpass@')}/in?key=s3cretquery")
        for args in ([], ["-v"], ["--json"], ["--json", "-v"], ["--report", f"junit={folder / 'r.xml'}"]):
            for command in (["send", "user-created", *given], ["replay", capture, "--as-recorded"]):
                result = credhook(*command, *where, *args).expect(1)
                seen = result.out + result.err + ((folder / "r.xml").read_text() if args[:1] == ["--report"] else "")
                assert "***" in seen and not [text for text in spellings if text in seen], seen
        seen = credhook("test", *where, *given, "--level", "quick").expect(1)
        assert not [text for text in spellings if text in seen.out + seen.err], seen


def test_what_was_given_encoded_is_hidden_decoded():
    """As a listener has it that says what it has read: of a URL, of Basic, and in JSON with the escapes of .NET."""
    folder = new_folder()
    read = {"said": "key q7Zk+L0pR9/T2vW4== of bob:p@ssw0rd!", "basic": "alice:open+sesame", "password": "open+sesame"}
    spellings = ("q7Zk", "L0pR9", "ssw0rd", "sesame")
    basic = base64.b64encode(b"alice:open+sesame").decode()
    for body in (str(read), json.dumps(read), json.dumps(read).replace("+", "\\u002B").replace("@", "\\u0040")):
        with FaultServer(answer(500, body=body.encode())) as server:
            where = f"{server.url.replace('//', '//bob:p%40ssw0rd%21@')}/h?key=q7Zk%2BL0pR9%2FT2vW4%3D%3D"
            for args in ([], ["--json", "-v"], ["--report", f"junit={folder / 'report'}"]):
                result = credhook("send", "user-created", "--to", where, "-H", f"Authorization: Basic {basic}", *args).expect(1)
                seen = result.out + result.err + ((folder / "report").read_text() if args[:1] == ["--report"] else "")
                assert "key *** of ***" in seen and not [text for text in spellings if text in seen], seen
            result = credhook("test", "deliver/user-created", "--to", where, "--report", f"html={folder / 'page'}").expect(1)
            seen = result.out + result.err + (folder / "page").read_text()
            assert not [text for text in spellings[:3] if text in seen], seen


def test_a_folded_header_is_hidden():
    for blank in (b" ", b"\t"):
        head = b"HTTP/1.1 200 OK\r\nX-Api-Key: k1\r\n%bk2:k3\r\nContent-Length: 0\r\n\r\n" % blank
        with FaultServer(step(lambda connection, head=head: connection.send(head))) as server:
            out = credhook("send", "user-created", "--to", server.url, "-v").expect(0).out
        assert "\n< X-Api-Key: ***\n< ***\n< Content-Length: 0\n" in out, out


def test_a_token_in_the_target_is_in_records_only():
    for args, shown in (((), False), (("-v",), True)):
        with Listener(*args) as listener:
            credhook("send", "user-created", "--no-config", "--to", f"{listener.url}/hook?token={SECRET}").expect(0)
            result = listener.stop().expect(0)
        assert (SECRET in result.out) is shown, result


def test_harmless_values_are_shown():
    names = ("Accept", "User-Agent", "X-Request-Id", "traceparent")
    result = credhook("send", "user-created", "--to", ":1", *given(names), "--dry-run").expect(0)
    assert result.out.count(SECRET) == len(names), result


def test_the_configuration_is_shown_by_the_same_rule():
    config = new_folder() / "config.json"
    config.write_text(json.dumps({"environments": {"sandbox": {
        "url": "http://127.0.0.1:1/", "headers": {"X-Team": SECRET, "Accept": "text/harmless"}}}}))
    for args in ([], ["--json"]):
        result = credhook("config", "--config", config, *args).expect(0)
        assert_hidden(result)
        assert "text/harmless" in result.out and "X-Team" in result.out, result
    assert_hidden(credhook("send", "user-created", "--config", config, "--dry-run=curl").expect(0))


def test_a_value_without_its_name_is_not_quoted():
    for token in (SECRET, f"Bearer {SECRET}", f"{SECRET}\n", f"Bearer {SECRET}: x", f"{SECRET}=:x"):
        for args in (["send", "user-created", "--to", ":1", "-H", token], ["listen", "0", "--respond-header", token]):
            if args[0] == "listen" and ":" in token:
                continue  # which is a header there
            result = credhook(*args).expect(2)
            assert_hidden(result)
            assert "header" in result.err, result


def test_a_value_behind_a_header_without_quotes_is_not_shown():
    capture = write_capture(1)
    lines = [["send", "user-created", "--to", ":1", "-H"], ["send", "--to", ":1", "-H"], ["replay", capture, "--to", ":1", "-H"],
             ["test", "--to", ":1", "-H"], ["test", "deliver", "--to", ":1", "-H"], ["test", "--failed", "--to", ":1", "-H"],
             ["listen", "--respond-header"], ["listen", "0", "--respond-header"],
             ["listen", "0", "--forward-to", ":1", "-H"]]
    for line in lines:
        option = "respond-header" if "--respond-header" in line else "header"
        for header, name in (("X-Api-Key:", "X-Api-Key"), ("trace:", "trace"), ("Authorization:Bearer", "Authorization")):
            result = credhook(*line, header, SECRET).expect(2)
            assert_hidden(result)
            assert f"the header '{name}' and its value are two words" in result.err, result
            assert f"put both in quotes: --{option} '{name}: VALUE'" in result.err, result
        assert_hidden(credhook(*line, "Authorization:", "Bearer", SECRET).expect(2))
        assert_hidden(credhook(*line, "Bearer", SECRET).expect(2))
    for behind in (["--bogus"], ["--", "true"]):
        assert_hidden(credhook("listen", "0", "--respond-header", "X-Api-Key:", SECRET, *behind).expect(2))
    # A header without a value is one that is not sent, and what stands behind it may be an operand.
    credhook("send", "--to", ":1", "--dry-run", "-H", "Accept:", "user-created").expect(0)
    credhook("test", "--to", ":1", "--list", "-H", "Accept:", "deliver").expect(0)
    assert "'delivery' is not a check" in credhook("test", "--to", ":1", "-H", "Accept:", "deliver", "delivery").expect(2).err


def test_no_error_shows_the_secrets_of_a_url():
    url = f"http://me:{SECRET}@h/"
    folder = new_folder()
    configurations = ({"environments": {url: 1}}, {"environments": {f"{SECRET} x": 1}}, {f"{SECRET} x": 1},
                      {"environments": {"e": {"url": "http://h/", "headers": {f"{SECRET} x": "1"}}}},
                      {"environments": {"e": {"url": "http://h/", "headers": {f"{SECRET} x": 1}}}})
    for number, configuration in enumerate(configurations):
        (folder / f"{number}.json").write_text(json.dumps(configuration))
    for args in (["listen", "0", url], ["listen", f"http://127.0.0.1:0/hook?token={SECRET}"],
                 ["listen", url], ["listen", "0", "--allow", url], ["listen", "0", "--path", url], ["events", url],
                 ["config", url], ["explain", url], ["build", url], [url],
                 ["validate", "--require", url], ["send", "user-created", "--to", ":1", "--rate", url],
                 ["send", "user-created", "--to", ":1", "--connect-to", url],
                 ["send", "user-created", "--to", ":1", "--connect-to", f"{url}127.0.0.1"],
                 ["send", "user-created", "--to", ":1", "-x", f"http://u:{SECRET}@x/y z"],
                 *(["config", "--config", folder / f"{number}.json"] for number in range(len(configurations)))):
        for more in ([], ["--json"]):
            assert_hidden(credhook(*more, *args).expect(2))
    for command, code in (("validate", 2), ("shell", 2), ("show", 3)):
        assert_hidden(credhook(command, url).expect(code))


def test_a_recorded_target_that_makes_no_url_is_not_shown_with_its_token():
    capture = write_capture(1, lambda n: record(n).replace(b'"/hook', f'"/hook?token={SECRET} x'.encode()))
    assert SECRET in capture.read_text()
    results = new_folder() / "results"
    with FaultServer(answer(200)) as server:
        for args in ([], ["--json"], ["--results", results]):
            result = credhook("replay", capture, "--to", server.url, "--as-recorded", *args)
            assert_hidden(result)
            assert "token=***" in result.out + result.err, result
    assert SECRET not in results.read_text() and "token=***" in results.read_text()


def test_a_scenario_that_stops_does_not_repeat_a_secret():
    script = new_folder() / "scenario"
    script.write_text(f"send user-created --to http://127.0.0.1:1/ -H 'X-Team: {SECRET}'\n")
    for args in ([], ["-v"]):
        assert_hidden(credhook(*args, "shell", "-f", script).expect(4))


def test_an_error_quotes_a_part_of_an_argument():
    long = "x" * 5000
    for args in (["validate", long], ["send", long, "--to", ":1"], ["listen", long], ["explain", long],
                 ["send", "user-created", "--to", f":1/{long}", f"--{long}"], [long], ["validate", "--report", long], ["listen", "--path", long], ["listen", "0", f"/{long}"],
                 ["listen", f"127.0.0.1:0/{long}"]):
        result = credhook(*args)
        assert result.code in (2, 3), result
        assert "x" * 150 in result.err and "x" * 201 not in result.err and "x..." in result.err, result
    for args, stdin, code in ((["shell"], f"listen {long}\n", 2), (["shell"], f"listen https://{long}\n", 2),
                              (["-v", "shell"], f"help {long}\n", 2),
                              (["replay", write_capture(1), "--dry-run", "--to", ":1", "--keyed", long], "", 1)):
        result = credhook(*args, stdin=stdin).expect(code)
        assert "x" * 90 in result.err and "x" * 201 not in result.err, result


def test_unseen_characters_are_escaped():
    hostile = "\u200b\u200f\u2060\ufeff\u2028\u202e\u2066\u061c\u00ad\ufff9\u3164\u1160\U000e0041"
    shown = "".join(f"\\u{{{ord(c):04X}}}" for c in hostile)
    result = credhook("validate", f"no{hostile}file").expect(3)
    assert shown in result.err and not any(c in result.err for c in hostile), result
    folder = new_folder()
    (folder / "bad.json").write_text(json.dumps({"service": hostile}, ensure_ascii=False))
    result = credhook("validate", "bad.json", cwd=folder).expect(1)
    assert shown[:40] in result.out and not any(c in result.out for c in hostile), result


if __name__ == "__main__":
    run()
