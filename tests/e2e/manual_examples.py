"""The examples of the manual: what their test and tests/long/brokers.sh share."""

import re

from support import SOURCE

BROKERS = "credhook-brokers.7"  # tests/long/brokers.sh runs those lines of it that need a broker


def examples():
    """(page, command line) of every '.Dl $ ...' line, and of every display that begins so."""
    for path in sorted((SOURCE / "man").iterdir()):
        for line in re.findall(r"^(?:\.Dl|\.Bd .*\n)\s*\$ ((?:.*(?:\\e|\|)\n)*.*)$", path.read_text(), re.MULTILINE):
            line = re.sub(r"(?:\\e|(?<=\|))\n *", "", line)
            for escape, text in (("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ti", "~"), ("\\(ga", "`"),
                                 ("\\(ha", "^"), ("\\&", ""), ("\\e", "\\")):
                line = line.replace(escape, text)
            yield path.name, line
