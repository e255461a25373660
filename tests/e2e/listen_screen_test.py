#!/usr/bin/python3
"""What a person sees of listen: the line of a notification at several widths, in colour and without, the summary."""
# rooms: cmd/list cmd/listen receive

import json
import re
import signal
import subprocess

from screen import Seen
from support import FaultServer, answer, binary, built, credhook, environment, new_folder, raw, request, run

TRACEBACK = b"Traceback (most recent call last):\n  File \"app.py\", line 41, in post\nKeyError: 'path'\n"


USER, ALERT = built("user-created"), built("bureau-alert")
LONG = built("authentication-question-retrieval-succeeded")
WRONG = built("credit-report-ordered", "--break", "wrong-type:details.offCycle")


def post(url, body, target="/"):
    host, port = re.match(r"http://(.*):(\d+)", url).groups()
    data = request(body, target, "Content-Type: application/json\r\n")
    assert raw(host, int(port), data, count=1).startswith(b"HTTP/1.1 ")


def forwarded():
    """What the target says to what SENT has, in order."""
    bodies = [(200, b""), (500, TRACEBACK), (404, b'{\n  "error": "' + b"x" * 100 + b'"\n}'), (200, b""), (200, b"")]
    return [answer(status, body=body, headers=[("Connection", "close")]) for status, body in bodies]


SENT = [(USER, "/"), (ALERT, "/"), (LONG, "/hook?key=secret"), (WRONG, "/"), (USER, "/")]


def screen(columns, env=None, *args):
    """The lines of a listener at a terminal that forwards what SENT has, until Ctrl-C ends it."""
    with FaultServer(*forwarded()) as target:
        words = [binary(), "listen", "0", "--forward-to", target.url, *args]
        with Seen(words, environment(env), new_folder(), columns, 60) as session:
            url = session.until_text(r"listening on (http://[\d.:]+), forwarding to\s+http:").group(1)
            for number, (body, path) in enumerate(SENT, 1):
                post(url, body, path)
                session.until_text(rf"^\d\d:\d\d:\d\d +#{number} ")
            session.type("\x03")
            assert session.until_end() == 0
            return session.screen.text()


def test_a_line_fits_the_terminal():
    """Names are cut in their middle, and what does not fit is on a line of its own: nothing wraps."""
    for columns in 60, 80, 100:
        lines = screen(columns)
        for line in lines:
            assert re.match(r"\d\d:\d\d:\d\d +#\d  |  |listening on|POST /|5 received", line), (columns, lines)
            assert len(line) <= columns, (columns, line)
        text = "\n".join(lines)
        assert re.search(r"#1  user-created\s+valid    \u2192 200  [\d.]+ (us|ms)$", text, re.M), text
        assert re.search(r"#2  bureau-alert\s+valid    \u2192 500  [\d.]+ (us|ms)(\n {13}|  )KeyError: 'path' \(app\.py:41\)$", text,
                         re.M), text
        assert re.search(r"^POST /hook\n.* #3  authe\S+\s+valid    \u2192 404\s+[\d.]+ .s\s+{", text, re.M), text
        assert text.count("POST /hook\n") == 1 and ("..." in text.split("#3 ")[1].split()[0]) == (columns < 62), text
        assert '{ "error": "xxx' in text and "secret" not in text, text
        assert re.search(r'#4 .*\s+invalid  \u2192 200 [^:]* POST /\n {13}details\.offCycle[^[]*\[wrong-type\]\n {17}.*offCycle"', text), text
        assert re.search(r"#5 [^P]*repeat of #1 after [\d.]+ m?s$", text, re.M | re.S), text
        assert "^C" not in text, text
        assert re.search(r"5 received: 4 valid, 1 invalid, 1 repeated; forwarded: 3 \u00d7 200, 1 \u00d7 404, 1 \u00d7 500$",
                         " ".join(text.split())), lines


def test_eighty_columns_have_room_for_the_latency():
    lines = screen(80)
    assert sum(bool(re.search(r" #[1245] .{39}(valid  |invalid)  \u2192 \d00  [\d.]+ .s($|  POST)", line)) for line in lines) == 4, lines
    assert "             KeyError: 'path' (app.py:41)" in lines and sum(line.startswith("POST /") for line in lines) == 2, lines


def test_a_terminal_without_utf8():
    text = "\n".join(screen(80, {"LC_ALL": "C"}))
    assert "valid    -> 200  " in text and "3 x 200" in text and "\u2192" not in text, text


def piped(*args, env=None, sent=tuple(SENT)):
    """What a listener whose output is no terminal writes: stdout and stderr."""
    with FaultServer(*forwarded()) as target:
        ready = new_folder() / "url"
        words = [binary(), "listen", "0", "--forward-to", target.url, "--ready-file", str(ready),
                 "--limit", str(len(sent)), *args]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(env)) as process:
            process.stderr.readline()
            url = ready.read_text().strip()
            for body, path in sent:
                post(url, body, path)
            out, err = process.communicate()
    assert process.returncode == 0, err
    return out.decode(), err.decode()


def test_a_pipe_has_room_for_everything():
    out, err = piped()
    lines = [line for line in out.splitlines() if re.match(r"\d\d:", line)]
    assert len(lines) == len(SENT)
    assert re.search(r"#2  bureau-alert +valid    \u2192 500  [\d.]+ (us|ms)  KeyError: 'path' \(app\.py:41\)$", lines[1]), lines
    assert re.search(r"-retrieval-succeeded +valid    \u2192 404  [\d.]+ m?u?s  .*x{100}", lines[2]), lines
    assert "\x1b" not in out + err, err


def test_the_status_has_its_colour():
    """4xx yellow, 5xx red, 2xx plain."""
    out, _ = piped("--color", "always")
    found = [re.sub(r"[\d.]+ (us|ms).*", "", line.split("\u2192 ")[1]) for line in out.splitlines() if "\u2192" in line]
    assert found == ["200  ", "\x1b[1;31m500\x1b[0m  ", "\x1b[1;33m404\x1b[0m  ", "200  ", "200  "], found


def test_zeros_are_left_out():
    assert credhook("listen", "0", "--timeout", "1ms").expect(0).err.splitlines()[1] == "0 received"
    _, err = piped(sent=SENT[:1])
    assert err == "1 received: 1 valid; forwarded: 1 \u00d7 200\n"


def test_a_target_that_is_not_there():
    folder = new_folder()
    with Seen([binary(), "listen", "0", "--forward-to", "127.0.0.1:1"], environment(), folder, 110, 40) as session:
        url = session.until_text(r"listening on (http://[\d.:]+),").group(1)
        post(url, USER)
        session.until_text(r"\u2192 502  .*connection refused$")
        session.signal(signal.SIGTERM)
        assert session.until_end() == 0
        assert "forwarded: 1 without a response" in session.screen.text()[-1]


def test_verbose_shows_the_request():
    out, _ = piped("-v", sent=[(USER, "/hook?key=secret")])
    assert "POST /hook?key=***\nHost: h\n" in out and '"firstName"' in out, out


def test_errors_go_before_warnings():
    out, _ = piped(sent=[(b'{"x":1,' + WRONG[1:], "/")])
    assert 0 < out.index("[wrong-type]") < out.index("warning: ") < out.index("[unknown-key]"), out


def test_verbose_indents_what_is_not_long():
    most = 64 << 10
    for length in most, most + 1:
        out, _ = piped("-v", sent=[(b'{"a":"' + b"x" * (length - 8) + b'"}', "/")])
        assert ('{\n  "a": "xxx' in out) == (length == most) and ("... and 1 bytes more" in out) == (length > most), out[:200]


def test_json_has_the_same_facts():
    out, _ = piped("--json")
    summary = json.loads(out.splitlines()[-1])
    assert summary["forwarded"] == {"200": 3, "404": 1, "500": 1} and summary["refusals"]["path"] == 0


if __name__ == "__main__":
    run()
