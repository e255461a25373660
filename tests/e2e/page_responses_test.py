"""Something that accepts whatever is sent to it with a web page: send, replay and test ask whether it is the listener."""
# rooms: cmd/send http redact report

import json

import support
from fault_server import FaultServer, answer

PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in\n to your account</title></head><body><form></form></body></html>"
HTML = (("Content-Type", "text/html; charset=utf-8"),)
ASKS = 'the responses are a page ("Sign in to your account"): is this your listener?'


def page(body=PAGE):
    return answer(200, headers=HTML, body=body)


def test_all_commands_ask_once():
    with FaultServer(page()) as server:
        for command in (
            ["send", "all", "--to", server.url],
            ["send", "user-created", "--to", server.url, "--json"],
            ["send", "user-created", "--to", server.url, "-q"],
            ["test", "deliver", "--to", server.url],
        ):
            result = support.credhook(*command)
            assert result.err.count(ASKS) == 1, result
        lines = support.credhook("build", "all").out
        result = support.credhook("replay", "-", "--to", server.url, stdin=lines)
        assert result.err.count(ASKS) == 1, result


def test_strict_fails_for_a_page():
    """A run in which nothing else fails."""
    for body, code in ((PAGE, 1), (b"<p>stored</p>", 0)):
        with FaultServer(page(body)) as server:
            support.credhook("test", "deliver", "--to", server.url).expect(0)
            result = support.credhook("test", "deliver", "--to", server.url, "--strict").expect(code)
            assert result.err.count("is this your listener?") == code, result
            report = support.new_folder() / "test.xml"
            support.credhook("test", "deliver", "--to", server.url, "--strict", "--report", f"junit={report}").expect(code)
            assert (' errors="0"' in report.read_text()) == (code == 0), report.read_text()


def test_a_listener_that_responds_in_text_that_is_called_html_is_not_asked():
    for body in (b"", b"ok", b"<p>stored</p>"):
        with FaultServer(page(body)) as server:
            result = support.credhook("send", "all", "--to", server.url).expect(0)
            assert "is this your listener" not in result.err, result


def test_a_secret_in_the_title_is_masked():
    secret = "sesame-4711-open"
    with FaultServer(page(b"<html><title>No session for %s</title>" % secret.encode())) as server:
        result = support.credhook("send", "user-created", "--to", server.url, "-H", f"X-Key: {secret}")
        assert 'a page ("No session for ***")' in result.err, result
        assert secret not in result.err + result.out, result


if __name__ == "__main__":
    support.run()
