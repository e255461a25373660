#!/bin/sh
# Gives validate, replay and convert HAR files of 200 MB each (MEGABYTES), in order and out of it. All stay
# under 32 MiB, and find every notification.
set -eu
cd "$(dirname "$0")/../.."
CREDHOOK=${CREDHOOK:-$PWD/build/credhook} PYTHONPATH=tests/e2e PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - \
	"${MEGABYTES:-200}" <<'END'
import json
import sys
from captures import alert, entry, other
from measured import measured
from support import new_folder

BYTES = int(float(sys.argv[1]) * 1e6)
FOLDER = new_folder()


def har(second_of):
    """Each notification is followed by another request."""
    notification, another = json.dumps(entry(alert(1), 77)), json.dumps(other())
    count = BYTES // (len(notification) + len(another) + 4)
    path = FOLDER / "x.har"
    with open(path, "w") as file:
        file.write('{"log":{"version":"1.2","creator":{},"entries":[')
        for number in range(count):
            file.write(", " if number else "")
            file.write(notification.replace(":77.", f":{second_of(number, count):02d}.") + ", " + another)
        file.write("]}}")
    return path, count


def check(path, count):
    out = FOLDER / "out"
    commands = (("validate", path), ("replay", path, "--to", ":1", "--dry-run"),
                *(("convert", path, "--format", form, "-o", out, "--force") for form in ("ndjson", "har")))
    for command in commands:
        ended = measured(*command)
        said = (ended.out + ended.err).decode()
        assert ended.code == 0, (command, said[-1000:])
        assert f"{count:,}" in said or f"would send {count} records" in said, (command, said[-1000:])
        assert ended.held < 32, f"{ended.held} MiB: {command}"
        print(f"{ended.held:5.1f} MiB {ended.seconds:7.2f} s  {' '.join(map(str, command[:1] + command[2:4]))} {path.name}",
              flush=True)
        out.unlink(missing_ok=True)
    path.unlink()


check(*har(lambda number, count: number * 60 // count))
check(*har(lambda number, count: number % 60))
END
