#!/usr/bin/python3
"""The README's picture of a terminal shows what the binary prints (but for digits, which are times and identifiers)."""
import os
import pathlib
import re
import sys

SOURCE = pathlib.Path(os.environ["SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/tools"))
import picture  # noqa: E402


def words(svg):
    """Its lines without digits and the blanks that align them."""
    return [re.sub(r"\s+", " ", re.sub(r"[0-9.]+ ?(us|ms|s)\b|[0-9]+", "N", line)) for line in svg.splitlines()]


def main():
    shown = words((SOURCE / ".github/terminal.svg").read_text(encoding="utf-8"))
    printed = words(picture.picture(picture.record(pathlib.Path(os.environ["CREDHOOK"]).resolve())))
    for old, new in zip(shown, printed):
        if old != new:
            print(f"in the picture: {old}\nprinted:        {new}")
    if shown != printed:
        print("python3 tests/tools/picture.py build/credhook .github/terminal.svg makes the picture anew")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
