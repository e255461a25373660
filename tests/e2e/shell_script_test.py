"""The shell's lines from a file or a pipe: scenarios, what they wait for, and how they fail."""

import json
import os
import signal
import subprocess

from support import SOURCE, FaultServer, answer, binary, credhook, environment, new_folder, run


def script(text, *args, **how):
    """Runs the lines from a file named s; returns the result."""
    folder = how.pop("cwd", None) or new_folder()
    (folder / "s").write_text(text)
    return credhook("shell", "-f", "s", *args, cwd=folder, **how)


def test_the_scenarios_of_the_samples_pass():
    found = sorted((SOURCE / "samples" / "scenarios").glob("*.credhook"))
    assert [path.stem for path in found] == ["alert-storm", "malformed", "onboarding"]
    for path in found:
        credhook("shell", "-f", path, timeout=60).expect(0)
        credhook("shell", stdin=path.read_text(), timeout=60).expect(0)


def test_a_scenario_ends_at_the_first_line_that_fails():
    result = script("# one\n\nbuild user-created\nbuild nosuch\nbuild bureau-alert\n").expect(2)
    assert len(result.out_bytes.splitlines()) == 1
    assert "s:4: stopped with exit code 2: build nosuch" in result.err
    assert "'nosuch' is not an event" in result.err
    result = credhook("shell", stdin="send user-created --to 127.0.0.1:1\nevents\n").expect(4)
    assert "standard input:1: stopped with exit code 4" in result.err


def test_lines_of_every_form():
    result = script("  build user-created --set 'details.firstName=a b' # why\r\n\tbuild user-created"
                    " --set \"details.firstName=c \\\"d\\\"\"").expect(0)
    names = [payload["details"]["firstName"] for payload in result.json()]
    assert names == ["a b", 'c "d"']
    assert "s:1: stopped with exit code 2" in script("send 'a\n").expect(2).err
    assert "longer than 1 MiB" in script("x" * (1 << 20) + "x\n").expect(1).err
    script("").expect(0)
    script("# nothing").expect(0)
    script("exit\nnosuch\n").expect(0)
    script("quit\nnosuch\n").expect(0)
    assert "did you mean 'received'?" in script("recieved\n").expect(2).err
    assert "a shell already" in script("shell\n").expect(2).err
    credhook("shell", "-f", "nosuchfile").expect(3)
    credhook("shell", "operand").expect(2)


def test_a_session_has_one_configuration():
    folder = new_folder()
    with FaultServer(answer(200)) as server:
        (folder / "config.json").write_text(json.dumps({"environments": {"production": {"url": server.url}}}))
        (folder / "other.json").write_text("{}")
        for more in ("", " --no-config", " --config other.json", " --config=config.json"):
            result = script(f"send user-created --to {server.url}{more}\n", "--config", "config.json", cwd=folder).expect(2)
            assert ("one configuration" if more else "protected environment") in result.err, result
        assert server.connections == 0
        script(f"send user-created --to {server.url}\n", "--no-config", cwd=folder).expect(0)


def test_expect_counts_each_arrival_once():
    start = "listen 0\nuse listener\n"
    script(start + "send user-created --count 3\nexpect user-created:2\nexpect user-created\n").expect(0)
    result = script(start + "send user-created\nexpect user-created\nexpect user-created --within 50ms\n").expect(1)
    assert "s:5: stopped with exit code 1" in result.err
    assert "expected 1 valid user-created, and 0 came within 50 ms" in result.err
    script(start + "send monitored-element-added/email\nexpect monitored-element-added\n").expect(0)
    script(start + "send monitored-element-added/email\nexpect monitored-element-added/ssn --within 1ms\n").expect(1)
    broken = "send user-created --break missing-key\n"
    script(start + broken + "expect user-created --within 1ms\n").expect(1)
    script(start + broken + "expect user-created --invalid\n").expect(0)
    script(start + "send all\nexpect bureau-alert,user-created\nexpect user-created --within 1ms\n").expect(1)
    script(start + "send all\nexpect all\n").expect(0)
    assert "and 1 came" in script(start + "send all\nexpect all:2 --within 1ms\n").expect(1).err
    assert "nothing listens here" in script("expect user-created --within 1h\n").expect(1).err


def test_the_listener_answers_as_told_and_ends():
    start = "listen 0 --respond 500,404,200\nuse listener\n"
    script(start + "send user-created --expect-status 500\nsend user-created --expect-status 404\n"
           "send user-created --count 2\nlisten stop\nlisten 0 --validate reject\n"
           "send user-created --break missing-key --expect-status 422\nreceived\n").expect(0)
    assert "nothing listens in the background" in script("listen 0\nuse listener\nlisten stop\nsend user-created\n"
                                                         ).expect(2).err
    script("listen 0 --fault reset\nuse listener\nsend user-created\n").expect(4)
    assert "already listening" in script("listen 0\nlisten 0\n").expect(2).err
    script("listen stop\n").expect(2)
    script("listen 0 --respond 99\n").expect(2)
    script("listen 300.1.1.1:8080\n").expect(3)


def test_what_only_use_knows_is_told_to_those_who_give_it_to_an_option():
    for start, hint in (("listen 0\n", "hint: 'use listener' sends there, and then --to is left away\n"),
                        ("", "hint: 'use listener' sends there, and then --to is left away; 'listen 8080' starts it\n")):
        for line in ("send user-created --to listener\n", "send user-created --to=listener\n"):
            result = script(start + line).expect(2)
            assert "--to does not know 'listener'" in result.err and hint in result.err, result.err
    assert "did you mean --within?" in script("expect user-created --timeout 1s\n").expect(2).err


def test_the_listener_says_what_it_has_not():
    for line, message, hint in (
            ("listen https://127.0.0.1:0", "'https://127.0.0.1:0' is about TLS, and the shell's own listener has none",
             "in another terminal: credhook listen 'https://127.0.0.1:0' --tls-self-signed"),
            ("listen HTTPS://:0", "'HTTPS://:0' is about TLS", "credhook listen 'HTTPS://:0' --tls-self-signed"),
            ("listen 0 --tls-self-signed", "the shell's own listen has no --tls-self-signed",
             "credhook listen --tls-self-signed"),
            ("listen 0 --capture=c.ndjson", "the shell's own listen has no --capture", "credhook listen --capture"),
            ("listen 0 --captur", "unknown option '--captur'", "--help shows all options"),
            ("listen 0 --pth /x", "unknown option '--pth'", "did you mean --path?")):
        result = script(line + "\n").expect(2)
        assert message in result.err and hint in result.err and "listening" not in result.err, result
    assert "listening on http://127.0.0.1:" in script("listen HTTP://127.0.0.1:0\n").expect(0).err


def test_what_came_is_shown_compared_kept_and_sent_on():
    folder = new_folder()
    with FaultServer(answer(200), answer(200), answer(200)) as server:
        result = script("listen 0\nuse listener\n"
                        "send user-created --seed 1 -H 'Authorization: Bearer verysecret'\n"
                        "send user-created --seed 1 --set details.lastName=Other --unset details.address.zip"
                        " --no-validate\n"
                        "show 1\nshow 2\ndiff 1 2\n"
                        f"resend 1 2 --to {server.url}\nresend last --to {server.url}\n"
                        "save 1 one.json\nsave last 'two .ndjson'\nsave all all.ndjson\n", cwd=folder).expect(0)
        bodies = [request.body for request in server.requests]
    assert bodies[0] == (folder / "one.json").read_bytes()
    assert bodies[1] == bodies[2] != bodies[0]
    assert "verysecret" not in result.out + result.err and "Authorization: ***" in result.out
    assert '~ /details/lastName: "<LAST_NAME>" -> "Other"' in result.out
    assert '- /details/address/zip: "<ZIP>"' in result.out
    assert '"address": {  <- error: the key "zip" is missing [missing-key]' in result.out
    records = [json.loads(line) for line in (folder / "all.ndjson").read_text().splitlines()]
    assert [record["seq"] for record in records] == [1, 2]
    assert records[1]["body"].encode() == bodies[1]
    credhook("validate", "all.ndjson", cwd=folder).expect(1)
    assert json.loads((folder / "two .ndjson").read_text()) == records[1]
    for line in "show 1", "diff 1 1", "save 1 x", "resend 1", "edit 1":
        assert "nothing has arrived yet" in script(line + "\n").expect(2).err
    script("listen 0\nuse listener\nsend user-created\nshow 7\n").expect(2)
    script("listen 0\nuse listener\nsend user-created\nsave 1 nosuch/folder/x\n").expect(3)


def test_what_is_no_json_can_be_shown_and_not_compared():
    result = script("listen 0\nuse listener\nsend user-created --break json-syntax\nshow 1\ndiff 1 1\n").expect(1)
    assert "[json-syntax]" in result.out
    assert "#1 is no JSON" in result.err


def test_defaults_and_destination_of_the_session():
    folder = new_folder()
    with FaultServer() as server:
        (folder / "config.json").write_text(json.dumps({"environments": {
            "staging": {"url": server.url}, "live": {"url": server.url + "/live", "protected": True}}}))
        result = script("set details.userId=me details.firstName=Ann\nset\n"
                        "build user-created monitoring-service-enrolled bureau-alert\n"
                        "unset details.userId\nset details.firstName=Bo\nset\n"
                        "build user-created --set details.firstName=Cy\nuse\n", "--config", "config.json",
                        cwd=folder).expect(0)
        assert '"firstName":"Ann"' in result.out and '"userId":"me"' in result.out
        assert '"firstName":"Cy"' in result.out
        assert "details.userId=me\ndetails.firstName=Ann\n" in result.out
        assert "\ndetails.firstName=Bo\n" in result.out
        assert "(protected)" in result.out
        script("use live\nsend user-created\n", "--config", "config.json", cwd=folder).expect(2)
        assert not server.requests
    script("set details.nosuch=1\n").expect(2)
    script("set details.clientKey\n").expect(2)
    script("unset details.userId\n").expect(2)
    script("use nosuch://x\n").expect(2)
    script("build user-created --default details.userId=me\n").expect(0)


def test_reports_as_json():
    result = script("listen 0\nuse listener\nsend user-created -q\nsend user-created -q\nreceived --json\n"
                    "diff 1 2 --json\nshow 1 --json\n", cwd=None)
    lines = result.expect(0).out_bytes.splitlines()
    parsed = [json.loads(line) for line in lines]
    assert [entry["event"] for entry in parsed if entry.get("type") == "event"] == ["user-created"] * 2
    assert {entry["pointer"] for entry in parsed if entry.get("type") == "difference"} == {
        "/details/appKey", "/details/clientKey"}
    assert parsed[-1]["v"] == 1 and parsed[-1]["seq"] == 1


def test_an_editor_without_a_terminal():
    folder = new_folder()
    edit = "sed -i s/LAST_NAME/other/"
    env = {"VISUAL": None, "EDITOR": edit, "TMPDIR": folder}
    script("listen 0\nuse listener\nsend user-created\nedit 1\nexpect user-created:2\n", env=env, cwd=folder).expect(0)
    result = script("listen 0\nuse listener\nsend user-created\nedit 1\nexpect user-created:2 --within 1ms\n",
                    env={**env, "EDITOR": "sed -i s/lastName/last/"}, cwd=folder).expect(1)
    assert "[missing-key]" in result.out and "s:4: stopped" in result.err
    script("listen 0\nuse listener\nsend user-created\nedit 1\n", env={**env, "EDITOR": "false"}, cwd=folder).expect(1)
    assert [path.name for path in folder.iterdir()] == ["s"]


def test_ctrl_c_ends_a_scenario_that_waits():
    folder = new_folder()
    (folder / "s").write_text("events --json\nwait 1h\n")
    for args, stdin in (["-f", "s"], subprocess.DEVNULL), ([], subprocess.PIPE):
        process = subprocess.Popen([binary(), "shell", *args], stdin=stdin, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=folder, env=environment())
        try:
            if stdin == subprocess.PIPE:
                process.stdin.write(b"events --json\n")
                process.stdin.flush()
            assert process.stdout.readline()
            os.kill(process.pid, signal.SIGINT)
            process.wait(20)
            assert process.returncode == 130, process.stderr.read()
        finally:
            process.kill()
            process.wait()
            for stream in process.stdin, process.stdout, process.stderr:
                if stream:
                    stream.close()


def test_answers_as_lines():
    result = credhook("build", "-i", "bureau-alert", "--seed", "1", stdin="Completion\n12\n\nTransUnion\n").expect(0)
    built = result.json()[0]["details"]
    assert built["alertDetails"]["disputeStatus"] == "Completion" and built["alertId"] == 12
    assert built["bureau"] == "TransUnion"
    plain = credhook("build", "bureau-alert", "--seed", "1").json()[0]["details"]
    assert built["appKey"] == plain["appKey"] and built["clientKey"] == plain["clientKey"]
    assert credhook("build", "-i", "bureau-alert", "--seed", "1").json()[0]["details"] == plain
    result = credhook("build", "-i", "bureau-alert", stdin="Maybe\n").expect(2)
    assert "answer 1: 'Maybe' is not " in result.err and not result.out
    result = credhook("build", "-i", "user-created", stdin=":=7\n\"\"\n").expect(2)
    assert "answer 2" in result.err
    both = credhook("build", "-i", "user-created", "bureau-alert", "--count", "2",
                    stdin="\n\nAnn\n\n\n\n\n\nCompletion\n").expect(0).json()
    assert [entry["details"].get("firstName") for entry in both] == ["Ann", None, "Ann", None]
    with FaultServer() as server:
        credhook("send", "-i", "bureau-alert", "--to", server.url, stdin="Completion\n").expect(0)
        assert json.loads(server.requests[0].body)["details"]["alertDetails"]["disputeStatus"] == "Completion"


if __name__ == "__main__":
    run()
