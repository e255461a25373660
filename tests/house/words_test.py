#!/usr/bin/python3
"""Holds the language of the tree to that of curl's, git's and systemd's manuals.

Looked through are the string literals of src/ (what the binary can print), its comments and its names, and the prose
of README.md, src/README.md, man/, completions/, samples/ and .github/. A finding is one line: where, which words, what to
write instead, and why. SOURCE is the tree.
"""

import os
import re

from house import SOURCE, run

# Words with another meaning there: (path, words). A prompt has answers.
FINE = [
    ("src/cmd/ask.", "answer"),
    ("src/cmd/retry_line.c", "answer"),
    ("src/cmd/shell/", "answer"),
    ("src/ui/", "answer"),
]

# Why words are wrong: [(those words as a regular expression, what to write instead)]. A blank stands for any space, also at
# the end of a line.
BANNED = {
    "one thing has one name, that of the field": [
        (r"(?<!-)\banswer(s|ed|ing)?", "response, respond"),
        (r"no 2xx", "non-2xx"),
        (r"doors?", "admission, check"),
        (r"spoil(s|t|ed)?", "fault"),
        (r"stands? twice", "duplicate key"),
        (r"passed over|passes over|passing over", "skip, ignore"),
        (r"taken? (it |them |that |a key )?away", "remove"),
        (r"(was|is|were|are) waited for", "expected"),
        (r"(is|are|be) drawn", "random, chosen at random"),
    ],
    "a machine checks and reports; only people judge and tell": [
        (r"judg\w*", "check, decide"),
        (r"(tells?|told|telling)(?!\w* (\w+ ){0,4}apart)", "report, print, say"),
        (r"wants? to know", "requires, authentication required"),
        (r"knows no", "invalid, unknown"),
    ],
    "a quantity is a number with its unit": [
        (r"so many", "the number, or what is counted: concurrent requests, payloads per event"),
        (r"(\d+|%\w+|N) an? second(?! (argument|attempt|call|chance|connection|Ctrl|line|one|request|run|time)\b)", "N/s"),
    ],
    "a denial is 'is not a', and what is not there is missing": [
        (r"lacks?", "missing, needs, has no"),
        # "There is no", "is no longer" and "is no more than" are fine.
        (r"(?<!there )(?<!there can )(?<!there may )(?<!there must )(?<!there will )"
         r"\b(is|are|was|were|be) no (?!longer\b|more than\b|less than\b|later than\b|one\b)\w+", "is not a"),
    ],
    "an idiom or an old word, which a reader of plain English looks up": [
        (r"all the same", "even if, anyway"),
        (r"anew|once more", "again"),
        (r"for ever", "forever"),
        (r"go(es|ing)? on (with|in)", "continue"),
        (r"going on", "continuing, appending"),
        (r"went away", "disconnected, ended"),
    ],
}

# The same for the names in the code of src/.
BANNED_NAMES = {
    "names follow the words that people read": [
        (r"\w*doors?", "admission"),
        (r"tell|tell_\w+|told\w*", "line, report_*, print_*"),
        (r"judge\w*|unjudged", "check_*"),
        (r"slips?|slip_\w+", "mistake"),
    ],
}

# How no comment begins, nor a paragraph of one.
BANNED_BEGINNINGS = [(re.compile(r"(?:^/\*|^ \*\n \*)[\s*]*Of\b", re.M), "a subject or a verb",
                      "after it a reader knows at once what is said")]

PROSE = ["README.md", "src/README.md", "man", "completions", "samples", ".github"]

C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


def compiled(banned):
    return [(re.compile(r"\b(?:" + with_any_space(words) + r")\b", re.I), instead, why)
            for why, rows in banned.items() for words, instead in rows]


def with_any_space(words):
    """The pattern with any space for a blank; one character of it in a lookbehind, whose width is fixed."""
    words = re.sub(r"\(\?<!([^)]*)\)", lambda m: m.group(0).replace(" ", r"\s"), words)
    return words.replace(" ", r"[\s#*]+")


def joins_literals(between):
    """Whether two literals with this between them are one string: blanks, and macros such as PRIu64."""
    return all(re.fullmatch(r"[A-Z]\w*", word) for word in between.split())


def split_c(text):
    """The strings, comments and code of a C file, each as a list of (offset, text)."""
    strings, comments, code = [], [], []
    end = 0
    open_string = None  # offset of the string that the next literal may continue
    for token in C_TOKEN.finditer(text):
        between = text[end:token.start()]
        code.append((end, between))
        if token.group().startswith('"'):
            piece = re.sub(r"\\.", "  ", token.group()[1:-1])
            if open_string is not None and joins_literals(between):
                offset, before = strings.pop()
                gap = re.sub(r"\S+", "0", between).replace(" ", "").replace("\t", "")
                strings.append((offset, before + gap + piece))
            else:
                strings.append((token.start() + 1, piece))
            open_string = strings[-1][0]
        elif token.group().startswith("/"):
            comments.append((token.start(), token.group()))
            open_string = open_string if joins_literals(between) else None
        else:
            open_string = None
        end = token.end()
    code.append((end, text[end:]))
    return strings, comments, code


def is_fine(path, found):
    return any(path.startswith(start) and found.lower().startswith(word) for start, word in FINE)


def problems_in(path, text, parts, rows):
    for offset, part in parts:
        for pattern, instead, why in rows:
            for match in pattern.finditer(part):
                found = re.sub(r"[\s#*]+", " ", match.group())
                if not is_fine(path, found):
                    line = text.count("\n", 0, offset) + part.count("\n", 0, match.start()) + 1
                    yield f"{path}:{line}: '{found}': write {instead} ({why})"


def problems_in_file(path, text, banned, banned_names):
    if not path.endswith((".c", ".h")):
        yield from problems_in(path, text, [(0, text)], banned)
        return
    strings, comments, code = split_c(text)
    yield from problems_in(path, text, strings + comments, banned)
    yield from problems_in(path, text, comments, BANNED_BEGINNINGS)
    yield from problems_in(path, text, code, banned_names)


def files_of(source):
    roots = [os.path.join(source, name) for name in PROSE]
    for root in roots + [os.path.join(source, "src")]:
        if os.path.isfile(root):
            yield root
        for folder, _, names in sorted(os.walk(root)):
            yield from (os.path.join(folder, name) for name in sorted(names)
                        if not name.endswith(".png") and (not root.endswith("src") or name.endswith((".c", ".h", ".html"))))


def self_test(banned, banned_names):
    """The patterns find what they are for, and nothing else."""
    bad = ['"5263 a second"', '"%" PRIu64 " a second"', "/* a thing that is\n * no URL */", '"it knows " "no x"',
           '"judged"', "int tell_it;", '"no\\n2xx"', "/* nobody is no one's */ /* is told */",
           "/* Of the head the first bytes. */", "/*\n * Fine.\n *\n * Of a record it is the body. */"]
    good = ["/* The end of it. Of course. */", "/* An end\n * of it. */", '"a second Ctrl-C"', "/* there is no URL; it is no longer one */", '"after a second"', "int total;",
            "/* tells the two apart */", 'f("it knows ", "no x")']
    for text in bad + good:
        found = list(problems_in_file("x.c", text, banned, banned_names))
        if bool(found) != (text in bad):
            yield f"{text}: found {found}"
    [reason] = problems_in_file("x.c", '/* a\n * judged */', banned, banned_names)
    if reason != "x.c:2: 'judged': write check, decide (a machine checks and reports; only people judge and tell)":
        yield reason


def problems_in_tree(banned, banned_names):
    count = 0
    for name in files_of(SOURCE):
        with open(name, encoding="utf-8") as f:
            yield from problems_in_file(os.path.relpath(name, SOURCE), f.read(), banned, banned_names)
        count += 1
    if count < 50:
        yield f"{count} files read; where are the others?"


def checks():
    banned, banned_names = compiled(BANNED), compiled(BANNED_NAMES)
    yield "self-test", self_test(banned, banned_names)
    yield "words", problems_in_tree(banned, banned_names)


if __name__ == "__main__":
    run(checks())
