#!/usr/bin/python3
"""The pre-commit hooks, the GitHub action and workflows, the GitLab sample, and what samples/README.md says of them: they name what
exists, and what can be run without a root of its own is run. tests/long/getting.sh runs all of it in bare Debian roots."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

SOURCE = Path(os.environ.get("SOURCE", Path(__file__).resolve().parents[2]))

sys.path.insert(0, str(SOURCE / "tests" / "tools"))
from ports import free_port  # pylint: disable=wrong-import-position

CREDHOOK = os.path.abspath(os.environ.get("CREDHOOK", SOURCE / "build/credhook"))


def load(name):
    return yaml.safe_load((SOURCE / name).read_text())


def read(name):
    return (SOURCE / name).read_text(encoding="utf-8")


WORKFLOWS = [str(path.relative_to(SOURCE)) for path in sorted((SOURCE / ".github/workflows").glob("*.yml"))]
ACTION = ".github/actions/credhook-validate/action.yml"
CONFIGURATIONS = [*WORKFLOWS, ACTION, "samples/ci/gitlab-ci.yml", ".pre-commit-hooks.yaml"]


class Names(unittest.TestCase):
    def test_files_exist(self):
        for name in "README.md", "samples/README.md", ".github/CONTRIBUTING.md", "samples/ci/Dockerfile", *CONFIGURATIONS:
            for path in re.findall(r"(?<![\w/.])((?:samples|tests|\.github)/[\w./-]*\w)", read(name)):
                self.assertTrue((SOURCE / path).exists(), f"{name} names {path}")

    def test_releases_of_debian(self):
        supported = re.search(r"built and tested on Debian (\d+) and (\d+)", read("README.md")).groups()
        for name in WORKFLOWS:
            for job in load(name)["jobs"].values():
                if "debian" in job.get("strategy", {}).get("matrix", {}):
                    self.assertEqual(tuple(job["strategy"]["matrix"]["debian"]), supported, name)
                    self.assertEqual(job["strategy"]["matrix"]["runner"], ["ubuntu-24.04", "ubuntu-24.04-arm"], name)
        for name in "samples/ci/Dockerfile", "samples/ci/gitlab-ci.yml":
            images = re.findall(r"debian:(\d+)-slim", read(name))
            self.assertTrue(images and set(images) <= set(supported), (name, images))

    def test_actions_are_named_by_commit(self):
        """A tag can be moved."""
        for name in *WORKFLOWS, ACTION:
            used = re.findall(r"^ *(?:- )?uses: (\S+)", read(name), re.MULTILINE)
            self.assertTrue(used, name)
            for action in used:
                self.assertRegex(action, r"^[\w/-]+@[0-9a-f]{40}$", name)

    def test_shell(self):
        """Scripts, and the steps of workflows and jobs, are free of syntax errors."""
        steps = [step for name in WORKFLOWS for job in load(name)["jobs"].values() for step in job["steps"]]
        steps += load(ACTION)["runs"]["steps"]
        texts = [step["run"] for step in steps if "run" in step]
        texts += [line for job in load("samples/ci/gitlab-ci.yml").values() for line in job["script"]]
        texts += [read(path) for path in SOURCE.glob("samples/**/*.sh")] + [read(".ci/run")]
        texts += [path.read_text(encoding="utf-8") for path in SOURCE.glob("tests/**/*.sh")]
        self.assertGreater(len(texts), 30)
        for text in texts:
            done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
            self.assertEqual(done.stderr, "", text)

    def test_who_publishes_it(self):
        """The placeholders OWNER and COMMIT stand in samples/README.md alone, and a release says what they are."""
        for word in "OWNER", "COMMIT":
            self.assertIn(f"{word} is ", read("samples/README.md"))
            self.assertIn(f"{word} is $", read(".github/workflows/release.yml"))
        for path in (SOURCE / "README.md", *SOURCE.glob("man/*"), *SOURCE.glob(".github/*.md"), *SOURCE.glob("samples/ci/*")):
            self.assertNotRegex(path.read_text(encoding="utf-8"), r"\b(OWNER|COMMIT)\b", path)

    def test_examples_of_readme(self):
        blocks = [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", read("samples/README.md"), re.S | re.M)]
        hooks = [hook["id"] for block in blocks if "repos" in block for hook in block["repos"][0]["hooks"]]
        self.assertEqual(hooks, [hook["id"] for hook in load(".pre-commit-hooks.yaml")])
        for hook in (hook for block in blocks if "repos" in block for hook in block["repos"][0]["hooks"]):
            folder = hook["files"].split("/")[0].lstrip("^")
            self.assertRegex(f"{folder}/user-created.json", hook["files"])
            self.assertNotRegex(f"{folder}/README.md", hook["files"])
        inputs = [name for block in blocks if isinstance(block, list) for name in block[0]["with"]]
        self.assertTrue(inputs and set(inputs) <= set(load(ACTION)["inputs"]), inputs)


class Samples(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="credhook-ci-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "bin").mkdir()
        os.symlink(CREDHOOK, self.folder / "bin/credhook")
        self.environment = dict(os.environ, PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.build("fixtures", "all", "-o", "fixtures/")
        self.build("fixtures-broken", "all", "--break", "missing-key", "-o", "fixtures-broken/")

    def build(self, folder, *arguments):
        (self.folder / folder).mkdir()
        subprocess.run([CREDHOOK, "build", "--seed", "1", *arguments], cwd=self.folder, check=True, capture_output=True)

    def sh(self, command, **variables):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, env=dict(self.environment, **variables), text=True,
                              capture_output=True, timeout=60, check=False)

    def test_options_exist(self):
        known = set(re.findall(r"--[a-z-]+", subprocess.run([CREDHOOK, "validate", "--help"], capture_output=True, text=True,
                                                            check=True).stdout))
        for name in ".pre-commit-hooks.yaml", ACTION, "samples/ci/gitlab-ci.yml":
            lines = re.findall(r"^.*(?:credhook validate|pre-commit\.sh validate|arguments).*$", (SOURCE / name).read_text(),
                               re.MULTILINE)
            used = set(re.findall(r"[\s(](--[a-z][a-z-]+)", "\n".join(lines)))
            self.assertGreater(len(used), 2, name)
            self.assertLessEqual(used, known, name)

    def test_pre_commit_hooks(self):
        hooks = {hook["id"]: hook for hook in load(".pre-commit-hooks.yaml")}
        for hook in hooks.values():
            self.assertLessEqual({"id", "name", "entry", "language", "files"}, set(hook))
            for name, wanted in ("a.json", True), ("a/b.ndjson.gz", True), ("c.jsonl", True), ("a.yaml", False):
                self.assertEqual(bool(re.search(hook["files"], name)), wanted)
                self.assertEqual(not re.search(hook["exclude"], f"fixtures/{name}"), wanted)
        entries = []
        for name in "credhook-validate", "credhook-validate-broken":
            self.assertEqual(hooks[name]["language"], "script")
            script, rest = hooks[name]["entry"].split(" ", 1)
            self.assertTrue(os.access(SOURCE / script, os.X_OK), script)
            entries.append(f"credhook {rest}")
        good, broken = entries
        for entry, files, code in ((good, "fixtures", 0), (good, "fixtures-broken", 1), (broken, "fixtures-broken", 0),
                                   (broken, "fixtures", 1)):
            self.assertEqual(self.sh(f"{entry} {files}/*.json").returncode, code, (entry, files))

    def test_action(self):
        action = load(ACTION)
        self.assertEqual(action["runs"]["using"], "composite")
        scripts = [step for step in action["runs"]["steps"] if "run" in step]
        for step in scripts:
            self.assertNotIn("${{", step["run"], "inputs have to reach the script as variables")
        step = scripts[-1]
        defaults = {name: field.get("default", "") for name, field in action["inputs"].items()}

        def run(**given):
            values = dict(defaults, credhook="credhook", **given)
            inputs = {name: re.search(r"inputs\.(\w+)", text) for name, text in step["env"].items()}
            return self.sh(step["run"], **{name: values[found.group(1)] for name, found in inputs.items() if found})

        done = run(paths="fixtures\n", require="all", sarif="out/s.sarif", strict="true")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / "out/s.sarif").exists())
        done = run(paths="fixtures\nfixtures-broken")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("::error file=fixtures-broken/", done.stdout)

    def test_what_a_cache_goes_by(self):
        """build.sh key is the same for the same sources, and another one after a change."""
        tree = self.folder / "tree"
        for name in "CMakeLists.txt", "src", "completions", "man", "tests/schema", "samples/ci":
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if (SOURCE / name).is_dir() else shutil.copy)(SOURCE / name, target)
        keys = [self.sh(f"sh tree/samples/ci/build.sh key {out}").stdout for out in ("a", "b")]
        (tree / "src/main.c").write_text("int main(void) { return 0; }\n")
        keys.append(self.sh("sh tree/samples/ci/build.sh key a").stdout)
        self.assertRegex(keys[0], "^[0-9a-f]{32}\n$")
        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[0], keys[2])

    def test_three_lines(self):
        script = (SOURCE / "samples/ci/three-lines.sh").read_text()
        self.assertEqual(len([line for line in script.splitlines() if not line.startswith("#")]), 3)
        port = str(free_port())
        script = script.replace("3000", port)
        broken = script.replace("=sample-bureau", "=other").replace("--wait 30s", "--wait 30s --expect-status 500")
        for changed, code, missing in (script, 0, 0), (broken, 1, 1):
            done = self.sh(changed)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertEqual(done.stderr.count("0 of 1 (came instead: details.bureau=sample-bureau, once)\n"), missing, done.stderr)

    def test_one_line(self):
        script = (SOURCE / "samples/ci/effects.sh").read_text()
        self.assertEqual(len([line for line in script.splitlines() if not line.startswith("#")]), 1)
        port = str(free_port())
        script = script.replace("3000", port).replace("credhook test", "credhook test effect/order:alert-unknown crash/restart")
        done = self.sh(script)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no check failed", done.stdout)

    def test_gitlab(self):
        job = load("samples/ci/gitlab-ci.yml")["credhook-validate"]
        for command in job["script"]:
            done = self.sh(command)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(job["artifacts"]["reports"]), {"junit"})
        for report in job["artifacts"]["reports"].values():
            self.assertTrue((self.folder / report).exists())
        shutil.rmtree(self.folder / "fixtures")
        (self.folder / "fixtures").mkdir()
        self.assertEqual(self.sh(job["script"][0]).returncode, 1)

    def test_gitlab_tests_an_application(self):
        job = load("samples/ci/gitlab-ci.yml")["credhook-test"]
        port = str(free_port())
        application = self.folder / "start-application"
        application.write_text(f"#!/bin/sh\nexec credhook listen -q {port}\n")
        application.chmod(0o755)
        script = "\n".join(job["script"]).replace("3000", port) + " --level quick; code=$?; kill $!; exit $code"
        self.sh(script)
        report = self.folder / job["artifacts"]["reports"]["junit"]
        self.assertIn('<testsuite name="credhook test"', report.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(verbosity=1)
