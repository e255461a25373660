#!/usr/bin/python3
"""Why the failures of a day failed: each reason that was planted is said, and nothing is said of random ones."""
# rooms: capture cause cmd/list cmd/show redact

import json
import random
import shlex
import uuid

import days
from captures import record, write
from days import unknown_code
from small_listeners import listener, plain
from support import FaultServer, Listener, answer, built, credhook, new_folder, records, run


def missing(one, draw):
    if "bureau" in one.details and draw.random() < 0.1:
        del one.details["bureau"]
        return 500, "KeyError: 'bureau'"


def form(one, draw):
    if "change" in one.details:
        one.details["change"] = draw.choice(["+7", "7", "-7"])
        return (400, "bad number") if one.details["change"] == "+7" else None


def size(one, draw):
    if "alertDetails" in one.details:
        is_large = draw.random() < 0.2
        one.details["alertDetails"]["note"] = "x" * (draw.randrange(9000, 12000) if is_large else 9)
        return (413, "") if is_large else None


def emoji(one, draw):
    if "firstName" in one.details:
        one.details["firstName"] = draw.choice(["Zoë", "Zo 😀", "Zo"])
        return (500, "Incorrect string value") if one.details["firstName"] == "Zo 😀" else None


def kind(one, _):
    return (404, "no route") if one.body.get("path") == "/api/user/v2" and one.body["method"] == "post" else None


def sender(one, draw):
    if draw.random() < 0.02:
        one.sender = "10.9.9.9"
        return 403, "forbidden"


def outage(one, _):
    return (503, None) if 18000 < one.second < 18420 else None


def deploy(one, draw):
    if "firstName" in one.details and draw.random() < 0.5:
        one.details["firstName"] = "Zoë"
    return (422, "bad encoding") if one.second > 25000 and one.details.get("firstName") == "Zoë" else None


def rate(_, draw):
    return (429, "slow down") if draw.random() < 0.03 else None


def customer(one, draw):
    if "clientKey" in one.details and draw.random() < 0.005:
        one.details["clientKey"] = "11111111-2222-4333-8444-555555555555"
        return 500, "boom"


RECENT = []


def repeat(one, draw):
    """A coarse key: a second one of the same event and customer is refused, whatever else it says."""
    if "userId" not in one.details:
        return None
    if RECENT and draw.random() < 0.1:
        one.body = json.loads(draw.choice(RECENT[-200:]))
        one.details = one.body["details"]
        one.details["authToken" if "authToken" in one.details else "appKey"] = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        return 409, "duplicate"
    RECENT.append(one.text)
    return None


def null(one, draw):
    if "address" in one.details and draw.random() < 0.2:
        one.details["address"]["state"] = None
        return 500, "'NoneType' object has no attribute 'upper'"


def boolean(one, draw):
    if "offCycle" in one.details:
        one.details["offCycle"] = draw.choice([True, "true", "false"])
        return (500, "TypeError") if one.details["offCycle"] is True else None


def text_for_a_number(one, draw):
    if "alertId" in one.details and draw.random() < 0.1:
        one.details["alertId"] = str(one.details["alertId"])
        return 500, "TypeError"


def nested(one, draw):
    """Besides, a member that nobody lists comes in those and in others."""
    if "disputeStatus" in one.details.get("alertDetails", {}):
        one.details["alertDetails"]["note"] = "x"
        if draw.random() < 0.2:
            del one.details["alertDetails"]["disputeStatus"]
            return 500, "KeyError: 'disputeStatus'"


def query(one, draw):
    one.target = "/hook?retry=1" if draw.random() < 0.02 else "/hook"
    return (404, "no") if "?" in one.target else None


def target(one, draw):
    one.target = "/v1/hook" if draw.random() < 0.02 else "/hook"
    return (404, "no") if "v1" in one.target else None


def no_type(one, draw):
    if draw.random() < 0.02:
        one.headers = one.headers[1:]
        return 415, None


def in_a_list(one, draw):
    if draw.random() < 0.02:
        one.body = [one.body]
        return 400, "no object"


def cut_off(one, draw):
    if draw.random() < 0.02:
        one.text = one.text[:draw.randrange(len(one.text))]
        return 400, "SyntaxError"


SENT = []


def same_bytes(one, draw):
    """An exact repeat is refused, and so is none that says something else of the same customer."""
    if SENT and draw.random() < 0.02:
        one.body = json.loads(draw.choice(SENT))
        return 409, "duplicate"
    SENT.append(json.dumps(one.body))
    one.body["details"]["alertType" if "alertType" in one.details else "sample"] = str(draw.random())
    SENT[-1] = json.dumps(one.body)


def batch(one, _):
    """A code that is refused comes in a row, with nothing between: a time, and content."""
    if "alertType" in one.details and 20000 < one.second < 24000:
        one.details["alertType"] = "Fraud"
        return 422, "unknown type"


def burst(one, draw):
    """One sender is refused, and some of its come in a row."""
    one.sender = "10.9.9.9" if draw.random() < 0.2 or 20000 < one.second < 20100 else one.sender
    return (403, "forbidden") if one.sender == "10.9.9.9" else None


def one_response(one, draw):
    return (500, "error") if unknown_code(one, draw) or form(one, draw) else None


def two_responses(one, draw):
    return draw.choice([(500, "error"), (422, "other")]) if unknown_code(one, draw) else None


def both_at_once(one, draw):
    return draw.choice([(500, "error"), (422, "other")]) if unknown_code(one, draw) or form(one, draw) else None


def two_words(one, draw):
    """What is accepted has a blank and a sign of the shell, too."""
    if "alertType" in one.details:
        one.details["alertType"] = draw.choice(["Hard $Inquiry", "Soft $Inquiry"])
    return (422, "unknown alertType") if one.details.get("alertType") == "Hard $Inquiry" else None


INQUIRY = 'each has alertType "Inquiry"; none of '
PLUS = "each has a plus in change"
PLANTED = {
    unknown_code: [INQUIRY], missing: ["each has no bureau; none of "], form: [PLUS], size: ["each has a larger body than each that was accepted"],
    emoji: ["each has characters beyond U+FFFF (emoji) in firstName"], kind: ["each is user-created; none of "],
    sender: ["each comes from 10.9.9.9; none of "], outage: [" only; accepted ones of the same kinds before and after"],
    deploy: ["each has characters that are not ASCII in firstName; none of "], rate: ["comes and goes: "],
    customer: ['each has clientKey "11111111-2222-4333-8444-555555555555"; none of '], repeat: ["each came after an accepted notification with the same "], one_response: [INQUIRY, PLUS], two_responses: [INQUIRY, INQUIRY],
    both_at_once: [INQUIRY, INQUIRY, PLUS, PLUS], null: ["each has null as state; none of "], boolean: ["each has a boolean as offCycle; none of "],
    text_for_a_number: ["each has a string as alertId; none of "], nested: ["each has no disputeStatus; none of "],
    query: ["each has retry in the query of its URL; none of "], target: ["each came to /v1/hook; none of "], no_type: ["each has no header Content-Type; none of "],
    in_a_list: ["each has an array as body; none of "], cut_off: ["each has no JSON as body; none of "],
    same_bytes: ["each is the same as an accepted notification before"], batch: ['each has alertType "Fraud"'],
    burst: ["each comes from 10.9.9.9; none of "]}


def causes(path, *args, code=0):
    """The lines that say why."""
    out = credhook("show", path, *args).expect(code).out
    return [line.strip() for line in out.rpartition("\n\n")[2].splitlines() if line.startswith("    ")][::2] if "\n\n" in out else []


def test_each_planted_reason_is_said_and_nothing_else():
    folder = new_folder()
    for plan, expected in PLANTED.items():
        path = folder / f"{plan.__name__}.ndjson"
        path.write_text(days.day(plan))
        said = causes(path, "-v")
        assert len(said) == len(expected), (plan.__name__, said)
        for words in set(expected):
            assert len([line for line in said if words in line]) == expected.count(words), (plan.__name__, said)


def test_the_line_to_type_selects_exactly_these():
    folder = new_folder()
    tried = set()
    for plan in unknown_code, two_words, kind, customer, one_response, outage, sender:
        path = folder / f"{plan.__name__}.ndjson"
        path.write_text(days.day(plan))
        for cause in [json.loads(line) for line in credhook("show", path, "--json").expect(0).err.splitlines()]:
            assert cause["type"] == "cause", cause
            if cause["where"]:
                tried.add(plan)
                shown = credhook("show", path, *shlex.split(cause["where"]), "--json").expect(0).json()
                assert len(shown) == cause["failed"] and {one["response"]["status"] for one in shown} == {cause["status"]}, cause
        place = [line for line in credhook("show", path).expect(0).out.splitlines() if "; credhook show" in line]
        for line in place:
            assert credhook(*shlex.split(line.partition("; credhook ")[2])).expect(0).out.count("POST /hook") == 5, line
    assert {unknown_code, two_words, kind, customer, one_response} <= tried, tried


def test_random_failures_have_no_cause():
    folder = new_folder()
    for seed, share in enumerate((0.003, 0.01, 0.03, 0.1, 0.3, 0.5)):
        path = folder / "day.ndjson"
        path.write_text(days.day(lambda _, draw, share=share: draw.choice([(500, "oops"), (503, None)]) if draw.random() < share else None,
                                 count=2000, seed=seed))
        assert set(causes(path, "-v")) <= {"no difference found in what was recorded"}, seed


def test_an_outage_in_which_some_get_through_is_no_series_of_outages():
    path = new_folder() / "day.ndjson"
    for seed in range(3):
        path.write_text(days.day(lambda one, draw: (500, "oops") if 20000 < one.second < 21000 and draw.random() < 0.6 else None, count=5000, seed=seed))
        assert not [line for line in causes(path, "-v") if line != "no difference found in what was recorded"], causes(path, "-v")


def test_nothing_was_accepted():
    path = new_folder() / "day.ndjson"
    path.write_text(days.day(lambda _, draw: (500, "down"), count=3000))
    out = credhook("show", path).expect(0).out
    assert "nothing that was recorded was accepted" in out and "#1 " in out and " to #3000 " in out, out


def test_facts_together_are_json():
    path = new_folder() / "day.ndjson"
    path.write_text(days.day(lambda one, draw: (500, "no") if one.details.get("change", "").startswith("-") and one.sender == "10.0.0.1" else None))
    rows = [json.loads(line) for line in credhook("show", path, "--json").expect(0).err.splitlines()]
    assert [len(row["facts"]) for row in rows] == [2], rows


def test_a_pipe_and_a_selection_say_the_same():
    path = new_folder() / "day.ndjson"
    path.write_text(days.day(unknown_code))
    piped = credhook("show", "-", stdin=path.read_bytes()).expect(0)
    assert INQUIRY in piped.out, piped
    some = credhook("show", path, "--status", "422").expect(0)
    assert INQUIRY in some.out and "\n\n" in some.out, some
    assert credhook("show", path, "--status", "200").expect(0).out.count(INQUIRY) == 0
    assert credhook("show", path, "-q").expect(0).out.count(INQUIRY) == 0
    redacted = path.with_name("redacted.ndjson")
    credhook("convert", path, "--redact", "-o", redacted).expect(0)
    assert [line for line in causes(redacted) if "each has alertType" in line], causes(redacted)


def test_the_page_says_it_above_the_list():
    path = new_folder() / "day.ndjson"
    path.write_text(days.day(unknown_code))
    page = path.with_suffix(".html")
    credhook("convert", path, "-o", page).expect(0)
    assert "each has alertType" in page.read_text(), "no cause"
    credhook("convert", path, "--redact", "-o", page, "--force").expect(0)
    assert "each has alertType" in page.read_text() and "Inquiry" not in page.read_text(), "a value that was not redacted"


def test_two_that_are_most_alike_are_named_where_nothing_differs():
    path = new_folder() / "day.ndjson"
    path.write_text(days.day(lambda _, draw: (500, "oops") if draw.random() < 0.02 else None))
    out = credhook("show", path).expect(0).out
    line = [line for line in out.splitlines() if "most alike: " in line][0]
    assert line.endswith(" --diff"), line
    credhook(*shlex.split(line.partition("credhook ")[2])).expect(0)


def refuses(key, value):
    """A listener that refuses the value of that key, and says which."""
    def respond(request):
        details = json.loads(request.body)["details"]
        return plain(422, f"unknown {key} {value}") if details.get(key) == value else plain(200)

    return listener(respond)


def sent_day():
    """A capture of all kinds in which some alerts have a code that is unknown; nothing in it was refused."""
    path = new_folder() / "day.ndjson"

    def codes(one, draw):
        unknown_code(one, draw)
        if "offCycle" in one.details:
            one.details["offCycle"] = draw.choice(["true", "false"])

    path.write_text(days.day(codes, count=1000))
    return path


def test_replay_says_it_behind_the_reason():
    path = sent_day()
    with FaultServer(refuses("alertType", "Inquiry")) as server:
        result = credhook("replay", path, "--to", server.url, "--concurrency", "8", "--results", path.with_suffix(".results")).expect(1)
        lines = result.err.splitlines()
        reason = [at for at, line in enumerate(lines) if line.startswith("  422  unknown alertType Inquiry")]
        assert len(reason) == 1 and lines[reason[0] + 1].strip().startswith(INQUIRY), result.err
        assert "no difference" not in result.err, result.err
        rows = credhook("replay", path, "--to", server.url, "--json").expect(1).json()
        page = path.with_suffix(".html")
        credhook("replay", path, "--to", server.url, "--report", f"html={page}").expect(1)
    assert "each has alertType" in page.read_text(), "the page does not say why"
    whys = [row for row in rows if row["type"] == "cause"]
    refused = [row for row in rows if row["type"] == "delivery" and row["status"] == 422]
    assert len(whys) == 1 and whys[0]["failed"] == len(refused) and whys[0]["why"].startswith(INQUIRY) and whys[0]["where"] is None, whys
    assert rows[-1]["type"] == "summary", rows[-1]


def test_replay_compares_those_that_got_worse():
    path, results = sent_day(), new_folder() / "before.results"
    with FaultServer(refuses("alertType", "Inquiry")) as server:
        credhook("replay", path, "--to", server.url, "--results", results, "-q").expect(1)

    def worse(request):
        details = json.loads(request.body)["details"]
        refused = details.get("alertType") == "Inquiry" or details.get("offCycle") == "true"
        return plain(422, "refused") if refused else plain(200)

    with FaultServer(listener(worse)) as server:
        err = credhook("replay", path, "--to", server.url, f"--compare={results}").expect(1).err
    assert 'each has offCycle "true"; none of ' in err and "Inquiry" not in err, err


def test_send_says_it_of_what_it_made():
    with FaultServer(refuses("alertType", "sample-alert")) as server:
        err = credhook("send", "all", "--count", "8", "--seed", "1", "--to", server.url).expect(1).err
    assert "each is bureau-alert; none of 192 accepted ones" in err, err


def test_no_cause_is_said_of_random_failures():
    path, draw = sent_day(), random.Random(3)
    with FaultServer(listener(lambda _: plain(500, "oops") if draw.random() < 0.05 else plain(200))) as server:
        err = credhook("replay", path, "--to", server.url).expect(1).err
    assert " each " not in err and "no difference found in what was sent" in err, err


def test_a_listener_names_what_says_why():
    for failed, name, line in ((4, "c.ndjson", None), (5, "c.ndjson", "c.ndjson"), (5, "7", "./7"), (5, "last", "./last")):
        folder = new_folder()
        with FaultServer([answer(422, body=b"no")]) as target:
            with Listener("--capture", name, "--forward-to", target.url, "--limit", failed, cwd=folder) as listener:
                for _ in range(failed):
                    listener.post(built("user-created"))
                last = listener.wait().err.splitlines()[-1]
        assert (last == f"why: credhook show {line}") == bool(line), last
        if line:
            assert f"{failed} \u00d7 422 no" in credhook("show", line, cwd=folder).expect(0).out
        assert records(folder / name)[0]["response"]["text"] == "no"
    # Nothing can be read again there.
    with FaultServer([answer(422, body=b"no")]) as target:
        with Listener("--capture", "/dev/null", "--forward-to", target.url, "--limit", 5) as listener:
            for _ in range(5):
                listener.post(built("user-created"))
            assert "why: " not in listener.wait().err


def test_too_few_are_not_a_day_without_a_difference():
    """Of 19 accepted ones nothing is said, though all that failed have what none of these has."""
    few = "ones are too few to compare with: from 20 on a cause is said"
    for accepted, words in ((19, f"19 accepted {few}"), (20, 'each has state "CO"')):
        # The failures come between accepted ones, or they were an outage.
        rows = [(2 * i + 1, built("user-created", "--set", "details.address.state=CO", seed=i), 500) for i in range(5)]
        rows += [(2 * i, built("user-created", "--set", "details.address.state=TX", seed=100 + i), 200) for i in range(accepted)]
        path = write(b"".join(record(number, body, response={"status": status}) for number, body, status in sorted(rows)))
        assert words in credhook("show", path, "-v").expect(0).out, accepted


if __name__ == "__main__":
    run()
