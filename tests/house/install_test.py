#!/usr/bin/python3
"""What a build offers: its options, what `cmake --install` puts where (the binary, the manual, the completions in folders that
the shells themselves name), and what goes into the package of the sources."""

import os
import re
import shutil
import subprocess
import tarfile
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


class Build(unittest.TestCase):
    def test_options_have_help(self):
        cache = re.findall(r"^//(.*)\n(CREDHOOK_\w+):(?:BOOL|STRING)=", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
        options = {name: text for text, name in cache}
        for name, text in options.items():
            self.assertNotRegex(text, "^(|No help.*)$", name)
        for path in SOURCE / ".github/CONTRIBUTING.md", *SOURCE.glob("tests/*.sh"), *SOURCE.glob("samples/ci/*"):
            self.assertLessEqual(set(re.findall(r"-D(CREDHOOK_\w+)", path.read_text(encoding="utf-8"))), set(options), path)

    def test_what_editors_read(self):
        self.assertTrue((BUILD / "compile_commands.json").exists())

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_package_of_sources(self):
        """Of a checkout's files only those that are committed go in: the others may be captures."""
        with tempfile.TemporaryDirectory(prefix="credhook-source-") as name:
            folder = Path(name)
            tree = folder / "a tree"
            tree.mkdir()
            for file in ".hidden", "tracked.c":
                (tree / file).write_text("1\n")
            git = ["git", "-C", tree, "-c", "user.name=x", "-c", "user.email=x@x.example"]
            for command in ["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]:
                subprocess.run([*git, *command], check=True, timeout=60)
            (tree / "capture.ndjson").write_text("{}\n")
            config = (BUILD / "CPackSourceConfig.cmake").read_text().replace(f'CPACK_CREDHOOK_SOURCE "{SOURCE}"',
                                                                            f'CPACK_CREDHOOK_SOURCE "{tree}"')
            (folder / "source.cmake").write_text(config)
            subprocess.run(["cpack", "--config", "source.cmake", "-B", folder], cwd=folder, check=True, capture_output=True,
                           timeout=60)
            archive, = folder.glob("*.tar.gz")
            with tarfile.open(archive) as packed:
                files = {Path(entry.name).name for entry in packed if entry.isfile()}
        self.assertEqual(files, {".hidden", "tracked.c"})


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
