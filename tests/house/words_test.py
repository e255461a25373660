#!/usr/bin/python3
"""Holds the language of the tree to that of curl's, git's and systemd's manuals.

Looked through are the string literals of src/ (what the binary can print), its comments and its names, and the prose
of README.md, src/README.md, man/, completions/, samples/ and .github/. A finding is one line: where, which words, and
what to write instead. SOURCE is the tree.
"""

import os
import re
import sys

# Words with another meaning there: (path, words). A prompt has answers.
FINE = [
    ("src/cmd/ask.", "answer"),
    ("src/cmd/retry_line.c", "answer"),
    ("src/cmd/shell/", "answer"),
    ("src/ui/", "answer"),
]

# (words as a regular expression, what to write instead). A blank stands for any space, also at the end of a line.
BANNED = [
    # Banned whatever the context.
    (r"so many", "the number, or what is counted: concurrent requests, payloads per event"),
    (r"all the same", "even if, anyway"),
    (r"stands? twice", "duplicate key"),
    (r"the URL stands", "write the URL to FILE"),
    (r"lacks?", "missing, needs, has no"),
    (r"knows no", "invalid, unknown"),
    (r"go(es|ing)? on (with|in)", "continue"),
    (r"going on", "continuing, appending"),
    (r"went away", "disconnected, ended"),
    (r"for want of", "out of, without, because"),
    (r"end well once", "exit 0 once"),
    (r"taken? (it |them |that |a key )?away", "remove"),
    (r"(was|is|were|are) waited for", "expected"),
    (r"no 2xx", "non-2xx"),
    (r"answered (otherwise|within)", "different status; latency"),
    (r"leave this", "leave it out, or just take it"),
    (r"left as it is", "left unchanged"),
    (r"(is|are|be) drawn", "random, chosen at random"),
    (r"tells of", "reports"),
    (r"whose rule", "defined by"),
    (r"told with", "reported with"),
    (r"judg\w*", "check, decide"),
    (r"(\d+|%\w+|N) an? second(?! (argument|attempt|call|chance|connection|Ctrl|line|one|request|run|time)\b)", "N/s"),
    (r"once more", "again"),
    (r"comes? aboard", "starts"),
    (r"wants? to know", "requires, authentication required"),
    # "There is no", "is no longer" and "is no more than" are fine.
    (r"(?<!there )(?<!there can )(?<!there may )(?<!there must )(?<!there will )"
     r"\b(is|are|was|were|be) no (?!longer\b|more than\b|less than\b|later than\b|one\b)\w+", "is not a"),
    # Rules of thumb.
    (r"(?<!-)\banswer(s|ed|ing)?", "response, respond"),
    (r"(tells?|told|telling)(?!\w* (\w+ ){0,4}apart)", "report, print, say"),
    (r"0: no limit", "unlimited"),
    (r"again: credhook", "retry: credhook"),
    (r"doors?", "admission, check"),
    (r"has not the form", "has the wrong format"),
    (r"does not convert", "is not a valid"),
    (r"nothing is known about", "no topic"),
    (r"what stands in", "the value in"),
    (r"the end came first", "at shutdown"),
    (r"did not get to its end", "unfinished"),
    (r"spoil(s|t|ed)?", "fault"),
    (r"passed over|passes over|passing over", "skip, ignore"),
    (r"let time pass", "wait"),
    (r"anew", "again"),
    (r"for ever", "forever"),
    (r"spelled otherwise", "in another spelling"),
    (r"behind the other", "after the other"),
]

# The same for the names in the code of src/.
BANNED_NAMES = [
    (r"\w*doors?", "admission"),
    (r"tell|tell_\w+|told\w*", "line, report_*, print_*"),
    (r"gather(_\w+)?", "commit_delay_*"),
    (r"judge\w*|unjudged", "check_*"),
    (r"heir", "successor"),
    (r"parcel|mail_fd|quieten", "outbox, wake_fd, wake_clear"),
    (r"stillborn|bury|pump|lane", "failed_early, fail_early, start_queued, multi"),
    (r"slips?|slip_\w+", "mistake"),
    (r"pass_over|twins?|kinship", "skip, near_key, similarity"),
    (r"has_said_enough|is_pointless", "output_full, output_closed"),
    (r"survey\w*", "summary, recovery_scan"),
]

# How no comment begins, nor a paragraph of one: with a subject or a verb a reader knows at once what is said.
BANNED_BEGINNINGS = [(re.compile(r"(?:^/\*|^ \*\n \*)[\s*]*Of\b", re.M), "a subject or a verb")]

PROSE = ["README.md", "src/README.md", "man", "completions", "samples", ".github"]

C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


def compiled(rows):
    return [(re.compile(r"\b(?:" + words.replace(" ", r"[\s#*]+") + r")\b", re.I), instead)
            for words, instead in without_blanks_in_lookbehind(rows)]


def without_blanks_in_lookbehind(rows):
    """A lookbehind has a fixed width, so its blank is one character of any space."""
    for words, instead in rows:
        yield re.sub(r"\(\?<!([^)]*)\)", lambda m: m.group(0).replace(" ", r"\s"), words), instead


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
        for pattern, instead in rows:
            for match in pattern.finditer(part):
                found = re.sub(r"[\s#*]+", " ", match.group())
                if not is_fine(path, found):
                    line = text.count("\n", 0, offset) + part.count("\n", 0, match.start()) + 1
                    yield path, line, found, instead


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


def check_itself(banned, banned_names):
    """The patterns find what they are for, and nothing else."""
    bad = ['"5263 a second"', '"%" PRIu64 " a second"', "/* a thing that is\n * no URL */", '"it knows " "no x"',
           '"judged"', "int tell_it;", '"no\\n2xx"', "/* nobody is no one's */ /* is told */",
           "/* Of the head the first bytes. */", "/*\n * Fine.\n *\n * Of a record it is the body. */"]
    good = ["/* The end of it. Of course. */", "/* An end\n * of it. */", '"a second Ctrl-C"', "/* there is no URL; it is no longer one */", '"after a second"', "int total;",
            "/* tells the two apart */", 'f("it knows ", "no x")']
    for text in bad + good:
        found = list(problems_in_file("x.c", text, banned, banned_names))
        if bool(found) != (text in bad):
            yield "x.c", 0, text, "words_test.py itself: found %s" % found


def main():
    source = os.environ["SOURCE"]
    banned, banned_names = compiled(BANNED), compiled(BANNED_NAMES)
    problems = list(check_itself(banned, banned_names))
    count = 0
    for name in files_of(source):
        path = os.path.relpath(name, source)
        with open(name, encoding="utf-8") as f:
            problems += problems_in_file(path, f.read(), banned, banned_names)
        count += 1
    for path, line, found, instead in problems:
        print("%s:%d: %s: %s" % (path, line, found, instead))
    print("%d files read, %d findings" % (count, len(problems)))
    return 1 if problems or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
