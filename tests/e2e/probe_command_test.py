#!/usr/bin/python3
"""The options of `credhook test`: hosts that need a yes, expectations, reports, the list."""
# rooms: cause cmd/probe http probe

import json
import re
import shlex
import xml.etree.ElementTree

from probe_runs import probe
from screen import Seen
from small_listeners import good, listener, needs_path, with_bug
from support import FaultServer, Listener, answer, binary, certificate, credhook, environment, fake_time, kinds, new_folder, run


def test_a_group_that_is_skipped_has_one_line():
    with FaultServer(listener(good)) as server:
        short, whole = (credhook("test", "type", "--to", f"{server.url}/hook", "-H", "Content-Type: application/json", *words)
                        .expect(3) for words in ((), ("-v",)))
    assert re.search(r"^note type +a header given sets the Content-Type$", whole.out, re.M), whole
    assert "text-plain" not in whole.out and short.out.startswith("note type  skipped\n-v shows "), (short, whole)


def test_a_protected_environment_is_never_tested():
    folder = new_folder()
    config = folder / "c.json"
    with FaultServer(answer(200)) as server:
        config.write_text(json.dumps({"environments": {"production": {"url": server.url}}}))
        result = credhook("test", "--to", server.url, "--config", config).expect(2)
        assert "test never goes to a protected environment" in result.err, result
        credhook("test", "--to", "production", "--config", config, "--yes").expect(2)
        credhook("test", "--to", server.url, "--allow-production").expect(2)
        assert server.requests == []


def test_statuses_are_expected_of_a_check():
    for given in "409", "=409", "deliver":
        result = credhook("test", "--expect-status", given, "--to", ":1").expect(2)
        assert f"needs ID=LIST, not '{given}'" in result.err and "--expect-status repeat/again=2xx,409" in result.err, result


def test_another_host_takes_a_yes():
    for words in (("--to", "http://listener.example/hook", "--connect-to", "::127.0.0.1:80"),
                  ("--to", ":3000", "--connect-to", "::listener.example:80"),
                  ("--to", ":3000", "-x", "http://proxy.example:3128")):
        result = credhook("test", *words).expect(2)
        assert result.out == "" and "--yes" in result.err, result
    with FaultServer(listener(good)) as server:
        port = server.url.rsplit(":", 1)[1]
        found, _ = probe(f"http://listener.example:{port}/hook", "http", "--yes", "--connect-to", "::127.0.0.1:")
        assert found == {}, found


TO_US = ("--connect-to", "::127.0.0.1:")  # whatever the host is


def test_a_configured_host_takes_no_yes():
    config = new_folder() / "c.json"
    with FaultServer(listener(good)) as server:
        port = int(server.url.rsplit(":", 1)[1])
        place = f"http://listener.example:{port}"
        config.write_text(json.dumps({"environments": {"other": {"url": f"http://other.example:{port}/hook"},
                                                       "staging": {"url": f"{place}/hook"}}}))
        for to in ("staging", f"{place}/hook", f"http://LISTENER.example:{port}/hook"):
            credhook("test", "http/keep-alive", "--to", to, "--config", config, *TO_US).expect(0)
        arrived = len(server.requests)
        assert arrived > 0
        for to, detour in ((f"http://listener.example:{port + 1 if port < 65535 else 1}/hook", TO_US),
                           (f"http://one.example:{port}/hook", TO_US),
                           ("staging", ("--connect-to", "::one.example:")), (f"{place}/hook", ("--connect-to", "::one.example:"))):
            result = credhook("test", "http/keep-alive", "--to", to, "--config", config, *detour).expect(2)
            assert "neither this machine nor in the configuration" in result.err and "--yes" in result.err, result
        assert len(server.requests) == arrived


def test_a_terminal_is_asked_before_another_host_is_tested():
    folder = new_folder()
    with FaultServer(listener(good)) as server:
        command = ["test", "http/keep-alive", "--to", f"http://listener.example:{server.url.rsplit(':', 1)[1]}/hook", *TO_US]
        for reply in ("no\n", "y\n", "\n", "YES\n", "yes \n", "\x04", "yes" * 10 + "\n"):
            with Seen([binary(), *command], environment(), folder) as seen:
                seen.until_text(r"neither this\s+machine nor in the configuration(.|\n)*test it\? .*\[yes/no\]")
                seen.type(reply)
                seen.until_text("not tested: the reply was not 'yes'")
                assert seen.until_end() == 2, reply
        for elsewhere in (" </dev/null", " 2>&1 | cat"):  # who cannot see the question, or answer it, is not asked
            with Seen(["/bin/sh", "-c", shlex.join([str(binary()), *command]) + elsewhere], environment(), folder) as seen:
                seen.until_text("--yes")
                seen.until_end()
                assert "[yes/no]" not in "".join(seen.screen.text()), elsewhere
        assert server.requests == []
        with Seen([binary(), *command], environment(), folder) as seen:
            seen.until_text(r"\[yes/no\]")
            seen.type("yes\n")
            assert seen.until_end() == 0
        assert server.requests


def test_a_report():
    folder = new_folder()
    with FaultServer(listener(with_bug(needs_path))) as server:
        credhook("test", "deliver", "--to", f"{server.url}/hook", "--report", f"junit={folder}/r.xml").expect(1)
    suite = xml.etree.ElementTree.parse(folder / "r.xml").getroot().find("testsuite")
    assert suite.get("tests") == f"{len(kinds()) + 1}" and suite.get("failures") == "1", suite.attrib
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["deliver/bureau-alert"]
    failure = suite.findtext("testcase/failure")
    assert failure.count("retry: credhook test deliver/bureau-alert --to http") == 1 and "--report" not in failure, failure


def test_a_page_says_what_a_raw_check_sent():
    page = new_folder() / "page.html"
    with Listener() as target:
        credhook("test", "frame", "--to", target.url, "--report", f"html={page}").expect(0)
    cases = [json.loads(case) for case in re.findall('<script type="application/json" class="case">(.*?)</script>', page.read_text())]
    sent = {case["name"]: case["request"] for case in cases}
    assert sent["frame/bare-lf"]["head"] == "lines that end with LF alone" and "clientKey" in sent["frame/bare-lf"]["body"][0], sent


def test_a_certificate_is_looked_at():
    """Ours holds for two days."""
    made = certificate(new_folder(), "listener")
    with Listener("--tls-cert", made.cert, "--tls-key", made.key) as server:
        found, _ = probe(server.url, "deliver", "tls", "--cacert", made.cert)
        assert list(found) == ["tls/expiry"] and " days left" in found["tls/expiry"]["reason"], found
        found, _ = probe(server.url, "http", "tls", "-k")
        assert found["tls/trust"]["verdict"] == "warn" and found["tls/trust"]["reason"].startswith("SSL certificate"), found
        assert not [name for name in found if name.startswith("http/")], found


def test_a_certificate_is_right_for_thirty_days_and_a_note_for_fourteen():
    """Half a day after it was made, so that the days that are left are whole ones."""
    ahead = {"LD_PRELOAD": fake_time(), "CLOCK_AHEAD": 12 * 3600}
    for days, left, verdict in (31, 30, "ok"), (30, 29, "note"), (15, 14, "note"), (14, 13, "warn"):
        made = certificate(new_folder(), "listener", days=days)
        with Listener("--tls-cert", made.cert, "--tls-key", made.key) as server:
            row, _ = credhook("test", "tls/expiry", "--to", server.url, "--json", "-v", "--cacert", made.cert, env=ahead).expect(0).json()
        assert (row["verdict"], row["reason"]) == (verdict, f"{left} days left"), row


def test_the_list_sends_nothing():
    rows = credhook("test", "--list", "--json", "--level", "deep").expect(0).json()
    ids = [row["id"] for row in rows]
    assert len(ids) == len(set(ids)) and "bad/missing-key:details.appKey:bureau-alert" in ids, len(ids)
    normal = [row["id"] for row in credhook("test", "--list", "--json").json()]
    quick = [row["id"] for row in credhook("test", "--list", "--json", "--level", "quick").json()]
    assert set(quick) < set(normal) < set(ids)


if __name__ == "__main__":
    run()
