#!/usr/bin/python3
"""What `cmake --install` puts where: the binary, the manual, and the completions in folders that the shells themselves name."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("SOURCE", Path(__file__).resolve().parents[2]))
BUILD = Path(os.environ.get("CREDHOOK", SOURCE / "build/credhook")).resolve().parent


def installed(prefix):
    """The paths of an installation under `prefix`, made in a folder of its own. The component is all there is; naming it
    leaves the list of what somebody has installed from here alone."""
    with tempfile.TemporaryDirectory(prefix="credhook-install-") as folder:
        subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, "--component", "Unspecified"],
                       env={**os.environ, "DESTDIR": folder}, check=True, capture_output=True, timeout=60)
        return {Path("/", path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


def answer(command, **environment):
    home = {"HOME": "/nonexistent", "PATH": os.environ["PATH"], **environment}
    return subprocess.run(command, env=home, check=True, capture_output=True, text=True, timeout=60).stdout.split("\n")


class Install(unittest.TestCase):
    def test_what_no_shell_can_be_asked_for(self):
        pages = installed("/usr")
        self.assertIn(Path("/usr/bin/credhook"), pages)
        self.assertIn(Path("/usr/share/bash-completion/completions/credhook"), pages)
        for page in (SOURCE / "man").glob("credhook*"):
            name = f"/usr/share/man/man{page.suffix[1:]}/{page.name}"
            self.assertTrue({Path(name), Path(name + ".gz")} & pages, name)

    def folder(self, name, prefix):
        found = [path.parent for path in installed(prefix) if path.name == name]
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].is_relative_to(prefix), found)
        return str(found[0])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_looks_there(self):
        for prefix in "/usr", "/usr/local":
            self.assertIn(self.folder("_credhook", prefix), answer(["zsh", "-fc", "print -l $fpath"]))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_looks_there(self):
        command = ["fish", "-c", "string join \\n $fish_complete_path"]
        self.assertIn(self.folder("credhook.fish", "/usr"), answer(command))
        self.assertIn(self.folder("credhook.fish", "/usr/local"), answer(command, XDG_DATA_DIRS="/usr/local/share:/usr/share"))


if __name__ == "__main__":
    unittest.main()
