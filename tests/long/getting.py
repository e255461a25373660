#!/usr/bin/python3
"""The samples for CI, the packages and what README.md and samples/README.md say of installing, each run in a bare Debian: see
getting.sh."""

import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

SOURCE = Path(__file__).resolve().parents[2]
ARCHIVE = "http://deb.debian.org/debian"
RELEASES = {"bookworm": "12", "trixie": "13"}
USERS = {"root": (0, "/root"), "runner": (1000, "/home/runner"), "nobody": (65534, "/nonexistent")}


def sh(*command, **options):
    """A command of this machine: what it printed."""
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


class Base:
    """What every root of a release begins as, and the .debs that they have downloaded."""

    def __init__(self, suite, folder):
        self.suite, self.root, self.debs = suite, folder / suite, folder / f"{suite}.debs"
        (self.debs / "partial").mkdir(parents=True)
        made = Path(os.environ.get("ROOTS", "/nonexistent"), f"{suite}.tar")
        if made.exists():
            self.root.mkdir()
            sh("tar", "-C", self.root, "--numeric-owner", "-xf", made)
        else:
            sh("debootstrap", "--variant=minbase", suite, self.root, ARCHIVE)
            (self.root / "etc/apt/sources.list").write_text(
                f"deb {ARCHIVE} {suite} main\ndeb {ARCHIVE} {suite}-updates main\n")


class Root:
    """A bare Debian of its own, removed by the test that made it."""

    def __init__(self, test, empty=False):
        self.test, self.path, self.mounts = test, Path(tempfile.mkdtemp(dir=test.base.debs.parent)), []
        test.addCleanup(self.remove)
        if empty:
            self.path.chmod(0o755)
            return
        sh("cp", "-a", f"{test.base.root}/.", self.path)
        shutil.copy("/etc/resolv.conf", self.path / "etc/resolv.conf")
        (self.path / "etc/apt/apt.conf.d/yes").write_text('APT::Get::Assume-Yes "true";\n')
        self.mount("proc", "-t", "proc", "proc")
        self.mount("var/cache/apt/archives", "--bind", test.base.debs)

    def mount(self, place, *what):
        sh("mount", *what, self.path / place)
        self.mounts.append(place)

    def remove(self):
        for place in self.mounts:
            sh("umount", "-l", self.path / place)
        sh("rm", "-rf", "--one-file-system", self.path)

    def add_busybox(self, debian):
        """A shell and what scripts call, for a root that has nothing, from the root of a Debian."""
        debian.run("cd /tmp && apt-get -qq download busybox-static && dpkg-deb -x busybox-static_*.deb busybox")
        for folder in "bin", "dev", "proc", "tmp":
            (self.path / folder).mkdir(exist_ok=True)
        shutil.copy(next(debian.path.glob("tmp/busybox/**/bin/busybox")), self.path / "bin/busybox")
        sh("chroot", self.path, "/bin/busybox", "--install", "-s", "/bin")
        sh("mknod", "-m", "666", self.path / "dev/null", "c", "1", "3")

    def run(self, script, user="root", cwd="/", shell=("sh", "-e"), expect=0, alone=False, **environment):
        """A script, which has to end with `expect`: what it printed. alone: with no network but a loopback of its own."""
        number, home = USERS[user]
        variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home,
                     "DEBIAN_FRONTEND": "noninteractive", **environment}
        file = self.path / "tmp/script"
        file.write_text(f"cd {shlex.quote(str(cwd))}\n{script}\n")
        command = ["chroot", f"--userspec={number}:{number}", "--groups=", self.path, "env", "-i",
                   *(f"{name}={value}" for name, value in variables.items()), *shell, "/tmp/script"]
        if alone:
            command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "-", *command]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=3600, check=False)
        file.unlink()
        self.test.assertEqual(done.returncode, expect, f"{user}$ {script}\n{done.stdout[-4000:]}")
        return done.stdout

    def put(self, source, target, user="root"):
        """A folder or file of this machine, as `user` has it."""
        place = self.path / target.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        sh("cp", "-a", source, place)
        sh("chown", "-R", f"{USERS[user][0]}:{USERS[user][0]}", place)

    def add_runner(self):
        """Who runs the jobs on GitHub's machines."""
        self.run("apt-get -qq update && apt-get -qq install --no-install-recommends sudo && useradd -m runner -u 1000 &&"
                 "echo 'runner ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/runner")

    def files(self):
        """What there is, but for what the package system itself keeps."""
        out = [f"./{name}" for name in ("proc sys dev tmp var/lib/dpkg var/lib/apt var/cache var/log run").split()]
        prune = " -o ".join(f"-path {name}" for name in out)
        return sh("find", ".", *f"( {prune} ) -prune -o -print".split(), cwd=self.path).splitlines()


def expanded(value, known):
    """The text of a workflow with its ${{ }} in."""
    return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: known.get(match.group(1), ""), str(value))


def variables_of(step, known):
    return {name: expanded(value, known) for name, value in step.get("env", {}).items()}


def condition(text, known):
    """Whether a step's `if: NAME != 'TEXT'` holds."""
    name, other = re.fullmatch(r"([\w.-]+) != '([^']*)'", text).groups()
    return known.get(name, "") != other


def read(name):
    return (Getting.checkout / name).read_text(encoding="utf-8")


def workflow(name):
    return yaml.safe_load(read(name))


def readme(title, name="samples/README.md"):
    """The blocks of a part of that file: (language, text)."""
    part = re.search(rf"^##+ {re.escape(title)}\n(.*?)(?=^##|\Z)", read(name), re.S | re.M).group(1)
    return re.findall(r"^```(\w+)\n(.*?)^```$", part, re.S | re.M)


class Getting(unittest.TestCase):
    base = checkout = None  # set by main()

    def checkout_for(self, root, target, user="root"):
        root.put(self.checkout, target, user)
        return target

    def runner_root(self):
        root = Root(self)
        root.add_runner()
        return root

    # Docker

    def image(self, dockerfile, context):
        """Carries out a Dockerfile: the last root, and what its commands would run with."""
        stages, lines = {}, re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", dockerfile, flags=re.M)).splitlines()
        ignored = (context / ".dockerignore").read_text(encoding="utf-8").split()
        for line in filter(str.strip, lines):
            word, rest = line.split(None, 1)
            if word == "FROM":
                self.assertRegex(rest, r"^(debian:(12|13)-slim\b|scratch$)")
                state = {"root": Root(self, empty=rest == "scratch"), "cwd": "/", "user": "root", "words": {}}
                stages[rest.partition(" AS ")[2]] = state
            elif word == "WORKDIR":
                state["cwd"] = rest
                (state["root"].path / rest.lstrip("/")).mkdir(exist_ok=True)
            elif word == "COPY" and rest == ". .":
                for entry in context.iterdir():
                    if not any(fnmatch.fnmatch(entry.name, pattern) for pattern in ignored):
                        state["root"].put(entry, f"{state['cwd']}/{entry.name}")
            elif word == "COPY":
                stage, folder = re.fullmatch(r"--from=(\w+) /(\S+) /", rest).groups()
                state["build"] = stages[stage]["root"]
                sh("cp", "-a", f"{state['build'].path / folder}/.", state["root"].path)
            elif word == "RUN":
                state["root"].run(rest, cwd=state["cwd"])
            elif word == "USER":
                state["user"] = {"65534:65534": "nobody"}[rest]
            elif word in ("EXPOSE", "LABEL", "STOPSIGNAL"):
                state["words"][word] = rest
            elif word == "ENTRYPOINT":
                state["entrypoint"] = shlex.join(yaml.safe_load(rest))
            else:
                self.fail(f"what is {line}?")
        return state

    def test_docker(self):
        (_, commands), = readme("Docker")
        dockerfile, listen = re.match(r"docker build -f (\S+) -t (?:\w+) \.\n"
                                          r"docker run --rm -p 127\.0\.0\.1:8080:8080 \w+ (.*)\n", commands).groups()
        image = self.image(read(dockerfile), self.checkout)
        root, run = image["root"], image["entrypoint"]
        self.assertEqual((image["words"]["EXPOSE"], image["words"]["STOPSIGNAL"]), ("8080", "SIGTERM"))
        labels = {word.partition("=")[0] for word in shlex.split(image["words"]["LABEL"])}
        self.assertEqual(labels, {f"org.opencontainers.image.{name}" for name in ("title", "description", "licenses")})
        content = [path for path in root.path.rglob("*") if path.is_file()]
        self.assertLess(sum(path.stat().st_size for path in content), 12_000_000)
        self.assertEqual({str(path.relative_to(root.path)) for path in content if "share/doc" not in str(path)},
                         {"usr/bin/credhook", "etc/ssl/certs/ca-certificates.crt"})
        root.add_busybox(image["build"])
        captures = root.path / "captures"
        captures.mkdir()
        os.chown(captures, 65534, 65534)
        as_image = {"user": image["user"], "cwd": image["cwd"], "alone": True}
        self.assertEqual(root.run("id -u", **as_image), "65534\n")
        self.assertIn("credhook", root.run(f"{run} version", **as_image))
        root.run(f"""
            {run} {listen} --capture /captures/c.ndjson --ready-file url --limit 1 --timeout 60s &
            until [ -s url ]; do kill -0 $!; sleep 0.1; done
            {run} send user-created --to :8080/hook
            wait $!
            {run} validate /captures/c.ndjson --require user-created""", **as_image)
        said = root.run(f"{run} listen 8080 --ready-file url & until [ -s url ]; do kill -0 $!; sleep 0.1; done; kill $!; wait $!",
                        **as_image)
        self.assertIn("listening on http://127.0.0.1:8080", said)
        self.assertIn("/root/c.ndjson", root.run(f"{run} listen 8080 --capture /root/c.ndjson", expect=3, **as_image))

    # pre-commit

    def test_pre_commit(self):
        """The lines of samples/README.md for .pre-commit-config.yaml, with this repository, in a repository of fixtures."""
        root = self.runner_root()
        root.run("apt-get -qq install --no-install-recommends pre-commit git ca-certificates")
        self.checkout_for(root, "/home/runner/credhook", "runner")
        config = yaml.safe_load(dict(readme("pre-commit"))["yaml"])
        commit = sh("git", "-C", self.checkout, "rev-parse", "HEAD").strip()
        config["repos"][0].update(repo="file:///home/runner/credhook", rev=commit)
        work = "/home/runner/job"
        root.put(self.checkout / "samples/events", f"{work}/fixtures", "runner")
        (root.path / work.lstrip("/") / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        sh("chown", "-R", "1000:1000", root.path / work.lstrip("/"))

        def commit_with(change, expect=0):
            return root.run(f"{change}\ngit add .\ngit -c user.name=x -c user.email=x@x.example commit -m x", "runner", work,
                            expect=expect)

        commit_with("git init -q; pre-commit install; mkdir fixtures-broken; echo '{}' >fixtures-broken/empty.json")
        binary, = root.path.glob("home/runner/.cache/pre-commit/*/build/ci/credhook")
        built = binary.stat().st_ino
        said = commit_with("cp fixtures-broken/empty.json fixtures", expect=1)
        self.assertRegex(said, r"fixtures/empty\.json:1:1: error: .*\[missing-key\]")
        commit_with("rm fixtures/empty.json; cp fixtures/user-created.json fixtures-broken", expect=1)
        commit_with("rm fixtures-broken/user-created.json; echo >>fixtures/user-created.json")
        self.assertEqual(binary.stat().st_ino, built, "it was built again")

    # GitHub

    def action(self, root, user, cache, expect=0, **inputs):
        """Carries out the steps of the action in /job; `cache` is a folder of this machine that lasts. What they printed."""
        place = f"{USERS[user][1]}/_actions/somebody/credhook/v1"
        temp = f"{USERS[user][1]}/_temp"
        if not (root.path / place.lstrip("/")).exists():
            self.checkout_for(root, place, user)
            root.run(f"mkdir -p {temp}", user=user)
        path = ".github/actions/credhook-validate"
        action = workflow(f"{path}/action.yml")
        known = {f"inputs.{name}": inputs.get(name, field.get("default", "")) for name, field in action["inputs"].items()}
        known.update({"github.action_path": f"{place}/{path}", "runner.temp": temp})
        said = ""
        for step in action["runs"]["steps"]:
            if not condition(step.get("if", "x != 'y'"), known):
                continue
            if "uses" in step:
                self.assertRegex(step["uses"], r"^actions/cache@[0-9a-f]{40}$")
                cached = expanded(step["with"]["path"], known)
                saved = cache / expanded(step["with"]["key"], known)
                if saved.exists():
                    root.put(saved, cached, user)
                continue
            last = step is action["runs"]["steps"][-1]
            said += root.run(step["run"], user, "/job", ("bash", "--noprofile", "--norc", "-eo", "pipefail"),
                             expect if last else 0, GITHUB_OUTPUT=f"{temp}/output", GITHUB_ACTION_PATH=f"{place}/{path}",
                             GITHUB_WORKSPACE="/job", RUNNER_TEMP=temp, GITHUB_ACTIONS="true", **variables_of(step, known))
            output = root.path / f"{temp}/output".lstrip("/")
            for line in output.read_text(encoding="utf-8").splitlines() if output.exists() else []:
                known[f"steps.{step['id']}.outputs.{line.partition('=')[0]}"] = line.partition("=")[2]
        if not saved.exists():
            sh("cp", "-a", root.path / cached.lstrip("/"), saved)
        return said

    def add_fixtures(self, root, user):
        root.put(self.checkout / "samples/events", "/job/fixtures", user)
        (root.path / "job/broken.json").write_text("{}\n", encoding="utf-8")
        sh("chown", f"{USERS[user][0]}", root.path / "job")

    def action_on_new_machine(self, user, cache):
        root = self.runner_root() if user == "runner" else Root(self)
        self.add_fixtures(root, user)
        (_, text), = readme("GitHub Actions")
        self.action(root, user, cache, **yaml.safe_load(text)[0]["with"], sarif="out.sarif")
        self.assertTrue((root.path / "job/out.sarif").exists())
        said = self.action(root, user, cache, paths="fixtures\nbroken.json", expect=1)
        self.assertIn("::error file=broken.json,line=1", said)

    def test_action(self):
        for user in "runner", "root":
            cache = Path(tempfile.mkdtemp(dir=self.base.debs.parent))
            self.addCleanup(shutil.rmtree, cache)
            self.action_on_new_machine(user, cache)
        # The cache has the binary, the machine none of its libraries.
        self.action_on_new_machine(user, cache)

    def test_release(self):
        """The release workflow, and then a life with what it makes."""
        release = workflow(".github/workflows/release.yml")["jobs"]
        number = RELEASES[self.base.suite]
        self.assertIn(number, release["package"]["strategy"]["matrix"]["debian"])
        version = re.search(r"^project\(credhook VERSION (\S+)", read("CMakeLists.txt"), re.M)
        known = {"matrix.debian": number, "github.ref_name": f"v{version.group(1)}", "github.repository": "somebody/credhook",
                 "github.sha": "0123456789" * 4, "vars.DEBFULLNAME": "Some Body", "vars.DEBEMAIL": "some.body@debian.org"}
        root = Root(self)
        self.checkout_for(root, "/__w")
        for step in release["package"]["steps"]:
            if "run" in step and condition(step.get("if", "x != 'y'"), known):
                root.run(step["run"], cwd="/__w", **variables_of(step, known))
        with tempfile.TemporaryDirectory() as folder:
            for file in (root.path / "__w/packages").iterdir():
                shutil.copy(file, folder)
            made = sorted(os.listdir(folder))
            self.assertEqual(len(made), 1, made)
            with tempfile.TemporaryDirectory() as tools:
                Path(tools, "gh").write_text('#!/bin/sh\nprintf "%s\\n" "$@" >args\n', encoding="utf-8")
                Path(tools, "gh").chmod(0o755)
                for step in (step for step in release["release"]["steps"] if "run" in step):
                    sh("bash", "-e", "-c", step["run"], cwd=folder,
                       env={"PATH": f"{tools}:{os.environ['PATH']}", **variables_of(step, known)})
            sh("sha256sum", "-c", "SHA256SUMS", cwd=folder)
            self.assertLessEqual({*made, "SHA256SUMS", known["github.ref_name"]},
                                 set(Path(folder, "args").read_text(encoding="utf-8").split("\n")))
            for name in made:
                self.assertRegex(name, r"^[\w.+-]+$", "GitHub would rename it")
            deb = next(Path(folder).glob("*.deb"))
            self.assertEqual(sh("dpkg-deb", "-f", deb, "Maintainer"), "Some Body <some.body@debian.org>\n")
            self.assertIn(known["github.sha"], Path(folder, "args").read_text(encoding="utf-8"))
            self.live_with_package(deb)

    def live_with_package(self, deb):
        root = Root(self)
        root.run("apt-get -qq update && apt-get -qq install --no-install-recommends man-db bash-completion")
        before = root.files()
        root.put(deb, f"/tmp/{deb.name}")
        root.put(self.checkout / "tests/long/whole-path", "/tmp/whole-path")
        # It replaces an older one.
        root.run(f"dpkg-deb -R {deb.name} old && sed -i 's/^Version: .*/Version: 0.9-1/' old/DEBIAN/control && "
                 "dpkg-deb -b old old.deb && apt-get install --no-install-recommends ./old.deb && rm -r old old.deb && "
                 f"apt-get install --no-install-recommends ./{deb.name} && dpkg-query -W credhook | grep -vF 0.9-1", cwd="/tmp")
        root.run("sh /tmp/whole-path && [ $(command -v credhook) = /usr/bin/credhook ]", alone=True)
        for page in (self.checkout / "man").glob("credhook*.[157]"):
            self.assertIn(page.stem, root.run(f"man {page.suffix[1:]} {page.stem}", MANPAGER="cat", LC_ALL="C.UTF-8"))
        offered = root.run("""
            . /usr/share/bash-completion/bash_completion
            { _comp_load credhook || _completion_loader credhook || true; } 2>/dev/null
            COMP_WORDS=(credhook va) COMP_CWORD=1 COMP_LINE='credhook va' COMP_POINT=11
            function=$(complete -p credhook | sed -E 's/.*-F ([^ ]+).*/\\1/')
            $function credhook va credhook || true
            echo "${COMPREPLY[@]}" """, shell=("bash",))
        self.assertIn("validate", offered.split())
        # What came as a dependency goes, even if another package suggests it (Debian 13's libidn2).
        root.run("apt-get -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false "
                 "purge --autoremove credhook")
        self.assertEqual(root.files(), before)
        self.assertEqual(sorted(os.listdir(root.path / "tmp")), sorted([deb.name, "whole-path"]))

    # GitLab

    def test_gitlab(self):
        jobs = {name: job for name, job in workflow("samples/ci/gitlab-ci.yml").items() if "script" in job}
        root = Root(self)
        self.checkout_for(root, "/job/credhook")
        root.run("\n".join(jobs["credhook-package"]["script"]), cwd="/job")
        artifacts = [file for pattern in jobs["credhook-package"]["artifacts"]["paths"]
                     for file in (root.path / "job").glob(pattern)]
        self.assertEqual(len(artifacts), 1)
        job = jobs["credhook-validate"]
        other = Root(self)
        self.add_fixtures(other, "root")
        other.run("mkdir fixtures-broken && mv broken.json fixtures-broken", cwd="/job")
        other.put(artifacts[0], f"/job/{artifacts[0].name}")
        other.run("\n".join(job["before_script"] + job["script"]), cwd="/job")
        self.assertTrue((other.path / "job" / job["artifacts"]["reports"]["junit"]).exists())

    # README

    def works(self, root):
        root.put(self.checkout / "tests/long/whole-path", "/tmp/whole-path", "runner")
        root.run('PATH="$HOME/.local/bin:$PATH" sh /tmp/whole-path', "runner", "/home/runner", alone=True)

    def test_readme(self):
        """The commands of Install: what is built is installed in a root that has nothing to build with."""
        root = self.runner_root()
        (_, text), = readme("Install", "README.md")
        root.run(text, "runner", self.checkout_for(root, "/home/runner/credhook", "runner"))
        self.works(root)
        builder = self.runner_root()
        self.checkout_for(builder, "/home/runner/credhook", "runner")
        for title, pattern in ("Debian package", "credhook_*.deb"), ("Tarball", "credhook-*.tar.gz"):
            (_, text), = readme(title)
            first, _, rest = text.partition("\n")
            builder.run(first, "runner", "/home/runner/credhook")
            root = self.runner_root()
            for file in builder.path.glob(f"home/runner/credhook/{pattern}"):
                root.put(file, f"/home/runner/{file.name}", "runner")
            root.run(rest, "runner", "/home/runner")
            self.works(root)


def main():
    arguments = sys.argv[1:]
    names = arguments[1:2] if arguments[:1] == ["-k"] else []
    suites = arguments[2 if names else 0:] or list(RELEASES)
    failed = False
    with tempfile.TemporaryDirectory(prefix="credhook-getting-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        Getting.checkout = folder / "checkout"
        sh("git", "clone", "-q", "--no-hardlinks", SOURCE, Getting.checkout)
        for suite in suites:
            print(f"-- Debian {RELEASES[suite]}", flush=True)
            try:
                Getting.base = Base(suite, folder)
            except subprocess.CalledProcessError as error:
                print(f"skip: no root of {suite} can be made: {error.stdout[-300:]}")
                continue
            tests = unittest.TestLoader()
            tests.testNamePatterns = [f"*{part}*" for part in names] or None
            suite = tests.loadTestsFromTestCase(Getting)
            failed |= not unittest.TextTestRunner(sys.stdout, verbosity=2).run(suite).wasSuccessful()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
