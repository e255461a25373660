#!/usr/bin/python3
"""A replay into the listener that appends to the same capture sends what was there at its beginning, and ends."""
# rooms: capture cmd/send deliver

from support import Listener, credhook, kinds, new_folder, run


def test_a_replay_into_its_own_capture_ends():
    capture = new_folder() / "capture.ndjson"
    with Listener("--capture", capture) as listener:
        credhook("send", "all", "--to", listener.url).expect(0)
        credhook("replay", capture, "--to", listener.url).expect(0)
    lines = capture.read_bytes().splitlines()
    assert len(lines) == 2 * len(kinds()), len(lines)


if __name__ == "__main__":
    run()
