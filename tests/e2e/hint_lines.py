"""Lines to type in the texts of the source: found in its literals, cut out of the prose around them, their placeholders filled."""

import re

# What stands in a line for something of the user's, and what a test puts there: the fixed list. Names in braces are of the test.
PLACEHOLDERS = {"FILE": "c.ndjson", "FILE...": "c.ndjson", "RESULTS": "r.res", "KEY": "key", "FOLDER": "p", "DIR/": "made/", "URL": "{url}",
                "WHERE": "{url}", "EVENT": "user-created", "PATH=TEXT": "details.firstName=Ada", "PATH": "details.firstName", "TIME": "2020-01-02",
                "LIST": "200", "N": "3", "D": "1s", "PORT": "0", "8080": "0", ":8080": "{url}", "https://...": "{url}", "--merge FILE": "--merge patch.json",
                "--config FILE": "--config .config/credhook/config.json", "shell -f FILE": "shell -f a.scr",
                "BYTES": "1m", "@FILE": "@head", "COMMAND": "true", "TOKEN": "x"}
PROGRAMS = ("credhook", "jq", "sed", "iconv", "curl", "unzip", "tshark", "mitmdump", "perl", "python3", "grep", "gzip", "cp", "chmod",
            "tail", "head", "shuf", "tac", "rm", "cat", "echo")
# Words of a line that are no option, no name of a file and no placeholder; what else is a plain word is prose, and ends the line.
OPERANDS = {"all", "last", "first", "user-created", "bureau-alert", "elements", "findings", "operations", "statuses", "dispute", "off",
            "repeat", "bad", "deliver", "order", "time", "load", "quick", "sandbox", "show", "600"}
# Lines that are cut or have words of what was typed in them: what prints each.
PROVOKED = [
    (["a.json"], "credhook validate a.json"), (["c.ndjson"], "credhook show c.ndjson"), (["127.0.0.1:1"], "credhook test --to 127.0.0.1:1"),
    (["bureau-alert"], "credhook send bureau-alert --to WHERE"), (["repeat"], "credhook test repeat --to WHERE"),
    (["statuses"], "credhook explain statuses"), (["build", "a.json"], "credhook validate a.json"),
    (["test", "a.json"], "credhook send --to WHERE --file a.json"), (["validate", "3"], "credhook show FILE 3"),
    (["validate", "127.0.0.1:1"], "credhook test --to 127.0.0.1:1"), (["convert", "c.ndjson", "127.0.0.1:1"], "credhook replay FILE --to 127.0.0.1:1"),
    (["validate", "{url}"], "curl -s {url} | credhook validate -"), (["listen", "c.ndjson"], "credhook listen 8080 --capture c.ndjson"),
    (["listen", "--capture", "8080"], "credhook listen 8080 --capture FILE"),
    (["validate", "a.json", "--against", "bad.json"], "credhook validate bad.json"),
    (["listen", "0", "--capture", "x.har"], "credhook convert FILE -o FILE.har"),
    (["build", "user-created", "--set", "details.zzzzzz=1"], "credhook explain EVENT"),
    (["convert", "-o", "-", "a.json", "--redact", "--redact-key", "none"], "head -c 32 /dev/urandom > none"),
    (["convert", "-o", "-", "a.json", "--redact", "--redact-key", "open"], "chmod 600 open"),
]
# Texts with lines that are cut, and who holds them.
ELSEWHERE = {
    "%s is the first of them; credhook events": "e2e/mistakes", "write credhook help %s, or credhook %s --help": "e2e/mistakes",
    "no room for: %s; credhook events | cat": "e2e/terminal",
    "to begin again: rm -f": "e2e/resume",
    "to continue it: credhook replay FILE... --resume RESULTS": "e2e/resume", "credhook build all --break %s": "e2e/examples",
    "--fault reset:10%": "e2e/examples", "to trust it: curl --cacert %s %s": "e2e/listen_admission",
    "details: credhook explain EVENT, credhook explain elements": "cli/events-table",
    " --to WHERE sends it, credhook build makes it": "the line before it is provoked",
}
# Files whose hints mend a file, held by hints.py, or that write lines of curl, held by e2e/curl.
MENDED = ("src/capture/", "src/json/", "src/payload/", "src/report/", "src/base/mend.c", "src/cmd/words/curl.c")
LITERAL = re.compile(r'/\*.*?\*/|//[^\n]*|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'|([A-Z][A-Z0-9_]+)\b|(\w+)|(\s+|\\\n)|(.)', re.DOTALL)
QUOTED = re.compile(r"'((?:credhook|echo) [^']*)'")
TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|[^\s']+")


def literals(text):
    """Each literal of C with its line, adjacent ones joined, names of macros between them in braces."""
    line, start, joined = 1, 1, None
    for match in LITERAL.finditer(text):
        literal, macro, word, _, other = match.groups()
        if literal is not None:
            start = line if joined is None else start
            joined = (joined or "") + literal
        elif macro and joined is not None:
            joined += "{" + macro + "}"
        elif (macro or word or other) and joined is not None:
            yield start, joined
            joined = None
        line += match[0].count("\n")
    if joined is not None:
        yield start, joined


def is_whole(text):
    """Whether it can be typed as it stands: nothing is written into it, and nothing comes behind it."""
    return not (re.search(r"%|[{][A-Z]", text) or text[-1:] in ("", " ") or text[0] == " " or re.fullmatch(r"(?:credhook [a-z]+|\w+ -[\w -]*)", text))


def is_of_line(word, before, commands):
    """Whether the word continues a line, and is no prose."""
    plain = word.rstrip(",;:)")
    return (word[0] in "-'\"|&>$@" or plain in PLACEHOLDERS or plain in OPERANDS or word in PROGRAMS or plain.isdigit()
            or re.fullmatch(r"[\w.-]*[./:=][\w./:=*-]*", plain) is not None or plain == "."
            or (before == "credhook" and plain in commands))


def lines_of(text, commands):
    """The lines to type in a text: from a program's name to where prose begins."""
    text = text.replace('\\"', '"')
    inside = QUOTED.findall(text)
    if inside:
        yield from (line for line in inside if line.split()[1] in commands or line.startswith("echo"))
        text = QUOTED.sub("", text)
    words = TOKEN.findall(text)
    at = 0
    while at < len(words):
        begins = words[at] in PROGRAMS and (at == 0 or re.search(r"[:;,]$|^\(?or$|^see$|^write$|^is$|^in$", words[at - 1]) or words[at] == "credhook")
        if not begins or at + 1 == len(words) or (words[at] == "credhook" and words[at + 1].rstrip(",;:)") not in commands):
            at += 1
            continue
        line = [words[at]]
        at += 1
        while at < len(words) and is_of_line(words[at], line[-1], commands):
            ends = words[at][-1] in ",;:)" and words[at] not in (":8080",)
            line.append(words[at].rstrip(",;:)") if ends else words[at])
            at += 1
            if ends:
                break
        if len(line) > 1:
            yield " ".join(line)


def fill(line, **own):
    def word(match):
        value = PLACEHOLDERS.get(match[0], match[0])
        return value.format(**own) if value in ("{url}",) else value

    for words in ("--merge FILE", "--config FILE", "shell -f FILE"):
        line = line.replace(words, PLACEHOLDERS[words])
    return re.sub(r"https://\.\.\.|(?<![\w.]):8080|(?<![\w./-])@?[A-Z]+(?:-[A-Z]+|=TEXT|\.\.\.|/)?(?![\w=])|\b8080\b", word, line)
