#!/usr/bin/python3
"""A few files of src/base know what Linux has beyond POSIX; nobody else includes or calls it, and no other room asks
which system it is compiled for.

The text is looked at for includes and names, the compiled objects for symbols. SOURCE is the project folder; CREDHOOK
the binary, whose folder is the build folder.
"""

import re
import tempfile
from pathlib import Path

from house import SOURCE, build_folder, run
from tree import make, objects, sources, symbols, without_noise

LINUX = {"base/system_linux.c", "base/loop_epoll.c", "base/wake_eventfd.c"}
# What the file for all other systems may name: flags that a system may lack, and what base declares for it.
PORTABLE = {
    "base/portable/system_portable.c": {"MSG_NOSIGNAL", "F_FULLFSYNC", "SO_NOSIGPIPE", "fdatasync", "__APPLE__", "sys/random.h"},
    "base/find.c": {"memmem", "strcasestr"},
}

HEADERS = set("""
byteswap.h endian.h features.h mntent.h sched.h sys/epoll.h sys/eventfd.h sys/inotify.h sys/prctl.h sys/random.h
sys/sendfile.h sys/signalfd.h sys/syscall.h sys/sysinfo.h sys/timerfd.h sys/vfs.h syscall.h
""".split())
CALLS = set("""
accept4 asprintf canonicalize_file_name close_range copy_file_range dup3 epoll_create1 epoll_ctl epoll_pwait epoll_wait
eventfd eventfd_read eventfd_write execvpe explicit_bzero fallocate fdatasync get_current_dir_name getrandom gettid
inotify_init memfd_create memmem mempcpy memrchr mkostemp mkostemps pidfd_open pipe2 posix_fadvise posix_fallocate ppoll
prctl pthread_cancel pthread_condattr_setclock pthread_getaffinity_np pthread_setname_np pthread_timedjoin_np qsort_r
rawmemchr sched_getaffinity secure_getenv sendfile signalfd sigtimedwait sigwaitinfo splice strcasestr strchrnul
sync_file_range syncfs syscall timerfd_create timerfd_settime vasprintf
""".split())
NAMES = CALLS | set("""
EPOLLIN EPOLLOUT F_FULLFSYNC MSG_NOSIGNAL O_TMPFILE POLLRDHUP SI_KERNEL SOCK_CLOEXEC SOCK_NONBLOCK SO_NOSIGPIPE
TEMP_FAILURE_RETRY _GNU_SOURCE __APPLE__ __FreeBSD__ __GLIBC__ __linux__ be64toh htobe64 htole64 le64toh
program_invocation_name
""".split())


def may(name, word):
    return name in LINUX or word in PORTABLE.get(name, set())


def check_text(root):
    problems = []
    for path, _ in sources(root):
        name = str(path.relative_to(root / "src"))
        text = path.read_text(encoding="utf-8")
        headers = re.findall(r"^\s*#\s*include\s*<([^>]*)>", text, re.MULTILINE)
        problems += [f"src/{name}: <{header}> is for base/system_linux.c" for header in headers
                     if (header in HEADERS or header.startswith("linux/")) and not may(name, header)]
        words = set(re.findall(r"\b\w+\b", without_noise(text)))
        problems += [f"src/{name}: {word} is not on every system: base/system.h" for word in sorted(words & NAMES)
                     if not may(name, word)]
    return problems


def check_symbols(build, src):
    wanted = sorted({(name, symbol.split("@")[0]) for name, _, symbol in symbols(objects(build, src), "-u")})
    return [f"{name} needs {symbol}, which is not on every system: base/system.h"
            for name, symbol in wanted if symbol in CALLS and not may(name, symbol)]


def self_test(folder):
    sound = {"src/http/a.c": "/* epoll_wait() */\n#include <poll.h>\nint f(void)\n{\n\treturn g(\"O_TMPFILE\");\n}\n",
             "src/base/system_linux.c": "#include <sys/epoll.h>\nint f = O_TMPFILE;\n"}
    defects = [("src/http/b.c", "#include <sys/epoll.h>\n", "<sys/epoll.h>"),
               ("src/http/b.c", "#  include <linux/fs.h>\n", "<linux/fs.h>"),
               ("src/base/b.c", "int f(void)\n{\n\treturn accept4(1);\n}\n", "accept4"),
               ("src/http/b.c", "#ifdef __linux__\n#endif\n", "__linux__")]
    make(folder / "sound", sound)
    problems = [f"check_text objects to a sound tree: {problem}" for problem in check_text(folder / "sound")]
    for number, (path, text, expected) in enumerate(defects):
        make(folder / str(number), {**sound, path: text})
        found = check_text(folder / str(number))
        if len(found) != 1 or expected not in found[0]:
            problems.append(f"check_text on {path}: {found}, expected one with '{expected}'")
    return problems


def checks():
    with tempfile.TemporaryDirectory(prefix="credhook-house.") as folder:
        yield "self-test", self_test(Path(folder))
    yield "check_text", check_text(SOURCE)
    if build_folder():
        yield "check_symbols", check_symbols(build_folder(), SOURCE / "src")
    else:
        print("skipped check_symbols: CREDHOOK is not set, so no build folder is known")


if __name__ == "__main__":
    run(checks())
