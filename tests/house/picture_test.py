#!/usr/bin/python3
"""The README's pictures show what the binary prints and writes (tests/tools/picture.py says what of it), and so does the
example of credhook-test(1). CREDHOOK is the binary, SOURCE the tree."""
import os
import pathlib
import re
import sys
import tempfile

from house import SOURCE, run

sys.path.insert(0, str(SOURCE / "tests/tools"))
import picture  # noqa: E402


def self_test(svg, page):
    """Another word or another design is noticed, another number is not."""
    shown, seen = picture.shown_by_terminal(svg), picture.shown_by_page(page)
    for old, new, is_same in (("1 must in", "2 must in", True), ("has no path", "lacks a path", False), ("✗", "!", False)):
        assert old in svg and (picture.shown_by_terminal(svg.replace(old, new)) == shown) == is_same, old
    for old, new, is_same in (("25 of 26", "24 of 26", True), ("bureau-alert", "new-alert", False), ("<style>", "<style>p { }", False),
                              ("KeyError", "Error", False)):
        assert (picture.shown_by_page(page.replace(old, new)) == seen) == is_same, old
    png = picture.with_digest(bytes(33), seen)
    assert picture.has_digest(png, seen) and not picture.has_digest(png, seen + "x")


def check_manual(printed):
    manual = (SOURCE / "man/credhook-test.1").read_text(encoding="utf-8").replace("\\(aq", "'").replace("\\-", "-")
    example = picture.words(re.search(r"^\.Bd -literal\n(FAIL.*?)^\.Ed$", manual, re.S | re.M)[1].replace("FAIL", "✗"))
    if example not in printed:
        yield f"man/credhook-test.1: the example is not printed:\nin the manual: {example}\nprinted:       {printed}"


def check_terminal(printed):
    shown = picture.shown_by_terminal(picture.TERMINAL.read_text(encoding="utf-8"))
    for part in picture.blocks(printed):
        if part not in shown:
            yield f".github/terminal.svg is stale:\nin the picture: {shown}\nprinted:        {part}"


def check_page(text):
    if not picture.has_digest(picture.PAGE.read_bytes(), picture.shown_by_page(text)):
        yield "samples/page.png is stale: the page looks or reads differently"


def checks():
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        svg = picture.draw(picture.record(pathlib.Path(os.environ["CREDHOOK"]).resolve(), page, picture.EXCERPT))
        text = page.read_text(encoding="utf-8")
    printed = picture.shown_by_terminal(svg)
    yield "self-test", self_test(svg, text)
    yield "check_manual", check_manual(printed)
    yield "check_terminal", check_terminal(printed)
    yield "check_page", check_page(text)


if __name__ == "__main__":
    run(checks(), f"{picture.REMEDY} makes the pictures again")
