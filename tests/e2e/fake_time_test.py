#!/usr/bin/python3
"""A program's clocks may be another's (libfaketime), while the kernel's timers are not: what is to end in time does."""
# rooms: base

from support import Listener, credhook, fake_time, run

AHEAD = (3600, 10 * 366 * 86400)


def shifted(seconds):
    return {"LD_PRELOAD": fake_time(), "CLOCK_AHEAD": seconds}


def test_a_listener_ends_in_time():
    for seconds in AHEAD:
        credhook("listen", "0", "-q", "--timeout", "100ms", env=shifted(seconds)).expect(0)
        credhook("listen", "0", "-q", "--timeout", "100ms", "--limit", "1", env=shifted(seconds)).expect(1)


def test_a_delivery_ends_in_time():
    with Listener("--fault", "hang") as listener:
        for seconds in AHEAD:
            result = credhook("send", "bureau-alert", "-m", "200ms", "--to", listener.url, env=shifted(seconds)).expect(4)
            assert "timed out after" in result.err, result


def test_what_is_planned_is_sent():
    with Listener() as listener:
        for seconds in AHEAD:
            result = credhook("send", "user-created", "--count", "3", "--rate", "20", "--to", listener.url, env=shifted(seconds))
            assert "3 accepted" in result.expect(0).err, result


if __name__ == "__main__":
    run()
