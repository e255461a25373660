"""What the tests of the house share: the tree, the binary, and how they report what is wrong.

A test is a script NAME_test.py beside this file, whose checks are functions that return their problems, one line each:

    from house import SOURCE, run

    def checks():
        yield "self-test", self_test()
        yield "links", dead_links(SOURCE)

    if __name__ == "__main__":
        run(checks())

A check that finds nothing may be a broken one, so most are first run on something small with a known defect: the self-test.
tree.py has the files of a tree and their objects, rooms.py the table of the rooms. CREDHOOK is the binary, SOURCE the
project folder, SANITIZE the sanitizers, if any.
"""

import os
import sys
from pathlib import Path

SOURCE = Path(os.environ.get("SOURCE") or Path(__file__).resolve().parents[2])


def build_folder():
    """The folder of the binary, or None: then nobody has said which one."""
    return Path(os.environ["CREDHOOK"]).resolve().parent if os.environ.get("CREDHOOK") else None


def run(checks, remedy=""):
    """Takes (name, problems) of each check, prints how it ended, and exits: 1 if there is a problem. A self-test may assert
    instead, and have no problems (None). remedy: what to do about all of them."""
    failed = 0
    for name, problems in checks:
        problems = list(problems or ())
        failed += len(problems)
        print(f"{'FAILED' if problems else 'ok'} {name}")
        for problem in problems:
            print(f"  {problem}")
    if failed and remedy:
        print(remedy)
    sys.exit(1 if failed else 0)
