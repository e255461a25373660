"""The shell's lines from a file or a pipe: scenarios, what they wait for, and how they fail."""
# rooms: base cmd/list cmd/shell receive

import gzip
import json
import os
import re
import resource
import signal
import subprocess
import time
from datetime import datetime

from captures import record, write_capture
from support import SOURCE, FaultServer, answer, credhook, failing_disk, free_port, launch, new_folder, run


def script(text, *args, **how):
    """Runs the lines from a file named s; returns the result."""
    folder = how.pop("cwd", None) or new_folder()
    (folder / "s").write_text(text)
    return credhook("shell", "-f", "s", *args, cwd=folder, **how)


def test_the_scenarios_of_the_samples_pass():
    found = sorted((SOURCE / "samples" / "scenarios").glob("*.credhook"))
    assert [path.stem for path in found] == ["alert-storm", "malformed", "onboarding"]
    for path in found:
        credhook("shell", "-f", path).expect(0)
        credhook("shell", stdin=path.read_text()).expect(0)


def test_what_lists_all_lists_what_was_selected():
    folder = new_folder()
    write_capture(90, lambda number: record(number, response={"status": 500 if number % 2 else 200}), folder=folder)
    result = script("open capture.ndjson\nreceived --status 500\nshow --status 500\nreceived\n", cwd=folder).expect(0)
    assert "20 of 45 records" in result.err and "; 'show --status 500' lists all\n" in result.err, result
    assert "\n45 of 90 records: " in result.err and "; 'show' lists all\n" in result.err, result


def test_a_scenario_ends_at_the_first_line_that_fails():
    result = script("# one\n\nbuild user-created\nbuild nosuch\nbuild bureau-alert\n").expect(2)
    assert len(result.out_bytes.splitlines()) == 1
    assert "s:4: stopped with exit code 2: build nosuch" in result.err
    assert "'nosuch' is not an event" in result.err
    result = credhook("shell", stdin="send user-created --to 127.0.0.1:1\nevents\n").expect(4)
    assert "standard input:1: stopped with exit code 4" in result.err


def test_a_quiet_listener_only_counts():
    for option, shown in ("", True), (" -q", False), (" --quiet", False):
        result = script(f"listen 0{option}\nuse listener\nsend user-created\nexpect user-created\nreceived\n").expect(0)
        assert ("#1" in result.err) == shown and "#1" in result.out, result


def test_a_secret_is_not_quoted():
    with FaultServer(answer(500)) as server:
        result = script(f"send bureau-alert --to {server.url} -H 'X-Key: geheim'\n", "-v").expect(1)
    assert "s:1: stopped with exit code 1: (not shown: contains a secret)" in result.err and "geheim" not in result.err, result


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
    assert "did you mean received?" in script("recieved\n").expect(2).err
    assert "already the shell" in script("shell\n").expect(2).err
    credhook("shell", "-f", "nosuchfile").expect(3)
    credhook("shell", "operand").expect(3)


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
    assert "expected 1 valid user-created, 0 arrived within 50 ms" in result.err
    script(start + "send monitored-element-added/email\nexpect monitored-element-added\n").expect(0)
    script(start + "send monitored-element-added/email\nexpect monitored-element-added/ssn --within 1ms\n").expect(1)
    broken = "send user-created --break missing-key\n"
    script(start + broken + "expect user-created --within 1ms\n").expect(1)
    script(start + broken + "expect user-created --invalid\n").expect(0)
    script(start + "send all\nexpect bureau-alert,user-created\nexpect user-created --within 1ms\n").expect(1)
    script(start + "send all\nexpect all\n").expect(0)
    assert ", 1 arrived" in script(start + "send all\nexpect all:2 --within 1ms\n").expect(1).err
    alone = script("expect user-created --within 1h\n").expect(1).err
    assert "0 arrived\n" in alone and "nothing listens in the background" in alone
    long = script(f"listen 0\nexpect bureau-alert,details.bureau={'x' * 2000} --within 1ms\n").expect(1).err
    assert "..." in long and "0 arrived within 1.0 ms\n" in long, long


def test_the_listener_answers_as_told_and_ends():
    start = "listen 0 --respond 500,404,200\nuse listener\n"
    script(start + "send user-created --expect-status 500\nsend user-created --expect-status 404\n"
           "send user-created --count 2\nlisten stop\nlisten 0 --validate reject\n"
           "send user-created --break missing-key --expect-status 422\nreceived\n").expect(0)
    result = script("listen 0\nuse listener\nlisten stop\nsend user-created\n").expect(2)
    assert "'use WHERE' sets another destination" in result.err and "missing --to" in result.err, result
    assert "'listener' is not a URL or a configured environment" in script("send user-created --to listener\n").expect(2).err
    assert "nothing listens in the background" in script("use listener\n").expect(2).err
    script("listen 0 --fault reset\nuse listener\nsend user-created\n").expect(4)
    assert "already listening" in script("listen 0\nlisten 0\n").expect(2).err
    script("listen stop\n").expect(2)
    script("listen 0 --respond 99\n").expect(2)
    script("listen 300.1.1.1:8080\n").expect(2)


def test_the_listener_refuses_what_belongs_to_the_command_line():
    for line, message, hint in (
            ("listen https://127.0.0.1:0", "is not an address to listen on", "write 127.0.0.1:0"),
            ("listen :0:0", "is not an address to listen on", "[ADDRESS:]PORT"),
            ("listen 0 --ready-file=url", "unknown option '--ready-file'", ""),
            ("listen 0 --limit 3", "unknown option '--limit'", ""),
            ("listen 0 --timeout 3", "unknown option '--timeout'", ""),
            ("expect user-created --timeout 1s", "unknown option '--timeout'", ""),
            ("listen 0 --captur", "unknown option '--captur'", "did you mean --capture?"),
            ("listen 0 --paht /x", "unknown option '--paht'", "did you mean --path?")):
        result = script(line + "\n").expect(2)
        assert message in result.err and hint in result.err and "listening" not in result.err, result


def test_the_listener_has_the_options_of_listen():
    folder = new_folder()
    (folder / "config.json").write_text(json.dumps({"environments": {"production": {"url": "http://127.0.0.1:9/"}}}))
    with FaultServer(answer(200, headers=[("Connection", "close")]), answer(500, body=b"no room\n", headers=[("Connection", "close")])) as target:
        result = script(f"listen 0 --forward-to {target.url} --capture c.ndjson --path /hook --max-body 2K\n"
                        "use listener\nsend user-created --expect-status 404\nlisten stop\n"
                        f"listen 0 --forward-to {target.url} --capture c.ndjson\n"
                        "send user-created bureau-alert --expect-status 200,500\nreceived\nlisten stop\n",
                        cwd=folder).expect(0)
        assert len(target.requests) == 2
    assert f", forwarding to {target.url}" in result.err and "404 '/' is not the path '/hook'" in result.err, result
    assert re.search(r"#2 +bureau-alert +valid +\S+ 500  .*  no room\n", result.out), result
    records = [json.loads(line) for line in (folder / "c.ndjson").read_text().splitlines()]
    assert [record["response"]["status"] for record in records] == [200, 500]
    result = script("listen 0 --forward-to production\n", "--config", "config.json", cwd=folder).expect(2)
    assert "--allow-production" in result.err and "listening" not in result.err, result
    script("listen 0 --forward-to production --allow-production\n", "--config", "config.json", cwd=folder).expect(0)
    port = free_port()
    result = script(f"listen {port} --forward-to :{port}\n").expect(2)
    assert "is this listener" in result.err and "listening" not in result.err, result
    script("listen 0 --tls-self-signed\nsend user-created -k\nexpect user-created\n").expect(0)


def test_a_capture_that_fails_is_reported_and_makes_the_exit_3():
    folder = new_folder()
    lines = f"listen 0 --capture {folder}/c.ndjson\nuse listener\nsend user-created --expect-status 507,503\n"
    env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "fdatasync", "FAIL_PATH": str(folder / "c.ndjson"),
           "FAIL_WHEN": str(folder)}
    for end in "", "listen stop\n":
        result = script(lines + end, cwd=folder, env=env).expect(3)
        assert "c.ndjson" in result.err and "senders get 50" in result.err, result


def test_a_flood_of_refusals_does_not_hide_a_capture_that_fails():
    folder = new_folder()
    alert = credhook("build", "bureau-alert", "--no-config").expect(0).json()[0]
    long = json.dumps({"long": "x" * 3000})
    (folder / "mixed.ndjson").write_text("".join(f"{line}\n" for line in [long] * 100 + [json.dumps(alert)]))
    env = {"LD_PRELOAD": failing_disk(), "FAIL_CALL": "fdatasync", "FAIL_PATH": str(folder / "c.ndjson"),
           "FAIL_WHEN": str(folder)}
    result = script("listen 0 --max-body 2K --capture c.ndjson\nuse listener\nsend --file mixed.ndjson --validate off -q\n",
                    cwd=folder, env=env).expect(3)
    shown = len(re.findall(r"^(credhook: )?refused ", result.err, re.M))
    assert "senders get 50" in result.err and 0 < shown < 100, result
    assert f"messages of the listener dropped: {100 - shown}\n" in result.err, (shown, result.err)


def test_what_arrives_is_kept_whatever_its_size():
    folder = new_folder()
    (folder / "big.ndjson").write_text(("\\" * (17 << 20) + "\n") * 2)  # a record escapes each
    result = script("listen 0 --max-body 18M\nuse listener\nsend --file big.ndjson --validate off -q\nreceived\n",
                    cwd=folder).expect(0)
    assert "2 records: 2 invalid; 2 \u00d7 200\n" in result.err, result


def test_what_there_is_no_room_for_is_said():
    """Beyond the largest file that the system permits nothing is kept: what was listed before stays."""
    folder = new_folder()
    opened(folder, 3000)
    limit = 256 << 10
    permit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    with launch("shell", stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, preexec_fn=permit) as process:
        out, err = process.communicate(b"open capture.ndjson\n")
    assert process.returncode == 3 and b"set TMPDIR to a directory with more room" in err, err
    taken = int(re.search(rb"([0-9,]+) records: #1 to #", err)[1].replace(b",", b""))
    assert 0 < taken < 3000 and not out, err
    (folder / "big.json").write_text("[" + " " * limit + "]")
    with launch("shell", stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, preexec_fn=permit) as process:
        out, err = process.communicate(b"listen 0\nuse listener\nsend --file big.json --validate off -q\n"
                                       b"send user-created -q\nreceived\n")
    assert process.returncode == 0 and b"1 not in the list: " in err and b"--capture FILE keeps all" in err, err
    assert out.count(b" user-created ") == 1, out


def test_two_arrays_are_compared_element_by_element():
    folder = new_folder()
    for name, text in (("a", '{"list":[1,"two",{"x":[true]},4],"same":[[],{}]}'),
                       ("b", '{"list":[1,"2",{"x":[true,null]}],"same":[[],{}]}'), ("c", '[1]'), ("d", '{"0":1}')):
        (folder / f"{name}.json").write_text(text)
    start = "listen 0\n" + "".join(f"send --file {name}.json --validate off -q\n" for name in "abcd")
    differences = lambda lines: [json.loads(line) for line in lines if '"difference"' in line]
    result = script(start + "diff 1 2 --json\n", cwd=folder).expect(0)
    assert [(d["pointer"], d.get("before"), d.get("after")) for d in differences(result.out.splitlines())] == [
        ("/list/1", "two", "2"), ("/list/2/x/1", None, None), ("/list/3", 4, None)]
    result = script(start + "diff 1 2\ndiff 2 1\ndiff 3 4\n", cwd=folder).expect(0)
    assert '~ /list/1: "two" -> "2"\n+ /list/2/x/1: null\n- /list/3: 4\n' in result.out
    assert "+ /list/3: 4\n" in result.out and '~ (whole payload): [1] -> {"0":1}\n' in result.out


def test_a_difference_is_one_line_of_json_whatever_the_spacing():
    folder = new_folder()
    (folder / "a.json").write_text('{\n  "gone": {\n    "x": 1\n  },\n  "b": 1e2\n}\n')
    (folder / "b.json").write_text('{"b":1e2}')
    lines = "listen 0\nsend --file a.json --validate off -q\nsend --file b.json --validate off -q\ndiff 1 2 --json\n"
    out = script(lines, cwd=folder).expect(0).out
    assert [json.loads(line) for line in out.splitlines() if "difference" in line] == [
        {"type": "difference", "pointer": "/gone", "before": {"x": 1}}], out


def test_help_in_the_shell():
    """Of an ordinary command it is that of the command line, however it is asked for."""
    assert script("credhook send -h\n").expect(0).out == script("send -h\n").expect(0).out == credhook("send", "-h").expect(0).out
    for line in "help send", "credhook help send", "send --help":
        assert script(line + "\n").expect(0).out == credhook("help", "send").expect(0).out, line
    assert credhook("help", "exit-codes").expect(0).out == script("help exit-codes\n").expect(0).out
    overview = script("help\n").expect(0).out
    for line in "credhook", "credhook help", "credhook -h", "--help":
        assert script(line + "\n").expect(0).out == overview, line
    assert "--capture FILE" in script("listen -h\n").expect(0).out
    after = script("help exit-codes\nlisten 0\nuse listener\nsend user-created\n").expect(0)
    assert "1 accepted" in after.err, "help has left the session's signals alone"
    own = script("listen --help\n").expect(0).out
    assert own.startswith("usage: credhook listen [PORT|stop] [OPTION]...\nReceive in the background")
    for option in "--capture FILE", "--forward-to WHERE", "--path /PATH", "--tls-cert FILE", "-h, --help":
        assert re.search(rf"^  {option}  +\w", own, re.M), option
    assert "--ready-file" not in own
    assert "Options are those of 'replay': 'replay -h' shows them.\n" in script("resend -h\n").expect(0).out
    assert "Options are those of 'show'" in script("help received\n").expect(0).out
    assert script("nosuch -h\n").expect(2) and script("help nosuch\n").expect(2)


def test_what_came_is_shown_compared_and_sent_on():
    folder = new_folder()
    with FaultServer(answer(200), answer(200), answer(200)) as server:
        result = script("listen 0\nuse listener\n"
                        "send user-created --seed 1 -H 'Authorization: Bearer verysecret'\n"
                        "send user-created --seed 1 --set details.lastName=Other --set details.address.zip:=1"
                        " --validate off\n"
                        "show 1\nshow 2\ndiff 1 2\n"
                        f"resend 1 2 --to {server.url}\nresend last --to {server.url}\n"
                        "show 1 --json\nshow last --json\n", cwd=folder).expect(0)
        bodies = [request.body for request in server.requests]
    records = [json.loads(line) for line in result.out.splitlines() if line.startswith('{"v":1')]
    assert bodies[0] == records[0]["body"].encode()
    assert bodies[1] == bodies[2] != bodies[0]
    shown = "".join(line for line in result.out.splitlines() if not line.startswith('{"v":1')) + result.err
    assert "verysecret" not in shown and "Authorization: ***" in shown
    assert '~ /details/lastName: "Quintley" -> "Other"' in result.out
    assert '~ /details/address/zip: "97205" -> 1' in result.out
    assert 'zip": 1\n             ^\n      error: zip is a number, expected a string [wrong-type]; fix:' in result.out
    assert [record["seq"] for record in records] == [1, 2]
    assert records[1]["body"].encode() == bodies[1]
    for line in "show 1", "diff 1 1", "resend 1", "edit 1":
        assert "nothing has arrived yet" in script(line + "\n").expect(2).err
    script("listen 0\nuse listener\nsend user-created\nshow 7\n").expect(2)


def test_a_notification_is_shown_in_local_time_and_without_secrets():
    port = free_port()
    result = script(f"listen {port}\nsend user-created -q --to ':{port}/hook?key=hidden'\nshow 1\n",
                    env={"TZ": "XYZ-5"}).expect(0)
    shown = datetime.strptime(result.out[:19] + "+0500", "%Y-%m-%d\n%H:%M:%S%z")
    assert abs(shown.timestamp() - time.time()) < 600, result
    assert re.match(r"\S+\n\d\d:\d\d:\d\d +#1  user-created +valid +200\nfrom 127\.\S+\n"
                    r"POST /hook\?key=\*\*\*\n", result.out), result
    assert "hidden" not in result.out + result.err.replace("send user-created", ""), result


def test_what_is_no_json_can_be_shown_and_not_compared():
    result = script("listen 0\nuse listener\nsend user-created --break json-syntax\nshow 1\ndiff 1 1\n").expect(1)
    assert "[json-syntax]" in result.out
    assert "#1 is not JSON" in result.err


def test_defaults_and_destination_of_the_session():
    folder = new_folder()
    with FaultServer() as server:
        (folder / "config.json").write_text(json.dumps({"environments": {
            "staging": {"url": server.url}, "live": {"url": server.url + "/live", "protected": True}}}))
        result = script("set details.userId=me details.firstName=Ann\nset\n"
                        "build user-created monitoring-service-enrolled bureau-alert\n"
                        "set details.firstName=Bo\nset\n"
                        "build user-created --set details.firstName=Cy\n", "--config", "config.json",
                        cwd=folder).expect(0)
        assert '"firstName":"Ann"' in result.out and '"userId":"me"' in result.out
        assert '"firstName":"Cy"' in result.out
        assert "details.userId=me\ndetails.firstName=Ann\n" in result.out
        assert "details.userId=me\ndetails.firstName=Bo\n" in result.out
        refused = script("use live\nsend user-created\n", "--config", "config.json", cwd=folder).expect(2)
        assert "--allow-production" in refused.err and not server.requests
    script("set details.nosuch=1\n").expect(2)
    script("set details.clientKey\n").expect(2)
    script("use nosuch://x\n").expect(2)


def test_reports_as_json():
    result = script("listen 0\nuse listener\nsend user-created --seed 1 -q\n"
                    "send user-created --seed 1 --set details.firstName=Ann --set details.address.zip=1 -q\nreceived --json\n"
                    "diff 1 2 --json\nshow 1 --json\n", cwd=None)
    lines = result.expect(0).out_bytes.splitlines()
    parsed = [json.loads(line) for line in lines]
    assert [entry["event"] for entry in parsed if entry.get("v") == 1] == ["user-created"] * 3
    assert {entry["pointer"] for entry in parsed if entry.get("type") == "difference"} == {
        "/details/firstName", "/details/address/zip"}
    assert parsed[-1]["v"] == 1 and parsed[-1]["seq"] == 1


def test_what_was_not_checked_is_neither_valid_nor_invalid():
    lines = "listen 0 --validate off\nuse listener\nsend user-created -q\nreceived\nreceived --json\n"
    result = script(lines + "expect user-created --invalid --within 1ms\n").expect(1)
    assert "#1  -    " in result.err and re.search(r"#1  user-created +valid ", result.out), result
    assert json.loads(result.out.splitlines()[-1])["valid"] is None, result


def test_a_fault_is_shown_instead_of_a_status():
    result = script("listen 0 --rule fault=empty,times=1\nuse listener\n"
                    "send user-created -q --retry 1 --retry-unknown --retry-delay 1ms\n"
                    "show 1\nreceived --json\n").expect(0)
    assert re.search(r"  #1 .* valid +empty$", result.out, re.M), result
    row = json.loads(result.out.splitlines()[-2])
    assert row["response"] == {"fault": "empty"}, row


def test_an_editor_without_a_terminal():
    folder = new_folder()
    edit = "sed -i s/LAST_NAME/other/"
    env = {"VISUAL": None, "EDITOR": edit, "TMPDIR": folder}
    script("listen 0\nuse listener\nsend user-created --set details.lastName=LAST_NAME\nedit 1\nexpect user-created:2\n", env=env, cwd=folder).expect(0)
    result = script("listen 0\nuse listener\nsend user-created\nedit 1\nexpect user-created:2 --within 1ms\n",
                    env={**env, "EDITOR": "sed -i s/lastName/last/"}, cwd=folder).expect(1)
    assert "[missing-key]" in result.out and "s:4: stopped" in result.err
    script("listen 0\nuse listener\nsend user-created\nedit 1\n", env={**env, "EDITOR": "false"}, cwd=folder).expect(1)
    assert [path.name for path in folder.iterdir()] == ["s"]


def test_ctrl_c_ends_a_scenario_that_waits():
    folder = new_folder()
    (folder / "s").write_text("listen 0\nevents --json\nexpect user-created --within 1h\n")
    for args, stdin in (["-f", "s"], subprocess.DEVNULL), ([], subprocess.PIPE):
        process = launch("shell", *args, stdin=stdin, cwd=folder)
        try:
            if stdin == subprocess.PIPE:
                process.stdin.write(b"events --json\n")
                process.stdin.flush()
            assert process.stdout.readline()
            os.kill(process.pid, signal.SIGINT)
            process.wait()
            assert process.returncode == 130, process.stderr.read()
        finally:
            process.kill()
            process.wait()
            for stream in process.stdin, process.stdout, process.stderr:
                if stream:
                    stream.close()


def test_an_editor_gets_lines_and_what_it_saves_is_sent():
    folder = new_folder()
    editor = "f() { sed -i s/LAST_NAME/other/ \"$1\"; cp \"$1\" saved.json; }; f"
    script("listen 0 --capture c.ndjson\nuse listener\nsend user-created --set details.lastName=LAST_NAME\nedit 1\n"
           "expect user-created:2\n", env={"VISUAL": None, "EDITOR": editor, "TMPDIR": folder}, cwd=folder).expect(0)
    bodies = [json.loads(line)["body"] for line in (folder / "c.ndjson").read_text().splitlines()]
    saved = (folder / "saved.json").read_text()
    assert saved.startswith('{\n  "service": "user",\n') and bodies[1] == saved and '"other"' in saved, (saved, bodies)
    result = script("open c.ndjson\nedit 1-2\n", cwd=folder).expect(2)
    assert "edit takes one number, not '1-2'" in result.err, result


def test_what_is_wrong_with_an_arrival_has_its_place():
    result = script("listen 0\nuse listener\nsend credit-report-ordered --break wrong-type:details.offCycle -q\nreceived\n").expect(0)
    place = " invalid  200\n             details.offCycle is a boolean, expected \"true\" or \"false\" [wrong-type]\n"
    assert place in result.err and place in result.out, result
    result = script("listen 0\nuse listener\nsend user-created --break missing-key:event -q\n").expect(0)
    assert result.err.count("[missing-key]") == 1, result


def test_the_latest_are_listed():
    folder = new_folder()
    for count in 20, 21, 65:
        opened(folder, count)
        result = script("open capture.ndjson\nreceived\n", cwd=folder).expect(0)
        first = count - 19
        assert re.findall(r" #(\d+) ", result.out) == [str(n) for n in range(first, count + 1)], result
        assert ("'show' lists all" in result.err) == (count > 20) and (f"20 of {count} records: 20 valid" in result.err) == (count > 20)
    result = script("open capture.ndjson\nshow\nreceived --json\nreceived --limit 22\n", cwd=folder).expect(0)
    assert result.out.count(" #") == 65 + 22 and result.out.count('{"v":1') == 65, result
    assert "lists all" not in result.err, result
    result = script("open capture.ndjson\nreceived --record 10-40\n", cwd=folder).expect(0)
    assert re.findall(r" #(\d+) ", result.out) == [str(n) for n in range(21, 41)], result
    assert "20 of 31 records: " in result.err, result
    for words, count in ("2,4-5 first last-1", 5), ("first-last", 65), ("4-last", 62):
        result = script(f"open capture.ndjson\nresend {words} --dry-run --to :9\n", "--json", cwd=folder).expect(0)
        assert f'"records":{count}' in result.out, result


def test_operators_of_other_shells_are_refused():
    for line, word, hint in ("show 1 | jq .", "|", "credhook show FILE N --json | ..."), \
            ("build user-created > x.json", ">", "credhook build ... > ..."), ("credhook events | cat", "|", "credhook events ... | ..."), ("build all && exit", "&&", "credhook build ... && ..."):
        result = script(line + "\n").expect(2)
        assert f"'{word}': there are no pipes and no redirections here\n  hint: outside the shell: {hint}\n" in result.err, result
    assert script("build user-created --set 'details.firstName=|' -q\n").expect(0).json()[0]["details"]["firstName"] == "|"


def opened(folder, count=3):
    """A capture of bureau-alerts whose sender was live.example."""
    alert = credhook("build", "bureau-alert", "--seed", 1).expect(0).json()[0]
    capture = write_capture(count, lambda n: record(n, body=json.dumps({**alert, "n": n} if n != 2 else alert),
                                                    headers=[["Host", "live.example"], ["X-Key", "sesame-0815"]]), folder)
    return capture


def test_the_shell_and_show_print_the_same():
    folder = new_folder()
    capture = opened(folder)
    credhook("convert", capture, "-o", folder / "x.har").expect(0)
    (folder / "c.ndjson.gz").write_bytes(gzip.compress(capture.read_bytes()))

    def show(name, *args):
        """What show prints; at the prompt no file is named."""
        return credhook("show", name, *args, cwd=folder).expect(0).out.replace(f": credhook show {name} ", ": show ")

    for name in "capture.ndjson", "x.har", "c.ndjson.gz":
        for lines, args in ("received", ()), ("show 2", (2,)), ("show 2 3 --json", (2, 3, "--json")), \
                ("diff 1 2", (1, 2, "--diff")), ("show last --curl", ("last", "--curl")), ("received --limit 1", ("--limit", 1)):
            wanted = show(name, *args)
            assert script(f"open {name}\n{lines}\n", cwd=folder).expect(0).out == wanted, (name, lines)
            assert credhook("shell", name, stdin=lines + "\n", cwd=folder).expect(0).out == wanted, (name, lines)
    # What arrived, too, as it stands in the capture.
    result = script("listen 0 --capture live.ndjson\nuse listener\nsend bureau-alert -q\nsend bureau-alert -q\nshow 1 2\nreceived\n",
                    cwd=folder).expect(0)
    assert result.out == show("live.ndjson", 1, 2) + show("live.ndjson")


def test_captures_and_arrivals_are_one_list():
    folder = new_folder()
    opened(folder)
    with FaultServer(answer(200)) as server:
        result = script("listen 0\nuse listener\nsend bureau-alert --seed 9 -q\nopen capture.ndjson\nsend bureau-alert --seed 9 -q\n"
                        f"received\nshow 5\nresend 3 1 last --to {server.url}\nopen capture.ndjson\nreceived --record 5-8\n",
                        cwd=folder).expect(0)
        bodies = [json.loads(request.body) for request in server.requests]
    listed = re.findall(r"^\S+:\d\d +(#\d)", result.out, re.M)
    assert listed == ["#1", "#2", "#3", "#4", "#5", "#5", "#5", "#6", "#7", "#8"], result
    assert "3 records: #2 to #4\n" in result.err and "repeat of #1 after " in result.out, result
    assert "n" not in bodies[0] and bodies[1] == bodies[2] != bodies[0], bodies


def test_what_is_opened_is_guarded_as_in_replay():
    folder = new_folder()
    opened(folder)
    with FaultServer(answer(200)) as server:
        (folder / "config.json").write_text(json.dumps({"environments": {
            "live": {"url": "http://live.example/", "protected": True}, "production": {"url": server.url + "/p"},
            "sandbox": {"url": "http://127.0.0.1:9/"}}}))
        env = {"EDITOR": "sed -i s/sample-bureau/other/", "VISUAL": None}
        for line in "resend 1", "edit 1", "replay capture.ndjson":
            refused = script(f"open capture.ndjson\n{line}\n", "--config", "config.json", cwd=folder, env=env).expect(2)
            assert "the protected environment 'live' and is not redacted" in refused.err, refused
            refused = script(f"open capture.ndjson\n{line} --to production\n", "--config", "config.json", cwd=folder,
                             env=env).expect(2)
            assert "--allow-production" in refused.err, refused
        assert not server.requests
        script("open capture.ndjson\nedit 1 --to production --allow-production --allow-unredacted\n", "--config", "config.json",
               cwd=folder, env=env).expect(0)
        assert b'"other"' in server.requests[0].body and "sesame" not in str(server.requests[0].headers)


def test_what_was_opened_stays_as_it_was():
    folder = new_folder()
    capture = opened(folder)
    whole = capture.read_bytes()
    for change in b"", b"x" * 999, None:  # overwritten, and gone
        capture.write_bytes(whole)
        with launch("shell", capture, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as process:
            assert process.stderr.readline() == b"3 records: #1 to #3\n"
            if change is None:
                capture.unlink()
            else:
                capture.write_bytes(change)
            out, err = process.communicate(b"received --json\n")
        assert process.returncode == 0 and out == whole, (out, err)


def test_what_can_be_opened():
    folder = new_folder()
    os.mkfifo(folder / "fifo")
    whole = opened(folder).read_bytes()
    (folder / "text").write_text("send user-created\n")
    for name, code in ("-", 2), ("text", 1), ("missing", 3):
        assert script(f"open {name}\n", cwd=folder).code == code, name
    assert "credhook shell -f FILE" in script("open text\n", cwd=folder).err
    assert script("received\n").expect(0).err == "0 records\n"
    # What could be read of a capture is there; that the rest could not is its exit code.
    (folder / "torn").write_bytes(whole + b"foo\n")
    assert credhook("shell", "torn", stdin="show 1-3\n", cwd=folder).expect(1).out == credhook("show", "capture.ndjson", "1-3", cwd=folder).out
    with launch("shell", stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as process:
        process.stdin.write(b"open fifo\nreceived --json\n")
        process.stdin.flush()
        (folder / "fifo").write_bytes(whole)
        out, err = process.communicate()
    assert process.returncode == 0 and out == whole, (out, err)


if __name__ == "__main__":
    run()
