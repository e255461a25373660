"""Words as mdoc: what update-docs.py writes into the manual pages."""

import re


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


def option_list(options):
    lines = [".Bl -tag -width Ds"]
    for option in options:
        lines.append(option_item(option))
        help_text = option["help"]
        if option["choices"]:
            help_text += ": " + listed(option["choices"])
        if option["default"]:
            help_text += f' (default {option["default"]})'
        lines.append(sentence(help_text))
    return lines + [".El"]


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def table(rows, width="Ds", compact=False):
    """Rows of two texts: a tagged list."""
    lines = [f".Bl -tag -width {width}{' -compact' if compact else ''}"]
    for term, text in rows:
        lines += [f".It {term}", text]
    return lines + [".El"]
