"""Words as mdoc: what update-docs.py writes into the manual pages."""

import re

EXAMPLE_COLUMNS = 58


def escape(text):
    """Text that stands in a text line: no request at its beginning, backslashes and quotes as they are."""
    text = text.replace("\\", "\\e").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace("-", "\\-")
    return "\\&" + text if text.startswith((".",)) else text


def prose(text):
    """Text to be read rather than typed: hyphens stay hyphens. Sentences begin on new lines."""
    text = text.replace("\\", "\\e").replace("'", "\\(aq")
    text = re.sub(r"\. (?=[A-Z])", ".\n", text)
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def sentence(text):
    """One sentence of prose: a capital at its beginning (unless that is a name such as appKey), a full stop."""
    first = text.split(" ", maxsplit=1)[0]
    if first.islower():
        text = text[0].upper() + text[1:]
    return prose(text.rstrip(".")) + "."


def quoted(text):
    """An argument of a macro."""
    text = escape(text).replace('"', "\\(dq")
    return f'"{text}"' if not text or " " in text or len(text) < 4 or text[0] in "()[].,:;?!|" else text


def option_item(option):
    """The .It line of an option."""
    flags = []
    if option["letter"]:
        flags.append(f'Fl {option["letter"]}')
    long = f'Fl \\-{escape(option["name"])}'
    if option["argument"] and option["argument_optional"]:
        long += f' Ns Op = Ns Ar {quoted(option["argument"])}'
    elif option["argument"]:
        long += f' Ar {quoted(option["argument"])}'
    return ".It " + " , ".join(flags + [long])


def example(command):
    """A command to type; one that is too long for a line goes on behind a backslash, before an option or a pipe."""
    lines = ["$"]
    for part in re.split(r" (?=--|\|)", command):
        if len(lines[-1]) + len(part) > EXAMPLE_COLUMNS:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += " " + part
    if len(lines) == 1:
        return [f".Dl {escape(lines[0])}"]
    return [".Bd -literal -offset indent -compact", *(escape(line) for line in lines), ".Ed"]


def paragraphs(lines):
    """Text of man/options.txt: a paragraph a line, `literals` in backticks, examples indented by four blanks."""
    out = []
    for line in lines:
        if not line:
            continue
        if line.startswith("    "):
            out += example(line.strip())
        else:
            out += ([".Pp"] if out else []) + literals(line)
    return out


def literals(line):
    """Prose whose `parts` in backticks are typed: options, values, names of pages."""
    words = [re.sub(r"\. (?=[A-Z])", ".\n", part).replace("\\", "\\e").replace("'", "\\(aq") if index % 2 == 0
             else f"\\fB{escape(part)}\\fR" for index, part in enumerate(line.split("`"))]
    return ["\\&" + text if text.startswith((".", "'")) else text for text in "".join(words).split("\n")]


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def table(rows, width="Ds", compact=False):
    """Rows of two texts: a tagged list."""
    lines = [f".Bl -tag -width {width}{' -compact' if compact else ''}"]
    for term, text in rows:
        lines += [f".It {term}", text]
    return lines + [".El"]
