"""The table of src/README.md as the tests read it: which room may use which, and which folder of cmd/.

include_direction_test.py holds the #include lines to it, symbols_test.py the compiled objects.
"""

# Which rooms a room may include, besides itself and base.
PERMITTED = {
    "base": set(),
    "json": set(),
    "catalog": set(),
    "http": set(),
    "cause": {"http", "payload", "json", "catalog"},
    "config": {"json"},
    "capture": {"json", "http"},
    "deliver": {"http", "capture", "json", "catalog"},
    "payload": {"json", "catalog"},
    "probe": {"cause", "deliver", "http", "payload", "capture", "json", "catalog"},
    "receive": {"http", "capture", "payload", "json", "catalog"},
    "redact": {"payload", "http", "json", "catalog"},
    "report": {"payload", "catalog", "json"},
    "schema": {"catalog", "json"},
    "ui": set(),
}
PERMITTED["cmd"] = set(PERMITTED)
MAIN_PERMITTED = {"cmd", "ui"}
# Folders of cmd/ that commands share; each may use those behind it. Every other folder is a command's own.
SHARED_FOLDERS = ("list", "words", "topics", "args")
# What a folder of cmd/ may use of the files beside it: all others there are commands.
DRIVER = {"cmd/cmd.h", "cmd/command.c", "cmd/command_line.c"}
# Files of cmd/ that are made to know every folder: the table of commands.
KNOW_ALL_FOLDERS = {"cmd/commands.c"}


def permitted_to(room):
    if room is None:
        return MAIN_PERMITTED | {"base"}
    return PERMITTED.get(room, set()) | {room, "base"}


def folder_of(name):
    """cmd/listen/listen.c: listen; cmd/version.c: "", which is cmd/ itself; what is not in cmd: None"""
    parts = name.split("/")
    return None if parts[0] != "cmd" else parts[1] if len(parts) > 2 else ""


def cmd_forbids(name, other):
    """Why a file of cmd/ may not use another one there, or None."""
    folder, used = folder_of(name), folder_of(other)
    if not folder and (used in SHARED_FOLDERS or not used or name in KNOW_ALL_FOLDERS):
        return None
    if folder == used or (used == "" and other in DRIVER):
        return None
    if used == "":
        return "which is not for the folders"
    if used not in SHARED_FOLDERS:
        return "which is that folder's own"
    if folder in SHARED_FOLDERS and SHARED_FOLDERS.index(folder) > SHARED_FOLDERS.index(used):
        return f"{folder} may not use {used}"
    return None
