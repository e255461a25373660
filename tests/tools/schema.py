"""How the schemas of tests/schema are written: a member a line, as far as it fits there."""

import json

WIDTH = 120
INDENT = "  "


def is_plain(value):
    """No object, and no array that holds one."""
    return not any(isinstance(item, dict) for item in (value if isinstance(value, list) else [value]))


def block(rows, brackets, depth):
    inner = "\n" + INDENT * (depth + 1)
    return brackets[0] + inner + inner.join(rows) + "\n" + INDENT * depth + brackets[1]


def filled(words, width):
    """Words in as few lines as have room for them."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def written(value, depth=0, used=0):
    """A value as JSON, behind `used` characters of its key: on one line if it holds only plain values and fits there."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)):
        return line
    fits = len(INDENT) * depth + used + len(line) < WIDTH
    if fits and all(is_plain(part) for part in (value.values() if isinstance(value, dict) else value)):
        return line
    if isinstance(value, list):
        rows = [written(item, depth + 1) for item in value]
        rows = [f"{row}," for row in rows[:-1]] + rows[-1:]
        return block(filled(rows, WIDTH - len(INDENT) * (depth + 1)) if is_plain(value) else rows, "[]", depth)
    keys = {key: json.dumps(key, ensure_ascii=False) + ": " for key in value}
    rows = [keys[key] + written(item, depth + 1, len(keys[key])) for key, item in value.items()]
    return block([f"{row}," for row in rows[:-1]] + rows[-1:], "{}", depth)
