"""--distinct: of many notifications, one of each shape and code; and the files of `convert -o DIR/`."""
# rooms: cmd/args cmd/show redact

import json
import os
import random
import re

from captures import record, write_capture
from support import FaultServer, answer, built, credhook, new_folder, records, run

ALERT = json.loads(built("bureau-alert"))
USER = json.loads(built("user-created"))


def alert(**details):
    body = json.loads(json.dumps(ALERT))
    body["details"].update(details)
    return body


def capture(*bodies):
    texts = [body if isinstance(body, str) else json.dumps(body) for body in bodies]
    return write_capture(len(texts), lambda number: record(number, body=texts[number - 1], event=None))


def spelled_otherwise(body):
    return json.dumps(dict(reversed(list(body.items()))), indent=3)


def day():
    """15 records of five shapes, two of them with a further code."""
    odd = alert(bureau="b2")
    same = [ALERT, spelled_otherwise(ALERT), alert(alertId=7), odd, alert(bureau="b2", alertId=9)]
    more = [USER, USER, alert(riskTier="A"), alert(riskTier="B"), "no JSON", "[1", alert(bureau="b3", riskTier="C")]
    return capture(*same, *more, USER, ALERT, alert(alertId="1"))


TAKEN = [1, 4, 6, 8, 10, 12, 15]


# Of the shape; where a code chose it, of those that have that value.
COUNTS = {1: 6, 4: 2, 6: 3, 8: 3, 10: 2, 12: 1, 15: 1}


def counts_of(listed):
    """What each line of `show --distinct` says, by the number of its record."""
    return {int(match[1]): int(match[2].replace(",", "")) for match in re.finditer(r"#(\d+) +([\d,]+)\u00d7 ", listed.out)}


def numbers_of(*args, **more):
    return [row["seq"] for row in credhook("show", *args, "--json", **more).expect(0).json()]


def test_the_first_of_each_shape_and_each_value_of_a_code():
    path = day()
    assert numbers_of(path, "--distinct") == TAKEN
    assert numbers_of(path, "--distinct", "--limit", 3) == TAKEN[:3]
    assert numbers_of(path, "--distinct", "--events", "user-created") == [6]
    assert numbers_of(path, "--distinct", "--where", "details.bureau=b2") == [4]
    listed = credhook("show", path, "--distinct").expect(0)
    assert counts_of(listed) == COUNTS and listed.out.count(" bureau \"b") == 2, listed
    assert re.search(r"#4 .* 200  bureau \"b2\"\n(.*\n)+.*#12 .* 200  bureau \"b3\"\n", listed.out), listed
    assert "7 of 15 records, one of each shape and code; the rarest came once: #15\n" in listed.err, listed


def test_counts_are_whole_or_not_said():
    path = day()
    for limit in range(1, 9):
        listed = credhook("show", path, "--distinct", "--limit", limit).expect(0)
        assert counts_of(listed) == {number: COUNTS[number] for number in TAKEN[:limit]}, (limit, listed)
        assert ("--limit left out the rest" in listed.err) == (limit < 7), (limit, listed)
        assert f"\n{min(limit, 7)} of 15 records, one of each shape and code; the rarest came " in listed.err, (limit, listed)
    assert "; the rarest came 2 times: #4\n" in credhook("show", path, "--distinct", "--limit", 3).expect(0).err
    # What need not be read to its end is not counted.
    result = credhook("convert", path, "--distinct", "--limit", 3, "-o", new_folder() / "c.ndjson").expect(0)
    assert "3 of the first 6 records, one of each shape and code\n" in result.err, result


def test_the_rarest_value_names_the_line_of_several():
    bodies = [ALERT] * 3 + [alert(bureau="often", alertType="once")] + [alert(bureau="often")] * 3
    listed = credhook("show", capture(*bodies), "--distinct").expect(0)
    assert counts_of(listed) == {1: 7, 4: 1} and ' alertType "once"\n' in listed.out and "often" not in listed.out, listed
    assert "the rarest came once: #4\n" in listed.err, listed
    strange = credhook("show", capture(ALERT, alert(bureau="a\0\n" + "x" * 500)), "--distinct").expect(0)
    assert re.search(r' bureau "a\\x00\S+x.*\.\.\.\S*"\n', strange.out) and "x" * 60 not in strange.out, strange


def test_a_withheld_record_is_like_no_other():
    path = write_capture(4, lambda number: record(number, body=json.dumps(alert(bureau=f"b{number}"))) if number < 3 else
                         record(number, body="", redacted={"key": "00000000", "withheld": "not JSON"}))
    listed = credhook("show", path, "--distinct").expect(0)
    assert counts_of(listed) == {1: 2, 2: 1, 3: 1, 4: 1}, listed
    assert counts_of(credhook("show", path, "--distinct", "--limit", 3)) == {1: 2, 2: 1, 3: 1}


def test_a_session_lists_the_same_as_a_capture():
    path = day()
    har = new_folder() / "day.har"
    credhook("convert", path, "--events", "bureau-alert,user-created", "-o", har).expect(0)
    for name in path, har:
        for args in ("--distinct",), ("--distinct", "-v"), ("--distinct", "--events", "bureau-alert"), ("--distinct", "--limit", 3):
            wanted = credhook("show", name, *args).expect(0)
            for line in "show", "received":
                listed = credhook("shell", name, stdin=" ".join(map(str, (line, *args))) + "\n").expect(0)
                assert listed.out == wanted.out and listed.err.splitlines()[-2:] == wanted.err.splitlines()[-2:], (name, args, listed, wanted)


def test_what_a_session_received_keeps_what_is_known_of_it():
    with FaultServer(answer(200)) as target:
        result = credhook("shell", stdin=f"listen 0 --forward-to {target.url}\nuse listener\nsend user-created bureau-alert"
                          " user-created -q\nreceived\nreceived --distinct\n").expect(0)
    lines = [re.sub(r" +\d×", "", line) for line in result.out.splitlines() if " #" in line]
    assert len(lines) == 5 and lines[3:] == lines[:2] and re.search(r"200  \d.*s$", lines[0]), result


def test_what_is_distinct_is_the_same_through_convert_and_replay():
    path, out = day(), new_folder() / "distinct.ndjson"
    result = credhook("convert", path, "--distinct", "-o", out).expect(0)
    assert "7 of 15 records" in result.err, result
    lines = path.read_bytes().splitlines()
    assert out.read_bytes().splitlines() == [lines[number - 1] for number in TAKEN]
    assert credhook("show", out, "--distinct", "--json").expect(0).out_bytes == out.read_bytes()
    results = new_folder() / "results"
    with FaultServer(answer(200)) as server:
        credhook("replay", path, "--distinct", "--to", server.url, "--results", results).expect(0)
        assert len(server.requests) == len(TAKEN)
        assert [row["record"] for row in records(results)] == TAKEN
        assert records(results)[0]["selection"] == "--distinct"
        other = capture(USER, alert(), alert(riskTier="A"))
        refused = credhook("replay", other, "--distinct", "--to", server.url, "--resume", results).expect(2)
        assert "not among those chosen" in refused.err and len(server.requests) == len(TAKEN), refused


def test_no_more_values_of_a_code_than_are_told_apart():
    for count in 50, 51:
        path = capture(*[alert(bureau=f"b{n}") for n in range(count)])
        result = credhook("show", path, "--distinct").expect(0)
        assert len(counts_of(result)) == 50
        assert ("more than 50 values, only the first 50 taken: bureau of bureau-alert\n" in result.err) == (count > 50), result
    # One that is absent moves no bound of another.
    apart = [alert(bureau=f"b{n}") for n in range(50)] + [{**ALERT, "details": {
        key: value for key, value in alert(alertType=f"t{n}")["details"].items() if key != "bureau"}} for n in range(50)]
    assert len(numbers_of(capture(*apart), "--distinct")) == 99  # the first 50 have one alertType
    many = [alert(bureau=f"b{n}", alertType=f"t{n % 55}") for n in range(60)]
    assert len(numbers_of(capture(*many), "--distinct")) == 50


def test_files_are_named_by_what_is_in_them():
    folder, path = new_folder() / "golden", day()
    written = credhook("convert", path, "--distinct", "-o", f"{folder}/").expect(0)
    assert f"7 files written to {folder}/\n" in written.err, written
    names = sorted(os.listdir(folder))
    kinds = [re.fullmatch(r"(.*)-[0-9a-f]{8}\.json", name)[1] for name in names]
    assert kinds == ["bureau-alert"] * 5 + ["unknown", "user-created"], names
    bodies = {(folder / name).read_text() for name in names}
    assert bodies == {json.loads(path.read_bytes().splitlines()[number - 1])["body"] for number in TAKEN}
    assert all((folder / name).stat().st_mode & 0o777 == 0o600 for name in names)
    # The next day, in another order and with another spelling of what is known, and one thing that is new.
    (folder / names[0]).write_text("kept as it is")
    tomorrow = capture(spelled_otherwise(alert(riskTier="Z")), alert(bureau="b2"), USER, alert(alertId=None))
    again = credhook("convert", tomorrow, "--distinct", "-o", folder).expect(0)
    assert f"1 of 4 files written to {folder}, the rest known there\n" in again.err, (again, names, os.listdir(folder))
    assert set(names) < set(os.listdir(folder)) and (folder / names[0]).read_text() == "kept as it is"


def test_files_that_know_a_day_know_it_in_every_order():
    bodies = [json.loads(line)["body"] for line in day().read_bytes().splitlines()]
    golden, names = new_folder() / "golden", None
    for seed in range(16):
        order = list(bodies) if seed == 0 else random.Random(seed).sample(bodies, len(bodies))
        credhook("convert", capture(*order), "--distinct", "-o", f"{golden}/").expect(0)
        names = names or sorted(os.listdir(golden))
        assert sorted(os.listdir(golden)) == names, seed
    # What is in a file counts, where its name says that it is one of these.
    user = golden / next(name for name in names if name.startswith("user-created-"))
    user.rename(golden / "user-created-00000000.json")
    (golden / "user-created-11111111.json").mkdir()
    result = credhook("convert", day(), "--distinct", "-o", golden).expect(0)
    assert f"nothing written to {golden}: it has files for all\n" in result.err, result
    (golden / "user-created-00000000.json").rename(golden / "mine.json")
    result = credhook("convert", day(), "--distinct", "-o", golden).expect(0)
    assert f"1 of 7 files written to {golden}, the rest known there\n" in result.err and user.exists(), result


def test_a_name_that_is_taken_loses_nothing():
    """By an empty file, another shape, a FIFO, a folder, a link: the file gets more digits, or the run ends with 2."""
    folder = new_folder()
    credhook("convert", capture(USER), "--distinct", "-o", f"{folder}/").expect(0)
    [name] = os.listdir(folder)
    for take in (lambda at: at.touch(), lambda at: at.write_text(json.dumps(alert())), os.mkfifo, os.mkdir,
                 lambda at: at.symlink_to("nowhere")):
        folder = new_folder()
        take(folder / name)
        credhook("convert", capture(USER), "--distinct", "-o", folder).expect(0)
        [longer] = [other for other in os.listdir(folder) if other != name]
        assert longer.startswith(name.removesuffix(".json")) and len(longer) == len(name) + 8, longer
        assert (folder / longer).read_text() == json.loads(capture(USER).read_text())["body"]
        assert "it has a file for it\n" in credhook("convert", capture(USER), "--distinct", "-o", folder).expect(0).err
    (folder / longer).write_text("")
    names = {name, longer}
    while True:
        done = credhook("convert", capture(USER), "--distinct", "-o", folder)
        if done.code:
            break
        [longest] = [other for other in os.listdir(folder) if other not in names]
        names.add(longest)
        (folder / longest).write_text("")
    assert done.code == 2 and f"'{longest}' is there in {folder}, and is something else; not replaced\n" in done.err, done
    assert set(os.listdir(folder)) == names and len(names) == 4


def test_a_file_is_named_by_what_is_in_it_alone():
    one, two = alert(bureau="b1"), alert(bureau="b2")
    folders = [new_folder() / "golden" for _ in range(2)]
    for folder, order in zip(folders, ((one, two), (two, one))):
        credhook("convert", capture(*order), "--distinct", "-o", f"{folder}/").expect(0)
    files = [{name: (folder / name).read_text() for name in os.listdir(folder)} for folder in folders]
    assert files[0] == files[1] and len(files[0]) == 2, files


def test_the_folder_is_made_by_its_first_file():
    folder = new_folder() / "new" / "golden"
    credhook("convert", day(), "-o", f"{folder}/", "--where", "details.bureau=none").expect(1)
    assert not folder.parent.exists()
    credhook("convert", day(), "-o", f"{folder}/", "--where", "details.bureau=b3").expect(0)
    assert len(os.listdir(folder)) == 1


def test_files_of_all_records_are_numbered():
    folder = new_folder() / "all"
    path = capture(USER, ALERT, USER, "no JSON")
    credhook("convert", path, "-o", f"{folder}/").expect(0)
    assert sorted(os.listdir(folder)) == ["bureau-alert-1.json", "unknown-1.json", "user-created-1.json", "user-created-2.json"]
    assert (folder / "unknown-1.json").read_text() == "no JSON"
    assert "4 files unchanged in" in credhook("convert", path, "-o", folder).expect(0).err
    refused = credhook("convert", capture(ALERT), "-o", folder, "--where", "details.bureau~").expect(0)
    assert "1 file unchanged in" in refused.err, refused
    refused = credhook("convert", capture(alert(alertId=5)), "-o", folder).expect(2)
    assert "bureau-alert-1.json" in refused.err and "--force" in refused.err, refused
    assert "written" not in refused.err, refused
    refused = credhook("convert", capture(USER, USER, USER, USER, alert(alertId=5)), "-o", folder).expect(2)
    assert f"2 of 4 files written to {folder}, the rest unchanged\n" in refused.err, refused
    assert "bureau-alert-1.json" in refused.err, refused
    refused = credhook("convert", path, "-o", folder, "--format", "har").expect(2)
    assert "is a folder" in refused.err, refused


def test_numbered_files_have_a_bound():
    user, folder = json.dumps(USER), new_folder() / "many"
    for count, code, said in (10000, 0, "10,000 files written"), (10001, 2, "--distinct"):
        path = write_capture(count, lambda number: record(number, body=user))
        result = credhook("convert", path, "-o", f"{folder}/").expect(code)
        assert len(os.listdir(folder)) == 10000 and said in result.err, result.err[-300:]
        assert ("--distinct" in result.err) == (code == 2), result.err[-300:]


def test_redacted_files_have_the_same_names_with_the_same_key():
    key, path = new_folder() / "key", day()
    key.write_bytes(os.urandom(32))
    key.chmod(0o600)
    folders = [new_folder() / "golden" for _ in range(2)]
    for folder in folders:
        credhook("convert", path, "--distinct", "--redact", "--redact-key", key, "-o", f"{folder}/").expect(0)
    names = [sorted(os.listdir(folder)) for folder in folders]
    assert names[0] == names[1] and len(names[0]) == len(TAKEN) - 1, names
    whole = "".join((folders[0] / name).read_text() for name in names[0])
    assert "riskTier" not in whole and ALERT["details"]["clientKey"] not in whole
    checked = credhook("validate", folders[0]).expect(1)
    assert "6 payloads: 5 valid, 1 invalid" in checked.err + checked.out, checked


def test_what_is_redacted_already_goes_into_files_as_it_is():
    path, folder = new_folder() / "redacted.ndjson", new_folder() / "golden"
    credhook("convert", capture(ALERT, USER), "--redact", "-o", path).expect(0)
    result = credhook("convert", path, "--distinct", "--redact", "-o", f"{folder}/").expect(0)
    assert f"2 files written to {folder}/\n" in result.err, result
    assert {(folder / name).read_text() for name in os.listdir(folder)} == {line["body"] for line in records(path)}


def test_another_one_stands_for_what_cannot_be_proven():
    # A host that each fake host contains cannot be proven to be gone.
    leaky = {"headers": [["Host", "example"], ["Content-Type", "application/json"]]}
    for odd, code, count in ({1}, 0, 1), ({1, 2}, 0, 1), ({1, 2, 3}, 1, 0):
        folder = new_folder() / "golden"
        path = write_capture(3, lambda number: record(number, body=json.dumps(USER), **(leaky if number in odd else {})))
        result = credhook("convert", path, "--distinct", "--redact", "-o", f"{folder}/").expect(code)
        assert result.err.count(": left out: ") == len(odd), result
        assert len(os.listdir(folder) if folder.exists() else []) == count, result


if __name__ == "__main__":
    run()
