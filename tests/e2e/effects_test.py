#!/usr/bin/python3
"""What a listener does with what it accepts, as `--observe` shows it: each planted bug is found by the right check."""
# rooms: cmd/probe probe

from functools import cache

from stores import failed, look, look_at
from support import LONG, SOURCE, Skip, credhook, run

BUGS = {
    # name: ids of checks that have to fail (beginnings), and words of the reason of each
    "Late": (["crash/kill", "crash/stop"], "that got a 2xx were gone after"),
    "Flushed": (["crash/kill", "crash/stop"], "that got a 2xx were gone after"),
    "MarkFirst": (["crash/kill", "crash/stop"], "left nothing, though they came again and got a 2xx"),
    "WorkThenMark": (["crash/kill", "crash/stop"], "were there twice"),
    "Memory": (["crash/restart"], "survives a restart"),
    "LookThenInsert": (["effect/at-once"], "on 5 connections left"),
    "Rewritten": (["effect/together"], "on 5 connections left nothing; one after the other each leaves its trace"),
    "KeyOfPath": (["effect/distinct:credit-report-ordered", "effect/distinct:bureau-alert"], "left nothing"),
    "KeyOfService": (["effect/distinct:credit-report-ordered", "effect/distinct:bureau-alert"], "left nothing"),
    "KeepsAll": (["effect/once:user-created", "effect/once:bureau-alert"], "sent twice it left 1 line more than once"),
    "KeepsAllCounted": (["effect/once:user-created", "effect/once:bureau-alert"], "the number grew by 1"),
    "KnownOnly": (["effect/order:alert-unknown"], "left nothing"),
    "KeepsRefused": (["effect/none"], "grew by 3 for refused payloads"),
}
# Without --long: one listener a check, and that check alone. unit/probe/keeps and losses play all against all, with a clock of
# their own.
SMOKE = {"Late": "crash", "LookThenInsert": "effect/at-once", "Rewritten": "effect/together", "KeepsAll": "effect/once:bureau-alert",
         "KnownOnly": "effect/order", "KeepsRefused": "effect/none"}
# What such a bug makes fail besides; nothing else may.
ALSO = {
    "KeyOfPath": ("effect/distinct:", "effect/once:"),  # some events leave nothing at all
    "KeyOfService": ("effect/distinct:", "effect/once:"),
    "KeepsAll": ("effect/once:",),
    "KeepsAllCounted": ("effect/once:",),
}


# Others, of which a check is looked at.
ALONE = {"Swallows": ["effect/distinct:bureau-alert"], "CancelsAll": ["effect/others"], "MemoryKeys": ["effect/again-after-restart"],
         "SkipsOffCycle": ["effect/value:credit-report-ordered"], "Parsed": ["effect/differs"], "Nothing": ["effect/at-once"]}
ALONE_LONG = {"RewrittenCounted": ["effect/together"], "Last": ["effect/together"], "Clashes": ["effect"], "Conflicts": ["effect"],
              "TallyOfKinds": ["effect/order", "effect/distinct"], "Swallows": ["effect/distinct"], "Nothing": ["effect"], "Hundred": ["effect"],
              "SkipsOffCycle": ["effect/value"]}
# What is found of those by the checks that are looked at, and nothing else is.
FOUND = {
    "CancelsAll": {"effect/others": "of one customer changed or went when notifications of another one came"},
    "Hundred": {"effect/stays": "was gone before the end of the run"},
    "MemoryKeys": {"effect/again-after-restart": "that came again after a restart left 1 line more; without a restart it leaves none"},
    "SkipsOffCycle": {"effect/value:credit-report-ordered:offCycle=true": "with offCycle=true got a 2xx and left nothing"},
    "Parsed": {"effect/differs:change": "change -7 is kept as if it were 7, while 7 and 8 are kept apart",
               "effect/differs:zip": "zip 02134 is kept as if it were 2134, while 10001 and 60601 are kept apart",
               "effect/differs:alertId": "is kept as the double next to it"},
}


@cache
def runs():
    """All of them at the same time, since they wait more than they work."""
    alone = ALONE | ALONE_LONG if LONG else ALONE
    chosen = [(name, "effect", "crash") for name in BUGS] if LONG else list(SMOKE.items())
    return {name: found for name, *found in look_at(chosen + [(name, *checks) for name, checks in alone.items()])}


def test_each_bug_is_found_by_the_right_check():
    for name in BUGS if LONG else SMOKE:
        ids, words = BUGS[name]
        result, found = runs()[name]
        bad = failed(found)
        for wanted in ids if LONG else [one for one in ids if one.startswith(SMOKE[name])]:
            said = [reason for check, reason in bad.items() if check.startswith(wanted)]
            assert any(words in reason for reason in said), (name, wanted, bad, result)
        others = [check for check in bad if not check.startswith((*ids, *ALSO.get(name, ())))]
        assert not others, (name, others, bad)


def test_what_is_mixed_up_or_lost_later_is_found_by_the_right_check():
    for name, said in FOUND.items():
        if name not in runs():
            continue
        result, found = runs()[name]
        bad = failed(found)
        assert set(bad) == set(said), (name, bad, result)
        assert all(words in bad[check] for check, words in said.items()), (name, bad)


def of_long():
    """What unit/probe/keeps says of the same listeners is enough without --long."""
    if not LONG:
        raise Skip("--long")


def test_a_number_that_is_rewritten_may_only_not_have_counted():
    of_long()
    check = runs()["RewrittenCounted"][1]["effect/together"]
    assert check["level"] == "should" and check["verdict"] == "warn" and "lost, or only not counted" in check["reason"], check


def test_a_repeat_is_an_error_of_no_one():
    of_long()
    bad = failed(runs()["Clashes"][1])
    assert bad["effect/once:user-created"] == "the repeat got 500", bad
    assert bad["effect/at-once"] == "of one bureau-alert on 5 connections some got 500", bad
    assert all(reason == "the repeat got 500" for check, reason in bad.items() if check != "effect/at-once"), bad
    found = runs()["Conflicts"][1]
    assert not failed(found), found
    assert found["effect/at-once"]["verdict"] == "ok" and found["effect/once:user-created"]["reason"] == "the repeat got 409", found


def test_a_sum_that_grows_is_a_trace():
    of_long()
    result, found = runs()["TallyOfKinds"]
    assert not failed(found) and found["effect/order:alert-unknown"]["verdict"] == "ok", (result, found)


def test_who_keeps_the_last_one_alone_has_lost_none():
    of_long()
    check = runs()["Last"][1]["effect/together"]
    assert check["verdict"] == "skip" and check["reason"].startswith("one after the other, too"), check


def test_what_the_listener_printed_is_with_what_failed():
    for name, check, words in (("Swallows", "effect/distinct:bureau-alert", "sqlite3.IntegrityError: UNIQUE constraint failed"),
                               ("Late", "crash/", "storing what was responded to"), ("Nothing", "effect/", "could not store")):
        if name not in runs():
            continue
        result, found = runs()[name]
        logs = [row.get("log", "") for row in found.values()
                if row["id"].startswith(check) and (row["verdict"] in ("fail", "warn") or "log" in row)]
        assert logs and all(words in log for log in logs), (name, logs, result)
        assert all("log" not in row for row in found.values() if row["verdict"] == "ok"), (name, found)


def test_the_manual_has_each_advice():
    text = " ".join((SOURCE / "man/credhook-effects.7").read_text().replace("\\-", "-").split())
    checks = ["once:bureau-alert", "distinct:bureau-alert", "at-once", "together", "order:alert-unknown", "order:removed-before-added",
              "others", "stays", "again-after-restart", "none", "differs:change", "differs:zip", "differs:alertId", "differs:firstName",
              "differs:offCycle", "differs:disputeStatus",
              "value:user-created:firstName=accents", "value:credit-report-ordered:offCycle=true"]
    for check in [f"effect/{name}" for name in checks] + ["crash/restart", "crash/kill", "crash/stop"]:
        fix = credhook("explain", check, "--json").expect(0).json()[0]["fix"]
        assert f"The advice: {fix}." in text, (check, fix)


def test_checks_may_be_played_alone():
    _, found = look("Store", "effect/none", "crash/kill", more=("--skip", "still-up"))
    assert {name: check["verdict"] for name, check in found.items()} == {"effect/none": "ok", "crash/kill": "ok"}, found


if __name__ == "__main__":
    run()
